"""Which Search Console property a site belongs to, and whether the account may use it. Pure.

A property's name must match to the letter: `sc-domain:example.com` covers every host and scheme
of the domain, `https://shop.example.com/` only what begins so. Sources:
https://developers.google.com/webmaster-tools/v1/sites and
https://support.google.com/webmasters/answer/10431861, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from submitter.core.calls import Property, Survey
from submitter.core.fleet import Site
from submitter.core.urls import shown
from submitter.errors import NotAuthorized

DOMAIN_PREFIX = "sc-domain:"

_MAX_SHOWN = 5
"""Candidates named in a message."""

_MAY_SUBMIT = {
    "siteOwner": True,
    "siteFullUser": None,
    "siteRestrictedUser": False,
    "siteUnverifiedUser": False,
}
"""An owner may, a restricted or unverified user may not; on full users Google's own pages differ
(documented 2013 yes, help page 7451001 no), so it is tried. Read 2026-11-30."""

_ROLE_CAUSES = {
    "siteRestrictedUser": (
        "role-restricted",
        "the role is Restricted, which may look but not submit",
        "ask an owner to make {who} an owner (Settings › Users and permissions)",
    ),
    "siteUnverifiedUser": (
        "role-unverified",
        "the property was added but never verified for this account",
        "verify it for {who}, or let an owner add {who} (Settings › Users and permissions)",
    ),
}


def property_with(name: str, role: str) -> Property:
    """A property as listed; the role in camel case, whichever of Google's spellings came."""
    role = camel_case(role)
    return Property(name, role, _MAY_SUBMIT.get(role))


def camel_case(value: str) -> str:
    """Google's documents and answers say `siteOwner`, its discovery file `SITE_OWNER`."""
    if not value.isupper():
        return value
    first, *rest = value.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def property_of(site: Site, survey: Survey | None) -> str:
    """The property the inventory names, or the most specific one that the account can use."""
    match site.google_property:
        case "host":
            return f"{site.origin}/"
        case "domain":
            return f"{DOMAIN_PREFIX}{_domain_of(site)}"
        case str() as literal:
            return literal.replace("{host}", site.host).replace("{domain}", _domain_of(site))
    known = _listed(list(_names_of(site)), survey)
    usable = [found for found in known if found.may_submit is not False]
    best = next(iter(usable or known), None)
    return best.name if best else f"{DOMAIN_PREFIX}{_domain_of(site)}"


def _listed(names: list[str], survey: Survey | None) -> list[Property]:
    """Those of the names that the account has, in the order of the names."""
    properties = survey.properties if survey else ()
    return sorted(
        (found for found in properties if found.name in names),
        key=lambda found: names.index(found.name),
    )


def _domain_of(site: Site) -> str:
    return site.domain or _without_port(site.host)


def _names_of(site: Site) -> Iterator[str]:
    """The site's possible properties: the exact prefix, then domains from its own upwards."""
    yield f"{site.origin}/"
    host, top = _without_port(site.host), _domain_of(site)
    while host:
        yield f"{DOMAIN_PREFIX}{host}"
        if host == top:
            return
        host = host.partition(".")[2]


def check_access(name: str, sitemap: str, survey: Survey) -> None:
    """Raise NotAuthorized when the account's own list shows that submitting must fail."""
    found = next((each for each in survey.properties if each.name == name), None)
    if found is None:
        raise _absent(name, survey)
    if found.may_submit is False:
        raise _wrong_role(found, survey)
    if not covers(name, sitemap):
        raise NotAuthorized(
            "google",
            f"property {name!r}: the sitemap {shown(sitemap)!r} lies outside it",
            scope="property",
            cause="sitemap-outside-property",
            next_step="Set the site's `google_property` to one that covers the sitemap.",
            sent=False,
        )


def covers(name: str, url: str) -> bool:
    """True when the address lies under the property: any host of a domain, or the exact prefix."""
    host = urlsplit(url).hostname or ""
    if name.startswith(DOMAIN_PREFIX):
        domain = name.removeprefix(DOMAIN_PREFIX).lower()
        return host == domain or host.endswith(f".{domain}")
    return _prefix_form(url).startswith(_prefix_form(name))


def _absent(name: str, survey: Survey) -> NotAuthorized:
    who = survey.principal or "this account"
    if alike := _spelled_differently(name, survey):
        candidates = ", ".join(repr(each) for each in alike[:_MAX_SHOWN])
        return NotAuthorized(
            "google",
            f"property {name!r}: {who} does not have it, but {candidates}",
            scope="property",
            cause="property-spelled-differently",
            next_step="Set the site's `google_property` to the name that the account has.",
            sent=False,
        )
    return NotAuthorized(
        "google",
        f"property {name!r}: not among the {len(survey.properties)} that {who} can see",
        scope="property",
        cause="property-missing",
        next_step=f"In Search Console add {who} to the property as an owner "
        "(Settings › Users and permissions), or verify the domain for it.",
        sent=False,
    )


def _wrong_role(found: Property, survey: Survey) -> NotAuthorized:
    cause, problem, next_step = _ROLE_CAUSES.get(found.role, _ROLE_CAUSES["siteRestrictedUser"])
    who = survey.principal or "this account"
    return NotAuthorized(
        "google",
        f"property {found.name!r}: {problem}",
        scope="property",
        cause=cause,
        next_step=f"In Search Console {next_step.format(who=who)}.",
        sent=False,
    )


def _spelled_differently(name: str, survey: Survey) -> list[str]:
    """Listed properties of the same host, whatever their scheme, form, slash or `www.`."""
    host = _bare_host(name)
    return sorted(each.name for each in survey.properties if _bare_host(each.name) == host)


def _bare_host(name: str) -> str:
    text = name.removeprefix(DOMAIN_PREFIX)
    host = urlsplit(text if "//" in text else f"//{text}").hostname or ""
    return host.removeprefix("www.")


def _prefix_form(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path or '/'}"


def _without_port(host: str) -> str:
    return host.partition(":")[0]
