"""From an answer, or the lack of one, to what is remembered and counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from submitter.core.accounting import Done, ExitCode, RunOutcome, columns_of, judge_run
from submitter.core.calls import Action, Outcome, Receipt
from submitter.core.findings import Finding, Severity
from submitter.core.looks import DocumentReading, SiteLook
from submitter.core.outcomes import outcome_of_error, outcome_of_receipt
from submitter.core.planned import Plan, Skip
from submitter.core.states import State
from submitter.core.traits import Kind, Traits, UnknownRule
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
)

SENT_AT = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)
LATER = SENT_AT + timedelta(days=2)
BAIDU = Traits(
    name="baidu",
    title="Baidu",
    tells=frozenset({Kind.URLS}),
    secret_key="token",
    day_zone="Asia/Shanghai",
    unknown_rule=UnknownRule.NEXT_DAY,
)
HUB = Traits(
    name="hub",
    title="Hub",
    tells=frozenset({Kind.URLS}),
    secret_key="key",
    day_zone="UTC",
    repeat_after_s=600,
)


def batch(size: int = 10) -> Action:
    return Action(
        site="https://a.example",
        account="baidu",
        engine="baidu",
        property="a.example",
        kind=Kind.URLS,
        target="https://a.example/0",
        reason="new",
        content="c",
        pages=tuple(range(size)),
        cost=size,
    )


def outcome(receipt: Receipt, size: int = 10) -> Outcome:
    return outcome_of_receipt(batch(size), receipt, traits=BAIDU, sent_at=SENT_AT)


def test_a_whole_answer_accepts_the_batch() -> None:
    result = outcome(Receipt(State.ACCEPTED, 200, spent=10, quota_left=3))
    assert (result.state, result.accepted, result.spent, result.quota_left) == (
        "accepted", 10, 10, 3,
    )  # fmt: skip


def test_pages_the_engine_names_are_rejected_and_the_rest_accepted() -> None:
    rejected = {"https://a.example/1": "not_same_site", "https://a.example/2": "not_valid"}
    result = outcome(Receipt(State.ACCEPTED, 200, rejected=rejected, spent=8))
    assert (result.state, result.accepted, result.rest) == ("partial", 8, State.ACCEPTED)
    assert columns_of(Done(batch(), result)) == {"accepted": 8, "rejected": 2, "unknown": 0}


def test_a_success_of_zero_is_no_success() -> None:
    rejected = {f"https://a.example/{n}": "not_same_site" for n in range(10)}
    result = outcome(Receipt(State.ACCEPTED, 200, rejected=rejected, spent=0))
    assert (result.state, result.accepted, result.spent) == ("rejected", 0, 0)


def test_sums_that_do_not_meet_leave_no_page_accepted() -> None:
    """The engine counted seven of ten: which seven, it did not say."""
    result = outcome(Receipt(State.ACCEPTED, 200, unaccounted=3, spent=7))
    assert (result.state, result.rest, result.accepted) == ("partial", State.UNKNOWN, 7)
    assert (result.spent, result.not_before) == (10, MIDNIGHT)
    assert columns_of(Done(batch(), result)) == {"accepted": 7, "rejected": 0, "unknown": 3}


@pytest.mark.parametrize(
    ("error", "state", "not_before", "spent"),
    [
        (EngineUnavailable("baidu", "503"), State.FAILED, None, 0),
        (OutcomeUnknown("baidu", "reset"), State.UNKNOWN, MIDNIGHT, 10),
        (Refused("baidu", "only 2000 urls"), State.REJECTED, None, 0),
        (QuotaExhausted("baidu", "over quota"), State.DEFERRED, MIDNIGHT, 0),
        (QuotaExhausted("baidu", "over quota", resets_at=LATER), State.DEFERRED, LATER, 0),
        (NotReady("baidu", "not loaded", not_before=LATER), State.DEFERRED, LATER, 0),
        (
            NotAuthorized("baidu", "token", scope="account", cause="token-invalid"),
            State.FAILED, None, 0,
        ),
    ],
)  # fmt: skip
def test_only_a_lost_answer_counts_as_spent(
    error: EngineError, state: State, not_before: datetime | None, spent: int
) -> None:
    result = outcome_of_error(batch(), error, traits=BAIDU, sent_at=SENT_AT)
    assert (result.rest, result.not_before, result.spent) == (state, not_before, spent)


def test_a_harmless_repeat_waits_only_as_long_as_the_engine_asks() -> None:
    error = OutcomeUnknown("hub", "reset")
    result = outcome_of_error(batch(), error, traits=HUB, sent_at=SENT_AT)
    assert result.not_before == SENT_AT + timedelta(seconds=600)


def test_the_cause_and_the_next_step_are_kept() -> None:
    error = NotAuthorized(
        "google", "403", scope="property", cause="role-restricted", next_step="ask an owner"
    )
    result = outcome_of_error(batch(), error, traits=HUB, sent_at=SENT_AT)
    assert (result.cause, result.next_step) == ("role-restricted", "ask an owner")


# ---------------------------------------------------------------- the verdict of a run

GOOD = Done(batch(), Outcome("accepted", State.ACCEPTED, accepted=10))
BAD = Done(batch(), Outcome("failed", State.FAILED))
LOST = Done(batch(), Outcome("unknown", State.UNKNOWN))
DEFERRED = Done(batch(), Outcome("deferred", State.DEFERRED, code="quota"), called=False)
LATE = Done(batch(), Outcome("deferred", State.DEFERRED, code="deadline"), called=False)
CLOSED = Done(batch(), Outcome("failed", State.FAILED, cause="role"), called=False)
HELD = Skip("https://a.example", "gsc", Kind.SITEMAP, "guard", 1)
SPENT = Skip("https://a.example", "baidu", Kind.URLS, "quota", 9)
UNCHANGED = Skip("https://a.example", "gsc", Kind.SITEMAP, "unchanged", 1)
BROKEN = SiteLook(
    "https://a.example",
    SENT_AT,
    first=False,
    readings=(
        DocumentReading(
            "u", "u", 0, None, 404, findings=(Finding("http-404", Severity.ERROR, "u", "404"),)
        ),
    ),
)


@pytest.mark.parametrize(
    ("done", "skips", "looks", "expected"),
    [
        ([], [], [], (RunOutcome.NOTHING, ExitCode.OK)),
        ([], [UNCHANGED], [], (RunOutcome.NOTHING, ExitCode.OK)),
        ([GOOD], [], [], (RunOutcome.OK, ExitCode.OK)),
        ([GOOD, DEFERRED], [], [], (RunOutcome.OK, ExitCode.OK)),
        ([DEFERRED], [], [], (RunOutcome.NOTHING, ExitCode.OK)),
        ([GOOD], [HELD], [], (RunOutcome.HELD, ExitCode.HELD)),
        ([GOOD, BAD], [], [], (RunOutcome.PARTIAL, ExitCode.PARTIAL)),
        ([GOOD, LOST], [HELD], [], (RunOutcome.PARTIAL, ExitCode.PARTIAL)),
        ([GOOD], [], [BROKEN], (RunOutcome.PARTIAL, ExitCode.PARTIAL)),
        ([BAD], [UNCHANGED], [], (RunOutcome.PARTIAL, ExitCode.PARTIAL)),
        ([BAD], [], [], (RunOutcome.FAILED, ExitCode.NOTHING_SUCCEEDED)),
        ([CLOSED], [], [], (RunOutcome.FAILED, ExitCode.NOTHING_SUCCEEDED)),
        ([BAD, DEFERRED], [SPENT], [], (RunOutcome.FAILED, ExitCode.NOTHING_SUCCEEDED)),
        ([CLOSED], [SPENT], [BROKEN], (RunOutcome.FAILED, ExitCode.NOTHING_SUCCEEDED)),
        ([GOOD, LATE], [], [], (RunOutcome.DEADLINE, ExitCode.DEADLINE)),
    ],
)
def test_the_exit_code_says_which_kind_of_trouble_there_was(
    done: list[Done],
    skips: list[Skip],
    looks: list[SiteLook],
    expected: tuple[RunOutcome, ExitCode],
) -> None:
    plan = Plan(SENT_AT, (), tuple(skips))
    verdict = judge_run(plan, done, looks)
    assert (verdict.outcome, verdict.exit_code) == expected


@pytest.mark.parametrize(("number", "code"), [(2, ExitCode.INTERRUPTED), (15, ExitCode.TERMINATED)])
def test_a_signal_is_told_before_any_trouble(number: int, code: ExitCode) -> None:
    verdict = judge_run(Plan(SENT_AT, (), ()), [BAD, LATE], [BROKEN], late=True, signal=number)
    assert (verdict.outcome, verdict.exit_code) == (RunOutcome.STOPPED, code)
