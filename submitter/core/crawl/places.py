"""From the host and the target of a hit to the page of a site."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from string import ascii_letters, digits
from typing import Final, TypeAlias

from submitter.core import urls
from submitter.core.crawl.listing import Listing
from submitter.core.crawl.records import FILES
from submitter.core.sections import Sorter
from submitter.core.urls import BadUrl

MOST: Final = 10_000
"""Hosts remembered; then the table starts afresh."""

MOST_EXAMPLES: Final = 10
"""Addresses named for a site."""

MOST_HOSTS: Final = 1_000
"""Sites that a log without an inventory may name."""

NAMELESS: Final = "-"
"""The site of lines that name none, where there is no inventory."""

LONGEST_PLAIN: Final = 1_000
"""Bytes of a path that leave room for any origin in an address."""
_PLAIN: Final = (ascii_letters + digits + "-._~!$&'()*+,;=:@/?").encode()
"""Paths of these are spelled in their normal form, but for dot segments."""
_beyond_ascii: Final = re.compile(rb"[\x80-\xff]").sub
_is_sitemap: Final = re.compile(r"https?://[^/]*/(?:[^?]*/)?sitemap[^/?]*\.xml(?:\.gz)?").fullmatch
_absolute: Final = re.compile(rb"https?://([^/?#]*)", re.IGNORECASE).match


class Group:
    """What the pages counted together have in common. Compared by identity."""

    __slots__ = ("has_parameters", "is_listed", "section", "site")

    def __init__(
        self, site: SitePages, section: str, is_listed: bool, has_parameters: bool
    ) -> None:
        self.site, self.section = site, section
        self.is_listed, self.has_parameters = is_listed, has_parameters


Page: TypeAlias = tuple[int, Group]
"""One page of a site, as hits find it: its key and what it is counted with."""


class SitePages:
    """The pages of one site. `key_of` gives the ledger's key of a page's identity."""

    def __init__(
        self,
        origin: str,
        sorter: Sorter,
        listing: Listing,
        key_of: Callable[[str], int],
        sitemaps: Iterable[str] = (),
    ) -> None:
        """`sitemaps`: known ones; others are told by their names."""
        self.origin, self.listing = origin, listing
        self._base = origin if origin != NAMELESS else "https://nameless.invalid"
        self._files = frozenset((f"{self._base}/robots.txt", *sitemaps))
        self._sorter, self._key_of = sorter, key_of
        self._groups: dict[tuple[str, bool, bool], Group] = {}
        self.pages: dict[bytes, Page] = {}
        """Whoever finds pages may remember them here, by target."""
        self.unlisted: list[str] = []
        """Some addresses that are not listed, where anything is."""
        self.seeks_unlisted = len(listing) > 0
        """Whether more of them are wanted."""

    def note_unlisted(self, group: Group, target: bytes) -> None:
        if group.section != FILES:
            address = urls.shown(self._base + target.decode("utf-8", "replace"))
            if address not in self.unlisted:
                self.unlisted.append(address)
            self.seeks_unlisted = len(self.unlisted) < MOST_EXAMPLES

    def find(self, target: bytes) -> Page:
        """The page at a path with its query."""
        identity = self._identity(target)
        key, has_parameters = self._key_of(identity), "?" in identity
        section = self.listing.section_of(key)
        if section is not None:
            return key, self._group(section, True, has_parameters)
        if self._is_file(identity):
            return key, self._group(FILES, False, False)
        return key, self._group(self._sorter.place(identity, "")[0], False, has_parameters)

    def _identity(self, target: bytes) -> str:
        if _is_plain(target) and len(target) <= LONGEST_PLAIN:
            return self._base + target.decode("ascii")
        if not target.isascii():
            target = _beyond_ascii(lambda found: b"%%%02X" % found[0][0], target)
        path = target.decode("ascii")
        address = self._base + (path if path.startswith("/") else f"/{path}")
        try:
            return urls.normalize(address)
        except BadUrl:
            return address  # it was asked for all the same

    def _is_file(self, identity: str) -> bool:
        if identity.endswith((".xml", ".gz")) and _is_sitemap(identity):
            return True
        return identity in self._files

    def _group(self, section: str, is_listed: bool, has_parameters: bool) -> Group:
        name = (section, is_listed, has_parameters)
        if name not in self._groups:
            self._groups[name] = Group(self, *name)
        return self._groups[name]


class Hosts:
    """Finds the site of a line by its host. `open_site` makes the pages of an origin."""

    def __init__(
        self,
        origins: Iterable[str],
        open_site: Callable[[str], SitePages],
        *,
        nameless: str | None = None,
        takes_any: bool = False,
    ) -> None:
        """`nameless`: the origin of lines without a host. `takes_any`: hosts beyond `origins` are
        sites, too."""
        self._origins: dict[str, str] = {}
        for origin in origins:
            scheme, _, host = origin.partition("://")
            if scheme == "https" or host not in self._origins:
                self._origins[host] = origin
        self._open_site, self._nameless, self._takes_any = open_site, nameless, takes_any
        self._sites: dict[str, SitePages] = {}
        self._found: dict[bytes, SitePages | str] = {}

    def site(self, host: bytes) -> SitePages | str:
        """The site, or why there is none: a key of LEFT_OUT."""
        found = self._found.get(host)
        if found is None:
            if len(self._found) >= MOST:
                self._found.clear()
            found = self._found[host] = self._find(host)
        return found

    def origin_of(self, host: bytes) -> str | None:
        """The origin of lines of this host, if it is one that is asked for; nothing is opened."""
        name = host.decode("ascii", "replace").lower()
        return self._known(name) if name else self._nameless

    def _known(self, name: str) -> str | None:
        return self._origins.get(name) or self._origins.get(_bare(name))

    def opened(self) -> list[SitePages]:
        """Every site that a line was about."""
        return list(self._sites.values())

    def _find(self, host: bytes) -> SitePages | str:
        name = host.decode("ascii", "replace").lower()
        if not name:
            return "no-host" if self._nameless is None else self._open(self._nameless)
        origin = self._known(name)
        if origin is None and self._takes_any:
            origin = _origin(name)
        if origin is None:
            return "unknown-host"
        if self._takes_any and origin not in self._sites and len(self._sites) >= MOST_HOSTS:
            return "too-many-hosts"
        return self._open(origin)

    def _open(self, origin: str) -> SitePages:
        if origin not in self._sites:
            self._sites[origin] = self._open_site(origin)
        return self._sites[origin]


def _is_plain(path: bytes) -> bool:
    """Whether it is in its normal form at first sight; taking bytes out beats a pattern."""
    return path[:1] == b"/" and not path.translate(None, _PLAIN) and b"/." not in path


def _bare(host: str) -> str:
    """Without a port and the root's dot."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).rstrip(".")


def _origin(host: str) -> str | None:
    try:
        return urls.origin_of(f"https://{_bare(host)}/")
    except BadUrl:
        return None


def parted(host: bytes, target: bytes) -> tuple[bytes, bytes]:
    """Host and path: a whole address in the request line goes before a host field."""
    if target[:1] == b"/":
        return host, target
    found = _absolute(target)
    if found is None:
        return host, target
    return found[1], target[found.end() :] or b"/"
