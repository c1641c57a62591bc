"""Why an engine does not have an address, in words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from submitter.core.records import LogRow
from submitter.core.states import TOLD
from submitter.stories.reasons import of_state

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FAILED = "the call was not carried out; the next run tries again"


def row(**facts: object) -> LogRow:
    made: dict[str, object] = {
        "id": 1, "run": "r", "action": "a", "attempt": 1, "sent_at": NOW, "settled_at": NOW,
        "site": "https://x.example", "account": "gsc", "engine": "google", "property": "p",
        "kind": "sitemap", "target": "t", "urls": 0, "accepted": 0, "rejected": 0,
        "state": "failed", **facts,
    }  # fmt: skip
    return LogRow(**made)  # type: ignore[arg-type]  # every field is there


@pytest.mark.parametrize("state", sorted(TOLD))
def test_what_the_engine_has_needs_no_reason(state: str) -> None:
    assert of_state(state, "whatever", NOW, row()).words == ""


@pytest.mark.parametrize(
    ("state", "reason", "until", "last", "words"),
    [
        ("waiting", "new", None, None, "it waits for its turn; new"),
        (
            "deferred",
            "quota",
            NOW,
            None,
            "it waits; today's quota is spent; not before 2026-11-30T12:00:00Z",
        ),
        (
            "rejected",
            "not_same_site",
            None,
            row(message="not_same_site"),
            "the engine does not want it; the same is never sent again; not_same_site",
        ),
        (
            "failed",
            "",
            None,
            row(message="403", next_step="add an owner"),
            f"{FAILED}; the engine said: 403; add an owner",
        ),
        ("unknown", "", None, None, "it was sent and no answer could be read"),
        ("never", "", None, None, "no rule tells it"),
        ("brand-new-state", "", None, None, "brand-new-state"),
    ],
)
def test_every_other_state_says_why(
    state: str, reason: str, until: datetime | None, last: LogRow | None, words: str
) -> None:
    assert of_state(state, reason, until, last).words == words
