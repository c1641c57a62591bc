"""Why an engine does not have something, in words, with the id by which everybody names it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from submitter.core.causes import find_cause, meaning_of, next_step_of
from submitter.core.lastrun import Problem
from submitter.core.planned import Skip, TargetInput
from submitter.core.records import LogRow
from submitter.core.skip_words import NEXT, words_of
from submitter.core.states import TOLD, State
from submitter.core.summary import timestamp


@dataclass(frozen=True, slots=True)
class Why:
    """`reason` is the id of a skip or a cause, if there is one; `next_step` is in `words`, too."""

    words: str = ""
    reason: str = ""
    next_step: str = ""
    until: datetime | None = None


NOTHING = Why()
"""The engine has it."""


def of_skip(skip: Skip, given: TargetInput, engine: str) -> Why:
    """As `plan` and `run` name it, with what the guard or an audit found."""
    cause = find_cause(skip.reason, engine)
    found = {"guard": given.held, "audit": given.audited}.get(skip.reason, ())
    step = NEXT.get(skip.reason) or (cause.next_step if cause else "")
    said = [cause.meaning if cause else words_of(skip.reason) or skip.reason]
    said += [one.message for one in found[:3]]
    if skip.reason == "unreadable" and given.look is not None:
        said += [root.problem for root in given.look.roots if root.problem][:1]
    step = step.replace("SITE", given.target.site.host).replace("NAME", given.target.account.name)
    return Why(_joined(*said, step, *_until(skip.until)), skip.reason, step, skip.until)


def of_problem(problem: Problem) -> Why:
    """As the run named it. No call was made, so nothing of it is in the log."""
    meaning = meaning_of(problem.cause, problem.engine) or problem.meaning
    words = _joined(meaning, problem.message, problem.next_step)
    return Why(words, problem.cause, problem.next_step)


def of_state(
    state: str,
    reason: str,
    not_before: datetime | None,
    last: LogRow | None,
    engine: str = "",
) -> Why:
    """What the item itself remembers. `reason` may be a cause: then no call was begun, and `last`
    is about something else."""
    if state in TOLD:
        return NOTHING
    words = _STATE_WORDS.get(state, state)
    if meaning := meaning_of(reason, engine):
        step = next_step_of(reason, engine) or ""
        said = _joined(words, meaning, step, *_until(not_before))
        return Why(said, reason, step, not_before)
    called = last if last is not None and last.state not in TOLD else None
    step = (called.next_step or next_step_of(called.cause, called.engine) or "") if called else ""
    said = _joined(words, words_of(reason) or reason, *_last_words(called, reason), step)
    id = (called.cause if called else None) or reason
    return Why(_joined(said, *_until(not_before)), id, step, not_before)


def _last_words(last: LogRow | None, reason: str) -> list[str]:
    """What became of the last call: what it means, and what was said."""
    if last is None:
        return []
    said = f"the engine said: {last.message}" if last.message not in ("", reason) else ""
    return [meaning_of(last.cause, last.engine) or "", said]


def _until(at: datetime | None) -> list[str]:
    return [] if at is None else [f"not before {timestamp(at)}"]


def _joined(*parts: str) -> str:
    """Each once: what an engine says is often what the cause means."""
    kept: list[str] = []
    for part in filter(None, parts):
        if not any(part in one for one in kept):
            kept.append(part)
    return "; ".join(kept)


_STATE_WORDS = {
    State.SENDING: "a call is under way, or its run died",
    State.REJECTED: "the engine does not want it; the same is never sent again",
    State.DEFERRED: "it waits",
    State.UNKNOWN: "it was sent and no answer could be read",
    State.FAILED: "the call was not carried out; the next run tries again",
    "waiting": "it waits for its turn",
    "never": "no rule tells it",
}
