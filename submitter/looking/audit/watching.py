"""A source that keeps, of each document that passes through it, how it was served and what the
protocol's schema says of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from submitter.core.audit.delivery import Delivery
from submitter.core.audit.languages import SiteLinks
from submitter.core.audit.schema import SchemaCheck
from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.ports import Clock, Fetched, Source


class WatchedSource:
    """Implements `ports.Source` for one walk. `local` is the address that stands for a file of
    this machine, empty when there is none. `links` takes the alternates of all."""

    def __init__(self, source: Source, clock: Clock, links: SiteLinks, *, local: str = "") -> None:
        self._links = links
        self._source, self._clock, self._local = source, clock, local
        self.watched: dict[str, WatchedAnswer] = {}

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
        """See `ports.Source`. Of an address that is fetched again, the last answer is kept."""
        began = self._clock.monotonic()
        with self._source.fetch(
            url, site=site, validators=validators, until=until, user_agent=user_agent
        ) as fetched:
            waited_s = self._clock.monotonic() - began
            local = url == self._local
            answer = WatchedAnswer(fetched, self._links, waited_s=waited_s, local=local)
            self.watched[url] = answer
            yield answer


class WatchedAnswer:
    """Implements `ports.Fetched`: the answer itself, with an eye on its bytes."""

    def __init__(self, answer: Fetched, links: SiteLinks, *, waited_s: float, local: bool) -> None:
        self._answer, self._waited_s, self._local = answer, waited_s, local
        self.url, self.final_url, self.status = answer.url, answer.final_url, answer.status
        self.content_type, self.charset = answer.content_type, answer.charset
        self.validators, self.robots_tags = answer.validators, answer.robots_tags
        self._cache_control = answer.header("cache-control") or ""
        self._digest = hashlib.sha256()
        self._size = 0
        self.schema = SchemaCheck(answer.url, partial(links.take, answer.url))

    def header(self, name: str) -> str | None:
        return self._answer.header(name)

    def chunks(self) -> Iterator[bytes]:
        for chunk in self._answer.chunks():
            self._digest.update(chunk)
            self._size += len(chunk)
            self.schema.feed(chunk)
            yield chunk

    @property
    def complete(self) -> bool:
        return self._answer.complete

    @property
    def delimited(self) -> bool:
        return self._answer.delimited

    @property
    def findings(self) -> Sequence[Finding]:
        return self._answer.findings

    def delivery(self) -> Delivery:
        """How it was served, as far as it was read."""
        return Delivery(
            url=self.url,
            status=self.status,
            content_type=self.content_type,
            size=self._size,
            waited_s=self._waited_s,
            digest=self._digest.hexdigest() if self._size else "",
            validators=self.validators,
            robots_tags=self.robots_tags,
            cache_control=self._cache_control,
            local=self._local,
        )
