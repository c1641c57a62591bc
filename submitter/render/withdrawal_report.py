"""What is to be withdrawn and what became of it: the JSON shape, and the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from submitter.core.accounting import Done, ExitCode
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Column, Folds, paragraph, table
from submitter.render.text_parts import state_cell
from submitter.stories.withdrawals import Kept, Withdrawal, WithdrawalPlan


class WithdrawalDoc(TypedDict):
    sitemap: str
    site: str
    account: str
    engine: str
    property: str | None
    ours: bool
    """This ledger submitted it."""
    declared: bool
    """True: the inventory or robots.txt still names it, so the next run submits it again."""
    state: str
    """`planned` while nothing was done, then a state of the log."""
    http_status: int | None
    code: str | None
    message: str
    cause: str | None
    next_step: str | None


class KeptDoc(TypedDict):
    sitemap: str
    reason: str
    """`not-ours` or `no-account` (name one with --account)."""
    message: str


class WithdrawDoc(TypedDict):
    run: str
    outcome: str
    """`ok`, `partial`, `failed`, `deadline`, `stopped` (by a signal), or `nothing` was done."""
    exit_code: int
    withdrawals: list[WithdrawalDoc]
    """What is to be taken out, or was."""
    kept: list[KeptDoc]
    """What is left where it is."""


EFFECT = (
    "A withdrawal takes the sitemap out of the engine's report. It does not stop the engine from"
    " crawling it or its pages, and it is no way to have it read again: for that, submit it."
)
_OUTCOMES: Mapping[int, str] = {
    ExitCode.OK: "ok",
    ExitCode.PARTIAL: "partial",
    ExitCode.NOTHING_SUCCEEDED: "failed",
    ExitCode.DEADLINE: "deadline",
}
_COLUMNS = (
    Column("SITEMAP", folds=Folds.ADDRESS),
    Column("ACCOUNT", folds=Folds.ADDRESS),
    Column("PROPERTY", folds=Folds.ADDRESS),
    Column("STATE"),
)


def withdraw_doc(
    run: str, plan: WithdrawalPlan, done: Sequence[Done], exit_code: int
) -> WithdrawDoc:
    """`done` in the plan's order; empty when nothing was done."""
    ends: list[Done | None] = [*done] or [None] * len(plan.wanted)
    return {
        "run": run,
        "outcome": _OUTCOMES.get(exit_code, "stopped") if done else "nothing",
        "exit_code": int(exit_code),
        "withdrawals": [_doc(one, end) for one, end in zip(plan.wanted, ends, strict=True)],
        "kept": [_kept_doc(one) for one in plan.kept],
    }


def _doc(one: Withdrawal, done: Done | None) -> WithdrawalDoc:
    action = done.action if done else one.action
    outcome = done.outcome if done else None
    return {
        "sitemap": action.target,
        "site": action.site,
        "account": action.account,
        "engine": action.engine,
        "property": action.property or None,
        "ours": one.ours,
        "declared": one.declared,
        "state": str(outcome.state) if outcome else "planned",
        "http_status": outcome.http_status if outcome else None,
        "code": outcome.code if outcome else None,
        "message": outcome.message if outcome else "",
        "cause": outcome.cause if outcome else None,
        "next_step": outcome.next_step if outcome else None,
    }


def _kept_doc(one: Kept) -> KeptDoc:
    return {"sitemap": one.sitemap, "reason": str(one.reason), "message": one.message}


def withdraw_text(document: WithdrawDoc, screen: Screen) -> list[str]:
    """Before it is done and after; what is left where it is, and why."""
    rows = [
        (
            one["sitemap"],
            one["account"],
            one["property"] or "found in its list",
            state_cell(one["state"]),
        )
        for one in document["withdrawals"]
    ]
    return [
        *table(_COLUMNS, rows, screen),
        *_problems(document, screen),
        *_kept(document, screen),
        *_warnings(document, screen),
    ]


def _problems(document: WithdrawDoc, screen: Screen) -> list[str]:
    lines: list[str] = []
    for one in document["withdrawals"]:
        if one["state"] not in ("planned", "accepted", "already"):
            lines += ["", *paragraph(f"{one['account']}: {one['sitemap']}", screen, ink=Ink.BAD)]
            lines += paragraph(one["message"] or one["state"], screen, indent=4)
            if one["next_step"]:
                lines += paragraph(f"Next: {one['next_step']}", screen, indent=4)
    return lines


def _kept(document: WithdrawDoc, screen: Screen) -> list[str]:
    lines: list[str] = []
    for one in document["kept"]:
        lines += ["", *paragraph(f"Kept: {one['sitemap']}", screen, ink=Ink.WAIT)]
        lines += paragraph(one["message"], screen, indent=4)
    return lines


def _warnings(document: WithdrawDoc, screen: Screen) -> list[str]:
    if not document["withdrawals"]:
        return []
    lines = ["", *paragraph(EFFECT, screen)]
    declared = [one["sitemap"] for one in document["withdrawals"] if one["declared"]]
    if declared:
        more = f" and {len(declared) - 1} more" if len(declared) > 1 else ""
        words = (
            f"Still declared, so the next run submits it again: {declared[0]}{more}."
            " Take it out of the inventory, or of robots.txt."
        )
        lines += ["", *paragraph(words, screen, ink=Ink.WAIT)]
    return lines
