"""Numbered changes of the schema, run by alembic inside our own transaction."""
