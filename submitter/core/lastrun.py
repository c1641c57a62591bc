"""What the newest run that had a target said of it, read back from the run's own document.

The log holds calls only. What was held, put off or given up before a call is known from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self, cast

from submitter.core.audit.holding import HOLD_IDS
from submitter.core.findings import Finding, Severity
from submitter.core.planned import Skip
from submitter.core.records import RunRow
from submitter.core.traits import Kind

Key = tuple[str, str]
"""Site and account: a target."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, `count` times alike; `uncalled` of them were given up before a call, so the
    log has no row of those. `message` and `next_step` are the engine's own, or ours."""

    site: str
    account: str
    engine: str
    kind: Kind
    target: str
    state: str
    cause: str
    message: str
    meaning: str
    next_step: str
    count: int
    uncalled: int
    pages: int

    @classmethod
    def read(cls, one: Mapping[str, Any]) -> Self:
        count = one.get("count", 1)
        return cls(
            site=one["site"],
            account=one["account"],
            engine=one["engine"],
            kind=Kind(one["kind"]),
            target=one["target"],
            state=one["state"],
            cause=one["cause"] or one["code"] or "",
            message=one["message"],
            meaning=one.get("meaning") or "",
            next_step=one["next_step"] or "",
            count=count,
            uncalled=count - one.get("calls", count),  # runs of older versions do not say
            pages=one["pages"],
        )


@dataclass(frozen=True, slots=True)
class LastRun:
    """Of one target. `at`: when the run ended."""

    run: str
    at: datetime | None
    skips: Sequence[Skip] = ()
    problems: Sequence[Problem] = ()
    findings: Sequence[Finding] = ()

    def held_by(self, reason: str, site: str, crawler: str) -> tuple[Finding, ...]:
        """Why the site was held for this skip reason, as far as an engine with this crawler is
        concerned; empty: it was not held."""
        if not any(skip.reason == reason for skip in self.skips):
            return ()
        errors = (one for one in self.findings if one.severity is Severity.ERROR)
        found = [one for one in errors if one.where == site and _holds(one, crawler)]
        return tuple(one for one in found if (one.id in HOLD_IDS) == (reason == "audit"))

    def given_up(self, kind: Kind, target: str | None = None) -> Problem | None:
        """Why calls of this kind were not even begun; with `target` about that sitemap."""
        found = (one for one in self.problems if one.kind is kind and one.uncalled)
        return next((one for one in found if target in (None, one.target)), None)

    def without(self, kind: Kind) -> LastRun:
        """Where a call of this kind was made since: what stood in the way of calls does not."""
        return replace(
            self,
            skips=[one for one in self.skips if one.kind is not kind or one.column != "deferred"],
            problems=[one for one in self.problems if one.kind is not kind],
        )

    def put_off(self, kind: Kind, now: datetime) -> Skip | None:
        """Why items of this kind wait that were planned, where that still holds."""
        waits = [one for one in self.skips if one.kind is kind and one.column == "deferred"]
        alive = [one for one in waits if one.until is None or now < one.until]
        return max(alive, key=lambda one: one.count, default=None)


def _holds(finding: Finding, crawler: str) -> bool:
    """What robots.txt says to one crawler holds the sites of its engine only."""
    return finding.id != "robots-closed" or finding.message.endswith(f" {crawler}")


NO_RUN = LastRun("", None)


def last_runs(runs: Iterable[RunRow]) -> dict[Key, LastRun]:
    """`runs` newest first. Each target has the word of the newest that had it and has ended; one
    that was about what a person named counts where no other is: it says nothing of the rest."""
    ended = [run for run in runs if run.summary is not None]
    found: dict[Key, LastRun] = {}
    for run in sorted(ended, key=_is_partial):
        for key, said in _targets_of(run).items():
            found.setdefault(key, said)
    return found


def _is_partial(run: RunRow) -> bool:
    return bool(run.summary and run.summary.get("partial"))


def _targets_of(run: RunRow) -> dict[Key, LastRun]:
    summary = cast("Mapping[str, Any]", run.summary)
    skips: dict[tuple[str, str | None], list[Skip]] = {}
    for one in summary.get("skips", ()):
        skips.setdefault((one["site"], one["account"]), []).append(_skip(one))
    problems: dict[Key, list[Problem]] = {}
    for one in summary.get("problems", ()):
        problems.setdefault((one["site"], one["account"]), []).append(Problem.read(one))
    return {
        key: LastRun(
            run=run.id,
            at=run.finished_at,
            skips=(*skips.get(key, ()), *skips.get((key[0], None), ())),
            problems=problems.get(key, ()),
            findings=tuple(map(Finding.read, one.get("findings", ()))),
        )
        for one in summary.get("targets", ())
        if (key := (one["site"], one["account"]))
    }


def _skip(one: Mapping[str, Any]) -> Skip:
    until = one["until"] and datetime.fromisoformat(one["until"])
    return Skip(
        one["site"], one["account"], Kind(one["kind"]), one["reason"], one["count"], until or None
    )
