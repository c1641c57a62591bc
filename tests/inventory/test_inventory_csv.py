"""The subdomains file: its hosts are sites, its faults have its own name and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from inventory_engines import faults, load

INVENTORY = """\
accounts: {a: {engine: byhand, desk: x}, b: {engine: byhand, desk: y}}
sites:
  - {domain: example.com, tags: [all], accounts: [a], subdomains_file: hosts.csv}
"""
NOT_A_TAG = "is not a tag: no blanks, commas or semicolons, up to 64"
Row = tuple[str, tuple[str, ...] | None, tuple[str, ...], set[str]]


def sites(folder: Path, body: str | bytes) -> list[Row]:
    (folder / "hosts.csv").write_bytes(body.encode() if isinstance(body, str) else body)
    found = load(folder, INVENTORY).sites
    return [(site.host, site.sitemaps, site.accounts, set(site.tags)) for site in found]


def csv_faults(folder: Path, body: str | bytes) -> list[str]:
    (folder / "hosts.csv").write_bytes(body.encode() if isinstance(body, str) else body)
    return faults(folder, INVENTORY)


def test_an_empty_cell_says_nothing(tmp_path: Path) -> None:
    body = (
        "host,sitemaps,accounts,tags\n"
        "www,,,\n"
        "shop,https://{host}/a.xml https://{host}/b.xml;https://x.example/c.xml,b;a,eu  shop\n"
        "\n"
        "@,robots\n"
        ",,,\n"
    )
    assert sites(tmp_path, body) == [
        ("www.example.com", None, ("a",), {"all"}),
        (
            "shop.example.com",
            (
                "https://shop.example.com/a.xml",
                "https://shop.example.com/b.xml",
                "https://x.example/c.xml",
            ),
            ("b", "a"),
            {"eu", "shop"},
        ),
        ("example.com", None, ("a",), {"all"}),
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbfhost\r\nwww\r\n",
        b"Host\rwww\r",
        b'tags,host\n"","www"\n',
        b" host , tags \n www ,\n",
        b"host\nwww",
    ],
)
def test_spreadsheets_write_csv_in_many_ways(tmp_path: Path, body: bytes) -> None:
    assert [row[0] for row in sites(tmp_path, body)] == ["www.example.com"]


def test_hosts_of_the_file_follow_those_of_the_list(tmp_path: Path) -> None:
    (tmp_path / "hosts.csv").write_text("host\nb\n")
    text = "sites: [{domain: example.com, subdomains: [a], subdomains_file: hosts.csv}]"
    assert [site.host for site in load(tmp_path, text).sites] == ["a.example.com", "b.example.com"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", ["hosts.csv:1:1: no column 'host'; the first line names the columns"]),
        ("www\nshop\n", ["hosts.csv:1:1: unknown column 'www'"]),
        ("host;tags\nwww;x\n", ["hosts.csv:1:1: unknown column 'host;tags'"]),
        ("host,tag\nwww,x\n", ["hosts.csv:1:6: unknown column 'tag'; did you mean 'tags'?"]),
        ("host,tags,host\n", ["hosts.csv:1:11: column 'host' stands here twice"]),
        ("tags\nx\n", ["hosts.csv:1:1: no column 'host'; the first line names the columns"]),
        ("host\n", ["hosts.csv:1:1: names no hosts"]),
        ("host\nwww,x\n", ["hosts.csv:2:5: more cells than columns"]),
        ("tags,host\n'a,b',www\n", ["hosts.csv:2:7: more cells than columns"]),
        ("tags,host\nx,\n", ["hosts.csv:2:3: host: is empty"]),
        ("tags,host\nx\n", ["hosts.csv:2:1: host: is empty"]),
        ('host\n"www\n', ["hosts.csv:2:1: not CSV: unexpected end of data"]),
        (
            "host\nwww\nwww\n",
            ["hosts.csv:3:1: site 'https://www.example.com' is already at hosts.csv:2"],
        ),
        (
            'host,tags,accounts\n"a","x,y",c\nb,"p q\nr",aa\nb,,\n',
            [
                f"hosts.csv:2:5: tags: 'x,y' {NOT_A_TAG}",
                "hosts.csv:2:11: accounts: unknown account 'c'",
                "hosts.csv:3:1: accounts: unknown account 'aa'",
            ],
        ),
        (
            "host,sitemaps\nwww,https:/x\nshop,{hots}\n",
            [
                "hosts.csv:2:5: sitemaps: https: is not followed by two slashes: 'https:/x'",
                "hosts.csv:3:6: sitemaps: unknown placeholder '{hots}'; did you mean 'host'?",
            ],
        ),
        (
            "host\n\nm\xfcnchen\n".encode("latin-1"),
            ["hosts.csv:3:2: not UTF-8: save the file in that encoding"],
        ),
    ],
)
def test_a_fault_has_the_files_own_name_and_line(
    tmp_path: Path, body: str | bytes, expected: list[str]
) -> None:
    assert csv_faults(tmp_path, body) == expected


def test_a_file_in_a_folder_is_named_with_it(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "hosts.csv").write_text("host\na b\n")
    text = "sites: [{domain: example.com, subdomains_file: lists/hosts.csv}]"
    assert faults(tmp_path, text) == [
        "lists/hosts.csv:2:1: host: not a host name: 'a b.example.com'"
    ]
