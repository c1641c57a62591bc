"""What a web server should do with the files, and what is wrong with what it does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from submitter.core.building.memory import NAME
from submitter.core.findings import Meaning, Severity

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

LIVE_IDS: Final = {
    "robots-lacks-sitemap": Meaning(
        _WARNING, "robots.txt does not name these files; every crawler reads it"
    ),
    "live-unreachable": Meaning(_ERROR, "the server does not give the file to us"),
    "live-differs": Meaning(
        _ERROR,
        "the server gives another file than the one that was built: an old copy, or another folder",
    ),
    "live-wrong-type": Meaning(_WARNING, "the Content-Type is not one of XML or gzip"),
    "live-no-validators": Meaning(
        _WARNING, "neither ETag nor Last-Modified: crawlers fetch the whole file each time"
    ),
    "live-no-304": Meaning(
        _WARNING, "asked whether the file changed, the server sends it again instead of 304"
    ),
}
"""Ids of findings about files as they are served, for the docs. They only grow."""

XML_TYPES: Final = ("application/xml", "text/xml")
GZIP_TYPES: Final = ("application/gzip", "application/x-gzip", *XML_TYPES)


def is_right_type(content_type: str, *, packed: bool) -> bool:
    bare = content_type.partition(";")[0].strip().lower()
    return bare in (GZIP_TYPES if packed else XML_TYPES)


def nginx_lines(folder_url: str, names: Sequence[str]) -> list[str]:
    """A location for the files: true dates, a tag that only content moves, 304, and no cache that
    would hold an old index back. nginx makes ETag from size and time of the file; both stand
    still with it. Source: https://nginx.org/en/docs/http/ngx_http_core_module.html#etag and
    #if_modified_since, read 2026-11-30."""
    path = re.escape(urlsplit(folder_url).path)
    stems = "|".join(sorted({_stem(name) for name in names}))
    ending = r"\.xml(?:\.gz)?" if any(name.endswith(".gz") for name in names) else r"\.xml"
    return [
        f"location ~ ^{path}(?:{stems}){ending}$ {{",
        "    etag on;",
        "    if_modified_since exact;",
        "    types { application/xml xml; application/gzip gz; }",
        '    add_header Cache-Control "no-cache";  # ask each time: 304 if nothing changed',
        "}",
        f"location = {urlsplit(folder_url).path}{NAME} {{ return 404; }}  # the builder's memory",
    ]


def _stem(name: str) -> str:
    bare = name.removesuffix(".gz").removesuffix(".xml")
    stem, dash, number = bare.rpartition("-")
    return rf"{re.escape(stem)}-\d+" if dash and number.isdigit() else bare
