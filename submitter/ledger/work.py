"""What workers share: the last look at each site, and the permits of each account."""

from __future__ import annotations

import json
import logging
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select, update

from submitter.core.findings import Finding, Severity
from submitter.core.limiter import PermitLog, PermitState, Window
from submitter.core.looks import Delta, SiteLook
from submitter.ledger import sites
from submitter.ledger.database import Conflict, Many, Transaction
from submitter.ledger.looks import LAST_REAL
from submitter.ledger.schema import look as look_table
from submitter.ledger.schema import site
from submitter.ledger.schema_work import permit, verdict

log = logging.getLogger(__name__)

NEWEST = (
    select(func.max(look_table.c.number))
    .where(look_table.c.site_id == verdict.c.site_id, look_table.c.by_hand.is_(False))
    .scalar_subquery()
)
VERDICTS = (
    select(site.c.origin, verdict.c.at, verdict.c.said)
    .join(site, site.c.id == verdict.c.site_id)
    .where(site.c.origin.in_(bindparam("ids", expanding=True)), verdict.c.look == NEWEST)
)
"""Nothing while a later look is under way: what it stored so far was not judged."""

BEGIN = Many(permit, "account", "state", conflict=Conflict.IGNORE)
STATE = select(permit.c.state).where(permit.c.account == bindparam("of_account")).with_for_update()
KEEP = update(permit).where(permit.c.account == bindparam("of_account"))


TOLERATED_S = 1.0
"""A clock may be ahead by so much more than a window's length."""


# ---------------------------------------------------------------- looks


def remember_look(tx: Transaction, look: SiteLook) -> None:
    said = {
        "documents": look.documents,
        "listed": look.listed,
        "foreign": look.foreign,
        "first": look.first,
        "delta": asdict(look.delta),
        "since_baseline": asdict(look.since_baseline),
        "baseline": look.baseline,
        "closed_to": sorted(look.closed_to),
        "findings": [asdict(one) for one in look.findings],
        "skipped": dict(look.skipped),
        "prelaunch": [asdict(one) for one in look.prelaunch],
        "unfinished": look.unfinished,
    }
    row = sites.site_row(tx, look.site)
    number = tx.one(LAST_REAL, of_site=row.id)[0]
    tx.put(verdict, site_id=row.id, look=number, at=look.at, said=json.dumps(said))


def last_looks(tx: Transaction, origins: Sequence[str]) -> dict[str, SiteLook]:
    """Without their roots and readings, which the documents tell."""
    rows = tx.rows_in(VERDICTS, origins)
    return {row.origin: _look(row.origin, row.at, json.loads(row.said)) for row in rows}


def _look(origin: str, at: datetime, said: Mapping[str, Any]) -> SiteLook:
    return SiteLook(
        site=origin,
        at=at,
        first=said["first"],
        documents=said["documents"],
        listed=said["listed"],
        foreign=said["foreign"],
        delta=Delta(**said["delta"]),
        since_baseline=Delta(**said["since_baseline"]),
        baseline=said["baseline"],
        closed_to=frozenset(said["closed_to"]),
        findings=tuple(map(_finding, said["findings"])),
        skipped=said["skipped"],
        prelaunch=tuple(map(_finding, said["prelaunch"])),
        unfinished=said["unfinished"],
    )


def _finding(stored: Mapping[str, Any]) -> Finding:
    severity, examples = Severity(stored["severity"]), tuple(stored["examples"])
    return Finding(**{**stored, "severity": severity, "examples": examples})


# ---------------------------------------------------------------- permits


def take_permit(
    tx: Transaction, account: str, windows: Sequence[Window], holder: Hashable, now: datetime
) -> float:
    """One permit, or the seconds to wait before asking again. The row is locked meanwhile, so
    that all workers together keep the windows.

    Calls by a clock that is further ahead than the longest window count as just made: whoever had
    it may be gone or be set right, and nobody else's would reach them for as long."""
    state = _state(tx, account)
    ahead_s = state.newest - now.timestamp()
    if ahead_s > max((window.seconds for window in windows), default=0.0) + TOLERATED_S:
        log.warning("a worker's clock was %.0f s ahead of this one's; set them right", ahead_s)
        state = state.earlier(ahead_s)
    calls = PermitLog.of(windows, state)
    at = max(now.timestamp(), state.newest)
    calls.take_back(holder, at)
    wait_s = calls.earliest(at) - at
    if wait_s <= 0:
        calls.give(holder, at)
    _keep(tx, account, calls.state)
    return max(0.0, wait_s)


def close_permits(tx: Transaction, account: str, until: datetime) -> None:
    calls = PermitLog.of((), _state(tx, account))
    calls.close(until.timestamp())
    _keep(tx, account, calls.state)


def _state(tx: Transaction, account: str) -> PermitState:
    row = tx.first(STATE, of_account=account)
    if row is None:
        tx.many(BEGIN, [(account, "{}")])
        row = tx.one(STATE, of_account=account)
    return PermitState(**json.loads(row.state))


def _keep(tx: Transaction, account: str, state: PermitState) -> None:
    tx.execute(KEEP.values(state=json.dumps(asdict(state))), of_account=account)
