"""What looks at sites saw, for alarms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, bindparam, func, or_, select

from submitter.core.evidence import LookRow
from submitter.ledger.database import Transaction
from submitter.ledger.schema import look, run, site

_LATER = look.alias("later")
_LAST_LOOK = (
    select(func.max(_LATER.c.number))
    .where(_LATER.c.site_id == look.c.site_id, _LATER.c.by_hand.is_(False))
    .scalar_subquery()
)
LOOKS = (
    select(
        site.c.origin.label("site"),
        look.c.at,
        look.c.finished,
        look.c.complete,
        look.c.listed,
        look.c.new,
        look.c.changed,
        look.c.gone,
        look.c.looks,
        site.c.baseline,
    )
    .select_from(look)
    .join(site, site.c.id == look.c.site_id)
    .where(
        look.c.by_hand.is_(False),
        or_(look.c.at >= bindparam("since"), look.c.number == _LAST_LOOK),
    )
    .order_by(look.c.site_id, look.c.number)
)
FORCED = (
    select(run.c.started_at, run.c.finished_at, run.c.summary)
    .where(
        run.c.forced.is_not(None),
        run.c.summary.is_not(None),
        run.c.finished_at >= bindparam("since"),
    )
    .order_by(run.c.number)
)

"""One without a summary was killed: nobody knows what it took."""


class Forced(NamedTuple):
    """When a forced run of a site began and ended."""

    started_at: datetime
    finished_at: datetime


def looks(tx: Transaction, since: datetime) -> list[LookRow]:
    forced = _forced_by_site(tx.rows(FORCED, since=since))
    return [_look(row, forced.get(row.site, ())) for row in tx.rows(LOOKS, since=since)]


def _forced_by_site(runs: Iterable[Row[Any]]) -> dict[str, list[Forced]]:
    found: dict[str, list[Forced]] = {}
    for row in runs:
        for origin in _sites_of(row.summary):
            found.setdefault(origin, []).append(Forced(row.started_at, row.finished_at))
    return found


def _sites_of(summary: str) -> set[str]:
    """The sites that a run was for, out of its JSON (see `core.summary`); none if it was refused,
    for then it has no targets."""
    return {target["site"] for target in json.loads(summary).get("targets", ())}


def _look(row: Row[Any], forced: Sequence[Forced]) -> LookRow:
    accepted = any(_took(run, row) for run in forced)
    values = {name: getattr(row, name) for name in LookRow._fields if name != "accepted"}
    return LookRow(**values, accepted=accepted)


def _took(forced: Forced, look: Row[Any]) -> bool:
    """Whether the run took the look, or one of that day for which the look stands, too."""
    if forced.started_at <= look.at <= forced.finished_at:
        return True
    earlier = forced.finished_at < look.at and forced.finished_at.date() == look.at.date()
    return bool(look.looks > 1 and earlier)
