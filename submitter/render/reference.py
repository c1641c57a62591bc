"""The reference: everything that programs and people may rely on, from the tables in the code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final

from submitter.core.accounting import ExitCode, RunOutcome
from submitter.core.alerts import ALERT_IDS
from submitter.core.audit.holding import HOLD_IDS
from submitter.core.audit.rules import AUDIT_IDS
from submitter.core.building.advice import LIVE_IDS
from submitter.core.building.leaks import PARAMETERS
from submitter.core.building.reasons import DROPPED, LEFT_OUT
from submitter.core.building.rows import FIELDS
from submitter.core.causes import CAUSES
from submitter.core.consoles import CONSOLES
from submitter.core.findings import Meaning, Severity
from submitter.core.guard import GUARD_IDS
from submitter.core.notes import READING_IDS
from submitter.core.pagereader import PAGE_IDS
from submitter.core.robots import ROBOTS_IDS
from submitter.core.sieve import NOT_WRITTEN
from submitter.core.skip_words import LATER, NOT_NOW
from submitter.core.states import PARTIAL, State
from submitter.core.status import SitemapState
from submitter.core.traits import Traits
from submitter.core.trees import TREE_IDS
from submitter.engines.yandex_token import TOKEN_IDS
from submitter.inventory.schema import inventory_schema
from submitter.ledger.views import COLUMNS
from submitter.render.json_shapes import FAILURE, SHAPES
from submitter.render.markdown import code, codes, heading, link, table
from submitter.render.members import member_docs
from submitter.render.reference_commands import CommandText, commands_chapter
from submitter.render.reference_crawls import crawls_chapter
from submitter.render.reference_dashboard import dashboard_chapter
from submitter.render.reference_engines import engines_chapter
from submitter.render.reference_inventory import inventory_chapter
from submitter.render.reference_json import json_chapter
from submitter.sources.reasons import NOTES, REASONS
from submitter.stories.baidu_files import FILE_IDS
from submitter.stories.building.reports import BUILD_IDS
from submitter.stories.checkup import CHECK_IDS
from submitter.stories.manual import MANUAL_IDS

INTRO = """\
# Reference

Made from the program's own tables by `scripts/reference`; a test keeps it equal to them. What
stands here only grows: ids, keys and columns are not taken away, nor do they change their meaning.
Times are RFC 3339 in UTC; `null` stands for what is absent or unknown.
"""

FINDINGS: Final[Mapping[str, Mapping[str, Meaning]]] = {
    "Holding a site": {**GUARD_IDS, **HOLD_IDS},
    "A site's robots.txt": ROBOTS_IDS,
    "A site's tree of sitemaps": TREE_IDS,
    "Whose pages a sitemap lists": PAGE_IDS,
    "Reading a document": READING_IDS,
    "Fetching a document, although it came": NOTES,
    "Fetching a document that did not come": {
        id: Meaning(Severity.ERROR, text) for id, text in REASONS.items()
    },
    "An audit": AUDIT_IDS,
    "What is alarming": ALERT_IDS,
    "Files for a console": {
        **FILE_IDS,
        **MANUAL_IDS,
        **{id: Meaning(Severity.WARNING, text) for id, text in NOT_WRITTEN.items()},
    },
    "Lines of a publish list that are no entry": DROPPED,
    "What is left out of an entry": LEFT_OUT,
    "A build of sitemaps": {**BUILD_IDS, **LIVE_IDS},
    "The inventory": {**CHECK_IDS, **TOKEN_IDS},
}
"""Every table of ids there is, by the place where they are met."""


def reference_text(engines: Mapping[str, Traits], commands: Sequence[CommandText]) -> str:
    chapters = {
        "Engines": engines_chapter(engines, CONSOLES),
        "Commands": commands_chapter(commands),
        "Exit codes": _exit_codes(),
        "JSON": json_chapter(SHAPES, FAILURE),
        "States": _states(),
        "Why something is not sent": _skips(),
        "Causes": _causes(),
        "Findings": _findings(),
        "Access logs": crawls_chapter(),
        "Inventory": inventory_chapter(inventory_schema(engines)),
        "Publish lists": _list_fields(),
        "Views of the ledger": _views(),
        "Tables of the dashboard": dashboard_chapter(),
    }
    lines = [*INTRO.splitlines(), "", " · ".join(map(link, chapters))]
    for title, chapter in chapters.items():
        lines += [*heading(2, title), *chapter]
    return _without_double_blanks(lines)


def _without_double_blanks(lines: Iterable[str]) -> str:
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept) + "\n"


# ---------------------------------------------------------------- small chapters


def _members(members: type[Enum]) -> Iterable[tuple[str, str]]:
    docs = member_docs(members)
    return ((code(member.value), docs[name]) for name, member in members.__members__.items())


def _exit_codes() -> list[str]:
    several = "When several hold, the highest below 7 is given."
    outcome = "The `outcome` of a run in one word:"
    lines = [*table(("code", "meaning"), _members(ExitCode)), "", several, "", outcome, ""]
    return [*lines, *table(("outcome", "meaning"), _members(RunOutcome))]


def _states() -> list[str]:
    partial = (code(PARTIAL), "Of a call, never of a page: its pages ended in several states.")
    lines = ["Of a call, and of a page or sitemap at an account:", ""]
    lines += table(("state", "meaning"), [*_members(State), partial])
    lines += ["", "Of a sitemap at an engine, as `status` shows it:", ""]
    return [*lines, *table(("state", "meaning"), _members(SitemapState))]


def _skips() -> list[str]:
    rows = [(code(id), "later, by itself", text) for id, text in LATER.items()]
    rows += [(code(id), "when something changes", text) for id, text in NOT_NOW.items()]
    intro = (
        "The `reason` of each skip. What is sent later counts as `deferred`, the rest as `skipped`."
        " What an engine put off itself has the engine's own code as its reason."
    )
    return [intro, "", *table(("reason", "sent", "meaning"), rows)]


def _causes() -> list[str]:
    intro = (
        "Why a call failed or a check found something, in `cause`; the words and the next step"
        " stand beside it, with the names of what they are about."
    )
    rows = ((code(row.id), codes(row.engines), row.meaning, row.next_step) for row in CAUSES)
    return [intro, "", *table(("cause", "only at", "meaning", "next step"), rows)]


def _findings() -> list[str]:
    intro = (
        "What is wrong with an input, by `id`; one finding for each root cause. An id that is not"
        f" here is one of the {link('Causes', 'causes')}."
    )
    lines = [intro]
    for place, meanings in FINDINGS.items():
        rows = ((code(id), str(one.severity), one.text) for id, one in meanings.items())
        lines += [*heading(3, place), *table(("id", "severity", "meaning"), rows)]
    return lines


def _list_fields() -> list[str]:
    intro = (
        "One line a page: an object of JSON, a row of CSV or of a query. In CSV several values of a"
        " field are parted by blanks, or written as JSON; alternates also as `de=https://...`."
        " Other fields may be named by `--family`."
    )
    dropped = ", ".join(code(name) for name in PARAMETERS)
    rows = ((code(name), text) for name, text in FIELDS.items())
    left_out = f"Pages with these parameters are not listed, unless `--keep-parameter`: {dropped}."
    return [intro, "", *table(("field", "meaning"), rows), "", left_out]


def _views() -> list[str]:
    lines = ["Dashboards read these views, never the tables behind them."]
    for name, columns in COLUMNS.items():
        rows = ((code(column.name), column.doc) for column in columns)
        lines += [*heading(3, name), *table(("column", "meaning"), rows)]
    return lines
