"""The door to sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import (
    Validators,
)


class Fetched(Protocol):
    """One answer of a site, while its body streams. Everything below holds after `chunks` ended
    where it depends on the body."""

    url: str
    final_url: str
    status: int
    """200 or 304; everything else was raised as FetchError."""
    content_type: str
    charset: str | None
    validators: Validators
    robots_tags: tuple[str, ...]
    """Every X-Robots-Tag of the answer, as it came."""

    def header(self, name: str) -> str | None:
        """Any other header of the answer, several of one name with commas between; None where
        there is none."""

    def chunks(self) -> Iterator[bytes]:
        """Inflated bytes in pieces of any size. Raises FetchError when a limit or the time is
        reached or the connection breaks; what was yielded before stays good."""

    @property
    def complete(self) -> bool:
        """False when the transport cannot prove that the body ended where it should."""

    @property
    def delimited(self) -> bool:
        """The body carries a mark of its end: a length, a last chunk, a gzip trailer. Then
        `complete` alone decides. Without one (HTTP/1.0, a pipe) `complete` is never True, and a
        body that ended without FetchError is as whole as its own end (root end tag) shows."""

    @property
    def findings(self) -> Sequence[Finding]: ...


class Source(Protocol):
    """Fetches documents of sites. One GET each, redirects included; never more than the site's
    limits; only public addresses unless the site allows others. Thread-safe."""

    def fetch(
        self,
        url: str,
        *,
        site: Site,
        validators: Validators | None = None,
        until: float | None = None,
        user_agent: str | None = None,
    ) -> AbstractContextManager[Fetched]:
        """Open a document. `until` is a monotonic time that cuts the site's own timeout short.
        Raises FetchError with a stable reason; 304 only comes back when validators were given."""
