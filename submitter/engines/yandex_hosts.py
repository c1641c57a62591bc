"""Which of an account's hosts at Yandex a site of ours is. Pure.

A host id (`https:example.com:443`) is looked up in the account's own list by the address it stands
for, never built. http and https are two hosts.
Source: https://yandex.com/dev/webmaster/doc/en/reference/hosts, read 2026-11-30.
"""

from __future__ import annotations

from submitter.core.calls import Survey
from submitter.core.fleet import Site
from submitter.core.urls import BadUrl, origin_of
from submitter.errors import NotAuthorized


def property_of(site: Site, survey: Survey | None) -> str:
    """The host id in the account's list, or the site's origin, which is none and says so."""
    listed = survey.properties if survey else ()
    same = [each for each in listed if _origin(each.url) == site.origin]
    best = min(same, key=lambda each: each.may_submit is False, default=None)
    return best.name if best else site.origin


def _origin(address: str) -> str:
    try:
        return origin_of(address)
    except BadUrl:
        return ""


def check_host(name: str, survey: Survey) -> None:
    """Raise NotAuthorized when the account's own list shows that submitting must fail."""
    found = next((each for each in survey.properties if each.name == name), None)
    if found is None:
        raise NotAuthorized(
            "yandex",
            f"{name[:200]!r}: not among the {len(survey.properties)} sites of {survey.principal}",
            scope="property",
            cause="host-missing",
            next_step="Add the site at webmaster.yandex.com for the token's user and verify it;"
            " http and https are two sites.",
            sent=False,
        )
    if found.may_submit is False:
        raise NotAuthorized(
            "yandex",
            f"{name!r}: added, but not verified",
            scope="property",
            cause="host-unverified",
            next_step="Verify the site at webmaster.yandex.com for the token's user.",
            sent=False,
        )
