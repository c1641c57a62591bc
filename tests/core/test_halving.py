"""The search for a page that has a whole batch refused: bounded, and nothing is given up unseen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.calls import Action, Call
from submitter.core.halving import BatchSearch, halves
from submitter.core.outcomes import outcome_of_error
from submitter.core.states import State
from submitter.core.traits import Kind, Traits
from submitter.errors import Refused

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
TRAITS = Traits(
    "indexnow", "IndexNow", frozenset({Kind.URLS}), "key", "UTC", batch_size=10_000, bisect=True
)


def batch(count: int) -> Call:
    urls = tuple(f"https://e.example/{number}" for number in range(count))
    action = Action(
        *("https://e.example", "a", "indexnow", "e.example", Kind.URLS, urls[0], "new", "c"),
        tuple(range(count)),
        count,
    )
    return Call(action, urls)


class Sent:
    """Sends a batch as the runner does, to an engine that refuses whatever holds a bad page."""

    def __init__(self, bad: set[str]) -> None:
        self.bad, self.calls = bad, 0
        self.taken: list[str] = []
        self.rejected: list[str] = []
        self.left: list[str] = []

    def send(self, call: Call, search: BatchSearch | None = None) -> None:
        self.calls += 1
        if not self.bad.intersection(call.urls):
            self.taken += call.urls
            return
        search = search or BatchSearch(len(call.urls))
        parts = search.next_halves(call)
        for part in parts:
            self.send(part, search)
        if not parts:
            pile = self.rejected if len(call.urls) == 1 else self.left
            pile += call.urls


@given(count=st.integers(1, 600), data=st.data())
def test_one_bad_page_is_always_found_and_all_others_are_told(
    count: int, data: st.DataObject
) -> None:
    call = batch(count)
    bad = data.draw(st.sampled_from(call.urls))
    sent = Sent({bad})
    sent.send(call)
    assert sent.rejected == [bad]
    assert (len(sent.taken), sent.left) == (count - 1, [])


@given(count=st.integers(2, 300), data=st.data())
def test_any_number_of_bad_pages_is_found_in_a_few_runs(count: int, data: st.DataObject) -> None:
    call = batch(count)
    bad = data.draw(st.sets(st.sampled_from(call.urls), min_size=1, max_size=6))
    waiting, rejected, runs = call, list[str](), 0
    while waiting.urls and runs <= len(bad):
        sent = Sent(bad)
        sent.send(waiting)
        assert sent.calls <= 1 + 2 * (len(waiting.urls) - 1).bit_length()
        assert sorted(sent.taken + sent.rejected + sent.left) == sorted(waiting.urls)
        rejected += sent.rejected
        runs += 1
        waiting = Call(waiting.action, tuple(sent.left))
    assert set(rejected) == bad
    assert not waiting.urls


@pytest.mark.parametrize(("pages", "calls"), [(1, 0), (2, 2), (3, 4), (500, 18), (10_000, 28)])
def test_the_search_takes_two_calls_for_each_time_a_batch_can_be_halved(
    pages: int, calls: int
) -> None:
    search, refused = BatchSearch(pages), batch(2)
    made = 0
    while parts := search.next_halves(refused):
        made += len(parts)
    assert made == calls


def test_a_single_page_has_no_halves() -> None:
    assert BatchSearch(8).next_halves(batch(1)) == ()


@pytest.mark.parametrize("count", [2, 3, 10_000])
def test_halves_are_all_of_it(count: int) -> None:
    call = batch(count)
    first, second = halves(call)
    assert first.urls + second.urls == call.urls
    assert first.action.pages + second.action.pages == call.action.pages


@pytest.mark.parametrize(("count", "state"), [(2, State.FAILED), (1, State.REJECTED)])
def test_of_a_batch_refused_whole_no_page_is_given_up(count: int, state: State) -> None:
    refused = Refused("indexnow", "422", http_status=422)
    outcome = outcome_of_error(batch(count).action, refused, traits=TRAITS, sent_at=NOW)
    assert (outcome.state, outcome.spent) == (state, 0)
