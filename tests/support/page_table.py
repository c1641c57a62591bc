"""A source without a network: what stands in the table is what sites answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.errors import FetchError
from submitter.ports import Fetched


@dataclass(frozen=True)
class Page:
    """A 200; `at` is where redirects led, the address itself when empty."""

    body: bytes = b""
    at: str = ""
    robots_tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failure:
    """A fetch that fails; `status` alone is the answer of that status."""

    reason: str = ""
    status: int | None = None
    redirects: int = 0
    led_to: str = ""
    text: str = ""


@dataclass(repr=False)
class PageTable:
    """Implements `ports.Source`. An address that is not in the table answers 404; `for_crawlers`
    is what a named user agent sees in its place."""

    pages: Mapping[str, Page | Failure]
    for_crawlers: Mapping[str, Page | Failure] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Address and named user agent."""
    read: list[str] = field(default_factory=list)
    """Addresses whose body was read."""

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
        del site, validators, until
        self.asked.append((url, user_agent))
        found = self.pages.get(url, Failure(status=404))
        if user_agent is not None:
            found = self.for_crawlers.get(url, found)
        if isinstance(found, Failure):
            raise FetchError(
                url,
                found.reason or f"http-{found.status}",
                found.text or f"status {found.status}",
                http_status=found.status,
                redirects=found.redirects,
                led_to=found.led_to,
            )
        yield _Answer(url, found, self.read)


class _Answer:
    """Implements `ports.Fetched`; the body comes in pieces of seven bytes."""

    status = 200
    content_type = "text/plain"
    charset: str | None = None
    validators = Validators()
    complete = delimited = True
    findings = ()

    def __init__(self, url: str, page: Page, read: list[str]) -> None:
        self.url, self.final_url = url, page.at or url
        self.robots_tags = page.robots_tags
        self._page, self._read = page, read

    def chunks(self) -> Iterator[bytes]:
        self._read.append(self.url)
        body = self._page.body
        for start in range(0, len(body), 7):
            yield body[start : start + 7]
