"""Asks about the pages of one account, side by side, within each property's day and minute.

The day stands in the book as an allowance of a lane of its own; the minute is kept by permits.
A failure closes what it concerns and nothing else.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime

from submitter.core import quota
from submitter.core.fleet import Limits
from submitter.core.inspection import (
    Drawn,
    Earlier,
    Group,
    Inspected,
    Inspection,
    ListedPage,
    Recalled,
    Sample,
    in_turns,
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
from submitter.kit.permits import AccountPermits
from submitter.kit.retries import OutOfTime, Retries
from submitter.ports import InspectionBook, Inspector, Ledger
from submitter.sending.channels import Channel, RunContext

MINUTE_S = 60.0
QUOTA, DEADLINE = "quota", "deadline"
"""Why a page was not asked about: the day is spent, or the run's time."""


def lane_of(property: str) -> str:
    """The name under which a property's inspections stand in the book of allowances."""
    return f"inspect:{property}"


def book_of(ledger: Ledger) -> InspectionBook:
    """Raises LedgerError when this ledger remembers no inspections."""
    if not isinstance(ledger, InspectionBook):
        raise LedgerError("ledger: it cannot remember inspections")
    return ledger


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

    def sample(self, group: Group, listed: int, earlier: Earlier | None) -> Sample:
        return Sample(
            group=group,
            listed=listed,
            asked=tuple(self.asked),
            known=tuple(self.known),
            unasked=dict(self.unasked),
            problems=tuple(self.problems),
            earlier=earlier,
        )


class AccountAsking:
    """All questions of one account."""

    def __init__(self, channel: Channel, context: RunContext) -> None:
        self.channel, self.context = channel, context
        self.inspector, self.book = _inspector(channel), book_of(context.ledger)
        self.closed: _Unasked | None = None
        self._lock = threading.Lock()
        self._misses = 0

    def ask(self, groups: Mapping[Group, Drawn], recalled: Recalled) -> list[Sample]:
        tallies = {group: _Tally() for group in groups}
        lanes = self._lanes(groups, recalled.recent)
        questions = self._questions(groups, recalled.today, tallies, lanes)
        workers = max(1, min(self.context.rules.workers, len(questions)))
        with ThreadPoolExecutor(workers, thread_name_prefix="inspect") as pool:
            results = pool.map(lambda one: lanes[one[0].property].ask(*one), questions)
            for (group, _), result in zip(questions, results, strict=True):
                tallies[group].add(result)
        return [
            tally.sample(group, groups[group].listed, recalled.earlier.get(group))
            for group, tally in tallies.items()
        ]

    def _lanes(
        self, groups: Mapping[Group, Drawn], recent: Mapping[str, Sequence[datetime]]
    ) -> dict[str, _Lane]:
        stored = self.context.ledger.allowances()
        pages = sum(len(one.pages) for one in groups.values())
        retries = Retries(self.context.rules.retries, self.context.clock, pages)
        name = self.channel.account.name
        return {
            property: _Lane(
                self,
                property,
                retries,
                stored=stored.get((name, lane_of(property))),
                recent=recent.get(property, ()),
            )
            for property in {group.property for group in groups}
        }

    def _questions(
        self,
        groups: Mapping[Group, Drawn],
        known: Mapping[tuple[str, str], Inspection],
        tallies: Mapping[Group, _Tally],
        lanes: Mapping[str, _Lane],
    ) -> list[tuple[Group, ListedPage]]:
        """The pages to ask about, in turns, as far as the day's quota goes."""
        questions = []
        for group, page in in_turns(groups):
            answer = known.get((group.property, page.loc))
            if answer is not None:
                tallies[group].known.append(answer)
            elif lanes[group.property].reserve():
                questions.append((group, page))
            else:
                tallies[group].add(_Unasked(QUOTA))
        return questions

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
        asking: AccountAsking,
        property: str,
        retries: Retries,
        *,
        stored: Allowance | None,
        recent: Sequence[datetime],
    ) -> None:
        self._asking, self._property, self._retries = asking, property, retries
        traits, clock = asking.channel.traits, asking.context.clock
        limits = Limits(per_minute=traits.inspects_per_minute)
        self._permits = AccountPermits(limits, clock, recent=recent)
        self._allowance = stored
        self._closed: _Unasked | None = None
        self._lock = threading.Lock()
        self._room = quota.left(self._today(), clock.now()) or 0

    def reserve(self) -> bool:
        """A place in what is left of the day; a retried call may still take another's."""
        self._room -= 1
        return self._room >= 0

    def ask(self, group: Group, page: ListedPage) -> Inspection | _Unasked:
        """One page, retried where that can help; its answer is recorded."""
        closed = self._asking.closed or self._closed
        if closed is not None:
            return closed
        try:
            found = self._retries.call(
                lambda: self._once(page.loc), until=self._asking.context.until
            )
            self._record(group, page, found)
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
