"""Which pages of a look have to be told to which target, and letting them wait for it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from math import inf

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    and_,
    bindparam,
    exists,
    false,
    literal,
    or_,
    select,
    true,
    update,
)

from submitter.core.fleet import FirstRun
from submitter.core.looks import TellRule
from submitter.ledger import waiting
from submitter.ledger.database import Transaction
from submitter.ledger.pages import Place
from submitter.ledger.schema import page, page_key, section, target, telling
from submitter.ledger.schema import waiting as waiting_table
from submitter.ledger.sites import target_row
from submitter.ledger.waiting import Queue, Tally, rank_column, rank_of

DAY_S = 86_400
Placed = tuple[int, int, int | None]
"""(page number, priority, lastmod)"""

PLACED = update(target).where(target.c.id == bindparam("of_target"))


@dataclass(frozen=True, slots=True)
class Teller:
    """One target that takes pages, as this look finds it. `seeded_look` = the look that ended its
    first run; until there is one, `TellRule.first_run` says which pages it is told."""

    target_id: int
    rule: TellRule
    recent: int
    seeded_look: int | None

    def least(self, unread_since: int | None = None) -> float | None:
        """The oldest lastmod with which a new page is told; None: every page is. `unread_since`:
        its document was listed in that look but could not be read until now, so its pages may
        belong to the first run still."""
        if self.seeded_look is not None and (
            unread_since is None or unread_since > self.seeded_look
        ):
            return None
        return {FirstRun.ALL: None, FirstRun.RECENT: self.recent, FirstRun.NONE: inf}[
            self.rule.first_run
        ]


def make_tellers(
    tx: Transaction,
    origin: str,
    rules: Sequence[TellRule],
    *,
    number: int,
    previous: int,
    at_s: int,
    kept: Tally,
) -> tuple[Teller, ...]:
    """The tellers of look `number`, and a place in their queues for what they missed: a target
    that was added to a known site, or that was away for some looks up to the `previous` one."""
    tellers = []
    for rule in rules:
        row = target_row(tx, origin, rule.account)
        teller = Teller(row.id, rule, at_s - rule.recent_days * DAY_S, row.seeded_look)
        if (row.told_by_look or 0) < previous:
            _catch_up(tx, teller, row.site_id, row.told_by_look, kept)
        tx.execute(PLACED.values(told_by_look=number), of_target=row.id)
        tellers.append(teller)
    return tuple(tellers)


def seed(tx: Transaction, tellers: Sequence[Teller], number: int) -> None:
    """A complete look ended: what comes later is new."""
    for teller in tellers:
        if teller.seeded_look is None:
            tx.execute(PLACED.values(seeded_look=number), of_target=teller.target_id)


def enqueue(
    tx: Transaction,
    tellers: Sequence[Teller],
    pages: Sequence[Placed],
    kept: Tally,
    *,
    unread_since: int | None = None,
    unless: Container[tuple[int, int]] = (),
) -> None:
    """Let new pages wait for every teller that wants them, `unless` (page, target) is in there."""
    for teller in tellers:
        least = teller.least(unread_since)
        ranked = [
            (rank_of(priority, lastmod), id)
            for id, priority, lastmod in pages
            if least is None or (lastmod is not None and lastmod >= least)
        ]
        if unless:
            ranked = [one for one in ranked if (one[1], teller.target_id) not in unless]
        waiting.add(tx, teller.target_id, Queue.URLS, ranked, "new", kept)


def _catch_up(
    tx: Transaction, teller: Teller, site_id: int, told_by: int | None, kept: Tally
) -> None:
    """Queue the site's pages by the first-run rule, or those that came or changed since the last
    look that told this target."""
    rank = rank_column(section.c.priority, page.c.lastmod)
    rows = (
        select(
            literal(teller.target_id, BigInteger),
            literal(int(Queue.URLS), BigInteger),
            rank,
            page.c.id,
            literal("new"),
        )
        .select_from(page_key)
        .join(page, page.c.id == page_key.c.page_id)
        .join(section, section.c.id == page.c.section_id)
        .where(
            page_key.c.site_id == site_id,
            page.c.place.in_([Place.LISTED, Place.MISSING]),
            _missed_by(teller, told_by),
        )
        .order_by(rank, page.c.id)
    )
    added = tx.add_selected(waiting_table, ("target_id", "kind", "rank", "page_id", "why"), rows)
    kept[teller.target_id, Queue.URLS.what] += added


def _missed_by(teller: Teller, told_by: int | None) -> ColumnElement[bool]:
    heard = exists().where(telling.c.page_id == page.c.id, telling.c.target_id == teller.target_id)
    came = and_(page.c.first_look > (told_by or 0), ~heard)
    if teller.seeded_look is None:
        came = and_(came, _of_first_run(teller))
    if told_by is None or not teller.rule.tells_changed:
        return came
    return or_(came, page.c.changed_look > told_by)


def _of_first_run(teller: Teller) -> ColumnElement[bool]:
    match teller.rule.first_run:
        case FirstRun.ALL:
            return true()
        case FirstRun.RECENT:
            return page.c.lastmod >= teller.recent
        case FirstRun.NONE:
            return false()
