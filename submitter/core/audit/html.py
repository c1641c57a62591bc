"""What a page says of itself, from its HTML. Any text gives some facts; none takes more than
linear time.

A scanner of our own, because `html.parser` of older Pythons takes quadratic time over broken
markup, and a page comes from a stranger. Tags end where browsers end them.
Source: https://html.spec.whatwg.org/multipage/parsing.html#tokenization, read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

PAGE_BYTES: Final = 2_000_000
"""So much of a page is read. Source: Google reads the first 2 MB of HTML,
https://developers.google.com/search/docs/crawling-indexing/googlebot, not looked up: unsure."""
SNIFFED_BYTES: Final = 1_024
"""A page names its encoding within these. Source: as above, section "prescan"."""

_PLAIN_END: Final = (
    r"""[^>"'=]*+(?:=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'=][^\s>"'=]*+(?=[\s>]))[^>"'=]*+)*+>"""
)
_MARKUP: Final = re.compile(rf"<(?:(/?)([A-Za-z][^\s/>]*+)({_PLAIN_END})?+|[!?/])").search
"""A tag, to its end where that is plain; or the beginning of something else."""
_ATTRIBUTE: Final = re.compile(r"[\s/]*+(?:(?P<end>>)|(?P<name>=?[^\s/>=]*+)(?P<is>\s*+=\s*+)?)")
_BARE: Final = re.compile(r"[^\s>]*+")
RAW: Final = frozenset(
    {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
)
"""What stands in these is text to their end tag."""
_NONE: Final = frozenset[str]()
_CHARSET: Final = re.compile(
    rb"""(?i)<meta\s[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9._:-]{2,40})"""
)
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class Tag(NamedTuple):
    """A start tag; an end tag when `closes`. Attributes only where they were asked for, as they
    are spelled."""

    name: str
    closes: bool
    attributes: Mapping[str, str]


Token = Tag | str
"""A tag, or the text between two."""


def decode_page(data: bytes, charset: str | None) -> str:
    """The text of a page: mark, HTTP header, the page's own word, UTF-8. Never raises."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    named = _CHARSET.search(data[:SNIFFED_BYTES])
    for label in (charset, named[1].decode("ascii") if named else None):
        if label and (text := _decoded(data, label)) is not None:
            return text
    return data.decode("utf-8", "replace")


def _decoded(data: bytes, label: str) -> str | None:
    """None: no encoding of text by that name."""
    try:
        text = data.decode(label, "replace")
    except (LookupError, ValueError):
        return None
    return text if isinstance(text, str) else None


def tokens(page: str, wanted: frozenset[str], passed: frozenset[str] = _NONE) -> Iterator[Token]:
    """The page's tags and texts in order; text of a script, style and the like as it stands.
    `wanted` tags come with their attributes, `passed` ones and `RAW` without; others not at all."""
    tags = {name: (Tag(name, False, {}), Tag(name, True, {})) for name in wanted | passed | RAW}
    at = 0
    while found := _MARKUP(page, at):
        begin, name = found.start(), found[2]
        if begin > at:
            yield page[at:begin]
        if name is None:
            at = _comment_end(page, begin)
            continue
        name, closes = name.lower(), bool(found[1])
        if found[3] is not None and (closes or name not in wanted):
            at, attributes = found.end(), None
        else:
            attributes, at = _attributes(page, found.end(2))
            if attributes is None:
                return
        if name in tags:
            given = not closes and attributes and name in wanted
            yield Tag(name, False, attributes) if given and attributes else tags[name][closes]
        if name in RAW and not closes:
            end = _raw_end(page, name, at)
            yield page[at:end]
            at = end
    if at < len(page):
        yield page[at:]


def _comment_end(page: str, begin: int) -> int:
    closer = "-->" if page.startswith("<!--", begin) else ">"
    end = page.find(closer, begin + 2)
    return len(page) if end < 0 else end + len(closer)


def _raw_end(page: str, name: str, at: int) -> int:
    found = re.compile(f"(?i)</{name}(?=[\\s/>])").search(page, at)
    return found.start() if found else len(page)


def _attributes(page: str, at: int) -> tuple[dict[str, str] | None, int]:
    """A tag's attributes from its name on, and where it ends; None when the page ends first."""
    attributes: dict[str, str] = {}
    while at < len(page):
        part = _ATTRIBUTE.match(page, at)
        assert part is not None  # noqa: S101 # it fits the empty text
        at = part.end()
        if part["end"]:
            return attributes, at
        value = ""
        if part["is"]:
            value, at = _value(page, at)
        elif not part["name"]:
            break
        if at < 0:
            break
        attributes.setdefault(part["name"].lower(), value)
    return None, len(page)


def _value(page: str, at: int) -> tuple[str, int]:
    """An attribute's value and where it ends; -1: the page ends inside it."""
    quote = page[at : at + 1]
    if quote and quote in "\"'":
        end = page.find(quote, at + 1)
        return (page[at + 1 : end], end + 1) if end >= 0 else ("", -1)
    found = _BARE.match(page, at)
    assert found is not None  # noqa: S101 # it fits the empty text
    return found[0], found.end()
