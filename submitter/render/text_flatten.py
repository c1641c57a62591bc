"""A sitemap tree, for a terminal."""

from __future__ import annotations

from submitter.core.plain import plain
from submitter.render import text_parts
from submitter.render.documents import FlattenDoc, PageDoc
from submitter.render.screen import Screen
from submitter.render.tables import Cell, Column, Folds, paragraph, table
from submitter.render.text_parts import number, several

COLUMNS = (
    Column("DOCUMENT", folds=Folds.ADDRESS),
    Column("KIND"),
    Column("HTTP", right=True),
    Column("CHILDREN", right=True),
    Column("PAGES", right=True),
    Column("READ"),
)


def flatten_text(flat: FlattenDoc, screen: Screen) -> list[str]:
    """Every document with what it lists; then what is wrong."""
    rows = [
        (
            "  " * one["depth"] + one["url"],
            one["kind"] or "-",
            number(one["http_status"]),
            number(one["children"] or None),
            number(one["pages"]),
            Cell("whole" if one["complete"] else "in part" if one["pages"] else "not"),
        )
        for one in flat["documents"]
    ]
    of_documents = [finding for one in flat["documents"] for finding in one["findings"]]
    summary = flat["summary"]
    counts = (
        several(len(rows), "document"),
        several(flat["pages"], "distinct page"),
        several(summary["errors"], "error"),
        several(summary["warnings"], "warning"),
    )
    return [
        *table(COLUMNS, rows, screen),
        *text_parts.findings([*flat["findings"], *of_documents], screen),
        "",
        *paragraph(", ".join(counts), screen),
    ]


def page_line(page: PageDoc) -> str:
    """Address, lastmod and document with tabs between, for other programs to cut."""
    return "\t".join(plain(part) for part in (page["loc"], page["lastmod"] or "", page["document"]))
