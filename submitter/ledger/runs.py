"""Runs and surveys: what is remembered beside sites and calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select, update

from submitter.core.calls import Property, Survey
from submitter.core.records import RunRow
from submitter.errors import LedgerError
from submitter.ledger.columns import clean, clean_or_none
from submitter.ledger.database import Transaction
from submitter.ledger.schema import meta, run
from submitter.ledger.schema_calls import survey


def bind(tx: Transaction, fleet_name: str) -> None:
    tx.add_once(meta, name="fleet", value=fleet_name)
    is_bound(tx, fleet_name)


def is_bound(tx: Transaction, fleet_name: str) -> bool:
    """False: to no inventory yet. Raises LedgerError where it is to another one."""
    row = tx.first(select(meta.c.value).where(meta.c.name == "fleet"))
    if row is not None and row.value != fleet_name:
        raise LedgerError(
            f"ledger: it belongs to the inventory {row.value!r}, not to {fleet_name!r};"
            " name another ledger, or give the inventory its name back"
        )
    return row is not None


def start(
    tx: Transaction, id: str, *, inventory_sha256: str, at: datetime, forced: str | None
) -> RunRow | None:
    begun = tx.add_once(
        run,
        id=id,
        started_at=at,
        inventory_sha256=inventory_sha256,
        forced=clean_or_none(forced),
    )
    return None if begun else _run(tx.one(select(run).where(run.c.id == id)))


def finish(
    tx: Transaction,
    id: str,
    *,
    at: datetime,
    outcome: str,
    exit_code: int,
    summary: Mapping[str, object],
) -> None:
    values = {
        "finished_at": at,
        "outcome": outcome,
        "exit_code": exit_code,
        "summary": json.dumps(summary, default=str),
    }
    if not tx.execute(update(run).where(run.c.id == id).values(values)).rowcount:
        raise LedgerError(f"ledger: the run {id!r} was never started")


def newest(tx: Transaction, limit: int) -> list[RunRow]:
    return [_run(row) for row in tx.rows(select(run).order_by(run.c.number.desc()).limit(limit))]


def _run(row: Row[Any]) -> RunRow:
    return RunRow(
        id=row.id,
        started_at=row.started_at,
        finished_at=row.finished_at,
        inventory_sha256=row.inventory_sha256,
        outcome=row.outcome,
        exit_code=row.exit_code,
        forced=row.forced,
        summary=None if row.summary is None else json.loads(row.summary),
    )


def save_survey(tx: Transaction, one: Survey, at: datetime) -> None:
    tx.put(
        survey,
        account=one.account,
        at=at,
        principal=clean(one.principal),
        properties=json.dumps([asdict(each) for each in one.properties]),
    )


def surveys(tx: Transaction) -> dict[str, tuple[Survey, datetime]]:
    return {row.account: (_survey(row), row.at) for row in tx.rows(select(survey))}


def _survey(row: Row[Any]) -> Survey:
    properties = tuple(Property(**each) for each in json.loads(row.properties))
    return Survey(row.account, properties, row.principal)
