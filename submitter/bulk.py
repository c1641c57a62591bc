"""One-off bulk submission: addresses from a CSV or the command line, same planner, same ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from submitter.core.fleet import Fleet
from submitter.runs import RunReport, Tools


@dataclass(frozen=True, slots=True)
class BulkRow:
    """`site_url` is the property exactly as the engine holds it; `line` counts from 1."""

    site_url: str
    sitemap_url: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class BulkRequest:
    run: str
    fleet: Fleet
    account: str
    owner: str
    rows: Sequence[BulkRow] = ()
    urls: Sequence[str] = ()
    until: float = float("inf")
    forced: str | None = None
    verify: bool = True
    wait_s: float = 0.0


def run_bulk(request: BulkRequest, tools: Tools) -> RunReport:
    """Submit the rows (sitemaps) or the URLs (pages, where the engine takes pages)."""
    raise NotImplementedError(request, tools)
