"""The JSON documents of the command line as types. They only grow; absent = None.

Times are RFC 3339 UTC texts. What `run` and `plan` print is made in `core.summary`.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class FindingDoc(TypedDict):
    id: str
    severity: str
    where: str
    message: str
    count: int
    examples: list[str]


class SkipDoc(TypedDict):
    site: str
    account: str | None
    kind: str
    reason: str
    count: int
    until: str | None


class AllowanceDoc(TypedDict):
    account: str
    property: str
    day: str
    limit: int | None
    spent: int
    left: int | None
    resets_at: str | None


class ActionDoc(TypedDict):
    action: str
    site: str
    account: str
    engine: str
    property: str
    kind: str
    target: str
    pages: int
    reason: str
    cost: int


class PlanDoc(TypedDict):
    digest: str
    made_at: str
    observed: NotRequired[bool]
    actions: list[ActionDoc]
    skips: list[SkipDoc]
    allowances: list[AllowanceDoc | None]
    findings: list[FindingDoc]


class CountsDoc(TypedDict):
    sitemaps: dict[str, int]
    pages: dict[str, int]


class DeltaDoc(TypedDict):
    new: int
    changed: int
    gone: int


class RunTargetDoc(TypedDict):
    site: str
    account: str
    engine: str
    property: str
    documents: int
    pages: int
    delta: DeltaDoc
    counts: CountsDoc
    allowance: AllowanceDoc | None
    findings: list[FindingDoc]


class ProblemDoc(ActionDoc):
    state: str
    http_status: int | None
    code: str | None
    message: str
    cause: str | None
    next_step: str | None
    rejected: int


class RunDoc(TypedDict):
    run: str
    started_at: str
    finished_at: str
    outcome: str
    exit_code: int
    digest: str
    counts: CountsDoc
    targets: list[RunTargetDoc]
    skips: list[SkipDoc]
    problems: list[ProblemDoc]


class LogRowDoc(TypedDict):
    id: int
    run: str
    action: str
    attempt: int
    sent_at: str | None
    settled_at: str | None
    site: str
    account: str
    engine: str
    property: str
    kind: str
    target: str
    urls: int
    accepted: int
    rejected: int
    state: str
    http_status: int | None
    code: str | None
    message: str
    quota_left: int | None
    cause: str | None
    next_step: str | None


class PageLogRowDoc(TypedDict):
    loc: str
    site: str
    account: str
    engine: str
    state: str
    reason: str
    at: str | None
    attempt_id: int


class StatusDoc(TypedDict):
    site: str
    account: str
    engine: str
    property: str
    sitemap: str | None
    state: str
    last_submitted: str | None
    last_downloaded: str | None
    is_pending: bool | None
    is_index: bool | None
    errors: int | None
    warnings: int | None
    urls_submitted: int | None
    urls_ours: int | None
    checked_at: str | None


class ExplainTargetDoc(TypedDict):
    site: str
    account: str
    state: str
    attempts: list[LogRowDoc]
    why_not: str | None
    not_before: str | None


class ExplainDoc(TypedDict):
    loc: str
    kind: str
    """`page`, `sitemap` or `unknown`."""
    documents: list[str]
    section: str | None
    lastmod: str | None
    first_seen: str | None
    last_seen: str | None
    gone_at: str | None
    targets: list[ExplainTargetDoc]


class CheckAccountDoc(TypedDict):
    account: str
    engine: str
    state: str
    cause: str | None
    message: str
    next_step: str | None


class CheckTargetDoc(CheckAccountDoc):
    site: str
    property: str


class CheckDoc(TypedDict):
    ok: bool
    accounts: list[CheckAccountDoc]
    targets: list[CheckTargetDoc]
    findings: list[FindingDoc]


class AnswerDoc(TypedDict):
    account: str
    property: str
    sites: list[str]
    checks: int
    state: str
    """`ok`, `failed` or `unasked` (the deadline came first)."""
    problem: str | None


class VerifyDoc(TypedDict):
    finished_at: str | None
    outcome: str
    exit_code: int
    answers: list[AnswerDoc]
    statuses: list[StatusDoc]


class ReadingDoc(TypedDict):
    url: str
    final_url: str
    depth: int
    kind: str | None
    http_status: int | None
    children: int
    pages: int
    over_limit: int
    complete: bool
    findings: list[FindingDoc]


class SummaryDoc(TypedDict):
    errors: int
    warnings: int


class FlattenDoc(TypedDict):
    documents: list[ReadingDoc]
    pages: int
    findings: list[FindingDoc]
    summary: SummaryDoc


class PageDoc(TypedDict):
    loc: str
    lastmod: str | None
    document: str


class FaultDoc(TypedDict):
    where: str
    line: int
    column: int
    problem: str


class ErrorDoc(TypedDict):
    kind: str
    exit_code: int
    message: str
    faults: NotRequired[list[FaultDoc]]
