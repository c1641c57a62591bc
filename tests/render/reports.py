"""Documents of every kind with long, wide and hostile text in them, for the tests of reports."""

from __future__ import annotations

from datetime import UTC, datetime

from submitter.render.documents import (
    ActionDoc,
    AllowanceDoc,
    CheckDoc,
    ExplainDoc,
    FindingDoc,
    FlattenDoc,
    LogRowDoc,
    PageLogRowDoc,
    PlanDoc,
    ProblemDoc,
    RunDoc,
    RunTargetDoc,
    SkipDoc,
    StatusDoc,
    VerifyDoc,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
STAMP = "2026-11-30T10:00:00Z"
COLUMNS = ("accepted", "received", "already", "rejected", "deferred", "unknown", "failed")


def counts(**values: int) -> dict[str, int]:
    return {column: values.get(column, 0) for column in (*COLUMNS, "skipped")}


def finding(text: str) -> FindingDoc:
    return {
        "id": "foreign-host",
        "severity": "warning",
        "where": text,
        "message": text,
        "count": 12_000,
        "examples": [text] * 5,
    }


def allowance(text: str) -> AllowanceDoc:
    return {
        "account": text,
        "property": text,
        "day": "2026-11-30",
        "limit": None,
        "spent": 1_000_000,
        "left": None,
        "resets_at": "2026-11-30T16:00:00Z",
    }


def skip(
    text: str,
    *,
    reason: str = "quota",
    kind: str = "urls",
    count: int = 9,
    until: str | None = "2026-11-30T16:00:00Z",
) -> SkipDoc:
    return {
        "site": text,
        "account": text,
        "kind": kind,
        "reason": reason,
        "count": count,
        "until": until,
    }


def action(text: str) -> ActionDoc:
    return {
        "action": "0123456789abcdef",
        "site": text,
        "account": text,
        "engine": "google",
        "property": text,
        "kind": "urls",
        "target": text,
        "pages": 2_000,
        "reason": text,
        "cost": 2_000,
    }


def problem(text: str, **facts: object) -> ProblemDoc:
    made: dict[str, object] = {
        **action(text),
        "state": "failed",
        "http_status": 403,
        "code": None,
        "message": text,
        "cause": "property-missing",
        "meaning": text,
        "next_step": text,
        "rejected": 0,
        **facts,
    }
    return made  # type: ignore[return-value]  # every key is there


def run_target(text: str, **pages: int) -> RunTargetDoc:
    return {
        "site": text,
        "account": text,
        "engine": "baidu",
        "property": text,
        "documents": 1,
        "pages": 1_000_000,
        "delta": {"new": 1, "changed": 0, "gone": 0},
        "counts": {"sitemaps": counts(), "pages": counts(**pages)},
        "allowance": allowance(text),
        "findings": [finding(text)],
    }


def run(text: str, *, targets: int = 1) -> RunDoc:
    return {
        "run": "20261130T164300Z-ab12cd",
        "started_at": STAMP,
        "finished_at": STAMP,
        "outcome": "partial",
        "exit_code": 4,
        "digest": "0123456789abcdef",
        "counts": {"sitemaps": counts(accepted=1), "pages": counts(deferred=1_000_000)},
        "targets": [run_target(f"{text}{at}", deferred=1_000_000) for at in range(targets)],
        "skips": [skip(text), skip(text, reason=text), skip(text, reason="guard", kind="sitemap")],
        "problems": [problem(text), problem(text, message="other", next_step=None)],
    }


def plan(text: str) -> PlanDoc:
    return {
        "digest": "0123456789abcdef",
        "made_at": STAMP,
        "observed": False,
        "actions": [action(text), action(text)],
        "skips": [skip(text)],
        "allowances": [allowance(text), None],
        "findings": [finding(text)],
    }


def status(text: str) -> StatusDoc:
    return {
        "site": text,
        "account": text,
        "engine": "google",
        "property": text,
        "sitemap": text,
        "state": "fetched_with_errors",
        "last_submitted": STAMP,
        "last_downloaded": STAMP,
        "is_pending": None,
        "is_index": True,
        "errors": 1_000_000,
        "warnings": 1_000_000,
        "urls_submitted": 50_000_000,
        "urls_ours": 50_000_000,
        "last_try": "failed",
        "checked_at": STAMP,
        "alias": text,
        "alias_of": None,
        "finding": finding(text),
        "seen": [],
    }


def log_row(text: str) -> LogRowDoc:
    return {
        "id": 1,
        "run": "r",
        "action": "a",
        "attempt": 2,
        "sent_at": STAMP,
        "settled_at": None,
        "site": text,
        "account": text,
        "engine": "baidu",
        "property": text,
        "kind": "urls",
        "target": text,
        "urls": 2_000,
        "accepted": 1_999,
        "rejected": 1,
        "state": "partial",
        "http_status": 200,
        "code": text,
        "message": text,
        "quota_left": 0,
        "cause": None,
        "meaning": None,
        "next_step": text,
    }


def page_log_row(text: str) -> PageLogRowDoc:
    return {
        "loc": text,
        "site": text,
        "account": text,
        "engine": "baidu",
        "state": "rejected",
        "reason": text,
        "at": STAMP,
        "attempt_id": 1,
    }


def explained(text: str) -> ExplainDoc:
    return {
        "loc": text,
        "kind": "page",
        "documents": [text],
        "section": text,
        "lastmod": STAMP,
        "first_seen": STAMP,
        "last_seen": STAMP,
        "gone_at": None,
        "targets": [
            {
                "site": text,
                "account": text,
                "state": "deferred",
                "attempts": [log_row(text)],
                "why_not": text,
                "reason": text,
                "next_step": text,
                "not_before": STAMP,
                "alias": text,
            }
        ],
    }


def check(text: str) -> CheckDoc:
    return {
        "ok": False,
        "online": True,
        "accounts": [
            {
                "account": text,
                "engine": "google",
                "state": "failed",
                "cause": "x",
                "message": text,
                "next_step": text,
            }
        ],
        "targets": [
            {
                "site": text,
                "property": text,
                "account": text,
                "engine": "google",
                "state": "failed",
                "cause": text,
                "message": text,
                "next_step": text,
            }
        ]
        * 5,
        "findings": [finding(text)],
    }


def verified(text: str) -> VerifyDoc:
    return {
        "finished_at": STAMP,
        "outcome": "partial",
        "exit_code": 4,
        "answers": [
            {
                "account": text,
                "property": text,
                "sites": [text],
                "checks": 0,
                "state": "failed",
                "problem": text,
                "cause": text,
                "meaning": text,
                "next_step": text,
            }
        ],
        "statuses": [status(text)],
    }


def flat(text: str) -> FlattenDoc:
    return {
        "documents": [
            {
                "url": text,
                "final_url": text,
                "depth": 3,
                "kind": "urlset",
                "http_status": 200,
                "children": 50_000,
                "pages": 50_000,
                "over_limit": 0,
                "complete": False,
                "findings": [finding(text)],
            }
        ],
        "pages": 50_000,
        "findings": [finding(text)],
        "summary": {"errors": 0, "warnings": 2},
    }
