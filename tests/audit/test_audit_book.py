"""The ledger's part of an audit keeps what it was told, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from audit_support import ledger_in

from submitter.core.audit.fingerprint import Fingerprint
from submitter.core.audit.honesty import PageMemory, Trust
from submitter.core.audit.rules import found
from submitter.core.audit.stored import StoredAudit
from submitter.core.looks import Validators
from submitter.ledger.ledger import SqlLedger
from submitter.ports import AuditBook
from support.twins import NOON

S, OTHER = "https://shop.example", "https://www.example"
AUDIT = StoredAudit(
    S, NOON, NOON + timedelta(hours=1), "sample:5", 3, (found("page-missing", S, count=2),)
)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SqlLedger]:
    ledger = ledger_in(tmp_path)
    assert isinstance(ledger, AuditBook)
    yield ledger
    ledger.close()


def test_pages_come_back_as_they_were_kept(book: SqlLedger) -> None:
    pages = [
        PageMemory(-(2**63), NOON, -5, Validators('"é\0"', None), Fingerprint("d", -(2**63), 7)),
        PageMemory(2**63 - 1, NOON),
    ]
    book.record_pages(S, pages)
    kept = book.page_memories(S, [page.key for page in pages])
    assert kept[2**63 - 1] == pages[1]
    assert kept[-(2**63)] == replace(pages[0], validators=Validators('"é�"', None))
    assert book.page_memories(OTHER, [2**63 - 1]) == {}


def test_a_page_is_kept_as_it_was_last_seen(book: SqlLedger) -> None:
    book.record_pages(S, [PageMemory(1, NOON, 5, Validators("a"), Fingerprint("d", 1, 1))])
    newer = PageMemory(1, NOON + timedelta(days=1))
    book.record_pages(S, [newer])
    assert book.page_memories(S, [1, 2]) == {1: newer}


def test_more_keys_than_one_statement_takes_are_found(book: SqlLedger) -> None:
    book.record_pages(S, [PageMemory(key, NOON) for key in range(1_200)])
    assert len(book.page_memories(S, range(2_000))) == 1_200


def test_a_finished_audit_ends_the_one_that_was_stopped_and_stays_beside_it(
    book: SqlLedger,
) -> None:
    stopped = replace(AUDIT, finished_at=None, trusts=(Trust("d", 2, 1),), findings=())
    book.save_audit(AUDIT)
    book.save_audit(replace(stopped, started_at=NOON + timedelta(days=1)))
    assert book.finished_audits() == {S: AUDIT}
    before = book.unfinished_audit(S)
    assert before is not None
    assert before.trusts == stopped.trusts
    book.save_audit(replace(AUDIT, checked=9))
    assert book.unfinished_audit(S) is None
    assert book.finished_audits([S, OTHER])[S].checked == 9
    assert book.finished_audits([OTHER]) == {}


def test_trust_is_kept_over_time(book: SqlLedger) -> None:
    later = NOON + timedelta(days=7)
    book.save_audit(replace(AUDIT, trusts=(Trust("b", 4, 1), Trust("a", 0, 0))))
    book.save_audit(replace(AUDIT, trusts=(Trust("b", 4, 2),)))
    book.save_audit(replace(AUDIT, started_at=later, trusts=(Trust("b", 4, 4),)))
    assert book.trust_history(S) == [
        (NOON, Trust("a", 0, 0)),
        (NOON, Trust("b", 4, 2)),
        (later, Trust("b", 4, 4)),
    ]
    assert book.trust_history(OTHER) == []
