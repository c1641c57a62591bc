"""Documents that lie on this machine: files and standard input, named by the operator."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, Final

from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.ports import Fetched, Source
from submitter.sources.bodies import Body
from submitter.sources.reasons import failure
from submitter.sources.sockets import READ_BYTES

STDIN: Final = "-"


class FileSource:
    """`ports.Source` for named files and `-`; every other address goes to `web`.

    A document can never name a file: only what stands in `names` is opened, letter for letter.
    """

    def __init__(self, names: Collection[str], *, web: Source, stdin: BinaryIO) -> None:
        self._names, self._web, self._stdin = frozenset(names), web, stdin

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
        """See `ports.Source`. Local files know no validators and no time limit."""
        if url in self._names:
            with _open(url, self._stdin) as stream:
                yield LocalDocument(url, stream, max_bytes=site.fetch.max_bytes)
            return
        with self._web.fetch(
            url, site=site, validators=validators, until=until, user_agent=user_agent
        ) as fetched:
            yield fetched


class LocalDocument:
    """`ports.Fetched` over a file or a pipe."""

    status = 200
    content_type = ""
    charset: str | None = None
    validators = Validators()
    robots_tags: tuple[str, ...] = ()

    def __init__(self, name: str, stream: BinaryIO, *, max_bytes: int) -> None:
        self.url = self.final_url = name
        self._body = Body(name, partial(_read, name, stream), max_bytes=max_bytes)

    @property
    def complete(self) -> bool:
        return self._body.whole and self.delimited

    @property
    def delimited(self) -> bool:
        """A file has an end; a pipe just stops, whether its writer was done or died."""
        return self.url != STDIN or self._body.gzip

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self._body.findings

    def header(self, name: str) -> None:
        del name

    def chunks(self) -> Iterator[bytes]:
        return self._body.chunks()


@contextmanager
def _open(name: str, stdin: BinaryIO) -> Iterator[BinaryIO]:
    if name == STDIN:
        yield stdin
        return
    try:
        stream = open(name, "rb")  # noqa: SIM115 - closed below; only opening may fail like this
    except OSError as error:
        raise failure(name, "file-unreadable", error.strerror or "cannot be opened") from error
    with stream:
        yield stream


def _read(name: str, stream: BinaryIO) -> bytes:
    try:
        return stream.read(READ_BYTES)
    except OSError as error:
        raise failure(name, "file-unreadable", error.strerror or "cannot be read") from error
