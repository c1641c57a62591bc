"""Files for a console, and what to hand in there: from results to JSON shapes and words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import cast

from submitter.core.checklist import Form, Item
from submitter.core.plain import plain
from submitter.looking.removals import Confirmation
from submitter.render import text_parts
from submitter.render.manual_documents import (
    AgendaDoc,
    BaiduDoc,
    ChecklistDoc,
    DeadLinksDoc,
    FilesDoc,
    ItemDoc,
    ManualDoc,
    TickDoc,
)
from submitter.render.screen import Ink, Screen
from submitter.render.shapes import finding_doc
from submitter.render.tables import Column, Folds, paragraph, table
from submitter.render.text_parts import number
from submitter.render.times import moment, read
from submitter.stories.baidu_files import BaiduFiles, agenda_json, baidu_files_json, item_json
from submitter.stories.manual import Checklist

FORGOTTEN = (
    "No inventory and no --ledger: what is handed in is not remembered, and the next list is this"
    " one again."
)
_FILE_COLUMNS = (
    Column("FILE"),
    Column("PAGES", right=True),
    Column("BYTES", right=True),
    Column("FATE"),
)
_DROPPED_COLUMNS = (Column("DROPPED", right=True), Column("WHY", folds=Folds.WORDS))

# ---------------------------------------------------------------- documents


def manual_doc(lists: Sequence[Checklist]) -> ManualDoc:
    return {"lists": [_checklist_doc(one) for one in lists]}


def tick_doc(changed: Sequence[Item]) -> TickDoc:
    return {"changed": [cast(ItemDoc, item_json(item)) for item in changed]}


def _checklist_doc(one: Checklist) -> ChecklistDoc:
    return {
        "site": one.site,
        "engine": one.console.name,
        "where": one.console.where,
        "per_day": one.console.per_day,
        "in_all": one.console.in_all,
        "source": one.console.source,
        "read_on": one.console.read_on,
        **cast(AgendaDoc, agenda_json(one.agenda)),
        "findings": [finding_doc(finding) for finding in one.findings],
    }


def baidu_doc(
    files: BaiduFiles, *, folder: str, remembered: bool, dead_links: DeadLinksDoc | None
) -> BaiduDoc:
    return {
        **cast(FilesDoc, baidu_files_json(files)),
        "folder": folder,
        "remembered": remembered,
        "dead_links": dead_links,
    }


def dead_links_doc(asked: Confirmation, files: BaiduFiles | None) -> DeadLinksDoc:
    confirmed, there = len(asked.confirmed), len(asked.still_there)
    return {
        "gone": confirmed + there + asked.unconfirmed,
        "confirmed": confirmed,
        "still_there": there,
        "unreachable": len(asked.unreachable),
        "unasked": len(asked.unasked),
        "files": None if files is None else cast(FilesDoc, baidu_files_json(files)),
    }


# ---------------------------------------------------------------- words


def manual_text(document: ManualDoc, now: datetime, screen: Screen) -> list[str]:
    """Each list under its site and engine: what to do today comes first."""
    if not document["lists"]:
        return paragraph(
            "Nothing is handed in by hand. `submitter flatten URL --baidu DIR` makes files for"
            " Baidu; `manual: [sogou]` at a site adds other consoles.",
            screen,
        )
    lines: list[str] = []
    for one in document["lists"]:
        lines += [screen.heading(f"{one['site']} at {one['engine']}")]
        lines += paragraph(f"{one['where']} (read {one['read_on']})", screen, ink=Ink.DIM)
        lines += agenda_text(one, now, screen)
        lines += [*text_parts.findings(one["findings"], screen), ""]
    return lines[:-1]


def agenda_text(to_do: AgendaDoc, now: datetime, screen: Screen) -> list[str]:
    """Addresses stand alone on their lines, whole, for a person to copy."""
    lines = _listed("Hand in today", to_do["hand_in"])
    lines += _listed("Take out of the console", to_do["withdraw"])
    changed = [item for item in to_do["handed_in"] if item["changed_since"]]
    lines += _listed("Changed since it was handed in", changed)
    for item in to_do["handed_in"]:
        lines.append(f"Handed in {moment(read(item['handed_in_at']), now)}")
        lines.append(_address(item))
    later = (
        (to_do["waiting"], "on a later day"),
        (to_do["over_limit"], "beyond what the console takes in all"),
    )
    lines += [f"Further addresses {why}: {number(count)}" for count, why in later if count]
    return lines or ["Nothing to hand in."]


def _listed(title: str, items: Iterable[ItemDoc]) -> list[str]:
    lines = [_address(item) for item in items]
    return [f"{title}:", *lines] if lines else []


def _address(item: ItemDoc) -> str:
    form = " (form for dead links)" if item["form"] == Form.DEAD_LINKS else ""
    return f"    {plain(item['address'])}{form}"


def tick_text(document: TickDoc, screen: Screen) -> list[str]:
    if not document["changed"]:
        return ["Nothing changed: it was so before."]
    return [line for item in document["changed"] for line in paragraph(_state(item), screen)]


def _state(item: ItemDoc) -> str:
    state = "not handed in"
    if item["withdrawn_at"] is not None:
        state = "taken out"
    elif item["handed_in_at"] is not None:
        state = "handed in"
    return f"{item['address']}: {state} ({item['engine']})"


def baidu_text(document: BaiduDoc, now: datetime, screen: Screen) -> list[str]:
    """The files, what is in none of them, and what to hand in."""
    lines = ["", screen.heading(f"Files for Baidu in {document['folder']}")]
    lines += _files_text(document, screen)
    if (dead := document["dead_links"]) is not None:
        words = (
            f"Dead links: {number(dead['confirmed'])} of {number(dead['gone'])} gone pages"
            " answered 404 or 410"
        )
        lines += ["", *paragraph(words, screen)]
        if dead["files"] is None:
            lines += paragraph("The site stopped answering: the files stand.", screen, ink=Ink.WAIT)
        else:
            lines += _files_text(dead["files"], screen)
    # the dead links came later, and count on the same list
    latest = dead["files"] if dead is not None and dead["files"] is not None else document
    lines += ["", *agenda_text(latest["manual"], now, screen)]
    if not document["remembered"]:
        lines += ["", *paragraph(FORGOTTEN, screen, ink=Ink.WAIT)]
    return lines


def _files_text(files: FilesDoc, screen: Screen) -> list[str]:
    rows = [
        (one["name"], number(one["pages"]), number(one["bytes"]), one["fate"])
        for one in files["files"]
    ]
    dropped = [(number(count), reason) for reason, count in files["dropped"].items()]
    held = paragraph("Held: no file was touched. --force writes them.", screen, ink=Ink.BAD)
    return [
        *table(_FILE_COLUMNS, rows, screen),
        *(held if files["held"] else ()),
        *table(_DROPPED_COLUMNS, dropped, screen),
        *text_parts.findings(files["findings"], screen),
    ]
