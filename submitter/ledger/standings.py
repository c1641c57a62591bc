"""What the planner asks: how many pages wait for each target, and which come next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import bindparam, case, func, or_, select

from submitter.core.standing import Candidate, PageStanding
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger import pages, sites, tellings
from submitter.ledger.database import Transaction
from submitter.ledger.fingerprints import Marker
from submitter.ledger.pacing import TOO_SOON
from submitter.ledger.schema import page, site, tally, target, waiting
from submitter.ledger.waiting import Queue

KINDS = {int(Queue.URLS): Kind.URLS, int(Queue.REMOVAL): Kind.REMOVAL}
QUEUES = {Queue(number).what: kind for number, kind in KINDS.items()}

COUNTS = select(tally).where(tally.c.pages != 0)
SOME_COUNTS = COUNTS.where(tally.c.target_id.in_(bindparam("ids", expanding=True)))
REASON = case(
    (waiting.c.why == State.UNKNOWN.value, "unknown"),
    (waiting.c.reason == TOO_SOON, TOO_SOON),
    else_="not-before",
).label("held_for")
HELD = (
    select(waiting.c.target_id, waiting.c.kind, REASON, func.count().label("pages"))
    .where(waiting.c.not_before > bindparam("now"), waiting.c.kind != int(Queue.PARKED))
    .group_by(REASON, waiting.c.target_id, waiting.c.kind)
)
WAITS = select(waiting.c.why, waiting.c.not_before, REASON).where(
    waiting.c.target_id == bindparam("of_target"),
    waiting.c.kind == int(Queue.URLS),
    waiting.c.rank == bindparam("of_rank"),
    waiting.c.page_id == bindparam("of_page"),
)
NEXT = (
    select(page.c.id, page.c.loc, site.c.origin, waiting.c.why)
    .select_from(waiting)
    .join(target, target.c.id == waiting.c.target_id)
    .join(site, site.c.id == target.c.site_id)
    .join(page, page.c.id == waiting.c.page_id)
    .where(
        site.c.origin == bindparam("of_origin"),
        target.c.account == bindparam("of_account"),
        waiting.c.kind == bindparam("of_kind"),
        or_(waiting.c.not_before.is_(None), waiting.c.not_before <= bindparam("now")),
    )
    .order_by(waiting.c.rank, waiting.c.page_id)
    .limit(bindparam("most"))
)


@dataclass(slots=True)
class _Standing:
    """A standing that is being added up."""

    waiting: Counter[Kind] = field(default_factory=Counter)
    held: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    counts: Counter[State] = field(default_factory=Counter)

    def hold(self, kind: Kind, reason: str, pages: int) -> None:
        self.held[kind, reason] += pages
        self.waiting[kind] -= pages

    def done(self) -> PageStanding:
        return PageStanding(dict(+self.waiting), dict(self.held), dict(self.counts))


def page_standings(
    tx: Transaction, now: datetime, origins: Sequence[str] | None
) -> dict[tuple[str, str], PageStanding]:
    """From the kept counts; only pages with a `not_before` are counted one by one."""
    names = sites.known_targets(tx, origins)
    drafts: dict[int, _Standing] = {}
    for row in tx.rows(COUNTS) if origins is None else tx.rows_in(SOME_COUNTS, names):
        draft = drafts.setdefault(row.target_id, _Standing())
        if queue := QUEUES.get(row.what):
            draft.waiting[queue] = row.pages
        else:
            draft.counts[State(row.what)] = row.pages
    for row in tx.rows(HELD, now=now):
        if row.target_id in drafts:
            drafts[row.target_id].hold(KINDS[row.kind], row.held_for, row.pages)
    return {names[id]: draft.done() for id, draft in drafts.items()}


def named(
    tx: Transaction,
    marker: Marker,
    origin: str,
    account: str,
    identities: Sequence[str],
    now: datetime,
) -> tuple[list[Candidate], PageStanding]:
    """What waits and what was told, of these pages only, in the order given."""
    target_row = tx.first(sites.TARGET, of_origin=origin, of_account=account)
    if target_row is None:
        return [], PageStanding()
    keys = marker.keys(identities)
    known = {one.key: one for one in pages.known(tx, target_row.site_id, sorted(set(keys)))}
    last = tellings.last_tellings(tx, [one.id for one in known.values()], target_row.id)
    draft, found = _Standing(), []
    for key in dict.fromkeys(key for key in keys if key in known):
        one = known[key]
        telling = last.get((one.id, target_row.id))
        if telling and not telling.removal:
            draft.counts[telling.state] += 1
        rank, page_id = one.ranked
        waits = tx.first(WAITS, of_target=target_row.id, of_rank=rank, of_page=page_id)
        if waits:
            draft.waiting[Kind.URLS] += 1
            if waits.not_before and waits.not_before > now:
                draft.hold(Kind.URLS, waits.held_for, 1)
            else:
                found.append(Candidate(page_id, pages.full(one.loc, origin), waits.why))
    return found, draft.done()


def candidates(
    tx: Transaction, origin: str, account: str, kind: Kind, now: datetime, limit: int
) -> list[Candidate]:
    rows = tx.rows(
        NEXT,
        of_origin=origin,
        of_account=account,
        of_kind=int(Queue.of(kind)),
        now=now,
        most=limit,
    )
    return [Candidate(row.id, pages.full(row.loc, row.origin), row.why) for row in rows]
