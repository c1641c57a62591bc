"""The last word about each sitemap at each target, and what engines said of it later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, case, delete, or_, select, update

from submitter.core.calls import Action, Check, Outcome
from submitter.core.looks import RootLook
from submitter.core.records import SitemapStatus
from submitter.core.standing import SitemapStanding
from submitter.core.states import TOLD, State
from submitter.ledger import sites
from submitter.ledger.columns import clean, clean_or_none, fit
from submitter.ledger.database import Transaction
from submitter.ledger.schema import root, site, target
from submitter.ledger.schema_calls import sitemap, sitemap_check

CHECK_FIELDS = tuple(field.name for field in fields(Check) if field.name != "sitemap")
ROOT_FIELDS = tuple(field.name for field in fields(RootLook))
OF_SITE = root.c.site_id == bindparam("of_site")
PAGES_READ = case((or_(root.c.readable, root.c.pages > 0), root.c.pages)).label("urls_ours")
"""NULL: it could never be read."""
TOLD_SITEMAPS = select(sitemap).where(sitemap.c.state.is_not(None))
SOME_SITEMAPS = TOLD_SITEMAPS.where(sitemap.c.target_id.in_(bindparam("ids", expanding=True)))
LATEST = (
    select(sitemap_check)
    .join(sitemap, sitemap.c.check_id == sitemap_check.c.id)
    .where(sitemap.c.target_id == bindparam("of_target"), sitemap.c.url == bindparam("of_url"))
)
SEEN_AGAIN = (
    update(sitemap_check)
    .where(sitemap_check.c.id == bindparam("of_check"))
    .values(checked_at=bindparam("to_checked_at"))
)


def begin(tx: Transaction, target_id: int, action: Action, at: datetime) -> None:
    tx.put(
        sitemap,
        target_id=target_id,
        url=action.target,
        state=State.SENDING.value,
        content=action.content,
        at=at,
        not_before=None,
        reason=None,
    )


def end(tx: Transaction, target_id: int, action: Action, outcome: Outcome, at: datetime) -> None:
    state = outcome.rest if not outcome.rejected else State.REJECTED
    told: dict[str, Any] = {}
    if state in TOLD:
        told = {"told_at": at, "told_content": action.content}
    tx.put(
        sitemap,
        target_id=target_id,
        url=action.target,
        state=state.value,
        content=action.content,
        at=at,
        not_before=outcome.not_before,
        **told,
    )


def withdraw(tx: Transaction, target_id: int, action: Action, outcome: Outcome) -> None:
    """What an engine was made to forget is as if it had never been told or checked. A withdrawal
    that ended otherwise leaves the sitemap as it was."""
    if outcome.rest in TOLD:
        tx.put(
            sitemap,
            target_id=target_id,
            url=action.target,
            state=None,
            content="",
            told_at=None,
            told_content=None,
            not_before=None,
            reason=None,
            check_id=None,
        )


def defer(
    tx: Transaction,
    target_id: int,
    action: Action,
    at: datetime,
    not_before: datetime | None,
    reason: str,
    state: State,
) -> None:
    """A planned submission was not begun. What it was when last told stays known."""
    tx.put(
        sitemap,
        target_id=target_id,
        url=action.target,
        state=state.value,
        at=at,
        not_before=not_before,
        reason=reason,
    )


def lose(tx: Transaction, target_id: int, url: str, not_before: datetime | None) -> None:
    tx.put(
        sitemap,
        target_id=target_id,
        url=url,
        state=State.UNKNOWN.value,
        not_before=not_before,
    )


def standings(
    tx: Transaction, origins: Sequence[str] | None
) -> dict[tuple[str, str], dict[str, SitemapStanding]]:
    names = sites.known_targets(tx, origins)
    found: dict[tuple[str, str], dict[str, SitemapStanding]] = {}
    for row in tx.rows(TOLD_SITEMAPS) if origins is None else tx.rows_in(SOME_SITEMAPS, names):
        found.setdefault(names[row.target_id], {})[row.url] = _standing(row)
    return found


def _standing(row: Row[Any]) -> SitemapStanding:
    return SitemapStanding(
        sitemap=row.url,
        state=State(row.state),
        content=row.content,
        at=row.at,
        told_at=row.told_at,
        told_content=row.told_content,
        not_before=row.not_before,
        reason=row.reason or "",
    )


def record_checks(
    tx: Transaction, origin: str, account: str, checks: Sequence[Check], at: datetime
) -> None:
    target_id = sites.target_row(tx, origin, account).id
    for check in checks:
        url = clean(check.sitemap)
        values = _check_values(check)
        latest = tx.first(LATEST, of_target=target_id, of_url=url)
        if latest and all(latest._mapping[name] == value for name, value in values.items()):
            tx.execute(SEEN_AGAIN, of_check=latest.id, to_checked_at=at)
            continue
        check_id = tx.add(
            sitemap_check,
            target_id=target_id,
            sitemap=url,
            first_at=at,
            checked_at=at,
            **values,
        )
        tx.put(sitemap, target_id=target_id, url=url, check_id=check_id)


def _check_values(check: Check) -> dict[str, Any]:
    return {
        **{name: getattr(check, name) for name in CHECK_FIELDS},
        "property": clean(check.property),
        "errors": fit(check.errors),
        "warnings": fit(check.warnings),
        "urls_submitted": fit(check.urls_submitted),
        "kind": clean_or_none(check.kind),
    }


def record_roots(tx: Transaction, site_id: int, roots: Sequence[RootLook]) -> None:
    """What the last look found under each declared sitemap; others are declared no more."""
    before = {
        row.sitemap: row.pages for row in tx.rows(select(root).where(OF_SITE), of_site=site_id)
    }
    tx.execute(delete(root).where(OF_SITE), of_site=site_id)
    for position, one in enumerate(roots):
        tx.put(
            root,
            site_id=site_id,
            sitemap=one.sitemap,
            readable=one.readable,
            content=one.content,
            changed_at=one.changed_at,
            pages=one.pages if one.readable else before.get(one.sitemap, 0),
            is_index=one.is_index,
            problem=clean(one.problem),
            position=position,
        )


def roots_of(tx: Transaction, origin: str) -> list[str]:
    rows = tx.rows(
        select(root.c.sitemap).join(site).where(site.c.origin == origin).order_by(root.c.position)
    )
    return [row.sitemap for row in rows]


def root_looks(tx: Transaction, origin: str) -> list[RootLook]:
    rows = tx.rows(select(root).join(site).where(site.c.origin == origin).order_by(root.c.position))
    return [RootLook(**{name: row._mapping[name] for name in ROOT_FIELDS}) for row in rows]


def statuses(tx: Transaction, origins: Sequence[str] | None) -> list[SitemapStatus]:
    names = sites.known_targets(tx, origins)
    checks = {
        row.id: row
        for row in tx.rows(
            select(sitemap_check).join(sitemap, sitemap.c.check_id == sitemap_check.c.id)
        )
    }
    rows = tx.rows(
        select(sitemap, PAGES_READ)
        .join(target, target.c.id == sitemap.c.target_id)
        .outerjoin(root, (root.c.site_id == target.c.site_id) & (root.c.sitemap == sitemap.c.url))
    )
    found = [
        _status(names[row.target_id], row, checks.get(row.check_id))
        for row in rows
        if row.target_id in names
    ]
    return sorted(found, key=lambda one: (one.site, one.account, one.sitemap))


def _status(name: tuple[str, str], row: Row[Any], check: Row[Any] | None) -> SitemapStatus:
    return SitemapStatus(
        site=name[0],
        account=name[1],
        sitemap=row.url,
        standing=_standing(row) if row.state is not None else None,
        check=_check(check) if check else None,
        checked_at=check.checked_at if check else None,
        urls_ours=row.urls_ours,
    )


def _check(row: Row[Any]) -> Check:
    return Check(sitemap=row.sitemap, **{name: row._mapping[name] for name in CHECK_FIELDS})
