"""The baseline file of audits: findings that are known, as JSON that people may read and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from submitter.core.audit.switches import Baseline
from submitter.errors import ConfigError

VERSION = 1


def baseline_text(baseline: Baseline) -> str:
    findings = [
        {"id": id, "where": where, "count": count} for (id, where), count in baseline.items()
    ]
    return (
        json.dumps({"version": VERSION, "findings": findings}, indent=2, ensure_ascii=False) + "\n"
    )


def read_baseline(name: str, text: str) -> Baseline:
    """Raises ConfigError that names the file."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError.one(name, f"no JSON: {str(error)[:200]}") from error
    if not isinstance(document, Mapping) or document.get("version") != VERSION:
        raise ConfigError.one(name, f"no baseline of version {VERSION}")
    findings = document.get("findings")
    if not isinstance(findings, list):
        raise ConfigError.one(name, "a baseline has a list of findings")
    return dict(_entry(name, number, one) for number, one in enumerate(findings, 1))


def _entry(name: str, number: int, one: Any) -> tuple[tuple[str, str], int]:
    match one:
        case {"id": str(id), "where": str(where), "count": int(count)}:
            return (id, where), count
        case _:
            raise ConfigError.one(name, f"finding {number} has no id, where and count")
