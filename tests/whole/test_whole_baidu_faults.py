"""What a fault of Baidu's does to a whole run: pages, allowance, exit code, and the next run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from submitter.core.standing import Allowance
from submitter.sandbox.fleet_site import FleetSite
from support.whole import IMPATIENT, Ran, World
from support.whole_books import prove_books_agree, prove_sums

ONE_BY_ONE = replace(IMPATIENT, workers=1)
"""Sites go in their order, so that it is known who comes before a fault and who after it."""

FIRST, SECOND = 0, 1
"""A lane's first push of a day is one page, the second the rest."""


def run_baidu(world: World) -> Ran:
    rules = replace(ONE_BY_ONE, breaker=100)
    ran = world.run(targets=world.only("baidu"), adapt=lambda tools: replace(tools, rules=rules))
    prove_sums(ran)
    return ran


def allowance_of(world: World, site: FleetSite) -> Allowance:
    with world.ledger() as ledger:
        return ledger.allowances()["baidu", site.host]


@dataclass
class Scene:
    """Two sites with six pages and ten a day each. The first one meets the fault."""

    world: World
    first: FleetSite
    second: FleetSite

    def run(self) -> Ran:
        return run_baidu(self.world)

    def strike(self, at: int = FIRST, **fault: Any) -> None:
        self.world.sandbox.baidu.faults.add(**fault, skip=at, key=self.first.host)

    def pages(self, ran: Ran) -> dict[str, int]:
        return pages_of(ran, self.first)

    def others(self, ran: Ran) -> dict[str, int]:
        return pages_of(ran, self.second)

    def rows(self, ran: Ran) -> list[tuple[str, int]]:
        return rows_of(ran, self.first)

    def allowance(self) -> Allowance:
        return allowance_of(self.world, self.first)

    def tomorrow(self) -> None:
        self.world.next_day()


@pytest.fixture
def scene(fleet: World) -> Scene:
    first, second = (fleet.add(name, pages=6, quota=10) for name in ("a", "b"))
    return Scene(fleet, first, second)


LOST: dict[str, tuple[dict[str, Any], int | None, bool]] = {
    "reset": ({"kind": "reset", "after": True}, None, True),
    "reset-before": ({"kind": "reset"}, None, False),
    "close": ({"kind": "close", "after": True}, None, True),
    "hang": ({"kind": "hang", "after": True, "seconds": 600}, None, True),
    "cut": ({"kind": "cut", "at": 5}, None, True),
    "drip": ({"kind": "drip", "at": 1, "seconds": 0.2}, None, True),
    "garbage": ({"kind": "garbage", "after": True}, 200, True),
    "empty": ({"kind": "answer", "answer": "empty-body", "after": True}, 200, True),
    "words": ({"kind": "answer", "body": '{"success": "many"}', "after": True}, 200, True),
    "gateway": ({"kind": "answer", "answer": "gateway"}, 502, False),
    "bare-500": ({"kind": "answer", "status": 500, "after": True}, 500, True),
}
"""The fault → the status that was read, and whether Baidu took the pages."""


def strike_second_push(world: World, name: str, fault: dict[str, Any]) -> FleetSite:
    """A site with six pages whose push of five meets the fault."""
    site = world.add(name, pages=6, quota=10)
    world.sandbox.baidu.faults.add(**fault, skip=1, key=site.host)
    return site


def pages_of(ran: Ran, site: FleetSite) -> dict[str, int]:
    return ran.counts("pages", site.origin, "baidu")


def rows_of(ran: Ran, site: FleetSite) -> list[tuple[str, int]]:
    return [(row.state, row.urls) for row in ran.calls if row.site == site.origin]


def test_a_lost_answer_costs_its_pages_a_day(fleet: World) -> None:
    sites = {name: strike_second_push(fleet, name, fault) for name, (fault, _, _) in LOST.items()}
    ran = run_baidu(fleet)
    assert ran.exit_code == 4
    statuses = {row.site: row.http_status for row in ran.calls if row.state == "unknown"}
    for name, site in sites.items():
        _, status, taken = LOST[name]
        assert rows_of(ran, site) == [("accepted", 1), ("unknown", 5)], name
        assert statuses[site.origin] == status, name
        assert pages_of(ran, site) == {"accepted": 1, "unknown": 5}, name
        assert allowance_of(fleet, site).spent == 6, "what may have been taken is spent"
        assert len(fleet.sandbox.baidu.book.accepted("push", site.host)) == 1 + 5 * taken, name
    prove_books_agree(fleet)

    again = run_baidu(fleet)
    assert (again.calls, again.exit_code) == ([], 0)
    assert again.skips(sites["cut"].origin) == {"already-told": 1, "unknown": 5}

    fleet.next_day()
    tomorrow = run_baidu(fleet)
    for name, site in sites.items():
        assert pages_of(tomorrow, site) == {"accepted": 5, "skipped": 1}, name
    prove_books_agree(fleet)
    assert run_baidu(fleet).calls == []


def test_a_lost_first_answer_ends_the_sites_day(scene: Scene) -> None:
    """Nobody knows what is left, and to try again would spend."""
    scene.strike(FIRST, kind="reset", after=True)
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.rows(ran) == [("unknown", 1)]
    assert scene.pages(ran) == {"unknown": 1, "deferred": 5}
    assert scene.allowance().spent == 1
    again = scene.run()
    assert (again.calls, scene.pages(again)) == ([], {"deferred": 6})
    scene.tomorrow()
    assert scene.pages(scene.run()) == {"accepted": 6}
    prove_books_agree(scene.world)


@pytest.mark.parametrize("answer", ["over-quota", "over-quota-200"])
@pytest.mark.parametrize("at", [FIRST, SECOND])
def test_over_quota_defers_the_rest_until_midnight_in_shanghai(
    scene: Scene, at: int, answer: str
) -> None:
    scene.strike(at, kind="answer", answer=answer)
    ran = scene.run()
    told = 1 if at is SECOND else 0
    assert ran.exit_code == 0, "a spent quota is no trouble"
    assert scene.rows(ran)[-1] == ("deferred", 5 if told else 1)
    assert scene.pages(ran).get("deferred") == 6 - told
    assert scene.others(ran) == {"accepted": 6}
    allowance = scene.allowance()
    assert allowance.spent == told
    assert str(allowance.closed_until) == "2026-11-30 16:00:00+00:00"
    again = scene.run()
    assert (again.calls, again.exit_code) == ([], 0)
    assert scene.pages(again).get("deferred") == 6 - told
    scene.tomorrow()
    assert scene.pages(scene.run()).get("accepted") == 6 - told
    prove_books_agree(scene.world)


def test_somebody_else_who_spends_the_quota_is_noticed(scene: Scene) -> None:
    scene.world.sandbox.baidu.spend(scene.first.host, 8)
    ran = scene.run()
    assert scene.pages(ran) == {"accepted": 2, "deferred": 4}
    assert ran.exit_code == 0
    scene.tomorrow()
    assert scene.pages(scene.run()) == {"accepted": 4, "skipped": 2}
    prove_books_agree(scene.world)


NOT_NOW: dict[str, dict[str, Any]] = {
    "retry-later": {"answer": "retry-later"},
    "internal": {"answer": "internal"},
    "sid-empty": {"answer": "sid-empty"},
    "sid-empty-200": {"answer": "sid-empty-200"},
    "bare-503": {"status": 503},
    "named-503": {"status": 503, "retry_after": "7"},
    "named-429": {"status": 429, "retry_after": "7"},
    "own-429": {"status": 429, "body": '{"error": 429, "message": "slower"}'},
}


def test_not_now_is_asked_again_in_the_same_run_and_spends_nothing(fleet: World) -> None:
    sites = {
        name: strike_second_push(fleet, name, {"kind": "answer"} | fault)
        for name, fault in NOT_NOW.items()
    }
    before = fleet.clock.now()
    ran = run_baidu(fleet)
    assert ran.exit_code == 0
    for name, site in sites.items():
        assert rows_of(ran, site) == [("accepted", 1), ("failed", 5), ("accepted", 5)], name
        assert allowance_of(fleet, site).spent == 6, name
    assert (fleet.clock.now() - before).total_seconds() >= 2 * 7 + 6 * 0.5
    prove_books_agree(fleet)


def test_not_now_again_and_again_has_an_end(scene: Scene) -> None:
    scene.strike(SECOND, kind="answer", answer="internal", times=None)
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.rows(ran) == [("accepted", 1), *[("failed", 5)] * 4]
    assert scene.pages(ran) == {"accepted": 1, "failed": 5}
    assert scene.allowance().spent == 1
    scene.world.sandbox.baidu.faults.clear()
    assert scene.pages(scene.run()) == {"accepted": 5, "skipped": 1}
    prove_books_agree(scene.world)


def test_come_back_in_an_hour_is_obeyed_over_runs(scene: Scene) -> None:
    scene.strike(FIRST, kind="answer", status=503, retry_after="3600", times=None)
    ran = scene.run()
    assert ran.exit_code == 0
    assert scene.rows(ran) == [("failed", 1)]
    assert scene.pages(ran) == {"deferred": 6}
    scene.world.sandbox.baidu.faults.clear()
    scene.world.clock.advance(3600)
    assert scene.pages(scene.run()) == {"accepted": 6}
    prove_books_agree(scene.world)


# ---------------------------------------------------------------- what a person has to mend


Mend = Callable[[], None]


def change_token(scene: Scene) -> Mend:
    good = scene.world.sandbox.baidu.token
    scene.world.put_secret("baidu.token", "0123456789abcdef")
    return lambda: scene.world.put_secret("baidu.token", good)


def answer(name: str) -> Callable[[Scene], Mend]:
    def strike(scene: Scene) -> Mend:
        scene.world.sandbox.baidu.faults.add("answer", answer=name, times=None)
        return scene.world.sandbox.baidu.faults.clear

    return strike


@pytest.mark.parametrize(
    ("breaks", "cause"),
    [
        (change_token, "token-invalid"),
        (answer("token-invalid"), "token-invalid"),
        (answer("not-found"), "endpoint-gone"),
    ],
)
def test_a_wrong_token_is_tried_once(
    scene: Scene, breaks: Callable[[Scene], Mend], cause: str
) -> None:
    mend = breaks(scene)
    ran = scene.run()
    assert ran.exit_code == 5
    assert len(ran.calls) == 1
    assert (scene.pages(ran), scene.others(ran)) == ({"failed": 6}, {"failed": 6})
    assert {problem["cause"] for problem in ran.summary["problems"]} == {cause}
    assert scene.allowance().spent == 0
    mend()
    again = scene.run()
    assert (scene.pages(again), scene.others(again)) == ({"accepted": 6}, {"accepted": 6})
    prove_books_agree(scene.world)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("site-error", "site-not-verified"),
        ("site-error-401", "site-not-verified"),
        ("site-init-fail", "site-form"),
    ],
)
def test_a_site_that_baidu_does_not_know_stops_only_itself(
    scene: Scene, name: str, cause: str
) -> None:
    scene.strike(FIRST, kind="answer", answer=name)
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.rows(ran) == [("failed", 1)]
    assert scene.pages(ran) == {"failed": 6}
    assert scene.others(ran) == {"accepted": 6}
    problems = {problem["cause"] for problem in ran.summary["problems"]}
    assert problems == {cause}
    assert scene.pages(scene.run()) == {"accepted": 6}
    prove_books_agree(scene.world)


def test_a_call_that_baidu_refuses_is_never_sent_again(scene: Scene) -> None:
    scene.strike(SECOND, kind="answer", answer="too-many")
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.rows(ran) == [("accepted", 1), ("rejected", 5)]
    assert scene.pages(ran) == {"accepted": 1, "rejected": 5}
    scene.tomorrow()
    assert scene.pages(scene.run()) == {"skipped": 6}


# ---------------------------------------------------------------- lists of pages


def in_one_call(scene: Scene) -> list[str]:
    scene.world.accounts["baidu"]["first_batch"] = 10
    return list(scene.first.urls())


def test_pages_in_a_list_are_rejected_and_the_others_are_accepted(scene: Scene) -> None:
    pages = in_one_call(scene)
    said = {"remain": 6, "success": 4, "not_same_site": pages[:1], "not_valid": pages[1:2]}
    scene.strike(kind="answer", body=json.dumps(said))
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.rows(ran) == [("partial", 6)]
    assert scene.pages(ran) == {"accepted": 4, "rejected": 2}
    assert (scene.allowance().spent, scene.allowance().reported_left) == (4, 6)
    states = scene.world.page_states()
    assert [states[page] for page in pages] == ["rejected"] * 2 + ["accepted"] * 4
    scene.tomorrow()
    again = scene.run()
    assert (again.calls, again.exit_code) == ([], 0)
    assert again.skips(scene.first.origin) == {"already-told": 4, "rejected-before": 2}


def test_nothing_taken_is_no_success(scene: Scene) -> None:
    pages = in_one_call(scene)
    said = {"remain": 10, "success": 0, "not_same_site": pages}
    scene.strike(kind="answer", body=json.dumps(said))
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.pages(ran) == {"rejected": 6}
    assert scene.allowance().spent == 0


def test_sums_that_do_not_meet_leave_the_rest_unknown(scene: Scene) -> None:
    """Baidu took two of six and does not say which: no page is claimed to be accepted."""
    pages = in_one_call(scene)
    said = {"remain": 8, "success": 2, "not_valid": pages[:1]}
    scene.strike(kind="answer", body=json.dumps(said))
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.rows(ran) == [("partial", 6)]
    assert scene.pages(ran) == {"accepted": 2, "rejected": 1, "unknown": 3}
    states = scene.world.page_states()
    assert [states[page] for page in pages] == ["rejected"] + ["unknown"] * 5
    assert scene.run().calls == []
    scene.tomorrow()
    assert len(scene.run().calls) == 1


def test_a_site_registered_under_another_name_has_all_its_pages_rejected(fleet: World) -> None:
    fleet.sandbox.baidu.add_site("other.whole.test", 10)
    site = fleet.add("a", pages=3, quota=10, baidu_site="other.whole.test")
    ran = fleet.run(targets=fleet.only("baidu"))
    assert ran.exit_code == 5
    assert ran.counts("pages", site.origin, "baidu") == {"rejected": 3}
    assert {row.state for row in ran.calls} == {"rejected"}
