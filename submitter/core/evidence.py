"""What the ledger remembers, counted: the input of reports, alarms and metrics. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, NamedTuple


class CallCount(NamedTuple):
    """Calls for one target that ended alike. `pages` were in them (1 for a sitemap)."""

    site: str
    account: str
    engine: str
    kind: str
    state: str
    calls: int
    pages: int
    accepted: int
    rejected: int


class SiteCallCount(NamedTuple):
    """All calls that ever ended so for one site at one engine."""

    site: str
    engine: str
    kind: str
    state: str
    calls: int
    last_at: datetime
    """When the last of them was sent."""


CALL_STEPS_S: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper ends of the steps in which times of calls are counted."""

LONGEST_CALL_S: Final = 600
"""No call waits so long for its answer: an unknown end that was stored later was seen by nobody."""


class CallTimes(NamedTuple):
    """How long all calls of one kind to one engine took, from the stored intent to the answer;
    those whose end nobody saw are left out."""

    engine: str
    kind: str
    calls: int
    seconds: float
    """All of them together."""
    within: tuple[int, ...]
    """Calls that took no longer than each of `CALL_STEPS_S`."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """A run without its report."""

    id: str
    started_at: datetime
    finished_at: datetime | None
    outcome: str | None
    exit_code: int | None


class LookRow(NamedTuple):
    """A look at a site; of a day's quiet looks only the last. `baseline`: pages that the site had
    when a look at it last passed the guard, by now; `accepted`: a forced run took what it saw."""

    site: str
    at: datetime
    finished: bool
    complete: bool
    listed: int
    new: int
    changed: int
    gone: int
    baseline: int = 0
    accepted: bool = False


class Trouble(NamedTuple):
    """A document that could not be read at the last look; `read_at` None: it never was."""

    site: str
    document: str
    reason: str
    read_at: datetime | None
    pages: int


class LyingDates(NamedTuple):
    """A document whose dates say nothing, by the findings `ids` of its last reading."""

    site: str
    document: str
    ids: tuple[str, ...]
    pages: int
    changed_at: datetime


class Unread(NamedTuple):
    """A sitemap that an engine has; `since` when it last read it, or was first told it."""

    site: str
    account: str
    engine: str
    sitemap: str
    since: datetime
    ever_read: bool
    checked_at: datetime


class SectionCrawl(NamedTuple):
    """Hits of a crawler in a section, lately and before, without contradicted ones; over so many
    days with lines of the site in them."""

    site: str
    section: str
    crawler: str
    lately: int
    before: int
    days_lately: int
    days_before: int
    first_day: date | None = None
    """The first of these days with hits."""


class LogSpan(NamedTuple):
    """The last day of which lines of a site's access logs were read, of persons or of crawlers."""

    site: str
    last_day: date
