"""What lanes may still spend: one row for a lane and engine day, the newest one found at once."""

from __future__ import annotations

from sqlalchemy import Row, bindparam, select, update

from submitter.core.standing import Allowance
from submitter.ledger.columns import clean, fit
from submitter.ledger.database import Transaction
from submitter.ledger.schema_calls import allowance as table
from submitter.ledger.schema_calls import lane

LANE = select(lane).where(
    lane.c.account == bindparam("of_account"), lane.c.property == bindparam("of_property")
)
NEWER = (
    update(lane)
    .where(lane.c.id == bindparam("of_lane"), lane.c.day < bindparam("to_day"))
    .values(day=bindparam("to_day"))
)
NEWEST = (
    select(lane.c.account, lane.c.property, table)
    .select_from(lane)
    .outerjoin(table, (table.c.lane_id == lane.c.id) & (table.c.day == lane.c.day))
)
"""Every lane has its newest day; the outer join keeps SQLite from reading all other days."""


def save(tx: Transaction, allowance: Allowance) -> None:
    tx.put(
        table,
        lane_id=_lane_id(tx, allowance),
        day=allowance.day,
        limit=fit(allowance.limit),
        spent=allowance.spent,
        reported_left=fit(allowance.reported_left),
        spent_since=allowance.spent_since,
        closed_until=allowance.closed_until,
        closed_reason=clean(allowance.closed_reason),
    )


def _lane_id(tx: Transaction, allowance: Allowance) -> int:
    names = {"of_account": allowance.account, "of_property": allowance.property}
    row = tx.first(LANE, **names)
    if row is None:
        tx.add_once(
            lane,
            account=allowance.account,
            property=allowance.property,
            day=allowance.day,
        )
        row = tx.one(LANE, **names)
    elif allowance.day > row.day:
        tx.execute(NEWER, of_lane=row.id, to_day=allowance.day)
    return int(row.id)


def newest(tx: Transaction) -> dict[tuple[str, str], Allowance]:
    return {(row.account, row.property): _allowance(row) for row in tx.rows(NEWEST)}


def _allowance(row: Row[tuple[object, ...]]) -> Allowance:
    return Allowance(
        account=row.account,
        property=row.property,
        day=row.day,
        limit=row.limit,
        spent=row.spent,
        reported_left=row.reported_left,
        spent_since=row.spent_since,
        closed_until=row.closed_until,
        closed_reason=row.closed_reason,
    )
