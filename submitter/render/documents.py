"""The JSON documents of the command line as types. They only grow; absent = None.

Times are RFC 3339 UTC texts. What `run` and `plan` print is made in `core.summary`.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class FindingDoc(TypedDict):
    id: str
    """A key of the tables of findings."""
    severity: str
    """`error`, `warning` or `info`."""
    where: str
    message: str
    """What is wrong."""
    count: int
    examples: list[str]


class EnqueuedDoc(TypedDict):
    run: str
    """What the calls of these jobs have as their run in the log."""
    looks: int
    """Sites to look at that were not waiting already."""
    lanes: int
    """Lanes to send in that were not waiting already."""


class WorkerDoc(TypedDict):
    ended: str
    """`drained`: nothing could be taken any more; or `stopped`, by a signal."""
    exit_code: int
    """0; 4: something of what this worker did went wrong; 3: a site was held."""


class SkipDoc(TypedDict):
    site: str
    account: str | None
    """The account's name; null: at every account."""
    kind: str
    """`sitemap`, `urls` or `removal`."""
    reason: str
    """A key of the table of reasons."""
    count: int
    until: str | None


class AllowanceDoc(TypedDict):
    account: str
    property: str
    day: str
    """The engine's own day."""
    limit: int | None
    spent: int
    """Accepted, in flight and unknown."""
    left: int | None
    resets_at: str | None


class ActionDoc(TypedDict):
    action: str
    site: str
    account: str
    engine: str
    property: str
    kind: str
    """`sitemap`, `urls` or `removal`."""
    target: str
    pages: int
    """Pages in the call; 0 for a sitemap."""
    reason: str
    """Why it is planned: `new`, `changed`, `gone`, `age`, `forced`, or again after a state."""
    cost: int


class PlanDoc(TypedDict):
    digest: str
    made_at: str
    """The moment that was planned for."""
    observed: NotRequired[bool]
    """False: another run holds the ledger, so the plan is made from memory."""
    actions: list[ActionDoc]
    skips: list[SkipDoc]
    allowances: list[AllowanceDoc | None]
    findings: list[FindingDoc]


class CountsDoc(TypedDict):
    sitemaps: dict[str, int]
    """State or `skipped` → sitemaps."""
    pages: dict[str, int]
    """State or `skipped` → pages."""


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
    """Sitemap files that were read."""
    pages: int
    """Pages that the site lists."""
    delta: DeltaDoc
    counts: CountsDoc
    allowance: AllowanceDoc | None
    findings: list[FindingDoc]


class ProblemDoc(ActionDoc):
    count: int
    """Actions; more than one where none of them was begun, all for this reason."""
    calls: int
    """Those of them for which the engine was called; 0: what was known already stood in the way."""
    state: str
    """`rejected`, `unknown`, `failed` or `partial`."""
    http_status: int | None
    code: str | None
    message: str
    cause: str | None
    meaning: str | None
    """What the cause means, from the one table of causes."""
    next_step: str | None
    rejected: int


class RunDoc(TypedDict):
    run: str
    started_at: str
    """When it began."""
    finished_at: str
    outcome: str
    """`ok`, `partial`, `failed`, `nothing`, `held`, `deadline` or `stopped`."""
    exit_code: int
    partial: bool
    """Only what a person named with `submit`: not all that there is of its targets."""
    digest: str
    counts: CountsDoc
    targets: list[RunTargetDoc]
    skips: list[SkipDoc]
    problems: list[ProblemDoc]
    """The calls that went wrong."""


class LogRowDoc(TypedDict):
    id: int
    """Number of the call, growing."""
    run: str
    action: str
    attempt: int
    """1 for the first try, 2 for the second, and so on."""
    sent_at: str | None
    """When the intent was stored."""
    settled_at: str | None
    """When the outcome was stored; null while in flight."""
    site: str
    account: str
    engine: str
    property: str
    kind: str
    """`sitemap`, `urls`, `removal` or `withdrawal`."""
    target: str
    urls: int
    """Pages in the call; 0 for a sitemap."""
    accepted: int
    """Pages that the engine took; 1 for a sitemap."""
    rejected: int
    state: str
    """A state, or `partial`."""
    http_status: int | None
    code: str | None
    message: str
    quota_left: int | None
    """What the engine said is left today."""
    cause: str | None
    meaning: str | None
    """What the cause means, from the one table of causes."""
    next_step: str | None


class PageLogRowDoc(TypedDict):
    loc: str
    site: str
    account: str
    engine: str
    state: str
    """The page's state at this account."""
    reason: str
    """The engine's words about this page."""
    at: str | None
    """When that became so."""
    attempt_id: int
    """The call, as `id` in the log."""


SightDoc = TypedDict(
    "SightDoc",
    {
        "as": str,
        "at": str | None,
        "http_status": int | None,
        "bytes": int,
        "whole": bool,
        "kind": str | None,
        "reason": str | None,
        "problem": str | None,
    },
)
"""One look at a sitemap. `as`: `ourselves` or a crawler's name; `bytes` were read after inflating,
all there are when `whole`; `reason` and `problem` say what went wrong."""


class StatusDoc(TypedDict):
    site: str
    account: str
    engine: str
    property: str
    sitemap: str | None
    """Its address; null: the engine cannot be told sitemaps, or none is known yet."""
    state: str
    """A state of a sitemap."""
    last_try: str | None
    """How the last run that planned it ended, where it is not what stands: a state; null: nothing
    is open."""
    last_submitted: str | None
    """The later of our own word and the engine's."""
    last_downloaded: str | None
    is_pending: bool | None
    """The engine has not processed it yet, in its own word."""
    is_index: bool | None
    """The engine takes it for an index."""
    errors: int | None
    """Errors that the engine found."""
    warnings: int | None
    """Warnings that the engine gave."""
    urls_submitted: int | None
    """Pages that the engine counts in it."""
    urls_ours: int | None
    """Pages that we count under it."""
    checked_at: str | None
    alias: str | None
    """The further address that the inventory names for it."""
    alias_of: str | None
    """The sitemap whose further address this is."""
    finding: FindingDoc | None
    """Why it is stuck, or why it was not told."""
    seen: list[SightDoc]
    """What it looked like to us when it was stuck: as ourselves, and in the crawler's name."""


class ExplainTargetDoc(TypedDict):
    site: str
    account: str
    state: str
    """A state, `waiting` for the next run, `skipped` until something changes, or `never`: no rule
    tells it."""
    attempts: list[LogRowDoc]
    why_not: str | None
    """Why the engine does not have it; null: it has."""
    reason: str | None
    """The same as the id of a skip or of a cause; null: there is none."""
    next_step: str | None
    not_before: str | None
    alias: str | None
    """This is about the sitemap's other address; null: about the address itself."""


class ExplainDoc(TypedDict):
    loc: str
    kind: str
    """`page`, `sitemap` or `unknown`."""
    documents: list[str]
    """The sitemaps that list it."""
    section: str | None
    lastmod: str | None
    first_seen: str | None
    """When a look first found it."""
    last_seen: str | None
    """When a look last found it."""
    gone_at: str | None
    """Since when it is gone; null: it is not."""
    targets: list[ExplainTargetDoc]


class CheckAccountDoc(TypedDict):
    account: str
    engine: str
    state: str
    """`ok`, `failed` or `unchecked` (not asked, or it would cost quota)."""
    cause: str | None
    message: str
    next_step: str | None


class CheckTargetDoc(CheckAccountDoc):
    site: str
    property: str


class CheckDoc(TypedDict):
    ok: bool
    """Nothing failed."""
    online: bool
    """False: only the inventory and its secrets were looked at; nobody was asked."""
    accounts: list[CheckAccountDoc]
    targets: list[CheckTargetDoc]
    findings: list[FindingDoc]


class AnswerDoc(TypedDict):
    account: str
    property: str
    sites: list[str]
    """The sites that were asked about."""
    checks: int
    """Sitemaps that the engine said something about."""
    state: str
    """`ok`, `failed` or `unasked` (the deadline came first, or the account is paused)."""
    problem: str | None
    cause: str | None
    meaning: str | None
    """What the cause means, from the one table of causes."""
    next_step: str | None


class VerifyDoc(TypedDict):
    finished_at: str | None
    outcome: str
    """`ok`, `partial`, `failed`, `deadline` or `stopped`."""
    exit_code: int
    answers: list[AnswerDoc]
    """One for each property that was asked about."""
    statuses: list[StatusDoc]
    """What is known now, as `status` shows it."""


class ReadingDoc(TypedDict):
    url: str
    final_url: str
    """Where redirects led to."""
    depth: int
    """Indexes above it."""
    kind: str | None
    http_status: int | None
    children: int
    """Documents that it names."""
    pages: int
    """Pages of the site in it."""
    over_limit: int
    """Entries beyond a limit, not used."""
    complete: bool
    """It was read to its end."""
    findings: list[FindingDoc]


class SummaryDoc(TypedDict):
    errors: int
    warnings: int


class FlattenDoc(TypedDict):
    documents: list[ReadingDoc]
    """The sitemap files, in the order they were read."""
    pages: int
    """Different pages in all of them."""
    findings: list[FindingDoc]
    summary: SummaryDoc
    """Over all findings."""


class PageDoc(TypedDict):
    loc: str
    lastmod: str | None
    document: str
    """The sitemap that lists it."""


class FaultDoc(TypedDict):
    where: str
    line: int | None
    column: int | None
    problem: str


class ErrorDoc(TypedDict):
    kind: str
    """`config`, `usage`, `unsafe-plan`, `no-match`, `busy`, `ledger`, `storage`, `unreachable` or
    `internal`."""
    exit_code: int
    message: str
    faults: NotRequired[list[FaultDoc]]
    """All that is wrong in a file or on the command line."""
