"""Reads lines of any format; it is found anew wherever the last one does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from submitter.core.crawl.agents import Agents
from submitter.core.crawl.balancers import BalancerFormat
from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import BadLine, Hit, Understood
from submitter.core.crawl.jsonlines import JsonFormat
from submitter.core.crawl.masks import MaskFormat
from submitter.core.crawl.met import HostHours, sample
from submitter.core.crawl.places import parted
from submitter.core.crawl.quoted import QuotedFormat
from submitter.core.crawl.times import Times
from submitter.core.crawl.w3c import W3cFormat

LONGEST: Final = 65_536
"""Bytes of a line at most; longer ones are rejected unread."""
EXAMPLES: Final = 3
SHOWN: Final = 120

BOM: Final = b"\xef\xbb\xbf"


class Format(Protocol):
    """One way to write a request into a line."""

    name: str

    def scan(
        self,
        lines: Sequence[bytes],
        start: int,
        agents: Mapping[bytes, Bot | None],
        found: list[Understood],
    ) -> int:
        """Go through the lines from `start` on and add those of bots; the number of the first that
        needs a closer look, or of all lines. Most lines are no bot's: nothing of them is read but
        the user agent."""

    def looks(self, line: bytes) -> bool:
        """Whether the line means to be of this format."""

    def hit_of(self, line: bytes) -> Hit:
        """All of it. Raises BadLine."""


@dataclass(slots=True)
class Reading:
    """What became of the lines: `lines` = `bots` + `others` + rejected. Blank lines and comments
    count nowhere."""

    lines: int = 0
    bots: int = 0
    others: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def reject(self, reason: str, line: bytes) -> None:
        self.rejected[reason] += 1
        some = self.examples.setdefault(reason, [])
        if len(some) < EXAMPLES:
            some.append(line[:SHOWN].partition(b"?")[0].decode("utf-8", "backslashreplace"))


class LineReader:
    """Gives the bots' lines of a log with what stands in them, and counts all others."""

    def __init__(self, mask: str | None = None) -> None:
        """Raises ConfigError for a bad mask."""
        times = Times()
        self.reading = Reading()
        self.met = HostHours()
        """Of lines in the format of most."""
        self._agents = Agents()
        self._w3c = (W3cFormat(times, b"\t"), W3cFormat(times, b" "))
        self._formats: tuple[Format, ...] = (
            QuotedFormat(times),
            JsonFormat(times),
            BalancerFormat(times),
            *self._w3c,
        )
        if mask is not None:
            self._formats = (MaskFormat(mask, times),)
        self._likely: Format = self._formats[0]
        self._at_start = True

    def begin_file(self) -> None:
        """What the last file said of its fields does not hold any more."""
        for format in self._w3c:
            format.forget()
        self._at_start = True

    def read(self, lines: Sequence[bytes]) -> list[Understood]:
        """The bots' lines among these, which come without their ends."""
        if self._at_start and lines:
            self._at_start = False
            lines = [lines[0].removeprefix(BOM), *lines[1:]]
        found: list[Understood] = []
        start, end = 0, len(lines)
        while start < end:
            likely, before = self._likely, len(found)
            at = likely.scan(lines, start, self._agents, found)
            bots = len(found) - before
            self._count(likely, bots=bots, others=at - start - bots)
            if at < end:
                found += self._look_closer(lines[at])
            start = at + 1
        self._look_at_samples(lines)
        return found

    def _look_at_samples(self, lines: Sequence[bytes]) -> None:
        for line in sample(lines) if lines else ():
            with suppress(BadLine):
                hit = self._likely.hit_of(line.rstrip(b"\r"))
                self.met.add(parted(hit.host, hit.target)[0], hit.at)

    def _count(self, format: Format, *, bots: int = 0, others: int = 0) -> None:
        if bots or others:
            self.reading.lines += bots + others
            self.reading.bots += bots
            self.reading.others += others
            self.reading.formats[format.name] += bots + others

    def _look_closer(self, line: bytes) -> list[Understood]:
        """The slow path, for what the likely format does not fit at first sight."""
        line = line.rstrip(b"\r\n")
        if not line.strip():
            return []
        if line.startswith(b"#"):
            for w3c in self._w3c:
                w3c.directive(line)
            return []
        if len(line) > LONGEST:
            return self._reject("too-long", line)
        reason = "unknown-format" if len(self._formats) > 1 else "not-the-mask"
        for format in self._formats:
            if not format.looks(line):
                continue
            try:
                return self._accept(format, line)
            except BadLine as problem:
                reason = problem.reason
        return self._reject(reason, line)

    def _accept(self, format: Format, line: bytes) -> list[Understood]:
        hit = format.hit_of(line)
        bot = self._agents[hit.agent]
        if bot is not None and not hit.target:
            raise BadLine("bad-request")
        self._likely = format
        self._count(format, bots=int(bot is not None), others=int(bot is None))
        return [] if bot is None else [(line, bot, hit)]

    def _reject(self, reason: str, line: bytes) -> list[Understood]:
        self.reading.lines += 1
        self.reading.reject(reason, line)
        return []
