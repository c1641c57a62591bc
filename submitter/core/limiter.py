"""The rate limiter's rule: never more calls in any window than the limits allow, and no fewer.

Engines count calls as they arrive, and a permit is not an arrival: in between lie a login, a new
connection, a busy network. All that is known of an arrival is that it comes after the permit and
before the answer. So a call counts from its permit until a window's length after it was *back*;
then no window of the engine's can hold too many, however unevenly calls are held up, and no rate
is given away to a guess about jitter. Times are monotonic seconds.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from submitter.core.fleet import Limits

SLACK = 1.01
"""Windows are kept this much longer than the engine's: its clock and ours are two."""

LONGEST_WAY_S = 2.0
"""A call is taken to have arrived after so long, even if nobody says that it is back (its thread
ended, or its answer takes long)."""


@dataclass(frozen=True, slots=True)
class Window:
    """At most `permits` calls in any stretch of `seconds`."""

    permits: int
    seconds: float


def windows_of(limits: Limits) -> tuple[Window, ...]:
    """The windows that keep an account within its limits; none when it has no limits."""
    return (*_window(limits.per_second, 1.0), *_window(limits.per_minute, 60.0))


def _window(limit: float | None, seconds: float) -> tuple[Window, ...]:
    """A limit below one call becomes one call in a longer window."""
    if limit is None:
        return ()
    return (Window(max(1, int(limit)), SLACK * seconds * max(1.0, 1.0 / limit)),)


@dataclass(frozen=True, slots=True)
class PermitState:
    """A permit log as it is stored, in seconds of any one clock (see `PermitLog`)."""

    out: Mapping[str, float] = field(default_factory=dict)
    back: Sequence[float] = ()
    closed_until: float = 0.0

    @property
    def newest(self) -> float:
        """No later entry may be older: where clocks differ, the one that is ahead is the time."""
        return max(*self.out.values(), *self.back[-1:], 0.0, 0.0)

    def earlier(self, by_s: float) -> PermitState:
        """The same calls, all so much longer ago."""
        out = {holder: at - by_s for holder, at in self.out.items()}
        return PermitState(out, [at - by_s for at in self.back], self.closed_until - by_s)


class PermitLog:
    """The recent calls of one account. Not thread-safe, knows no clock.

    A holder has one call at a time; asking for another says that the last one is back.
    """

    def __init__(self, windows: Iterable[Window], recent: Iterable[float] = ()) -> None:
        self._windows = tuple(windows)
        self._memory_s = max((window.seconds for window in self._windows), default=0.0)
        self._out: dict[Hashable, float] = {}
        """Holder → when its permit was given, for calls on their way."""
        self._back = sorted(recent)
        """When the others were back, oldest first."""
        self._closed_until = float("-inf")

    @classmethod
    def of(cls, windows: Iterable[Window], state: PermitState) -> PermitLog:
        """A log that goes on where another ended."""
        log = cls(windows, state.back)
        log._out.update(state.out)
        log._closed_until = state.closed_until
        return log

    @property
    def state(self) -> PermitState:
        """To be stored. Holders are kept by their texts."""
        out = {str(holder): at for holder, at in self._out.items()}
        return PermitState(out, tuple(self._back), self._closed_until)

    def earliest(self, now: float) -> float:
        """When the next permit can be given at best: `now`, or later. A call on its way may
        still push that back, so ask again then."""
        self._tidy(now)
        at = max(now, self._closed_until)
        for window in self._windows:
            at = max(at, self._room(window, now))
        return at

    def give(self, holder: Hashable, now: float) -> None:
        """Remember a permit, which `earliest` allowed."""
        self.take_back(holder, now)
        self._out[holder] = now

    def take_back(self, holder: Hashable, now: float) -> None:
        """The holder's call, if any, is over: it arrived by now or never will."""
        if self._out.pop(holder, None) is not None:
            insort(self._back, now)

    def close(self, until: float) -> None:
        """Give no permit before `until`."""
        self._closed_until = max(self._closed_until, until)

    def _room(self, window: Window, now: float) -> float:
        """When fewer than the window's permits count, if all calls on their way were back now."""
        full_with = window.permits - len(self._out)
        if full_with <= 0:
            return now + window.seconds
        if len(self._back) < full_with:
            return now
        return self._back[-full_with] + window.seconds

    def _tidy(self, now: float) -> None:
        """Give up waiting for calls that must have arrived, and forget what no window reaches."""
        overdue = [holder for holder, at in self._out.items() if at + LONGEST_WAY_S <= now]
        for holder in overdue:
            insort(self._back, self._out.pop(holder) + LONGEST_WAY_S)
        del self._back[: bisect_left(self._back, now - self._memory_s)]
