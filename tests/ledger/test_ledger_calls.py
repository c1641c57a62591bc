"""Intent before the first byte, outcome after it, and what a dead run leaves behind."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from ledger_samples import (
    ACCOUNT,
    DAY,
    MAP,
    NOW,
    OTHER_MAP,
    SITE,
    allowance,
    claim,
    kept_counts,
    look_at,
    page,
    pages_action,
    recount,
    rule,
    settle,
    sitemap_action,
    tell,
    waiting,
    whys,
)

from submitter.core.calls import Action, Check, Outcome
from submitter.core.standing import Allowance, PageStanding, SitemapStanding
from submitter.core.states import TOLD, State
from submitter.core.traits import Kind
from submitter.errors import LedgerError
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease, LogFilter

HOUR = timedelta(hours=1)
ABC = [page("a"), page("b"), page("c")]
KEY = (SITE, ACCOUNT)
SETTLED = [state for state in State if state not in (State.PLANNED, State.SENDING)]


@pytest.fixture
def site(ledger: SqlLedger, lease: Lease) -> SqlLedger:
    look_at(ledger, lease, {MAP: ABC})
    return ledger


def standing(ledger: SqlLedger) -> PageStanding:
    assert kept_counts(ledger) == recount(ledger)
    return ledger.page_standings(NOW)[KEY]


def test_a_claim_is_given_once(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site)
    claim(site, lease, action)
    assert waiting(site) == []
    with pytest.raises(
        LedgerError, match=r"3 of 3 pages of https://shop\.example\.com do not wait"
    ):
        claim(site, lease, action)
    assert standing(site) == PageStanding(counts={State.SENDING: 3})


def test_a_claim_that_fails_leaves_nothing_behind(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site)
    claim(site, lease, pages_action(site, ["b"]))
    with pytest.raises(LedgerError, match="1 of 3 pages"):
        claim(site, lease, action, allowance=allowance(3))
    assert waiting(site) == ["a", "c"]
    assert site.allowances() == {}
    assert len(list(site.log(LogFilter()))) == 1


def test_an_intent_is_in_the_log_before_its_outcome(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site)
    attempt = claim(site, lease, action, run="r7", number=2)
    [row] = site.log(LogFilter())
    assert (row.id, row.run, row.action, row.attempt) == (attempt, "r7", action.key, 2)
    assert (row.state, row.sent_at, row.settled_at, row.urls) == ("sending", NOW, None, 3)


@pytest.mark.parametrize("state", SETTLED)
def test_an_outcome_gives_every_page_its_state(site: SqlLedger, lease: Lease, state: State) -> None:
    tell(site, lease, state=state)
    waits = state in (State.FAILED, State.DEFERRED, State.UNKNOWN)
    assert whys(site) == (dict.fromkeys("abc", state.value) if waits else {})
    assert standing(site) == PageStanding(
        waiting={Kind.URLS: 3} if waits else {}, counts={state: 3}
    )


@pytest.mark.parametrize(
    ("state", "reason"), [(State.UNKNOWN, "unknown"), (State.DEFERRED, "not-before")]
)
def test_pages_are_held_until_their_time_and_keep_their_place(
    site: SqlLedger, lease: Lease, state: State, reason: str
) -> None:
    tell(site, lease, ["a", "b"], state=state, not_before=NOW + HOUR)
    assert waiting(site) == ["c"]
    held = PageStanding({Kind.URLS: 1}, {(Kind.URLS, reason): 2}, {state: 2})
    assert standing(site) == held
    assert waiting(site, now=NOW + HOUR) == ["a", "b", "c"]
    assert site.page_standings(NOW + HOUR)[KEY].waiting == {Kind.URLS: 3}


def test_rejected_pages_keep_the_engines_reason_and_the_rest_its_state(
    site: SqlLedger, lease: Lease
) -> None:
    rejected = {f"{SITE}/b": "not_valid\0", f"{SITE}/elsewhere": "not_same_site"}
    tell(site, lease, rejected=rejected)
    assert waiting(site) == []
    assert standing(site).counts == {State.ACCEPTED: 2, State.REJECTED: 1}
    rows = {row.loc[-1]: (row.state, row.reason) for row in site.page_log(LogFilter())}
    assert rows == {"a": ("accepted", ""), "b": ("rejected", "not_valid�"), "c": ("accepted", "")}
    [row] = site.log(LogFilter())
    assert (row.state, row.accepted, row.rejected) == ("partial", 1, 2)


def test_a_batch_that_was_refused_whole_is_rejected_whole(site: SqlLedger, lease: Lease) -> None:
    tell(site, lease, state=State.REJECTED, http_status=422)
    [row] = site.log(LogFilter())
    assert (row.accepted, row.rejected, row.http_status) == (0, 3, 422)


def test_a_call_can_be_tried_again_after_it_failed(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site)
    settle(site, lease, claim(site, lease, action), action, State.FAILED)
    settle(site, lease, claim(site, lease, action, number=2), action)
    assert [(row.attempt, row.state) for row in site.log(LogFilter())] == [
        (1, "failed"),
        (2, "accepted"),
    ]
    assert standing(site) == PageStanding(counts={State.ACCEPTED: 3})


def test_an_outcome_is_stored_once(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site)
    attempt = claim(site, lease, action)
    settle(site, lease, attempt, action)
    with pytest.raises(LedgerError, match="is settled as accepted"):
        settle(site, lease, attempt, action, State.FAILED)
    with pytest.raises(LedgerError, match="was never claimed"):
        settle(site, lease, attempt + 1, action)


def test_an_answer_is_kept_in_the_engines_own_words(ledger: SqlLedger, lease: Lease) -> None:
    action = sitemap_action()
    attempt = claim(ledger, lease, action)
    outcome = Outcome(
        state="failed",
        rest=State.FAILED,
        http_status=403,
        code="forbidden",
        message="User does not have \0 permission \ud800",
        quota_left=10**30,
        cause="property-form",
        next_step="add the account",
    )
    ledger.settle(lease, attempt, action, outcome, at=NOW + HOUR, allowance=None)
    [row] = ledger.log(LogFilter())
    assert (row.code, row.http_status, row.quota_left) == ("forbidden", 403, 2**63 - 1)
    assert row.message == "User does not have � permission ?"
    assert (row.cause, row.next_step) == ("property-form", "add the account")
    assert (row.sent_at, row.settled_at) == (NOW, NOW + HOUR)


# ---------------------------------------------------------------- sitemaps


def sitemap_standing(ledger: SqlLedger, sitemap: str = MAP) -> SitemapStanding:
    return ledger.sitemap_standings()[SITE, "gsc"][sitemap]


@pytest.mark.parametrize("state", SETTLED)
def test_a_sitemap_remembers_how_it_was_last_told(
    ledger: SqlLedger, lease: Lease, state: State
) -> None:
    action = sitemap_action(content="v1")
    settle(ledger, lease, claim(ledger, lease, action), action, state, not_before=NOW + HOUR)
    told = state in TOLD
    assert sitemap_standing(ledger) == SitemapStanding(
        MAP, state, "v1", NOW, NOW if told else None, "v1" if told else None, NOW + HOUR
    )


def test_a_sitemap_that_fails_later_was_told_all_the_same(ledger: SqlLedger, lease: Lease) -> None:
    first, second = sitemap_action(content="v1"), sitemap_action(content="v2")
    settle(ledger, lease, claim(ledger, lease, first), first)
    attempt = claim(ledger, lease, second, at=NOW + DAY)
    assert sitemap_standing(ledger) == SitemapStanding(
        MAP, State.SENDING, "v2", NOW + DAY, NOW, "v1"
    )
    settle(ledger, lease, attempt, second, State.FAILED, at=NOW + DAY)
    assert sitemap_standing(ledger) == SitemapStanding(
        MAP, State.FAILED, "v2", NOW + DAY, NOW, "v1"
    )


def test_standings_can_be_asked_for_some_sites(ledger: SqlLedger, lease: Lease) -> None:
    other = "https://www.example.com"
    for site in (SITE, other):
        action = sitemap_action(site=site)
        settle(ledger, lease, claim(ledger, lease, action), action)
        look_at(ledger, lease, {MAP: ABC}, site=site)
    assert set(ledger.sitemap_standings()) == {(SITE, "gsc"), (other, "gsc")}
    assert set(ledger.sitemap_standings([SITE])) == {(SITE, "gsc")}
    assert set(ledger.page_standings(NOW, [other])) == {(other, ACCOUNT)}
    assert ledger.page_standings(NOW, []) == ledger.sitemap_standings([]) == {}


# ---------------------------------------------------------------- deferring


def test_a_deferred_sitemap_waits_for_what_was_named(ledger: SqlLedger, lease: Lease) -> None:
    told = sitemap_action(content="v1")
    settle(ledger, lease, claim(ledger, lease, told), told)
    ledger.defer(lease, sitemap_action(content="v2"), not_before=NOW + HOUR, reason="quota")
    ledger.defer(lease, sitemap_action(OTHER_MAP), not_before=None, reason="deadline")
    assert sitemap_standing(ledger) == SitemapStanding(
        MAP, State.DEFERRED, "v1", NOW, NOW, "v1", NOW + HOUR, "quota"
    )
    assert sitemap_standing(ledger, OTHER_MAP) == SitemapStanding(
        OTHER_MAP, State.DEFERRED, "", NOW, None, None, reason="deadline"
    )
    assert len(list(ledger.log(LogFilter()))) == 1


def test_what_failed_before_a_call_is_a_failure_and_no_call(
    ledger: SqlLedger, lease: Lease
) -> None:
    ledger.defer(
        lease,
        sitemap_action(),
        not_before=None,
        reason="property-missing",
        state=State.FAILED,
    )
    assert sitemap_standing(ledger) == SitemapStanding(
        MAP, State.FAILED, "", NOW, None, None, reason="property-missing"
    )
    assert list(ledger.log(LogFilter())) == []


def test_deferred_pages_keep_their_place(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site, ["a", "b"])
    site.defer(lease, action, not_before=NOW + HOUR, reason="quota")
    assert waiting(site) == ["c"]
    assert standing(site) == PageStanding({Kind.URLS: 1}, {(Kind.URLS, "not-before"): 2}, {})
    assert whys(site, now=NOW + HOUR) == {"a": "deferred", "b": "deferred", "c": "new"}
    site.defer(lease, action, not_before=None, reason="deadline")
    assert waiting(site) == ["a", "b", "c"]


# ---------------------------------------------------------------- allowances


def test_the_newest_days_allowance_of_a_lane_counts(ledger: SqlLedger, lease: Lease) -> None:
    today = Allowance("baidu", SITE, date(2026, 11, 30), 100, 7, 93, 0, NOW, "over quota")
    ledger.save_allowance(lease, allowance(50, day=date(2026, 11, 29)))
    ledger.save_allowance(lease, today)
    ledger.save_allowance(lease, allowance(60, day=date(2026, 11, 29)))
    ledger.save_allowance(lease, Allowance("baidu", "other", date(2026, 1, 1)))
    assert ledger.allowances() == {
        ("baidu", SITE): today,
        ("baidu", "other"): Allowance("baidu", "other", date(2026, 1, 1)),
    }


def test_a_claim_books_its_cost_and_an_outcome_corrects_it(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site)
    attempt = claim(site, lease, action, allowance=allowance(3))
    assert site.allowances()["baidu", SITE].spent == 3
    settle(site, lease, attempt, action, allowance=allowance(2))
    assert site.allowances()["baidu", SITE].spent == 2


# ---------------------------------------------------------------- dead runs


def test_calls_of_a_dead_run_become_unknown_and_stay_booked(site: SqlLedger, lease: Lease) -> None:
    claim(site, lease, pages_action(site, ["a", "b"]), allowance=allowance(2))
    claim(site, lease, sitemap_action())
    settled = sitemap_action(OTHER_MAP)
    settle(site, lease, claim(site, lease, settled), settled)
    new = site.acquire("run", "next", ttl_s=60, now=NOW + DAY)
    not_before = {ACCOUNT: NOW + DAY + HOUR}
    assert site.recover(new, now=NOW + DAY, not_before=not_before) == 2
    assert site.recover(new, now=NOW + DAY, not_before=not_before) == 0
    assert [row.state for row in site.log(LogFilter())] == ["unknown", "unknown", "accepted"]
    assert standing(site).counts == {State.UNKNOWN: 2}
    assert waiting(site, now=NOW + DAY) == ["c"]
    assert waiting(site, now=NOW + DAY + HOUR) == ["a", "b", "c"]
    assert sitemap_standing(site).state is State.UNKNOWN
    assert site.allowances()["baidu", SITE].spent == 2
    with site._database.reading() as tx:
        spent = tx.connection.exec_driver_sql("SELECT spent FROM attempt ORDER BY id").scalars()
        assert list(spent) == [2, 0, 0]


def test_calls_of_a_living_run_are_left_alone(site: SqlLedger, lease: Lease) -> None:
    claim(site, lease, pages_action(site))
    lane = site.acquire("lane", "worker", ttl_s=60, now=NOW)
    assert site.recover(lane, now=NOW, not_before={}) == 0
    assert site.recover(lease, now=NOW + 2 * HOUR, not_before={}) == 0
    assert site.recover(lane, now=NOW + 2 * HOUR, not_before={}) == 1


def test_an_answer_that_was_read_after_all_is_stored(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site, ["a"])
    attempt = claim(site, lease, action)
    other = site.acquire("lane", "worker", ttl_s=60, now=NOW + DAY)
    site.recover(other, now=NOW + DAY, not_before={})
    assert whys(site) == {"a": "unknown", "b": "new", "c": "new"}
    settle(site, lease, attempt, action)
    assert waiting(site) == ["b", "c"]
    assert standing(site).counts == {State.ACCEPTED: 1}


def test_a_late_answer_does_not_undo_a_later_call(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site, ["a"])
    early = claim(site, lease, action)
    other = site.acquire("lane", "worker", ttl_s=60, now=NOW + DAY)
    site.recover(other, now=NOW + DAY, not_before={})
    late = claim(site, other, action)
    settle(site, lease, early, action, State.FAILED)
    assert standing(site).counts == {State.SENDING: 1}
    settle(site, other, late, action)
    assert standing(site).counts == {State.ACCEPTED: 1}
    assert waiting(site) == ["b", "c"]


def test_a_page_that_changes_while_it_is_sent_waits_again(site: SqlLedger, lease: Lease) -> None:
    action = pages_action(site, ["a"])
    attempt = claim(site, lease, action)
    changed = page("a", int(NOW.timestamp()) + 9)
    look_at(site, lease, {MAP: [changed, *ABC[1:]]})
    settle(site, lease, attempt, action)
    assert whys(site)["a"] == "changed"
    assert standing(site).counts == {State.ACCEPTED: 1}


@pytest.mark.parametrize("state", [State.FAILED, State.UNKNOWN, State.ACCEPTED])
def test_a_page_that_goes_while_it_is_sent_is_not_told_as_a_page_again(
    site: SqlLedger, lease: Lease, state: State
) -> None:
    action = pages_action(site, ["a"])
    attempt = claim(site, lease, action)
    look_at(site, lease, {MAP: ABC[1:]}, tell=[rule(removed=True)])
    settle(site, lease, attempt, action, state)
    assert waiting(site) == ["b", "c"]
    assert waiting(site, kind=Kind.REMOVAL) == ["a"]
    assert standing(site).counts == {}
    look_at(site, lease, {MAP: ABC}, tell=[rule(removed=True)])
    assert ("a" in waiting(site)) is (state is not State.ACCEPTED)
    assert waiting(site, kind=Kind.REMOVAL) == []


@pytest.mark.parametrize("state", SETTLED)
def test_a_removal_has_states_of_its_own_that_count_no_page(
    site: SqlLedger, lease: Lease, state: State
) -> None:
    tell(site, lease)
    look_at(site, lease, {MAP: ABC[1:]}, tell=[rule(removed=True)])
    assert standing(site) == PageStanding({Kind.REMOVAL: 1}, {}, {State.ACCEPTED: 2})
    tell(site, lease, kind=Kind.REMOVAL, state=state)
    waits = state in (State.FAILED, State.DEFERRED, State.UNKNOWN)
    assert standing(site) == PageStanding(
        {Kind.REMOVAL: 1} if waits else {}, {}, {State.ACCEPTED: 2}
    )


def test_a_large_batch_is_claimed_and_settled_whole(ledger: SqlLedger, lease: Lease) -> None:
    pages = [page(f"p{number:05d}", number + 1) for number in range(3_000)]
    look_at(ledger, lease, {MAP: pages})
    first = pages_action(ledger)
    assert first.size == 3_000
    settle(ledger, lease, claim(ledger, lease, first), first)
    assert waiting(ledger) == []
    assert standing(ledger).counts == {State.ACCEPTED: 3_000}
    assert ledger.urls(SITE, first.pages[:2]) == [f"{SITE}/p02999", f"{SITE}/p02998"]
    assert len(list(ledger.page_log(LogFilter()))) == 3_000


# ---------------------------------------------------------------- withdrawals


def withdrawal(sitemap: str = MAP) -> Action:
    return replace(sitemap_action(sitemap), kind=Kind.WITHDRAWAL, content="")


def told_sitemap(ledger: SqlLedger, lease: Lease) -> None:
    action = sitemap_action()
    settle(ledger, lease, claim(ledger, lease, action), action)
    ledger.record_checks(lease, SITE, "gsc", [Check("p", MAP)], at=NOW)


def test_a_withdrawn_sitemap_is_as_if_it_had_never_been_told(
    ledger: SqlLedger, lease: Lease
) -> None:
    told_sitemap(ledger, lease)
    settle(ledger, lease, claim(ledger, lease, withdrawal()), withdrawal())
    assert ledger.sitemap_standings() == {}
    [status] = ledger.statuses()
    assert (status.sitemap, status.standing, status.check) == (MAP, None, None)
    assert [row.kind for row in ledger.log(LogFilter())] == ["sitemap", "withdrawal"]
    assert list(ledger.page_log(LogFilter())) == []


@pytest.mark.parametrize("state", [State.FAILED, State.REJECTED, State.UNKNOWN, None])
def test_a_withdrawal_that_came_to_nothing_leaves_the_sitemap_as_it_was(
    ledger: SqlLedger, lease: Lease, state: State | None
) -> None:
    told_sitemap(ledger, lease)
    before = ledger.sitemap_standings()
    if state is None:
        ledger.defer(lease, withdrawal(), not_before=NOW + HOUR, reason="deadline")
    else:
        settle(ledger, lease, claim(ledger, lease, withdrawal()), withdrawal(), state)
    assert ledger.sitemap_standings() == before


def test_a_withdrawal_of_a_dead_run_is_unknown_and_the_sitemap_stands(
    ledger: SqlLedger, lease: Lease
) -> None:
    told_sitemap(ledger, lease)
    claim(ledger, lease, withdrawal())
    new = ledger.acquire("run", "next", ttl_s=60, now=NOW + DAY)
    assert ledger.recover(new, now=NOW + DAY, not_before={}) == 1
    assert sitemap_standing(ledger).state is State.ACCEPTED
    assert [row.state for row in ledger.log(LogFilter())] == ["accepted", "unknown"]
