"""How long calls took: a histogram that a ledger can answer for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from evidence_samples import DAY, NOW, SITE, History

from submitter.core.calls import Action, Outcome
from submitter.core.evidence import CALL_STEPS_S, CallTimes
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease
from submitter.render.prometheus import metrics_text
from submitter.stories.metrics import Metrics

ACTION = Action(SITE, "gsc", "google", f"{SITE}/", Kind.SITEMAP, f"{SITE}/a.xml", "new", "c")


def call(ledger: SqlLedger, lease: Lease, number: int, took_s: float | None) -> None:
    """A call that took so long; None: nobody saw it end."""
    action = replace(ACTION, target=f"{SITE}/{number}.xml")
    attempt = ledger.claim(lease, action, run="r", number=1, at=NOW, allowance=None)
    if took_s is not None:
        ended = NOW + timedelta(seconds=took_s)
        outcome = Outcome(state=State.ACCEPTED, rest=State.ACCEPTED, accepted=1)
        ledger.settle(lease, attempt, action, outcome, at=ended, allowance=None)


def test_calls_are_counted_by_how_long_they_took(ledger: SqlLedger, history: History) -> None:
    """One whose clock was set back took no time; one whose end nobody saw is in no number."""
    history.look(["a"], NOW - DAY)
    for number, took in enumerate((0.1, 0.2, 0.4, 45.0, 90.0, -5.0, None)):
        call(ledger, history.lease, number, took)
    ledger.release(history.lease)
    later = ledger.acquire("run", "later", ttl_s=60, now=NOW + DAY)
    assert ledger.recover(later, now=NOW + DAY, not_before={}) == 1
    assert ledger.call_times() == [
        CallTimes("google", "sitemap", 6, 135.7, (2, 3, 4, 4, 4, 4, 4, 4, 5))
    ]


def test_no_call_is_no_row(ledger: SqlLedger) -> None:
    assert ledger.call_times() == []


def test_an_index_answers_without_the_rows_of_calls(ledger: SqlLedger) -> None:
    from submitter.ledger.evidence import TIMES

    with ledger._database.reading() as tx:
        if tx.connection.dialect.name != "sqlite":
            return
        asked = TIMES.compile(tx.connection, compile_kwargs={"literal_binds": True})
        plan = tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked}").fetchall()
    assert any("COVERING INDEX ix_attempt_timed" in str(row) for row in plan)


def test_a_histogram_is_written_as_its_readers_expect() -> None:
    """Source: https://prometheus.io/docs/instrumenting/exposition_formats/, read 2026-11-30."""
    times = (CallTimes("baidu", "urls", 6, 135.7, (2, 3, 4, 4, 4, 4, 4, 4, 5)),)
    text = metrics_text(Metrics("f", NOW, frozenset(), (), times, (), {}, {}, (), None, {}))
    name, labels = "submitter_request_duration_seconds", 'engine="baidu",kind="urls"'
    lines = [line for line in text.splitlines() if name in line]
    assert lines[1] == f"# TYPE {name} histogram"
    assert lines[2] == f'{name}_bucket{{{labels},le="0.1"}} 2'
    assert lines[-3:] == [
        f'{name}_bucket{{{labels},le="+Inf"}} 6',
        f"{name}_sum{{{labels}}} 135.7",
        f"{name}_count{{{labels}}} 6",
    ]
    assert len(lines) == 2 + len(CALL_STEPS_S) + 3
