"""From values to the JSON documents of the command line. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from submitter.asking.verify import Answer
from submitter.core.accounting import ExitCode
from submitter.core.calls import Check
from submitter.core.causes import find_cause, meaning_of, next_step_of
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Account
from submitter.core.lastrun import NO_RUN, LastRun
from submitter.core.looks import DocumentReading, PageRow, SiteLook
from submitter.core.records import LogRow, PageLogRow, SitemapStatus
from submitter.core.sights import Sight
from submitter.core.status import (
    SitemapState,
    last_try,
    sitemap_state,
    stuck_finding,
)
from submitter.core.summary import finding_json, timestamp
from submitter.core.traits import Traits
from submitter.errors import Fault
from submitter.render.documents import (
    AnswerDoc,
    CheckAccountDoc,
    CheckDoc,
    ErrorDoc,
    ExplainDoc,
    FaultDoc,
    FindingDoc,
    FlattenDoc,
    LogRowDoc,
    PageDoc,
    PageLogRowDoc,
    ReadingDoc,
    SightDoc,
    StatusDoc,
    SummaryDoc,
    VerifyDoc,
)
from submitter.stories.checkup import Checkup, Diagnosis
from submitter.stories.explaining import Story
from submitter.stories.recall import StatusLine


def finding_doc(finding: Finding) -> FindingDoc:
    return cast(FindingDoc, finding_json(finding))


def fault_doc(fault: Fault) -> FaultDoc:
    return {
        "where": fault.where,
        "line": fault.line or None,
        "column": fault.column or None,
        "problem": fault.problem,
    }


# ---------------------------------------------------------------- log


def log_row_doc(row: LogRow) -> LogRowDoc:
    return {
        "id": row.id,
        "run": row.run,
        "action": row.action,
        "attempt": row.attempt,
        "sent_at": timestamp(row.sent_at),
        "settled_at": timestamp(row.settled_at),
        "site": row.site,
        "account": row.account,
        "engine": row.engine,
        "property": row.property,
        "kind": row.kind,
        "target": row.target,
        "urls": row.urls,
        "accepted": row.accepted,
        "rejected": row.rejected,
        "state": row.state,
        "http_status": row.http_status,
        "code": row.code,
        "message": row.message,
        "quota_left": row.quota_left,
        "cause": row.cause,
        "meaning": meaning_of(row.cause, row.engine),
        "next_step": row.next_step or next_step_of(row.cause, row.engine),
    }


def page_log_row_doc(row: PageLogRow) -> PageLogRowDoc:
    return {
        "loc": row.loc,
        "site": row.site,
        "account": row.account,
        "engine": row.engine,
        "state": row.state,
        "reason": row.reason,
        "at": timestamp(row.at),
        "attempt_id": row.attempt_id,
    }


# ---------------------------------------------------------------- status


def status_doc(
    line: StatusLine,
    *,
    property: str,
    traits: Traits,
    waiting_since: datetime | None = None,
    sights: Sequence[Sight] = (),
    last: LastRun = NO_RUN,
) -> StatusDoc:
    """`sights` are of this sitemap, as ourselves and as the engine's crawler; `last` is what the
    newest run said of the target."""
    known, site = line.known, line.target.site
    standing = known.standing if known else None
    check = (known.check if known else None) or Check(property, line.sitemap or "")
    told_at = standing.told_at if standing else None
    stuck_after = timedelta(days=site.stuck_after_days)
    state = sitemap_state(
        known, traits=traits, waiting_since=waiting_since, stuck_after=stuck_after
    )
    tried = last_try(line.sitemap, known, traits, site.origin, last)
    finding = tried.why
    if finding is None or state is SitemapState.STUCK:
        finding = _why_not_fetched(known, state, sights, traits.name)
    return {
        "site": line.target.site.origin,
        "account": line.target.account.name,
        "engine": line.target.account.engine,
        "property": property,
        "sitemap": line.sitemap,
        "state": str(state),
        "last_try": tried.state,
        "last_submitted": timestamp(_latest(told_at, check.last_submitted)),
        "last_downloaded": timestamp(check.last_downloaded),
        "is_pending": check.is_pending,
        "is_index": check.is_index,
        "errors": check.errors,
        "warnings": check.warnings,
        "urls_submitted": check.urls_submitted,
        "urls_ours": known.urls_ours if known else None,
        "checked_at": timestamp(known.checked_at if known else None),
        "alias": site.aliases.get(line.sitemap or ""),
        "alias_of": site.alias_of(line.sitemap),
        "finding": finding_doc(finding) if finding else None,
        "seen": [sight_doc(one) for one in sights],
    }


def _why_not_fetched(
    known: SitemapStatus | None, state: SitemapState, sights: Sequence[Sight], engine: str
) -> Finding | None:
    """Why it is stuck, or why it was not even told."""
    if known is None:
        return None
    if state is SitemapState.STUCK:
        return stuck_finding(known, sights)
    reason = known.standing.reason if known.standing else ""
    if cause := find_cause(reason, engine):
        message = f"{cause.meaning}. {cause.next_step}".strip()
        return Finding(cause.id, Severity.WARNING, known.sitemap, message)
    return None


def sight_doc(sight: Sight) -> SightDoc:
    return {
        "as": sight.name,
        "at": timestamp(sight.at),
        "http_status": sight.http_status,
        "bytes": sight.size,
        "whole": sight.whole,
        "kind": str(sight.kind) if sight.kind else None,
        "reason": sight.reason or None,
        "problem": sight.problem or None,
    }


def _latest(*times: datetime | None) -> datetime | None:
    return max((at for at in times if at is not None), default=None)


# ---------------------------------------------------------------- verify


def verify_doc(
    answers: Sequence[Answer], statuses: list[StatusDoc], *, exit_code: int, at: datetime
) -> VerifyDoc:
    return {
        "finished_at": timestamp(at),
        "outcome": _VERIFY_OUTCOMES.get(exit_code, "stopped"),
        "exit_code": int(exit_code),
        "answers": [answer_doc(one) for one in answers],
        "statuses": statuses,
    }


_VERIFY_OUTCOMES: Mapping[int, str] = {
    ExitCode.OK: "ok",
    ExitCode.PARTIAL: "partial",
    ExitCode.NOTHING_SUCCEEDED: "failed",
    ExitCode.DEADLINE: "deadline",
}


def answer_doc(answer: Answer) -> AnswerDoc:
    state = "unasked" if answer.unasked else "failed" if answer.problem else "ok"
    return {
        "account": answer.account,
        "property": answer.property,
        "sites": list(answer.sites),
        "checks": answer.checks,
        "state": state,
        "problem": answer.problem or None,
        "cause": answer.cause,
        "meaning": answer.meaning,
        "next_step": answer.next_step,
    }


# ---------------------------------------------------------------- check


def check_doc(checkup: Checkup) -> CheckDoc:
    return {
        "ok": checkup.exit_code is ExitCode.OK,
        "online": checkup.online,
        "accounts": [_account_doc(one.account, one.diagnosis) for one in checkup.accounts],
        "targets": [
            {
                "site": one.target.site.origin,
                "property": one.property,
                **_account_doc(one.target.account, one.diagnosis),
            }
            for one in checkup.targets
        ],
        "findings": [finding_doc(one) for one in checkup.findings],
    }


def _account_doc(account: Account, diagnosis: Diagnosis) -> CheckAccountDoc:
    return {
        "account": account.name,
        "engine": account.engine,
        "state": str(diagnosis.health),
        "cause": diagnosis.cause,
        "message": diagnosis.message,
        "next_step": diagnosis.next_step,
    }


# ---------------------------------------------------------------- explain


def explain_doc(story: Story) -> ExplainDoc:
    """Where several sites list a page, its dates are those of the first."""
    page = story.pages[0] if story.pages else None
    return {
        "loc": story.loc,
        "kind": story.kind,
        "documents": list(story.documents),
        "section": page.section if page else None,
        "lastmod": timestamp(page.lastmod if page else None),
        "first_seen": timestamp(page.first_seen if page else None),
        "last_seen": timestamp(page.last_seen if page else None),
        "gone_at": timestamp(page.gone_at if page else None),
        "targets": [
            {
                "site": one.site,
                "account": one.account,
                "state": one.state,
                "attempts": [log_row_doc(row) for row in one.attempts],
                "why_not": one.why_not,
                "reason": one.why.reason or None,
                "next_step": one.why.next_step or None,
                "not_before": timestamp(one.not_before),
                "alias": one.alias,
            }
            for one in story.targets
        ],
    }


# ---------------------------------------------------------------- flatten


def reading_doc(reading: DocumentReading) -> ReadingDoc:
    return {
        "url": reading.url,
        "final_url": reading.final_url,
        "depth": reading.depth,
        "kind": str(reading.kind) if reading.kind else None,
        "http_status": reading.http_status,
        "children": reading.children,
        "pages": reading.pages,
        "over_limit": reading.over_limit,
        "complete": reading.complete,
        "findings": [finding_doc(one) for one in reading.findings],
    }


def flatten_doc(look: SiteLook) -> FlattenDoc:
    return {
        "documents": [reading_doc(one) for one in look.readings],
        "pages": look.listed,
        "findings": [finding_doc(one) for one in look.findings],
        "summary": summary_doc(every_finding(look)),
    }


def every_finding(look: SiteLook) -> list[Finding]:
    return [*look.findings, *(one for reading in look.readings for one in reading.findings)]


def summary_doc(findings: Iterable[Finding]) -> SummaryDoc:
    severities = [finding.severity for finding in findings]
    return {
        "errors": severities.count(Severity.ERROR),
        "warnings": severities.count(Severity.WARNING),
    }


def page_docs(document: str, pages: Sequence[PageRow]) -> list[PageDoc]:
    return [
        {"loc": page.loc, "lastmod": _lastmod(page.lastmod), "document": document} for page in pages
    ]


def _lastmod(seconds: int | None) -> str | None:
    return None if seconds is None else timestamp(datetime.fromtimestamp(seconds, UTC))


# ---------------------------------------------------------------- errors


def error_doc(
    kind: str, exit_code: int, message: str, faults: Sequence[Fault] = ()
) -> dict[str, object]:
    """What `--json` prints when there is no result."""
    error: ErrorDoc = {"kind": kind, "exit_code": exit_code, "message": message}
    if faults:
        error["faults"] = [fault_doc(fault) for fault in faults]
    return {"error": error}
