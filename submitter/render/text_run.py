"""What a run did, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from submitter.render import text_parts
from submitter.render.documents import RunDoc, RunTargetDoc
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, Row, paragraph, table
from submitter.render.text_parts import number
from submitter.render.times import exact, read, span

IDLE_SHOWN = 40
"""With more targets than this, those with nothing sent and nothing wrong share one line."""

OUTCOMES: Mapping[str, tuple[str, Ink | None]] = {
    "ok": ("done", Ink.GOOD),
    "nothing": ("nothing to do", None),
    "partial": ("some of it went wrong", Ink.BAD),
    "failed": ("nothing succeeded", Ink.BAD),
    "held": ("the guard held a site; --site HOST --force REASON lets it through", Ink.WAIT),
    "deadline": ("stopped with work left; the next run goes on", Ink.WAIT),
    "stopped": ("stopped by a signal; the next run goes on", Ink.WAIT),
}

COLUMNS = (
    Column("SITE", folds=Folds.ADDRESS),
    Column("ACCOUNT", folds=Folds.ADDRESS),
    Column("OF"),
    Column("SENT", right=True),
    Column("LATER", right=True),
    Column("WRONG", right=True),
    Column("SKIPPED", right=True),
)
_SENT = ("accepted", "received", "already")
_WRONG = ("rejected", "unknown", "failed")


def run_text(run: RunDoc, now: datetime, screen: Screen) -> list[str]:
    """The lines of the report."""
    return [
        *_head(run, screen),
        "",
        *_targets(run, screen),
        *text_parts.why_not_sent(run["skips"], now, screen),
        *text_parts.allowances((one["allowance"] for one in run["targets"]), now, screen),
        *text_parts.problems(run["problems"], screen),
        *text_parts.findings(
            (finding for target in _once_a_site(run["targets"]) for finding in target["findings"]),
            screen,
        ),
    ]


def _head(run: RunDoc, screen: Screen) -> list[str]:
    words, ink = OUTCOMES.get(run["outcome"], (run["outcome"], None))
    started, finished = read(run["started_at"]), read(run["finished_at"])
    took = f", took {span(finished - started)}" if started and finished else ""
    return [
        *paragraph(f"Run {run['run']}: {words}", screen, ink=ink),
        *paragraph(f"{exact(started)}{took}, plan {run['digest']}", screen, ink=Ink.DIM),
    ]


def _once_a_site(targets: Iterable[RunTargetDoc]) -> Iterable[RunTargetDoc]:
    """A site's findings stand at each of its accounts; one of them is enough."""
    return {target["site"]: target for target in targets}.values()


def _targets(run: RunDoc, screen: Screen) -> list[str]:
    targets = run["targets"]
    few = len(targets) <= IDLE_SHOWN
    shown = [target for target in targets if few or not _is_idle(target)]
    rows: list[Row] = [row for target in shown for row in _target_rows(target)]
    idle = len(targets) - len(shown)
    if idle:
        rows.append((f"{idle:,} more targets", "", "", "", "", "", "nothing"))
    rows += _rows("total", "", run["counts"]["sitemaps"], run["counts"]["pages"])
    return table(COLUMNS, rows, screen)


def _is_idle(target: RunTargetDoc) -> bool:
    counts = target["counts"]
    busy = (*_SENT, *_WRONG, "deferred")
    return not any(counts[side][column] for side in ("sitemaps", "pages") for column in busy)


def _target_rows(target: RunTargetDoc) -> list[Row]:
    counts = target["counts"]
    return _rows(target["site"], target["account"], counts["sitemaps"], counts["pages"])


def _rows(
    site: str, account: str, sitemaps: Mapping[str, int], pages: Mapping[str, int]
) -> list[Row]:
    """A row for each kind that there is something of; one of zeros when there is nothing."""
    sides = [("sitemaps", sitemaps), ("pages", pages)]
    used = [side for side in sides if any(side[1].values())] or sides[:1]
    return [
        (site if at == 0 else "", account if at == 0 else "", kind, *_cells(counts))
        for at, (kind, counts) in enumerate(used)
    ]


def _cells(counts: Mapping[str, int]) -> Sequence[str | Cell]:
    sent = sum(counts[column] for column in _SENT)
    wrong = sum(counts[column] for column in _WRONG)
    later = counts["deferred"]
    return (
        Cell(number(sent), Ink.GOOD if sent else None),
        Cell(number(later), Ink.WAIT if later else None),
        Cell(number(wrong), Ink.BAD if wrong else None),
        number(counts["skipped"]),
    )
