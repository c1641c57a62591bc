"""`submitter crawlers` as a person calls it."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from crawl_samples import CHROME, GPTBOT, OPENAI, STRANGER, line, list_pages, text, write

from submitter.cli.exits import run
from submitter.ledger import open_ledger

INVENTORY = """\
version: 1
name: shops
ledger: sqlite:///submitter.db
accounts:
  baidu: {engine: baidu, token: env:BAIDU_TOKEN}
defaults:
  accounts: [baidu]
sites:
  - domain: example.com
    subdomains:
      - {host: www, tags: [main]}
      - {host: shop}
    sections:
      - {name: products, match: "/p/*"}
"""
LOG = text(
    [
        line("/p/1", host="shop.example.com"),
        line("/p/2?utm=1", GPTBOT, address=OPENAI, host="shop.example.com"),
        line("/p/3", host="www.example.com", address=STRANGER),
        line("/p/3", CHROME, host="www.example.com"),
        line("/", host="else.example.com"),
    ]
)


class Answer:
    """What a call printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    def hits(self) -> dict[tuple[str, str], int]:
        return {(day["site"], day["crawler"]): day["hits"] for day in self.document["days"]}


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Any:
    for name in ("SUBMITTER_INVENTORY", "SUBMITTER_LEDGER", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def crawlers(*words: object) -> Answer:
        code = run(["crawlers", *map(str, words)])
        written = capsys.readouterr()
        return Answer(int(code), written.out, written.err)

    return crawlers


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return write(tmp_path, "inventory.yaml", INVENTORY.encode())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write(tmp_path, "access.log", LOG)


def test_a_log_is_read_without_an_inventory(call: Any, log: Path) -> None:
    found = call(log, "--json")
    assert found.code == 0
    assert found.hits() == {
        ("https://shop.example.com", "Googlebot"): 1,
        ("https://shop.example.com", "GPTBot"): 1,
        ("https://www.example.com", "Googlebot"): 1,
        ("https://else.example.com", "Googlebot"): 1,
    }
    assert found.document["reading"]["others"] == 1
    assert not list(log.parent.glob("*.db"))


def test_lines_without_a_host_are_of_one_nameless_site_or_of_the_one_named(
    call: Any, tmp_path: Path
) -> None:
    path = write(tmp_path, "plain.log", text([line("/p/1")]))
    assert list(call(path, "--json").hits()) == [("-", "Googlebot")]
    assert "(no host in the lines)" in call(path).out
    named = call(path, "--site", "shop.example.com", "--json")
    assert list(named.hits()) == [("https://shop.example.com", "Googlebot")]


@pytest.mark.parametrize(
    ("lines", "code", "reason"),
    [
        ([line("/p/1")], 7, "no-host"),
        ([line("/p/1", host="else.example.com")], 7, "unknown-host"),
        ([line("/p/1"), line("/p/1", host="else.example.com")], 7, "no-host"),
        ([line("/p/1"), line("/p/1", host="shop.example.com")], 0, "no-host"),
        ([line("/p/1", CHROME)], 0, None),
    ],
)
def test_a_log_of_which_each_bots_line_is_left_out_matches_nothing(
    call: Any, fleet: Path, tmp_path: Path, lines: list[bytes], code: int, reason: str | None
) -> None:
    path = write(tmp_path, "some.log", text(lines))
    for _ in range(2):
        found = call(path, "--json")
        assert found.code == code
        reasons = [one["reason"] for one in found.document["reading"]["left_out"]]
        assert reason is None or reason in reasons


def test_numbers_are_kept_and_reading_again_changes_nothing(
    call: Any, fleet: Path, log: Path
) -> None:
    first = call(log, "--json").document
    assert first["reading"]["left_out"] == [
        {"reason": "unknown-host", "count": 1, "examples": ["else.example.com"]}
    ]
    packed = write(log.parent, "access.log.1.gz", gzip.compress(LOG))
    again = call(packed, log, "--json").document
    assert (again["reading"]["new"], again["reading"]["known"]) == (0, 6)
    assert again["days"] == first["days"]
    assert call("--since", "2026-11-01", "--json").document["days"] == first["days"]
    assert call("--since", "2026-11-01", "--json").document["reading"] is None


def test_a_selection_is_read_alone(call: Any, fleet: Path, log: Path) -> None:
    assert {site for site, _ in call(log, "--tag", "main", "--json").hits()} == {
        "https://www.example.com"
    }
    shop = call(log, "--site", "shop.*", "--bot", "gptbot", "--json")
    assert shop.hits() == {("https://shop.example.com", "GPTBot"): 1}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["missing.log"], 2),
        (["--mask", "nothing", "access.log"], 2),
        (["--bot", "Gogglebot", "access.log"], 2),
        (["--ranges", "none.json", "access.log"], 2),
        (["--site", "nowhere.*", "access.log"], 7),
        (["--bot", "SeznamBot", "access.log"], 7),
        (["--since", "2026-11-30", "access.log"], 7),
        (["empty.log"], 7),
        (["--since", "2030-01-01"], 7),
        (["other.log"], 4),
        (["other.log", "access.log"], 4),
        (["cut.log.gz"], 4),
        (["quiet.log"], 0),
        (["access.log"], 0),
    ],
)
def test_the_exit_code_says_what_to_do(
    call: Any, fleet: Path, log: Path, words: list[str], code: int
) -> None:
    folder = log.parent
    write(folder, "empty.log", b"\n# nothing\n")
    write(folder, "other.log", b"Error line 1\n")
    write(folder, "quiet.log", text([line("/", CHROME)]))
    write(folder, "cut.log.gz", gzip.compress(LOG)[:-9])
    assert call(*words, "--json").code == code


def test_a_few_odd_lines_are_said_and_harm_nothing(call: Any, fleet: Path, log: Path) -> None:
    path = write(log.parent, "odd.log", LOG * 10 + b"Error line\n")
    found = call(path, "--json")
    assert found.code == 0
    (rejection,) = found.document["reading"]["rejections"]
    assert rejection == {"reason": "unknown-format", "count": 1, "examples": ["Error line"]}
    assert "1 rejected: fits none of the formats" in " ".join(call(path).out.split())


def test_without_a_log_and_without_an_inventory_there_is_nothing_to_say(call: Any) -> None:
    assert call().code == 2
    assert call("--tag", "x", "y.log").code == 2


def test_a_mask_and_a_newer_list_are_taken(call: Any, tmp_path: Path) -> None:
    path = write(tmp_path, "odd.log", b"2026-11-29T10:00:00Z|8.8.8.8|/p/1|200|bingbot/2.0\n")
    document = {"creationTime": "2026-11-28T00:00:00", "prefixes": [{"ipv4Prefix": "8.8.8.0/24"}]}
    ranges = write(tmp_path, "bingbot.json", json.dumps(document).encode())
    mask = "$time_iso8601|$remote_addr|$request_uri|$status|$http_user_agent"
    found = call(path, "--mask", mask, "--ranges", ranges, "--json").document
    (day,) = found["days"]
    assert (day["crawler"], day["verified"]) == ("bingbot", 1)
    assert {"name": "bingbot", "source": "bingbot.json", "made_on": "2026-11-28"} in found["ranges"]


def test_standard_input_is_a_log_too(
    call: Any, fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stdin:
        buffer = io.BytesIO(gzip.compress(LOG))

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert call("-", "--json").document["reading"]["bots"] == 4


def test_the_text_fits_and_says_the_zone(call: Any, fleet: Path, log: Path) -> None:
    out = call(log).out
    assert max(map(len, out.splitlines())) <= 80
    assert "Days are UTC" in out
    assert "https://shop.example.com" in out


def test_another_reader_of_logs_is_not_disturbed(call: Any, fleet: Path, log: Path) -> None:
    from datetime import UTC, datetime

    ledger = open_ledger(f"sqlite:///{log.parent}/submitter.db")
    ledger.acquire("crawlers", "another host", ttl_s=60, now=datetime.now(UTC))
    ledger.close()
    assert call(log, "--json").code == 75


def test_dashboards_see_the_days(call: Any, fleet: Path, log: Path) -> None:
    call(log)
    ledger = open_ledger(f"sqlite:///{log.parent}/submitter.db")
    with ledger._database.reading() as tx:
        rows = tx.connection.exec_driver_sql(
            "SELECT day, site, section, crawler, kind, hits, verified, contradicted,"
            " parameter_hits, first_at FROM v_crawl_daily ORDER BY site, crawler"
        ).all()
    ledger.close()
    at, day = "2026-11-29T10:00:00Z", "2026-11-29"
    shop, www = "https://shop.example.com", "https://www.example.com"
    assert [tuple(row) for row in rows] == [
        (day, shop, "products", "GPTBot", "ai", 1, 1, 0, 1, at),
        (day, shop, "products", "Googlebot", "search", 1, 1, 0, 0, at),
        (day, www, "products", "Googlebot", "search", 1, 0, 1, 0, None),
    ]


def rows_of(out: str, title: str) -> list[list[str]]:
    """The cells of a table's lines."""
    body = out.split(f"\n{title}\n")[1].split("\n\n")[0]
    return [row.split() for row in body.splitlines()]


def test_impostors_are_a_number_of_their_own_in_what_is_said_of_days(
    call: Any, tmp_path: Path
) -> None:
    lines = [line(f"/p/{n}") for n in range(2)] + [line("/p/9", address=STRANGER)] * 5
    path = write(tmp_path, "false.log", text(lines))
    out = call(path).out
    head, _, row = rows_of(out, "Days")
    shown = dict(zip(head, row, strict=False))
    assert (shown["HITS"], shown["FALSE"]) == ("2", "5")
    head, _, row = rows_of(out, "Pages")
    assert dict(zip(head, row, strict=False))["BOT"] == "Googlebot"
    assert row[2] == "2"


def test_without_an_inventory_nobody_knows_what_is_not_listed(call: Any, log: Path) -> None:
    days = call(log, "--json").document["days"]
    assert {(day["listed"], day["unlisted_hits"]) for day in days} == {(None, None)}
    out = call(log).out
    assert all(row[-2] == "-" for row in rows_of(out, "Pages") if "Googlebot" in row)
    assert "elsewhere" not in out


def test_a_bot_that_was_asked_for_and_did_not_come_is_said(
    call: Any, fleet: Path, log: Path
) -> None:
    found = call(log, "--bot", "bingbot")
    assert found.code == 7
    assert "No bot that was asked for was seen." in found.out


def test_where_no_log_was_read_it_says_that_it_does_not_know(call: Any, fleet: Path) -> None:
    ledger = open_ledger(f"sqlite:///{fleet.parent}/submitter.db")
    list_pages(ledger, ["/p/1", "/p/2"])
    ledger.close()
    document = call("--json").document
    assert document["never"] == []
    [one] = document["coverage"]
    known = {"site", "section", "listed"}
    assert {name for name, value in one.items() if value is not None} == known
    out = " ".join(call().out.split())
    assert "Not known of 1 site: no line of an access log of theirs is known to be read." in out
    assert "https://shop.example.com: 2 listed pages" in out
    assert "No bot was seen" not in out
