"""No sentence stands twice in what a terminal shows of one call, or of one address."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import reports

from submitter.render.documents import FindingDoc, LogRowDoc, StatusDoc
from submitter.render.screen import Screen
from submitter.render.text_explain import explain_text
from submitter.render.text_log import log_row_text
from submitter.render.text_status import status_text

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MEANING = "We can read the key file and the engine cannot"
STEP = "Let its crawler past the bot shield."
SCREEN = Screen(200)


def row(message: str) -> LogRowDoc:
    made = reports.log_row("x")
    return {**made, "message": message, "code": None, "meaning": MEANING, "next_step": STEP}


@pytest.mark.parametrize("message", [MEANING, f"{MEANING}: status 403", "status 403", ""])
def test_a_call_says_each_sentence_once(message: str) -> None:
    text = "\n".join(log_row_text(row(message), SCREEN))
    assert text.count(MEANING) == text.count(STEP) == 1
    assert message in text


@pytest.mark.parametrize("message", [MEANING, f"{MEANING}: status 403", "status 403"])
def test_an_address_says_each_sentence_once_however_often_it_was_tried(message: str) -> None:
    story = reports.explained("https://x.example/")
    [target] = story["targets"]
    target["why_not"] = f"the call was not carried out; {MEANING}; {STEP}"
    target["attempts"] = [row(message), row(message), row(message)]
    text = "\n".join(explain_text(story, NOW, SCREEN))
    assert text.count(MEANING) == text.count(STEP) == 1
    assert message.removeprefix(f"{MEANING}: ") in text
    assert text.count("2026-11-30") >= 3


def test_what_is_the_same_at_many_sitemaps_is_said_once() -> None:
    finding: FindingDoc = {
        "id": "property-missing", "severity": "warning", "where": "", "message": STEP,
        "count": 1, "examples": [],
    }  # fmt: skip
    statuses: list[StatusDoc] = [
        {**reports.status(f"https://{n}.example/s.xml"), "finding": {**finding, "where": str(n)}}
        for n in range(5)
    ]
    text = "\n".join(status_text(statuses, NOW, SCREEN))
    assert text.count(STEP) == 1
    assert "property-missing, 5x" in text
    assert "0 and 4 more" in text


def test_a_sitemap_that_was_never_taken_has_the_state_of_its_last_try() -> None:
    one: StatusDoc = {**reports.status("x"), "state": "never_submitted", "last_try": "failed"}
    text = "\n".join(status_text([one], NOW, SCREEN))
    assert "failed" in text
    assert "never submitted" not in text
