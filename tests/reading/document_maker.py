"""Makes sitemaps in every spelling that means the same, with what a right reader finds in them.

All choices come from a `Chooser`, so that Hypothesis and the fuzzer share the maker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from xml.sax.saxutils import escape

T = TypeVar("T")

NAMESPACES = (
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
    'xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
)
PADDING = f"<!-- {'-=' * 2100} -->"
"""Longer than what is sniffed, so that small blocks are cut inside the entries."""

PATHS = ("/", "/a", "/p/7?x=1&y=2", "/é", "/产品/🙂", "/%7Ea/../b", "/a b", "/x<y>'\"z", "/a#top")
DATES = ("", "2024-01-08", "2024-01-08T10:00:00+08:00", "2024-01-08T10:00:00", "nonsense", "2031")


PLAIN_EXTRAS = (
    "<changefreq>daily</changefreq>",
    "<priority>0.5</priority>",
    "<image:image><image:loc>https://h/i.jpg</image:loc></image:image>",
    "<image:image>\n<image:loc>https://h/i</image:loc>\n<image:title>></image:title>\n</image:image>",
    '<xhtml:link rel="alternate" hreflang="de" href="https://h/de?a=1&amp;b=2"/>',
    '<xhtml:link rel="alternate" href="https://h/de" hreflang="de" />',
    "<news:news><news:publication><news:name>N</news:name></news:publication></news:news>",
)
ODD_EXTRAS = (
    '<xhtml:link href="https://h/de" rel="alternate" hreflang="de" />',
    "<image:image><loc>https://h/not-a-page</loc></image:image>",
    "<image:image><![CDATA[<loc>https://h/no</loc>]]></image:image>",
)


class Chooser(Protocol):
    """Where choices come from."""

    def __call__(self, options: Sequence[T], /) -> T: ...


@dataclass(frozen=True)
class Made:
    """A document and its addresses, in order."""

    data: bytes
    locs: tuple[str, ...]
    charset: str | None


def make_document(choose: Chooser, size: int, *, padded: bool = True) -> Made:
    """A well-formed sitemap with that many entries. Every other one is as generators write it."""
    plain = choose((True, False))
    prefix = "" if plain else choose(("", "sit:"))
    tag = choose(("url", "url", "sitemap"))
    root = {"url": "urlset", "sitemap": "sitemapindex"}[tag]
    locs = [f"https://h.example{choose(PATHS)}{'' if n % 3 else n}" for n in range(size)]
    make = _plain_entry if plain else _entry
    entries = [make(choose, prefix, tag, loc) for loc in locs]
    codec, declared, charset = choose(
        (
            ("utf-8", "UTF-8", None),
            ("utf-8", "UTF-8", None),
            ("utf-8-sig", "UTF-8", None),
            ("utf-8", "", "utf-8"),
            ("utf-16", "UTF-16", None),
            ("gb18030", "GB2312", None),
        )
    )
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    bound = f"xmlns{':sit' if prefix else ''}"
    opening = f'<{prefix}{root} {bound}="http://www.sitemaps.org/schemas/sitemap/0.9" {NAMESPACES}>'
    body = "".join(choose(("\n", "", "\r\n", " \t")) + entry for entry in entries)
    padding = PADDING if padded else ""
    document = (
        f"{head}{padding}\n{opening}{body}\n</{prefix}{root}>{choose(('', '<!-- x -->', chr(10)))}"
    )
    return Made(document.encode(codec), tuple(locs), charset)


def _plain_entry(choose: Chooser, _prefix: str, tag: str, loc: str) -> str:
    date = choose(DATES)
    blank = choose(("", "\n  "))
    parts = [f"<loc>{escape(loc)}</loc>"]
    if date:
        parts.append(f"<lastmod>{date}</lastmod>")
    parts += [choose(PLAIN_EXTRAS) for _ in range(choose((0, 1, 2)))]
    return f"<{tag}>{blank}{blank.join(parts)}{blank}</{tag}>"


def _entry(choose: Chooser, prefix: str, tag: str, loc: str) -> str:
    date = choose(DATES)
    parts = [_element(choose, f"{prefix}loc", loc)]
    if date:
        parts.append(_element(choose, f"{prefix}lastmod", date))
    parts += [_extra(choose) for _ in range(choose((0, 0, 1, 2)))]
    if choose((True, True, True, False)) is False:
        parts.reverse()
    blank = choose(("", "\n", "  ", "<!-- <loc>https://h/no</loc> -->", "<?pi > ?>"))
    attribute = choose(("", "", "", ' id="1"'))
    return f"<{prefix}{tag}{attribute}>{blank}{blank.join(parts)}{blank}</{prefix}{tag}>"


def _element(choose: Chooser, name: str, text: str) -> str:
    middle = len(text) // 2
    spelled = choose(
        (
            escape(text),
            escape(text),
            f"\n  {escape(text)}\t",
            f"<![CDATA[{text}]]>",
            f"{escape(text[:middle])}<![CDATA[{text[middle:]}]]>",
            f"{escape(text[:middle])}<!-- > & -->{escape(text[middle:])}",
            "".join(f"&#{ord(char)};" for char in text),
            escape(text, {"'": "&apos;", '"': "&quot;"}),
            escape(text).replace("&amp;", "&#x26;"),
        )
    )
    return f"<{name}>{spelled}</{name}>"


def _extra(choose: Chooser) -> str:
    return choose((*PLAIN_EXTRAS, *ODD_EXTRAS))
