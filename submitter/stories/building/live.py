"""Looks at built files through the web server, as a crawler does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from submitter.core.building.advice import LIVE_IDS, is_right_type
from submitter.core.building.families import DELTA
from submitter.core.findings import MAX_EXAMPLES, Finding
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.core.robots import MAX_BYTES, parse_robots
from submitter.core.shards import Fate
from submitter.core.urls import same
from submitter.errors import FetchError
from submitter.ports import Source
from submitter.stories.building.reports import Built

LOOKED_AT: Final = 5
"""Files asked for, the index and the delta among them; all are served by one rule."""


@dataclass(frozen=True, slots=True)
class LiveFile:
    """One file as it is served. `status` None: no answer; `asked_again`: the status of the answer
    when we said which copy we have."""

    address: str
    status: int | None
    problem: str
    content_type: str = ""
    etag: str | None = None
    last_modified: str | None = None
    asked_again: int | None = None
    same: bool = False
    packed: bool = False


@dataclass(frozen=True, slots=True)
class LiveLook:
    in_robots: bool
    files: Sequence[LiveFile]
    findings: Sequence[Finding]


def look_live(
    built: Built, site: Site, source: Source, content: Callable[[str], bytes | None]
) -> LiveLook:
    """`content` gives what a file in the folder holds. Raises nothing: all is in the result."""
    files = [_look_at(address, site, source, content(name)) for address, name in _some_files(built)]
    in_robots = _is_named(built, site, source)
    return LiveLook(in_robots, files, tuple(_findings(built, files, in_robots)))


def _some_files(built: Built) -> list[tuple[str, str]]:
    standing = [one for one in built.files if one.file.fate is not Fate.REMOVED]
    standing.sort(key=lambda one: (one.family != DELTA, one.file.fate is Fate.KEPT))
    some = [(one.address, one.file.name) for one in standing]
    if built.index_url is not None:
        some.insert(0, (built.index_url, built.order.index_name))
    return some[:LOOKED_AT]


def _look_at(address: str, site: Site, source: Source, meant: bytes | None) -> LiveFile:
    try:
        with source.fetch(address, site=site) as fetched:
            digest = hashlib.blake2b()
            for chunk in fetched.chunks():
                digest.update(chunk)
            found = fetched.validators
            return LiveFile(
                address=address,
                status=fetched.status,
                problem="",
                content_type=fetched.content_type,
                etag=found.etag,
                last_modified=found.last_modified,
                asked_again=_ask_again(address, site, source, found),
                same=meant is not None and digest.digest() == hashlib.blake2b(meant).digest(),
                packed=address.endswith(".gz"),
            )
    except FetchError as error:
        return LiveFile(address, error.http_status, f"{error.reason}: {error.problem}")


def _ask_again(address: str, site: Site, source: Source, validators: Validators) -> int | None:
    if not (validators.etag or validators.last_modified):
        return None
    try:
        with source.fetch(address, site=site, validators=validators) as fetched:
            return fetched.status
    except FetchError as error:
        return error.http_status


def _is_named(built: Built, site: Site, source: Source) -> bool:
    wanted = [line.removeprefix("Sitemap: ") for line in built.robots_lines]
    address = f"{built.order.site}/robots.txt"
    try:
        with source.fetch(address, site=site) as fetched:
            data = b"".join(fetched.chunks())[:MAX_BYTES]
    except FetchError:
        return False
    named = parse_robots(data, url=address).sitemaps
    return bool(wanted) and all(same(one, named) for one in wanted)


def _findings(built: Built, files: Sequence[LiveFile], in_robots: bool) -> Iterator[Finding]:
    where = built.order.folder_url
    answered = [one for one in files if one.status == 200]
    silent = [one for one in answered if not (one.etag or one.last_modified)]
    groups: dict[str, Iterable[str]] = {
        "robots-lacks-sitemap": () if in_robots else built.robots_lines,
        "live-unreachable": [f"{one.address} ({one.problem})" for one in files if one.problem],
        "live-differs": [one.address for one in answered if not one.same],
        "live-wrong-type": [
            f"{one.address} ({one.content_type or 'none'})"
            for one in answered
            if not is_right_type(one.content_type, packed=one.packed)
        ],
        "live-no-validators": [one.address for one in silent],
        "live-no-304": [
            f"{one.address} ({one.asked_again})"
            for one in answered
            if one not in silent and one.asked_again != 304
        ],
    }
    for id, examples in groups.items():
        if found := tuple(examples):
            severity, text = LIVE_IDS[id]
            yield Finding(id, severity, where, text, len(found), found[:MAX_EXAMPLES])
