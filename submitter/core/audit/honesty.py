"""Whether a page's lastmod can be believed: by what moved since we last saw the page.

A date is called unfounded only when the page was seen before and after. Unknown is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from submitter.core.audit.fingerprint import Fingerprint, Moved, moved
from submitter.core.audit.rules import found
from submitter.core.findings import MAX_EXAMPLES, Finding
from submitter.core.lastmod import DAY_S, Lastmod, parse_lastmod
from submitter.core.looks import Validators

LEAST_FOR_BULK: Final = 10
BULK_SHARE: Final = 0.9
"""So many of the dates moved at once …"""
QUIET_SHARE: Final = 0.5
"""… while the text of no more than so many did."""


class Verdict(StrEnum):
    """What a look at a page says of its lastmod."""

    BORNE_OUT = "borne-out"
    UNFOUNDED = "unfounded"
    MISSED = "missed"
    OLDER = "older"
    WENT_BACK = "went-back"
    UNKNOWN = "unknown"
    UNDATED = "undated"


RULE_OF: Final = {
    Verdict.UNFOUNDED: "lastmod-unfounded",
    Verdict.MISSED: "lastmod-missed",
    Verdict.OLDER: "lastmod-older-than-content",
    Verdict.WENT_BACK: "lastmod-went-back",
}
"""The finding of each verdict that speaks against a date."""


@dataclass(frozen=True, slots=True)
class PageMemory:
    """A page as it was when we looked at it. `key`: see `sampling.page_key`."""

    key: int
    at: datetime
    lastmod: int | None = None
    validators: Validators = Validators()
    text: Fingerprint | None = None


@dataclass(frozen=True, slots=True)
class Trust:
    """Of the pages of one document that something could be said about (`checked`), for how many
    the date was borne out."""

    document: str
    checked: int
    borne_out: int

    @property
    def share(self) -> float | None:
        """None: nothing was checked."""
        return self.borne_out / self.checked if self.checked else None


def judge_date(before: PageMemory | None, after: PageMemory, *, modified: str = "") -> Verdict:
    """`modified` is the date of the last change that the page itself names, as it spells it."""
    if after.lastmod is None:
        return Verdict.UNDATED
    own = _own_date(modified, after.at)
    if own is not None and own.at > after.lastmod + DAY_S:
        return Verdict.OLDER
    if before is None or before.lastmod is None:
        return _first_sight(own, after.lastmod)
    if after.lastmod < before.lastmod:
        return Verdict.WENT_BACK
    text = moved(before.text, after.text)
    if after.lastmod > before.lastmod:
        return _newer(text, before.validators, after.validators)
    return _AS_BEFORE[text]


_AS_BEFORE: Final = {
    Moved.NO: Verdict.BORNE_OUT,
    Moved.NEARLY_NOT: Verdict.UNKNOWN,
    Moved.YES: Verdict.MISSED,
    Moved.UNKNOWN: Verdict.UNKNOWN,
}
"""By what the text did while the date stood still."""


def _own_date(modified: str, now: datetime) -> Lastmod | None:
    date = parse_lastmod(modified, now=now) if modified else None
    return date if isinstance(date, Lastmod) else None


def _first_sight(own: Lastmod | None, lastmod: int) -> Verdict:
    """A page that we never saw can only bear out its date by its own word."""
    return Verdict.BORNE_OUT if own and abs(own.at - lastmod) <= DAY_S else Verdict.UNKNOWN


def _newer(text: Moved, before: Validators, after: Validators) -> Verdict:
    if text is Moved.YES:
        return Verdict.BORNE_OUT
    still = before.etag == after.etag and before.last_modified == after.last_modified
    return Verdict.UNFOUNDED if text is Moved.NO and still else Verdict.UNKNOWN


# ---------------------------------------------------------------- one document, one site


@dataclass(slots=True)
class Dates:
    """What was seen of one document's dates."""

    checked: int = 0
    borne_out: int = 0
    seen_twice: int = 0
    newer: int = 0
    changed: int = 0


@dataclass(slots=True)
class Honesty:
    """Adds up the verdicts on one site's pages."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    _documents: dict[str, Dates] = field(default_factory=dict)
    _examples: dict[Verdict, list[str]] = field(default_factory=dict)

    def add(
        self,
        verdict: Verdict,
        *,
        url: str,
        document: str,
        before: PageMemory | None,
        after: PageMemory,
    ) -> None:
        self.verdicts[verdict] += 1
        dates = self._documents.setdefault(document, Dates())
        if verdict in RULE_OF or verdict is Verdict.BORNE_OUT:
            dates.checked += 1
            dates.borne_out += verdict is Verdict.BORNE_OUT
        if verdict in RULE_OF:
            examples = self._examples.setdefault(verdict, [])
            if len(examples) < MAX_EXAMPLES:
                examples.append(url)
        if before is not None and before.lastmod is not None and after.lastmod is not None:
            dates.seen_twice += 1
            dates.newer += after.lastmod > before.lastmod
            dates.changed += moved(before.text, after.text) is Moved.YES

    def counted(self) -> Mapping[str, Sequence[int]]:
        """What was seen of each document's dates, for `recall`."""
        return {document: astuple(dates) for document, dates in self._documents.items()}

    def recall(
        self,
        verdicts: Mapping[str, int],
        documents: Mapping[str, Sequence[int]],
        findings: Iterable[Finding],
    ) -> None:
        """What the earlier parts of the same audit counted, with examples from their findings."""
        verdict_of = {id: verdict for verdict, id in RULE_OF.items()}
        for finding in findings:
            if finding.id in verdict_of:
                self._examples.setdefault(verdict_of[finding.id], []).extend(finding.examples)
        self.verdicts.update({Verdict(name): count for name, count in verdicts.items()})
        self._documents |= {document: Dates(*counts) for document, counts in documents.items()}

    def trusts(self) -> list[Trust]:
        return [
            Trust(document, dates.checked, dates.borne_out)
            for document, dates in sorted(self._documents.items())
        ]

    def findings(self, site: str) -> Iterator[Finding]:
        for verdict, id in RULE_OF.items():
            if count := self.verdicts[verdict]:
                yield found(id, site, count=count, examples=self._examples[verdict])
        for document, dates in sorted(self._documents.items()):
            if _moved_in_bulk(dates):
                yield _bulk_finding(document, dates)


def _bulk_finding(document: str, dates: Dates) -> Finding:
    detail = f"{dates.newer} of {dates.seen_twice} dates moved, and the text of {dates.changed}"
    return found("lastmod-in-bulk", document, detail, count=dates.newer)


def _moved_in_bulk(dates: Dates) -> bool:
    return (
        dates.seen_twice >= LEAST_FOR_BULK
        and dates.newer >= BULK_SHARE * dates.seen_twice
        and dates.changed <= QUIET_SHARE * dates.newer
    )
