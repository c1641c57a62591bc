"""What an address of the dashboard asks for: filters of the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from submitter.core.report import CallFilter
from submitter.core.states import PARTIAL, State
from submitter.render.reference_dashboard import FILTERS

LARGEST = 2**62
STATES = frozenset({*map(str, State), PARTIAL})

PAGE_STATES = frozenset({*map(str, State), "waiting", "told"})


class BadQuestion(Exception):
    """The address makes no sense; the text says why."""


def filters_of(query: Mapping[str, str]) -> dict[str, str]:
    """Those that the log knows, in a fixed order."""
    return {name: query[name] for name in FILTERS if name in query}


def call_filter(query: Mapping[str, str]) -> CallFilter:
    """Raises BadQuestion."""
    since, until = _moment(query.get("since")), _moment(query.get("until"))
    if "day" in query:
        since, until = _day(query["day"])
    states = tuple(one for one in query.get("state", "").split(",") if one)
    if unknown := set(states) - STATES:
        raise BadQuestion(f"there is no state {sorted(unknown)[0][:40]!r}")
    return CallFilter(
        since=since,
        until=until,
        site=query.get("site") or None,
        account=query.get("account") or None,
        engine=query.get("engine") or None,
        property=query.get("property") or None,
        states=states,
        kind=query.get("kind") or None,
        run=query.get("run") or None,
        id=whole_number(query, "id", most=LARGEST),
        cause=query.get("cause"),
        code=query.get("code"),
    )


@dataclass(frozen=True, slots=True)
class PagesWish:
    """Pages of one target: those that are `waiting`, or `told`, or ended in this state."""

    site: str
    account: str
    state: str
    after: int

    @property
    def filters(self) -> dict[str, str]:
        return {"site": self.site, "account": self.account, "state": self.state}


def pages_wish(query: Mapping[str, str]) -> PagesWish:
    """Raises BadQuestion."""
    state = query.get("state", "")
    if state not in PAGE_STATES:
        raise BadQuestion(f"there are no pages of state {state[:40]!r}")
    after = whole_number(query, "after", most=LARGEST) or 0
    return PagesWish(query.get("site", ""), query.get("account", ""), state, after)


def whole_number(query: Mapping[str, str], name: str, *, most: int) -> int | None:
    """Raises BadQuestion."""
    text = query.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 19 and 0 < int(text) <= most):
        raise BadQuestion(f"{name} is no number from 1 to {most:,}")
    return int(text)


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadQuestion(f"{text[:40]!r} is no time") from error


def _day(text: str) -> tuple[datetime, datetime]:
    try:
        start = datetime.combine(date.fromisoformat(text), time.min, tzinfo=UTC)
        return start, start + timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise BadQuestion(f"{text[:40]!r} is no day") from error
