"""What a person hands in at an engine's console, because the engine has no interface for it.

The list is remembered: what is new, what was handed in and when, what changed since, and what
should be taken out of the console again. Nothing here is ever assumed done: a person ticks it off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from submitter.core.fleet import Site
from submitter.core.quota import engine_day
from submitter.errors import ConfigError


class Form(StrEnum):
    """Which form of the console an address belongs into."""

    SITEMAP = "sitemap"
    DEAD_LINKS = "dead-links"


@dataclass(frozen=True, slots=True)
class FormLimits:
    """How many addresses a console takes: on one day of its own, and in all."""

    per_day: int
    in_all: int
    day_zone: str


BAIDU_FORM: Final = FormLimits(per_day=10, in_all=200, day_zone="Asia/Shanghai")
"""Common sites; the true figures stand in the site's console, and a new site may have none for
weeks. Dead-link files count as well. Source: Baidu's sitemap help, known through reproductions,
and https://github.com/coneycode/hexo-generator-baidu-sitemap/issues/34, read 2026-11-30."""


def baidu_form(site: Site) -> FormLimits:
    """What Baidu's console takes of a site: what the inventory says it shows."""
    return FormLimits(
        per_day=site.baidu_files_per_day or BAIDU_FORM.per_day,
        in_all=site.baidu_files or BAIDU_FORM.in_all,
        day_zone=BAIDU_FORM.day_zone,
    )


@dataclass(frozen=True, slots=True)
class Item:
    """One address at one engine. `engine`, `site` and `address` name it."""

    engine: str
    site: str
    address: str
    first_listed_at: datetime
    changed_at: datetime
    """When the file behind the address last changed."""
    form: Form = Form.SITEMAP
    handed_in_at: datetime | None = None
    retired_at: datetime | None = None
    """Since when no page stands behind it."""
    withdrawn_at: datetime | None = None
    """When a person took it out of the console; until then the engine may ask for it."""

    @property
    def registered(self) -> bool:
        """The engine may ask for it, so it must go on answering."""
        return self.handed_in_at is not None and self.withdrawn_at is None

    @property
    def changed_since(self) -> bool:
        """The file changed after it was handed in: the console offers to read it again."""
        handed_in_at = self.handed_in_at if self.registered else None
        return handed_in_at is not None and handed_in_at < self.changed_at


@dataclass(frozen=True, slots=True)
class Listed:
    """An address as it stands now; `changed` = its file changed just now."""

    address: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Agenda:
    """What there is to do in the console. Every sequence is in the order of the work."""

    hand_in: tuple[Item, ...]
    """Today: as many as the day and the console still take."""
    waiting: int
    """Take their turn on a later day."""
    over_limit: int
    """Would exceed what the console takes in all."""
    handed_in_today: int
    handed_in: tuple[Item, ...]
    """In the console now, with pages behind them."""
    withdraw: tuple[Item, ...]
    """In the console, but without a page: to be taken out by hand, then ticked off."""


def relist(
    items: Iterable[Item],
    listed: Iterable[Listed],
    *,
    engine: str,
    site: str,
    form: Form,
    now: datetime,
) -> tuple[Item, ...]:
    """The items of one form as the book must hold them now: only those that differ.

    An address that is no longer listed is retired; one that comes back is live again, and is
    handed in anew if it was withdrawn.
    """
    known = {item.address: item for item in items if item.form is form}
    after: dict[str, Item] = {}
    for one in listed:
        item = known.get(one.address)
        if item is None:
            after[one.address] = Item(engine, site, one.address, now, now, form)
        else:
            after[one.address] = _live(item, one.changed, now)
    for address, item in known.items():
        if address not in after and item.retired_at is None:
            after[address] = replace(item, retired_at=now)
    return tuple(item for address, item in after.items() if known.get(address) != item)


def agenda(items: Sequence[Item], limits: FormLimits, *, now: datetime) -> Agenda:
    """What to do today, for all forms of one site at one engine together."""
    today = engine_day(limits.day_zone, now)
    registered = _in_order(items, lambda item: item.registered)
    to_do = _in_order(items, lambda item: item.handed_in_at is None and item.retired_at is None)
    spent = sum(
        item.handed_in_at is not None and engine_day(limits.day_zone, item.handed_in_at) >= today
        for item in items
    )
    room = max(0, limits.in_all - len(registered))
    now_possible = max(0, min(room, limits.per_day - spent))
    hand_in = to_do[:now_possible]
    return Agenda(
        hand_in=hand_in,
        waiting=min(room, len(to_do)) - len(hand_in),
        over_limit=max(0, len(to_do) - room),
        handed_in_today=spent,
        handed_in=tuple(item for item in registered if item.retired_at is None),
        withdraw=tuple(item for item in registered if item.retired_at is not None),
    )


def tick(items: Sequence[Item], addresses: Iterable[str], *, now: datetime) -> tuple[Item, ...]:
    """A person handed these in, or withdrew those that are retired. Gives the items changed.

    Ticking twice changes nothing. ConfigError names every address that is not on the list.
    """
    known = {item.address: item for item in items}
    wanted = list(dict.fromkeys(addresses))
    strange = [address for address in wanted if address not in known]
    if strange:
        raise ConfigError.one("manual list", f"not on it: {', '.join(strange)[:200]!r}")
    ticked = [_ticked(known[address], now) for address in wanted]
    return tuple(item for item in ticked if item != known[item.address])


def untick(items: Sequence[Item], addresses: Iterable[str]) -> tuple[Item, ...]:
    """Ticked by mistake: as if never handed in. Gives the items changed."""
    wanted = set(addresses)
    return tuple(
        replace(item, handed_in_at=None, withdrawn_at=None)
        for item in items
        if item.address in wanted and item.handed_in_at is not None
    )


def withdraw(items: Sequence[Item], addresses: Iterable[str], *, now: datetime) -> tuple[Item, ...]:
    """A person took these out of the console, with pages behind them or not. Gives the items
    changed; one that is still listed is handed in anew."""
    wanted = set(addresses)
    return tuple(
        replace(item, withdrawn_at=now)
        for item in items
        if item.address in wanted and item.registered
    )


def _live(item: Item, changed: bool, now: datetime) -> Item:
    if item.withdrawn_at is not None:
        item = replace(item, handed_in_at=None, withdrawn_at=None, first_listed_at=now)
    if changed or item.retired_at is not None:
        item = replace(item, changed_at=now, retired_at=None)
    return item


def _ticked(item: Item, now: datetime) -> Item:
    if item.retired_at is None:
        return item if item.registered else replace(item, handed_in_at=now)
    return replace(item, withdrawn_at=now) if item.registered else item


def _in_order(items: Iterable[Item], chosen: Callable[[Item], bool]) -> tuple[Item, ...]:
    return tuple(sorted(filter(chosen, items), key=_turn))


def _turn(item: Item) -> tuple[datetime, list[tuple[int, str]]]:
    """Oldest first; `baidu-2` before `baidu-10`."""
    parts = re.split(r"([0-9]+)", item.address)
    return item.first_listed_at, [
        (int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts)
    ]
