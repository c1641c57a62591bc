"""The planner: whether, what, how much and in which order; equal input, equal plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Account, Site, Target
from submitter.core.looks import RootLook, SiteLook
from submitter.core.plan import judge_page, judge_sitemap, make_plan, part_of
from submitter.core.planned import Plan, Skip, TargetInput, Wait
from submitter.core.standing import Allowance, Candidate, PageStanding, SitemapStanding
from submitter.core.states import State
from submitter.core.traits import Kind, Traits, UnknownRule

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SITEMAP = "https://shop.example.com/sitemap-index.xml"
SITE = Site("shop.example.com", domain="example.com", accounts=("gsc", "baidu"))
GOOGLE = Traits(
    name="google",
    title="Google",
    tells=frozenset({Kind.SITEMAP}),
    secret_key="credentials",
    day_zone="America/Los_Angeles",
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
    tells=frozenset({Kind.URLS, Kind.REMOVAL}),
    secret_key="key",
    day_zone="UTC",
    batch_size=10,
    pages_per_run=25,
)


def root(content: str = "c1", **changes: object) -> RootLook:
    base = RootLook(SITEMAP, True, content, NOW, 5, True)
    return replace(base, **changes)  # type: ignore[arg-type]


def look(*roots: RootLook, listed: int = 5) -> SiteLook:
    return SiteLook(SITE.origin, NOW, first=False, roots=roots or (root(),), listed=listed)


def told(hours_ago: float, content: str = "c1", **changes: object) -> SitemapStanding:
    at = NOW - timedelta(hours=hours_ago)
    base = SitemapStanding(SITEMAP, State.ACCEPTED, content, at, at, content)
    return replace(base, **changes)  # type: ignore[arg-type]


def google(standing: SitemapStanding | None, seen: SiteLook | None = None) -> TargetInput:
    return TargetInput(
        target=Target(SITE, Account("gsc", "google", None)),
        traits=GOOGLE,
        property="sc-domain:example.com",
        look=seen or look(),
        sitemaps={SITEMAP: standing} if standing else {},
    )


def candidates(count: int, why: str = "new") -> list[Candidate]:
    return [Candidate(n, f"https://shop.example.com/p/{n}", why) for n in range(count)]


def pages(
    traits: Traits,
    waiting: int,
    *,
    allowance: Allowance | None = None,
    counts: dict[State, int] | None = None,
    listed: int | None = None,
) -> TargetInput:
    standing = PageStanding(waiting={Kind.URLS: waiting}, counts=counts or {})
    return TargetInput(
        target=Target(SITE, Account(traits.name, traits.name, None)),
        traits=traits,
        property="shop.example.com",
        look=look(listed=waiting if listed is None else listed),
        pages=standing,
        candidates={Kind.URLS: candidates(waiting)},
        allowance=allowance,
    )


def today(**changes: object) -> Allowance:
    return replace(Allowance("baidu", "shop.example.com", date(2026, 11, 30)), **changes)  # type: ignore[arg-type]


def reasons(plan: Plan) -> list[str]:
    return [action.reason for action in plan.actions] + [skip.reason for skip in plan.skips]


@pytest.mark.parametrize(
    ("standing", "content", "reason"),
    [
        (None, "c1", "new"),
        (told(1), "c1", "unchanged"),
        (told(1), "c2", "changed"),
        (told(0.1), "c2", "too-soon"),
        (told(24 * 30), "c1", "age"),
        (told(24 * 29), "c1", "unchanged"),
        (told(1, state=State.UNKNOWN, told_at=None), "c1", "again after unknown"),
        (told(1, state=State.FAILED, told_at=None), "c1", "again after failed"),
        (told(1, state=State.DEFERRED, told_at=None), "c1", "again after deferred"),
        (told(1, state=State.REJECTED, told_at=None), "c1", "rejected-before"),
        (told(1, state=State.REJECTED, told_at=None), "c2", "changed"),
        (told(1, state=State.UNKNOWN, not_before=NOW + timedelta(hours=1)), "c1", "unknown"),
        (told(1, state=State.DEFERRED, not_before=NOW + timedelta(hours=1)), "c1", "not-before"),
        (told(1, state=State.DEFERRED, not_before=NOW), "c1", "again after deferred"),
    ],
)
def test_a_sitemap_is_told_when_there_is_something_to_tell(
    standing: SitemapStanding | None, content: str, reason: str
) -> None:
    plan = make_plan([google(standing, look(root(content)))], now=NOW)
    assert reasons(plan) == [reason]


def test_force_tells_an_unchanged_sitemap_again() -> None:
    assert reasons(make_plan([google(told(1))], now=NOW, forced=True)) == ["forced"]


def test_force_never_repeats_what_was_rejected_unchanged() -> None:
    standing = told(1, state=State.REJECTED, told_at=None)
    assert reasons(make_plan([google(standing)], now=NOW, forced=True)) == ["rejected-before"]


def test_an_unreadable_sitemap_is_not_told() -> None:
    plan = make_plan([google(None, look(root(readable=False, problem="404")))], now=NOW)
    assert reasons(plan) == ["unreadable"]


def test_a_held_site_is_not_told_and_a_forced_one_is() -> None:
    held = Finding("guard-gone", Severity.ERROR, SITE.origin, "4 of 10 known pages are gone")
    given = replace(google(None), held=(held,))
    plan = make_plan([given], now=NOW)
    assert (reasons(plan), plan.findings) == (["guard"], (held,))
    assert reasons(make_plan([given], now=NOW, forced=True)) == ["new"]


def test_a_site_that_was_not_looked_at_says_so() -> None:
    plan = make_plan([replace(google(None), look=None)], now=NOW)
    assert reasons(plan) == ["not-looked-at"]


def test_an_account_closed_for_the_day_waits_for_the_engines_midnight() -> None:
    until = NOW + timedelta(hours=20)
    closed = Allowance("gsc", "*", date(2026, 11, 30), closed_until=until)
    plan = make_plan([replace(google(None), allowance=closed)], now=NOW)
    assert [(skip.reason, skip.until) for skip in plan.skips] == [("quota", until)]


def test_the_first_call_of_a_day_is_small_when_nothing_is_known() -> None:
    plan = make_plan([pages(BAIDU, 50, allowance=today())], now=NOW)
    assert [action.size for action in plan.actions] == [1, 20, 20, 9]


def test_a_known_allowance_is_never_overplanned() -> None:
    allowance = today(limit=30, spent=7)
    plan = make_plan([pages(BAIDU, 50, allowance=allowance)], now=NOW)
    assert [action.size for action in plan.actions] == [20, 3]
    [skip] = plan.skips
    assert (skip.reason, skip.count, skip.column) == ("quota", 27, "deferred")
    assert skip.until == datetime(2026, 11, 30, 16, 0, tzinfo=UTC)


def test_a_lane_without_a_meter_is_bounded_for_each_run() -> None:
    plan = make_plan([pages(HUB, 40)], now=NOW)
    assert [action.size for action in plan.actions] == [10, 10, 5]
    assert [(skip.reason, skip.count) for skip in plan.skips] == [("run-limit", 15)]


def test_every_listed_page_is_accounted_for() -> None:
    counts = {State.ACCEPTED: 60, State.RECEIVED: 1, State.REJECTED: 4}
    given = pages(BAIDU, 10, allowance=today(limit=3), counts=counts, listed=100)
    plan = make_plan([given], now=NOW)
    sums = {skip.reason: skip.count for skip in plan.skips}
    assert sums == {"already-told": 61, "rejected-before": 4, "quota": 7, "first-run": 25}
    assert sum(sums.values()) + sum(action.size for action in plan.actions) == 100


def test_the_plan_does_not_depend_on_the_order_of_its_inputs() -> None:
    one, two = google(None), pages(BAIDU, 5, allowance=today(limit=5))
    forth, back = make_plan([one, two], now=NOW), make_plan([two, one], now=NOW)
    assert forth.actions == back.actions
    assert (forth.digest, forth.skips) == (back.digest, back.skips)


def test_the_digest_knows_contents_but_not_the_time() -> None:
    plan = make_plan([google(None)], now=NOW)
    later = make_plan([google(None)], now=NOW + timedelta(hours=1))
    other = make_plan([google(None, look(root("c2")))], now=NOW)
    assert plan.digest == later.digest != other.digest


def test_a_part_of_a_batch_keeps_order_and_cost() -> None:
    [action, *_] = make_plan([pages(HUB, 10)], now=NOW).actions
    urls = [page.loc for page in candidates(10)]
    part = part_of(action, urls, 4, 7)
    assert (part.pages, part.cost, part.target) == ((4, 5, 6), 3, urls[4])
    assert part.content != action.content
    assert part_of(action, urls, 0, 10) is action


@given(
    waiting=st.integers(0, 120),
    limit=st.none() | st.integers(0, 100),
    spent=st.integers(0, 100),
    told_before=st.integers(0, 50),
)
def test_found_is_sent_plus_known_plus_deferred(
    waiting: int, limit: int | None, spent: int, told_before: int
) -> None:
    allowance = today(limit=limit, spent=spent)
    counts = {State.ACCEPTED: told_before}
    given_input = pages(
        BAIDU, waiting, allowance=allowance, counts=counts, listed=waiting + told_before
    )
    plan = make_plan([given_input], now=NOW)
    planned = [page for action in plan.actions for page in action.pages]
    assert planned == list(range(len(planned)))  # in order, nothing twice
    assert len(planned) + sum(skip.count for skip in plan.skips) == waiting + told_before
    if limit is not None:
        assert len(planned) <= max(0, limit - spent)


# ---------------------------------------------------------------- one item by itself


HELD = (Finding("guard-gone", Severity.ERROR, SITE.origin, "many are gone"),)
CLOSED = Allowance("gsc", "*", date(2026, 11, 30), closed_until=NOW + timedelta(hours=4))


@pytest.mark.parametrize(
    "given",
    [
        google(None),
        google(told(1)),
        google(told(0.1, "c0")),
        google(told(1, state=State.FAILED, told_at=None, reason="property-missing")),
        google(told(1, state=State.UNKNOWN, not_before=NOW + timedelta(hours=1))),
        google(told(1, state=State.REJECTED)),
        google(None, look(root(readable=False))),
        replace(google(None), held=HELD),
        replace(google(None), audited=HELD),
        replace(google(None), look=None),
        replace(google(None), allowance=CLOSED),
    ],
)
def test_one_sitemap_is_judged_as_the_whole_plan_does(given: TargetInput) -> None:
    plan = make_plan([given], now=NOW)
    assert [judge_sitemap(given, SITEMAP, now=NOW)] == [*plan.actions, *plan.skips]


def test_a_sitemap_that_nobody_declares_is_not_judged() -> None:
    assert judge_sitemap(google(None), f"{SITE.origin}/other.xml", now=NOW) is None


NEW = Wait("new")


def judged(given: TargetInput, n: int, wait: Wait | None = NEW) -> Skip | None:
    return judge_page(given, f"https://shop.example.com/p/{n}", wait, now=NOW)


@pytest.mark.parametrize(
    "given",
    [
        pages(HUB, 30),
        pages(BAIDU, 30, allowance=today(reported_left=4)),
        pages(BAIDU, 30, allowance=today(reported_left=0)),
        pages(BAIDU, 3, allowance=today(closed_until=NOW + timedelta(hours=3))),
        replace(pages(HUB, 3), held=HELD),
        replace(pages(HUB, 3), look=None),
        replace(pages(HUB, 3), allowance=CLOSED),
    ],
)
def test_one_page_is_judged_as_the_whole_plan_does(given: TargetInput) -> None:
    """The ledger hands out no more candidates than are wanted."""
    count = given.pages.waiting[Kind.URLS]
    plan = make_plan([given], now=NOW)
    planned = sum(action.size for action in plan.actions)
    given = replace(given, candidates={Kind.URLS: given.candidates[Kind.URLS][:planned]})
    assert [n for n in range(count) if judged(given, n) is None] == list(range(planned))
    left_out = {(one.reason, one.until) for one in plan.skips}
    found = [judged(given, n) for n in range(planned, count)]
    assert {(one.reason, one.until) for one in found if one} == left_out


@pytest.mark.parametrize(
    ("wait", "reason"),
    [
        (None, "first-run"),
        (Wait("unknown", NOW + timedelta(hours=1)), "unknown"),
        (Wait("too-soon", NOW + timedelta(hours=1)), "too-soon"),
        (Wait("site-not-loaded", NOW + timedelta(hours=1)), "not-before"),
        (Wait("too-soon", NOW), None),
    ],
)
def test_a_page_that_may_not_be_told_yet_has_its_own_reason(
    wait: Wait | None, reason: str | None
) -> None:
    found = judged(pages(HUB, 3), 1, wait)
    assert (found and found.reason) == reason
    assert found is None or found.until == (wait and wait.not_before)
