"""Which of an account's sites at Bing a site of ours is. Pure.

Bing knows a site by the exact form it was registered in (scheme, slash at the end); every call
must repeat that form, so it is taken from the account's own list.
Source: clients and logs in public repositories, read 2026-11-30.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from submitter.core.calls import Property, Survey
from submitter.core.fleet import Site
from submitter.core.urls import BadUrl, host_of
from submitter.errors import NotAuthorized

_MAX_SHOWN = 5
"""Candidates named in a message."""


def property_of(site: Site, survey: Survey | None) -> str:
    """What the inventory says, or the form in the account's list, or the usual one."""
    literal = site.settings.get("bing_site")
    if literal:
        return str(literal)
    listed = survey.properties if survey else ()
    same = [each for each in listed if _host(each.name) == site.host and _is_whole(each.name)]
    best = min(same, key=lambda each: _distance(each, site), default=None)
    return best.name if best else f"{site.origin}/"


def _distance(listed: Property, site: Site) -> tuple[bool, bool, str]:
    """Verified ones first, then those of our scheme."""
    other_scheme = not listed.name.startswith(f"{site.scheme}:")
    return (listed.may_submit is False, other_scheme, listed.name)


def check_site(name: str, survey: Survey) -> None:
    """Raise NotAuthorized when the account's own list shows that submitting must fail."""
    found = next((each for each in survey.properties if each.name == name), None)
    if found is None:
        raise _absent(name, survey)
    if found.may_submit is False:
        raise NotAuthorized(
            "bing",
            f"site {name!r}: added, but not verified",
            scope="property",
            cause="site-unverified",
            next_step="Verify the site at bing.com/webmasters.",
            sent=False,
        )


def _absent(name: str, survey: Survey) -> NotAuthorized:
    if alike := [each.name for each in survey.properties if _host(each.name) == _host(name)]:
        candidates = ", ".join(map(repr, alike[:_MAX_SHOWN]))
        return NotAuthorized(
            "bing",
            f"site {name[:200]!r}: not in this form in the account, but {candidates}",
            scope="property",
            cause="site-spelled-differently",
            next_step="Set the site's `bing_site` to the form that the account has, or remove it.",
            sent=False,
        )
    return NotAuthorized(
        "bing",
        f"site {name[:200]!r}: not among the {len(survey.properties)} of this key's user",
        scope="property",
        cause="site-missing",
        next_step="Add the site at bing.com/webmasters for the key's user and verify it.",
        sent=False,
    )


def _host(name: str) -> str:
    """As `Site.host` has it; empty for what is no address."""
    try:
        return host_of(name if "//" in name else f"http://{name}")
    except BadUrl:
        return ""


def _is_whole(name: str) -> bool:
    """False for a site that is only a folder of its host."""
    return urlsplit(name if "//" in name else f"//{name}").path in ("", "/")
