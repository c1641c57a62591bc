"""A fleet's work cut into jobs for many workers: one job looks at a site, one sends in a lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Final
from zlib import crc32

from submitter.core.fleet import Target
from submitter.core.selection import Selection
from submitter.core.traits import Traits

PARTS: Final = 16
"""Into so many jobs the sites of an account without daily quotas are divided: enough for as many
workers, and few enough that a queue of a large fleet stays short."""


@dataclass(frozen=True, slots=True, order=True)
class Lane:
    """What one job sends, one call after the other where order counts. `name`: the property whose
    quota it spends, or a part of the account's sites where there is none."""

    account: str
    name: str


def lane_of(target: Target, traits: Traits, property: str) -> Lane:
    """The lane of a target. A site never changes its part, so that its calls stay in order."""
    if traits.metered:
        return Lane(target.account.name, property)
    return Lane(target.account.name, f"part {crc32(target.site.origin.encode()) % PARTS}")


def by_lane(
    targets: Iterable[Target],
    traits: Mapping[str, Traits],
    properties: Mapping[tuple[str, str], str],
) -> dict[Lane, list[Target]]:
    """`properties` of metered targets by their keys; lanes in order, targets as they came."""
    lanes: dict[Lane, list[Target]] = {}
    for target in targets:
        engine = traits[target.account.engine]
        lane = lane_of(target, engine, properties.get(target.key, ""))
        lanes.setdefault(lane, []).append(target)
    return dict(sorted(lanes.items()))


@dataclass(frozen=True, slots=True)
class Errand:
    """What a person or a schedule asked for once, carried by each of its jobs."""

    run: str
    selection: Selection = Selection()
    forced: str | None = None
    verify: bool = True

    @property
    def words(self) -> dict[str, object]:
        """As JSON carries it; `of` reads it."""
        return {"run": self.run, "forced": self.forced, "verify": self.verify} | asdict(
            self.selection
        )

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Errand:
        selection = Selection(*(tuple(words[name]) for name in Selection.__slots__))
        return cls(words["run"], selection, words["forced"], words["verify"])

    @property
    def scope(self) -> str:
        """Equal for errands about the same targets: one waiting job serves them all."""
        text = repr((self.selection, self.forced))
        return (
            "" if self.selection.is_everything and not self.forced else f" {crc32(text.encode())}"
        )


def in_turn(lanes: Iterable[Lane]) -> list[Lane]:
    """One lane of each account, then the next of each: so accounts fill their limits side by
    side, however few workers there are."""
    waiting: dict[str, list[Lane]] = {}
    for lane in lanes:
        waiting.setdefault(lane.account, []).append(lane)
    rounds = zip_longest(*waiting.values())
    return [lane for one_each in rounds for lane in one_each if lane is not None]
