"""Alembic's entry: runs on the connection and in the transaction that `migrating` hands over."""

from __future__ import annotations

from alembic import context

from submitter.ledger.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=False,
)
context.run_migrations()
