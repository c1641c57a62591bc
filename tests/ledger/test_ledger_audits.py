"""The ledger's part of an audit keeps what it was told, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from submitter.core.audit.fingerprint import Fingerprint
from submitter.core.audit.honesty import PageMemory, Trust
from submitter.core.audit.rules import found
from submitter.core.audit.stored import AuditPart, StoredAudit
from submitter.core.looks import Validators
from submitter.ledger.ledger import SqlLedger
from submitter.ports import AuditBook
from support.twins import NOON

S, OTHER = "https://shop.example", "https://www.example"
AUDIT = StoredAudit(
    S, NOON, NOON + timedelta(hours=1), "sample:5", 3, (found("page-missing", S, count=2),)
)


PART = AuditPart({"page-missing": {"é": 2}}, {"borne-out": 3}, {"d": [5, 4, 3, 2, 1]})
STOPPED = replace(AUDIT, finished_at=None, findings=())


@pytest.fixture
def book(ledger: SqlLedger) -> AuditBook:
    assert isinstance(ledger, AuditBook)
    return ledger


def test_pages_come_back_as_they_were_kept(book: AuditBook) -> None:
    pages = [
        PageMemory(-(2**63), NOON, -5, Validators('"é\0"', None), Fingerprint("d", -(2**63), 7)),
        PageMemory(2**63 - 1, NOON),
    ]
    book.save_audit(STOPPED, pages=pages)
    kept = book.page_memories(S, [page.key for page in pages])
    assert kept[2**63 - 1] == pages[1]
    assert kept[-(2**63)] == replace(pages[0], validators=Validators('"é�"', None))
    assert book.page_memories(OTHER, [2**63 - 1]) == {}


def test_a_page_is_kept_as_it_was_last_seen(book: AuditBook) -> None:
    first = PageMemory(1, NOON, 5, Validators("a"), Fingerprint("d", 1, 1))
    book.save_audit(STOPPED, pages=[first])
    newer = PageMemory(1, NOON + timedelta(days=1))
    book.save_audit(AUDIT, pages=[newer])
    assert book.page_memories(S, [1, 2]) == {1: newer}


def test_more_keys_than_one_statement_takes_are_found(book: AuditBook) -> None:
    book.save_audit(STOPPED, pages=[PageMemory(key, NOON) for key in range(1_200)])
    assert len(book.page_memories(S, range(2_000))) == 1_200


def test_a_finished_audit_ends_the_one_that_was_stopped_and_stays_beside_it(
    book: AuditBook,
) -> None:
    stopped = replace(STOPPED, trusts=(Trust("d", 2, 1),), part=PART)
    book.save_audit(AUDIT)
    book.save_audit(replace(stopped, started_at=NOON + timedelta(days=1)))
    assert book.finished_audits() == {S: AUDIT}
    before = book.unfinished_audit(S)
    assert before is not None
    assert before == replace(stopped, started_at=NOON + timedelta(days=1))
    book.save_audit(replace(AUDIT, checked=9))
    assert book.unfinished_audit(S) is None
    assert book.finished_audits([S, OTHER])[S].checked == 9
    assert book.finished_audits([OTHER]) == {}


def test_trust_is_kept_over_time(book: AuditBook) -> None:
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


def test_languages_are_kept_until_the_audit_is_finished(book: AuditBook) -> None:
    book.save_audit(STOPPED, languages={f"{S}/en": frozenset({f"{S}/de", f"{S}/fr"})})
    book.save_audit(STOPPED, languages={f"{S}/fr": frozenset()})
    kept = {f"{S}/en": frozenset({f"{S}/de", f"{S}/fr"}), f"{S}/fr": frozenset()}
    assert book.named_languages(STOPPED) == kept
    assert book.named_languages(replace(STOPPED, site=OTHER)) == {}
    book.save_audit(AUDIT)
    assert book.named_languages(STOPPED) == {}


def test_languages_of_another_audit_are_not_taken_for_ours(book: AuditBook) -> None:
    book.save_audit(STOPPED, languages={f"{S}/en": frozenset({f"{S}/de"})})
    anew = replace(STOPPED, started_at=NOON + timedelta(days=1))
    book.save_audit(anew, languages={f"{S}/fr": frozenset()})
    assert book.named_languages(anew) == {f"{S}/fr": frozenset()}
