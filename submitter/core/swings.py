"""What is unusual in the looks at one site: it lists much less than it did, or its dates moved in
bulk. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from submitter.core.evidence import LookRow

WEEK: Final = timedelta(days=7)
SLACK: Final = timedelta(hours=12)
"""A job of once a week never begins at the same second, so a week ago may be half a day more."""
LEAST_PAGES: Final = 10
"""A smaller site shrinks and is re-dated by a single edit."""
LEAST_LOOKS: Final = 3
"""So many further looks at which dates could move say what is usual."""
CALM: Final = 0.5
"""Dates move suddenly where at a usual look no more than this share of the alarming one moves."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A site lists `listed` pages after `before`. The times are those of the looks that saw the
    one and the other; None: they are older than what is remembered here."""

    listed: int
    before: int
    before_at: datetime | None = None
    since: datetime | None = None


def fall_of(looks: Sequence[LookRow], share: float) -> Fall | None:
    """Of the site whose finished looks these are, oldest first, if it lists fewer pages by `share`
    than in the week before, or than at the last look that the guard let pass. It lasts until the
    site misses less than half of that share, or a forced run takes what there is."""
    last, week = looks[-1], deque[LookRow]()
    fall: Fall | None = None
    for row in looks:
        if row.accepted:
            week.clear()
            fall = None
        most = _most_of_week(week, row)
        if fall is None and _is_less(row.listed, most.listed, share):
            fall = Fall(last.listed, most.listed, most.at, row.at)
        elif fall is not None and row.listed > (1 - share / 2) * fall.before:
            fall = None
    if fall is None and _is_less(last.listed, last.baseline, share):
        return Fall(last.listed, last.baseline)
    return fall


def _is_less(listed: int, before: int, share: float) -> bool:
    return before >= LEAST_PAGES and listed <= (1 - share) * before


def _most_of_week(week: deque[LookRow], row: LookRow) -> LookRow:
    """The look of `week` with the most pages once `row` is in it. The look before `row` counts
    however long ago it was. `week` falls from left to right, so that each look is met twice."""
    while len(week) > 1 and row.at - week[0].at > WEEK + SLACK:
        week.popleft()
    while week and week[-1].listed < row.listed:
        week.pop()
    week.append(row)
    return week[0]


@dataclass(frozen=True, slots=True)
class Redating:
    """A look at which far more dates moved than the share `usual` that does at others."""

    look: LookRow
    usual: float


def redating_of(looks: Sequence[LookRow], share: float, now: datetime) -> Redating | None:
    """The last look of this week at which so many dates moved, where that is known to be unusual.
    At a site's first look no date can move."""
    could = [row for row in looks if row.listed - row.new >= LEAST_PAGES]
    recent = [row for row in could if now - row.at <= WEEK and _moved(row) >= share]
    if not recent or len(could) <= LEAST_LOOKS:
        return None
    bulk = recent[-1]
    others = [_moved(row) for row in could if row is not bulk]
    usual = sum(others) / len(others)
    return None if usual > CALM * _moved(bulk) else Redating(bulk, usual)


def _moved(row: LookRow) -> float:
    return row.changed / row.listed
