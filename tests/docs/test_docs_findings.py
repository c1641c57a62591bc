"""Every id that the program gives is in the reference, and the reference has no other."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping

import pytest
from docs_source import PACKAGE, calls, constants, modules, uses

from submitter.core.causes import CAUSES
from submitter.core.findings import Meaning, Severity
from submitter.core.guard import GUARD_IDS
from submitter.core.planned import DEFERRING, KNOWN
from submitter.core.skip_words import LATER, NOT_NOW
from submitter.render.reference import FINDINGS

CAUSE_IDS = {row.id for row in CAUSES}
DOCUMENTED = {id for table in FINDINGS.values() for id in table}
is_id = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*").fullmatch
GIVERS = (
    *("Finding", "_finding", "note", "_note", "_hold", "refusal"),
    *("failure", "FetchError", "SitemapError", "BadUrl"),
)
"""What makes a finding, or an error whose reason becomes the id of one."""


def given_ids() -> set[str]:
    """The ids that are written out where they are given."""
    first_texts = [constants(given) for _, given in calls(*GIVERS)]
    in_notes = [constants(given)[:1] for path, given in calls("add") if path.parent.name == "core"]
    words = {text for texts in (*first_texts, *in_notes) for text in texts}
    return set(filter(is_id, words))


def test_every_id_that_is_given_is_in_the_reference() -> None:
    given = given_ids()
    assert len(given) > 70
    assert given - DOCUMENTED - CAUSE_IDS == set()


def test_the_reference_has_no_id_that_is_never_given() -> None:
    assert {id for id in DOCUMENTED if not uses()[id]} == {"http-NNN"}


def test_every_table_of_meanings_is_in_the_reference() -> None:
    missing: list[str] = []
    for path in modules():
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        if name.startswith("submitter.ledger.migrations") or path.name == "__main__.py":
            continue
        tables = {
            attribute: value
            for attribute, value in vars(importlib.import_module(name)).items()
            if _is_table(value)
        }
        missing += [f"{name}.{one}" for one, ids in tables.items() if not ids.keys() <= DOCUMENTED]
    assert missing == []


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) and any(isinstance(one, Meaning) for one in value.values())


@pytest.mark.parametrize("place", FINDINGS)
def test_ids_are_kebab_case_and_their_meanings_are_phrases(place: str) -> None:
    for id, (severity, text) in FINDINGS[place].items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*|http-NNN", id)
        assert severity in Severity
        assert not text.endswith(".")


def test_what_holds_a_site_is_an_error() -> None:
    assert {meaning.severity for meaning in GUARD_IDS.values()} == {Severity.ERROR}


# ---------------------------------------------------------------- why something is not sent


def skip_reasons() -> set[str]:
    """The reasons of skips that are written out where they are given."""
    given = [
        text
        for path, values in calls("_skip", "_left_out", "_not_begun")
        if path.name in ("plan.py", "runner.py")
        for text in constants(values)
    ]
    return set(filter(is_id, given))


def test_every_reason_for_not_sending_is_in_the_reference() -> None:
    reasons = skip_reasons()
    assert {"guard", "quota", "unchanged", "first-run", "engine-unavailable"} <= reasons
    assert reasons | DEFERRING | KNOWN <= LATER.keys() | NOT_NOW.keys()


def test_every_reason_in_the_reference_is_given() -> None:
    assert {reason for reason in (*LATER, *NOT_NOW) if not uses()[reason]} == set()


def test_what_is_sent_later_by_itself_counts_as_deferred() -> None:
    assert LATER.keys() >= DEFERRING
    assert not NOT_NOW.keys() & DEFERRING
