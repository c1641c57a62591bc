"""`submitter report`: numbers, alarms with their exit code, the webhook, metrics."""

from __future__ import annotations

import csv
import json
import os
import re
import stat
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from evidence_samples import DAY, HOUR, MAP, SITE, History

from submitter.cli.exits import run
from submitter.ledger.opening import open_ledger
from submitter.render.csv_text import csv_line

NOW = datetime.now(UTC).replace(microsecond=0)
SECRET = "T0000-B0000-thisisthesecretpath"
INVENTORY = """\
version: 1
name: fleet
ledger: sqlite:///ledger.db
accounts:
  gsc: {engine: google, credentials: adc}
  baidu: {engine: baidu, token: env:BAIDU_TOKEN}
defaults: {accounts: [gsc, baidu], sitemaps: ["https://{host}/sitemap.xml"]}
sites: [{domain: example.com, subdomains: [shop]}]
"""
PAGES = [f"new/{number}" for number in range(20)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where an inventory is, and a ledger with a history that is in order."""
    for name in ("SUBMITTER_INVENTORY", "SUBMITTER_LEDGER", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inventory.yaml").write_text(INVENTORY, encoding="utf-8")
    with_history(calm)
    return tmp_path


def with_history(step: Any) -> None:
    ledger = open_ledger("sqlite:///ledger.db")
    history = History(ledger)
    step(history)
    ledger.release(history.lease)
    ledger.close()


def calm(history: History) -> None:
    history.run(NOW - HOUR)
    history.logs(NOW - 21 * DAY, NOW - HOUR)
    history.look(PAGES, NOW - 20 * DAY)
    history.tell_sitemap(NOW - 20 * DAY + HOUR)
    history.check(NOW - 18 * DAY, NOW - 19 * DAY)
    history.tell_pages(PAGES[:4], NOW - 10 * DAY)
    history.crawl("Googlebot", {PAGES[0]: NOW - 20 * DAY + 3 * HOUR})
    history.crawl("Baiduspider", {PAGES[0]: NOW - 10 * DAY + 2 * HOUR})
    history.look(PAGES, NOW - HOUR)


def gone(history: History) -> None:
    history.miss(NOW - HOUR, "http-404")


def back(history: History) -> None:
    history.look(PAGES, NOW - HOUR / 2)


def printed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    assert run(["report", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_loop_is_closed_in_numbers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = printed(capsys)
    assert report["last_run"]["outcome"] == "ok"
    assert report["submissions"] == [
        {"account": "baidu", "engine": "baidu", "kind": "urls", "state": "accepted", "calls": 1,
         "pages": 4, "accepted": 4, "rejected": 0},
        {"account": "gsc", "engine": "google", "kind": "sitemap", "state": "accepted", "calls": 1,
         "pages": 1, "accepted": 1, "rejected": 0},
    ]  # fmt: skip
    assert report["sitemaps"] == [{"account": "gsc", "state": "fetched", "sitemaps": 1}]
    [lane] = report["lanes"]
    assert (lane["account"], lane["waiting"], lane["backlog_days"]) == ("baidu", 16, None)
    rows = {
        (one["engine"], one["goal"]): (one["sent"], one["reached"], one["open"], one["median_s"])
        for one in report["latencies"]
    }
    assert rows == {
        ("google", "download"): (1, 1, 0, 23 * 3_600 + 30),
        ("google", "crawl"): (20, 1, 19, 2 * 3_600 + 30),
        ("baidu", "crawl"): (4, 1, 3, 2 * 3_600 + 30),
    }
    assert report["alerts"] == []


def test_a_change_is_compared_on_both_sides(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    day = (NOW - 15 * DAY).isoformat()
    report = printed(capsys, "--before", day, "--after", day)
    assert [one["name"] for one in report["periods"]] == ["before", "after"]
    rows = {(one["period"], one["engine"], one["goal"]) for one in report["latencies"]}
    assert rows == {
        ("before", "google", "download"),
        ("before", "google", "crawl"),
        ("after", "baidu", "crawl"),
    }
    assert printed(capsys, "--since", (NOW - 5 * DAY).isoformat())["latencies"] == []
    assert run(["report", "--since", "5d", "--before", "9d"]) == 2


@pytest.mark.parametrize(
    ("words", "spans"),
    [
        (("--since", "2020-01-01", "--before", "2020-02-01"), "from 2020-01-01 to 2020-02-01,"),
        (("--since", "2020-01-01", "--before", "2020-02-01", "--after", NOW.isoformat()), " and "),
        (("--since", NOW.isoformat()), f"from {NOW:%Y-%m-%d} to "),
    ],
)
def test_where_nothing_can_be_measured_the_time_is_said_that_it_is_about(
    folder: Path, capsys: pytest.CaptureFixture[str], words: Sequence[str], spans: str
) -> None:
    assert run(["report", *words]) == 0
    said = " ".join(capsys.readouterr().out.partition("Nothing to measure")[2].split())
    assert spans in said
    assert "no sitemap was told" not in said


def test_the_page_goes_to_stdout_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(os.listdir(folder))
    assert run(["report", "--html", "-"]) == 0
    written = capsys.readouterr()
    assert written.out.lower().startswith("<!doctype html>")
    assert written.out.rstrip().endswith("</html>")
    assert written.err == ""
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("width", ["60", "80"])
def test_the_text_fits_the_screen(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    day = (NOW - 15 * DAY).isoformat()
    assert run(["report", "--before", day, "--after", day]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= int(width)
    assert "Nothing is alarming." in lines
    assert "From first sent to first read" in lines


def test_a_selection_is_about_its_sites_and_engines(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = printed(capsys, "--engine", "baidu")
    assert {one["account"] for one in report["submissions"]} == {"baidu"}
    assert {one["engine"] for one in report["latencies"]} == {"baidu"}
    assert run(["report", "--site", "nowhere*"]) == 7


# ---------------------------------------------------------------- alarms


def test_alarms_end_with_four_and_their_absence_with_zero(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "--alerts"]) == 0
    assert capsys.readouterr().out == "Nothing is alarming.\n"
    with_history(gone)
    assert run(["report", "--alerts"]) == 4
    out = capsys.readouterr().out
    assert out.startswith("error: sitemap-gone, 1x\n")
    assert MAP in out
    document = printed(capsys, "--alerts", code=4)
    assert [one["id"] for one in document["alerts"]] == ["sitemap-gone"]
    assert document["webhook"] is None
    assert run(["report"]) == 0


def test_thresholds_stand_in_the_inventory(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "inventory.yaml"
    path.write_text(INVENTORY + "alerts: {unread_days: 1}\n", encoding="utf-8")
    document = printed(capsys, "--alerts", code=4)
    assert [one["id"] for one in document["alerts"]] == ["sitemap-unread"]
    path.write_text(INVENTORY + "alerts: {unread: 1}\n", encoding="utf-8")
    assert run(["report", "--alerts"]) == 2
    assert "unread_days" in capsys.readouterr().err


# ---------------------------------------------------------------- the webhook


class Receiver(HTTPServer):
    """Takes what is posted, or answers as it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.status, self.posted, self.asked = 200, [], []  # type: ignore[var-annotated]


class Taking(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(self.path)
        if self.server.status == 200:
            self.server.posted.append(json.loads(body))
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def receiver(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Where the inventory's webhook leads."""
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("HOOK", f"http://127.0.0.1:{server.server_port}/{SECRET}")
        text = INVENTORY + "webhook: env:HOOK\n"
        (folder / "inventory.yaml").write_text(text, encoding="utf-8")
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(10)


TELL = ("report", "--alerts", "--webhook")


def test_the_webhook_is_told_once_and_once_more_when_it_is_over(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(TELL) == 0
    assert receiver.posted == []
    with_history(gone)
    assert run(["report", "--alerts"]) == 4
    assert receiver.posted == []
    assert run(TELL) == 4
    assert run(TELL) == 4
    [begun] = receiver.posted
    assert ([one["id"] for one in begun["new"]], begun["over"]) == (["sitemap-gone"], [])
    assert begun["text"].splitlines()[0] == "fleet: 1 new, 0 over"
    with_history(back)
    assert run(TELL) == 0
    assert run(TELL) == 0
    _, over = receiver.posted
    assert (over["new"], [one["id"] for one in over["over"]]) == ([], ["sitemap-gone"])
    assert over["alerts"] == []


@pytest.mark.parametrize("status", [302, 404, 500])
def test_what_did_not_arrive_is_told_again(
    receiver: Receiver, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    with_history(gone)
    receiver.status = status
    assert run([*TELL, "--json"]) == 4
    written = capsys.readouterr()
    assert json.loads(written.out)["webhook"] == "failed"
    assert f"HTTP {status}" in written.err
    assert SECRET not in written.out + written.err
    assert receiver.asked == [f"/{SECRET}"]
    receiver.status = 200
    assert run(TELL) == 4
    assert len(receiver.posted) == 1


def test_an_address_that_nobody_answers_at_is_not_shown(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_history(gone)
    monkeypatch.setenv("HOOK", f"http://127.0.0.1:9/{SECRET}")
    (folder / "inventory.yaml").write_text(INVENTORY + "webhook: env:HOOK\n", encoding="utf-8")
    assert run(["-vv", *TELL]) == 4
    written = capsys.readouterr()
    assert "webhook at 127.0.0.1" in written.err
    assert SECRET not in written.out + written.err


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (f"http://hooks.example/{SECRET}", "https"),
        (f"ftp://hooks.example/{SECRET}", "https"),
        (f"https://user:{SECRET}@hooks.example/", "no address"),
        (None, "not set"),
    ],
)
def test_a_webhook_that_cannot_be_called_is_a_fault_of_the_inventory(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    address: str | None,
    words: str,
) -> None:
    monkeypatch.delenv("HOOK", raising=False)
    if address is not None:
        monkeypatch.setenv("HOOK", address)
    (folder / "inventory.yaml").write_text(INVENTORY + "webhook: env:HOOK\n", encoding="utf-8")
    assert run(TELL) == 2
    written = capsys.readouterr()
    assert words in written.err
    assert SECRET not in written.out + written.err


@pytest.mark.parametrize(
    "words",
    [
        ("report", "--webhook"),
        ("report", "--alerts", "--webhook", "--site", "shop*"),
        ("report", "--alerts", "--prometheus", "-"),
        ("report", "--alerts", "--webhook"),
        ("report", "--prometheus", "-", "--json"),
        ("report", "--html", "-", "--json"),
        ("report", "--html", "-", "--alerts"),
        ("audit", "--write-baseline", "-"),
        ("build", "list.jsonl", "--out", "o", "--base", "https://h.test/", "--removed", "-"),
    ],
)
def test_options_that_do_not_go_together_are_refused(folder: Path, words: Sequence[str]) -> None:
    assert run(words) == 2


# ---------------------------------------------------------------- metrics

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9.e+]+|NaN)')


def metrics_of(text: str) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert (match[1], match[2] or "") not in found
            found[match[1], match[2] or ""] = float(match[3])
    return found


def test_metrics_have_the_names_that_people_expect(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "--prometheus", "-"]) == 0
    text = capsys.readouterr().out
    found = metrics_of(text)
    site = f'site="{SITE}"'
    labels = f'{site},engine="baidu",kind="urls",outcome="accepted"'
    assert found["submitter_submissions_total", labels] == 1
    told = (NOW - 10 * DAY).timestamp()
    engine = f'{site},engine="baidu"'
    assert found["submitter_last_success_timestamp_seconds", engine] == told
    read = (NOW - 19 * DAY).timestamp()
    engine = f'{site},engine="google"'
    assert found["submitter_sitemap_last_download_timestamp_seconds", engine] == read
    assert found["submitter_sitemap_urls", site] == 20
    waiting = 'engine="baidu",credential="baidu",kind="urls"'
    assert found["submitter_waiting_urls", waiting] == 16
    assert found["submitter_run_last_exit_code", ""] == 0
    assert found["submitter_alerts", 'id="sitemap-gone"'] == 0
    types = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    ends = re.compile(r"_(bucket|sum|count)$")
    timed = "submitter_request_duration_seconds"
    assert types == {ends.sub("", name) if timed in name else name for name, _ in found}
    assert not any("sitemap.xml" in labels for _, labels in found)


def test_the_file_for_a_collector_is_there_whole_or_not_at_all(folder: Path) -> None:
    path = folder / "submitter.prom"
    path.write_text("old", encoding="utf-8")
    with_history(gone)
    assert run(["report", "--prometheus", str(path)]) == 0
    found = metrics_of(path.read_text(encoding="utf-8"))
    assert found["submitter_alerts", 'id="sitemap-gone"'] == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert not [name for name in os.listdir(folder) if "prom" in name and name != path.name]
    assert run(["report", "--prometheus", str(folder / "nowhere" / "x.prom")]) == 8


def test_many_sites_are_added_up() -> None:
    from submitter.core.evidence import SiteCallCount
    from submitter.render.prometheus import MOST_SITES, metrics_text
    from submitter.stories.metrics import Metrics

    def text(sites: int) -> str:
        names = [f'https://s{number}.test/"\\\n' for number in range(sites)]
        calls = tuple(
            SiteCallCount(name, "google", "sitemap", state, 2, NOW)
            for name in names
            for state in ("accepted", "sending")
        )
        return metrics_text(
            Metrics("fleet", NOW, frozenset(names), calls, (), (), {}, {}, (), None, {})
        )

    few, many = metrics_of(text(MOST_SITES)), metrics_of(text(MOST_SITES + 1))
    assert len([name for name, _ in few if name == "submitter_submissions_total"]) == MOST_SITES
    labels = 'engine="google",kind="sitemap",outcome="accepted"'
    assert many["submitter_submissions_total", labels] == 2 * (MOST_SITES + 1)
    assert not any("site=" in labels for _, labels in many)


# ---------------------------------------------------------------- what spreadsheets get


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "＝1",
        "\ufeff=1",
        "|calc",
        "%0A=1",
    ],
)
def test_no_cell_of_a_csv_file_starts_a_formula(text: str) -> None:
    line = csv_line([text, 5, None])
    assert line.endswith(",5,\n")
    cell = line.removesuffix(",5,\n").strip('"')
    assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))


def test_no_text_is_parted_where_a_semicolon_parts_cells() -> None:
    line = csv_line(["a;=1+1", 'b";=1', "c,=1"])
    assert next(csv.reader([line])) == ["a;=1+1", 'b";=1', "c,=1"]
    assert next(csv.reader([line], delimiter=";"))[0].startswith("a;=1+1")
