"""Which targets the person means; a selection that matches nothing is an error with a hint."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from submitter.core.fleet import Fleet, Site, Target
from submitter.core.selection import Selection
from submitter.errors import SubmitterError

SHOWN = 5
"""Names that are listed where none is near."""


class NoMatch(SubmitterError):
    """Nothing is selected (exit 7)."""


def select(fleet: Fleet, selection: Selection) -> tuple[Target, ...]:
    """The selected targets, in inventory order. Raises NoMatch when there are none."""
    targets = selection.select(fleet.targets())
    if not targets:
        raise NoMatch(explain_no_match(fleet, selection))
    return targets


def explain_no_match(fleet: Fleet, selection: Selection) -> str:
    """Names what matches nothing, with the nearest names there are."""
    if selection.is_everything:
        return "the inventory has no site with an account"
    targets = fleet.targets()
    lines = [
        f"no target matches {option} {value!r}{_nearest(value, names)}"
        for option, value, names in _wanted(selection, targets)
        if not _alone(option, value).select(targets)
    ]
    return "\n".join(lines) or "each part of the selection matches, but no target matches them all"


def _wanted(
    selection: Selection, targets: Iterable[Target]
) -> Iterable[tuple[str, str, list[str]]]:
    known = {
        "--engine": (selection.engines, {target.account.engine for target in targets}),
        "--account": (selection.accounts, {target.account.name for target in targets}),
        "--tag": (selection.tags, {tag for target in targets for tag in target.site.tags}),
    }
    for value in selection.sites:
        yield "--site", value, sorted({_as_written(value, target.site) for target in targets})
    for option, (values, names) in known.items():
        for value in values:
            yield option, value, sorted(names)


def _as_written(value: str, site: Site) -> str:
    """A site by host or by address, as the person names sites."""
    return site.origin if "://" in value else site.host


def _alone(option: str, value: str) -> Selection:
    match option:
        case "--site":
            return Selection(sites=(value,))
        case "--engine":
            return Selection(engines=(value,))
        case "--account":
            return Selection(accounts=(value,))
        case _:
            return Selection(tags=(value,))


def _nearest(value: str, names: list[str]) -> str:
    near = get_close_matches(value.lower(), names, n=3, cutoff=0.5)
    if near:
        return f"; nearest: {', '.join(near)}"
    return f"; there are: {_some(names)}" if names else "; there are none"


def _some(names: list[str]) -> str:
    shown, more = names[:SHOWN], len(names) - SHOWN
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")
