"""robots.txt: which sitemaps it names, and whom it lets in.

Protego judges the rules. The Sitemap lines are read here: it loses the first one after a byte order
mark, all of them in UTF-16, and takes some that are none. Sources: RFC 9309 and
https://www.sitemaps.org/protocol.html#submit_robots, read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from submitter.core.encodings import REPLACED, decoder_of, find_encoding
from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.notes import Notes
from submitter.core.sniff import HEAD, title_of
from submitter.core.urls import BadUrl, normalize

if TYPE_CHECKING:
    from protego import Protego

MAX_BYTES: Final = 512_000
"""500 KiB are read; what stands after them is not. Source: RFC 9309 section 2.5,
read 2026-11-30."""

ROBOTS_IDS: Final = {
    "html-instead-of-robots": Meaning(
        Severity.ERROR, "a web page was served in place of robots.txt; no rule and no sitemap"
    ),
    "robots-too-long": Meaning(
        Severity.WARNING, "longer than 500 KiB; crawlers may read no further, and we do not"
    ),
    "robots-not-utf8": Meaning(
        Severity.WARNING, "not in UTF-8; many crawlers will not understand it"
    ),
    "relative-sitemap": Meaning(
        Severity.WARNING, "a Sitemap line without a full address; it was resolved"
    ),
    "bad-sitemap-line": Meaning(Severity.WARNING, "a Sitemap line with no usable address"),
    "line-without-colon": Meaning(
        Severity.WARNING, "a line that looks like Sitemap, without colon"
    ),
}
"""Ids of findings about robots.txt, for the docs. They only grow."""

_NEWLINE: Final = re.compile(r"\r\n?")
_ABSOLUTE: Final = re.compile(r"(?i)https?://").match
_SITEMAP: Final = re.compile(r"(?i)\s*site-?maps?\s*:(.*)").fullmatch
_NO_COLON: Final = re.compile(r"(?i)\s*site-?maps?\s+https?://\S+\s*").fullmatch
_ALLOW: Final = re.compile(r"(?im)^\s*allow\s*:\s*([^\s#]+)").findall
_PROBES: Final = ("/", "/7c0e8d2f-nowhere", "/?7c0e8d2f=nowhere", "/7c0e8d2f/nowhere.html")
"""The front page, and addresses that no rule names: only a rule for everything closes them."""
_ALLOWED_PROBED: Final = 1_000


@dataclass(frozen=True, slots=True)
class Robots:
    """One robots.txt. `sitemaps` are absolute, as spelled, in order, each once."""

    sitemaps: tuple[str, ...]
    findings: tuple[Finding, ...]
    _rules: Protego
    _probes: tuple[str, ...] = _PROBES

    def allows(self, user_agent: str, url: str) -> bool:
        """Whether a crawler of that name (or whole user agent) may read the address."""
        return bool(self._rules.can_fetch(url, user_agent))

    def crawl_delay_s(self, user_agent: str) -> float:
        """Seconds that a crawler of that name is asked to leave between two fetches."""
        delay = self._rules.crawl_delay(user_agent)
        return max(0.0, float(delay)) if delay else 0.0

    def closes_site(self, user_agent: str) -> bool:
        """Whether that crawler may read nothing at all, whatever else is allowed to others."""
        return not any(self.allows(user_agent, probe) for probe in self._probes)


def parse_robots(data: bytes, *, url: str) -> Robots:
    """Read a robots.txt that came from `url`. Never raises: any bytes are some robots.txt."""
    from protego import Protego

    notes = Notes(url, ROBOTS_IDS)
    text, codec = _text_of(data, notes)
    if text.lstrip().startswith("<"):
        notes.add("html-instead-of-robots", detail=title_of(text[:HEAD]))
        text = ""
    elif codec != "utf-8" or REPLACED in text:
        notes.add("robots-not-utf8", detail=codec if codec != "utf-8" else "")
    sitemaps = _sitemaps(text, url, notes)
    return Robots(sitemaps, notes.findings(), Protego.parse(text), (*_PROBES, *_allowed(text)))


def _text_of(data: bytes, notes: Notes) -> tuple[str, str]:
    """The part that counts, with plain newlines, without mark and NUL; and its encoding."""
    if len(data) > MAX_BYTES:
        notes.add("robots-too-long")
        data = data[:MAX_BYTES]
        data = data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]
    codec = find_encoding(data, None).codec
    text = decoder_of(codec).decode(data, final=True)
    return _NEWLINE.sub("\n", text.replace("\0", "")).lstrip("\ufeff"), codec


def _sitemaps(text: str, url: str, notes: Notes) -> tuple[str, ...]:
    """They belong to no group, so they count wherever they stand."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        here = partial(int, number)
        named = _SITEMAP(line)
        if named:
            address = named[1].partition("#")[0].strip()
            if address:
                _add_sitemap(address, url, found, notes, here)
        elif _NO_COLON(line):
            notes.add("line-without-colon", line=here, example=line.strip())
    return tuple(found.values())


def _add_sitemap(
    address: str, url: str, found: dict[str, str], notes: Notes, line: Callable[[], int]
) -> None:
    try:
        absolute = address if _ABSOLUTE(address) else urljoin(url, address)
        identity = normalize(absolute)
    except (BadUrl, ValueError) as error:
        notes.add("bad-sitemap-line", line=line, detail=str(error), example=address)
        return
    if REPLACED in absolute:
        notes.add("bad-sitemap-line", line=line, example=address)
        return
    if absolute is not address:
        notes.add("relative-sitemap", line=line, example=address)
    found.setdefault(identity, absolute)


def _allowed(text: str) -> list[str]:
    """An address for each rule that opens something, to see whether it opens it for a crawler."""
    paths = ("/" + rule.lstrip("/").rstrip("$").replace("*", "x") for rule in _ALLOW(text))
    return [path for path in paths if path != "/robots.txt"][:_ALLOWED_PROBED]
