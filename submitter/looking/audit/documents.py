"""Asks again for some documents of a tree: by their validators, and in a crawler's name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from submitter.core.agents import USER_AGENTS
from submitter.core.audit.delivery import Delivery, judge_asked_again
from submitter.core.audit.rules import found
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Site
from submitter.core.looks import DocumentReading, Validators
from submitter.core.sights import Sight, differs, spread
from submitter.errors import FetchError
from submitter.looking.sighting import Eyes
from submitter.looking.walk import Surroundings

ASKED_AGAIN: Final = 20
"""Documents of a site asked for a second time."""
SHOWN_TO_CRAWLERS: Final = 5
"""Documents of a site asked for in a crawler's name."""
CRAWLERS: Final = ("Googlebot", "bingbot")
LARGE_BYTES: Final = 5_000_000
"""A larger document is not fetched a second time only to compare it."""


def ask_again(
    site: Site, served: Mapping[str, Delivery], around: Surroundings
) -> Iterator[Finding]:
    """Whether the server says 304 when nothing changed. What fails now says nothing."""
    asked = [
        one.url
        for one in served.values()
        if one.validators != Validators() and one.status == 200 and one.size <= LARGE_BYTES
        if not one.local
    ]
    for url in spread(tuple(asked), ASKED_AGAIN):
        if around.stopped():
            return
        again = _fetched_again(site, served[url], around)
        if again is not None:
            yield from judge_asked_again(served[url], again)


def _fetched_again(site: Site, first: Delivery, around: Surroundings) -> Delivery | None:
    digest = hashlib.sha256()
    try:
        with around.source.fetch(
            first.url, site=site, validators=first.validators, until=around.until
        ) as answer:
            if answer.status == 304:
                return replace(first, status=304)
            for chunk in answer.chunks():
                digest.update(chunk)
            return replace(first, validators=answer.validators, digest=digest.hexdigest())
    except FetchError:
        return None


def show_to_crawlers(
    site: Site, readings: Sequence[DocumentReading], around: Surroundings
) -> Iterator[Finding]:
    """Whether a crawler's name alone changes the answer."""
    by_url = {reading.url: reading for reading in readings if reading.http_status is not None}
    for url in spread(tuple(by_url), SHOWN_TO_CRAWLERS):
        ours = _our_sight(site, by_url[url], around)
        for agent in CRAWLERS:
            if around.stopped() or agent not in USER_AGENTS:
                return
            eyes = Eyes(site, around.source, around.clock.now(), around.until, agent)
            theirs = eyes.see(url)
            if differs(ours, theirs):
                yield found("shown-otherwise", url, f"{agent}: {theirs.words}; we: {ours.words}")


def _is_empty(reading: DocumentReading) -> bool:
    return any(one.id == "no-entries" for one in reading.findings)


def _our_sight(site: Site, reading: DocumentReading, around: Surroundings) -> Sight:
    broken = [one for one in reading.findings if one.severity is Severity.ERROR]
    usable = (reading.complete or reading.over_limit > 0) and not _is_empty(reading)
    seen = Sight(
        site.origin,
        reading.url,
        "",
        around.clock.now(),
        reading.http_status,
        whole=usable,
        kind=reading.kind,
    )
    if usable or not broken:
        return seen
    return replace(seen, reason=broken[0].id, problem=broken[0].message)
