"""The book that the dashboard reads: its sums are the log's rows, on every kind of ledger."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from ledger_samples import DAY, MAP, NOW, SITE, claim, page, settle, sitemap_action, tell
from ledger_samples import look_at as look

from submitter.core.calls import Check
from submitter.core.fleet import Account, Fleet, Site
from submitter.core.health import Health, told_pages, waiting_pages
from submitter.core.looks import RootLook
from submitter.core.report import CallFilter, CallSum
from submitter.core.states import State
from submitter.ledger.ledger import SqlLedger
from submitter.ledger.schema_crawls import crawl_day, crawler
from submitter.ports import KeepsReports, Lease
from submitter.stories.reporting import Scope, gather
from submitter.wiring import TRAITS

OTHER = "https://blog.example.com"
OTHER_MAP = f"{OTHER}/sitemap.xml"


@pytest.fixture
def told(ledger: SqlLedger, lease: Lease) -> SqlLedger:
    """Two sites, three days: pages told, one sitemap told twice, another one failing."""
    ledger.start_run("r1", inventory_sha256="f" * 64, at=NOW - 2 * DAY)
    look(ledger, lease, {MAP: [page("a"), page("b")]}, at=NOW - 2 * DAY)
    tell(ledger, lease, now=NOW - DAY)
    for back, content in ((2, "one"), (0, "two")):
        action = sitemap_action(content=content)
        settle(
            ledger, lease, claim(ledger, lease, action, at=NOW - back * DAY), action,
            at=NOW - back * DAY,
        )  # fmt: skip
    failing = sitemap_action(OTHER_MAP, site=OTHER)
    for number in (1, 2):
        call = claim(ledger, lease, failing, number=number)
        settle(
            ledger, lease, call, failing, State.FAILED, http_status=403, code="forbidden",
            message="no permission", cause="property-missing",
        )  # fmt: skip
    check = Check("sc-domain:example.com", MAP, last_downloaded=NOW - DAY, urls_submitted=5)
    ledger.record_checks(lease, SITE, "gsc", [check], at=NOW)
    return ledger


def test_calls_are_given_page_by_page_newest_first(told: SqlLedger) -> None:
    book = told.reports
    first = book.calls(CallFilter(), limit=2)
    rest = book.calls(CallFilter(), before=first[-1].id, limit=10)
    ids = [row.id for row in (*first, *rest)]
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == book.call_totals(CallFilter()).calls == 5
    assert book.newest_call() == ids[0]


@pytest.mark.parametrize(
    ("which", "count"),
    [
        (CallFilter(site=OTHER), 2),
        (CallFilter(account="gsc", states=("accepted",)), 2),
        (CallFilter(states=("accepted", "failed")), 5),
        (CallFilter(engine="google", kind="sitemap"), 4),
        (CallFilter(cause="property-missing", code="forbidden"), 2),
        (CallFilter(cause=""), 3),
        (CallFilter(since=NOW), 3),
        (CallFilter(until=NOW - DAY), 1),
        (CallFilter(since=NOW - DAY, until=NOW), 1),
        (CallFilter(run="r1"), 5),
        (CallFilter(run="r2"), 0),
        (CallFilter(property="shop.example.com"), 1),
        (CallFilter(targets=frozenset({(SITE, "gsc")})), 2),
        (CallFilter(targets=frozenset()), 0),
    ],
)
def test_a_filter_lets_through_what_it_says(told: SqlLedger, which: CallFilter, count: int) -> None:
    assert told.reports.call_totals(which).calls == count
    assert len(told.reports.calls(which, limit=10)) == count


@pytest.mark.parametrize("each", [1, 2, 50])
def test_the_newest_of_each_target_are_found(told: SqlLedger, each: int) -> None:
    found = told.reports.newest_calls(each)
    everything = list(reversed(told.reports.calls(CallFilter(), limit=100)))
    expected = []
    for target in {(row.site, row.account) for row in everything}:
        rows = [row for row in everything if (row.site, row.account) == target]
        expected += rows[-each:]
    assert found == sorted(expected, key=lambda row: row.id)
    only = told.reports.newest_calls(each, targets=frozenset({(OTHER, "gsc")}))
    assert {row.site for row in only} == {OTHER}


def test_sums_are_the_rows_of_the_log(told: SqlLedger) -> None:
    book, since = told.reports, NOW - 30 * DAY
    rows = book.calls(CallFilter(), limit=100)
    by_state = Counter(row.state for row in rows)
    sums, beats = book.call_sums(since), book.beat_sums(since)
    for many in (sums, beats):
        summed: Counter[str] = Counter()
        for one in many:
            summed[one.state] += one.calls
        assert summed == by_state
    assert sums[0] == CallSum((NOW - 2 * DAY).date(), "gsc", "google", "sitemap", "accepted", 1, 0)
    assert sum(one.pages for one in sums) == 2
    assert book.call_sums(NOW + DAY) == []


def test_troubles_are_grouped_by_cause(told: SqlLedger) -> None:
    [cause] = told.reports.cause_sums(NOW - 30 * DAY)
    assert (cause.calls, cause.targets, cause.cause) == (2, 1, "property-missing")
    assert (cause.message, cause.last_at) == ("no permission", NOW)


def test_a_run_has_the_sum_of_its_calls(told: SqlLedger) -> None:
    told.start_run("r2", inventory_sha256="e" * 64, at=NOW)
    newest, first = told.reports.run_sums(10)
    assert (newest.run, newest.calls, newest.good) == ("r2", 0, 0)
    assert (first.run, first.calls, first.good, first.finished_at) == ("r1", 5, 3, None)
    assert len(told.reports.run_sums(1)) == 1


def test_a_sitemap_is_unread_from_its_first_telling_after_the_reading(
    told: SqlLedger, lease: Lease
) -> None:
    assert told.reports.first_tellings() == {(SITE, "gsc", MAP): NOW}
    never = Check("sc-domain:example.com", MAP, last_downloaded=None)
    told.record_checks(lease, SITE, "gsc", [never], at=NOW)
    assert told.reports.first_tellings() == {(SITE, "gsc", MAP): NOW - 2 * DAY}
    read = Check("sc-domain:example.com", MAP, last_downloaded=NOW + DAY)
    told.record_checks(lease, SITE, "gsc", [read], at=NOW + 2 * DAY)
    assert told.reports.first_tellings() == {}


def test_sites_and_their_pages_are_counted(told: SqlLedger) -> None:
    shop = next(one for one in told.reports.site_sums() if one.site == SITE)
    assert (shop.listed, shop.looked_at, shop.complete) == (2, NOW - 2 * DAY, True)
    blog = next(one for one in told.reports.site_sums() if one.site == OTHER)
    assert (blog.listed, blog.looked_at) == (0, None)
    [day] = told.reports.page_day_sums(NOW - 30 * DAY)
    assert (day.day, day.new, day.changed, day.gone) == ((NOW - 2 * DAY).date(), 2, 0, 0)
    assert told.reports.document_troubles(10) == []
    engines = told.reports.target_engines()
    assert engines[SITE, "indexnow"] == ("indexnow", "shop.example.com")


def test_looks_and_documents_are_listed(told: SqlLedger, lease: Lease) -> None:
    told.record_roots(lease, SITE, [RootLook(MAP, True, "c", NOW, 2, False)])
    [one] = told.reports.looks(NOW - 30 * DAY, 10)
    assert (one.site, one.at, one.new, one.changed, one.gone) == (SITE, NOW - 2 * DAY, 2, 0, 0)
    assert told.reports.looks(NOW - DAY, 10) == []
    [document] = told.reports.documents(10)
    assert (document.site, document.sitemap, document.url) == (SITE, MAP, MAP)
    assert (document.kind, document.pages) == ("urlset", 2)


def test_pages_of_a_target_are_those_that_its_counts_count(told: SqlLedger, lease: Lease) -> None:
    look(told, lease, {MAP: [page("a"), page("b"), page("c"), page("d")]}, at=NOW)
    standings = told.page_standings(NOW)
    seen = 0
    for (site, account), standing in standings.items():
        sums = {"told": told_pages(standing), "waiting": waiting_pages(standing)}
        sums |= {state.value: count for state, count in standing.counts.items()}
        for state, count in sums.items():
            found = told.reports.pages(site, account, state, limit=100)
            assert len(found) == count, (site, account, state)
            assert all(one.loc.startswith(site) for one in found)
            seen += count
            if count:
                after = found[0].id
                rest = told.reports.pages(site, account, state, after=after, limit=100)
                assert rest == found[1:]
    assert seen > 2
    assert told.reports.pages("https://nowhere.example", "gsc", "told", limit=1) == []


def test_crawls_are_added_up(told: SqlLedger) -> None:
    with told._database.transaction() as tx:
        site_id = 1
        tx.execute(crawler.insert(), id=7, name="Googlebot", kind="search")
        for back in (0, 1, 40):
            tx.execute(
                crawl_day.insert(), site_id=site_id, day=(NOW - back * DAY).date(),
                section="new", crawler_id=7, hits=13, claimed=4, verified=6, contradicted=3,
                listed_hits=9, client_errors=1, server_errors=1, last_at=NOW - back * DAY,
            )  # fmt: skip
    since = (NOW - 27 * DAY).date()
    [one] = told.reports.crawl_sums(since)
    assert (one.hits, one.verified, one.listed_hits, one.errors) == (20, 12, 18, 4)
    assert one.contradicted == 6
    assert one.last_at == NOW
    assert told.reports.site_crawl_sums(since, one.site) == [one]
    assert told.reports.site_crawl_sums(since, "https://nowhere.example") == []
    days = told.reports.crawl_day_sums(since)
    assert [(day.day, day.kind, day.hits, day.contradicted) for day in days] == [
        ((NOW - DAY).date(), "search", 10, 3),
        (NOW.date(), "search", 10, 3),
    ]


def test_a_whole_report_is_gathered(told: SqlLedger) -> None:
    assert isinstance(told, KeepsReports)
    accounts = {"gsc": Account("gsc", "google", None)}
    sites = tuple(Site(origin.partition("://")[2], accounts=("gsc",)) for origin in (SITE, OTHER))
    scope = Scope(Fleet("f", "", accounts, sites), TRAITS, lambda target: target.site.origin)
    report = gather(told, told.reports, scope, now=NOW + timedelta(hours=1))
    health = {(one.site, one.account): one.health for one in report.targets}
    assert health == {
        (SITE, "gsc"): Health.ACCEPTED,
        (OTHER, "gsc"): Health.FAILING,
        (SITE, "indexnow"): Health.RETIRED,
    }
    assert [one.unread_since for one in report.sitemaps if one.site == SITE] == [NOW]
