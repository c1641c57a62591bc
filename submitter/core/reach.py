"""Which pages of a site an account may tell, where its engine binds that to a place at the site.

IndexNow's key file speaks for the pages below its own directory. The others are not planned, and
the plan says so.
"""

from __future__ import annotations

from collections.abc import Callable

from submitter.core.fleet import Account, Site
from submitter.core.traits import Traits
from submitter.core.urls import BadUrl, host_of, normalize


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
