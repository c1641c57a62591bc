"""What is alarming, and telling it: once when it begins, once when it is over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from submitter.core.alerts import (
    BEFORE_DAYS,
    FAILING_RUNS,
    LATELY_DAYS,
    LEAST_HITS,
    AlarmFacts,
    Alert,
    alerts,
)
from submitter.core.crawl.records import FILES
from submitter.core.evidence import SectionCrawl, Unread
from submitter.core.fleet import Fleet, Target
from submitter.core.sections import NO_SECTION
from submitter.core.selection import Selection
from submitter.core.swings import WEEK
from submitter.core.traits import Traits
from submitter.errors import LedgerError
from submitter.ports import AlarmBook, EvidenceBook, Ledger, Webhook

RUNS = FAILING_RUNS + 20
"""Runs are looked through so far back; a run that was killed has no end."""
REPORTS = 2 * FAILING_RUNS
"""So many reports of runs are read: not every run tries every account."""


def evidence_of(ledger: Ledger) -> EvidenceBook:
    """Raises LedgerError when it cannot count."""
    if not isinstance(ledger, EvidenceBook):
        raise LedgerError("ledger: keeps no counts for reports")
    return ledger


def find_alerts(
    fleet: Fleet,
    book: EvidenceBook,
    traits: Mapping[str, Traits],
    *,
    now: datetime,
    selection: Selection | None = None,
) -> list[Alert]:
    """What is alarming now about the selected targets; what is about our own job always is."""
    targets = (selection or Selection()).select(fleet.targets())
    rules, today = fleet.alerts, now.date()
    facts = AlarmFacts(
        sites=frozenset(target.site.origin for target in targets),
        runs=book.run_ends(limit=RUNS),
        shares=[one for one in book.run_shares(limit=REPORTS) if one.account in fleet.accounts],
        looks=book.looks(since=now - timedelta(days=LATELY_DAYS + BEFORE_DAYS)),
        troubles=book.troubles(),
        dates=book.lying_dates(since=now - WEEK),
        unread=_of_targets(book.unread(for_s=rules.unread_days * 86_400), targets),
        crawls=_of_sections(
            book.section_crawls(
                _crawlers(targets, traits),
                first=today - timedelta(days=LATELY_DAYS + BEFORE_DAYS),
                lately=today - timedelta(days=LATELY_DAYS),
                today=today,
                least=LEAST_HITS,
            ),
            targets,
        ),
        logs=book.log_spans(),
    )
    return alerts(facts, rules, now)


def _of_targets(unread: Iterable[Unread], targets: Sequence[Target]) -> list[Unread]:
    """Without what was told by accounts that the inventory does not name any more."""
    known = {target.key for target in targets}
    return [one for one in unread if (one.site, one.account) in known]


def _of_sections(crawls: Iterable[SectionCrawl], targets: Sequence[Target]) -> list[SectionCrawl]:
    """Without sections that the inventory does not name any more: where one has a new name, nobody
    reads it less."""
    names = {
        target.site.origin: {FILES, NO_SECTION[0], *(one.name for one in target.site.sections)}
        for target in targets
    }
    return [one for one in crawls if one.section in names.get(one.site, ())]


def _crawlers(targets: Sequence[Target], traits: Mapping[str, Traits]) -> list[str]:
    """Of the engines that are told, so that a bot nobody tells raises no alarm."""
    engines = {target.account.engine for target in targets}
    return sorted({traits[name].crawler for name in engines})


# ---------------------------------------------------------------- telling


@dataclass(frozen=True, slots=True)
class News:
    """What changed since somebody was told: alarms that began, and those that are over."""

    begun: tuple[Alert, ...] = ()
    over: tuple[Alert, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.begun or self.over)


def news(found: Sequence[Alert], told: Sequence[Alert]) -> News:
    """An alarm whose numbers moved is none."""
    now, before = {one.key for one in found}, {one.key for one in told}
    return News(
        tuple(one for one in found if one.key not in before),
        tuple(one for one in told if one.key not in now),
    )


def tell(
    found: Sequence[Alert],
    book: AlarmBook,
    webhook: Webhook,
    document: Mapping[str, object],
    *,
    at: datetime,
) -> None:
    """Post the document and remember what it told. Raises Undelivered; then nothing is remembered,
    and the next call tells it again."""
    webhook.post(document)
    book.save_alarms(found, at=at)


def alarm_book_of(ledger: Ledger) -> AlarmBook:
    """Raises LedgerError when it cannot remember what was told."""
    if not isinstance(ledger, AlarmBook):
        raise LedgerError("ledger: cannot remember which alarms were told")
    return ledger
