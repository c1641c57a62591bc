"""An audit in several parts says what one in a single part says."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_support import MAP, S, audit_again, ledger_in, web
from paper_web import PaperWeb, document, entry, page, urlset

from submitter.core.audit.outcome import SiteAudit
from submitter.looking.audit.listing import PageChoice, Scope

ALL = PageChoice(Scope.ALL)
NAMES = [f"p{number}" for number in range(36)]


def heads(*names: str) -> str:
    return "".join(f'<link rel=alternate hreflang={one} href="{S}/{one}">' for one in names)


def town(lastmod: str) -> PaperWeb:
    """Pages that name each other, some without return; faults with several details; and, between
    two of these, dates that moved in bulk while only a few texts did."""
    source = web(*NAMES)
    fresh = lastmod > "2026-11-20"
    for number, name in enumerate(NAMES):
        other = NAMES[-1 - number]
        named = heads(name, other) if number % 3 else heads(name)
        text = f"{name} is new {lastmod}" if fresh and number % 9 == 0 else f"{name} " * 40
        source.sheets[f"{S}/{name}"] = page(text, head=named, title=f"Page {name}")
    for number in range(4, 36, 8):
        source.change(f"{S}/p{number}", status=503 if number % 16 == 4 else 500)
        source.change(f"{S}/p{number + 1}", to=f"{S}/p{number + 1}/")
    entries = (entry(f"{S}/{name}", lastmod) for name in NAMES)
    source.sheets[MAP] = document(urlset(*entries), etag=f'"{lastmod}"')
    return source


def told(audit: SiteAudit) -> set[tuple[str, str, str, int]]:
    return {(one.id, one.where, one.message, one.count) for one in audit.every_finding()}


@pytest.mark.parametrize("seconds", [(8,), (14,), (20,), (26,), (33,), (12, 12), (10, 10, 10)])
def test_an_audit_in_parts_says_what_one_in_a_single_part_says(
    tmp_path: Path, seconds: tuple[int, ...]
) -> None:
    audits = []
    for folder, cuts in (("whole", ()), ("parts", seconds)):
        (tmp_path / folder).mkdir()
        ledger = ledger_in(tmp_path / folder)
        audit_again(town("2026-11-20"), ledger, choice=ALL)
        source = town("2026-11-29")
        source.clock.move(days=1)
        for cut in cuts:
            source.tick_s = 1.0
            until = source.clock.monotonic() + 3_600 + cut
            part = audit_again(source, ledger, choice=ALL, until=until, resume=True)
            assert part.unfinished
        source.tick_s = 0.0
        report = audit_again(source, ledger, choice=ALL, resume=True)
        assert not report.unfinished
        audits.append(report.audits[0])
        ledger.close()
    whole, parts = audits
    assert told(parts) == told(whole)
    assert (parts.checked, parts.verdicts, parts.trusts) == (
        whole.checked,
        whole.verdicts,
        whole.trusts,
    )
    found = {id for id, *_ in told(whole)}
    assert found >= {"hreflang-no-return", "page-failing", "lastmod-in-bulk", "lastmod-unfounded"}
