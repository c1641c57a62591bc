"""`explain`, `status` and `log` after a run: reason, time and next step are those of the run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from calling import Answer, Call

from submitter.core.alerts import NEXT_STEPS
from submitter.core.calls import Action, Outcome
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger import open_ledger
from submitter.sandbox import Break, Sandbox
from submitter.sandbox.pytest_plugin import sandbox

__all__ = ["sandbox"]

Demo = Callable[..., Answer]
KEY_MISSING = "key-file-missing"


@pytest.fixture
def demo(call: Call, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Demo:
    """The sandbox's inventory, every site at IndexNow as well, where no site serves the key."""
    path = sandbox.write_demo(tmp_path / "demo")
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document["accounts"]["indexnow"] = {
        "engine": "indexnow",
        "key": "env:INDEXNOW_KEY",
        "endpoint": sandbox.indexnow.endpoint,
    }
    document["defaults"]["accounts"].append("indexnow")
    for site in document["sites"][0]["subdomains"]:
        if "accounts" in site:
            site["accounts"].append("indexnow")
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    monkeypatch.setenv("INDEXNOW_KEY", "0f1e2d3c4b5a6978")
    return lambda *argv: call("-i", path, *argv)


def told(demo: Demo, address: str, account: str) -> Any:
    targets = demo("explain", address, "--json").json()["targets"]
    [found] = [one for one in targets if one["account"] == account]
    return found


def untold(demo: Demo, site: str, account: str) -> list[str]:
    """Pages that the run did not call about there."""
    sitemap = f"http://{site}.fleet.test/sitemap-index.xml"
    pages = demo("flatten", sitemap, "--pages", "--json").json()["rows"]
    called = {row["loc"] for row in demo("log", "--pages", "--account", account, "--json").json()}
    return [row["loc"] for row in pages if row["loc"] not in called]


def test_an_address_is_explained_as_the_run_reported_it(demo: Demo) -> None:
    report = demo("run", "--no-verify", "--json").json()
    skips = {(one["site"], one["account"], one["kind"]): one for one in report["skips"]}
    for name, reason in (("closed", "guard"), ("empty", "guard"), ("broken", "unreadable")):
        one = told(demo, f"http://{name}.fleet.test/sitemap.xml", "google")
        skip = skips[f"http://{name}.fleet.test", "google", "sitemap"]
        assert (one["state"], one["reason"]) == ("skipped", reason) == ("skipped", skip["reason"])
        assert one["next_step"]
        assert one["next_step"] in one["why_not"]
    assert "Googlebot" in told(demo, "http://closed.fleet.test/sitemap.xml", "google")["why_not"]
    quota = skips["http://shop.fleet.test", "baidu", "urls"]
    one = told(demo, untold(demo, "shop", "baidu")[0], "baidu")
    assert (one["state"], one["reason"], one["not_before"]) == ("deferred", "quota", quota["until"])


def test_pages_that_were_given_up_before_a_call_are_explained(demo: Demo) -> None:
    report = demo("run", "--no-verify", "--json").json()
    problems = [one for one in report["problems"] if one["account"] == "indexnow"]
    assert {one["cause"] for one in problems} == {KEY_MISSING}
    for problem in problems:
        one = told(demo, problem["target"], "indexnow")
        assert (one["state"], one["reason"]) == (problem["state"], KEY_MISSING)
        assert one["next_step"] == problem["next_step"]
        assert problem["message"] in one["why_not"]
    first_run = {skip["site"] for skip in report["skips"] if skip["reason"] == "first-run"}
    assert "http://shop.fleet.test" in first_run
    left = untold(demo, "shop", "indexnow")
    states = {
        (one["state"], one["reason"])
        for loc in (left[0], left[len(left) // 2], left[-1])
        for one in [told(demo, loc, "indexnow")]
    }
    assert states == {("skipped", "first-run"), ("failed", KEY_MISSING)}


def test_what_failed_before_a_call_is_found_after_the_run(demo: Demo) -> None:
    report = demo("run", "--no-verify", "--json").json()
    failed = {
        (one["site"], one["account"]) for one in report["problems"] if one["state"] == "failed"
    }
    rows = demo("status", "--json").json()
    assert {(row["site"], row["account"]) for row in rows if row["last_try"] == "failed"} == failed
    causes = {row["finding"]["id"] for row in rows if row["last_try"] == "failed"}
    assert causes == {KEY_MISSING, "property-missing", "role-restricted"}
    screen = demo("status").stdout
    assert KEY_MISSING in screen
    assert screen.count("Put a plain text file") == 1
    pointed = demo("log", "--state", "failed")
    assert "submitter status" in pointed.stderr
    assert KEY_MISSING in pointed.stderr
    assert "submitter status" not in demo("log", "--state", "accepted").stderr
    assert "submitter status" in NEXT_STEPS["job-failing"]


def test_a_failed_look_leaves_the_number_of_pages(demo: Demo, sandbox: Sandbox) -> None:
    """The site is down: what we counted in its sitemap is not 0, it is what it was."""
    demo("run", "--no-verify")

    def ours() -> Any:
        [row] = demo("status", "--site", "www*", "--engine", "google", "--json").json()
        return row["urls_ours"]

    assert ours() == 23
    sandbox.fleet.site("www.fleet.test").break_document("/sitemap-index.xml", Break.GONE)
    report = demo("run", "--no-verify", "--json").json()
    assert "unreadable" in {skip["reason"] for skip in report["skips"] if "www" in skip["site"]}
    one = told(demo, "http://www.fleet.test/sitemap-index.xml", "google")
    assert one["state"] == "accepted"
    assert ours() == 23


def test_a_one_off_submission_hides_nothing_of_the_run_before(demo: Demo) -> None:
    """The newest run that had the target counts, not the newest run."""
    demo("run", "--no-verify")
    before = report_of_empty(demo)
    demo("submit", "--account", "google", "http://empty.fleet.test/other.xml")
    demo("submit", "--account", "google", "http://blog.fleet.test/feed.xml")
    one = told(demo, "http://empty.fleet.test/sitemap.xml", "google")
    assert (one["state"], one["reason"]) == ("skipped", "guard")
    assert report_of_empty(demo) == before == ("skipped", "guard-empty")


def report_of_empty(demo: Demo) -> tuple[str, str]:
    [row] = demo("status", "--site", "empty.fleet.test", "--account", "google", "--json").json()
    return row["last_try"], row["finding"]["id"]


def test_what_a_worker_told_since_is_not_in_the_way_any_more(demo: Demo, tmp_path: Path) -> None:
    """Workers leave calls and no report of a run."""
    report = demo("run", "--no-verify", "--json").json()
    sites = sorted({one["site"] for one in report["problems"] if one["account"] == "indexnow"})
    [url] = [f"sqlite:///{path}" for path in tmp_path.rglob("*.db")]
    with closing(open_ledger(url)) as ledger:
        now = datetime.now(UTC) + timedelta(seconds=5)
        lease = ledger.acquire("run", "a worker", ttl_s=60, now=now)
        action = Action(
            sites[0], "indexnow", "indexnow", sites[0], Kind.URLS, sites[0], "new", "pages", cost=1
        )
        call = ledger.claim(lease, action, run="w", number=1, at=now, allowance=None)
        taken = Outcome(state=State.ACCEPTED, rest=State.ACCEPTED)
        ledger.settle(lease, call, action, taken, at=now, allowance=None)
        ledger.release(lease)
    rows = demo("status", "--account", "indexnow", "--json").json()
    failed = sorted(row["site"] for row in rows if row["last_try"] == "failed")
    assert failed == sites[1:]
