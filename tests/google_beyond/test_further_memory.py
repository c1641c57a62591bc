"""What a ledger promises about withdrawals and inspections; the twin and the real one alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta

import pytest

from submitter.core.calls import Action, Check, Outcome
from submitter.core.fleet import FirstRun
from submitter.core.inspection import IndexState, Inspected, Inspection, ListedPage
from submitter.core.looks import DocumentKind, PageRow, TellRule
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.errors import LeaseLost, LedgerError
from submitter.ledger import open_ledger
from submitter.ports import DocumentResult, InspectionBook, Lease, Ledger, LogFilter
from support.further_ledger import FurtherLedger

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SITE, ACCOUNT, PROPERTY = "https://shop.example.com", "gsc", "sc-domain:example.com"
MAP = f"{SITE}/sitemap.xml"
TARGET = (SITE, ACCOUNT)
PAGES = [
    ListedPage(SITE, f"{SITE}/new/1", "new", int(NOW.timestamp()), 1_700_000_000),
    ListedPage(SITE, f"{SITE}/2", "", int(NOW.timestamp())),
]


@pytest.fixture(params=["twin", "ledger"])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    with ExitStack() as stack:
        real = open_ledger("sqlite:///:memory:")
        stack.callback(real.close)
        yield real if request.param == "ledger" else FurtherLedger(real, PAGES)


@pytest.fixture
def lease(ledger: Ledger) -> Lease:
    return ledger.acquire("run", "owner", ttl_s=600, now=NOW)


def action(kind: Kind, property: str = PROPERTY) -> Action:
    return Action(SITE, ACCOUNT, "google", property, kind, MAP, "r", "c")


def call(
    ledger: Ledger,
    lease: Lease,
    kind: Kind,
    state: State | None = State.ACCEPTED,
    at: datetime = NOW,
) -> int:
    """A call from intent to outcome; None leaves it in flight."""
    asked = action(kind)
    attempt = ledger.claim(lease, asked, run="r", number=1, at=at, allowance=None)
    if state is not None:
        end = Outcome(state, state, http_status=204, message="m")
        ledger.settle(lease, attempt, asked, end, at=at, allowance=None)
    return attempt


def standing(ledger: Ledger) -> State | None:
    found = ledger.sitemap_standings().get(TARGET, {}).get(MAP)
    return found.state if found else None


# ---------------------------------------------------------------- withdrawals


@pytest.mark.parametrize("state", [State.ACCEPTED, State.ALREADY])
def test_what_is_withdrawn_stands_no_more_and_its_history_stays(
    ledger: Ledger, lease: Lease, state: State
) -> None:
    call(ledger, lease, Kind.SITEMAP)
    call(ledger, lease, Kind.WITHDRAWAL, state, NOW + timedelta(hours=1))
    assert standing(ledger) is None
    rows = [(row.kind, row.state, row.target) for row in ledger.log(LogFilter())]
    assert rows == [("sitemap", "accepted", MAP), ("withdrawal", state, MAP)]


@pytest.mark.parametrize("state", [State.FAILED, State.UNKNOWN, State.REJECTED, State.DEFERRED])
def test_what_was_not_taken_out_stands_as_before(
    ledger: Ledger, lease: Lease, state: State
) -> None:
    call(ledger, lease, Kind.SITEMAP)
    call(ledger, lease, Kind.WITHDRAWAL, state, NOW + timedelta(hours=1))
    assert standing(ledger) is State.ACCEPTED


def test_the_intent_alone_changes_nothing(ledger: Ledger, lease: Lease) -> None:
    call(ledger, lease, Kind.SITEMAP)
    call(ledger, lease, Kind.WITHDRAWAL, None)
    assert standing(ledger) is State.ACCEPTED
    states = [row.state for row in ledger.log(LogFilter()) if row.kind == Kind.WITHDRAWAL]
    assert states == ["sending"]


def test_a_sitemap_submitted_again_stands_again(ledger: Ledger, lease: Lease) -> None:
    call(ledger, lease, Kind.SITEMAP)
    call(ledger, lease, Kind.WITHDRAWAL, at=NOW + timedelta(hours=1))
    call(ledger, lease, Kind.SITEMAP, at=NOW + timedelta(hours=2))
    assert standing(ledger) is State.ACCEPTED


def test_a_withdrawal_of_what_was_never_told_is_a_row_like_any_other(
    ledger: Ledger, lease: Lease
) -> None:
    call(ledger, lease, Kind.WITHDRAWAL)
    assert standing(ledger) is None
    assert [row.kind for row in ledger.log(LogFilter(targets=frozenset({TARGET})))] == [
        "withdrawal"
    ]


def test_a_dead_runs_withdrawal_becomes_unknown_and_the_sitemap_stands(
    ledger: Ledger, lease: Lease
) -> None:
    call(ledger, lease, Kind.SITEMAP)
    call(ledger, lease, Kind.WITHDRAWAL, None)
    ledger.release(lease)
    later = NOW + timedelta(hours=1)
    second = ledger.acquire("run", "another", ttl_s=600, now=later)
    assert ledger.recover(second, now=later, not_before={}) == 1
    assert standing(ledger) is State.ACCEPTED
    states = [row.state for row in ledger.log(LogFilter()) if row.kind == Kind.WITHDRAWAL]
    assert states == ["unknown"]


def test_a_withdrawal_that_is_not_begun_leaves_nothing(ledger: Ledger, lease: Lease) -> None:
    call(ledger, lease, Kind.SITEMAP)
    ledger.defer(lease, action(Kind.WITHDRAWAL), not_before=NOW, reason="deadline")
    assert standing(ledger) is State.ACCEPTED
    assert len(list(ledger.log(LogFilter()))) == 1


def test_a_settled_withdrawal_cannot_be_settled_again(ledger: Ledger, lease: Lease) -> None:
    attempt = call(ledger, lease, Kind.WITHDRAWAL)
    end = Outcome(State.FAILED, State.FAILED)
    with pytest.raises(LedgerError):
        ledger.settle(lease, attempt, action(Kind.WITHDRAWAL), end, at=NOW, allowance=None)


# ---------------------------------------------------------------- inspections


def book(ledger: Ledger) -> InspectionBook:
    assert isinstance(ledger, InspectionBook)
    return ledger


def inspected(url: str, at: datetime = NOW, account: str = ACCOUNT) -> Inspected:
    found = Inspection(
        property=PROPERTY,
        url=url,
        state=IndexState.CRAWLED,
        reason="Excluded by ‘noindex’ tag",
        verdict="NEUTRAL",
        last_crawled=NOW - timedelta(days=2),
        robots_txt="ALLOWED",
        indexing="BLOCKED_BY_META_TAG",
        fetch="SUCCESSFUL",
        page_canonical=url,
    )
    return Inspected(SITE, account, "new", at, found)


def test_inspections_come_back_as_they_went_in_oldest_first(ledger: Ledger, lease: Lease) -> None:
    late, early = inspected(f"{SITE}/1", NOW), inspected(f"{SITE}/2", NOW - timedelta(hours=1))
    book(ledger).record_inspections(lease, [late, early])
    assert book(ledger).inspections(ACCOUNT, since=NOW - timedelta(days=1)) == [early, late]


def test_only_this_accounts_and_from_that_moment_on(ledger: Ledger, lease: Lease) -> None:
    rows = [
        inspected(f"{SITE}/1", NOW - timedelta(microseconds=1)),
        inspected(f"{SITE}/2"),
        inspected(f"{SITE}/3", account="another"),
    ]
    book(ledger).record_inspections(lease, rows)
    assert book(ledger).inspections(ACCOUNT, since=NOW) == [rows[1]]


def test_a_page_keeps_every_answer_about_it(ledger: Ledger, lease: Lease) -> None:
    rows = [inspected(f"{SITE}/1", NOW + timedelta(days=n)) for n in range(3)]
    for row in rows:
        book(ledger).record_inspections(lease, [row])
    assert book(ledger).inspections(ACCOUNT, since=NOW) == rows


def test_what_was_not_said_stays_unsaid(ledger: Ledger, lease: Lease) -> None:
    found = Inspection(PROPERTY, f"{SITE}/1", IndexState.UNCLEAR)
    row = Inspected(SITE, ACCOUNT, "", NOW, found)
    book(ledger).record_inspections(lease, [row])
    assert book(ledger).inspections(ACCOUNT, since=NOW) == [row]


def test_pages_listed_now_are_streamed_each_once(ledger: Ledger, lease: Lease) -> None:
    look_at(ledger, lease)
    ledger.adopt_pages(
        lease, SITE, account=ACCOUNT, pages=[PageRow(f"{SITE}/9", f"{SITE}/9", None)], at=NOW
    )
    assert sorted(book(ledger).listed_pages([SITE])) == sorted(PAGES)
    assert list(book(ledger).listed_pages(["https://other.example.com"])) == []


def look_at(ledger: Ledger, lease: Lease) -> None:
    """One look that lists the two pages, one of them in two documents."""
    rows = [PageRow(page.loc, page.loc, page.lastmod, page.section) for page in PAGES]
    rule = TellRule(ACCOUNT, FirstRun.ALL, 30, True, False)
    look = ledger.look(lease, SITE, tell=[rule], at=NOW)
    for url, listed in ((MAP, rows), (f"{SITE}/more.xml", rows[:1])):
        sink = look.open(url)
        sink.add(listed)
        sink.close(DocumentResult(DocumentKind.URLSET, True, "b", "c"))
    look.finish(gone_after=1, complete=True)


def test_a_real_ledger_asks_for_the_lease_and_forgets_gone_pages() -> None:
    with closing(open_ledger("sqlite:///:memory:")) as real:
        lease = real.acquire("run", "owner", ttl_s=600, now=NOW)
        look_at(real, lease)
        real.look(lease, SITE, tell=[], at=NOW).finish(gone_after=1, complete=True)
        assert list(book(real).listed_pages([SITE])) == []
        real.release(lease)
        real.acquire("run", "another", ttl_s=600, now=NOW)
        with pytest.raises(LeaseLost):
            book(real).record_inspections(lease, [inspected(f"{SITE}/1")])


def test_what_is_withdrawn_has_no_check_any_more() -> None:
    with closing(open_ledger("sqlite:///:memory:")) as real:
        lease = real.acquire("run", "owner", ttl_s=600, now=NOW)
        call(real, lease, Kind.SITEMAP)
        real.record_checks(lease, SITE, ACCOUNT, [Check(PROPERTY, MAP)], at=NOW)
        call(real, lease, Kind.WITHDRAWAL)
        (status,) = real.statuses()
        assert (status.sitemap, status.standing, status.check) == (MAP, None, None)
