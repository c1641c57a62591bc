"""Asks pages that left the sitemaps whether they are gone, before an engine is told that they are.

Missing in a sitemap proves nothing: a page is gone when it answers 404 or 410 itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from submitter.core.fleet import Site
from submitter.core.standing import Candidate
from submitter.errors import FetchError
from submitter.ports import Source

GONE = frozenset({404, 410})
"""What counts as a sign that a page was deleted. Source: https://www.indexnow.org/documentation,
read 2026-11-30."""

ASKED_PER_RUN = 200
"""Pages of one site asked in one run, one after the other."""

PATIENCE = 3
"""So many pages in a row that give no answer, and the site is left alone until the next run."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What became of the candidates; together they are all of them, in the order given."""

    confirmed: Sequence[Candidate]
    still_there: Sequence[Candidate]
    """They answer: with a page, a redirect, or a refusal to show it."""
    unreachable: Sequence[Candidate]
    """They gave no answer that says anything; to be asked again."""
    unasked: Sequence[Candidate]
    """Beyond the limit, or the site had stopped answering; to be asked next time."""

    @property
    def unconfirmed(self) -> int:
        return len(self.unreachable) + len(self.unasked)


class _Answer(StrEnum):
    GONE = "gone"
    THERE = "there"
    NONE = "none"


def confirm_gone(
    site: Site,
    candidates: Sequence[Candidate],
    *,
    source: Source,
    until: float | None,
    limit: int = ASKED_PER_RUN,
) -> Confirmation:
    """Ask the first `limit` pages for themselves, one GET each, without reading what they hold.

    `until` is a monotonic time. Raises nothing: what a site does is in the result.
    """
    heard: dict[_Answer, list[Candidate]] = {answer: [] for answer in _Answer}
    asked = silent = 0
    for candidate in candidates[:limit]:
        if silent == PATIENCE:
            break
        answer = _ask(site, candidate.loc, source, until)
        heard[answer].append(candidate)
        asked += 1
        silent = silent + 1 if answer is _Answer.NONE else 0
    return Confirmation(
        confirmed=tuple(heard[_Answer.GONE]),
        still_there=tuple(heard[_Answer.THERE]),
        unreachable=tuple(heard[_Answer.NONE]),
        unasked=tuple(candidates[asked:]),
    )


def _ask(site: Site, loc: str, source: Source, until: float | None) -> _Answer:
    try:
        with source.fetch(loc, site=site, until=until):
            return _Answer.THERE
    except FetchError as error:
        return _judge(error)


def _judge(error: FetchError) -> _Answer:
    """A redirect that ends nowhere is an answer of the page, and not that it is gone."""
    status = error.http_status
    if status is None or status >= 500 or status in (408, 425, 429):
        return _Answer.NONE
    return _Answer.GONE if status in GONE and not error.redirects else _Answer.THERE
