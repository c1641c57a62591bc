"""Tells by its first characters what a document is, whatever its name and type say."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

HEAD: Final = 4_096
"""So many characters are looked at; fewer only where the document has no more."""

_PROLOG: Final = r"(?:\s++|<\?[^>]*+>|<!--(?:(?!-->).)*+-->)*+"
_HTML: Final = re.compile(
    rf"(?is){_PROLOG}<(?:!doctype\s+html|html|head|body|title|meta|script|link|div|h1|p|center)\b"
).match
_TITLE: Final = re.compile(r"(?is)<title[^>]*>([^<]{1,400})").search
_XML: Final = re.compile(r"<\?xml\s|<(?:urlset|sitemapindex)\b").search


class Form(Enum):
    XML = auto()
    LIST = auto()
    PAGE = auto()
    """HTML, which is never a sitemap."""
    JUNK = auto()
    """Something before XML, such as a warning of the program that wrote it."""
    BINARY = auto()


def form_of(head: str) -> Form:
    """`head` is the start of the document without marks and blanks."""
    if "\0" in head:
        return Form.BINARY
    if _HTML(head):
        return Form.PAGE
    if head.startswith("<"):
        return Form.XML
    return Form.JUNK if _XML(head) else Form.LIST


def title_of(head: str) -> str:
    """What a web page calls itself, 80 characters at most; empty if it does not say."""
    found = _TITLE(head)
    return " ".join(found[1].split())[:80] if found else ""
