"""Engines that can be asked what is left, what the book makes of it, and what a lost call costs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from engine_rows import NOW, rows
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.calls import QuotaReading
from submitter.core.outcomes import outcome_of_error, unknown_until
from submitter.core.quota import book, learn, left
from submitter.core.standing import Allowance
from submitter.core.traits import Kind
from submitter.engines import ENGINES
from submitter.errors import EngineUnavailable, OutcomeUnknown
from submitter.ports import QuotaReader
from support.fault_server import FaultServer, status

numbers = st.none() | st.integers(0, 10_000)
ENOUGH_S = 20.0


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_traits_say_whether_an_engine_can_be_asked(server: FaultServer, name: str) -> None:
    engine = rows()[name].open_at(server)
    assert isinstance(engine, QuotaReader) == engine.traits.quota_readable
    assert engine.traits.metered or not engine.traits.quota_readable


@pytest.mark.parametrize("name", ["bing", "yandex"])
def test_a_lost_reading_can_be_asked_for_again(server: FaultServer, name: str) -> None:
    row = rows()[name]
    engine = row.open_at(server)
    assert isinstance(engine, QuotaReader)
    server.on("/webmaster/api.svc/json/GetUrlSubmissionQuota", status(502))
    server.on(row.path.replace("/queue", "/quota"), status(502))
    with pytest.raises(EngineUnavailable):
        engine.read_quota(row.call.action.property, timeout_s=ENOUGH_S)


# ---------------------------------------------------------------- the book


def page(**facts: int) -> Allowance:
    return Allowance("a", "p", date(2026, 11, 30), **facts)


@pytest.mark.parametrize(
    ("before", "reading", "rest"),
    [
        (page(), QuotaReading(limit=10), 10),
        (page(), QuotaReading(left=7), 7),
        (page(), QuotaReading(limit=10, left=7), 7),
        (page(spent=4), QuotaReading(limit=10), 6),
        (page(spent=4), QuotaReading(left=10), 10),
        (page(spent=4), QuotaReading(limit=10, left=10), 6),
        (page(limit=5), QuotaReading(limit=10), 5),
        (page(limit=5, spent=4), QuotaReading(limit=10, left=10), 1),
        (page(limit=50), QuotaReading(limit=10, left=3), 3),
        (page(spent=40), QuotaReading(limit=10), 0),
        (page(limit=5), QuotaReading(), 5),
        (page(), QuotaReading(), None),
    ],
)
def test_the_smallest_number_counts(
    before: Allowance, reading: QuotaReading, rest: int | None
) -> None:
    assert left(learn(before, reading), NOW) == rest


@given(
    limit=numbers, spent=st.integers(0, 1_000), said=numbers, rest=numbers, cost=st.integers(0, 500)
)
def test_asking_never_wins_more_than_was_said(
    limit: int | None, spent: int, said: int | None, rest: int | None, cost: int
) -> None:
    learned = learn(Allowance("a", "p", date(2026, 11, 30), limit, spent), QuotaReading(said, rest))
    now = left(learned, NOW)
    for bound in (rest, None if said is None else max(0, said - spent)):
        assert bound is None or (now is not None and now <= bound)
    assert learned.spent == spent
    if now is not None:
        assert left(book(learned, cost), NOW) == max(0, now - cost)


# ---------------------------------------------------------------- lost calls

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
NEXT_DAYS = {
    "bing": datetime(2026, 12, 1, tzinfo=UTC),
    "yandex": datetime(2026, 11, 30, 21, tzinfo=UTC),
    "seznam": datetime(2026, 11, 30, 23, tzinfo=UTC),
}


@pytest.mark.parametrize("name", sorted(NEXT_DAYS))
def test_lost_pages_wait_for_the_engines_next_day_and_count_as_spent(name: str) -> None:
    traits, action = ENGINES[name].traits, rows()[name].call.action
    outcome = outcome_of_error(action, OutcomeUnknown(name, "lost"), traits=traits, sent_at=AT)
    assert (outcome.not_before, outcome.spent) == (NEXT_DAYS[name], action.cost)


@pytest.mark.parametrize("name", ["bing", "yandex"])
def test_a_lost_sitemap_may_be_repeated_at_once(name: str) -> None:
    assert unknown_until(ENGINES[name].traits, AT, Kind.SITEMAP) == AT


@pytest.mark.parametrize("name", ["bing", "yandex"])
def test_a_lost_call_of_either_kind_waits_for_the_next_day(name: str) -> None:
    assert unknown_until(ENGINES[name].traits, AT) == NEXT_DAYS[name]
