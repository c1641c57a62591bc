"""`submitter audit` as a person or a build server calls it, against a fleet on this machine."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from paper_web import entry, urlset

from submitter.cli.exits import run
from submitter.sandbox import Sandbox, Section
from submitter.sandbox.fleet_site import FleetSite

HOST, OTHER = "shop.fleet.test", "www.fleet.test"
S = f"http://{HOST}"
MAP = f"{S}/sitemap-products-1.xml"


@dataclass
class Town:
    """A sandbox with two sites, and an inventory of them in the working directory."""

    sandbox: Sandbox
    shop: FleetSite
    path: Path

    def write(self, **of_shop: object) -> None:
        hosts = {f"{host}:80": self.sandbox.address for host in (HOST, OTHER)}
        google = f"{self.sandbox.base_url}/google"
        document: dict[str, object] = {
            "version": 1,
            "name": "town",
            "ledger": "sqlite:///town.db",
            "accounts": {
                "gsc": {"engine": "google", "credentials": "env:GSC_KEY", "endpoint": google}
            },
            "defaults": {"scheme": "http", "accounts": ["gsc"]},
            "fetch": {"connect_to": hosts},
            "sites": [
                {
                    "domain": "fleet.test",
                    "google_property": "domain",
                    "allow_private": ["127.0.0.0/8"],
                    "subdomains": [{"host": "shop", **of_shop}, {"host": "www", "accounts": []}],
                }
            ],
        }
        self.path.write_text(yaml.safe_dump(document), encoding="utf-8")


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Town]:
    for name in ("SUBMITTER_INVENTORY", "SUBMITTER_LEDGER", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    with Sandbox() as sandbox:
        shop = sandbox.fleet.add_site(HOST, Section("products", 30))
        sandbox.fleet.add_site(OTHER, Section("news", 5))
        account = sandbox.google.add_account()
        sandbox.google.grant(account.email, "sc-domain:fleet.test")
        monkeypatch.setenv("GSC_KEY", json.dumps(sandbox.google.key_file(account.email)))
        town = Town(sandbox, shop, tmp_path / "inventory.yaml")
        town.write()
        yield town


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def submitter(*words: str) -> tuple[int, str]:
        code = run(list(words))
        return int(code), capsys.readouterr().out

    return submitter


def in_json(answer: tuple[int, str]) -> tuple[int, Any]:
    return answer[0], json.loads(answer[1])


def test_the_fleet_in_good_order_is_clean(town: Town, call: Call) -> None:
    code, report = in_json(call("audit", "--json"))
    assert code == report["exit_code"] == 0
    assert [(one["site"], one["checked"]) for one in report["sites"]] == [
        (S, 30),
        (f"http://{OTHER}", 5),
    ]
    assert {one["id"] for one in report["findings"]} == {"no-crawler-data"}


def test_a_selection_is_kept_and_one_that_matches_nothing_is_said(town: Town, call: Call) -> None:
    code, report = in_json(call("audit", "--site", OTHER, "--json"))
    assert (code, [one["site"] for one in report["sites"]]) == (0, [f"http://{OTHER}"])
    assert call("audit", "--site", "nowhere*", "--json")[0] == 7


WRONG = [
    ("--pages", "some"),
    ("--pages", "sample:0"),
    ("--baseline", "missing.json"),
    ("--list", "missing.txt"),
    (MAP, "--site", HOST),
]


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_call_is_refused_before_anything_is_fetched(
    words: tuple[str, ...], town: Town, call: Call
) -> None:
    assert call("audit", *words, "--json")[0] == 2


def test_errors_decide_the_exit_code_until_they_are_known(town: Town, call: Call) -> None:
    town.shop.put(town_page(town), "<title>404 not found</title>", "text/html")
    assert call("audit", "--site", HOST)[0] == 4
    assert call("audit", "--site", HOST, "--write-baseline", "known.json")[0] == 4
    code, report = in_json(call("audit", "--site", HOST, "--baseline", "known.json", "--json"))
    assert code == 0
    assert [one["known"] for one in report["findings"] if one["id"] == "page-soft-404"] == [True]


def town_page(town: Town) -> str:
    (first, *_) = town.shop.change_pages(1)
    return first.removeprefix(S)


def test_warnings_fail_only_where_they_are_asked_to(town: Town, call: Call) -> None:
    town.shop.redirect(town_page(town), "/elsewhere/")
    town.shop.put("/elsewhere/", "<title>Here</title>", "text/html")
    assert call("audit", MAP, "--allow-private", "127.0.0.0/8")[0] == 0
    assert call("audit", MAP, "--fail-on", "warning")[0] == 4


def test_each_format_is_what_it_says(town: Town, call: Call) -> None:
    town.shop.redirect(town_page(town), "/")
    words = ("audit", "--site", HOST, "--format")
    assert json.loads(call(*words, "sarif")[1])["version"] == "2.1.0"
    junit = call(*words, "junit")[1].removeprefix('<?xml version="1.0" encoding="UTF-8"?>')
    assert ElementTree.fromstring(junit).get("failures") == "1"  # noqa: S314 # made by us
    assert "| error | `redirect-to-home` | 1 |" in call(*words, "markdown")[1]
    code, text = call(*words, "text")
    assert code == 4
    assert "error: redirect-to-home, 1x" in text


def test_a_file_is_audited_by_its_own_name(town: Town, call: Call) -> None:
    path = Path("mine.xml")
    text = urlset(f"<url><lastmod>2026-11-20</lastmod><loc>{S}/a</loc></url>")
    path.write_text(text, encoding="utf-8")
    code, report = in_json(call("audit", "mine.xml", "--pages", "none", "--json"))
    (document,) = report["documents"]
    assert (code, document["url"], document["delivery"]) == (0, "mine.xml", None)
    assert [one["where"] for one in document["findings"]] == ["mine.xml line 1"]
    call("audit", "mine.xml", "--pages", "none", "--write-baseline", "known.json")
    words = ("--pages", "none", "--baseline", "known.json", "--fail-on", "warning")
    assert call("audit", "mine.xml", *words)[0] == 0


def test_stdin_is_audited_too(town: Town, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    text = urlset(entry(f"{S}/a", "2026-11-20T10:00:00"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, report = in_json(call("audit", "-", "--pages", "none", "--json"))
    assert code == 4
    assert [one["id"] for one in report["documents"][0]["findings"]] == ["lastmod-without-zone"]


def test_a_publish_list_is_compared_as_build_reads_it(town: Town, call: Call) -> None:
    lines = f'{{"url": "{S}/not-there"}}\n{{"url": "{S}/p0", "draft": true}}\n'
    Path("list.jsonl").write_text(lines, encoding="utf-8")
    words = ("--list", "list.jsonl", "--pages", "none", "--site", HOST, "--json")
    code, report = in_json(call("audit", *words))
    counts = {one["id"]: one["count"] for one in report["findings"]}
    assert code == 4
    listed = counts["not-published"] + counts.get("not-public", 0)
    assert (counts["not-listed"], listed) == (1, 30)


def test_a_publish_list_may_come_from_a_database(town: Town, call: Call) -> None:
    with closing(sqlite3.connect("shop.db")) as connection, connection:
        connection.execute("create table page (url text, public integer)")
        rows = [(f"{S}/not-there", 1), (f"{S}/hidden", 0)]
        connection.executemany("insert into page values (?, ?)", rows)
    words = ("--list", "sqlite:///shop.db", "--query", "select url, public from page")
    _, report = in_json(call("audit", *words, "--pages", "none", "--site", HOST, "--json"))
    counts = {one["id"]: one["count"] for one in report["findings"]}
    assert counts["not-listed"] == 1


@pytest.mark.parametrize(
    "words", [("--query", "select 1"), ("--csv",), ("--keep-parameter", "sort")]
)
def test_what_is_said_of_a_list_needs_one(town: Town, call: Call, words: tuple[str, ...]) -> None:
    assert call("audit", *words)[0] == 2


def test_a_list_without_a_row_is_a_matter_of_configuration(town: Town, call: Call) -> None:
    Path("list.txt").write_text(f"{S}/page\n", encoding="utf-8")
    assert call("audit", "--list", "list.txt", "--pages", "none", "--site", HOST)[0] == 2


def test_a_deadline_leaves_work_that_resume_does(town: Town, call: Call) -> None:
    code, report = in_json(call("audit", "--deadline", "0.000001", "--json"))
    assert code == report["exit_code"] == 6
    assert len(report["unaudited"]) == 2
    assert call("audit", "--resume")[0] == 0


def test_dates_are_remembered_between_two_calls(town: Town, call: Call) -> None:
    call("audit", "--site", HOST, "--pages", "all")
    town.shop.change_pages(12)  # new dates; the pages stay as they are
    code, report = in_json(call("audit", "--site", HOST, "--pages", "all", "--json"))
    (document,) = [one for one in report["documents"] if one["url"] == MAP]
    assert code == 4
    assert document["trust"] == {"checked": 30, "borne_out": 18, "share": 0.6}
    assert {one["id"]: one["count"] for one in report["findings"]}["lastmod-unfounded"] == 12


def test_a_run_refuses_a_site_whose_audit_found_errors(town: Town, call: Call) -> None:
    town.write(audit={"on_run": "refuse"})
    town.shop.redirect(town_page(town), "/")
    assert call("audit", "--site", HOST)[0] == 4
    code, report = in_json(call("run", "--json"))
    assert (code, report["outcome"]) == (3, "held")
    assert [skip["reason"] for skip in report["skips"]] == ["audit"]
    assert report["targets"][0]["findings"][0]["id"] == "audit-errors"
    town.write(audit={"on_run": "refuse", "off": ["redirect-to-home"]})
    assert call("run", "--json")[0] == 0


def test_a_run_warns_where_it_is_told_to(town: Town, call: Call) -> None:
    town.write(audit={"on_run": "warn"})
    town.shop.redirect(town_page(town), "/")
    call("audit", "--site", HOST)
    code, report = in_json(call("run", "--json"))
    (finding, *_) = report["targets"][0]["findings"]
    assert (code, finding["id"], finding["severity"]) == (0, "audit-errors", "warning")


def test_an_id_that_is_none_is_refused_with_the_nearest(town: Town, call: Call) -> None:
    town.write(audit={"off": ["page-mising"]})
    code, report = in_json(call("audit", "--json"))
    assert code == 2
    assert "did you mean 'page-missing'?" in report["error"]["message"]
