"""What engines say of sampled pages: the JSON shape, and the words for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

from submitter.core.inspection import Inspection, Sample, counts, reasons
from submitter.core.skip_words import reason_words
from submitter.core.summary import timestamp
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Column, Folds, Row, grouped_table, paragraph
from submitter.render.text_parts import SHOWN, number


class ReasonDoc(TypedDict):
    reason: str
    """The engine's own sentence."""
    count: int


class EarlierDoc(TypedDict):
    day: str
    """The engine's own day."""
    sampled: int
    indexed: int
    """Pages of it that were in the index."""


class InspectionDoc(TypedDict):
    url: str
    state: str
    """`indexed`, `crawled` (not indexed), `known` (not crawled), `unknown` or `unclear`."""
    reason: str
    """The engine's own sentence."""
    verdict: str | None
    """The engine's own word."""
    last_crawled: str | None
    """When its crawler last read the page."""
    robots_txt: str | None
    """Whether robots.txt lets it in, in the engine's word."""
    indexing: str | None
    """Whether the page lets itself be indexed, in the engine's word."""
    fetch: str | None
    """How the crawl went, in the engine's word."""
    engine_canonical: str | None
    """The address that the engine keeps in its place."""
    page_canonical: str | None
    """The address that the page names itself."""


class SampleDoc(TypedDict):
    account: str
    property: str
    section: str
    listed: int
    """Pages that the sample was drawn from."""
    sampled: int
    asked: int
    """Of the sampled, those asked about now; the others were asked about earlier today."""
    counts: dict[str, int]
    """State → pages."""
    reasons: list[ReasonDoc]
    """What the engine says of the pages, the most frequent first."""
    unasked: dict[str, int]
    """Pages drawn and not asked about, by reason."""
    problems: list[str]
    """Why some were not answered about, in words."""
    earlier: EarlierDoc | None
    pages: list[InspectionDoc]
    """The answers, one for each page."""


def sample_docs(samples: Iterable[Sample]) -> list[SampleDoc]:
    return [_sample_doc(sample) for sample in samples]


def _sample_doc(sample: Sample) -> SampleDoc:
    found, earlier = sample.inspections, sample.earlier
    return {
        "account": sample.group.account,
        "property": sample.group.property,
        "section": sample.group.section,
        "listed": sample.listed,
        "sampled": len(found),
        "asked": len(sample.asked),
        "counts": {str(state): count for state, count in counts(found).items()},
        "reasons": [{"reason": reason, "count": count} for reason, count in reasons(found)],
        "unasked": dict(sample.unasked),
        "problems": list(sample.problems),
        "earlier": (
            {
                "day": earlier.day.isoformat(),
                "sampled": earlier.sampled,
                "indexed": earlier.indexed,
            }
            if earlier
            else None
        ),
        "pages": [_page_doc(one) for one in found],
    }


def _page_doc(one: Inspection) -> InspectionDoc:
    return {
        "url": one.url,
        "state": str(one.state),
        "reason": one.reason,
        "verdict": one.verdict,
        "last_crawled": timestamp(one.last_crawled),
        "robots_txt": one.robots_txt,
        "indexing": one.indexing,
        "fetch": one.fetch,
        "engine_canonical": one.engine_canonical,
        "page_canonical": one.page_canonical,
    }


# ---------------------------------------------------------------- for a terminal

_COLUMNS = (
    Column("SECTION", folds=Folds.ADDRESS),
    Column("SAMPLED", right=True),
    Column("OF", right=True),
    Column("INDEXED", right=True),
    Column("CRAWLED", right=True),
    Column("KNOWN", right=True),
    Column("UNKNOWN", right=True),
    Column("EARLIER", right=True),
)
_WHAT = (
    "A sample speaks for the pages in it. Crawled: and not indexed. Known: never crawled. Unknown:"
    " the engine never heard of it. Earlier: indexed of those sampled on the last day before, which"
    " were other pages in the main. It is about the version in the index, not the page as it is."
)
NOBODY = "No engine that was told pages of these sites can be asked about them."


def samples_text(samples: Sequence[SampleDoc], screen: Screen) -> list[str]:
    """A table for each property, then why pages are not indexed, then what was not asked."""
    if not samples:
        return paragraph(NOBODY, screen)
    groups: dict[str, list[Row]] = {}
    for one in samples:
        groups.setdefault(f"{one['account']} {one['property']}", []).append(_row(one))
    return [
        *grouped_table(_COLUMNS, list(groups.items()), screen),
        "",
        *paragraph(_WHAT, screen, ink=Ink.DIM),
        *_reasons(samples, screen),
        *_unasked(samples, screen),
    ]


def _row(one: SampleDoc) -> Row:
    found, earlier = one["counts"], one["earlier"]
    return (
        f"  {one['section'] or '(none)'}",
        number(one["sampled"]),
        number(one["listed"]),
        number(found["indexed"]),
        number(found["crawled"]),
        number(found["known"]),
        number(found["unknown"]),
        f"{earlier['indexed']} of {earlier['sampled']}" if earlier else "-",
    )


def _reasons(samples: Iterable[SampleDoc], screen: Screen) -> list[str]:
    """By section, the commonest first, with pages to look at."""
    lines: list[str] = []
    for one in samples:
        for reason in one["reasons"]:
            words = reason["reason"] or "the answer does not say"
            head = f"{one['section'] or '(none)'}: {reason['count']}x {words}"
            pages = [page["url"] for page in one["pages"] if _is_about(page, reason)]
            lines += paragraph(head, screen)
            for url in pages[:SHOWN]:
                lines += paragraph(url, screen, indent=4, ink=Ink.DIM)
    return ["", screen.heading("Why not indexed"), *lines] if lines else []


def _is_about(page: InspectionDoc, reason: ReasonDoc) -> bool:
    return page["state"] != "indexed" and page["reason"] == reason["reason"]


def _unasked(samples: Iterable[SampleDoc], screen: Screen) -> list[str]:
    lines: list[str] = []
    for one in samples:
        for reason, count in one["unasked"].items():
            head = f"{one['account']} {one['section'] or '(none)'}: {count}x {reason_words(reason)}"
            lines += paragraph(head, screen, ink=Ink.WAIT)
        for problem in one["problems"]:
            lines += paragraph(problem, screen, indent=4)
    return ["", screen.heading("Not asked"), *lines] if lines else []
