"""Tables and paragraphs fit the screen whatever stands in them, and lose nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from submitter.core.plain import plain
from submitter.render.screen import Ink, Screen
from submitter.render.tables import (
    Cell,
    Column,
    Folds,
    fold,
    grouped_table,
    paragraph,
    table,
)

TEXTS = st.text(max_size=120) | st.text("漢字ab-/ .", max_size=120)
COLUMNS = (
    Column("SITE", folds=Folds.ADDRESS),
    Column("ACCOUNT", folds=Folds.ADDRESS),
    Column("WHY", folds=Folds.WORDS),
    Column("COUNT", right=True),
    Column("STATE"),
)


@given(st.lists(st.tuples(*[TEXTS] * len(COLUMNS)), max_size=5), st.integers(40, 120))
def test_no_line_of_a_table_is_wider_than_the_screen(
    rows: list[tuple[str, ...]], width: int
) -> None:
    lines = table(COLUMNS, rows, Screen(width))
    assert all(cell_len(line) <= width for line in lines)


@given(TEXTS, st.integers(40, 120), st.integers(0, 8))
def test_no_line_of_a_paragraph_is_wider_than_the_screen(
    text: str, width: int, indent: int
) -> None:
    lines = paragraph(text, Screen(width), indent=indent)
    assert all(cell_len(line) <= width for line in lines)


@given(st.text("漢字abc-/ .é", max_size=200), st.integers(4, 30))
def test_folding_keeps_every_character_but_blanks(text: str, width: int) -> None:
    folded = "".join(fold(text, width))
    assert folded.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("http://docs.second.test", 22, ["http://docs.second", ".test"]),
        ("sitemap-lists-1.xml", 17, ["sitemap-lists-1", ".xml"]),
        ("https://www.example.com/a-path", 26, ["https://www.example.com/a-", "path"]),
        ("https://www.example.com/a-path", 24, ["https://www.example.com/", "a-path"]),
        ("https://www.example.com/?q=1", 26, ["https://www.example.com/?", "q=1"]),
        ("submitter_request_duration", 20, ["submitter_request_", "duration"]),
        ("a.bcdefghijklmnop", 8, ["a.bcdefg", "hijklmno", "p"]),
        ("//////////", 4, ["////", "////", "//"]),
    ],
)
def test_a_name_is_parted_at_its_joints_where_it_has_any(
    text: str, width: int, lines: list[str]
) -> None:
    assert fold(text, width) == lines


def test_an_address_that_does_not_fit_its_column_has_a_line_of_its_own() -> None:
    columns = (Column("DOCUMENT", folds=Folds.ADDRESS), Column("KIND"), Column("READ"))
    long = "  https://www.example.com/sitemap-of-products-1.xml"
    rows = [("https://www.example.com/", "index", "whole"), (long, "urlset", "whole")]
    assert table(columns, rows, Screen(60)) == [
        "DOCUMENT                                       KIND    READ",
        "https://www.example.com/                       index   whole",
        long,
        "                                               urlset  whole",
    ]


@pytest.mark.parametrize("width", [60, 70, 80, 100])
def test_no_address_that_fits_the_screen_is_broken_in_the_first_column(width: int) -> None:
    columns = (
        Column("SITE", folds=Folds.ADDRESS),
        Column("ACCOUNT", folds=Folds.ADDRESS),
        Column("WHY", folds=Folds.WORDS),
    )
    sites = [f"https://{'x' * size}.example.com" for size in range(1, width - 20)]
    lines = table(columns, [(site, "indexnow", "because of " * 4) for site in sites], Screen(width))
    assert set(sites) <= {line.split("  ")[0] for line in lines}


def test_prose_gets_narrow_before_an_address_is_broken() -> None:
    columns = (Column("SITE", folds=Folds.ADDRESS), Column("WHY", folds=Folds.WORDS))
    lines = table(columns, [("https://www.example.com", "told again after a month")], Screen(44))
    assert lines[1] == "https://www.example.com  told again after a"


def test_a_table_without_rows_has_no_titles() -> None:
    assert table(COLUMNS, [], Screen()) == []
    assert grouped_table(COLUMNS, [("heading", [])], Screen()) == []


def test_wide_characters_count_two_cells() -> None:
    columns = (Column("A"), Column("B"))
    lines = table(columns, [("漢字", "x"), ("abcd", "y")], Screen())
    assert lines == ["A     B", "漢字  x", "abcd  y"]


def test_numbers_stand_at_the_right() -> None:
    columns = (Column("N", right=True), Column("B"))
    assert table(columns, [("7", "x"), ("1,000", "y")], Screen()) == [
        "    N  B",
        "    7  x",
        "1,000  y",
    ]


def test_words_fold_before_addresses_do() -> None:
    columns = (Column("SITE", folds=Folds.ADDRESS), Column("WHY", folds=Folds.WORDS))
    site = "https://a-rather-long-name.example.com"
    lines = table(columns, [(site, "because of " * 6)], Screen(70))
    assert lines[1].startswith(site)


def test_a_fold_keeps_the_indent() -> None:
    assert fold("  " + "a" * 10, 8) == ["  aaaaaa", "  aaaa"]


def test_groups_stand_under_their_headings_and_share_widths() -> None:
    columns = (Column("A"), Column("B"))
    groups = [("one", [("x", "y")]), ("two", [("long", "z")])]
    assert grouped_table(columns, groups, Screen()) == [
        "A     B",
        "one",
        "x     y",
        "two",
        "long  z",
    ]


def test_colour_changes_no_width() -> None:
    columns = (Column("A"), Column("B"))
    rows = [(Cell("bad", Ink.BAD), "y")]
    (_, painted), (_, bare) = (
        table(columns, rows, Screen(colour=colour)) for colour in (True, False)
    )
    assert painted == "\x1b[31mbad\x1b[0m  y"
    assert bare == "bad  y"


def test_foreign_text_enters_a_table_only_as_plain_text() -> None:
    rows = [("\x1b[2Jevil\u202e", "a\nb")]
    lines = table((Column("A"), Column("B")), rows, Screen())
    assert lines[1] == "\\x1b[2Jevil\\u202e  a\\nb"


@given(st.text())
def test_plain_text_is_printable_and_plain_again(text: str) -> None:
    assert plain(text).isprintable()
    assert plain(plain(text)) == plain(text)
