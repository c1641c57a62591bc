"""What a fault of Google's does to a whole run, and what the next run makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from submitter.sandbox import Role
from submitter.sandbox.fleet_site import FleetSite
from support.whole import EMAIL, IMPATIENT, Ran, World
from support.whole_books import prove_books_agree, prove_sums

ONE_BY_ONE = replace(IMPATIENT, workers=1)
"""Sites go in their order, so that it is known who comes before a fault and who after it."""


@dataclass
class Scene:
    """Two sites, each with a property of its own. The first one meets the fault."""

    world: World
    first: FleetSite
    second: FleetSite

    def run(self) -> Ran:
        ran = self.world.run(adapt=lambda tools: replace(tools, rules=ONE_BY_ONE))
        prove_sums(ran)
        return ran

    def strike(self, call: str = "sitemaps.submit", **fault: Any) -> None:
        key = {"key": f"{self.first.origin}/"} if call == "sitemaps.submit" else {}
        self.world.sandbox.google.faults.add(**fault, call=call, **key)

    def taken(self) -> tuple[int, int]:
        """How often Google took the first site's sitemap, and the second's."""
        book = self.world.sandbox.google.book
        first, second = (
            len(book.accepted("sitemaps.submit", f"{site.origin}/"))
            for site in (self.first, self.second)
        )
        return first, second

    def ends(self, ran: Ran) -> tuple[dict[str, int], dict[str, int]]:
        """How both sitemaps ended."""
        first, second = (
            ran.counts("sitemaps", site.origin, "google") for site in (self.first, self.second)
        )
        return first, second

    def rows(self, ran: Ran) -> list[tuple[str, int | None]]:
        """The calls about the first site: state and status."""
        return [(row.state, row.http_status) for row in ran.calls if row.site == self.first.origin]


@pytest.fixture
def scene(fleet: World) -> Scene:
    first, second = (fleet.add(name, property="host") for name in ("a", "b"))
    return Scene(fleet, first, second)


ACCEPTED = {"accepted": 1}


LOST: dict[str, tuple[dict[str, Any], int | None, bool]] = {
    "reset": ({"kind": "reset", "after": True}, None, True),
    "reset-before": ({"kind": "reset"}, None, False),
    "close": ({"kind": "close", "after": True}, None, True),
    "hang": ({"kind": "hang", "after": True, "seconds": 600}, None, True),
    "garbage": ({"kind": "garbage", "after": True}, 200, True),
    "half": ({"kind": "answer", "body": '{"error": '}, 200, False),
    "gateway": ({"kind": "answer", "answer": "bad-gateway", "after": True}, 502, True),
    "bare-500": ({"kind": "answer", "status": 500, "after": True}, 500, True),
    "bare-504": ({"kind": "answer", "status": 504}, 504, False),
}
"""The fault → the status that was read, and whether Google took the sitemap."""


def strike_submit(world: World, name: str, fault: dict[str, Any]) -> FleetSite:
    """A site with a property of its own whose submission meets the fault."""
    site = world.add(name, property="host")
    world.sandbox.google.faults.add(**fault, call="sitemaps.submit", key=f"{site.origin}/")
    return site


def run_patiently(world: World) -> Ran:
    """Without the breaker that closes an account after some faults in a row."""
    rules = replace(ONE_BY_ONE, breaker=100)
    ran = world.run(adapt=lambda tools: replace(tools, rules=rules))
    prove_sums(ran)
    return ran


def calls_of(ran: Ran, site: FleetSite) -> list[tuple[str, int | None, int]]:
    return [
        (row.state, row.http_status, row.attempt) for row in ran.calls if row.site == site.origin
    ]


def test_a_lost_answer_is_unknown_and_asked_again_by_the_next_run(fleet: World) -> None:
    sites = {name: strike_submit(fleet, name, fault) for name, (fault, _, _) in LOST.items()}
    fleet.add("healthy", property="host")
    ran = run_patiently(fleet)
    assert ran.exit_code == 4
    assert ran.counts("sitemaps") == {"unknown": len(LOST), "accepted": 1}
    book = fleet.sandbox.google.book
    for name, site in sites.items():
        _, status, taken = LOST[name]
        assert calls_of(ran, site) == [("unknown", status, 1)], name
        assert len(book.accepted("sitemaps.submit", f"{site.origin}/")) == taken, name
    prove_books_agree(fleet)

    again = run_patiently(fleet)
    assert again.exit_code == 0
    assert again.counts("sitemaps") == {"accepted": len(LOST), "skipped": 1}
    for name, site in sites.items():
        assert calls_of(again, site) == [("accepted", 204, 1)], name
    prove_books_agree(fleet)
    assert run_patiently(fleet).calls == []


NOT_NOW: dict[str, tuple[dict[str, Any], int, float]] = {
    "named-503": ({"answer": "unavailable", "retry_after": "7"}, 503, 7),
    "bare-503": ({"status": 503}, 503, 0.5),
    "rate": ({"answer": "rate"}, 429, 0.5),
    "named-rate": ({"answer": "rate", "retry_after": "20"}, 429, 20),
    "rate-user": ({"answer": "rate-user"}, 403, 0.5),
    "rate-403": ({"answer": "rate-403"}, 403, 20),
    "own-500": ({"answer": "internal"}, 500, 0.5),
}
"""The answer → its status, and for how many seconds we wait at least."""


def test_not_now_is_asked_again_in_the_same_run(fleet: World) -> None:
    sites = {
        name: strike_submit(fleet, name, {"kind": "answer"} | fault)
        for name, (fault, _, _) in NOT_NOW.items()
    }
    before = fleet.clock.now()
    ran = run_patiently(fleet)
    assert ran.exit_code == 0
    for name, site in sites.items():
        assert calls_of(ran, site) == [("failed", NOT_NOW[name][1], 1), ("accepted", 204, 2)], name
    waited_s = (fleet.clock.now() - before).total_seconds()
    assert waited_s >= sum(waits_s for _, _, waits_s in NOT_NOW.values())
    prove_books_agree(fleet)


def test_not_now_again_and_again_has_an_end(scene: Scene) -> None:
    scene.strike(kind="answer", answer="unavailable", times=None)
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.rows(ran) == [("failed", 503)] * 4
    assert scene.ends(ran) == ({"failed": 1}, ACCEPTED)
    scene.world.sandbox.google.faults.clear()
    assert scene.ends(scene.run()) == (ACCEPTED, {"skipped": 1})
    prove_books_agree(scene.world)


def test_come_back_in_an_hour_is_obeyed_over_runs(scene: Scene) -> None:
    scene.strike(kind="answer", answer="unavailable", retry_after="3600")
    ran = scene.run()
    assert ran.exit_code == 0
    assert scene.ends(ran) == ({"deferred": 1}, ACCEPTED)
    assert scene.run().calls == []
    assert "not-before" in scene.run().skips(scene.first.origin)
    scene.world.clock.advance(3600)
    assert scene.ends(scene.run()) == (ACCEPTED, {"skipped": 1})


def test_come_back_in_an_hour_holds_for_all_of_a_property(fleet: World) -> None:
    """A Domain property with many sites: one of them is enough to hear it."""
    for name in "abcdef":
        fleet.add(name)
    fleet.sandbox.google.faults.add(
        "answer", answer="unavailable", retry_after="3600", call="sitemaps.submit", times=None
    )
    ran = fleet.run(adapt=lambda tools: replace(tools, rules=ONE_BY_ONE))
    assert len(ran.calls) == 1
    assert ran.counts("sitemaps") == {"deferred": 6}
    fleet.sandbox.google.faults.clear()
    assert fleet.run().calls == []
    fleet.clock.advance(3600)
    assert fleet.run().counts("sitemaps") == {"accepted": 6}


@pytest.mark.parametrize("answer", ["day-spent", "quota-exceeded"])
def test_a_spent_day_closes_the_account_until_midnight_in_california(
    scene: Scene, answer: str
) -> None:
    scene.strike(kind="answer", answer=answer)
    ran = scene.run()
    assert ran.exit_code == 0
    assert scene.ends(ran) == ({"deferred": 1}, {"deferred": 1})
    assert scene.taken() == (0, 0)
    asked = len(scene.world.sandbox.google.book.entries())
    again = scene.run()
    assert scene.ends(again) == ({"deferred": 1}, {"deferred": 1})
    assert again.exit_code == 0
    submits = scene.world.sandbox.google.book.entries("sitemaps.submit")
    assert len(submits) == 1, "not even tried"
    assert len(scene.world.sandbox.google.book.entries()) >= asked
    scene.world.next_day("America/Los_Angeles")
    assert scene.ends(scene.run()) == (ACCEPTED, ACCEPTED)
    prove_books_agree(scene.world)


def test_an_old_token_is_renewed_without_a_word(scene: Scene) -> None:
    scene.strike(kind="answer", answer="bad-token")
    ran = scene.run()
    assert ran.exit_code == 0
    assert scene.rows(ran) == [("accepted", 204)]
    assert scene.world.sandbox.google.book.count(call="token") == 2


# ---------------------------------------------------------------- what a person has to mend


Mend = Callable[[], None]


def revoke(scene: Scene) -> Mend:
    google, name = scene.world.sandbox.google, f"{scene.first.origin}/"
    google.revoke(EMAIL, name)
    return lambda: google.grant(EMAIL, name)


def give(role: Role) -> Callable[[Scene], Mend]:
    def demote(scene: Scene) -> Mend:
        google, name = scene.world.sandbox.google, f"{scene.first.origin}/"
        google.full_may_submit = False
        google.grant(EMAIL, name, role)
        return lambda: google.grant(EMAIL, name)

    return demote


@pytest.mark.parametrize(
    ("breaks", "cause", "called"),
    [
        (revoke, "property-missing", False),
        (give(Role.RESTRICTED), "role-restricted", False),
        (give(Role.UNVERIFIED), "role-unverified", False),
        (give(Role.FULL), "property-forbidden", True),
    ],
)
def test_a_property_without_rights_stops_only_itself(
    scene: Scene, breaks: Callable[[Scene], Mend], cause: str, called: bool
) -> None:
    mend = breaks(scene)
    ran = scene.run()
    assert ran.exit_code == 4
    assert scene.ends(ran) == ({"failed": 1}, ACCEPTED)
    assert scene.rows(ran) == ([("failed", 403)] if called else [])
    [problem] = ran.summary["problems"]
    assert problem["cause"] == cause
    assert problem["next_step"]
    mend()
    assert scene.ends(scene.run()) == (ACCEPTED, {"skipped": 1})
    prove_books_agree(scene.world)


def disable_api(scene: Scene) -> Mend:
    account = scene.world.sandbox.google.accounts[EMAIL]
    account.api_enabled = False
    return lambda: setattr(account, "api_enabled", True)


def disable_account(scene: Scene) -> Mend:
    account = scene.world.sandbox.google.accounts[EMAIL]
    account.enabled = False
    return lambda: setattr(account, "enabled", True)


def skew_clock(scene: Scene) -> Mend:
    tokens = scene.world.sandbox.google.tokens
    tokens.skew_s = 7200.0
    return lambda: setattr(tokens, "skew_s", 0.0)


def strike_all(call: str, **fault: Any) -> Callable[[Scene], Mend]:
    def strike(scene: Scene) -> Mend:
        scene.strike(call, times=None, **fault)
        return scene.world.sandbox.google.faults.clear

    return strike


@pytest.mark.parametrize(
    ("breaks", "cause"),
    [
        (disable_api, "api-disabled"),
        (disable_account, "account-missing"),
        (skew_clock, "clock-skew"),
        (strike_all("token", kind="answer", answer="invalid-grant"), "key-deleted"),
        (strike_all("token", kind="answer", answer="token-unavailable"), "engine-unavailable"),
        (strike_all("sites.list", kind="answer", answer="bad-token"), "token-refused"),
        (strike_all("sites.list", kind="answer", answer="unavailable"), "engine-unavailable"),
        (strike_all("sites.list", kind="reset"), "engine-unavailable"),
        (strike_all("sites.list", kind="garbage"), "engine-unavailable"),
        (strike_all("sites.list", kind="answer", answer="list-body"), "credential-refused"),
    ],
)
def test_an_account_that_is_not_let_in_sends_nothing(
    scene: Scene, breaks: Callable[[Scene], Mend], cause: str
) -> None:
    mend = breaks(scene)
    ran = scene.run()
    assert ran.exit_code == 5
    assert scene.ends(ran) == ({"failed": 1}, {"failed": 1})
    assert ran.calls == []
    assert {problem["cause"] for problem in ran.summary["problems"]} == {cause}
    assert scene.taken() == (0, 0)
    mend()
    assert scene.ends(scene.run()) == (ACCEPTED, ACCEPTED)
    prove_books_agree(scene.world)


def test_an_engine_that_is_not_there_costs_nothing_and_is_tried_again(scene: Scene) -> None:
    good = scene.world.accounts["google"]["endpoint"]
    scene.world.accounts["google"]["endpoint"] = "http://127.0.0.1:1/google"
    ran = scene.run()
    assert ran.exit_code == 5
    assert scene.ends(ran) == ({"failed": 1}, {"failed": 1})
    scene.world.accounts["google"]["endpoint"] = good
    assert scene.ends(scene.run()) == (ACCEPTED, ACCEPTED)


def test_one_account_in_trouble_leaves_the_other_alone(fleet: World) -> None:
    """A circuit breaker belongs to one account, never to all of an engine."""
    site = fleet.add("a", quota=10)
    fleet.sandbox.google.faults.add("answer", answer="unavailable", times=None)
    ran = fleet.run()
    assert ran.counts("sitemaps", site.origin, "google") == {"failed": 1}
    assert ran.counts("pages", site.origin, "baidu") == {"accepted": 5}
    assert ran.exit_code == 4


def test_what_is_recorded_as_sent_has_its_time_and_its_words(scene: Scene) -> None:
    scene.strike(kind="answer", answer="unavailable", retry_after="3600")
    ran = scene.run()
    [row] = [row for row in ran.calls if row.site == scene.first.origin]
    assert row.settled_at is not None
    assert row.sent_at <= row.settled_at
    assert "currently unavailable" in row.message
    assert row.code == "backendError"
