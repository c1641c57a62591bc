"""The live dashboard over HTTP: who gets in, what is where, and that it never holds up a run."""

from __future__ import annotations

import csv
import http.client
import io
import json
import logging
from collections import Counter
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

import pytest
from painted_ledger import HOSTILE, NOW, Painted, Painting, open_painted

from submitter.core.report import CallFilter
from submitter.dashboard.guard import Guard, host_of, is_loopback

TOKEN = "a-token-that-nobody-guesses"
SITE = "https://news.example.com"


class Got:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.body = response.status, response.read().decode()
        self.headers = response.headers


def ask(
    address: str, path: str, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> Got:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    try:
        connection.request(method, path, headers=dict(headers or {}))
        return Got(connection.getresponse())
    finally:
        connection.close()


# ---------------------------------------------------------------- what is where


def test_the_home_page_is_the_report_live(address: str) -> None:
    got = ask(address, "/")
    assert got.status == 200
    assert "painted-fleet" in got.body
    assert f'href="/site/{quote(SITE, safe="")}"' in got.body
    assert '"live":true' in got.body


def test_a_site_has_a_page_with_its_calls_in_the_engines_words(address: str) -> None:
    got = ask(address, f"/site/{quote(SITE, safe='')}")
    assert got.status == 200
    assert "sitemap-index.xml" in got.body
    assert "taken" in got.body
    assert ask(address, "/site/https%3A%2F%2Fnowhere.example").status == 404


def test_a_filtered_log_holds_the_rows_that_a_number_sums(address: str, painted: Painted) -> None:
    for one in painted.report().causes:
        query = f"state={one.state}&account={one.account}&cause={one.cause or ''}"
        got = ask(address, f"/log?{query}&code={quote(one.code or '')}&since=2026-09-02")
        assert f'<span class="count">{one.calls:,}</span>' in got.body


def test_a_long_log_has_pages(address: str) -> None:
    path, seen = "/log?account=gsc", 0
    for _ in range(20):
        got = ask(address, path)
        seen += got.body.count('"k-time"') > 0
        older = got.body.partition('class="pager"><a href="')[2].partition('"')[0]
        if not older:
            break
        path = older.replace("&amp;", "&")
    assert seen == -(-24 * 60 // 200)


@pytest.mark.parametrize(
    "query", ["since=soon", "day=2026-13-01", "state=fine", "before=-1", "before=x"]
)
def test_an_address_that_makes_no_sense_is_said(address: str, query: str) -> None:
    assert ask(address, f"/log?{query}").status == 400


def test_every_table_is_there_as_json_and_csv(address: str) -> None:
    rows = json.loads(ask(address, "/data/targets.json").body)["rows"]
    lines = list(csv.DictReader(io.StringIO(ask(address, "/data/targets.csv").body)))
    assert len(rows) == len(lines) == 72
    assert [row["site"] for row in rows] == [line["site"] for line in lines]
    assert ask(address, "/data/secrets.json").status == 404


@pytest.mark.parametrize("name", ["secrets.json", "targets.xml", "secrets.csv", ""])
def test_data_that_are_not_there_are_answered_with_what_is(address: str, name: str) -> None:
    got = ask(address, f"/data/{name}")
    assert got.status == 404
    assert len(got.body) < 1_000
    if name.endswith(".json"):
        known = json.loads(got.body)["tables"]
    else:
        known = got.body.strip().rstrip(".").partition("Tables: ")[2].split(", ")
    assert {"targets", "log", "alerts"} <= set(known)
    for table in known:
        assert ask(address, f"/data/{table}.json").status == 200


@pytest.mark.parametrize(("name", "body"), [("log.json", "{"), ("log.csv", "This address")])
def test_a_question_of_a_program_that_makes_no_sense_is_answered_in_its_form(
    address: str, name: str, body: str
) -> None:
    got = ask(address, f"/data/{name}?since=soon")
    assert got.status == 400
    assert got.body.startswith(body)


def test_calls_as_data_go_on_where_the_last_answer_ended(address: str) -> None:
    ids: list[int] = []
    before = ""
    for _ in range(10):
        got = json.loads(ask(address, f"/data/log.json?state=failed&limit=50{before}").body)
        if not got["rows"]:
            break
        ids += [row["id"] for row in got["rows"]]
        before = f"&before={ids[-1]}"
    assert ids == sorted(set(ids), reverse=True)
    assert len(ids) == 2 * 60


def test_health_metrics_and_the_newest_call(address: str) -> None:
    assert ask(address, "/healthz").body == "ok\n"
    assert ask(address, "/metrics").body == "submitter_up 1\n"
    assert json.loads(ask(address, "/data/head.json").body) == {"head": 72 * 60}
    assert ask(address, "/nowhere").status == 404


# ---------------------------------------------------------------- who gets in


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost:8420", "localhost"),
        ("Shop.Example.com.", "shop.example.com"),
        ("[::1]:80", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("a:b", ""),
        ("[::1", ""),
        ("[::1]x", ""),
        ("", ""),
    ],
)
def test_a_host_header_is_read(header: str, host: str) -> None:
    assert host_of(header) == host


def test_only_loopback_needs_no_token() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("10.0.0.7")
    assert not is_loopback("dashboard.example.com")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_a_strange_name_is_not_answered(address: str, host: str) -> None:
    assert ask(address, "/", {"Host": host}).status == 421


def test_a_wildcard_answers_to_addresses_and_given_names_only() -> None:
    guard = Guard("0.0.0.0", frozenset({"board.example.com"}), TOKEN)
    assert guard.answers_to("10.1.2.3:8420")
    assert guard.answers_to("board.example.com")
    assert not guard.answers_to("rebound.example")


def test_a_token_opens_the_door_and_leaves_the_address(
    painted: Painted, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with open_painted(painted, Guard("127.0.0.1", token=TOKEN)) as address:
        for path in ("/", "/metrics", "/data/targets.json", "/log"):
            assert ask(address, path).status == 401
        assert ask(address, "/?token=wrong").status == 401
        assert ask(address, "/", {"Authorization": "Bearer wrong"}).status == 401
        assert ask(address, "/metrics", {"Authorization": f"Bearer {TOKEN}"}).status == 200
        welcome = ask(address, f"/log?state=failed&token={TOKEN}")
        assert (welcome.status, welcome.headers["Location"]) == (303, "/log?state=failed")
        cookie = welcome.headers["Set-Cookie"]
        assert TOKEN not in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert ask(address, "/log", {"Cookie": cookie.partition(";")[0]}).status == 200
        assert ask(address, "/", {"Cookie": "submitter-dashboard=forged"}).status == 401
        assert ask(address, "/healthz").status == 200
    assert TOKEN not in caplog.text


def test_a_welcome_leads_to_no_other_host(painted: Painted) -> None:
    with open_painted(painted, Guard("127.0.0.1", token=TOKEN)) as address:
        got = ask(address, f"//evil.example/x?token={TOKEN}")
    assert got.headers["Location"].startswith("/")
    assert not got.headers["Location"].startswith("//")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_reading_is_answered(address: str, method: str) -> None:
    got = ask(address, "/", method=method)
    assert (got.status, got.headers["Allow"]) == (405, "GET, HEAD")


def test_pages_are_not_kept_and_load_nothing(address: str) -> None:
    got = ask(address, "/log?account=gsc")
    assert got.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in got.headers["Content-Security-Policy"]
    assert got.headers["X-Frame-Options"] == "DENY"
    assert ask(address, "/log?account=gsc", method="HEAD").body == ""


def test_foreign_words_stay_words(address: str) -> None:
    got = ask(address, f"/log?site={quote(HOSTILE)}")
    assert got.status == 200
    assert "<script>alert" not in got.body
    assert HOSTILE not in got.body


# ---------------------------------------------------------------- beside a run


def test_a_run_writes_while_the_dashboard_reads(painted: Painted) -> None:
    """Between two rows of a report's questions a writer commits: readers hold no lock."""
    from submitter.ledger.opening import open_ledger

    reader = painted.ledger
    writer = open_ledger(painted.fleet.ledger)
    try:
        with reader._database.reading() as tx:
            from submitter.ledger import reporting

            before = reporting.newest_call(tx)
            lease = writer.acquire("run", "a run", ttl_s=60, now=NOW)
            writer.release(lease)
            assert reporting.newest_call(tx) == before
    finally:
        writer.close()


def test_the_sums_of_the_report_are_the_rows_of_the_log(painted: Painted) -> None:
    report, book = painted.report(), painted.ledger.reports
    rows = book.calls(CallFilter(since=report.since), limit=10_000)
    by_state = Counter(row.state for row in rows)
    summed: Counter[str] = Counter()
    for one in report.days:
        summed[one.state] += one.calls
    assert by_state == summed
    for line in report.targets:
        which = CallFilter(site=line.site, account=line.account)
        assert line.calls == min(28, book.call_totals(which).calls)


def test_a_painted_fleet_is_the_same_every_time(painted: Painted) -> None:
    assert Painting(sites=24).fleet(painted.fleet.ledger) == painted.fleet
