"""Adds up what a run did: found = sent + already known + deferred + refused + skipped(reason)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from itertools import chain

from submitter.core.calls import Action, Outcome
from submitter.core.findings import Severity
from submitter.core.looks import SiteLook
from submitter.core.outcomes import pages_in
from submitter.core.planned import KNOWN, Plan, Skip
from submitter.core.states import PARTIAL, SETTLED_COLUMNS, TOLD, WRONG, State
from submitter.core.traits import Kind
from submitter.core.trees import TREE_IDS

HOLDING = frozenset({"guard", "audit"})
"""Skip reasons of a site that is held as a whole, until it is mended or forced."""

SIGNAL_BASE = 128
"""What shells add to the number of the signal that ended a program."""


class ExitCode(IntEnum):
    """What a caller may act on. When several hold, the highest below 7 wins."""

    OK = 0
    """Done, nothing to do, or all that is left waits for quota."""
    INTERNAL = 1
    """A fault of the program; `-v` shows where."""
    USAGE = 2
    """The command line, the inventory or a secret has to be edited."""
    HELD = 3
    """The guard or an audit held a site, or the plan is not the agreed one."""
    PARTIAL = 4
    """Something was rejected, failed or is unknown, or a document has errors."""
    NOTHING_SUCCEEDED = 5
    """All that was tried went wrong, and nothing selected stands at its engine since earlier runs;
    what waits for its quota was not tried."""
    DEADLINE = 6
    """Stopped at the deadline with work left; the next run goes on."""
    NO_MATCH = 7
    """The selection matched nothing, or nothing is known of the address."""
    LEDGER = 8
    """The ledger, or a folder of files, cannot be read or written."""
    BUSY = 75
    """Another run holds the ledger."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; what was begun is stored."""
    TERMINATED = 143
    """Stopped by a signal; what was begun is stored."""


class RunOutcome(StrEnum):
    OK = "ok"
    """Something was told, and nothing went wrong."""
    PARTIAL = "partial"
    """Some of it went wrong, or a document has errors."""
    FAILED = "failed"
    """All that was tried went wrong, and nothing selected stands at its engine already."""
    NOTHING = "nothing"
    """There was nothing to tell."""
    HELD = "held"
    """The guard or an audit held a site; nothing else went wrong."""
    DEADLINE = "deadline"
    """Its time was over with work left."""
    STOPPED = "stopped"
    """Ctrl-C or another signal stopped it; what was left, the next run does."""


@dataclass(frozen=True, slots=True)
class Done:
    """How one planned action ended. `called` False: no call was made, `outcome` says why."""

    action: Action
    outcome: Outcome
    called: bool = True


@dataclass(slots=True)
class Counts:
    """`C` of the JSON shapes: sitemaps in calls, pages in pages."""

    sitemaps: Counter[str] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)

    def add_done(self, done: Done) -> None:
        side = self.sitemaps if done.action.kind is Kind.SITEMAP else self.pages
        side.update(columns_of(done))

    def add_skip(self, skip: Skip) -> None:
        side = self.sitemaps if skip.kind is Kind.SITEMAP else self.pages
        side[skip.column] += skip.count

    def as_json(self) -> dict[str, dict[str, int]]:
        return {
            "sitemaps": {column: self.sitemaps[column] for column in SETTLED_COLUMNS},
            "pages": {column: self.pages[column] for column in SETTLED_COLUMNS},
        }


def columns_of(done: Done) -> dict[str, int]:
    """How many of the action's items ended in which column; the sum is the action's size."""
    outcome, total = done.outcome, pages_in(done.action)
    rejected = len(outcome.rejected)
    if outcome.state == PARTIAL or rejected or outcome.unaccounted:
        taken = total - rejected - outcome.unaccounted
        column = outcome.rest if outcome.rest in TOLD else State.ACCEPTED
        return {
            column: taken,
            State.REJECTED: rejected,
            State.UNKNOWN: outcome.unaccounted,
        }
    return {outcome.rest: total}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The one-word outcome of a run and its exit code."""

    outcome: RunOutcome
    exit_code: int


def judge_run(
    plan: Plan,
    done: Sequence[Done],
    looks: Iterable[SiteLook],
    *,
    late: bool = False,
    forced: bool = False,
    signal: int | None = None,
) -> Verdict:
    """Which kind of trouble there was, the worst first. `late`: some sites were not looked at;
    `signal`: the number of the one that stopped the run. What waits for its quota neither went
    well nor wrong."""
    if signal is not None:
        return Verdict(RunOutcome.STOPPED, exit_code_of_signal(signal))
    tried = [one for one in done if one.called or one.outcome.rest is State.FAILED]
    good = any(_succeeded(one) for one in tried)
    bad = any(_went_wrong(one) for one in tried)
    broken = any(has_broken_documents(look) for look in looks)
    if late or any(one.outcome.code == "deadline" for one in done):
        return Verdict(RunOutcome.DEADLINE, ExitCode.DEADLINE)
    if bad and not good and not _knew_some(plan):
        return Verdict(RunOutcome.FAILED, ExitCode.NOTHING_SUCCEEDED)
    if bad or broken:
        return Verdict(RunOutcome.PARTIAL, ExitCode.PARTIAL)
    if any(skip.reason in HOLDING for skip in plan.skips) and not forced:
        return Verdict(RunOutcome.HELD, ExitCode.HELD)
    return Verdict(RunOutcome.OK if good else RunOutcome.NOTHING, ExitCode.OK)


def exit_code_of_signal(number: int) -> int:
    """What shells give for a program that this signal ended."""
    return SIGNAL_BASE + number


def _knew_some(plan: Plan) -> bool:
    """Some of the selected items stand at their engine since an earlier run."""
    return any(skip.reason in KNOWN for skip in plan.skips)


def _succeeded(one: Done) -> bool:
    return any(columns_of(one).get(state, 0) for state in TOLD)


def _went_wrong(one: Done) -> bool:
    columns = columns_of(one)
    return any(columns.get(state, 0) for state in WRONG)


def has_broken_documents(look: SiteLook) -> bool:
    """Whether a look found an error that makes its run partial."""
    of_tree = (finding for finding in look.findings if finding.id in TREE_IDS)
    of_documents = (finding for reading in look.readings for finding in reading.findings)
    return any(finding.severity is Severity.ERROR for finding in chain(of_tree, of_documents))
