"""No document costs more than fixed memory and work, whatever it holds (run in child processes)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile_reader import DOCUMENTS

CHILD = Path(__file__).with_name("hostile_reader.py")
WATCHDOG_S = 300
MOST_MIB = 60

ENDS = {
    "deep-nesting": "too-deep,unknown-tag",
    "deep-nesting-in-an-entry": "too-deep",
    "a-million-attributes": "token-too-long",
    "a-huge-attribute": "token-too-long",
    "a-huge-attribute-without-end": "token-too-long",
    "a-huge-comment": "token-too-long",
    "a-huge-comment-without-end": "token-too-long",
    "a-huge-instruction": "token-too-long",
    "a-huge-name": "token-too-long",
    "a-huge-text": "token-too-long",
    "a-huge-text-with-brackets": "too-long",
    "a-huge-cdata": "too-long",
    "many-names": "too-many-names,unknown-tag",
    "many-attribute-names": "too-many-names,unknown-tag",
    "many-namespaces": "too-many-names,unknown-tag",
    "many-prefixes-of-one-extension": "missing-namespace",
    "many-faults": "too-many-entries,bad-scheme",
    "many-empty-entries": "missing-loc",
    "many-entries": "too-many-entries,invalid-lastmod,future-lastmod,early-lastmod",
    "many-odd-entries": "too-many-entries,duplicate",
    "many-duplicates": "too-many-entries,duplicate",
    "many-ampersands": "token-too-long",
    "an-entry-of-blanks": "token-too-long",
    "an-entry-without-end": "not-well-formed",
    "blanks": "empty-document",
    "a-prolog-of-comments": "document-cut",
    "entity-bomb": "doctype-declarations",
    "quadratic-entity": "doctype-declarations",
    "one-line": "no-address",
    "many-lines": "no-address",
    "many-addresses": "too-many-entries",
    "json-lines": "no-address",
    "zeros": "not-text",
    "odd-utf-16": "no-address",
}
"""How reading ends: the ids of all findings, or the reason of the refusal."""


def test_every_hostile_document_has_its_end() -> None:
    assert set(ENDS) == set(DOCUMENTS)


@pytest.mark.parametrize("name", ENDS)
def test_a_hostile_document_ends_with_its_reason_within_the_memory_limit(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(CHILD), name],
        capture_output=True,
        text=True,
        timeout=WATCHDOG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    end, _given, peak = done.stdout.split()
    assert end == ENDS[name]
    assert int(peak) <= MOST_MIB
