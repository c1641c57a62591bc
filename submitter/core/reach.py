"""Which pages of a site an account may tell, where its engine binds that to a place at the site.

IndexNow's key file speaks for the pages below its own directory. The others are not planned, and
the plan says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from submitter.core.causes import in_words, next_step_of
from submitter.core.findings import MAX_EXAMPLES, Finding, Severity
from submitter.core.fleet import Account, Site
from submitter.core.planned import OUTSIDE, TargetInput
from submitter.core.standing import Candidate
from submitter.core.traits import Kind, Traits
from submitter.core.urls import BadUrl, host_of, normalize, shown


def reach_of(account: Account, site: Site, traits: Traits) -> str | None:
    """What every page begins with, from the host on, that the account may tell; None: all of the
    site's. An address at another host is a fault of its own, which the engine names."""
    template = account.settings.get(traits.reach_option) if traits.reach_option else None
    if not isinstance(template, str) or depends_on_key(template):
        return None
    try:
        where = normalize(template.replace("{host}", site.host).replace("{key}", "key"))
        return directory_of(where) if host_of(where) == site.host else None
    except BadUrl:
        return None


def directory_of(address: str) -> str:
    """The directory of a file, from the host on, by its address in normal form."""
    return f"{address.partition('?')[0].rpartition('/')[0].partition('://')[2]}/"


def depends_on_key(template: str) -> bool:
    """The directory itself is named after the key: below it stands no page."""
    return "{key}" in template.rpartition("/")[0]


def is_within(reach: str | None) -> Callable[[str], bool]:
    """Judges addresses; one that is none is left to the engine, which refuses it by name."""

    def judge(loc: str) -> bool:
        try:
            return reach is None or normalize(loc).partition("://")[2].startswith(reach)
        except BadUrl:
            return True

    return judge


def within_reach(given: TargetInput) -> TargetInput:
    """The input without the candidates that its account may not tell; what they are is noted."""
    reach = reach_of(given.target.account, given.target.site, given.traits)
    if reach is None:
        return given
    may_tell = is_within(reach)
    inside: dict[Kind, Sequence[Candidate]] = {}
    outside: dict[Kind, list[str]] = {}
    for kind, pages in given.candidates.items():
        inside[kind] = [page for page in pages if may_tell(page.loc)]
        outside[kind] = [page.loc for page in pages if not may_tell(page.loc)]
    left_out = [loc for locs in outside.values() for loc in locs]
    note = [_outside_note(given, reach, left_out)] if left_out else []
    counts = {kind: len(locs) for kind, locs in outside.items()}
    return replace(given, candidates=inside, outside=counts, notes=(*given.notes, *note))


def _outside_note(given: TargetInput, reach: str, locs: Sequence[str]) -> Finding:
    engine = given.traits.name
    words = in_words(OUTSIDE, f"it stands in {reach}", engine)
    return Finding(
        OUTSIDE,
        Severity.WARNING,
        given.target.site.origin,
        f"{words}. {next_step_of(OUTSIDE, engine)}",
        len(locs),
        tuple(map(shown, locs[:MAX_EXAMPLES])),
    )
