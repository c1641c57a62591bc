"""How far a domain's ownership is: its JSON shape, and its words for a terminal."""

from __future__ import annotations

from typing import TypedDict

from submitter.core.accounting import ExitCode
from submitter.core.fleet import Account
from submitter.render.screen import Ink, Screen
from submitter.render.tables import Cell, Column, Folds, paragraph, table
from submitter.stories.domains import DomainReport, Step


class RecordDoc(TypedDict):
    name: str
    """The name that it belongs to."""
    type: str
    """`TXT`."""
    value: str
    """Its text, to be copied as it is."""


class StepDoc(TypedDict):
    step: str
    """`record`, `verified`, `added` or `owner`."""
    state: str
    """`already`, `done`, `waiting` or `failed`."""
    message: str
    cause: str | None
    next_step: str | None


class DomainDoc(TypedDict):
    domain: str
    account: str
    engine: str
    principal: str
    """Who the account is to the engine, like a service account's address."""
    property: str | None
    role: str | None
    """The account's role at the property, in the engine's word; null: none yet."""
    record: RecordDoc | None
    steps: list[StepDoc]
    """What was done, what is done, and what waits."""
    outcome: str
    """`ok`, `waiting` or `failed`."""
    exit_code: int


STEPS = {
    "record": "the TXT record stands in the DNS",
    "verified": "the engine found it",
    "added": "the property is on the account's list",
    "owner": "the account is its owner",
}
_INK = {"already": Ink.GOOD, "done": Ink.GOOD, "waiting": Ink.WAIT, "failed": Ink.BAD}


def domain_doc(report: DomainReport, account: Account) -> DomainDoc:
    record = report.record
    return {
        "domain": report.domain,
        "account": account.name,
        "engine": account.engine,
        "principal": report.principal,
        "property": report.listing.name if report.listing else None,
        "role": report.listing.role if report.listing else None,
        "record": None if record is None else _record_doc(report.domain, record),
        "steps": [_step_doc(step) for step in report.steps],
        "outcome": _outcome(report),
        "exit_code": int(report.exit_code),
    }


def _record_doc(domain: str, value: str) -> RecordDoc:
    return {"name": domain, "type": "TXT", "value": value}


def _step_doc(step: Step) -> StepDoc:
    return {
        "step": str(step.name),
        "state": str(step.state),
        "message": step.message,
        "cause": step.cause,
        "next_step": step.next_step,
    }


def _outcome(report: DomainReport) -> str:
    states = {str(step.state) for step in report.steps}
    return "failed" if "failed" in states else "waiting" if "waiting" in states else "ok"


def domain_text(document: DomainDoc, screen: Screen, *, again: str) -> list[str]:
    """`again` is the command that goes on from here."""
    columns = (Column("STEP", folds=Folds.WORDS), Column("STATE"))
    rows = [
        (STEPS[step["step"]], Cell(step["state"], _INK.get(step["state"])))
        for step in document["steps"]
    ]
    who = document["principal"] or document["account"]
    return [
        *paragraph(f"{document['domain']} for {who}", screen, ink=Ink.BOLD),
        *table(columns, rows, screen),
        *_problems(document, screen),
        *_what_to_do(document, screen, again),
    ]


def _problems(document: DomainDoc, screen: Screen) -> list[str]:
    lines: list[str] = []
    for step in document["steps"]:
        if step["cause"]:
            ink = _INK.get(step["state"])
            lines += ["", *paragraph(f"{step['step']}: {step['cause']}", screen, ink=ink)]
            lines += paragraph(step["message"], screen, indent=4)
            if step["next_step"]:
                lines += paragraph(f"Next: {step['next_step']}", screen, indent=4)
    return lines


def _what_to_do(document: DomainDoc, screen: Screen, again: str) -> list[str]:
    """The record goes on a line of its own, unfolded: it is there to be copied."""
    record, lines = document["record"], list[str]()
    if record is not None and document["steps"][0]["state"] == "waiting":
        lines += ["", *paragraph(f"Add this TXT record to {record['name']}:", screen)]
        lines.append(f"    {record['value']}")
    if document["exit_code"] == ExitCode.OK and document["outcome"] == "waiting":
        lines += ["", *paragraph("Then, some minutes later:", screen), f"    {again}"]
    keep = (
        "Keep the record: Google looks for it again from time to time, and when no owner's record"
        " is left, everybody they let in loses access, too. It may stand beside other TXT records."
    )
    return [*lines, "", *paragraph(keep, screen)]
