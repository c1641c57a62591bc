"""What crawlers did, in words for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from submitter.core.crawl.hits import LEFT_OUT, REJECTED
from submitter.render.crawl_documents import (
    STATUSES,
    CoverageDoc,
    CrawlDayDoc,
    CrawlersDoc,
    LineReasonDoc,
    LogReadingDoc,
)
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, Row, grouped_table, paragraph
from submitter.render.text_parts import SHOWN, number, several

DAYS_SHOWN: Final = 7
"""Newest days; JSON has them all."""

_BOTS = (
    Column("BOT", folds=Folds.ADDRESS),
    Column("HITS", right=True),
    Column("VERIFIED", right=True),
    Column("FALSE", right=True),
    Column("200", right=True),
    Column("304", right=True),
    Column("3XX", right=True),
    Column("4XX", right=True),
    Column("5XX", right=True),
    Column("BYTES", right=True),
)
_PAGES = (
    Column("SECTION", folds=Folds.ADDRESS),
    Column("BOT", folds=Folds.ADDRESS),
    Column("HITS", right=True),
    Column("LISTED", right=True),
    Column("READ", right=True),
    Column("SHARE", right=True),
    Column("DEPTH", right=True),
    Column("UNLISTED", right=True),
    Column("PARAMS", right=True),
)
_DAYS = (
    Column("DAY"),
    Column("BOT", folds=Folds.ADDRESS),
    Column("HITS", right=True),
    Column("FALSE", right=True),
    Column("PAGES", right=True),
    Column("LISTED PAGES", right=True),
    Column("UNLISTED", right=True),
    Column("ERRORS", right=True),
)
_WHAT = (
    "Days are UTC. Verified: from an address that is proven to be the bot's. False: by somebody"
    " else who uses the name; with bots they are in hits, statuses and bytes, with days in errors,"
    " and in no other number. Read: pages listed now that the bot ever read. Depth: hits in these"
    " days for each page listed. Unlisted: hits on what is not listed. Params: hits on addresses"
    " with parameters that are not listed. A dash: not known."
)


def crawlers_text(document: CrawlersDoc, screen: Screen) -> list[str]:
    lines: list[str] = []
    if document["reading"] is not None:
        lines += _reading_text(document["reading"], screen)
    if document["days"]:
        lines += [
            *_block(f"Bots, {document['since']} to {document['until']}", screen),
            *grouped_table(_BOTS, _by_site(document["days"], _bot_rows), screen),
            *_block("Pages", screen),
            *grouped_table(_PAGES, _page_groups(document), screen),
            *_block("Days", screen),
            *grouped_table(_DAYS, _by_site(document["days"], _day_rows), screen),
            "",
            *paragraph(_WHAT, screen, ink=Ink.DIM),
        ]
    elif said := _no_bot(document["reading"]):
        lines += paragraph(said, screen)
    return [*lines, *_never_text(document, screen), *_unlisted_text(document, screen)]


def _no_bot(reading: LogReadingDoc | None) -> str:
    """Empty where the reading has said why nothing counts."""
    if reading is None:
        return "No hit of a bot is known of these days."
    if not reading["bots"]:
        return "No bot was seen."
    return "No bot that was asked for was seen." if reading["new"] + reading["known"] else ""


def _block(title: str, screen: Screen) -> list[str]:
    return ["", screen.heading(title)]


def _reading_text(found: LogReadingDoc, screen: Screen) -> list[str]:
    head = (
        f"{several(found['files'], 'log')}, {several(found['lines'], 'line')}:"
        f" {number(found['bots'])} of bots ({number(found['new'])} new,"
        f" {number(found['known'])} known), {number(found['others'])} of others,"
        f" {number(found['rejected'])} rejected."
    )
    lines = paragraph(head, screen)
    for problem in found["problems"]:
        lines += paragraph(problem, screen, indent=2, ink=Ink.BAD)
    for one in found["rejections"]:
        lines += _reason_text("rejected", one, REJECTED, screen)
    for one in found["left_out"]:
        lines += _reason_text("left out", one, LEFT_OUT, screen)
    return lines


def _reason_text(
    what: str, one: LineReasonDoc, words: Mapping[str, str], screen: Screen
) -> list[str]:
    head = f"{number(one['count'])} {what}: {words[one['reason']]} ({one['reason']})"
    lines = paragraph(head, screen, indent=2, ink=Ink.WAIT)
    for example in one["examples"]:
        lines += paragraph(example, screen, indent=4, ink=Ink.DIM)
    return lines


def _by_site(
    days: Sequence[CrawlDayDoc], rows: Callable[[Sequence[CrawlDayDoc]], list[Row]]
) -> list[tuple[str, Sequence[Row]]]:
    sites: dict[str, list[CrawlDayDoc]] = {}
    for day in days:
        sites.setdefault(day["site"], []).append(day)
    return [(_site(site), rows(found)) for site, found in sorted(sites.items())]


def _site(site: str) -> str:
    return "(no host in the lines)" if site == "-" else site


def _bot_rows(days: Sequence[CrawlDayDoc]) -> list[Row]:
    sums: dict[str, Counter[str]] = {}
    for day in days:
        row = sums.setdefault(day["crawler"], Counter())
        row.update({**day["statuses"], "hits": day["hits"], "bytes": day["bytes"]})
        row.update({name: day[name] for name in ("verified", "contradicted")})
    return [
        (
            f"  {crawler}",
            number(row["hits"]),
            number(row["verified"]),
            Cell(number(row["contradicted"]), Ink.BAD if row["contradicted"] else None),
            *(number(row[name]) for name in STATUSES[:-1]),
            _size(row["bytes"]),
        )
        for crawler, row in sorted(sums.items(), key=lambda item: (-item[1]["hits"], item[0]))
    ]


def _page_groups(document: CrawlersDoc) -> list[tuple[str, Sequence[Row]]]:
    covered = {(one["site"], one["section"], one["crawler"]): one for one in document["coverage"]}
    sums: dict[tuple[str, str, str], Counter[str]] = {}
    for day in document["days"]:
        row = sums.setdefault((day["site"], day["section"], day["crawler"]), Counter())
        _add_pages(row, day)
    groups: dict[str, list[Row]] = {}
    for (site, section, crawler), row in sorted(sums.items()):
        listed = covered.get((site, section, None))
        read = covered.get((site, section, crawler))
        groups.setdefault(_site(site), []).append(_page_row(section, crawler, row, listed, read))
    return list(groups.items())


def _page_row(
    section: str,
    crawler: str,
    row: Counter[str],
    listed: CoverageDoc | None,
    read: CoverageDoc | None,
) -> Row:
    known = None if listed is None else listed["listed"]
    crawled = None if listed is None else _read_of(listed, read)
    return (
        f"  {section or '(none)'}",
        crawler,
        number(row["hits"]),
        number(known),
        number(crawled),
        _percent(crawled, known),
        "-" if not known else f"{row['listed_hits'] / known:.2f}",
        _known(row, "unlisted_hits"),
        number(row["parameter_hits"]),
    )


def _read_of(listed: CoverageDoc, read: CoverageDoc | None) -> int | None:
    return read["crawled"] if read else None if listed["crawled"] is None else 0


def _add_pages(row: Counter[str], day: CrawlDayDoc) -> None:
    row["hits"] += day["hits"] - day["contradicted"]
    row["pages"] += day["pages"]
    for name in ("listed_hits", "parameter_hits", "listed_pages"):
        row[name] += day[name]
    row["unlisted_hits"] += day["unlisted_hits"] or 0
    row["unknown"] += day["unlisted_hits"] is None


def _known(row: Counter[str], name: str) -> str:
    """What depends on knowing what is listed."""
    return number(None if row["unknown"] and not row[name] else row[name])


def _day_rows(days: Sequence[CrawlDayDoc]) -> list[Row]:
    newest = sorted({day["day"] for day in days})[-DAYS_SHOWN:]
    sums: dict[tuple[str, str], Counter[str]] = {}
    more: set[tuple[str, str]] = set()
    for day in days:
        key = (day["day"], day["crawler"])
        if day["day"] not in newest:
            continue
        row = sums.setdefault(key, Counter())
        _add_pages(row, day)
        row["false"] += day["contradicted"]
        row["errors"] += day["statuses"]["client_errors"] + day["statuses"]["server_errors"]
        if day["at_least"]:
            more.add(key)
    return [
        (
            f"  {day}",
            crawler,
            number(row["hits"]),
            Cell(number(row["false"]), Ink.BAD if row["false"] else None),
            ("> " if (day, crawler) in more else "") + number(row["pages"]),
            _known(row, "listed_pages"),
            _known(row, "unlisted_hits"),
            number(row["errors"]),
        )
        for (day, crawler), row in sorted(sums.items())
    ]


def _never_text(document: CrawlersDoc, screen: Screen) -> list[str]:
    counts, unknown = Counter[str](), Counter[str]()
    for one in document["coverage"]:
        if one["crawler"] is None and one["never"] is None:
            unknown[one["site"]] += one["listed"]
        elif one["crawler"] is None:
            counts[one["site"]] += one["never"] or 0
    lines: list[str] = []
    for never in document["never"]:
        pages = several(counts[never["site"]], "listed page")
        lines += paragraph(f"{never['site']}: {pages}", screen, ink=Ink.WAIT)
        for page in never["examples"][:SHOWN]:
            lines += paragraph(page, screen, indent=4, ink=Ink.DIM)
    lines += _unknown_text(unknown, screen)
    return [*_block("Never read by any bot", screen), *lines] if lines else []


def _unknown_text(listed: Counter[str], screen: Screen) -> list[str]:
    """Sites whose logs nobody read, and how many pages they list."""
    if not listed:
        return []
    lines = paragraph(
        f"Not known of {several(len(listed), 'site')}: no line of an access log"
        " of theirs is known to be read.",
        screen,
        ink=Ink.WAIT,
    )
    for site, pages in sorted(listed.items())[:SHOWN]:
        lines += paragraph(
            f"{site}: {several(pages, 'listed page')}", screen, indent=4, ink=Ink.DIM
        )
    return lines


def _unlisted_text(document: CrawlersDoc, screen: Screen) -> list[str]:
    reading = document["reading"]
    if reading is None or not reading["unlisted"]:
        return []
    lines = _block("Read and not listed, for example", screen)
    for one in reading["unlisted"]:
        for page in one["examples"][:SHOWN]:
            lines += paragraph(page, screen, indent=4, ink=Ink.DIM)
    return lines


def _percent(part: int | None, whole: int | None) -> str:
    return "-" if part is None or not whole else f"{part / whole:.1%}"


def _size(count: int) -> str:
    """`1.2 MB`; decimal, as traffic is counted."""
    for power, unit in enumerate(("B", "kB", "MB", "GB", "TB")):
        size = count / 1_000**power
        if size < 1_000 or unit == "TB":
            digits = 1 if power and size < 100 else 0
            return f"{size:,.{digits}f} {unit}"
    raise AssertionError("the last unit takes any size")
