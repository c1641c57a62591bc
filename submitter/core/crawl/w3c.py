"""W3C extended logs: IIS with blanks, CloudFront with tabs. A `#Fields` line names the fields.

Sources: https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging,
https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html
(as generally known, not read anew). Times are UTC in both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote_to_bytes

from submitter.core.crawl.agents import scan
from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import BadLine, Hit, Understood
from submitter.core.crawl.quoted import size_of, status_of
from submitter.core.crawl.times import Times

_FIELDS: Final = b"#Fields:"
_CLOUDFRONT: Final = tuple(
    b"date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer)"
    b" cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header"
    b" cs-protocol cs-bytes time-taken".split()
)
"""How a CloudFront line begins since 2014; later fields only ever came at its end."""

_NEEDED: Final = (b"date", b"time", b"c-ip", b"cs-uri-stem", b"sc-status")
_starts_with_time: Final = re.compile(rb"\d{4}-\d\d-\d\d([ \t])\d\d:\d\d:\d\d[ \t]").match


class W3cFormat:
    """Fields parted by `blank`, as the newest `#Fields` line names them; for tabs, CloudFront's own
    order where there was none."""

    name = "w3c"

    def __init__(self, times: Times, blank: bytes) -> None:
        self._times, self._blank = times, blank
        self.forget()

    def forget(self) -> None:
        self._learn(_CLOUDFRONT if self._blank == b"\t" else ())

    def directive(self, line: bytes) -> None:
        """A line that begins with `#`."""
        if not line.startswith(_FIELDS):
            return
        rest = line.removeprefix(_FIELDS).strip()
        names = rest.split()
        tabbed = b"\t" in rest or b"x-edge-location" in names
        if tabbed is (self._blank == b"\t"):
            self._learn(names if all(name in names for name in _NEEDED) else ())

    def _learn(self, names: Sequence[bytes]) -> None:
        self._at = {name: at for at, name in enumerate(names)}
        self._count = len(names)
        self._agent = self._at.get(b"cs(User-Agent)", -1)

    def scan(
        self,
        lines: Sequence[bytes],
        start: int,
        agents: Mapping[bytes, Bot | None],
        found: list[Understood],
    ) -> int:
        return scan(self, lines, start, agents, found)

    def agent_of(self, line: bytes) -> bytes | None:
        fields = line.split(self._blank)
        if len(fields) < self._count or self._agent < 0 or line[:1] == b"#":
            return None
        return fields[self._agent]

    def looks(self, line: bytes) -> bool:
        found = _starts_with_time(line)
        return found is not None and found[1] == self._blank

    def hit_of(self, line: bytes) -> Hit:
        if not self._count:
            raise BadLine("no-fields-line")
        fields = line.split(self._blank)
        if len(fields) < self._count:
            raise BadLine("too-few-fields")
        return Hit(
            self._value(fields, b"x-host-header") or self._value(fields, b"cs-host", b"cs(Host)"),
            self._value(fields, b"c-ip"),
            self._times.read(fields[self._at[b"date"]] + b"T" + fields[self._at[b"time"]]),
            self._target(fields),
            status_of(self._value(fields, b"sc-status")),
            size_of(self._value(fields, b"sc-bytes")),
            _agent(self._value(fields, b"cs(User-Agent)"), self._blank),
        )

    def _value(self, fields: Sequence[bytes], *names: bytes) -> bytes:
        for name in names:
            if name in self._at and fields[self._at[name]] != b"-":
                return fields[self._at[name]]
        return b""

    def _target(self, fields: Sequence[bytes]) -> bytes:
        stem = self._value(fields, b"cs-uri-stem")
        query = self._value(fields, b"cs-uri-query")
        if not stem.startswith(b"/"):
            raise BadLine("bad-request")
        return stem + b"?" + query if query else stem


def _agent(written: bytes, blank: bytes) -> bytes:
    """IIS writes `+` for a blank, CloudFront escapes it."""
    return unquote_to_bytes(written) if blank == b"\t" else written.replace(b"+", b" ")
