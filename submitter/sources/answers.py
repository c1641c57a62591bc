"""The answer of a site: what its head says, and its body while it streams."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from email.errors import FirstHeaderLineIsContinuationDefect, MissingHeaderBodySeparatorDefect
from functools import partial
from typing import Final

from submitter.core.findings import Finding
from submitter.core.looks import Validators
from submitter.core.retry_after import retry_after_seconds
from submitter.errors import FetchError
from submitter.ports import Clock
from submitter.sources.bodies import Body
from submitter.sources.connections import Connection
from submitter.sources.deadlines import Deadline
from submitter.sources.reasons import failure, note
from submitter.sources.sockets import READ_BYTES

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
PERMANENT: Final = frozenset({301, 308})
ASK_LATER: Final = frozenset({429, 503})

_NOT_OFFERED: Final = frozenset({"br", "zstd", "deflate", "compress", "x-compress", "dcb", "dcz"})
_NAMELESS: Final = (MissingHeaderBodySeparatorDefect, FirstHeaderLineIsContinuationDefect)
_BAD_BYTES: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MAX_VALIDATOR: Final = 1_024


class Head:
    """Status and headers of an answer, judged. Raises FetchError where they are unusable."""

    def __init__(self, url: str, response: http.client.HTTPResponse) -> None:
        self.url, self.status, self._headers = url, response.status, response.msg
        self._refuse_unreadable()
        self.framed = self._is_framed(response)

    @property
    def location(self) -> str | None:
        """Where a redirect leads."""
        return self._header("Location") if self.status in REDIRECTS else None

    @property
    def content_type(self) -> str:
        """Lower case, without parameters; empty when the site does not say."""
        return (self._header("Content-Type") or "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        return self._headers.get_content_charset()

    @property
    def validators(self) -> Validators:
        return Validators(_usable(self._header("ETag")), _usable(self._header("Last-Modified")))

    @property
    def robots_tags(self) -> tuple[str, ...]:
        return tuple(self._headers.get_all("X-Robots-Tag", []))

    def header(self, name: str) -> str | None:
        found = self._headers.get_all(name)
        return None if found is None else ", ".join(found)

    @property
    def encodings(self) -> frozenset[str]:
        written = ",".join(self._headers.get_all("Content-Encoding", []))
        return frozenset(part.strip().lower() for part in written.split(","))

    def check_usable(self, *, conditional: bool) -> None:
        """200, 203, and 304 where it was asked for; FetchError for everything else."""
        if self.status == 304:
            if not conditional:
                raise failure(self.url, "unexpected-304", "304 to a fresh request", http_status=304)
        elif self.status not in (200, 203):
            raise self.refusal(None)
        elif strange := self.encodings & _NOT_OFFERED:
            raise failure(self.url, "bad-encoding", f"Content-Encoding {min(strange)}")

    def refusal(self, wait_s: float | None) -> FetchError:
        code = self.status
        problem = f"status {code}" + (" without Location" if code in REDIRECTS else "")
        return failure(self.url, f"http-{code}", problem, http_status=code, retry_after_s=wait_s)

    def wait_s(self, now: datetime) -> float | None:
        """What Retry-After asks for."""
        return retry_after_seconds(self._header("Retry-After"), now=now, date=self._header("Date"))

    def _header(self, name: str) -> str | None:
        return self._headers.get(name)

    def _refuse_unreadable(self) -> None:
        """A line that is no header ends the headers for the parser, so all after it is lost."""
        broken = any(isinstance(defect, _NAMELESS) for defect in self._headers.defects)
        if broken or any(_BAD_BYTES.search(value) for value in self._headers.values()):
            raise failure(self.url, "bad-response", "headers that cannot be read")

    def _is_framed(self, response: http.client.HTTPResponse) -> bool:
        """Whether the body says where it ends. Lengths and codings that make no sense are refused,
        because guessing at the end of a body is how its rest becomes the next answer."""
        coding = self._header("Transfer-Encoding")
        if coding is not None and coding.strip().lower() != "chunked":
            raise failure(self.url, "bad-response", f"Transfer-Encoding {coding[:40]!r}")
        lengths = {value.strip() for value in self._headers.get_all("Content-Length", [])}
        if coding is None and (len(lengths) > 1 or not all(map(str.isdecimal, lengths))):
            raise failure(self.url, "bad-response", f"Content-Length {min(lengths)[:40]!r}")
        return response.length is not None or response.chunked


def _usable(value: str | None) -> str | None:
    """Kept only if it can be sent back as it is."""
    if value is None or len(value) > _MAX_VALIDATOR or not value.isprintable():
        return None
    return value.strip() or None


class Exchange:
    """A request on its way: the connection, the answer's head, and the place at the host."""

    def __init__(
        self, connection: Connection, response: http.client.HTTPResponse, leave: Callable[[], None]
    ) -> None:
        self.connection, self.response = connection, response
        self._leave: Callable[[], None] | None = leave

    def read(self, url: str) -> bytes:
        """The next raw bytes of the body, empty at its end; FetchError when it breaks off."""
        if self._leave is None:
            raise failure(url, "body-cut", "read after the fetch was over")
        try:
            data = self.response.read1(READ_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise failure(url, "body-cut", f"broken off ({type(error).__name__})") from error
        if not data and self.response.length:
            raise failure(url, "body-cut", f"{self.response.length} bytes are missing")
        return data

    def close(self, keep: Callable[[Connection], None] | None = None) -> None:
        """Leave the host. `keep` takes the connection when it can serve another request."""
        if self._leave is None:
            return
        leave, self._leave = self._leave, None
        try:
            self.response.close()
            if keep is None or self.response.will_close:
                self.connection.close()
            else:
                keep(self.connection)
        finally:
            leave()


class WebAnswer:
    """`ports.Fetched` over a connection."""

    def __init__(
        self,
        url: str,
        head: Head,
        exchange: Exchange,
        *,
        sent: Validators,
        deadline: Deadline,
        clock: Clock,
        max_bytes: int,
        findings: tuple[Finding, ...],
    ) -> None:
        self.url, self.final_url = url, head.url
        self.status = 304 if head.status == 304 else 200
        self.content_type, self.charset = head.content_type, head.charset
        self.validators, self.robots_tags = head.validators, head.robots_tags
        if self.status == 304 and self.validators == Validators():
            self.validators = sent
        self._head, self._exchange = head, exchange
        self._deadline, self._clock = deadline, clock
        self._body = Body(url, partial(exchange.read, url), max_bytes=max_bytes)
        self._findings = findings

    @property
    def complete(self) -> bool:
        return self.status == 304 or (self._body.whole and self.delimited)

    @property
    def delimited(self) -> bool:
        return self._head.framed or self._body.gzip

    @property
    def findings(self) -> tuple[Finding, ...]:
        announced = self._head.encodings & {"gzip", "x-gzip"}
        plain = announced and not (self._body.gzip or self._body.empty)
        lie = (note("not-gzip", self.url),) if plain else ()
        return self._findings + self._body.findings + lie

    def header(self, name: str) -> str | None:
        return self._head.header(name)

    def chunks(self) -> Iterator[bytes]:
        """The site is not slow while we parse and store: that time is given back."""
        for piece in self._body.chunks():
            before = self._clock.monotonic()
            yield piece
            self._deadline.lend(self._clock.monotonic() - before)

    def close(self, keep: Callable[[Connection], None]) -> None:
        """The connection lives on when the answer was read to its very end."""
        whole = self._body.ended and not self._body.has_tail
        self._exchange.close(keep if whole or self.status == 304 else None)
