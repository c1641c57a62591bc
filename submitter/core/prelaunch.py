"""Whether a site may be told for the first time, by what some of its pages answer. Pure.

The commonest accident of a launch: the staging copy's `noindex`, redirect or address list went
live with it. A few pages show it before an engine does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from submitter.core.causes import in_words, next_step_of
from submitter.core.findings import MAX_EXAMPLES, Finding, Severity
from submitter.core.looks import SiteLook
from submitter.core.urls import shown

SAMPLE: Final = 5
"""Pages asked of one site."""
MUCH_PAGES: Final = 20
MUCH_SHARE: Final = 0.2
"""A site that was told before is looked at again when so many of its pages are new or changed."""
HEAD_BYTES: Final = 65_536
"""So much of a page is read for its `<meta>` tags, and no more than its head."""

MISSING: Final = frozenset({404, 410})


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What one page answered. `status` None: none that says anything about the page."""

    url: str
    status: int | None
    host: str = ""
    """Of the address that redirects led to."""
    noindex: bool = False

    @property
    def speaks(self) -> bool:
        """It says something about the page: also where it leads, though nobody can follow."""
        return self.status is not None or bool(self.host)


def wants_sample(look: SiteLook) -> bool:
    """On the first look at a site, and when much has changed since; as long as it is held, every
    look is the first. A site that cannot be told anyway is left alone."""
    if look.unfinished or not look.listed:
        return False
    changed = look.delta.new + look.delta.changed
    return look.first or changed >= max(MUCH_PAGES, MUCH_SHARE * look.baseline)


def judge_sample(site: str, host: str, answers: Sequence[PageAnswer]) -> list[Finding]:
    """One finding for each fault that was met: an error where most of the pages that answered
    have it, which holds the site, and a warning where only some have."""
    heard = [one for one in answers if one.speaks]
    return [
        _finding(cause, site, [one.url for one in faulty], len(heard))
        for cause, has_fault in _faults(host)
        if (faulty := [one for one in heard if has_fault(one)])
    ]


def _faults(host: str) -> Sequence[tuple[str, Callable[[PageAnswer], bool]]]:
    return (
        ("prelaunch-noindex", lambda one: one.noindex),
        ("prelaunch-elsewhere", lambda one: one.host not in ("", host)),
        ("prelaunch-missing", lambda one: one.status in MISSING),
    )


def _finding(cause: str, site: str, pages: Sequence[str], heard: int) -> Finding:
    seen = f"{len(pages)} of {heard} pages"
    if 2 * len(pages) <= heard:
        message = f"{seen}: {_SOME[cause]}"
        return Finding(cause, Severity.WARNING, site, message, len(pages), _examples(pages))
    message = f"{in_words(cause, seen)}. {next_step_of(cause)}"
    return Finding(cause, Severity.ERROR, site, message, len(pages), _examples(pages))


_SOME: Final = {
    "prelaunch-noindex": "they ask not to be indexed and yet stand in the sitemap",
    "prelaunch-elsewhere": "they redirect to another host; list the pages they lead to",
    "prelaunch-missing": "they do not exist and yet stand in the sitemap",
}


def _examples(pages: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(shown, pages[:MAX_EXAMPLES]))


# ---------------------------------------------------------------- what a page says of itself

_UNSEEN: Final = re.compile(r"(?is)<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)")
_HEAD_ENDS: Final = re.compile(r"(?i)</head\s*>|<body\b")
_META: Final = re.compile(r"(?i)<meta\s[^>]{1,2000}>")
_ATTRIBUTE: Final = re.compile(r"""(?i)([a-z-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
EVERYBODY: Final = "robots"
"""The name of a `<meta>` tag that speaks to every crawler."""
_FORBIDS: Final = frozenset({"noindex", "none"})
_WITH_VALUE: Final = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
"""Rules that have a colon of their own. Source: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag,
read 2026-11-30."""


def tag_forbids(header: str) -> bool:
    """What one X-Robots-Tag says to everybody; one that names a crawler speaks to that one only."""
    return EVERYBODY in shut_out_by_tag(header)


def shut_out_by_tag(header: str) -> frozenset[str]:
    """Whom one X-Robots-Tag asks not to index: a crawler in lower case, or everybody."""
    name, colon, rules = header.partition(":")
    word = name.strip().lower()
    is_a_crawler = bool(colon) and "," not in word and word not in _WITH_VALUE
    whom, said = (word, rules) if is_a_crawler else (EVERYBODY, header)
    return frozenset({whom} if forbids_indexing(said) else ())


def forbids_indexing(rules: str) -> bool:
    """Whether rules with commas between, of a header or a `<meta>` tag, have noindex or none."""
    return not _FORBIDS.isdisjoint(_words(rules))


def head_ends(text: str) -> bool:
    """Nothing that follows can hold a `<meta>` tag that counts."""
    return _HEAD_ENDS.search(_UNSEEN.sub(" ", text)) is not None


def meta_forbids(text: str) -> bool:
    """Whether the beginning of a page asks every engine not to index it (`<meta name=robots>`)."""
    return EVERYBODY in shut_out_by_meta(text)


def shut_out_by_meta(text: str) -> frozenset[str]:
    """Whom the beginning of a page asks not to index it, by the names of its `<meta>` tags."""
    seen = _UNSEEN.sub(" ", text)
    end = _HEAD_ENDS.search(seen)
    head = seen[: end.start()] if end else seen
    return frozenset(filter(None, map(_shut_out, _META.findall(head))))


def _shut_out(tag: str) -> str:
    said = {name.lower(): value.strip("\"'") for name, value in _ATTRIBUTE.findall(tag)}
    return said.get("name", "").strip().lower() if forbids_indexing(said.get("content", "")) else ""


def is_hidden(shut_out: Collection[str], crawlers: Collection[str]) -> bool:
    """From everybody, or by name from each crawler whose engine the site is told to."""
    named = {name.lower() for name in crawlers}
    return EVERYBODY in shut_out or (bool(named) and named.issubset(shut_out))


def _words(text: str) -> Iterable[str]:
    return (word.strip().lower() for word in text.split(","))
