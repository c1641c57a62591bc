"""Which encoding a document is in, and its bytes as text.

Order of belief: byte order mark, the shape of the first bytes, HTTP charset, XML declaration,
UTF-8. A label that the bytes plainly contradict (UTF-16 over single bytes) is not believed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

REPLACED: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for bytes that the encoding does not have. One that a document spells itself counts the
same: in an address it is always the trace of a lost character."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""UTF-32 first: its little-endian mark begins with that of UTF-16."""

_SHAPES: Final = (
    (re.compile(rb"[\t\n\r -~]\0\0\0").match, "utf-32-le"),
    (re.compile(rb"\0\0\0[\t\n\r -~]").match, "utf-32-be"),
    (re.compile(rb"(?:[\t\n\r -~]\0){2}").match, "utf-16-le"),
    (re.compile(rb"(?:\0[\t\n\r -~]){2}").match, "utf-16-be"),
)
"""How ASCII looks in the wide encodings, for documents that lack the mark."""

_SUPERSETS: Final = {
    "ascii": "utf-8",
    "utf-8-sig": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""Labels under which more is written than they have. GB 18030 holds all of GB 2312 and GBK."""

_TRUSTED: Final = re.compile(
    r"utf-8|gb18030|big5hkscs|cp9(?:32|49)|euc_jp|iso2022_(?:jp|kr)|iso8859-\d+|cp125\d|cp(?:437|850"
    r"|852|855|866|874)|koi8-[rut]|mac-(?:roman|cyrillic)|tis-620|johab"
).fullmatch
"""Codecs of Python that decode text and nothing else."""

_WIDE: Final = re.compile(r"utf-(?:16|32)(?:-[lb]e)?").fullmatch
_DECLARATION: Final = re.compile(
    rb"""[\s\xef\xbb\xbf]*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']"""
).match


@dataclass(frozen=True, slots=True)
class Encoding:
    """`codec` is a name of Python's. `conflict` and `unknown` say what spoke against it."""

    codec: str
    conflict: str = ""
    unknown: str = ""


def find_encoding(head: bytes, charset: str | None) -> Encoding:
    """Judge by the first bytes (256 are enough) and by the charset of the HTTP header."""
    labels = [("HTTP header", charset or "")]
    declared = _DECLARATION(head)
    if declared:
        labels.append(("XML declaration", declared[1].decode("ascii")))
    claims = [(source, label, codec_of(label)) for source, label in labels if label]
    codec = _seen(head)
    if codec is None:
        codec = next((found for _, _, found in claims if found and not _WIDE(found)), "utf-8")
    conflicts = [
        f"{source} says {label}"
        for source, label, found in claims
        if found and not codec.startswith(found)
    ]
    return Encoding(
        codec,
        conflict=", ".join(conflicts) + f"; read as {codec}" if conflicts else "",
        unknown=next((label for _, label, found in claims if found is None), ""),
    )


def codec_of(label: str) -> str | None:
    """Python's codec for an encoding label, None when we know none or would not let it near."""
    try:
        name = codecs.lookup(label.strip(" \"'").lower().removeprefix("x-")).name
    except (LookupError, ValueError):
        return None
    name = _SUPERSETS.get(name, name)
    return name if _TRUSTED(name) or _WIDE(name) else None


def _seen(head: bytes) -> str | None:
    """What the bytes themselves show, whatever anybody says."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    return next((codec for looks_like, codec in _SHAPES if looks_like(head)), None)


def decoder_of(codec: str) -> codecs.IncrementalDecoder:
    """Turns bytes into text piece by piece; what the codec lacks becomes `REPLACED`."""
    return codecs.getincrementaldecoder(codec)("replace")
