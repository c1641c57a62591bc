"""A document whose dates are always the moment of reading says nothing of what changed."""

from __future__ import annotations

from datetime import timedelta

from submitter.core.fleet import FirstRun
from submitter.core.looks import DocumentKind, PageRow, TellRule
from submitter.ledger import open_ledger
from submitter.ports import DocumentResult
from support.twins import NOON

SITE = "https://a.example"
RULE = TellRule("hub", FirstRun.NONE, 30, tells_changed=True, tells_removed=False)


def test_lying_dates_change_no_page() -> None:
    ledger = open_ledger("sqlite:///:memory:")
    lease = ledger.acquire("run", "tests", ttl_s=3600, now=NOON)
    deltas = []
    for day, lie in ((0, False), (1, True), (2, False)):
        at = NOON + timedelta(days=day)
        look = ledger.look(lease, SITE, tell=[RULE], at=at)
        sink = look.open(f"{SITE}/s.xml")
        sink.add([PageRow(f"{SITE}/{n}", f"{SITE}/{n}", int(at.timestamp())) for n in range(3)])
        sink.close(
            DocumentResult(DocumentKind.URLSET, True, f"body{day}", f"c{day}", dates_lie=lie)
        )
        deltas.append(look.finish(gone_after=1, complete=True).delta)
    ledger.close()
    assert [delta.changed for delta in deltas] == [0, 0, 3]
