"""An audit as SARIF 2.1.0, for code scanning. Source: OASIS, Static Analysis Results Interchange
Format 2.1.0, sections 3.13 to 3.30, read 2026-11-30 from memory of the standard: unsure in detail,
and checked by tests against its required properties."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final

from submitter import __version__
from submitter.core.audit.rules import RULES, next_step
from submitter.core.notes import READING_IDS
from submitter.core.pagereader import PAGE_IDS
from submitter.core.robots import ROBOTS_IDS
from submitter.core.trees import TREE_IDS
from submitter.render.audit_documents import AuditDoc, AuditFindingDoc
from submitter.render.audit_text import every_finding

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_LINE: Final = re.compile(r"^(?P<uri>.*?)(?: line (?P<line>\d+))?$", re.DOTALL)
_MEANINGS: Final = {**READING_IDS, **ROBOTS_IDS, **TREE_IDS, **PAGE_IDS}


def audit_sarif(audit: AuditDoc) -> dict[str, object]:
    findings = every_finding(audit)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "submitter",
                        "semanticVersion": __version__,
                        "rules": _rules(findings),
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [{"executionSuccessful": not audit["unaudited"]}],
                "results": [_result(one) for one in findings],
            }
        ],
    }


def _rules(findings: Iterable[AuditFindingDoc]) -> list[dict[str, object]]:
    return [_rule(id) for id in sorted({one["id"] for one in findings})]


def _rule(id: str) -> dict[str, object]:
    rule: dict[str, object] = {"id": id, "shortDescription": {"text": _text(id)}}
    step = next_step(id)
    return {**rule, "help": {"text": step}} if step else rule


def _text(id: str) -> str:
    if id in RULES:
        return RULES[id].text
    meaning = _MEANINGS.get(id)
    return meaning.text if meaning else id


def _result(one: AuditFindingDoc) -> Mapping[str, object]:
    place = f"{one['id']}\0{_place(one['where'])[0]}".encode("utf-8", "replace")
    key = hashlib.sha256(place).hexdigest()
    examples = f" Examples: {', '.join(one['examples'])}" if one["examples"] else ""
    return {
        "ruleId": one["id"],
        "level": _LEVELS[one["severity"]],
        "message": {"text": f"{one['message']} ({one['count']:,}x).{examples}"},
        "locations": [{"physicalLocation": _location(one["where"])}],
        "occurrenceCount": one["count"],
        "baselineState": "unchanged" if one["known"] else "new",
        "partialFingerprints": {"findingPlace/v1": key},
    }


def _location(where: str) -> dict[str, object]:
    uri, line = _place(where)
    location: dict[str, object] = {"artifactLocation": {"uri": uri}}
    return {**location, "region": {"startLine": line}} if line else location


def _place(where: str) -> tuple[str, int]:
    found = _LINE.match(where)
    if found is None:
        return where, 0
    return found["uri"], int(found["line"] or 0)
