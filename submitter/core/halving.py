"""One page that an engine does not want makes it refuse a whole batch: the search for it.

Only for engines whose refusal costs nothing (`Traits.bisect`). What the search does not come to
is left for the next run, which begins with a smaller batch.
"""

from __future__ import annotations

from submitter.core.calls import Call
from submitter.core.plan import part_of


class BatchSearch:
    """The calls that may still be made to find what a batch was refused for: two for each time it
    can be halved, which is enough for one page. Not thread-safe; one lane works on a batch."""

    def __init__(self, pages: int) -> None:
        self._calls_left = 2 * max(0, pages - 1).bit_length()

    def next_halves(self, refused: Call) -> tuple[Call, ...]:
        """The two calls to make next; none when it is down to one page or all calls are made."""
        if len(refused.urls) < 2 or self._calls_left < 2:
            return ()
        self._calls_left -= 2
        return halves(refused)


def halves(call: Call) -> tuple[Call, Call]:
    """A batch of two pages or more as two, each a call of its own, in the order of its pages."""
    middle = len(call.urls) // 2
    return _part(call, 0, middle), _part(call, middle, len(call.urls))


def _part(call: Call, begin: int, end: int) -> Call:
    return Call(part_of(call.action, call.urls, begin, end), call.urls[begin:end])
