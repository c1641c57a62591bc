"""Why a line of a publish list is no entry, and what of an entry was left out."""

from __future__ import annotations

from typing import Final

from submitter.core.comparison import DUPLICATE
from submitter.core.findings import Meaning, Severity
from submitter.core.rooms import ENTRY_TOO_BIG, FILE_LIMIT
from submitter.core.sieve import BAD_ADDRESS, FOREIGN_HOST, LOC_TOO_LONG

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

UNREADABLE_LINE: Final = "unreadable-line"
MISSING_URL: Final = "missing-url"
UNCLEAR_FLAG: Final = "unclear-flag"
UNKNOWN_STATUS: Final = "unknown-status"

FAULTY: Final = {
    UNREADABLE_LINE: Meaning(_ERROR, "lines that are no row: not JSON, or the wrong cells"),
    MISSING_URL: Meaning(_ERROR, "lines without an address in `url`"),
    BAD_ADDRESS: Meaning(_ERROR, "addresses that are none"),
    FOREIGN_HOST: Meaning(_ERROR, "pages on another host than the base address"),
    LOC_TOO_LONG: Meaning(_ERROR, "addresses longer than the engine takes, counted after encoding"),
    UNCLEAR_FLAG: Meaning(
        _ERROR, "a field that decides whether the page is public says neither yes nor no"
    ),
    UNKNOWN_STATUS: Meaning(
        _ERROR, "a `status` that is neither an HTTP status nor a word for published or not"
    ),
    ENTRY_TOO_BIG: Meaning(_ERROR, "entries that would not fit into an empty file"),
    FILE_LIMIT: Meaning(_ERROR, "every file is full and no further one may be opened"),
}
"""Why a line is dropped that its author meant to be listed, or may have meant so. Exit 4."""

NOT_PUBLIC: Final = {
    "private": Meaning(_INFO, "not public: `public` says no"),
    "draft": Meaning(_INFO, "not published: `draft` says yes, or `status` is a word for it"),
    "noindex": Meaning(_INFO, "the page asks not to be indexed"),
    "redirect": Meaning(_INFO, "the page leads elsewhere: list the page it leads to"),
    "gone": Meaning(_INFO, "the page answers 404 or 410"),
    "not-ok": Meaning(_INFO, "the page answers with another status than 200"),
    "canonical-elsewhere": Meaning(_INFO, "another page is named as the canonical one"),
    "parameter-page": Meaning(_INFO, "an address with tracking, session or sorting parameters"),
    DUPLICATE: Meaning(_INFO, "lines for a page that an earlier line lists"),
}
"""Why a line is dropped on purpose."""

DROPPED: Final = {**FAULTY, **NOT_PUBLIC}
"""Every reason why a line is no entry, for the docs. They only grow."""

LEFT_OUT: Final = {
    "invalid-lastmod": Meaning(_WARNING, "dates in no known form; the pages are listed without"),
    "future-lastmod": Meaning(_WARNING, "dates in the future; the pages are listed without"),
    "early-lastmod": Meaning(_WARNING, "dates before 1990; the pages are listed without"),
    "lastmod-without-zone": Meaning(
        _WARNING,
        "times without a zone, and none is invented: the pages are listed without; `--zone` says"
        " which one they are in",
    ),
    "lastmod-is-now": Meaning(
        _WARNING, "over 90 % of the dates are the time of this build: no change of content is"
    ),
    "lastmod-all-equal": Meaning(
        _WARNING, "all dates are one: they are the time of an import, not of changes"
    ),
    "bad-type": Meaning(_WARNING, "types that make no file name; the pages are in `pages`"),
    "no-archive-key": Meaning(
        _INFO, "no `published` date or `id` to choose an archive by; in the undated files"
    ),
    "bad-image": Meaning(_WARNING, "images without a usable address, left out"),
    "too-many-images": Meaning(_WARNING, "images over 1,000 on one page, left out"),
    "bad-video": Meaning(_WARNING, "videos that lack what is required, left out"),
    "bad-news": Meaning(_WARNING, "news that lack what is required; listed as plain pages"),
    "bad-alternate": Meaning(_WARNING, "alternates without a language or an address, left out"),
    "alternate-one-sided": Meaning(
        _WARNING, "alternates that do not name the page in return, left out: they are ignored"
    ),
    "alternate-unproven": Meaning(
        _INFO, "alternates on other hosts, of which the list says nothing; written as given"
    ),
    "alternate-without-self": Meaning(
        _WARNING, "pages whose alternates do not name the page itself"
    ),
    "not-taken-here": Meaning(
        _INFO, "images, videos, news and alternates that this engine's files do not hold"
    ),
    "unused-field": Meaning(_INFO, "fields that nothing here reads"),
}
"""What was left out of entries that are listed, for the docs. They only grow."""
