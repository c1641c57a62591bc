"""A build: from its result to the JSON shape and the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from submitter.core.building.advice import nginx_lines
from submitter.core.building.reasons import FAULTY
from submitter.core.findings import MAX_EXAMPLES
from submitter.core.plain import plain
from submitter.core.shards import Fate
from submitter.core.summary import timestamp
from submitter.render import text_parts
from submitter.render.documents import FindingDoc
from submitter.render.manual_documents import FileDoc
from submitter.render.screen import Ink, Screen
from submitter.render.shapes import finding_doc
from submitter.render.tables import Column, Folds, paragraph, table
from submitter.render.text_parts import number, several
from submitter.stories.building.live import LiveFile, LiveLook
from submitter.stories.building.reports import Built, BuiltFile

LISTED_FILES = 40
"""More files than this are summed up by family in the text; JSON has them all."""


class BuiltFileDoc(FileDoc):
    family: str
    """The family of files it belongs to."""
    lastmod: str | None
    """The newest date inside it, as it stands in the index; null: no page in it has one."""


class BuildDeltaDoc(TypedDict):
    new: int
    """Pages in no file before."""
    changed: int
    """Pages whose entry differs."""
    gone: int
    """Pages that are in no file any more."""
    moved: int
    """Pages whose file had grown over its limit."""


class RecentDoc(TypedDict):
    hours: int
    """How far back a change may lie."""
    pages: int
    """Pages in the delta files."""


class RemovedDoc(TypedDict):
    count: int
    """Pages that are in no file any more."""
    examples: list[str]
    """Five of them at most; `--removed FILE` writes all."""


class LiveFileDoc(TypedDict):
    address: str
    """The file as it is served."""
    http_status: int | None
    problem: str | None
    content_type: str
    """As the server says."""
    etag: str | None
    """As the server says."""
    last_modified: str | None
    """As the server says."""
    asked_again: int | None
    """Status of the answer when we said which copy we have; 304 is right."""
    same: bool
    """It is the file that was built."""


class LiveDoc(TypedDict):
    in_robots: bool
    """robots.txt names the index, or each file."""
    files: list[LiveFileDoc]
    """Some of them, the index and the delta first."""


class BuildDoc(TypedDict):
    site: str
    list: str
    """Where the lines came from."""
    profile: str
    """The engine whose limits hold."""
    held: bool
    """Nothing in the folder was touched."""
    lines: int
    """What was listed: `pages` and what was dropped."""
    read: int
    """Lines that were read; the others are as the last build read them."""
    pages: int
    """Distinct pages in the files."""
    dropped: dict[str, int]
    """Lines that are no entry, by reason."""
    faulty: int
    """Those of them that were meant to be listed, or may have been."""
    left_out: dict[str, int]
    """What was left out of entries, by the id of its finding."""
    delta: BuildDeltaDoc
    recent: RecentDoc
    """The delta files."""
    files: list[BuiltFileDoc]
    """In the order of the index; removed ones last."""
    index: str | None
    """Address of the index; null: the engine takes none, or there is no file."""
    index_changed: bool
    """The index is another one than before."""
    removed: RemovedDoc
    """Pages that left."""
    robots: list[str]
    """Lines for robots.txt."""
    nginx: list[str]
    """Lines for the web server."""
    live: LiveDoc | None
    """The files as they are served; null without --check-live."""
    built_at: str
    """When it was built."""
    findings: list[FindingDoc]


def build_doc(built: Built, live: LiveLook | None) -> BuildDoc:
    names = [one.file.name for one in built.files if one.file.fate is not Fate.REMOVED]
    if built.index_url is not None:
        names.append(built.order.index_name)
    account = built.account
    findings = [*built.findings, *(live.findings if live else ())]
    return {
        "site": built.order.site,
        "list": built.name,
        "profile": built.order.profile.name,
        "held": built.held,
        "lines": account.lines,
        "read": built.read,
        "pages": built.pages,
        "dropped": dict(sorted((+account.dropped).items())),
        "faulty": account.faulty,
        "left_out": dict(sorted((+account.left_out).items())),
        "delta": {
            "new": built.new,
            "changed": built.changed,
            "gone": len(built.removed),
            "moved": built.moved,
        },
        "recent": {"hours": built.order.delta_hours, "pages": built.delta_pages},
        "files": [_file_doc(one) for one in built.files],
        "index": built.index_url,
        "index_changed": built.index_changed,
        "removed": {
            "count": len(built.removed),
            "examples": list(built.removed[:MAX_EXAMPLES]),
        },
        "robots": list(built.robots_lines),
        "nginx": nginx_lines(built.order.folder_url, names) if names else [],
        "live": _live_doc(live) if live else None,
        "built_at": timestamp(built.at) or "",
        "findings": [finding_doc(finding) for finding in findings],
    }


def _file_doc(one: BuiltFile) -> BuiltFileDoc:
    return {
        "name": one.file.name,
        "address": one.address,
        "pages": one.file.pages,
        "bytes": one.file.bytes,
        "fate": str(one.file.fate),
        "family": one.family,
        "lastmod": one.lastmod or None,
    }


def _live_doc(live: LiveLook) -> LiveDoc:
    return {"in_robots": live.in_robots, "files": [_live_file_doc(one) for one in live.files]}


def _live_file_doc(one: LiveFile) -> LiveFileDoc:
    return {
        "address": one.address,
        "http_status": one.status,
        "problem": one.problem or None,
        "content_type": one.content_type,
        "etag": one.etag,
        "last_modified": one.last_modified,
        "asked_again": one.asked_again,
        "same": one.same,
    }


# ---------------------------------------------------------------- words

_FILES = (
    Column("FILE", folds=Folds.ADDRESS),
    Column("PAGES", right=True),
    Column("BYTES", right=True),
    Column("NEWEST INSIDE"),
    Column("FATE"),
)
_FAMILIES = (
    Column("FAMILY", folds=Folds.ADDRESS),
    Column("FILES", right=True),
    Column("PAGES", right=True),
    Column("TOUCHED", right=True),
)
_DROPPED = (Column("DROPPED", right=True), Column("WHY"), Column("FAULT"))


def build_text(document: BuildDoc, folder: str, screen: Screen) -> list[str]:
    """The files; what is in none of them and why; what to do now."""
    dropped = [
        (number(count), reason, "yes" if reason in FAULTY else "")
        for reason, count in document["dropped"].items()
    ]
    lines = _files_text(document["files"], screen)
    lines += ["", *paragraph(_summary(document), screen)]
    if document["held"]:
        lines += paragraph("Held: nothing was touched. --force builds it.", screen, ink=Ink.BAD)
    lines += table(_DROPPED, dropped, screen)
    lines += text_parts.findings(document["findings"], screen)
    if not document["held"]:
        lines += _next(document, folder, screen)
    return lines


def _files_text(files: Sequence[BuiltFileDoc], screen: Screen) -> list[str]:
    if len(files) > LISTED_FILES:
        return _families_text(files, screen)
    rows = [
        (
            one["name"],
            number(one["pages"]),
            number(one["bytes"]),
            one["lastmod"] or "-",
            one["fate"],
        )
        for one in files
    ]
    return table(_FILES, rows, screen)


def _families_text(files: Sequence[BuiltFileDoc], screen: Screen) -> list[str]:
    families = dict.fromkeys(one["family"] for one in files)
    rows = []
    for family in families:
        own = [one for one in files if one["family"] == family]
        pages = sum(one["pages"] for one in own)
        touched = sum(one["fate"] != Fate.KEPT for one in own)
        rows.append((family, number(len(own)), number(pages), number(touched)))
    return table(_FAMILIES, rows, screen)


def _summary(document: BuildDoc) -> str:
    delta, recent = document["delta"], document["recent"]
    kinds = (("new", delta["new"]), ("changed", delta["changed"]), ("gone", delta["gone"]))
    counts = ", ".join(f"{number(count)} {kind}" for kind, count in kinds)
    parts = [f"{several(document['lines'], 'line')}, {several(document['pages'], 'page')}", counts]
    if recent["hours"]:
        parts.append(f"{number(recent['pages'])} in the delta of {recent['hours']} hours")
    return "; ".join(parts)


def _next(document: BuildDoc, folder: str, screen: Screen) -> list[str]:
    if not document["robots"]:
        return []
    lines = ["", *paragraph(f"Serve {folder}, and name it in robots.txt:", screen)]
    shown = document["robots"][: text_parts.SHOWN]
    lines += [f"    {plain(line)}" for line in shown]
    if len(document["robots"]) > len(shown):
        lines += [f"    ... and {number(len(document['robots']) - len(shown))} more (--json)"]
    if (live := document["live"]) is not None:
        lines += ["", *_live_text(live, screen)]
        lines += ["", "For nginx:", *(f"    {line}" for line in document["nginx"])]
    return lines


def _live_text(live: LiveDoc, screen: Screen) -> list[str]:
    columns = (
        Column("AS SERVED", folds=Folds.ADDRESS),
        Column("HTTP", right=True),
        Column("SAME"),
        Column("ETAG"),
        Column("LAST-MODIFIED"),
        Column("AGAIN", right=True),
    )
    rows = [
        (
            one["address"],
            number(one["http_status"]),
            "yes" if one["same"] else "no",
            "yes" if one["etag"] else "no",
            "yes" if one["last_modified"] else "no",
            number(one["asked_again"]),
        )
        for one in live["files"]
    ]
    named = "names" if live["in_robots"] else "does not name"
    return [*table(columns, rows, screen), *paragraph(f"robots.txt {named} them.", screen)]
