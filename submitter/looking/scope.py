"""Which documents may be read for a site: on our own hosts, or vouched for by their own host."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from submitter.core.fleet import Site
from submitter.core.robots import parse_robots
from submitter.core.urls import BadUrl, host_of, shown
from submitter.errors import FetchError


class Scope:
    """The rule for a child of an index and for the end of a redirect alike. Ours are the hosts of
    the inventory's sites and those at which it names sitemaps of this one. `read` fetches a
    robots.txt; raises FetchError."""

    def __init__(
        self, site: Site, fleet_hosts: Iterable[str], read: Callable[[str], bytes]
    ) -> None:
        named = map(_host, (*(site.sitemaps or ()), *site.aliases.values()))
        self._hosts = {site.host, *fleet_hosts, *named} - {""}
        self._scheme, self._read = site.scheme, read
        self._vouched: dict[str, frozenset[str]] = {}

    def holds(self, url: str, *, beside: str) -> bool:
        """Ours, on the host of the document that leads there, or named by the robots.txt of the
        host it lies on (cross-submission)."""
        host = _host(url)
        return host in self._hosts or host == _host(beside) or url in self._named_by(host)

    def why_not(self, url: str, final_url: str) -> str | None:
        """Why a document may not be read at the end of its redirects; None: it may."""
        if url == final_url or self.holds(final_url, beside=url):
            return None
        return (
            f"redirects to {shown(final_url)}, on a host that is not ours and does not name it"
            " in robots.txt"
        )

    def _named_by(self, host: str) -> frozenset[str]:
        if host not in self._vouched:
            url = f"{self._scheme}://{host}/robots.txt"
            try:
                named: Iterable[str] = parse_robots(self._read(url), url=url).sitemaps
            except FetchError:
                named = ()
            self._vouched[host] = frozenset(named)
        return self._vouched[host]


def _host(url: str) -> str:
    """Empty for what has none, as a local file."""
    try:
        return host_of(url)
    except BadUrl:
        return ""
