"""What an engine can be told, its limits, and where each fact comes from.

Every engine file states its `Traits`; the docs' capability table, the inventory's schema and the
planner are made from them, so a fact stands in one place only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from submitter.core.fleet import FirstRun, Limits


class Kind(StrEnum):
    """What one call tells an engine."""

    SITEMAP = "sitemap"
    URLS = "urls"
    REMOVAL = "removal"
    WITHDRAWAL = "withdrawal"
    """Takes a sitemap out of what the engine was told; its pages are not touched."""


OF_SITEMAPS = frozenset({Kind.SITEMAP, Kind.WITHDRAWAL})
"""Kinds whose target is a sitemap and that hold no pages."""


class UnknownRule(StrEnum):
    """What happens to a call whose answer was lost."""

    REPEAT_LATER = "repeat-later"
    """Repeating is harmless: the next run sends it again, not before `Traits.repeat_after_s`."""
    NEXT_DAY = "next-day"
    """Repeating costs quota: not before the engine's next day."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing we believe about an engine. `confidence`: documented, code, reported or unsure."""

    text: str
    source: str
    read_on: str
    confidence: str = "documented"


@dataclass(frozen=True, slots=True)
class Option:
    """One key that an account or a site may have for this engine in the inventory.

    `type` is one of `str`, `int`, `float`, `bool`, `strs`; `secret` = a secret reference.
    """

    name: str
    type: str
    doc: str
    default: str | int | float | bool | None = None
    required: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FastLane:
    """A further, smaller lane of a property, into which its best pages go first; off until the
    inventory gives `option` a number: pages a day. Its property ends with `suffix`."""

    option: str
    suffix: str

    def of(self, property: str) -> str:
        return property + self.suffix

    def holds(self, property: str) -> bool:
        return property.endswith(self.suffix)


@dataclass(frozen=True, slots=True)
class Traits:
    """The shape of an engine. A `None` limit means that none is known."""

    name: str
    title: str
    tells: frozenset[Kind]
    secret_key: str | None
    """The inventory key that holds the account's secret reference (`credentials`, `token`, …)."""
    day_zone: str
    """IANA zone whose midnight starts the engine's day."""
    limits: Limits = Limits()
    batch_size: int = 1
    """Pages in one call at most."""
    batch_bytes: int | None = None
    daily_cap: int | None = None
    """Pages a lane may spend in a day at the very most, if the engine says so."""
    metered: bool = False
    """True: the engine gives a lane so many pages a day, and says or shows what is left."""
    first_batch: int = 0
    """Metered lanes: size of the first call of a day while the allowance is unknown."""
    fast_lane: FastLane | None = None
    reach_option: str | None = None
    """An account's option, the address of a file: pages of the same host below its directory are
    all that the account may tell (see `core.reach`)."""
    quota_readable: bool = False
    """True: the engine is a `ports.QuotaReader`, which a metered lane asks before its first call
    of a day."""
    pages_per_run: int = 100_000
    """Pages planned for one lane in one run at most; the rest waits for the next run."""
    tells_changed: bool = True
    """False: a page is told once in its life unless the inventory says otherwise."""
    unknown_rule: UnknownRule = UnknownRule.REPEAT_LATER
    repeatable: frozenset[Kind] = frozenset()
    """Kinds that cost nothing to send twice: lost ones are repeated later, whatever
    `unknown_rule` says about the others."""
    repeat_after_s: int = 0
    """Least time between two sends of the same item."""
    bisect: bool = False
    """True: a batch that is refused whole costs nothing, so that the page at fault may be looked
    for by halves (see `core.halving`)."""
    checks: bool = False
    """True: the engine can be asked what became of a sitemap."""
    inspects_per_day: int | None = None
    """Pages of one property that the engine can be asked about on one of its days. Set: the
    engine is a `ports.Inspector`; None: it cannot be asked about pages."""
    inspects_per_minute: int | None = None
    shared_property: bool = False
    """True: one property may hold many sites (a Google Domain property)."""
    first_run: FirstRun = FirstRun.ALL
    crawler: str = "*"
    """The token that robots.txt knows this engine's crawler by."""
    readers: tuple[str, ...] = ()
    """Crawlers, as access logs name them, that read what the engine is told; none: `crawler`."""
    options: tuple[Option, ...] = ()
    site_options: tuple[Option, ...] = ()
    facts: tuple[Fact, ...] = ()
