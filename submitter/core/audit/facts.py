"""What a page says of itself: its title, what it asks of engines, and its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Final
from urllib.parse import urljoin

from submitter.core.audit.fingerprint import LEAST_WORDS, Fingerprint, fingerprint_of, words_of
from submitter.core.audit.html import Tag, tokens
from submitter.core.prelaunch import forbids_indexing

CRAWLERS_META: Final = frozenset({"robots", "googlebot", "bingbot", "baiduspider", "yandex"})
"""Names under which a page speaks to engines. Sources: developers.google.com/search/docs
(robots-meta-tag), read 2026-11-30; the others as generally known, unsure."""

BOILERPLATE: Final = frozenset(
    {"nav", "header", "footer", "aside", "noscript", "template", "svg", "select", "dialog"}
)
_NOT_TEXT: Final = frozenset(
    {"script", "style", "iframe", "noembed", "noframes", "xmp", "textarea"}
)
_WANTED: Final = frozenset({"meta", "link", "input", "time", "base"})
_PASSED: Final = BOILERPLATE | {"main", "h1", "head", "body"}
_MOST_LINKS: Final = 500
"""Alternates and canonical links kept of a page."""
_MODIFIED: Final = frozenset({"article:modified_time", "og:updated_time", "datemodified"})
_JSON_DATE: Final = re.compile(r'"dateModified"\s*:\s*"([^"]{4,40})"').search
_OFFERS: Final = re.compile(
    r'"(?:price|lowPrice|highPrice|availability)"\s*:\s*"?([^",}\s]{1,80})'
).findall
_PRICE_META: Final = frozenset({"product:price:amount", "og:price:amount", "price", "availability"})
_MONEY: Final = r"(?:[€$£¥₽₹₩元]|EUR|USD|GBP|CNY|RMB|JPY|RUB|CHF|PLN)"
_AMOUNTS: Final = re.compile(r"[0-9]++(?:[.,'\u00a0 ][0-9]{2,3})*+").finditer
_MONEY_BEFORE: Final = re.compile(rf"{_MONEY}\s?$").search
_MONEY_AFTER: Final = re.compile(rf"\s?{_MONEY}").match
_REFRESH: Final = re.compile(
    r"""(?i)\s*\d{0,6}(?:\.\d{0,6})?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)"""
)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Addresses are absolute where they could be resolved, as the page spells them otherwise."""

    title: str = ""
    heading: str = ""
    noindex: bool = False
    canonicals: tuple[str, ...] = ()
    """Distinct, in order."""
    alternates: tuple[tuple[str, str], ...] = ()
    """(hreflang, address)."""
    refresh: str = ""
    """Where `<meta http-equiv=refresh>` leads."""
    has_password: bool = False
    modified: str = ""
    """The date of the last change that the page names, as it spells it."""
    text: Fingerprint = Fingerprint("", 0, 0)


def page_facts(page: str, *, url: str) -> PageFacts:
    """Read a page that came from `url`. Any text gives facts."""
    reader = _Reader(url)
    for token in tokens(page, _WANTED, _PASSED):
        if isinstance(token, Tag):
            reader.take_tag(token)
        else:
            reader.take_text(token)
    return reader.facts()


class _Reader:
    """Follows the tags of one page; holds its words and what its head says."""

    def __init__(self, url: str) -> None:
        self._base = url
        self._in_head, self._raw = True, ""
        self._open: dict[str, int] = {}
        self._hidden = 0
        self._main = 0
        self._in_heading = False
        self._title: list[str] = []
        self._heading: list[str] = []
        self._text: list[str] = []
        self._main_text: list[str] = []
        self._whole_text: list[str] = []
        self._noindex = self._password = False
        self._refresh = self._modified = ""
        self._canonicals: dict[str, None] = {}
        self._alternates: list[tuple[str, str]] = []
        self._prices: list[str] = []

    def take_tag(self, tag: Tag) -> None:
        name = tag.name
        self._raw = "" if tag.closes else name
        if name in BOILERPLATE:
            self._hide(name, -1 if tag.closes else 1)
        elif name == "main":
            self._main = max(0, self._main + (-1 if tag.closes else 1))
        elif name == "h1":
            self._in_heading = not tag.closes
        elif name == "body" or (name == "head" and tag.closes):
            self._in_head = False
        elif tag.attributes:
            said = {key: unescape(value) for key, value in tag.attributes.items()}
            self._take_attributes(name, said)

    def _hide(self, name: str, step: int) -> None:
        """An end tag that nothing opened hides nothing."""
        before = self._open.get(name, 0)
        self._open[name] = max(0, before + step)
        self._hidden += self._open[name] - before

    def _take_attributes(self, name: str, said: Mapping[str, str]) -> None:
        match name:
            case "meta":
                self._take_meta(said)
            case "link" if self._in_head:
                self._take_link(said)
            case "base" if self._in_head:
                self._base = self._absolute(said.get("href", ""))
            case "input":
                kind = said.get("type", "").strip().lower()
                self._password = self._password or kind == "password"
            case "time" if said.get("itemprop", "").lower() == "datemodified":
                self._modified = self._modified or said.get("datetime", "").strip()

    def _take_meta(self, said: Mapping[str, str]) -> None:
        name = (said.get("name") or said.get("property") or said.get("itemprop") or "").lower()
        content = said.get("content", "")
        if name.strip() in CRAWLERS_META and self._in_head:
            self._noindex = self._noindex or forbids_indexing(content)
        elif name in _MODIFIED:
            self._modified = self._modified or content.strip()
        elif name in _PRICE_META:
            self._prices.append(content.strip())
        elif said.get("http-equiv", "").strip().lower() == "refresh" and not self._refresh:
            found = _REFRESH.match(content)
            self._refresh = self._absolute(found[1].strip()) if found else ""

    def _take_link(self, said: Mapping[str, str]) -> None:
        rel = said.get("rel", "").lower().split()
        href = said.get("href", "").strip()
        if not href or len(self._canonicals) + len(self._alternates) >= _MOST_LINKS:
            return
        if "canonical" in rel:
            self._canonicals[self._absolute(href)] = None
        elif "alternate" in rel and said.get("hreflang", "").strip():
            self._alternates.append((said["hreflang"].strip().lower(), self._absolute(href)))

    def _absolute(self, href: str) -> str:
        try:
            return urljoin(self._base, href.strip())
        except ValueError:
            return href

    def take_text(self, text: str) -> None:
        if self._raw == "script":
            found = _JSON_DATE(text)
            self._modified = self._modified or (found[1] if found else "")
            self._prices += _OFFERS(text)
        elif self._raw == "title":
            self._title.append(unescape(text))
        elif self._raw not in _NOT_TEXT and not text.isspace():
            self._take_words(unescape(text))

    def _take_words(self, text: str) -> None:
        if self._in_heading:
            self._heading.append(text)
        self._whole_text.append(text)
        if not self._hidden:
            (self._main_text if self._main else self._text).append(text)

    def facts(self) -> PageFacts:
        title = _line(self._title)
        text, words = self._chosen_text()
        prices = [*self._prices, *_prices_in(text)]
        return PageFacts(
            title=title,
            heading=_line(self._heading),
            noindex=self._noindex,
            canonicals=tuple(self._canonicals),
            alternates=tuple(dict.fromkeys(self._alternates)),
            refresh=self._refresh,
            has_password=self._password,
            modified=self._modified[:40],
            text=fingerprint_of([*words_of(title), *words], prices),
        )

    def _chosen_text(self) -> tuple[str, list[str]]:
        """That of `<main>`; else without boilerplate; else, when little is left, all of it."""
        for parts in (self._main_text, self._main_text + self._text):
            text = " ".join(parts)
            words = words_of(text)
            if len(words) >= LEAST_WORDS:
                return text, words
        text = " ".join(self._whole_text)
        return text, words_of(text)


def _prices_in(text: str) -> Iterator[str]:
    """Amounts beside a currency."""
    for amount in _AMOUNTS(text):
        begin, end = amount.span()
        if _MONEY_BEFORE(text[max(0, begin - 4) : begin]) or _MONEY_AFTER(text[end : end + 4]):
            yield amount[0]


def _line(parts: list[str]) -> str:
    return " ".join(" ".join(parts).split())[:300]
