"""What was seen of listed pages, grouped by root cause: one finding, not one a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from submitter.core.audit.facts import PageFacts
from submitter.core.audit.fingerprint import Fingerprint
from submitter.core.audit.redirects import redirect_rule
from submitter.core.audit.rules import PAGE_RULES, found
from submitter.core.audit.signs import is_login, leads_to_login, says_missing
from submitter.core.findings import MAX_EXAMPLES, Finding
from submitter.core.urls import BadUrl, normalize

MISSING: Final = frozenset({404, 410})
TOO_FAST: Final = frozenset({429})
"""We are too fast, after all waiting: it says nothing of the page."""
_OF_EACH_PART: Final = frozenset({"site-soft-404", "hreflang-no-return"})
"""What is judged anew by every part of an audit, of all parts."""
MOST_ALTERNATES: Final = 200_000
"""Links between languages held of one site; beyond them none is judged."""


@dataclass(frozen=True, slots=True)
class PageSight:
    """One look at one listed page. `reason` is why there was no page, empty when there was one.

    `indexable_header` False: X-Robots-Tag asks not to index it. `closed_to` names crawlers that
    robots.txt keeps out; with `asked` False we kept out ourselves.
    """

    url: str
    status: int | None = None
    reason: str = ""
    final_url: str = ""
    facts: PageFacts | None = None
    indexable_header: bool = True
    canonical_header: str = ""
    closed_to: tuple[str, ...] = ()
    asked: bool = True


def faults_of(seen: PageSight, nowhere: Fingerprint | None) -> list[tuple[str, str]]:
    """(id, detail) of each root cause. What a page says counts only when it is the page listed."""
    faults = [("page-disallowed", ", ".join(seen.closed_to))] if seen.closed_to else []
    if not seen.asked:
        return [*faults, ("page-not-asked", "")]
    if seen.reason:
        return [*faults, _failure(seen)]
    rule = redirect_rule(seen.url, _end_of(seen))
    if rule is not None:
        return [*faults, (rule, "")]
    return [*faults, *_word_of(seen, nowhere)]


def _failure(seen: PageSight) -> tuple[str, str]:
    status = seen.status
    if status is None or status < 400 or status in TOO_FAST:
        return "page-unreachable", seen.reason
    if status in MISSING:
        return "page-missing", ""
    return ("page-refused" if status < 500 else "page-failing"), f"status {status}"


def _end_of(seen: PageSight) -> str:
    return (seen.facts.refresh if seen.facts else "") or seen.final_url or seen.url


def _word_of(seen: PageSight, nowhere: Fingerprint | None) -> Iterator[tuple[str, str]]:
    facts = seen.facts or PageFacts()
    if seen.facts is not None:
        if is_login(facts) and not leads_to_login(seen.url):
            yield "page-login", ""
            return
        if says_missing(facts, nowhere):
            yield "page-soft-404", ""
            return
    if facts.noindex or not seen.indexable_header:
        yield "page-noindex", "in the header" if not seen.indexable_header else "in the page"
    yield from _canonical_fault(seen, facts)


def _canonical_fault(seen: PageSight, facts: PageFacts) -> Iterator[tuple[str, str]]:
    named = dict.fromkeys((*facts.canonicals, *filter(None, (seen.canonical_header,))))
    distinct = {identity_of(one) for one in named}
    if len(distinct) > 1:
        yield "page-canonical-several", ""
    elif distinct and identity_of(seen.url) not in distinct:
        rule = redirect_rule(seen.url, next(iter(named))) or ""
        yield "page-canonical-elsewhere", _CANONICAL_WORDS.get(rule, "to another page")


_CANONICAL_WORDS: Final = {
    "redirect-to-home": "to the home page",
    "redirect-to-https": "to https",
    "redirect-to-http": "to http",
    "redirect-www-added": "to the host with www",
    "redirect-www-dropped": "to the host without www",
    "redirect-to-host": "to another host",
    "redirect-slash-added": "to the address with a slash",
    "redirect-slash-dropped": "to the address without a slash",
    "redirect-case": "to another spelling in case",
    "redirect-query": "to another query",
}


def identity_of(url: str) -> str:
    """The normal form; the spelling itself where it has none."""
    try:
        return normalize(url)
    except BadUrl:
        return url


# ---------------------------------------------------------------- adding up


@dataclass(slots=True)
class _Group:
    count: int = 0
    details: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


class Tally:
    """The faults of one site's pages, by id. Examples are the first ones met."""

    def __init__(self, site: str) -> None:
        self._site = site
        self._groups: dict[str, _Group] = {}
        self._alternates: dict[str, frozenset[str]] = {}
        self._links = 0
        self._unsaved: list[str] = []
        self.checked = 0

    def add(self, seen: PageSight, nowhere: Fingerprint | None) -> None:
        self.checked += seen.asked
        for id, detail in faults_of(seen, nowhere):
            self.count(id, detail=detail, example=seen.url)
        if seen.facts is not None and not seen.reason and seen.facts.alternates:
            self._note_alternates(seen.url, seen.facts)

    def count(self, id: str, *, detail: str = "", example: str = "", number: int = 1) -> None:
        group = self._groups.setdefault(id, _Group())
        group.count += number
        group.details[detail] += number
        if example and len(group.examples) < MAX_EXAMPLES:
            group.examples.append(example)

    def details(self) -> Mapping[str, Mapping[str, int]]:
        """For `recall`."""
        return {id: dict(group.details) for id, group in self._groups.items()}

    def recall(
        self,
        checked: int,
        details: Mapping[str, Mapping[str, int]],
        findings: Iterable[Finding],
        languages: Mapping[str, frozenset[str]],
    ) -> None:
        """What the earlier parts of the same audit met; examples are those of their findings. Each
        part asks anew for what is not there."""
        self.checked += checked
        examples = {one.id: list(one.examples) for one in findings}
        for id, counts in details.items():
            if id in PAGE_RULES and id not in _OF_EACH_PART:
                total = sum(counts.values())
                self._groups[id] = _Group(total, Counter(counts), examples.get(id, []))
        self._alternates |= languages
        self._links += sum(map(len, languages.values()))

    def findings(self) -> Iterator[Finding]:
        """In the order of the table of rules."""
        for id in PAGE_RULES:
            group = self._groups.get(id)
            if group is not None:
                details = [(words, count) for words, count in group.details.most_common(3) if words]
                detail = ", ".join(_numbered(words, count, group) for words, count in details)
                yield found(id, self._site, detail, count=group.count, examples=group.examples)

    # ------------------------------------------------------------ languages

    def _note_alternates(self, url: str, facts: PageFacts) -> None:
        identity = identity_of(url)
        named = frozenset(identity_of(address) for _, address in facts.alternates)
        self._links += len(named)
        if self._links <= MOST_ALTERNATES:
            self._alternates[identity] = named - {identity}
            self._unsaved.append(identity)

    def unsaved_languages(self) -> Mapping[str, frozenset[str]]:
        """What pages named since it was asked last, by page."""
        unsaved, self._unsaved = self._unsaved, []
        return {page: self._alternates[page] for page in unsaved}

    def unseen_alternates(self, limit: int) -> Sequence[str]:
        """Pages that were named as another language's and not looked at."""
        named = {one for names in self._alternates.values() for one in names}
        return sorted(named - self._alternates.keys())[:limit]

    def see_alternate(self, url: str, facts: PageFacts | None) -> None:
        """A page that is looked at only for what it names."""
        if facts is not None:
            self._note_alternates(url, facts)
            self._alternates.setdefault(identity_of(url), frozenset())

    def judge_alternates(self) -> None:
        """Once, when all pages were seen. Of a page that was not seen nothing is said."""
        alternates, self._alternates = self._alternates, {}
        for page, named in alternates.items():
            silent = [one for one in named if page not in alternates.get(one, {page})]
            if silent:
                self.count("hreflang-no-return", example=page)


def _numbered(words: str, count: int, group: _Group) -> str:
    return words if count == group.count else f"{count:,} {words}"
