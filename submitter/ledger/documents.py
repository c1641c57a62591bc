"""Document rows and what each document lists."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, delete, select, update

from submitter.core.findings import Finding
from submitter.core.looks import DocumentKind, DocumentMemory, Validators
from submitter.ledger import fingerprints
from submitter.ledger.database import Transaction
from submitter.ledger.schema import document, fingerprint, site
from submitter.ledger.sites import SITE
from submitter.ports import DocumentResult

OF_SITE = select(document).where(document.c.site_id == bindparam("of_site"))
OF_SITES = (
    select(document, site.c.origin)
    .join(site, site.c.id == document.c.site_id)
    .where(site.c.origin.in_(bindparam("ids", expanding=True)))
)
ONE = OF_SITE.where(document.c.url == bindparam("of_url"))
IDS = select(document.c.id, document.c.url).where(document.c.site_id == bindparam("of_site"))
PACKED = select(fingerprint.c["keys"].label("packed_keys"), fingerprint.c.checks).where(
    fingerprint.c.document_id == bindparam("of_document")
)
KEYS = select(fingerprint.c["keys"]).where(fingerprint.c.document_id == bindparam("of_document"))
CHANGE = update(document).where(document.c.id == bindparam("of_document"))


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a look finds it; `memory` is None while it was listed but never read."""

    id: int
    url: str
    first_look: int
    sections: str
    memory: DocumentMemory | None
    trouble: str | None = None

    def remembered(self, sections: str) -> DocumentMemory | None:
        """The memory; without what would let it be skipped when its pages' sections are to be
        found anew."""
        if self.memory is None or self.sections == sections:
            return self.memory
        return replace(self.memory, body_sha256="", validators=Validators())


def of_site(tx: Transaction, site_id: int) -> dict[str, Document]:
    return {row.url: _document(row) for row in tx.rows(OF_SITE, of_site=site_id)}


def memories(tx: Transaction, origin: str) -> list[DocumentMemory]:
    """The site's documents that were read at least once, by address."""
    known = tx.first(SITE, of_origin=origin)
    found = of_site(tx, known.id) if known else {}
    return [memory for url in sorted(found) if (memory := found[url].memory)]


def memories_by_site(tx: Transaction, origins: Sequence[str]) -> dict[str, list[DocumentMemory]]:
    """As `memories`; sites without any are missing."""
    found: dict[str, list[DocumentMemory]] = {}
    for row in sorted(tx.rows_in(OF_SITES, origins), key=lambda row: row.url):
        if memory := _memory(row):
            found.setdefault(row.origin, []).append(memory)
    return found


def _document(row: Row[Any]) -> Document:
    return Document(row.id, row.url, row.first_look, row.sections, _memory(row), row.trouble)


def _memory(row: Row[Any]) -> DocumentMemory | None:
    if row.kind is None:
        return None
    return DocumentMemory(
        url=row.url,
        kind=DocumentKind(row.kind),
        complete=row.complete,
        body_sha256=row.body_sha256,
        content=row.content,
        pages=row.pages,
        read_at=row.read_at,
        changed_at=row.changed_at,
        validators=Validators(row.etag, row.last_modified),
        children=tuple(json.loads(row.children or "[]")),
        over_limit=row.over_limit,
        findings=tuple(Finding.read(one) for one in json.loads(row.findings or "[]")),
    )


def _findings(findings: Sequence[Finding]) -> str | None:
    return json.dumps([asdict(one) for one in findings]) if findings else None


def listed(tx: Transaction, document_id: int) -> dict[int, int]:
    """Key → check of what the document lists."""
    row = tx.first(PACKED, of_document=document_id)
    return fingerprints.unpack(row.packed_keys, row.checks) if row else {}


def listed_keys(tx: Transaction, document_id: int) -> bytes:
    row = tx.first(KEYS, of_document=document_id)
    return bytes(row[0]) if row else b""


def store(
    tx: Transaction,
    site_id: int,
    url: str,
    result: DocumentResult,
    entries: dict[int, int],
    *,
    before: Document | None,
    look_number: int,
    sections: str,
    at: datetime,
) -> None:
    """Remember the document as it was read now."""
    memory = before.memory if before else None
    same = memory is not None and memory.content == result.content
    values = {
        "kind": result.kind.value,
        "complete": result.complete,
        "body_sha256": result.body_sha256,
        "content": result.content,
        "pages": len(entries),
        "over_limit": result.over_limit,
        "read_at": at,
        "changed_at": memory.changed_at if memory and same else at,
        "etag": result.validators.etag,
        "last_modified": result.validators.last_modified,
        "children": json.dumps(result.children) if result.children else None,
        "sections": sections,
        "findings": _findings(result.findings),
        "trouble": None,
    }
    document_id = before.id if before else add(tx, site_id, url, look_number)
    tx.execute(CHANGE.values(values), of_document=document_id)
    keys, checks = fingerprints.pack(entries)
    tx.put(fingerprint, document_id=document_id, keys=keys, checks=checks)


def add(tx: Transaction, site_id: int, url: str, look_number: int) -> int:
    """A document that is listed, of which nothing else is known yet."""
    tx.execute(document.insert(), site_id=site_id, url=url, first_look=look_number)
    return int(tx.one(ONE, of_site=site_id, of_url=url).id)


def change(tx: Transaction, document_id: int, **values: Any) -> None:
    tx.execute(CHANGE.values(values), of_document=document_id)


def forget(tx: Transaction, document_id: int) -> None:
    tx.execute(delete(fingerprint).where(fingerprint.c.document_id == document_id))
    tx.execute(delete(document).where(document.c.id == document_id))
