"""The one table of causes: whatever is named anywhere is in it, and it holds nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from submitter.core.causes import (
    CAUSES,
    Cause,
    cause_of,
    find_cause,
    in_words,
    meaning_of,
    next_step_of,
)
from submitter.core.sights import HOST_CAUSES, cause_of_sight
from submitter.engines import ENGINES
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
    TooFast,
)
from submitter.sources.reasons import REASONS

PACKAGE = Path(__file__).resolve().parents[2] / "submitter"
ENGINE_FILES = sorted((PACKAGE / "engines").glob("*.py"))
IDS = {row.id for row in CAUSES}

is_kebab = re.compile(r"[a-z]+(?:-[a-z]+)+").fullmatch

NOT_CAUSES = {
    # of a FetchError, where the key file is read
    "body-cut", "connect-failed", "connect-refused", "connect-reset", "connect-timeout",
    "connect-unreachable", "dns-failure", "dns-timeout", "host-busy", "host-paused",
    "out-of-resources", "too-slow",
    # of a Refused or a Receipt
    "bad-url", "batch-size", "host-differs",
    # of a finding
    "token-ends",
    # no codes at all
    "retry-after", "short-lived", "user-added-sitemaps", "x-goog-api-client",
}  # fmt: skip
"""Texts of the same form in the engines that are something else."""


def texts_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def kebab_texts(*paths: Path) -> set[str]:
    return {text for path in paths for text in texts_of(path) if is_kebab(text)}


def test_every_cause_that_an_engine_names_is_in_the_table() -> None:
    named = kebab_texts(*ENGINE_FILES)
    assert named - NOT_CAUSES - IDS == set()
    assert named >= NOT_CAUSES


def test_every_cause_that_is_written_as_one_is_in_the_table() -> None:
    named = {
        keyword.value.value
        for path in PACKAGE.rglob("*.py")
        if "sandbox" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "cause" and isinstance(keyword.value, ast.Constant)
    }
    assert len(named) > 20
    assert set(filter(is_kebab, named)) - IDS == set()


def test_the_table_has_no_row_that_nobody_names() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "cause_rows"]
    texts = {text for path in files if "sandbox" not in path.parts for text in texts_of(path)}
    assert {id for id in IDS if id not in texts} == set()


def test_a_row_of_an_engine_is_named_by_that_engine() -> None:
    """Where one id means two things, each engine that names it has its own row."""
    for row in CAUSES:
        for engine in row.engines:
            files = [path for path in ENGINE_FILES if path.name.startswith((engine, "_http"))]
            waits = {"bad-address", "site-settling", "site-not-loaded", "key-being-checked"}
            named = row.id in kebab_texts(*files) or row.id in waits | {"page-of-another-host"}
            assert named, (row.id, engine)


def test_ids_are_unique_for_an_engine() -> None:
    keys = [(row.id, engine) for row in CAUSES for engine in row.engines or ("",)]
    assert len(keys) == len(set(keys)) > 90
    assert {engine for _, engine in keys} - {""} <= set(ENGINES)


@pytest.mark.parametrize("row", CAUSES, ids=lambda row: f"{row.id}{list(row.engines)}")
def test_a_row_is_written_for_people(row: Cause) -> None:
    assert is_kebab(row.id) or row.id in ("configuration", "refused", "stuck")
    assert row.meaning[0].isupper() or row.meaning.startswith("robots.txt")
    assert not row.meaning.endswith(".")
    assert len(row.meaning) > 20
    assert not row.next_step or row.next_step.endswith(".")


def test_an_engines_own_row_goes_before_the_common_one() -> None:
    google, yandex = find_cause("scope-missing", "google"), find_cause("scope-missing", "yandex")
    assert google is not None
    assert yandex is not None
    assert google.meaning != yandex.meaning
    assert find_cause("scope-missing", "bing") is None
    assert find_cause("endpoint-gone", "bing") == find_cause("endpoint-gone")


def test_what_is_not_in_the_table_has_no_meaning() -> None:
    assert find_cause(None) is meaning_of("brand-new") is next_step_of("brand-new") is None
    assert next_step_of("too-fast") is None
    assert in_words("brand-new", "what was seen") == "what was seen"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (NotAuthorized("google", "x", scope="account", cause="api-disabled"), "api-disabled"),
        (NotReady("yandex", "x", code="HOST_NOT_LOADED"), "site-not-loaded"),
        (NotReady("bing", "x", code="InvalidParameter"), "site-settling"),
        (NotReady("bing", "x", code="ThrottleHost"), "too-fast"),
        (NotReady("indexnow", "x", code="SiteVerificationNotCompleted"), "key-being-checked"),
        (NotReady("indexnow", "x", code="key-file-unreachable"), "key-file-unreachable"),
        (NotReady("seznam", "x", http_status=204), "site-not-loaded"),
        (NotReady("seznam", "x", http_status=404), "not-ready"),
        (Refused("indexnow", "x", http_status=422, code="InvalidUrl"), "page-of-another-host"),
        (Refused("yandex", "x", http_status=400, code="INVALID_URL"), "bad-address"),
        (Refused("seznam", "x", http_status=422, code="not-a-page"), "not-a-page"),
        (Refused("google", "x", http_status=400), "refused"),
        (QuotaExhausted("baidu", "x"), "quota-spent"),
        (OutcomeUnknown("baidu", "x"), "answer-lost"),
        (TooFast("google", "x"), "too-fast"),
        (EngineUnavailable("google", "x"), "engine-unavailable"),
    ],
)
def test_every_error_of_an_engine_has_a_cause(error: EngineError, cause: str) -> None:
    assert cause_of(error) == cause
    assert meaning_of(cause, error.engine)


@pytest.mark.parametrize("reason", [*REASONS, "http-404", "http-503", "http-401", "no-entries"])
def test_every_way_a_fetch_can_fail_has_a_cause(reason: str) -> None:
    cause = cause_of_sight(reason.replace("NNN", "418"))
    assert meaning_of(cause)
    about_the_host = reason.startswith(("dns-", "tls-", "connect-"))
    assert not about_the_host or cause in HOST_CAUSES or cause == "configuration"
