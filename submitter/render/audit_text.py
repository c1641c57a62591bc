"""An audit for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from submitter.core.plain import clip, plain
from submitter.render.audit_documents import (
    AuditDoc,
    AuditFindingDoc,
    AuditReadingDoc,
    AuditSiteDoc,
)
from submitter.render.markdown import code, prose
from submitter.render.markdown import table as markdown_table
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Column, Folds, paragraph, table
from submitter.render.text_parts import number, several

SHOWN = 3
"""Examples and places shown of what is grouped; JSON has them all."""
_INK = {"error": Ink.BAD, "warning": Ink.WAIT}
_ORDER = {"error": 0, "warning": 1, "info": 2}
_DOCUMENTS = (
    Column("DOCUMENT", folds=Folds.ADDRESS),
    Column("KIND"),
    Column("HTTP", right=True),
    Column("PAGES", right=True),
    Column("READ"),
    Column("TRUST", right=True),
)


def every_finding(audit: AuditDoc) -> list[AuditFindingDoc]:
    """Errors first, then by id; new ones before known ones."""
    found = [*audit["findings"], *(f for d in audit["documents"] for f in d["audit_findings"])]
    return sorted(found, key=lambda one: (one["known"], _ORDER.get(one["severity"], 3), one["id"]))


def audit_text(audit: AuditDoc, screen: Screen) -> list[str]:
    """The documents with their trust, what was looked at, what is wrong, and the sum."""
    lines = table(_DOCUMENTS, [_document_row(one) for one in audit["documents"]], screen)
    lines += [""] if lines else []
    for site in audit["sites"]:
        lines += paragraph(_site_line(site), screen)
    for site_left in audit["unaudited"]:
        lines += paragraph(f"{site_left}: not audited, no time was left", screen, ink=Ink.WAIT)
    groups = _grouped(every_finding(audit))
    if groups:
        lines += ["", screen.heading("Findings")]
    for group in groups:
        lines += _group_lines(group, screen)
    return [*lines, "", *paragraph(_sum(audit), screen)]


def _document_row(one: AuditReadingDoc) -> tuple[str, ...]:
    return (
        "  " * one["depth"] + one["url"],
        one["kind"] or "-",
        number(one["http_status"]),
        number(one["pages"]),
        "whole" if one["complete"] else "in part" if one["pages"] else "not",
        trust_words(one),
    )


def trust_words(one: AuditReadingDoc) -> str:
    """`92 % of 25`; a dash when nothing was checked."""
    trust = one["trust"]
    if trust is None or trust["share"] is None:
        return "-"
    return f"{trust['share']:.0%} of {trust['checked']:,}"


def _site_line(site: AuditSiteDoc) -> str:
    state = "" if site["finished"] else "; stopped at the deadline, --resume goes on"
    judged = ", ".join(f"{count:,} {verdict}" for verdict, count in site["verdicts"].items())
    dates = f"; lastmod: {judged}" if judged else ""
    looked = f"{number(site['checked'])} looked at ({site['chosen']})"
    return f"{site['site']}: {several(site['pages'], 'page')}, {looked}{dates}{state}"


def _grouped(findings: Iterable[AuditFindingDoc]) -> list[list[AuditFindingDoc]]:
    groups: dict[tuple[bool, str, str], list[AuditFindingDoc]] = {}
    for one in findings:
        groups.setdefault((one["known"], one["severity"], one["id"]), []).append(one)
    return list(groups.values())


def _group_lines(group: Sequence[AuditFindingDoc], screen: Screen) -> list[str]:
    first = group[0]
    total = sum(one["count"] for one in group)
    known = " (known)" if first["known"] else ""
    head = f"{first['severity']}: {first['id']}, {total:,}x{known}"
    lines = paragraph(head, screen, ink=_INK.get(first["severity"]))
    for one in group[:SHOWN]:
        lines += paragraph(f"{one['where']}: {one['message']}", screen, indent=4)
    if len(group) > SHOWN:
        lines.append(f"    and at {len(group) - SHOWN:,} more places (--json has them all)")
    for example in first["examples"][:SHOWN]:
        lines += paragraph(clip(example, 300), screen, indent=6, ink=Ink.DIM)
    if first["next_step"]:
        lines += paragraph(f"Next: {first['next_step']}", screen, indent=4)
    return lines


def _sum(audit: AuditDoc) -> str:
    summary = audit["summary"]
    parts = [
        several(len(audit["documents"]), "document"),
        several(audit["pages"], "distinct page"),
        several(summary["errors"], "error"),
        several(summary["warnings"], "warning"),
        several(summary["infos"], "remark"),
    ]
    parts += [f"{summary['known']:,} known"] if summary["known"] else []
    parts += [f"{summary['switched_off']:,} switched off"] if summary["switched_off"] else []
    return ", ".join(parts)


# ---------------------------------------------------------------- Markdown


def audit_markdown(audit: AuditDoc) -> list[str]:
    """For a comment under a change: the sum, then what is wrong, then the documents."""
    lines = ["# Sitemap audit", "", _sum(audit), ""]
    for site in audit["sites"]:
        lines.append(f"- {prose(_escaped(_site_line(site)))}")
    lines += [f"- {prose(_escaped(site))}: not audited" for site in audit["unaudited"]]
    rows = [_markdown_row(group) for group in _grouped(every_finding(audit))]
    if rows:
        titles = ("severity", "finding", "count", "where", "what", "next step")
        lines += ["", "## Findings", "", *markdown_table(titles, rows)]
    documents = [
        (_quoted(one["url"]), one["kind"] or "–", number(one["pages"]), trust_words(one))
        for one in audit["documents"]
    ]
    if documents:
        titles_of_documents = ("document", "kind", "pages", "trust in lastmod")
        lines += ["", "## Documents", "", *markdown_table(titles_of_documents, documents)]
    return lines


def _markdown_row(group: Sequence[AuditFindingDoc]) -> tuple[str, ...]:
    first = group[0]
    severity = f"{first['severity']} (known)" if first["known"] else first["severity"]
    more = f" and {len(group) - 1:,} more" if len(group) > 1 else ""
    where = _quoted(first["where"]) + more
    total = sum(one["count"] for one in group)
    said = _escaped(first["message"])
    return severity, code(first["id"]), f"{total:,}", where, said, first["next_step"] or ""


def _escaped(text: str) -> str:
    """Foreign text that makes no markup and no link of its own."""
    safe = plain(text).replace("`", "'").replace("<http", "< http")
    for char in "\\*_[]#!":
        safe = safe.replace(char, f"\\{char}")
    return safe


def _quoted(text: str) -> str:
    """Foreign text as code."""
    return code(plain(text).replace("`", "'"))
