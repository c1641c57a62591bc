"""The command line over the sandbox: whole runs, as a person would type them."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from calling import Answer, Call

from submitter.ledger import open_ledger
from submitter.sandbox import Sandbox
from submitter.sandbox.pytest_plugin import sandbox

__all__ = ["sandbox"]

Demo = Callable[..., Answer]
SUBMIT, PUSH = "sitemaps.submit", "push"
COLUMNS = {
    "accepted", "received", "already", "rejected", "deferred", "unknown", "failed", "skipped",
}  # fmt: skip


@pytest.fixture
def path(sandbox: Sandbox, tmp_path: Path) -> Path:
    return sandbox.write_demo(tmp_path / "demo")


@pytest.fixture
def demo(call: Call, path: Path) -> Demo:
    """`demo("run", …)` on the sandbox's own inventory."""
    return lambda *argv: call("-i", path, *argv)


def sent(report: Any) -> int:
    """Sitemaps and pages that an engine took in this run."""
    told = ("accepted", "received", "already")
    return sum(report["counts"][side][column] for side in ("sitemaps", "pages") for column in told)


def found_is_accounted_for(report: Any) -> bool:
    return all(
        sum(target["counts"]["pages"].values()) == target["pages"]
        for target in report["targets"]
        if target["engine"] == "baidu"
    )


# ---------------------------------------------------------------- run and plan


def test_a_run_sends_and_a_second_one_sends_nothing_twice(demo: Demo, sandbox: Sandbox) -> None:
    first = demo("run", "--json")
    assert first.exit_code == first.json()["exit_code"] == 4
    assert first.stderr == ""
    taken = sandbox.google.book.accepted(SUBMIT), sandbox.baidu.book.accepted(PUSH)
    assert sent(first.json()) == len(taken[0]) + len(taken[1]) > 50
    assert found_is_accounted_for(first.json())
    second = demo("run", "--json").json()
    assert sent(second) == 0
    assert found_is_accounted_for(second)
    assert (sandbox.google.book.accepted(SUBMIT), sandbox.baidu.book.accepted(PUSH)) == taken
    assert len(set(taken[1])) == len(taken[1])


def test_the_run_document_has_the_promised_shape(demo: Demo) -> None:
    report = demo("run", "--json").json()
    assert {"run", "started_at", "finished_at", "outcome", "exit_code", "counts", "targets"} <= set(
        report
    )
    assert report["outcome"] == "partial"
    assert set(report["counts"]["sitemaps"]) == set(report["counts"]["pages"]) == COLUMNS
    for target in report["targets"]:
        assert {"site", "account", "engine", "property", "documents", "pages", "delta"} <= set(
            target
        )
        assert set(target["delta"]) == {"new", "changed", "gone"}
    shop = next(
        one for one in report["targets"] if one["account"] == "baidu" and "shop" in one["site"]
    )
    assert {"limit", "spent", "left", "resets_at"} <= set(shop["allowance"])
    assert shop["allowance"]["spent"] == 25


def test_every_page_that_waits_has_a_reason(demo: Demo) -> None:
    report = demo("run", "--json").json()
    deferred = report["counts"]["pages"]["deferred"]
    reasons = [skip for skip in report["skips"] if skip["kind"] == "urls" and skip["until"]]
    assert deferred == sum(skip["count"] for skip in reasons) == 33


def test_the_text_report_of_a_run_says_what_went_wrong_and_what_to_do(demo: Demo) -> None:
    answer = demo("run")
    assert answer.exit_code == 4
    words = " ".join(answer.stdout.split())
    for part in ("property-missing", "Next: In Search Console", "held by the guard", "http-404"):
        assert part in words
    assert max(len(line) for line in answer.stdout.splitlines()) <= 80
    assert "\x1b" not in answer.stdout


def test_plan_and_run_agree(demo: Demo) -> None:
    plan = demo("plan", "--json")
    document = plan.json()
    assert {"digest", "made_at", "actions", "skips", "allowances", "findings"} <= set(document)
    assert document["observed"] is True
    report = demo("run", "--only-plan", document["digest"], "--json").json()
    assert report["digest"] == document["digest"]
    assert sent(report) > 0


def test_planning_sends_nothing_and_changes_no_plan(demo: Demo, sandbox: Sandbox) -> None:
    digests = {demo("plan", "--json").json()["digest"] for _ in range(3)}
    assert len(digests) == 1
    assert sandbox.baidu.book.count() == 0
    assert sandbox.google.book.count() == 0


def test_the_command_that_a_plan_ends_with_sends_it(demo: Demo, call: Call) -> None:
    answer = demo("plan", "--site", "www*", "--account", "google")
    assert answer.exit_code == 0
    words = shlex.split(answer.stdout.splitlines()[-1])
    assert words[0] == "submitter"
    assert call(*words[1:]).exit_code == 0


def test_a_plan_warns_of_a_secret_that_its_run_will_lack(demo: Demo, path: Path) -> None:
    (path.parent / "secrets" / "baidu.token").unlink()
    (path.parent / "secrets" / "google.json").chmod(0o644)
    chosen = ("--site", "www*", "--site", "shop*")
    answer = demo("plan", *chosen, "--json")
    assert answer.exit_code == 0
    warned = {one["id"]: one for one in answer.json()["findings"] if "accounts." in one["where"]}
    assert {id: (one["where"], one["severity"]) for id, one in warned.items()} == {
        "secret-missing": ("accounts.baidu", "warning"),
        "secret-unusable": ("accounts.google", "warning"),
    }
    assert "a run needs it for" in warned["secret-missing"]["message"]
    one = demo("plan", *chosen, "--account", "google").stdout
    assert ("secret-unusable" in one, "secret-missing" in one) == (True, False)
    assert demo("run", *chosen).exit_code == 2


def test_a_plan_for_another_moment_promises_no_command(demo: Demo) -> None:
    answer = demo("plan", "--at", "2d", "--site", "www*")
    assert answer.exit_code == 0
    assert "would be made" in answer.stdout
    assert "--only-plan" not in answer.stdout


def test_any_other_plan_is_refused_and_nothing_is_sent(demo: Demo, sandbox: Sandbox) -> None:
    answer = demo("run", "--only-plan", "0123456789abcdef", "--json")
    assert answer.exit_code == 3
    assert answer.json()["error"]["kind"] == "unsafe-plan"
    assert sandbox.baidu.book.count() == 0


def test_a_later_moment_plans_what_waits_until_then(demo: Demo) -> None:
    demo("run")

    def pages(*at: str) -> int:
        plan = demo("plan", *at, "--account", "baidu", "--json").json()
        return sum(action["pages"] for action in plan["actions"])

    assert pages() == 0
    assert pages("--at", "2d") == 33


def test_the_guard_holds_a_site_and_a_reason_lets_it_through(demo: Demo) -> None:
    chosen = ("--site", "closed*", "--json")
    held = demo("run", *chosen)
    assert held.exit_code == 3
    assert held.json()["outcome"] == "held"
    assert sent(held.json()) == 0
    forced = demo("run", *chosen, "--force", "the owner asked for it")
    assert sent(forced.json()) == 1


@pytest.mark.parametrize("command", ["run", "plan", "enqueue"])
def test_only_what_is_selected_can_be_forced(
    demo: Demo, sandbox: Sandbox, command: str, path: Path
) -> None:
    answer = demo(command, "--force", "a test", "--json")
    assert answer.exit_code == 2
    error = answer.json()["error"]
    assert error["kind"] == "usage"
    assert "--site" in error["message"]
    assert "tells sitemaps again" in error["message"]
    assert sandbox.google.book.count() == 0
    assert not (path.parent / "submitter.db").exists()


def test_everything_can_be_forced_by_selecting_it(demo: Demo) -> None:
    answer = demo("plan", "--site", "*", "--force", "a test", "--json")
    assert answer.exit_code == 4
    assert "guard" not in {skip["reason"] for skip in answer.json()["skips"]}


def test_what_is_named_by_hand_is_selected(demo: Demo) -> None:
    address = "http://www.fleet.test/sitemap-index.xml"
    argv = ("submit", "--account", "google", address, "--json")
    assert sent(demo(*argv).json()) == 1
    assert sent(demo(*argv).json()) == 0
    assert sent(demo(*argv, "--force", "the first was lost").json()) == 1


def test_a_reason_has_words(demo: Demo) -> None:
    assert demo("run", "--force", " ").exit_code == 2


def test_a_deadline_that_is_over_sends_nothing_and_exits_6(demo: Demo, sandbox: Sandbox) -> None:
    answer = demo("run", "--deadline", "0.001", "--json")
    assert answer.exit_code == 6
    assert answer.json()["outcome"] == "deadline"
    assert sandbox.baidu.book.count() == 0


# ---------------------------------------------------------------- somebody else holds the ledger


@pytest.fixture
def held(path: Path) -> None:
    """Another run, on another machine, holds the ledger for the next hour."""
    ledger = open_ledger(f"sqlite:///{path.parent / 'submitter.db'}")
    ledger.bind("sandbox-fleet")
    owner = "db-7 3c36-boot pid:[4026531836] 12336 4995038"
    ledger.acquire("run", owner, ttl_s=3600, now=datetime.now(UTC))
    ledger.close()


@pytest.mark.parametrize(
    "argv",
    [
        ("run",),
        ("verify",),
        ("run", "--wait", "0.05"),
        ("submit", "--account", "google", "http://www.fleet.test/sitemap-index.xml"),
    ],
)
@pytest.mark.usefixtures("held")
def test_a_second_run_leaves_with_75(demo: Demo, argv: tuple[str, ...]) -> None:
    answer = demo(*argv, "--json")
    assert answer.exit_code == 75
    assert answer.json()["error"]["kind"] == "busy"
    assert "another run (pid 12336 on db-7) holds the lease" in answer.stderr
    assert "--wait" in answer.stderr


@pytest.mark.usefixtures("held")
def test_planning_meanwhile_says_that_no_site_was_looked_at(demo: Demo) -> None:
    answer = demo("plan", "--json")
    assert answer.json()["observed"] is False
    assert {skip["reason"] for skip in answer.json()["skips"]} == {"not-looked-at"}
    assert "from memory" in answer.stderr


def test_planning_from_memory_agrees_with_planning_from_the_sites(demo: Demo, path: Path) -> None:
    chosen = ("--site", "www*", "--json")
    seen = demo("plan", *chosen).json()
    ledger = open_ledger(f"sqlite:///{path.parent / 'submitter.db'}")
    ledger.acquire("run", "elsewhere", ttl_s=3600, now=datetime.now(UTC))
    ledger.close()
    remembered = demo("plan", *chosen).json()
    assert (seen["observed"], remembered["observed"]) == (True, False)
    assert seen["digest"] == remembered["digest"]


# ---------------------------------------------------------------- reading back


STATUS_KEYS = {
    "site", "account", "engine", "property", "sitemap", "state", "last_submitted",
    "last_downloaded", "is_pending", "is_index", "errors", "warnings", "urls_submitted",
    "urls_ours", "checked_at", "alias", "alias_of", "finding", "seen", "last_try",
}  # fmt: skip
LOG_KEYS = {
    "id", "run", "action", "attempt", "sent_at", "settled_at", "site", "account", "engine",
    "property", "kind", "target", "urls", "accepted", "rejected", "state", "http_status", "code",
    "message", "quota_left",
}  # fmt: skip


def test_status_tells_queued_from_fetched(demo: Demo, sandbox: Sandbox) -> None:
    demo("run", "--no-verify")
    rows = demo("status", "--json", "--engine", "google").json()
    assert all(set(row) == STATUS_KEYS for row in rows)
    states = {row["site"]: row["state"] for row in rows}
    assert states["http://www.fleet.test"] == "queued"
    assert states["http://partner.fleet.test"] == "never_submitted"
    tries = {row["site"]: row["last_try"] for row in rows}
    assert (tries["http://www.fleet.test"], tries["http://partner.fleet.test"]) == (None, "failed")
    sandbox.clock.advance(7200)
    sandbox.google.advance()
    verified = demo("verify", "--json", "--site", "www*")
    assert verified.exit_code == 0
    (row,) = [one for one in verified.json()["statuses"] if one["engine"] == "google"]
    assert row["state"] == "fetched"
    assert row["urls_submitted"] == row["urls_ours"] == 23


def test_verify_says_what_each_property_answered(demo: Demo) -> None:
    demo("run", "--no-verify")
    answer = demo("verify", "--json")
    assert answer.exit_code == answer.json()["exit_code"] == 4
    states = {one["property"]: one["state"] for one in answer.json()["answers"]}
    assert states["sc-domain:fleet.test"] == "ok"
    assert states["http://partner.fleet.test/"] == "failed"
    assert demo("verify").exit_code == 4


def test_log_rows_have_the_promised_fields_in_every_form(demo: Demo) -> None:
    report = demo("run", "--no-verify", "--json").json()
    rows = demo("log", "--json").json()
    assert sum(row["accepted"] for row in rows) == sent(report)
    assert all(set(row) >= LOG_KEYS for row in rows)
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    lines = [json.loads(line) for line in demo("log", "--jsonl").stdout.splitlines()]
    assert lines == rows
    table = list(csv.DictReader(io.StringIO(demo("log", "--csv").stdout)))
    assert [row["target"] for row in table] == [row["target"] for row in rows]


def test_log_is_chosen_by_run_state_site_and_time(demo: Demo) -> None:
    run = demo("run", "--no-verify", "--json").json()["run"]
    rows = demo("log", "--json").json()
    assert demo("log", "--json", "--run", run).json() == rows
    assert demo("log", "--json", "--run", "another").json() == []
    assert demo("log", "--json", "--state", "rejected").json() == []
    shop = demo("log", "--json", "--state", "accepted", "--site", "shop*").json()
    assert shop == [row for row in rows if "shop" in row["site"]]
    assert demo("log", "--json", "--since", "1h").json() == rows
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert demo("log", "--json", "--since", later).json() == []
    assert demo("log", "--json", "--limit", "2").json() == rows[-2:]


def test_log_of_pages_has_a_row_for_each_page_and_target(demo: Demo, sandbox: Sandbox) -> None:
    demo("run", "--no-verify")
    rows = demo("log", "--json", "--pages").json()
    assert sorted(row["loc"] for row in rows) == sorted(sandbox.baidu.book.accepted(PUSH))
    assert {"loc", "site", "account", "state"} <= set(rows[0])
    text = demo("log", "--pages", "--limit", "1")
    assert rows[-1]["loc"] in text.stdout
    assert "newest 1" in text.stderr


def test_explain_tells_the_story_of_a_page(demo: Demo) -> None:
    demo("run", "--no-verify")
    rows = demo("log", "--json", "--pages").json()
    story = demo("explain", rows[0]["loc"], "--json").json()
    assert story["kind"] == "page"
    assert story["documents"]
    (baidu,) = [one for one in story["targets"] if one["account"] == "baidu"]
    assert (baidu["state"], baidu["why_not"]) == ("accepted", None)
    assert set(baidu["attempts"][0]) >= LOG_KEYS


def test_explain_says_why_a_page_waits(demo: Demo) -> None:
    demo("run", "--no-verify")
    told = {row["loc"] for row in demo("log", "--json", "--pages").json()}
    listed = demo("flatten", "http://shop.fleet.test/sitemap-index.xml", "--pages", "--json").json()
    waiting = next(row["loc"] for row in listed["rows"] if row["loc"] not in told)
    story = demo("explain", waiting, "--json").json()
    (baidu,) = [one for one in story["targets"] if one["account"] == "baidu"]
    assert baidu["state"] in ("waiting", "deferred")
    assert baidu["why_not"]
    assert demo("explain", waiting).exit_code == 0


def test_explain_knows_sitemaps_and_the_children_of_an_index(demo: Demo) -> None:
    demo("run", "--no-verify")
    story = demo("explain", "http://shop.fleet.test/sitemap-index.xml", "--json").json()
    assert story["kind"] == "sitemap"
    states = {one["account"]: one["state"] for one in story["targets"]}
    assert states["google"] == "accepted"
    child = demo("explain", "http://shop.fleet.test/sitemap-new-1.xml", "--json").json()
    assert child["kind"] == "sitemap"
    assert child["documents"] == ["http://shop.fleet.test/sitemap-index.xml"]
    assert all("index" in one["why_not"] for one in child["targets"])


# ---------------------------------------------------------------- check, submit, flatten


def test_check_online_explains_what_an_account_may_not(demo: Demo) -> None:
    answer = demo("check", "--online", "--json")
    assert answer.exit_code == 4
    document = answer.json()
    assert set(document) == {"ok", "online", "accounts", "targets", "findings"}
    assert document["online"] is True
    accounts = {one["account"]: one["state"] for one in document["accounts"]}
    assert accounts == {"google": "ok", "baidu": "unchecked"}
    failed = {one["site"]: one for one in document["targets"] if one["state"] == "failed"}
    assert {site.removesuffix(".fleet.test"): one["cause"] for site, one in failed.items()} == {
        "http://archive": "children-unreachable",
        "http://partner": "property-missing",
        "http://press": "role-restricted",
        "http://broken": "sitemap-broken",
        "http://closed": "robots-closed",
        "http://empty": "sitemap-empty",
    }
    assert all(one["next_step"] for one in failed.values())
    assert demo("check", "--online", "--site", "www*").exit_code == 0


def test_submit_takes_a_csv(demo: Demo, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(
        "site_url,sitemap_url\n"
        "sc-domain:fleet.test,http://www.fleet.test/sitemap-index.xml\n"
        "sc-domain:fleet.test,http://blog.fleet.test/feed.xml\n",
        encoding="utf-8",
    )
    report = demo("submit", "--account", "google", "--csv", "rows.csv", "--json").json()
    assert report["counts"]["sitemaps"]["accepted"] == 2
    told = demo("submit", "--account", "google", "--csv", "rows.csv", "--json")
    assert "--force REASON" in told.stderr
    again = told.json()
    assert sent(again) == 0
    assert again["exit_code"] == 0
    assert len(sandbox.google.book.accepted(SUBMIT)) == 2


def test_submit_takes_pages_where_the_engine_takes_pages(demo: Demo, sandbox: Sandbox) -> None:
    pages = ["http://www.fleet.test/raven-1", "http://www.fleet.test/harbor-2"]
    report = demo("submit", "--account", "baidu", *pages, "--json").json()
    assert report["counts"]["pages"]["accepted"] == 2
    assert sorted(sandbox.baidu.book.accepted(PUSH)) == sorted(pages)


def test_submit_names_every_bad_row_with_its_line(demo: Demo, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(
        "site_url,sitemap_url\nsc-domain:fleet.test,nonsense\nx,also nonsense\n", encoding="utf-8"
    )
    answer = demo("submit", "--account", "google", "--csv", "rows.csv")
    assert answer.exit_code == 2
    assert [line[:13] for line in answer.stderr.splitlines()] == ["rows.csv:2:1:", "rows.csv:3:1:"]


def test_flatten_uses_the_inventory_where_there_is_one(demo: Demo) -> None:
    answer = demo("flatten", "http://shop.fleet.test/sitemap-index.xml", "--json")
    assert answer.exit_code == 0
    document = answer.json()
    assert set(document) == {"documents", "pages", "findings", "summary"}
    assert (len(document["documents"]), document["pages"]) == (6, 58)


def test_flatten_needs_no_inventory(call: Call, sandbox: Sandbox, path: Path) -> None:
    del path  # it fills the fleet
    argv = (
        "flatten", "http://blog.fleet.test/", "--allow-private", "127.0.0.0/8",
        "--connect-to", f"blog.fleet.test:80={sandbox.address}",
    )  # fmt: skip
    assert call(*argv, "--json").json()["pages"] == 9
    text = call(*argv, "--pages")
    assert text.exit_code == 0
    rows = [line.split("\t") for line in text.stdout.splitlines()]
    assert len(rows) == 9
    assert {row[2] for row in rows} == {"http://blog.fleet.test/feed.xml"}
    assert "9 distinct pages" in text.stderr


def test_flatten_keeps_away_from_private_addresses(call: Call, sandbox: Sandbox) -> None:
    answer = call("flatten", f"{sandbox.base_url}/sitemap.xml", "--json")
    assert answer.exit_code == 5
    (document,) = answer.json()["documents"]
    assert document["complete"] is False
    assert document["findings"]


@pytest.mark.parametrize(
    "argv",
    [
        ("--allow-private", "10.0.0.0/99"),
        ("--connect-to", "a=b"),
        ("--connect-to", "a:80"),
    ],
)
def test_flatten_refuses_settings_that_say_nothing(call: Call, argv: tuple[str, ...]) -> None:
    answer = call("flatten", "https://x.example/", *argv)
    assert answer.exit_code == 2
    assert argv[0] in answer.stderr


def test_flatten_reads_files_and_stdin(call: Call, tmp_path: Path) -> None:
    from paper_documents import URLSET

    (tmp_path / "sitemap.xml").write_bytes(URLSET)
    answer = call("flatten", "sitemap.xml", "--json")
    assert answer.exit_code == 0
    assert answer.json()["documents"][0]["url"] == "sitemap.xml"
    assert answer.json()["pages"] == 2


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (("flatten", "no-such.xml"), "no-such.xml: No such file or directory"),
        (("audit", "no-such.xml"), "no-such.xml: No such file or directory"),
        (("flatten", "."), ".: Is a directory"),
        (("audit", "--list", "no-such.csv", "/dev/null"), "no-such.csv: No such file or directory"),
        (("crawlers", "no-such.log"), "no-such.log: cannot be read: no such file or directory"),
        (
            ("build", "no-such", "--out", "a/b", "--base", "https://h.test/"),
            "no-such: No such file",
        ),
        (("flatten", "ftp://h.test/y?z=1"), "URL: 'ftp://' is neither http:// nor https://"),
        (("audit", "FTP://h.test/y"), "URL: 'FTP://' is neither http:// nor https://"),
    ],
)
def test_what_cannot_be_opened_is_for_the_person_to_correct(
    call: Call, tmp_path: Path, argv: tuple[str, ...], problem: str
) -> None:
    answer = call(*argv)
    assert answer.exit_code == 2
    assert problem in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_lists_nothing_goes_by_its_own_name(call: Call, tmp_path: Path) -> None:
    (tmp_path / "e.txt").touch()
    answer = call("audit", "e.txt")
    assert answer.exit_code == 4
    assert "e.txt: 0 pages" in answer.stdout
    assert "nowhere" not in answer.stdout + call("audit", "e.txt", "--json").stdout


# ---------------------------------------------------------------- secrets


def test_no_secret_is_printed_however_much_is_said(demo: Demo, path: Path, call: Call) -> None:
    token = (path.parent / "secrets" / "baidu.token").read_text(encoding="utf-8").strip()
    key = json.loads((path.parent / "secrets" / "google.json").read_text(encoding="utf-8"))
    body = [line for line in key["private_key"].splitlines() if len(line) > 40]
    said = ""
    for argv in (("run",), ("verify",), ("check", "--online"), ("plan",), ("log",), ("status",)):
        for form in ("text", "json"):
            answer = call("-vv", "--log-format", form, "-i", path, *argv)
            said += answer.stdout + answer.stderr
    said += (path.parent / "submitter.db").read_bytes().decode("latin-1")
    assert token not in said
    assert not [line for line in body if line in said]
    assert "looked at" in said


def test_no_secret_is_printed_when_nobody_answers(call: Call, path: Path, sandbox: Sandbox) -> None:
    token = (path.parent / "secrets" / "baidu.token").read_text(encoding="utf-8").strip()
    sandbox.baidu.faults.add("reset", times=None)
    answer = call("-vv", "-i", path, "run", "--account", "baidu", "--no-verify")
    assert answer.exit_code in (4, 5)
    assert token not in answer.stdout + answer.stderr
