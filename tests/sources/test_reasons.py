"""The table of reasons is what the docs print: it has every code, and no code that is not used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from submitter import sources
from submitter.errors import FetchError
from submitter.sources.reasons import NOTES, REASONS, failure

MODULES = sorted(Path(sources.__file__).parent.glob("*.py"))


def words() -> Iterator[str]:
    """Every string in the code of the sources but for the table itself."""
    for module in MODULES:
        tree = ast.parse(module.read_text(encoding="utf-8"))
        for node in ast.walk(tree) if module.name != "reasons.py" else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def called_reasons() -> Iterator[str]:
    """The reason in every call of `failure` and `check`, where it is written out."""
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            match node.func, node.args:
                case ast.Name("failure"), [_, ast.Constant(str(reason)), *_]:
                    yield reason
                case ast.Attribute(attr="failure" | "check"), [ast.Constant(str(reason)), *_]:
                    yield reason


def test_every_reason_that_is_raised_stands_in_the_table() -> None:
    raised = set(called_reasons())
    assert len(raised) > 20
    assert raised <= REASONS.keys()


def test_every_code_in_the_table_is_used() -> None:
    used = set(words())
    assert {code for code in REASONS.keys() | NOTES.keys() if code not in used} == {"http-NNN"}


def test_codes_are_kebab_case_and_have_a_meaning() -> None:
    for code, meaning in {**REASONS, **NOTES}.items():
        assert code.replace("NNN", "nnn") == code.lower()
        assert "_" not in code
        assert meaning


def test_a_failure_shows_no_query_and_no_control_characters() -> None:
    error = failure("https://shop.example/\x1b[2J?token=c4nary#x", "too-large", "more than 1 bytes")
    assert isinstance(error, FetchError)
    assert str(error) == "https://shop.example/\\x1b[2J?...: more than 1 bytes"
