"""Inspecting samples with the real client: quotas in the book, answers remembered, truth told."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from submitter.asking.inspecting import book_of, lane_of
from submitter.core.accounting import ExitCode
from submitter.core.inspection import (
    Group,
    IndexState,
    Inspected,
    Inspection,
    Sample,
    counts,
)
from submitter.core.standing import Allowance
from submitter.engines.google import TRAITS
from submitter.engines.google_answers import DAY_ZONE
from submitter.errors import LedgerBusy, LedgerError
from submitter.kit.owners import this_owner
from submitter.ports import Ledger, LogFilter
from submitter.render.inspection_report import NOBODY, sample_docs, samples_text
from submitter.render.screen import Screen
from submitter.sandbox import Role
from submitter.stories.inspections import inspect_fleet, judge_samples
from submitter.stories.run_request import RunRequest, Tools
from submitter.wiring import Wiring
from support.whole import DOMAIN, EMAIL, World, world

PROPERTY = f"sc-domain:{DOMAIN}"
INSPECT = "urlInspection.inspect"
SECTIONS = [{"name": "first", "match": "/*-[0-4]"}]


@dataclass
class Desk:
    """A world whose sitemaps were submitted."""

    world: World
    wiring: Wiring

    @property
    def ledger(self) -> Ledger:
        return self.wiring.ledger

    @property
    def tools(self) -> Tools:
        return self.wiring.tools()

    def inspect(self, size: int = 4, **more: Any) -> list[Sample]:
        fleet = self.wiring.fleet
        request = RunRequest("verify-1", fleet, fleet.targets(), this_owner(), **more)
        return inspect_fleet(request, self.tools, size)

    def asked(self) -> list[str]:
        return self.world.sandbox.google.book.accepted(INSPECT, PROPERTY)

    def allowance(self) -> Allowance:
        return self.ledger.allowances()["google", lane_of(PROPERTY)]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as stack:
        there = stack.enter_context(world(tmp_path))
        there.add("shop", pages=12, sections=SECTIONS)
        there.add("blog", pages=6, quota=100)
        there.run()
        yield Desk(there, stack.enter_context(there.wired()))


def by_section(samples: list[Sample]) -> dict[str, Sample]:
    return {sample.group.section: sample for sample in samples}


# ---------------------------------------------------------------- what is asked


def test_each_section_of_a_property_has_its_sample_whichever_sites_it_is_spread_over(
    desk: Desk,
) -> None:
    samples = by_section(desk.inspect(4))
    assert set(samples) == {"", "first"}
    assert {sample.group.property for sample in samples.values()} == {PROPERTY}
    assert {len(sample.asked) for sample in samples.values()} == {4}
    assert sum(sample.listed for sample in samples.values()) == 18
    assert len(desk.asked()) == len(set(desk.asked())) == 8


def test_a_small_section_is_asked_about_as_a_whole(desk: Desk) -> None:
    samples = by_section(desk.inspect(100))
    assert all(len(sample.asked) == sample.listed for sample in samples.values())


def test_what_google_says_is_told_apart(desk: Desk) -> None:
    google = desk.world.sandbox.google
    google.set_index("*", "unknown")
    google.set_index(f"http://blog.{DOMAIN}/*", "indexed")
    google.set_index("*-7", "crawled")
    google.set_index("*-8", "noindex")
    google.set_index("*-9", "discovered")
    found = [one for sample in desk.inspect(100) for one in sample.inspections]
    assert counts(found) == {
        IndexState.INDEXED: 6,
        IndexState.CRAWLED: 2,
        IndexState.KNOWN: 1,
        IndexState.UNKNOWN: 9,
        IndexState.UNCLEAR: 0,
    }
    assert Counter(one.reason for one in found if one.state is IndexState.CRAWLED) == {
        "Crawled - currently not indexed": 1,
        "Excluded by ‘noindex’ tag": 1,
    }


def test_before_any_sitemap_was_accepted_nobody_is_asked(tmp_path: Path) -> None:
    with world(tmp_path) as there:
        there.add("shop")
        with there.wired() as wiring:
            desk = Desk(there, wiring)
            assert desk.inspect() == []
        assert desk.asked() == []


def test_a_page_that_came_after_the_last_submission_was_not_told_and_is_not_asked_about(
    tmp_path: Path,
) -> None:
    with world(tmp_path) as there:
        site = there.add("shop", pages=3)
        there.run()
        there.clock.advance(60)  # too soon to submit again
        (new,) = site.add_pages(1)
        there.run()
        with there.wired() as wiring:
            desk = Desk(there, wiring)
            desk.inspect(100)
        assert new not in desk.asked()
        assert len(desk.asked()) == 3


def test_a_selection_without_such_an_engine_asks_nobody(desk: Desk) -> None:
    fleet = desk.wiring.fleet
    targets = [target for target in fleet.targets() if target.account.engine == "baidu"]
    assert targets
    assert inspect_fleet(RunRequest("r", fleet, targets, this_owner()), desk.tools, 4) == []


# ---------------------------------------------------------------- what is remembered


def test_the_same_day_nothing_is_asked_twice_and_the_answers_stay(desk: Desk) -> None:
    first = desk.inspect(4)
    again = desk.inspect(4)
    assert len(desk.asked()) == 8
    assert [sample.asked for sample in again] == [()] * len(again)
    assert [set(sample.known) for sample in again] == [set(sample.asked) for sample in first]


def test_a_larger_sample_of_the_day_asks_only_about_the_difference(desk: Desk) -> None:
    desk.inspect(2)
    desk.inspect(4)
    assert len(desk.asked()) == len(set(desk.asked())) <= 10


def test_the_next_day_is_compared_with_the_last_one(desk: Desk) -> None:
    desk.inspect(4)
    desk.world.next_day(DAY_ZONE)
    desk.world.sandbox.google.set_index("*", "indexed")
    samples = by_section(desk.inspect(4))
    assert samples[""].earlier is not None
    assert (samples[""].earlier.sampled, samples[""].earlier.indexed) == (4, 0)
    assert counts(samples[""].inspections)[IndexState.INDEXED] == 4


def test_in_days_every_page_has_its_turn(desk: Desk) -> None:
    for _ in range(6):
        desk.inspect(4)
        desk.world.next_day(DAY_ZONE)
    assert len(set(desk.asked())) == 18


def test_inspections_are_no_submissions(desk: Desk) -> None:
    before = len(list(desk.ledger.log(LogFilter())))
    desk.inspect(4)
    assert len(list(desk.ledger.log(LogFilter()))) == before


# ---------------------------------------------------------------- quotas


def test_the_day_is_booked_in_a_lane_of_its_own(desk: Desk) -> None:
    desk.inspect(4)
    assert (desk.allowance().limit, desk.allowance().spent) == (2_000, 8)
    desk.world.next_day(DAY_ZONE)
    desk.inspect(1)
    assert desk.allowance().spent == 2


def spend(desk: Desk, spent: int) -> None:
    """So much of today's allowance is spent already."""
    clock = desk.wiring.clock
    desk.inspect(1)
    lease = desk.ledger.acquire("run", this_owner(), ttl_s=60, now=clock.now())
    desk.ledger.save_allowance(lease, replace(desk.allowance(), spent=spent))
    desk.ledger.release(lease)
    desk.world.sandbox.google.book.clear()


def test_at_the_end_of_the_day_every_section_still_has_a_part_of_its_sample(desk: Desk) -> None:
    spend(desk, 1_996)
    samples = desk.inspect(6)
    assert len(desk.asked()) == 4
    assert [len(sample.asked) for sample in samples] == [2, 2]
    assert [dict(sample.unasked) for sample in samples] == [{"quota": 3}, {"quota": 1}]
    assert desk.allowance().spent == 2_000
    assert judge_samples(samples) == ExitCode.OK


def test_a_quota_that_others_have_spent_closes_the_day(desk: Desk) -> None:
    desk.world.sandbox.google.inspection.set_quota(per_day=3)
    samples = desk.inspect(6)
    assert len(desk.asked()) == 3
    assert {reason for sample in samples for reason in sample.unasked} == {"quota"}
    assert desk.allowance().closed_until is not None
    refused = desk.world.sandbox.google.book.count(call=INSPECT, code="quota")
    desk.inspect(6)
    assert desk.world.sandbox.google.book.count(call=INSPECT, code="quota") == refused
    desk.world.next_day(DAY_ZONE)
    desk.inspect(1)
    assert len(desk.asked()) == 5


def test_never_more_than_six_hundred_in_a_minute(tmp_path: Path) -> None:
    with world(tmp_path) as there:
        there.add("shop", pages=700)
        there.run()
        with there.wired() as wiring:
            desk = Desk(there, wiring)
            began = there.clock.now()
            samples = desk.inspect(700)
        assert sum(len(sample.asked) for sample in samples) == len(desk.asked()) == 700
        assert there.sandbox.google.book.count(call=INSPECT, code="quota") == 0
        assert there.clock.now() - began >= timedelta(seconds=60)


def test_what_another_process_asked_in_the_last_minute_counts(desk: Desk) -> None:
    clock = desk.wiring.clock
    unclear = [Inspection(PROPERTY, f"http://x.test/{n}", IndexState.UNCLEAR) for n in range(590)]
    lease = desk.ledger.acquire("run", this_owner(), ttl_s=60, now=clock.now())
    book_of(desk.ledger).record_inspections(
        lease,
        [Inspected(f"http://shop.{DOMAIN}", "google", "", clock.now(), one) for one in unclear],
    )
    desk.ledger.release(lease)
    began = clock.now()
    desk.inspect(100)
    assert len(desk.asked()) == 18
    assert clock.now() - began >= timedelta(seconds=55)


def test_the_figures_are_googles() -> None:
    assert (TRAITS.inspects_per_day, TRAITS.inspects_per_minute) == (2_000, 600)


# ---------------------------------------------------------------- what goes wrong


def test_a_hiccup_is_asked_again_and_each_call_is_booked(desk: Desk) -> None:
    desk.world.sandbox.google.faults.add("answer", call=INSPECT, answer="unavailable")
    samples = desk.inspect(4)
    assert {len(sample.asked) for sample in samples} == {4}
    assert desk.allowance().spent == 9


def test_a_lost_answer_is_asked_again(desk: Desk) -> None:
    desk.world.sandbox.google.faults.add("reset", call=INSPECT, after=True)
    assert {len(sample.asked) for sample in desk.inspect(4)} == {4}


def test_an_engine_that_does_not_answer_is_left_alone(desk: Desk) -> None:
    desk.world.sandbox.google.faults.add("answer", call=INSPECT, answer="unavailable", times=None)
    samples = desk.inspect(6)
    assert {reason for sample in samples for reason in sample.unasked} == {"unavailable"}
    assert judge_samples(samples) == ExitCode.NOTHING_SUCCEEDED
    assert desk.world.sandbox.google.book.count(call=INSPECT) < 30


def test_a_property_that_is_not_ours_is_closed_and_its_next_step_told(desk: Desk) -> None:
    desk.world.sandbox.google.grant(EMAIL, PROPERTY, Role.UNVERIFIED)
    samples = desk.inspect(6)
    assert {reason for sample in samples for reason in sample.unasked} == {"property-forbidden"}
    problems = {problem for sample in samples for problem in sample.problems}
    assert any(f"make {EMAIL} an owner" in problem for problem in problems)
    workers = 8
    assert desk.world.sandbox.google.book.count(call=INSPECT) <= workers


def test_one_page_that_google_does_not_take_is_one_page_less(desk: Desk) -> None:
    body = '{"error": {"code": 400, "message": "bad", "status": "INVALID_ARGUMENT"}}'
    desk.world.sandbox.google.faults.add("answer", call=INSPECT, status=400, body=body)
    samples = desk.inspect(4)
    assert sum(len(sample.asked) for sample in samples) == 7
    assert sum(sample.unasked.get("refused", 0) for sample in samples) == 1
    assert judge_samples(samples) == ExitCode.PARTIAL


def test_with_no_time_left_nobody_is_asked(desk: Desk) -> None:
    samples = desk.inspect(4, until=desk.wiring.clock.monotonic() + 1)
    assert desk.asked() == []
    assert {reason for sample in samples for reason in sample.unasked} == {"deadline"}
    assert judge_samples(samples) == ExitCode.DEADLINE


def test_while_another_run_holds_the_ledger_nobody_is_asked(desk: Desk) -> None:
    lease = desk.ledger.acquire("run", "elsewhere", ttl_s=60, now=desk.wiring.clock.now())
    with pytest.raises(LedgerBusy):
        desk.inspect()
    desk.ledger.release(lease)
    assert desk.asked() == []


def test_a_lost_lease_ends_the_questions_at_once(desk: Desk) -> None:
    class Robbed:
        """Somebody takes the ledger when the third call is booked."""

        booked = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(desk.ledger, name)

        def listed_pages(self, sites: Any) -> Any:
            return desk.ledger.listed_pages(sites)  # type: ignore[attr-defined]

        def record_inspections(self, *args: Any) -> None:
            desk.ledger.record_inspections(*args)  # type: ignore[attr-defined]

        def inspections(self, account: str, **more: Any) -> Any:
            return desk.ledger.inspections(account, **more)  # type: ignore[attr-defined]

        def save_allowance(self, lease: Any, allowance: Allowance) -> None:
            self.booked += 1
            if self.booked >= 3:
                raise LedgerError("ledger: it was taken")
            desk.ledger.save_allowance(lease, allowance)

    fleet = desk.wiring.fleet
    request = RunRequest("r", fleet, fleet.targets(), this_owner())
    with pytest.raises(LedgerError, match="taken"):
        inspect_fleet(request, replace(desk.tools, ledger=Robbed()), 6)  # type: ignore[arg-type]
    assert len(desk.asked()) == 2


def test_a_ledger_that_cannot_remember_asks_nobody(desk: Desk) -> None:
    class Forgetful:
        """Only what every ledger has."""

        def allowances(self) -> dict[tuple[str, str], Allowance]:
            return {}

    fleet = desk.wiring.fleet
    request = RunRequest("r", fleet, fleet.targets(), this_owner())
    with pytest.raises(LedgerError, match="cannot remember inspections"):
        inspect_fleet(request, replace(desk.tools, ledger=Forgetful()), 4)  # type: ignore[arg-type]


def test_no_secret_is_shown_or_logged(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk.world.sandbox.google.faults.add("answer", call=INSPECT, status=400, body="{}", times=2)
    texts = [repr(desk.inspect(4)), *(record.getMessage() for record in caplog.records)]
    tokens = list(desk.world.sandbox.google.tokens._tokens)
    assert tokens
    assert not [token for token in tokens if any(token in text for text in texts)]


# ---------------------------------------------------------------- words


def test_the_table_tells_what_is_known_and_that_it_is_a_sample(desk: Desk) -> None:
    google = desk.world.sandbox.google
    google.set_index("*", "crawled")
    google.set_index("*-1", "indexed")
    spend(desk, 1_995)
    lines = samples_text(sample_docs(desk.inspect(6)), Screen(80))
    words = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 80
    for part in (
        f"google {PROPERTY}",
        "A sample speaks for the pages in it.",
        "x Crawled - currently not indexed",
        "today's quota is spent (quota)",
    ):
        assert part in words


def test_nobody_to_ask_is_said() -> None:
    assert samples_text([], Screen(80)) == [NOBODY]


def test_numbers_in_the_document_add_up(desk: Desk) -> None:
    for document in sample_docs(desk.inspect(4)):
        assert sum(document["counts"].values()) == document["sampled"] == len(document["pages"])
        assert set(document["counts"]) == {str(state) for state in IndexState}
        missing = document["sampled"] - document["counts"]["indexed"]
        assert sum(reason["count"] for reason in document["reasons"]) == missing


def test_an_answer_that_does_not_say_is_shown_as_such() -> None:
    group = Group("google", PROPERTY, "")
    unclear = Inspection(PROPERTY, "http://x.test/", IndexState.UNCLEAR)
    lines = samples_text(sample_docs([Sample(group, 1, (unclear,))]), Screen(80))
    assert "(none): 1x the answer does not say" in lines
