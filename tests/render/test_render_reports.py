"""Every report fits 80 columns, shows nothing that steers a terminal, and says why."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import reports
from hypothesis import given
from hypothesis import strategies as st
from reports import NOW
from rich.cells import cell_len

from submitter.render.screen import LEAST_WIDTH, Screen
from submitter.render.text_check import check_text
from submitter.render.text_explain import explain_text
from submitter.render.text_flatten import flatten_text, page_line
from submitter.render.text_log import log_row_text, page_log_row_text
from submitter.render.text_plan import plan_text
from submitter.render.text_run import IDLE_SHOWN, run_text
from submitter.render.text_status import status_text, verify_text

Report = Callable[[str, Screen], list[str]]

REPORTS: dict[str, Report] = {
    "run": lambda text, screen: run_text(reports.run(text), NOW, screen),
    "plan": lambda text, screen: plan_text(reports.plan(text), NOW, screen, command="x"),
    "status": lambda text, screen: status_text([reports.status(text)], NOW, screen),
    "verify": lambda text, screen: verify_text(reports.verified(text), NOW, screen),
    "log": lambda text, screen: log_row_text(reports.log_row(text), screen),
    "log --pages": lambda text, screen: page_log_row_text(reports.page_log_row(text), screen),
    "explain": lambda text, screen: explain_text(reports.explained(text), NOW, screen),
    "check": lambda text, screen: check_text(reports.check(text), screen),
    "flatten": lambda text, screen: flatten_text(reports.flat(text), screen),
}
HOSTILE = {
    "long": "https://" + "a-very-long-host-name." * 11 + "example.com/" + "path/" * 30,
    "chinese": "https://" + "例子网站" * 15 + ".example/指南/" + "很长的路径" * 20,
    "control": "\x1b[2J\x1b]0;title\x07\r\nhttps://evil.example/\u202e\u2066\x9b31m\x00",
    "emoji": "👩‍👩‍👧‍👦🇩🇪" * 30,
    "words": "the engine said that this is not what it wants " * 8,
    "empty": "",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("width", [LEAST_WIDTH, 80, 200])
def test_a_report_fits_the_screen(report: Report, text: str, width: int) -> None:
    for line in report(text, Screen(width)):
        assert cell_len(line) <= width, line


@given(st.text(max_size=300))
@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_a_report_fits_80_columns_and_steers_no_terminal(report: Report, text: str) -> None:
    for line in report(text, Screen()):
        assert line.isprintable()
        assert cell_len(line) <= 80


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_colour_only_adds_escapes_of_our_own(report: Report) -> None:
    plain = report("x", Screen())
    painted = report("x", Screen(colour=True))
    bare = [line.replace("\x1b[0m", "") for line in painted]
    for ink in ("1", "2", "31", "32", "33"):
        bare = [line.replace(f"\x1b[{ink}m", "") for line in bare]
    assert [line.rstrip() for line in bare] == plain


def fields(lines: list[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def test_the_run_report_has_a_row_for_each_target_and_the_totals() -> None:
    document = reports.run("https://x.example/")
    document["targets"][0]["account"] = "baidu"
    rows = fields(run_text(document, NOW, Screen()))
    assert ["https://x.example/0", "baidu", "pages", "0", "1,000,000", "0", "0"] in rows
    assert ["total", "sitemaps", "1", "0", "0", "0"] in rows
    assert ["pages", "0", "1,000,000", "0", "0"] in rows


def test_with_many_targets_those_with_nothing_to_tell_share_a_line() -> None:
    document = reports.run("https://x.example/", targets=IDLE_SHOWN + 10)
    for target in document["targets"]:
        target["account"] = "baidu"
    for target in document["targets"][1:]:
        target["counts"]["pages"] = reports.counts(skipped=7)
    rows = fields(run_text(document, NOW, Screen()))
    assert [row[0] for row in rows if row[1:3] == ["baidu", "pages"]] == ["https://x.example/0"]
    assert [str(IDLE_SHOWN + 9), "more", "targets", "nothing"] in rows


def test_why_not_sent_adds_up_by_reason_and_names_the_earliest_time() -> None:
    document = reports.run("x")
    document["skips"] = [
        reports.skip("a", count=1_000),
        reports.skip("b", count=234, until="2026-12-01T16:00:00Z"),
        reports.skip("a", reason="unchanged", kind="sitemap", count=2, until=None),
    ]
    rows = [" ".join(row) for row in fields(run_text(document, NOW, Screen(120)))]
    assert "1,234 pages today's quota is spent (quota) 2026-11-30 16:00:00Z (in 4 h)" in rows
    assert "2 sitemaps told before, unchanged (unchanged) -" in rows


def test_alike_problems_are_told_once_with_the_engines_words_and_the_next_step() -> None:
    document = reports.run("x")
    document["problems"] = [
        reports.problem("x", target=f"https://x.example/{at}", message="User lacks permission")
        for at in range(9)
    ]
    text = "\n".join(run_text(document, NOW, Screen()))
    assert text.count("User lacks permission") == 1
    assert "failed, property-missing, 9x, HTTP 403" in text
    assert "Next: x" in text
    assert "and 6 more" in text


def test_problems_that_differ_only_in_the_site_are_one_block() -> None:
    document = reports.run("x")
    document["problems"] = [
        reports.problem(
            "x",
            site=f"https://s{at}.example",
            property=f"s{at}.example",
            target=f"https://s{at}.example/a",
            message=f"site error for site=s{at}.example",
            calls=called,
        )
        for at in range(8)
        for called in (1, 0)
    ]
    document["problems"].append(reports.problem("x", message="another thing", calls=1))
    text = "\n".join(run_text(document, NOW, Screen()))
    assert text.count("site error") == 1
    assert "failed, property-missing, 16x, 8 sites, 8 calls, HTTP 403" in text
    assert "failed, property-missing, 1x, HTTP 403" in text
    shown = [line for line in text.splitlines() if line.startswith("    https://s")]
    assert shown == [f"    https://s{at}.example" for at in range(3)]
    assert "and 5 more" in text


def test_a_door_that_was_closed_before_any_call_is_called_so() -> None:
    document = reports.run("x")
    document["problems"] = [reports.problem("x", count=4, calls=0)]
    text = "\n".join(run_text(document, NOW, Screen()))
    assert "failed, property-missing, 4x, not called, HTTP 403" in text


def test_findings_of_a_site_are_told_once_though_it_has_two_targets() -> None:
    document = reports.run("x", targets=1)
    document["targets"].append(document["targets"][0])
    text = "\n".join(run_text(document, NOW, Screen()))
    assert "foreign-host, 12,000x" in text


def test_the_plan_says_that_it_was_made_from_memory() -> None:
    lines = plan_text(reports.plan("x"), NOW, Screen(), command="submitter run")
    assert any("planned from memory" in line for line in lines)


def test_the_plan_ends_with_what_sends_it() -> None:
    lines = plan_text(reports.plan("x"), NOW, Screen(), command="submitter run --only-plan d")
    assert lines[-1] == "    submitter run --only-plan d"


def test_a_plan_for_another_moment_names_no_command() -> None:
    text = " ".join(plan_text(reports.plan("x"), NOW, Screen(), command=None))
    assert "submitter run" not in text
    assert "To send exactly this" not in text
    assert "A run at that moment plans anew" in text


def test_the_command_is_not_folded_so_that_it_can_be_copied() -> None:
    command = "submitter run --only-plan d --site " + "x" * 100 + "\x1b"
    lines = plan_text(reports.plan("x"), NOW, Screen(), command=command)
    assert lines[-1] == "    " + command.replace("\x1b", "\\x1b")


def test_an_empty_plan_says_so() -> None:
    document = reports.plan("x")
    document["actions"] = []
    lines = plan_text(document, NOW, Screen(), command="never shown")
    assert lines[-1] == "There is nothing to send."


def test_targets_that_take_no_sitemaps_are_counted_and_not_listed() -> None:
    unsupported = reports.status("https://x.example/")
    unsupported |= {"state": "not_supported", "finding": None, "last_try": None}
    assert status_text([unsupported], NOW, Screen()) == [
        "No sitemap is known yet.",
        "",
        "1 more at engines that cannot be told sitemaps; see `submitter log`",
    ]


def test_an_unknown_address_is_said_to_be_unknown() -> None:
    story = reports.explained("https://x.example/") | {"kind": "unknown", "targets": []}
    assert any("Nothing is known" in line for line in explain_text(story, NOW, Screen()))


def test_a_page_line_has_three_fields_whatever_the_address_holds() -> None:
    line = page_line({"loc": "https://x/\t\n", "lastmod": None, "document": "d"})
    assert line == "https://x/\\t\\n\t\td"
