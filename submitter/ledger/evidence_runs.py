"""What runs did, out of the reports that are kept of them."""

from __future__ import annotations

import json

from sqlalchemy import bindparam, select

from submitter.core.run_shares import RunShare, shares_of
from submitter.ledger.database import Transaction
from submitter.ledger.schema import run

REPORTS = (
    select(run.c.id, run.c.started_at, run.c.summary)
    .where(run.c.summary.is_not(None))
    .order_by(run.c.number.desc())
    .limit(bindparam("most"))
)


def run_shares(tx: Transaction, limit: int) -> list[RunShare]:
    return [
        share
        for row in tx.rows(REPORTS, most=limit)
        for share in shares_of(row.id, row.started_at, json.loads(row.summary))
    ]
