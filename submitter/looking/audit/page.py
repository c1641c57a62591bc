"""Looks at one listed page: fetched once, read as far as needed, judged by nobody here."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from submitter.core.audit.facts import PageFacts, page_facts
from submitter.core.audit.fingerprint import Fingerprint, fingerprint_of_bytes
from submitter.core.audit.html import PAGE_BYTES, decode_page
from submitter.core.audit.pages import PageSight
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.core.prelaunch import tag_forbids
from submitter.core.robots import Robots
from submitter.errors import FetchError
from submitter.looking.walk import Surroundings
from submitter.ports import Clock, Fetched

OUR_NAME: Final = "Submitter"
"""The name that robots.txt knows us by; see `sources.web.make_user_agent`."""
LONGEST_DELAY_S: Final = 30.0
"""A longer Crawl-delay would stop an audit altogether; it is cut to this."""

_HTML: Final = frozenset({"", "text/html", "application/xhtml+xml"})
_CANONICAL: Final = re.compile(
    r"""(?i)<([^<>]{1,2048})>\s*;[^<,]{0,200}?\brel\s*=\s*"?canonical\b"""
)


@dataclass(frozen=True, slots=True)
class Found:
    """What was seen of a page, with what a later look is compared with."""

    sight: PageSight
    validators: Validators = Validators()
    text: Fingerprint | None = None


class Gate:
    """Lets fetches through one by one, `gap_s` apart; no gap, no gate."""

    def __init__(self, clock: Clock, gap_s: float) -> None:
        self._clock, self._gap_s = clock, gap_s
        self._lock = threading.Lock()
        self._free_at = 0.0

    def pass_through(self) -> None:
        if not self._gap_s:
            return
        with self._lock:
            now = self._clock.monotonic()
            wait_s = max(0.0, self._free_at - now)
            self._free_at = now + wait_s + self._gap_s
        if wait_s:
            self._clock.sleep(wait_s)


class PageEyes:
    """Looks at pages of one site, as itself. Thread-safe."""

    def __init__(self, site: Site, robots: Robots, around: Surroundings) -> None:
        self._site, self._robots, self._around = site, robots, around
        asked_s = robots.crawl_delay_s(OUR_NAME)
        self._gate = Gate(around.clock, min(asked_s, LONGEST_DELAY_S))
        self.parallel = 1 if asked_s else site.fetch.per_host
        """How many pages may be asked for at once."""

    def look(self, url: str, identity: str) -> Found:
        """Raises nothing: what went wrong is in the sight."""
        closed = self._closed_to(identity)
        if not self._robots.allows(OUR_NAME, identity):
            return Found(PageSight(url, closed_to=closed, asked=False))
        self._gate.pass_through()
        return self._fetch(url, closed)

    def _closed_to(self, identity: str) -> tuple[str, ...]:
        crawlers = self._around.crawlers
        return tuple(name for name in crawlers if not self._robots.allows(name, identity))

    def _fetch(self, url: str, closed: Sequence[str]) -> Found:
        try:
            with self._around.source.fetch(
                url, site=self._site, until=self._around.until
            ) as answer:
                return _read(url, answer, tuple(closed))
        except FetchError as error:
            status = error.http_status
            return Found(PageSight(url, status, error.reason, closed_to=tuple(closed)))


def _read(url: str, answer: Fetched, closed: tuple[str, ...]) -> Found:
    body, cut = _body(answer)
    facts: PageFacts | None = None
    if answer.content_type in _HTML:
        facts = page_facts(decode_page(body, answer.charset), url=answer.final_url)
    text = facts.text if facts else fingerprint_of_bytes(body)
    sight = PageSight(
        url,
        answer.status,
        final_url=answer.final_url,
        facts=facts,
        indexable_header=not any(map(tag_forbids, answer.robots_tags)),
        canonical_header=_canonical(answer),
        closed_to=closed,
    )
    return Found(sight, answer.validators, None if cut else text)


def _body(answer: Fetched) -> tuple[bytes, bool]:
    """At most `PAGE_BYTES`. True: it broke off, so that nothing can be compared with it."""
    body = bytearray()
    try:
        for chunk in answer.chunks():
            body += chunk
            if len(body) >= PAGE_BYTES:
                break
    except FetchError:
        return bytes(body), True
    return bytes(body[:PAGE_BYTES]), False


def _canonical(answer: Fetched) -> str:
    """What a Link header names as the canonical address; empty when none does.
    Source: RFC 8288 and RFC 6596, read 2026-11-30."""
    found = _CANONICAL.search((answer.header("link") or "")[:8_192])
    if found is None:
        return ""
    try:
        return str(urljoin(answer.final_url, found[1]))
    except ValueError:
        return ""
