"""Says when what a site shows looks like an accident. A held site is not told to anybody."""

from __future__ import annotations

from typing import Final

from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.fleet import GuardRule
from submitter.core.looks import SiteLook

LEAST_PAGES_FOR_GONE = 10
"""A smaller site may lose any share of its pages; one page would be too large a share."""
LEAST_PAGES_FOR_NEW = 100
"""A smaller site may grow by any factor; a young shop often doubles."""

GUARD_IDS: Final = {
    "guard-gone": Meaning(
        Severity.ERROR, "more of the known pages are gone than `guard.max_gone` allows"
    ),
    "guard-new": Meaning(
        Severity.ERROR, "more new pages, against the known ones, than `guard.max_new` allows"
    ),
    "guard-foreign": Meaning(
        Severity.ERROR, "none of the pages in the sitemap is on the site's own host"
    ),
    "guard-empty": Meaning(Severity.ERROR, "the sitemap lists no page at all"),
    "robots-closed": Meaning(
        Severity.ERROR, "robots.txt closes the whole site to the engine's crawler"
    ),
}
"""Ids of findings that hold a site or a target, for the docs. They only grow."""


def judge(look: SiteLook, rule: GuardRule) -> tuple[Finding, ...]:
    """Every reason to hold all actions of the site; empty = none.

    Shares compare with the baseline, the last look that passed, so an accident that is seen twice
    is still an accident.
    """
    if look.unfinished:
        return ()
    return (*_shrunk(look, rule), *_grown(look, rule), *_nothing_left(look), *look.prelaunch)


def closed_to(look: SiteLook, crawler: str) -> tuple[Finding, ...]:
    """Reasons to hold the targets of one engine: its crawler may not read the site."""
    if crawler not in look.closed_to:
        return ()
    message = f"robots.txt closes the whole site to {crawler}"
    return (_hold("robots-closed", look.site, message),)


def _shrunk(look: SiteLook, rule: GuardRule) -> tuple[Finding, ...]:
    known, gone = look.baseline, look.since_baseline.gone
    if look.first or known < LEAST_PAGES_FOR_GONE or gone <= rule.max_gone * known:
        return ()
    message = (
        f"{gone} of {known} known pages are gone ({gone / known:.0%}; the guard allows "
        f"{rule.max_gone:.0%})"
    )
    return (_hold("guard-gone", look.site, message),)


def _grown(look: SiteLook, rule: GuardRule) -> tuple[Finding, ...]:
    known, new = look.baseline, look.since_baseline.new
    if look.first or known < LEAST_PAGES_FOR_NEW or new <= rule.max_new * known:
        return ()
    message = (
        f"{new} new pages against {known} known ones ({new / known:.0%}; the guard allows "
        f"{rule.max_new:.0%})"
    )
    return (_hold("guard-new", look.site, message),)


def _nothing_left(look: SiteLook) -> tuple[Finding, ...]:
    readable = [root for root in look.roots if root.readable]
    if not readable or look.listed:
        return ()
    if look.foreign:
        message = f"none of the {look.foreign} pages in the sitemap is on the site's own host"
        return (_hold("guard-foreign", look.site, message),)
    return (_hold("guard-empty", look.site, "the sitemap lists no page at all"),)


def _hold(code: str, where: str, message: str) -> Finding:
    return Finding(code, GUARD_IDS[code].severity, where, message)
