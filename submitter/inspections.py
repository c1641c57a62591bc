"""Asks engines about samples of the pages they were told of: indexed, or why not.

Engines that can be asked (`ports.Inspector`) let a property ask so often a day and a minute. Both
stand in the book: the day as an allowance of a lane of its own, the minute as permits. What was
asked today is not asked again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from submitter.core import quota
from submitter.core.accounting import ExitCode
from submitter.core.calls import Survey
from submitter.core.fleet import Limits, Target
from submitter.core.inspection import (
    Drawn,
    Group,
    Inspected,
    Inspection,
    ListedPage,
    Sample,
    Sampler,
    in_turns,
    latest_earlier,
)
from submitter.core.standing import Allowance
from submitter.errors import (
    EngineError,
    LedgerError,
    NotAuthorized,
    QuotaExhausted,
    Refused,
    TooFast,
)
from submitter.permits import AccountPermits
from submitter.ports import InspectionBook, Inspector, Ledger
from submitter.retries import OutOfTime, Retries
from submitter.runner import Channel, RunContext
from submitter.runs import RunRequest, Tools, held_lease, run_context

LOOK_BACK = timedelta(days=60)
"""An earlier sample is worth comparing with for so long."""
MINUTE_S = 60.0
QUOTA, DEADLINE = "quota", "deadline"


def lane_of(property: str) -> str:
    """The name under which a property's inspections stand in the book of allowances."""
    return f"inspect:{property}"


def book_of(ledger: Ledger) -> InspectionBook:
    """Raises LedgerError when this ledger remembers no inspections."""
    if not isinstance(ledger, InspectionBook):
        raise LedgerError("ledger: it cannot remember inspections")
    return ledger


def inspect_fleet(request: RunRequest, tools: Tools, size: int) -> list[Sample]:
    """Ask about `size` pages of each section of each property, at most; records every answer.

    Raises LedgerBusy and LedgerError; what an engine said is in the samples. Empty: no selected
    engine can be asked about pages, or none was told of any.
    """
    book = book_of(tools.ledger)
    able = {
        target.account.name
        for target in request.targets
        if tools.traits[target.account.engine].inspects_per_day is not None
    }
    channels = tools.open_channels(able)
    with held_lease(request, tools) as lease:
        context = run_context(request, tools, lease)
        targets = [target for target in request.targets if target.account.name in able]
        drawn = _draw(targets, channels, book, context, size)
        total = sum(len(one.pages) for groups in drawn.values() for one in groups.values())
        tools.progress.start("asking about pages", total)
        try:
            with ThreadPoolExecutor(max(1, len(drawn)), thread_name_prefix="inspect") as pool:
                asking = [
                    pool.submit(_AccountAsking(channels[name], book, context).ask, groups)
                    for name, groups in drawn.items()
                ]
                return [sample for one in asking for sample in one.result()]
        finally:
            tools.progress.stop()


def judge_samples(samples: Sequence[Sample]) -> ExitCode:
    """6 some pages had no time left · 5 an engine said nothing · 4 not of every page · 0 else,
    also when the day's quota is spent."""
    reasons = {reason for one in samples for reason in one.unasked}
    if DEADLINE in reasons:
        return ExitCode.DEADLINE
    if not reasons - {QUOTA}:
        return ExitCode.OK
    asked = any(one.inspections for one in samples)
    return ExitCode.PARTIAL if asked else ExitCode.NOTHING_SUCCEEDED


# ---------------------------------------------------------------- which pages


@dataclass(frozen=True, slots=True)
class _Told:
    """An account that was told sitemaps of a site, and the property it did so under."""

    account: str
    property: str
    until: float
    """Seconds since 1970 UTC; pages seen first after this were not told yet."""


def _draw(
    targets: Iterable[Target],
    channels: Mapping[str, Channel],
    book: InspectionBook,
    context: RunContext,
    size: int,
) -> dict[str, dict[Group, Drawn]]:
    """By account. Every page is read once, however many accounts were told of it."""
    told = _told(targets, channels, context)
    now = context.clock.now()
    samplers = {
        name: Sampler(size, quota.engine_day(channel.traits.day_zone, now))
        for name, channel in channels.items()
    }
    for page in book.listed_pages(sorted(told)) if told else ():
        for one in told[page.site]:
            if page.first_seen <= one.until:
                group = Group(one.account, one.property, page.section)
                samplers[one.account].offer(group, page)
    drawn = {name: sampler.drawn() for name, sampler in samplers.items()}
    return {name: groups for name, groups in drawn.items() if groups}


def _told(
    targets: Iterable[Target], channels: Mapping[str, Channel], context: RunContext
) -> dict[str, list[_Told]]:
    """By site. Only an accepted sitemap counts."""
    standings = context.ledger.sitemap_standings()
    surveys: Mapping[str, tuple[Survey, datetime]] = context.ledger.surveys()
    found: dict[str, list[_Told]] = {}
    for target in targets:
        times = [one.told_at for one in standings.get(target.key, {}).values() if one.told_at]
        if times:
            name = target.account.name
            survey = surveys[name][0] if name in surveys else None
            property = channels[name].engine.property_of(target.site, survey)
            told = _Told(name, property, max(times).timestamp())
            found.setdefault(target.site.origin, []).append(told)
    return found


# ---------------------------------------------------------------- asking


@dataclass(frozen=True, slots=True)
class _Unasked:
    """Why there is no answer about a page."""

    reason: str
    problem: str = ""


class _Spent(Exception):
    """The property's day is spent."""


@dataclass(slots=True)
class _Tally:
    """What became of one group's pages."""

    asked: list[Inspection] = field(default_factory=list)
    known: list[Inspection] = field(default_factory=list)
    unasked: Counter[str] = field(default_factory=Counter)
    problems: dict[str, None] = field(default_factory=dict)

    def add(self, result: Inspection | _Unasked) -> None:
        if isinstance(result, Inspection):
            self.asked.append(result)
            return
        self.unasked[result.reason] += 1
        if result.problem:
            self.problems[result.problem] = None


class _AccountAsking:
    """All questions of one account. A failure closes what it concerns and nothing else."""

    def __init__(self, channel: Channel, book: InspectionBook, context: RunContext) -> None:
        self.channel, self.book, self.context = channel, book, context
        self.inspector = _inspector(channel)
        self.closed: _Unasked | None = None
        self._lock = threading.Lock()
        self._misses = 0

    def ask(self, groups: Mapping[Group, Drawn]) -> list[Sample]:
        now, zone = self.context.clock.now(), self.channel.traits.day_zone
        today = quota.engine_day(zone, now)
        remembered = self.book.inspections(self.channel.account.name, since=now - LOOK_BACK)
        tallies = {group: _Tally() for group in groups}
        open_questions = self._open_questions(groups, _known_today(remembered, zone, now), tallies)
        lanes = self._lanes(groups, len(open_questions))
        workers = max(1, min(self.context.rules.workers, len(open_questions)))
        with ThreadPoolExecutor(workers, thread_name_prefix="inspect") as pool:
            results = pool.map(lambda one: lanes[one[0].property].ask(*one), open_questions)
            for (group, _), result in zip(open_questions, results, strict=True):
                tallies[group].add(result)
        earlier = latest_earlier(remembered, zone, today)
        return [
            Sample(
                group=group,
                listed=groups[group].listed,
                asked=tuple(tally.asked),
                known=tuple(tally.known),
                unasked=dict(tally.unasked),
                problems=tuple(tally.problems),
                earlier=earlier.get(group),
            )
            for group, tally in tallies.items()
        ]

    def _open_questions(
        self,
        groups: Mapping[Group, Drawn],
        known: Mapping[tuple[str, str], Inspection],
        tallies: Mapping[Group, _Tally],
    ) -> list[tuple[Group, ListedPage]]:
        """The pages to ask about, in turns; what is known today goes into its tally."""
        questions = []
        for group, page in in_turns(groups):
            answer = known.get((group.property, page.loc))
            if answer is None:
                questions.append((group, page))
            else:
                tallies[group].known.append(answer)
                self.context.progress.advance()
        return questions

    def _lanes(self, groups: Iterable[Group], questions: int) -> dict[str, _Lane]:
        stored = self.context.ledger.allowances()
        retries = Retries(self.context.rules.retries, self.context.clock, questions)
        name = self.channel.account.name
        return {
            property: _Lane(self, property, retries, stored.get((name, lane_of(property))))
            for property in {group.property for group in groups}
        }

    def count_miss(self, missed: _Unasked | None) -> None:
        """So many pages in a row without an answer close the account."""
        with self._lock:
            self._misses = 0 if missed is None else self._misses + 1
            if self._misses >= self.context.rules.breaker:
                self.closed = self.closed or missed


def _inspector(channel: Channel) -> Inspector:
    if isinstance(channel.engine, Inspector):
        return channel.engine
    raise TypeError(f"{channel.traits.name}: its traits let pages be inspected, it does not")


class _Lane:
    """One property: its day, its minute, and whether it is closed. Used by many threads."""

    def __init__(
        self,
        asking: _AccountAsking,
        property: str,
        retries: Retries,
        stored: Allowance | None,
    ) -> None:
        self._asking, self._property, self._retries = asking, property, retries
        traits, clock = asking.channel.traits, asking.context.clock
        limits = Limits(per_minute=traits.inspects_per_minute)
        self._permits = AccountPermits(limits, clock)
        self._allowance = stored
        self._closed: _Unasked | None = None
        self._lock = threading.Lock()

    def ask(self, group: Group, page: ListedPage) -> Inspection | _Unasked:
        """One page, retried where that can help; its answer is recorded."""
        closed = self._asking.closed or self._closed
        if closed is not None:
            return closed
        try:
            found = self._retries.call(
                lambda: self._once(page.loc), until=self._asking.context.until
            )
        except OutOfTime:
            return _Unasked(DEADLINE)
        except _Spent:
            return _Unasked(QUOTA)
        except EngineError as error:
            return self._give_up(error)
        except LedgerError:
            self._asking.context.stop.set()
            raise
        self._asking.count_miss(None)
        self._record(group, page, found)
        return found

    def _once(self, url: str) -> Inspection:
        context = self._asking.context
        self._take_permit()
        self._book_one()
        timeout_s = context.call_timeout_s()
        try:
            return self._asking.inspector.inspect(self._property, url, timeout_s=timeout_s)
        except TooFast as error:
            self._permits.penalize(error.retry_after_s or MINUTE_S)
            raise

    def _take_permit(self) -> None:
        context = self._asking.context
        if context.is_over() or not self._permits.acquire(until=context.until):
            raise OutOfTime
        if context.is_over():
            raise OutOfTime

    def _book_one(self) -> None:
        """Spent before it is asked, and whatever becomes of it: nobody says what Google counts."""
        with self._lock:
            today = self._today()
            if quota.left(today, self._asking.context.clock.now()) == 0:
                raise _Spent
            self._save(quota.book(today, 1))

    def _today(self) -> Allowance:
        traits = self._asking.channel.traits
        return quota.open_allowance(
            self._asking.channel.account.name,
            lane_of(self._property),
            traits=traits,
            stored=self._allowance,
            declared=traits.inspects_per_day,
            now=self._asking.context.clock.now(),
        )

    def _save(self, allowance: Allowance) -> None:
        context = self._asking.context
        context.ledger.save_allowance(context.lease, allowance)
        self._allowance = allowance

    def _give_up(self, error: EngineError) -> _Unasked:
        """No answer came: close what the error concerns, so that nothing runs into it again."""
        match error:
            case NotAuthorized():
                unasked = _Unasked(error.cause, f"{error.problem}; {error.next_step}".strip("; "))
                if error.scope == "account":
                    self._asking.closed = unasked
                self._closed = unasked
            case QuotaExhausted():
                unasked = self._closed = _Unasked(QUOTA, error.problem)
                self._close_day(error)
            case Refused():
                unasked = _Unasked("refused", error.problem)
            case _:
                unasked = _Unasked("unavailable", error.problem)
                self._asking.count_miss(unasked)
        return unasked

    def _close_day(self, error: QuotaExhausted) -> None:
        now, zone = self._asking.context.clock.now(), self._asking.channel.traits.day_zone
        until = error.resets_at or quota.next_day_starts(zone, now)
        with self._lock:
            self._save(quota.close(self._today(), until, error.problem[:200]))

    def _record(self, group: Group, page: ListedPage, found: Inspection) -> None:
        context, account = self._asking.context, group.account
        at = context.clock.now()
        inspected = Inspected(page.site, account, group.section, at, found)
        self._asking.book.record_inspections(context.lease, [inspected])
        context.progress.advance()


def _known_today(
    remembered: Iterable[Inspected], zone: str, now: datetime
) -> dict[tuple[str, str], Inspection]:
    """By property and page."""
    today = quota.engine_day(zone, now)
    return {
        (one.inspection.property, one.inspection.url): one.inspection
        for one in remembered
        if quota.engine_day(zone, one.at) == today
    }
