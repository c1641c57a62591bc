"""JSON and CSV: equal to what was put in, and harmless to terminals and spreadsheets."""

from __future__ import annotations

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.render.csv_text import csv_line
from submitter.render.json_text import JsonArray, json_members, json_text

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


@given(DOCUMENTS, st.none() | st.just(2))
def test_json_reads_back_as_it_was(document: object, indent: int | None) -> None:
    assert json.loads(json_text(document, indent=indent)) == document


@given(DOCUMENTS)
def test_json_holds_nothing_that_steers_a_terminal(document: object) -> None:
    assert json_text(document).isprintable()


def test_json_keeps_letters_readable() -> None:
    assert json_text({"a": "指南 é"}) == '{"a": "指南 é"}'


@pytest.mark.parametrize("elements", [[], [1], [{"a": 1}, {"b": "\x1b"}]])
def test_an_array_is_written_element_by_element(elements: list[object]) -> None:
    pieces: list[str] = []
    array = JsonArray(pieces.append)
    for element in elements:
        array.add(element)
    array.end()
    assert json.loads("".join(pieces)) == elements


def test_members_end_an_object_that_began_with_an_array() -> None:
    pieces: list[str] = ['{"rows": ']
    array = JsonArray(pieces.append)
    array.add(1)
    array.end()
    pieces.append(json_members({"pages": 1, "documents": []}))
    assert json.loads("".join(pieces)) == {"rows": [1], "pages": 1, "documents": []}


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=cmd()", "'=cmd()"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("a=b", "a=b"),
        ("line\nbreak", "line\\nbreak"),
        ("\x9b31m", "\\x9b31m"),
        (-1, "-1"),
        (None, ""),
        ("指南", "指南"),
    ],
)
def test_a_cell_cannot_become_a_formula_nor_a_second_line(value: object, cell: str) -> None:
    line = csv_line([value, "end"])
    assert next(csv.reader([line])) == [cell, "end"]
    assert line.count("\n") == 1
