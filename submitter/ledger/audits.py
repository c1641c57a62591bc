"""Audits in the ledger: the last of each site, pages as they looked, and trust over time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, delete, select

from submitter.core.audit.fingerprint import Fingerprint
from submitter.core.audit.honesty import PageMemory, Trust
from submitter.core.audit.sampling import page_key
from submitter.core.audit.stored import AuditPart, StoredAudit
from submitter.core.findings import Finding, Severity
from submitter.core.looks import Validators
from submitter.ledger.columns import UtcMicros, clean, clean_or_none
from submitter.ledger.database import Transaction
from submitter.ledger.schema_audits import audit, audit_language, audit_page, audit_trust
from submitter.ledger.sites import SITE, site_row

PAGES = select(audit_page).where(
    audit_page.c.site_id == bindparam("of_site"),
    audit_page.c.key.in_(bindparam("ids", expanding=True)),
)
TRUSTS = (
    select(audit_trust)
    .where(audit_trust.c.site_id == bindparam("of_site"))
    .order_by(audit_trust.c.at, audit_trust.c.document)
)
UNFINISHED = select(audit).where(audit.c.site == bindparam("of_site"), ~audit.c.finished)
FINISHED = select(audit).where(audit.c.finished).order_by(audit.c.site)
FORGET = delete(audit).where(audit.c.site == bindparam("of_site"), ~audit.c.finished)
LANGUAGES = select(audit_language.c.page, audit_language.c.named).where(
    audit_language.c.site_id == bindparam("of_site"),
    audit_language.c.started_at == bindparam("since", type_=UtcMicros),
)
FORGET_LANGUAGES = delete(audit_language).where(audit_language.c.site_id == bindparam("of_site"))


def page_memories(tx: Transaction, origin: str, keys: Sequence[int]) -> dict[int, PageMemory]:
    known = tx.first(SITE, of_origin=origin)
    if known is None:
        return {}
    return {row.key: _memory(row) for row in tx.rows_in(PAGES, keys, of_site=known.id)}


def _memory(row: Row[Any]) -> PageMemory:
    text = None if row.digest is None else Fingerprint(row.digest, row.sketch, row.words)
    validators = Validators(row.etag, row.last_modified)
    return PageMemory(row.key, row.at, row.lastmod, validators, text)


def _record_pages(tx: Transaction, site_id: int, pages: Sequence[PageMemory]) -> None:
    for page in pages:
        text = page.text
        tx.put(
            audit_page,
            site_id=site_id,
            key=page.key,
            at=page.at,
            lastmod=page.lastmod,
            etag=clean_or_none(page.validators.etag),
            last_modified=clean_or_none(page.validators.last_modified),
            digest=text.digest if text else None,
            sketch=text.sketch if text else None,
            words=text.words if text else None,
        )


def save_audit(
    tx: Transaction,
    saved: StoredAudit,
    pages: Sequence[PageMemory],
    languages: Mapping[str, frozenset[str]],
) -> None:
    site_id = site_row(tx, saved.site).id
    _record_pages(tx, site_id, pages)
    if saved.finished_at is not None:
        tx.execute(FORGET, of_site=saved.site)
        tx.execute(FORGET_LANGUAGES, of_site=site_id)
    else:
        _record_languages(tx, site_id, saved.started_at, languages)
    tx.put(
        audit,
        site=saved.site,
        finished=saved.finished_at is not None,
        started_at=saved.started_at,
        finished_at=saved.finished_at,
        chosen=saved.chosen,
        checked=saved.checked,
        findings=json.dumps([asdict(one) for one in saved.findings]),
        part=json.dumps(asdict(saved.part)) if saved.part else None,
    )
    for trust in saved.trusts:
        tx.put(
            audit_trust,
            site_id=site_id,
            at=saved.started_at,
            document=clean(trust.document),
            checked=trust.checked,
            borne_out=trust.borne_out,
        )


def _record_languages(
    tx: Transaction, site_id: int, at: datetime, languages: Mapping[str, frozenset[str]]
) -> None:
    for page, named in languages.items():
        tx.put(
            audit_language,
            site_id=site_id,
            key=page_key(page),
            started_at=at,
            page=clean(page),
            named=json.dumps(sorted(named)),
        )


def named_languages(tx: Transaction, saved: StoredAudit) -> dict[str, frozenset[str]]:
    known = tx.first(SITE, of_origin=saved.site)
    if known is None:
        return {}
    rows = tx.rows(LANGUAGES, of_site=known.id, since=saved.started_at)
    return {row.page: frozenset(json.loads(row.named)) for row in rows}


def unfinished_audit(tx: Transaction, origin: str) -> StoredAudit | None:
    row = tx.first(UNFINISHED, of_site=origin)
    if row is None:
        return None
    history = trust_history(tx, origin)
    return _audit(row, tuple(trust for at, trust in history if at == row.started_at))


def finished_audits(tx: Transaction, origins: Sequence[str] | None) -> dict[str, StoredAudit]:
    wanted = None if origins is None else frozenset(origins)
    rows = (row for row in tx.rows(FINISHED) if wanted is None or row.site in wanted)
    return {row.site: _audit(row) for row in rows}


def trust_history(tx: Transaction, origin: str) -> list[tuple[datetime, Trust]]:
    known = tx.first(SITE, of_origin=origin)
    if known is None:
        return []
    rows = tx.rows(TRUSTS, of_site=known.id)
    return [(row.at, Trust(row.document, row.checked, row.borne_out)) for row in rows]


def _audit(row: Row[Any], trusts: tuple[Trust, ...] = ()) -> StoredAudit:
    return StoredAudit(
        site=row.site,
        started_at=row.started_at,
        finished_at=row.finished_at,
        chosen=row.chosen,
        checked=row.checked,
        findings=tuple(_finding(one) for one in json.loads(row.findings)),
        trusts=trusts,
        part=AuditPart(**json.loads(row.part)) if row.part else None,
    )


def _finding(stored: dict[str, Any]) -> Finding:
    severity, examples = Severity(stored["severity"]), tuple(stored["examples"])
    return Finding(**(stored | {"severity": severity, "examples": examples}))
