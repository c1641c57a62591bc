"""The guarded client: every GET that leaves for a site goes through here.

One document is one errand: an address is taken apart, its name resolved once, all its addresses
checked, a checked one connected to, and every redirect makes the same way again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Final

from tenacity import RetryCallState, Retrying, retry_if_exception, wait_random_exponential

from submitter import __version__
from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.core.urls import shown
from submitter.errors import FetchError
from submitter.ports import Clock, Fetched
from submitter.sources.addresses import (
    WebAddress,
    check_port,
    follow_location,
    parse_address,
    route,
)
from submitter.sources.answers import ASK_LATER, PERMANENT, Exchange, Head, WebAnswer
from submitter.sources.connections import Connection, IdleConnections, Route, connect
from submitter.sources.deadlines import Deadline
from submitter.sources.networks import parse_networks
from submitter.sources.politeness import Pacer
from submitter.sources.reasons import failure, note
from submitter.sources.resolving import Resolve, checked_ips
from submitter.sources.tls import Trust

MAX_REDIRECTS: Final = 5
"""Source: RFC 9309 section 2.3.1.2 asks crawlers for at least five, read 2026-11-30."""
MAX_TRIES: Final = 3
"""Per document, and never past its deadline."""
TRANSIENT: Final = frozenset(
    {"dns-failure", "connect-reset", "http-429", "http-502", "http-503", "http-504"}
)
"""Reasons that may be gone at the next try; a certificate or a missing name is not."""

Hop = tuple[int, WebAddress]
"""A redirect: its status, and the address that gave it."""

_backoff = wait_random_exponential(multiplier=0.25, max=4)


def make_user_agent(contact: str | None) -> str:
    """Who we say we are: `Submitter/0.1.0 (+https://example.com/about-our-bot)`."""
    safe = "".join(char for char in contact or "" if "!" <= char <= "~" and char not in "()")
    return f"Submitter/{__version__} (+{safe})" if safe else f"Submitter/{__version__}"


class WebSource:
    """`ports.Source` over the network. Thread-safe; a forked child starts with no connections.

    `resolve` is asked like `socket.getaddrinfo`, once for every request. Environment variables
    (proxies, CA files) and .netrc are not read, no cookie is kept, verification is never off.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        user_agent: str | None = None,
        resolve: Resolve = socket.getaddrinfo,
    ) -> None:
        self.clock, self.user_agent, self.resolve = clock, user_agent, resolve
        self._begin()

    @contextmanager
    def fetch(
        self,
        url: str,
        *,
        site: Site,
        validators: Validators | None = None,
        until: float | None = None,
        user_agent: str | None = None,
    ) -> Iterator[Fetched]:
        """See `ports.Source`. `site.fetch.timeout_s` covers all of it: name service, waiting for
        the host, retries, redirects and body, but not what the caller does between chunks."""
        if os.getpid() != self._pid:
            self.idle.abandon()
            self._begin()
        agent = user_agent or self.user_agent or make_user_agent(site.fetch.contact)
        deadline = Deadline(self.clock, url, limit_s=site.fetch.timeout_s, until=until)
        answer = _Errand(self, url, site, validators or Validators(), deadline, agent).run()
        try:
            yield answer
        finally:
            answer.close(self.idle.put)

    def close_all(self) -> None:
        """Close what is idle; the source can be used again."""
        self.idle.close_all()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self.idle, self.pacer, self.trust = IdleConnections(self.clock), Pacer(self.clock), Trust()


class _Errand:
    """One document on its way: hops, tries and waits, all inside one deadline."""

    def __init__(
        self,
        source: WebSource,
        url: str,
        site: Site,
        validators: Validators,
        deadline: Deadline,
        agent: str,
    ) -> None:
        self._source, self._url, self._site = source, url, site
        self._validators, self._deadline = validators, deadline
        self._rules, self._allowed = site.fetch, parse_networks(site.allow_private)
        self._headers = _request_headers(agent, validators)
        self._conditional = validators != Validators()
        self._pause_s = 0.0

    def run(self) -> WebAnswer:
        """Follow the address to its answer, again where a fault may be gone."""
        tries = Retrying(
            retry=retry_if_exception(_is_transient),
            wait=self._wait_s,
            stop=self._is_last_try,
            sleep=self._source.clock.sleep,
            reraise=True,
        )
        return tries(self._follow)

    def _wait_s(self, state: RetryCallState) -> float:
        """Our own jittered backoff, or the pause of the host where that is longer."""
        return max(_backoff(state), self._pause_s)

    def _is_last_try(self, state: RetryCallState) -> bool:
        late = state.upcoming_sleep >= self._deadline.left_s()
        return late or state.attempt_number >= MAX_TRIES

    def _follow(self) -> WebAnswer:
        """Hop by hop; each hop is judged like a first address."""
        address = parse_address(self._url)
        hops: list[Hop] = []
        led_to = ""
        try:
            while True:
                status, found = self._hop(address, hops)
                if isinstance(found, WebAnswer):
                    return found
                hops.append((status, address))
                led_to = found
                address = self._next(address, found, hops)
                led_to = address.url
        except FetchError as error:
            error.redirects, error.led_to = len(hops), led_to
            raise

    def _hop(self, address: WebAddress, hops: list[Hop]) -> tuple[int, WebAnswer | str]:
        """What is at one address: the answer, or the Location of a redirect."""
        exchange = self._exchange(address)
        try:
            head = Head(address.url, exchange.response)
            if head.location is None:
                return head.status, self._answer(head, address, exchange, hops)
        except BaseException:
            exchange.close()
            raise
        exchange.close()
        return head.status, head.location

    def _next(self, address: WebAddress, location: str, hops: list[Hop]) -> WebAddress:
        target = follow_location(address, location)
        if any(target.url == visited.url for _, visited in hops):
            raise failure(self._url, "redirect-loop", f"redirects back to {shown(target.url)}")
        if len(hops) > MAX_REDIRECTS:
            raise failure(self._url, "too-many-redirects", f"more than {MAX_REDIRECTS} redirects")
        return target

    def _exchange(self, address: WebAddress) -> Exchange:
        """Send the request for one hop, politely, to a checked address."""
        check_port(address, self._site)
        way = self._route(address)
        leave = self._source.pacer.enter(
            address.host, parallel=self._rules.per_host, deadline=self._deadline
        )
        try:
            return self._ask_kept(way, leave) or self._ask_new(way, leave)
        except BaseException:
            leave()
            raise

    def _route(self, address: WebAddress) -> Route:
        host, port = route(address, self._rules.connect_to)
        ips = checked_ips(
            address.url,
            host,
            port,
            resolve=self._source.resolve,
            allowed=self._allowed,
            deadline=self._deadline,
        )
        https = address.scheme == "https"
        context = self._source.trust.context(self._rules.ca_file) if https else None
        return Route(address, ips, port, context)

    def _ask_kept(self, way: Route, leave: Callable[[], None]) -> Exchange | None:
        """Over an open connection; None when there is none, or the site has just closed it."""
        connection = self._source.idle.take(way)
        if connection is None:
            return None
        try:
            return self._ask(connection, way, leave)
        except FetchError as error:
            if error.reason == "connect-reset":
                return None
            raise

    def _ask_new(self, way: Route, leave: Callable[[], None]) -> Exchange:
        return self._ask(connect(way, self._deadline), way, leave)

    def _ask(self, connection: Connection, way: Route, leave: Callable[[], None]) -> Exchange:
        try:
            response = connection.ask(
                way.address, self._headers, self._deadline, max_bytes=self._rules.max_bytes
            )
        except BaseException:
            connection.close()
            raise
        return Exchange(connection, response, leave)

    def _answer(
        self,
        head: Head,
        address: WebAddress,
        exchange: Exchange,
        hops: list[Hop],
    ) -> WebAnswer:
        """What is at the end of the way. Raises FetchError unless it can be used."""
        if head.status in ASK_LATER:
            wait_s = head.wait_s(self._source.clock.now())
            self._pause_s = self._source.pacer.slow_down(address.host, wait_s)
            raise head.refusal(wait_s)
        head.check_usable(conditional=self._conditional)
        self._source.pacer.speed_up(address.host)
        return WebAnswer(
            self._url,
            head,
            exchange,
            sent=self._validators,
            deadline=self._deadline,
            clock=self._source.clock,
            max_bytes=self._rules.max_bytes,
            findings=_notes_on_hops(self._url, hops, address),
        )


def _request_headers(agent: str, validators: Validators) -> dict[str, str]:
    headers = {"User-Agent": agent, "Accept": "*/*", "Accept-Encoding": "gzip"}
    if validators.etag:
        headers["If-None-Match"] = validators.etag
    if validators.last_modified:
        headers["If-Modified-Since"] = validators.last_modified
    return headers


def _notes_on_hops(url: str, hops: list[Hop], last: WebAddress) -> tuple[Finding, ...]:
    found = []
    if hops and all(status in PERMANENT for status, _ in hops):
        found.append(note("redirected-permanently", url, last.url))
    schemes = [address.scheme for _, address in hops] + [last.scheme]
    if ("https", "http") in pairwise(schemes):
        found.append(note("redirect-to-http", url, last.url))
    return tuple(found)


def _is_transient(error: BaseException) -> bool:
    return isinstance(error, FetchError) and error.reason in TRANSIENT
