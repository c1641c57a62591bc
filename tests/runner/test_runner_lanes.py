"""Sending a plan: claim → send → settle, retries, closed lanes, deadlines, quotas."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from submitter.core.accounting import Done, columns_of
from submitter.core.calls import Action, Call, Receipt, Survey
from submitter.core.fleet import Account, FirstRun, Site
from submitter.core.looks import PageRow, TellRule
from submitter.core.planned import Plan
from submitter.core.quota import closed_because
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.core.traits import Kind, Traits, UnknownRule
from submitter.errors import (
    EngineUnavailable,
    MaybeTooFast,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
    TooFast,
)
from submitter.kit.progress import NoProgress
from submitter.ledger import open_ledger
from submitter.ports import Lease, Ledger, LogFilter
from submitter.sending.channels import Channel, RunContext
from submitter.sending.runner import run_plan
from support.twins import NOON, HandClock, NoSource, OpenPermits, ScriptedEngine, meter

GOOGLE = Traits(
    name="google",
    title="Google",
    tells=frozenset({Kind.SITEMAP}),
    secret_key="credentials",
    day_zone="America/Los_Angeles",
    repeat_after_s=0,
)
BAIDU = Traits(
    name="baidu",
    title="Baidu",
    tells=frozenset({Kind.URLS}),
    secret_key="token",
    day_zone="Asia/Shanghai",
    batch_size=20,
    metered=True,
    first_batch=1,
    unknown_rule=UnknownRule.NEXT_DAY,
)
HUB = Traits(
    name="hub",
    title="Hub",
    tells=frozenset({Kind.URLS}),
    secret_key="key",
    day_zone="UTC",
    batch_size=20,
)
SITES = [Site(f"s{n}.example.com", domain="example.com") for n in range(4)]


@dataclass
class Bench:
    """A runner's surroundings with a memory of its own."""

    ledger: Ledger
    lease: Lease
    clock: HandClock
    engine: ScriptedEngine
    account: Account
    permits: OpenPermits

    def run(self, *actions: Action, **changes: object) -> list[Done]:
        context = RunContext(
            ledger=self.ledger,
            lease=self.lease,
            clock=self.clock,
            run="run-1",
            sites={site.origin: site for site in SITES},
            source=NoSource(),
            progress=NoProgress(),
        )
        for name, value in changes.items():
            setattr(context, name, value)
        channel = Channel(self.account, self.engine, self.permits)
        allowances = tuple(self.ledger.allowances().values())
        plan = Plan(self.clock.now(), actions, (), allowances)
        return run_plan(plan, channels={self.account.name: channel}, context=context)

    def rows(self) -> list[tuple[str, int]]:
        return [(row.state, row.attempt) for row in self.ledger.log(LogFilter())]

    def left(self, site: Site) -> tuple[int, ...]:
        """Pages that may be told now."""
        found = self.ledger.candidates(
            site.origin, self.account.name, Kind.URLS, now=self.clock.now(), limit=100
        )
        return tuple(page.id for page in found)

    def waiting_pages(self, site: Site, count: int) -> Action:
        """Put new pages into the ledger and plan them as one batch."""
        rows = [PageRow(f"{site.origin}/{n}", f"{site.origin}/{n}", None) for n in range(count)]
        self.ledger.adopt_pages(
            self.lease, site.origin, account=self.account.name, pages=rows, at=NOON
        )
        found = self.ledger.candidates(
            site.origin, self.account.name, Kind.URLS, now=self.clock.now(), limit=count
        )
        return Action(
            site=site.origin,
            account=self.account.name,
            engine=self.account.engine,
            property=site.host,
            kind=Kind.URLS,
            target=found[0].loc,
            reason="new",
            content="c",
            pages=tuple(page.id for page in found),
            cost=len(found),
        )


@pytest.fixture
def bench_of() -> Iterator[Callable[[Traits], Bench]]:
    ledger = open_ledger("sqlite:///:memory:")
    clock = HandClock()

    def make(traits: Traits) -> Bench:
        lease = ledger.acquire("run", "tests", ttl_s=3600, now=clock.now())
        ledger.start_run("run-1", inventory_sha256="x", at=clock.now())
        account = Account(traits.name, traits.name, None)
        return Bench(ledger, lease, clock, ScriptedEngine(traits), account, OpenPermits())

    yield make
    ledger.close()


def sitemap(site: Site = SITES[0], content: str = "c1") -> Action:
    return Action(
        site=site.origin,
        account="google",
        engine="google",
        property=site.host,
        kind=Kind.SITEMAP,
        target=f"{site.origin}/sitemap.xml",
        reason="new",
        content=content,
    )


def states(done: list[Done]) -> list[str]:
    return sorted(one.outcome.state for one in done)


def test_a_call_is_remembered_before_and_after(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    seen_while_sending: list[str] = []

    def answer(call: Call) -> Receipt:
        seen_while_sending.extend(row.state for row in bench.ledger.log(LogFilter()))
        return Receipt(State.ACCEPTED, 204)

    bench.engine.answers = [answer]
    assert states(bench.run(sitemap())) == ["accepted"]
    assert seen_while_sending == ["sending"]
    assert bench.rows() == [("accepted", 1)]


def test_an_engine_that_was_busy_is_asked_again(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [EngineUnavailable("google", "503", http_status=503, retry_after_s=7)]
    assert states(bench.run(sitemap())) == ["accepted"]
    assert bench.rows() == [("failed", 1), ("accepted", 2)]
    assert 7 <= bench.clock.slept[0] <= 8


def test_the_outcome_is_the_last_attempts(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [EngineUnavailable("google", "503", http_status=503)] * 9
    [done] = bench.run(sitemap())
    assert (done.outcome.rest, done.called) == (State.FAILED, True)
    assert [state for state, _ in bench.rows()] == ["failed"] * 4


def test_a_far_retry_after_parks_the_item(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [EngineUnavailable("google", "503", retry_after_s=3600)]
    [done] = bench.run(sitemap())
    assert done.outcome.rest is State.DEFERRED
    assert done.outcome.not_before == NOON + timedelta(hours=1)
    assert bench.clock.slept == []
    standing = bench.ledger.sitemap_standings()[SITES[0].origin, "google"]
    assert standing[f"{SITES[0].origin}/sitemap.xml"].not_before == NOON + timedelta(hours=1)


def test_being_too_fast_slows_the_whole_account(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [TooFast("google", "429", retry_after_s=3)]
    bench.run(sitemap())
    assert bench.permits.penalties == [3]


def test_a_lost_answer_is_unknown_and_not_repeated(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [OutcomeUnknown("google", "connection reset")]
    assert states(bench.run(sitemap())) == ["unknown"]
    assert len(bench.engine.calls) == 1


def test_a_property_without_rights_does_not_stop_the_others(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(GOOGLE)
    shut = NotAuthorized(
        "google", "no access", scope="property", cause="property-missing", sent=False
    )
    bench.engine.refusal = lambda action: shut if action.site == SITES[1].origin else None
    done = bench.run(*(sitemap(site) for site in SITES))
    assert states(done) == ["accepted", "accepted", "accepted", "failed"]
    [failed] = [one for one in done if one.outcome.rest is State.FAILED]
    assert (failed.called, failed.outcome.cause) == (False, "property-missing")


@pytest.mark.parametrize("traits", [BAIDU, HUB])
def test_a_site_that_an_engine_does_not_know_is_called_once(
    bench_of: Callable[[Traits], Bench], traits: Traits
) -> None:
    bench = bench_of(traits)
    unknown = NotAuthorized(
        traits.name, "site error", scope="property", cause="site-not-verified", http_status=400
    )
    bench.engine.answers = [unknown] * 5
    action = bench.waiting_pages(SITES[0], 50)
    parts = [replace(action, pages=action.pages[at : at + 10], cost=10) for at in range(0, 50, 10)]
    done = bench.run(*parts)
    assert [one.called for one in done] == [True] + [False] * (len(done) - 1)
    assert sum(one.action.size for one in done) == 50
    assert {one.outcome.cause for one in done} == {"site-not-verified"}
    assert bench.rows() == [("failed", 1)]


def test_a_dead_account_is_not_called_again(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.the_survey = NotAuthorized(
        "google", "invalid_grant", scope="account", cause="key-deleted"
    )
    done = bench.run(*(sitemap(site) for site in SITES))
    assert states(done) == ["failed"] * 4
    assert {one.outcome.cause for one in done} == {"key-deleted"}
    assert bench.engine.calls == []


def test_the_survey_is_asked_once(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.the_survey = Survey("google", ())
    bench.run(*(sitemap(site) for site in SITES))
    assert bench.engine.surveys == 1
    assert "google" in bench.ledger.surveys()


def test_a_daily_quota_closes_the_account_until_the_engines_midnight(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [QuotaExhausted("google", "quotaExceeded")]
    done = bench.run(sitemap(SITES[0]), sitemap(SITES[0], "c2"))
    assert states(done) == ["deferred", "deferred"]
    assert len(bench.engine.calls) == 1
    closed = bench.ledger.allowances()["google", "*"]
    assert closed.closed_until is not None
    assert closed.closed_until.isoformat() == "2026-12-01T08:00:00+00:00"


def test_an_engine_that_never_answers_is_left_alone_after_a_while(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [OutcomeUnknown("google", "timeout")] * 100
    actions = [sitemap(SITES[0], f"c{n}") for n in range(20)]
    done = bench.run(*actions)
    assert len(bench.engine.calls) == 5
    assert states(done) == ["deferred"] * 15 + ["unknown"] * 5


def test_a_storm_of_refusals_spends_a_budget_of_retries(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [EngineUnavailable("google", "503", http_status=503)] * 10_000
    bench.run(*(sitemap(site, f"c{n}") for n in range(50) for site in SITES))
    # five actions in a row, four tries each, on at most four lanes already under way
    assert len(bench.engine.calls) <= (5 + 4) * 4


def test_an_engine_that_finds_us_too_fast_at_every_try_is_left_alone_for_a_while(
    bench_of: Callable[[Traits], Bench],
) -> None:
    """It named no time, and the next run would knock again at once."""
    bench = bench_of(HUB)
    bench.engine.answers = [TooFast("hub", "429", http_status=429)] * 99
    [done] = bench.run(bench.waiting_pages(SITES[0], 3))
    assert (done.outcome.rest, done.outcome.code) == (State.DEFERRED, "retry-after")
    assert done.outcome.not_before is not None
    assert done.outcome.not_before >= bench.clock.now() + timedelta(seconds=590)
    assert bench.left(SITES[0]) == ()
    bench.clock.move(minutes=11)
    assert len(bench.left(SITES[0])) == 3


# ---------------------------------------------------------------- not ready yet

TOMORROW = NOON + timedelta(days=1)


def not_ready(traits: Traits, **facts: object) -> NotReady:
    return NotReady(traits.name, "not loaded", not_before=TOMORROW, http_status=404, **facts)  # type: ignore[arg-type]


def one_by_one(action: Action) -> list[Action]:
    """A batch as calls of one page, as some engines take them."""
    return [
        replace(action, pages=(page,), cost=1, target=f"{action.target}?{page}")
        for page in action.pages
    ]


@pytest.mark.parametrize("name", ["baidu", "hub"])
def test_a_property_that_is_not_ready_is_asked_once_and_waits_as_a_whole(
    bench_of: Callable[[Traits], Bench], name: str
) -> None:
    traits = {"baidu": BAIDU, "hub": HUB}[name]
    bench = bench_of(traits)
    bench.engine.answers = [not_ready(traits, scope="property")] * 99
    done = bench.run(*one_by_one(bench.waiting_pages(SITES[0], 40)))
    assert states(done) == ["deferred"] * 40
    assert {one.outcome.not_before for one in done} == {TOMORROW}
    assert len(bench.engine.calls) == 1
    if traits.metered:
        closed = bench.ledger.allowances()[name, SITES[0].host]
        assert (closed.closed_until, closed.spent) == (TOMORROW, 0)
        assert closed_because(closed) == "not-before"
    else:
        assert bench.left(SITES[0]) == (), "the next run does not ask either"


def test_single_items_that_are_not_ready_stop_the_property_only_when_it_is_all_of_them(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(HUB)
    bench.engine.answers = [not_ready(HUB)] * 3 + [Receipt(State.ACCEPTED, 200)]
    bench.engine.answers += [not_ready(HUB)] * 99
    done = bench.run(*one_by_one(bench.waiting_pages(SITES[0], 40)))
    assert states(done) == ["accepted"] + ["deferred"] * 39
    assert len(bench.engine.calls) == 3 + 1 + 5


def test_a_token_that_worked_today_is_not_called_wrong(
    bench_of: Callable[[Traits], Bench],
) -> None:
    """Baidu says so to pushes that come too often; the site rests, and the account is well."""
    bench = bench_of(BAIDU)
    refused = MaybeTooFast(
        "baidu",
        "token is not valid",
        scope="account",
        cause="token-invalid",
        http_status=401,
        code="token is not valid",
    )
    bench.engine.answers = [refused]
    [lost, *_] = bench.run(bench.waiting_pages(SITES[0], 5))
    assert (lost.outcome.state, lost.outcome.cause) == ("failed", "token-invalid")
    bench.engine.answers = [meter(9), refused]
    done = bench.run(bench.waiting_pages(SITES[1], 5))
    assert states(done) == ["accepted", "deferred"]
    [rested] = [one for one in done if one.outcome.state == State.DEFERRED]
    assert rested.outcome.cause == "too-fast"
    assert rested.outcome.not_before == bench.clock.now() + timedelta(hours=1)


# ---------------------------------------------------------------- quotas


def test_a_lane_learns_its_allowance_and_defers_the_rest(
    bench_of: Callable[[Traits], Bench],
) -> None:
    """Fifty pages, ten a day: one to learn, nine to fill, forty for tomorrow."""
    bench = bench_of(BAIDU)
    answer = meter(10)
    bench.engine.answers = [answer] * 10
    done = bench.run(bench.waiting_pages(SITES[0], 50))
    assert [len(call.urls) for call in bench.engine.calls] == [1, 9]
    assert sum(columns_of(one).get(State.ACCEPTED, 0) for one in done) == 10
    assert sum(columns_of(one).get(State.DEFERRED, 0) for one in done) == 40
    assert len(bench.engine.book) == len(set(bench.engine.book)) == 10


def test_over_quota_closes_the_lane_until_the_next_day(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(BAIDU)
    bench.engine.answers = [QuotaExhausted("baidu", "over quota", http_status=400)]
    done = bench.run(bench.waiting_pages(SITES[0], 5))
    assert states(done) == ["deferred", "deferred"]
    assert len(bench.engine.calls) == 1
    allowance = bench.ledger.allowances()["baidu", SITES[0].host]
    assert allowance.closed_until is not None
    assert allowance.closed_until.isoformat() == "2026-11-30T16:00:00+00:00"
    assert allowance.spent == 0


def test_a_lost_first_answer_ends_the_lanes_day(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(BAIDU)
    bench.engine.answers = [OutcomeUnknown("baidu", "connection reset")]
    done = bench.run(bench.waiting_pages(SITES[0], 5))
    assert states(done) == ["deferred", "unknown"]
    assert bench.ledger.allowances()["baidu", SITES[0].host].spent == 1


def test_refused_pages_are_never_candidates_again(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(BAIDU)
    bench.account = replace(bench.account, settings={"daily_limit": 100})
    bench.engine.answers = [Refused("baidu", "empty content", http_status=400)]
    bench.run(bench.waiting_pages(SITES[0], 5))
    assert bench.left(SITES[0]) == ()


def test_pages_wait_in_order_for_the_next_day(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(BAIDU)
    bench.engine.answers = [meter(2)] * 2
    action = bench.waiting_pages(SITES[0], 5)
    bench.run(action)
    assert bench.left(SITES[0]) == action.pages[2:]
    assert bench.run(replace(action, pages=action.pages[2:], cost=3))[0].outcome.code == "quota"
    bench.clock.move(hours=4)  # midnight in Shanghai
    bench.engine.answers = [meter(2)] * 2
    bench.run(replace(action, pages=action.pages[2:], cost=3))
    assert bench.left(SITES[0]) == action.pages[4:]


# ---------------------------------------------------------------- ending early


def test_nothing_is_begun_that_cannot_be_finished(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    [done] = bench.run(sitemap(), until=bench.clock.monotonic() + 2.0)
    assert (done.outcome.code, done.called) == ("deadline", False)
    assert bench.engine.calls == []


def test_a_wait_never_outlives_the_deadline(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(GOOGLE)
    bench.engine.answers = [EngineUnavailable("google", "503", retry_after_s=30)]
    bench.run(sitemap(), until=bench.clock.monotonic() + 20.0)
    assert bench.clock.slept == []


def test_a_stopped_run_finishes_the_call_and_begins_no_other(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(GOOGLE)
    stop = threading.Event()

    def answer(call: Call) -> Receipt:
        stop.set()
        return Receipt(State.ACCEPTED, 204)

    bench.engine.answers = [answer]
    done = bench.run(sitemap(SITES[0]), sitemap(SITES[0], "c2"), stop=stop)
    assert states(done) == ["accepted", "deferred"]
    assert bench.rows() == [("accepted", 1)]


def test_a_rule_for_tells_is_not_needed_for_pages_named_by_hand(
    bench_of: Callable[[Traits], Bench],
) -> None:
    bench = bench_of(BAIDU)
    action = bench.waiting_pages(SITES[0], 3)
    look = bench.ledger.look(
        bench.lease,
        SITES[0].origin,
        tell=[TellRule("baidu", FirstRun.ALL, 30, tells_changed=False, tells_removed=False)],
        at=NOON,
    )
    look.finish(gone_after=1, complete=True)
    assert bench.left(SITES[0]) == action.pages


def test_allowances_survive_in_the_ledger(bench_of: Callable[[Traits], Bench]) -> None:
    bench = bench_of(BAIDU)
    bench.engine.answers = [meter(10)] * 3
    bench.run(bench.waiting_pages(SITES[0], 3))
    stored = bench.ledger.allowances()["baidu", SITES[0].host]
    assert isinstance(stored, Allowance)
    assert (stored.limit, stored.spent, stored.reported_left) == (10, 3, 7)
