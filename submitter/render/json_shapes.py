"""Which JSON document each command prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypedDict

from submitter.render.audit_documents import AuditDoc
from submitter.render.build_report import BuildDoc
from submitter.render.crawl_documents import CrawlersDoc
from submitter.render.documents import (
    CheckDoc,
    EnqueuedDoc,
    ErrorDoc,
    ExplainDoc,
    FlattenDoc,
    LogRowDoc,
    PageDoc,
    PageLogRowDoc,
    PlanDoc,
    RunDoc,
    StatusDoc,
    VerifyDoc,
    WorkerDoc,
)
from submitter.render.domain_report import DomainDoc
from submitter.render.inspection_report import SampleDoc
from submitter.render.ledger_report import CopyDoc, LedgerDoc
from submitter.render.manual_documents import FlattenBaiduDoc, ManualDoc, TickDoc
from submitter.render.report_documents import OverviewDoc, ToldDoc
from submitter.render.withdrawal_report import WithdrawDoc


class InitDoc(TypedDict):
    path: str
    """The file that was written."""
    next: list[str]
    """What a person does now."""


class SandboxDoc(TypedDict):
    address: str
    """Where the sandbox listens."""
    inventory: str
    """The inventory that was written for it."""
    next: list[str]
    """Commands to try."""


class ServeDoc(TypedDict):
    address: str
    """Where the dashboard is."""
    token_needed: bool
    """Whoever comes has to show the token."""


class KeyDoc(TypedDict):
    file: str
    """A pattern that finds the key's file; the key itself is not shown."""
    place: str
    """Where hosts have to serve it."""
    hosts: list[str]
    """The account's hosts; empty without --account."""
    reference: str
    """How the inventory names the key."""
    next: list[str]
    """What a person does now."""


class VerificationDoc(VerifyDoc):
    inspections: list[SampleDoc] | None
    """One for each section of each property; null without --inspect."""


class FlattenPagesDoc(FlattenDoc):
    rows: list[PageDoc]
    """Every page, in the order of the documents."""


class FailureDoc(TypedDict):
    error: ErrorDoc
    """Why there is no result."""


@dataclass(frozen=True, slots=True)
class Shape:
    """`document` is a TypedDict, or a list of one; `options` are those that ask for it."""

    command: str
    document: Any
    options: tuple[str, ...] = ()


SHAPES: Final = (
    Shape("init", InitDoc),
    Shape("check", CheckDoc),
    Shape("plan", PlanDoc),
    Shape("run", RunDoc),
    Shape("submit", RunDoc),
    Shape("enqueue", EnqueuedDoc),
    Shape("worker", WorkerDoc),
    Shape("verify", VerificationDoc),
    Shape("withdraw", WithdrawDoc),
    Shape("status", list[StatusDoc]),
    Shape("log", list[LogRowDoc]),
    Shape("log", list[PageLogRowDoc], ("--pages",)),
    Shape("explain", ExplainDoc),
    Shape("flatten", FlattenDoc),
    Shape("flatten", FlattenPagesDoc, ("--pages",)),
    Shape("flatten", FlattenBaiduDoc, ("--baidu",)),
    Shape("report", OverviewDoc),
    Shape("report", ToldDoc, ("--alerts",)),
    Shape("audit", AuditDoc),
    Shape("crawlers", CrawlersDoc),
    Shape("build", BuildDoc),
    Shape("manual", ManualDoc),
    Shape("manual done", TickDoc),
    Shape("manual undo", TickDoc),
    Shape("manual withdrawn", TickDoc),
    Shape("google verify-domain", DomainDoc),
    Shape("serve", ServeDoc),
    Shape("sandbox", SandboxDoc),
    Shape("ledger copy", CopyDoc),
    Shape("ledger info", LedgerDoc),
    Shape("indexnow key", KeyDoc),
    Shape("indexnow key", CheckDoc, ("--check",)),
)
"""Every command but `schema`, whose result is a JSON Schema."""

FAILURE: Final = FailureDoc
"""What any of them prints when there is no result."""
