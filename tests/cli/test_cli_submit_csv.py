"""The CSV of `submit`: every fault with its line, all at once."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from calling import Call

from submitter.cli.bulk_csv import parse_rows
from submitter.errors import ConfigError
from submitter.stories.bulk import BulkRow


def rows_of(text: str) -> list[BulkRow]:
    return parse_rows(io.StringIO(text, newline=""), "rows.csv")


def test_rows_keep_their_lines() -> None:
    rows = rows_of("site_url,sitemap_url\nsc-domain:a.example,https://a.example/s.xml\n\n b , c \n")
    assert rows == [
        BulkRow("sc-domain:a.example", "https://a.example/s.xml", "rows.csv", 2),
        BulkRow("b", "c", "rows.csv", 4),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "sitemap_url,site_url\nm,s\n",
        "SITE_URL, Sitemap_URL \ns,m\n",
        "note,site_url,sitemap_url\nx,s,m\n",
        'site_url,sitemap_url\r\n"s","m"\r\n',
    ],
)
def test_order_case_and_further_columns_do_not_matter(text: str) -> None:
    assert [(row.site_url, row.sitemap_url) for row in rows_of(text)] == [("s", "m")]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["rows.csv: holds no rows"]),
        ("site_url,sitemap_url\n", ["rows.csv: holds no rows"]),
        ("site,sitemap_url\na,b\n", ["rows.csv:1:1: the header lacks site_url"]),
        ("site_url;sitemap_url\na;b\n", ["rows.csv:1:1: the header lacks site_url and sitemap"]),
        (
            "site_url,sitemap_url\n,b\na\nc,d\n",
            ["rows.csv:2:1: site_url is empty", "rows.csv:3:1: sitemap_url is empty"],
        ),
        ('site_url,sitemap_url\n"a,b\n', ["rows.csv:2:1: unexpected end of data"]),
    ],
)
def test_every_fault_has_its_line(text: str, faults: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        rows_of(text)
    found = [str(fault) for fault in raised.value.faults]
    assert len(found) == len(faults)
    assert all(one.startswith(begin) for one, begin in zip(found, faults, strict=True))


@pytest.mark.usefixtures("inventory")
def test_a_file_that_is_not_utf8_is_named_with_its_line(call: Call, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"site_url,sitemap_url\na,b\n\xff,c\n")
    answer = call("submit", "--account", "google", "--csv", "rows.csv")
    assert answer.exit_code == 2
    assert "rows.csv:3:1: is not UTF-8 text" in answer.stderr


@pytest.mark.usefixtures("inventory")
def test_a_file_that_is_not_there_is_named(call: Call) -> None:
    answer = call("submit", "--account", "google", "--csv", "rows.csv")
    assert answer.exit_code == 2
    assert "rows.csv: No such file" in answer.stderr


@pytest.mark.parametrize("more", [[], ["--csv", "rows.csv", "https://x.example/s.xml"]])
@pytest.mark.usefixtures("inventory")
def test_submit_wants_either_a_file_or_addresses(call: Call, more: list[str]) -> None:
    assert call("submit", "--account", "google", *more).exit_code == 2


@pytest.mark.usefixtures("inventory")
def test_an_account_that_is_not_there_exits_7(call: Call) -> None:
    answer = call("submit", "--account", "gogle", "https://x.example/s.xml")
    assert answer.exit_code == 7
    assert "google" in answer.stderr


def test_stdin_is_named_in_faults(inventory: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "submitter", "submit", "--account", "google", "--csv", "-"],
        input=b"site_url\nx\n",
        capture_output=True,
        cwd=inventory.parent,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert b"stdin:1:1: the header lacks sitemap_url" in done.stderr
