"""The part of `build` that says what is to be built: its options, and the order they make."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

import click

from submitter.cli.listing import PARAMETER_OPTIONS
from submitter.cli.options import Command, WholeNumber
from submitter.errors import ConfigError, Fault

if TYPE_CHECKING:
    from submitter.core.building.orders import BuildOrder
    from submitter.core.fleet import Fleet

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class OrderWords:
    """What the command line says."""

    base_url: str
    profile: str
    families: tuple[str, ...]
    archives: tuple[str, ...]
    delta_hours: int
    index_name: str
    gz: bool
    max_pages: int | None
    max_bytes: int | None
    zone: str | None
    kept: tuple[str, ...]
    dropped: tuple[str, ...]


def order_options(command: Command) -> Command:
    """`words`."""

    @functools.wraps(command)
    def with_words(*args: Any, **kwargs: Any) -> int:
        words = OrderWords(**{one.name: kwargs.pop(one.name) for one in fields(OrderWords)})
        return command(*args, words=words, **kwargs)

    decorated: Command = with_words
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS = (
    click.option(
        "--base", "base_url", metavar="URL", required=True, help="Where the folder is seen."
    ),
    click.option(
        "--profile",
        type=click.Choice(["google", "baidu"]),
        default="google",
        show_default=True,
        help="Whose limits hold. Baidu: 256 bytes an address, 10 MiB a file, no index.",
    ),
    click.option(
        "--family",
        "families",
        metavar="NAME=/PATH*|NAME=FIELD:GLOB",
        multiple=True,
        help="Pages of this family; first match wins. Default: by type, else `pages`.",
    ),
    click.option(
        "--archive",
        "archives",
        metavar="[NAME=]month|year|id:N",
        multiple=True,
        help="Files by month or year of `published`, or by ranges of `id`.",
    ),
    click.option(
        "--delta-hours",
        metavar="N",
        type=WholeNumber(0, 24 * 366),
        default=48,
        show_default=True,
        help="How far back the delta goes; 0: none.",
    ),
    click.option(
        "--index",
        "index_name",
        metavar="NAME",
        default="sitemap-index.xml",
        show_default=True,
        help="The file of the index.",
    ),
    click.option("--gz", is_flag=True, help="Pack the files; limits count before packing."),
    click.option(
        "--max-pages", metavar="N", type=WholeNumber(1), help="Fewer pages a file than allowed."
    ),
    click.option(
        "--max-bytes", metavar="N", type=WholeNumber(1_000), help="Smaller files than allowed."
    ),
    click.option("--zone", metavar="NAME", help="The zone of times without one, such as UTC."),
    *PARAMETER_OPTIONS,
)


def read_order(words: OrderWords, fleet: Fleet) -> BuildOrder:
    """Raises ConfigError with all that is wrong with families and archives."""
    from submitter.core.building.families import read_archive, read_rule
    from submitter.core.building.orders import PROFILES, BuildOrder

    limits, faults = PROFILES[words.profile], list[Fault]()
    families = _each(read_rule, words.families, faults)
    archives = dict(_each(read_archive, words.archives, faults))
    if faults:
        raise ConfigError(faults)
    order = BuildOrder(
        words.base_url,
        profile=replace(
            limits,
            max_pages=min(words.max_pages or limits.max_pages, limits.max_pages),
            max_bytes=min(words.max_bytes or limits.max_bytes, limits.max_bytes),
        ),
        families=tuple(families),
        archives=archives,
        delta_hours=words.delta_hours,
        index_name=words.index_name,
        gz=words.gz,
        zone=_zone(words.zone),
        kept_parameters=words.kept,
        dropped_parameters=words.dropped,
    )
    known = [site.guard for site in fleet.sites if site.origin == order.site]
    return replace(order, guard=known[0]) if known else order


def _each(read: Callable[[str], Read], texts: Sequence[str], faults: list[Fault]) -> list[Read]:
    found: list[Read] = []
    for text in texts:
        try:
            found.append(read(text))
        except ConfigError as error:
            faults += error.faults
    return found


def _zone(name: str | None) -> tzinfo | None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError.one("--zone", f"no zone is called {name[:200]!r}") from error
