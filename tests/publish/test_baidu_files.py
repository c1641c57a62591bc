"""From the pages of a site to the files that Baidu takes and the list to hand in today."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publishing_support import (
    SITE,
    BookInMemory,
    age,
    contents,
    names_in,
    touched,
)

from submitter.core.checklist import Form, FormLimits, tick
from submitter.core.fleet import GuardRule, Site
from submitter.core.shards import BAIDU, Fate
from submitter.errors import ConfigError
from submitter.publish import SitemapDirectory
from submitter.stories.baidu_files import (
    BaiduFiles,
    BaiduWriting,
    Order,
    baidu_files_json,
    write_baidu_files,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOMORROW = NOW + timedelta(days=1)
SMALL = replace(BAIDU, max_pages=3)
ORDER = Order(SITE, profile=SMALL)

Row = tuple[str, str | None]


def rows(names: Iterable[object], lastmod: str | None = "2026-11-01") -> list[Row]:
    return [(f"{SITE}/{name}", lastmod) for name in names]


class Desk:
    """One folder and one book, used again and again."""

    def __init__(self, folder: Path, order: Order = ORDER) -> None:
        self.folder, self.order = folder, order
        self.book = BookInMemory()

    def write(
        self,
        listed: Iterable[Row],
        *,
        now: datetime = NOW,
        complete: bool = True,
        force: bool = False,
        order: Order | None = None,
    ) -> BaiduFiles:
        return write_baidu_files(
            listed,
            SitemapDirectory(self.folder),
            order or self.order,
            self.book,
            now=now,
            complete=lambda: complete,
            force=force,
        )

    def tick(self, *names: str, now: datetime = NOW) -> None:
        addresses = [f"{SITE}/{name}" for name in names]
        self.book.save(tick(self.book.items("baidu", SITE), addresses, now=now))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def ids(report: BaiduFiles) -> list[str]:
    return [finding.id for finding in report.findings]


def to_hand_in(report: BaiduFiles) -> list[str]:
    return [item.address.removeprefix(f"{SITE}/") for item in report.agenda.hand_in]


def test_pages_become_files_and_files_become_the_list_of_today(desk: Desk) -> None:
    report = desk.write(rows("abcde"))
    assert names_in(desk.folder) == {
        "baidu-1.xml": ["a", "b", "c"],
        "baidu-2.xml": ["d", "e"],
    }
    assert (report.rows, report.pages, report.dropped, report.held) == (5, 5, {}, False)
    assert to_hand_in(report) == ["baidu-1.xml", "baidu-2.xml"]
    assert report.findings == ()


def test_every_row_not_used_has_one_reason_and_the_counts_add_up(desk: Desk) -> None:
    order = replace(ORDER, profile=replace(SMALL, max_files=1))
    listed = [
        *rows("abab"),
        *rows(["a#top", "c#x", "c#y", "d", "e"]),
        ("https://www.example.com/", None),
        ("no address", None),
        (f"{SITE}/{'x' * 300}", None),
    ]
    report = desk.write(listed, order=order)
    assert names_in(desk.folder) == {"baidu-1.xml": ["a", "b", "c"]}
    assert report.dropped == {
        "bad-address": 1,
        "duplicate": 2,
        "file-limit": 2,
        "foreign-host": 1,
        "fragment-duplicate": 2,
        "loc-too-long": 1,
    }
    assert report.rows == report.pages + sum(report.dropped.values()) == len(listed)
    [limit] = [finding for finding in report.findings if finding.id == "file-limit"]
    assert limit.examples == (f"{SITE}/d", f"{SITE}/e")


@given(
    st.lists(
        st.sampled_from(["a", "b", "c", "d", "a#1", "a#2", "é", "%C3%A9", "x" * 300, "%"]).map(
            lambda name: f"{SITE}/{name}"
        )
        | st.just("https://other.example/")
        | st.just("nothing"),
        max_size=20,
    ),
    st.integers(1, 3),
    st.booleans(),
)
def test_the_counts_always_add_up(
    tmp_path_factory: pytest.TempPathFactory, locs: list[str], files: int, complete: bool
) -> None:
    order = Order(SITE, profile=replace(BAIDU, max_pages=1, max_files=files))
    desk = Desk(tmp_path_factory.mktemp("folder"), order)
    desk.write(rows("d"))
    report = desk.write([(loc, None) for loc in locs], force=True, complete=complete)
    assert report.rows == len(locs) == report.pages + sum(report.dropped.values())
    written = sum(len(names) for names in names_in(desk.folder).values())
    assert written == report.pages + report.difference.kept


def test_the_same_list_again_touches_no_file_and_no_item(desk: Desk) -> None:
    desk.write(rows("abcde"))
    items = desk.book.items("baidu", SITE)
    age(desk.folder)
    report = desk.write(rows("abcde"), now=TOMORROW)
    assert touched(desk.folder) == set()
    assert desk.book.items("baidu", SITE) == items
    assert {file.fate for file in report.files} == {Fate.KEPT}


def test_what_was_handed_in_is_not_asked_for_again_but_shown_when_it_changed(desk: Desk) -> None:
    desk.write(rows("abcde"))
    desk.tick("baidu-1.xml")
    report = desk.write(rows("abcdef"), now=TOMORROW)
    assert to_hand_in(report) == ["baidu-2.xml"]
    [handed_in] = report.agenda.handed_in
    assert not handed_in.changed_since
    report = desk.write([*rows("a", "2026-11-30"), *rows("bcdef")], now=TOMORROW)
    [handed_in] = report.agenda.handed_in
    assert (handed_in.handed_in_at, handed_in.changed_since) == (NOW, True)


def test_ten_files_a_day_are_handed_in(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Order(SITE, profile=replace(BAIDU, max_pages=1)))
    report = desk.write(rows(range(12)))
    assert to_hand_in(report) == [f"baidu-{number}.xml" for number in range(1, 11)]
    assert report.agenda.waiting == 2
    desk.tick(*to_hand_in(report))
    assert to_hand_in(desk.write(rows(range(12)))) == []
    assert to_hand_in(desk.write(rows(range(12)), now=TOMORROW)) == [
        "baidu-11.xml",
        "baidu-12.xml",
    ]


def test_more_files_than_the_console_takes_are_said(tmp_path: Path) -> None:
    limits = FormLimits(per_day=10, in_all=1, day_zone="Asia/Shanghai")
    report = Desk(tmp_path, replace(ORDER, limits=limits)).write(rows("abcde"))
    assert (to_hand_in(report), report.agenda.over_limit) == (["baidu-1.xml"], 1)
    assert ids(report) == ["console-full"]


def test_a_handed_in_file_without_pages_stays_until_it_is_withdrawn(desk: Desk) -> None:
    desk.write(rows("abcde"))
    desk.tick("baidu-1.xml", "baidu-2.xml")
    report = desk.write(rows("abc"), now=TOMORROW, force=True)
    assert names_in(desk.folder) == {"baidu-1.xml": ["a", "b", "c"], "baidu-2.xml": ["e"]}
    assert ids(report) == ["file-emptied", "withdraw-file"]
    assert [item.address for item in report.agenda.withdraw] == [f"{SITE}/baidu-2.xml"]
    desk.tick("baidu-2.xml", now=TOMORROW)
    report = desk.write(rows("abc"), now=TOMORROW)
    assert names_in(desk.folder) == {"baidu-1.xml": ["a", "b", "c"]}
    assert report.findings == ()


def test_an_emptied_file_that_takes_new_pages_needs_no_hand(desk: Desk) -> None:
    desk.write(rows("abcde"))
    desk.tick("baidu-1.xml", "baidu-2.xml")
    desk.write(rows("abc"), force=True)
    report = desk.write(rows("abcf"), now=TOMORROW)
    assert names_in(desk.folder) == {"baidu-1.xml": ["a", "b", "c"], "baidu-2.xml": ["f"]}
    assert (to_hand_in(report), report.agenda.withdraw) == ([], ())


def test_a_lost_folder_is_filled_again_under_the_addresses_handed_in(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "first")
    desk.write(rows("abcde"))
    desk.tick("baidu-1.xml", "baidu-2.xml")
    desk.folder = tmp_path / "second"
    report = desk.write(rows("ab"))
    assert names_in(desk.folder) == {"baidu-1.xml": ["a", "b"]}
    assert ids(report) == ["file-missing", "withdraw-file"]


# ---------------------------------------------------------------- what looks like an accident


def test_a_list_that_lost_too_many_pages_is_held_until_it_is_forced(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Order(SITE))
    desk.write(rows(range(13)))
    assert desk.write(rows(range(10))).held is False
    report = desk.write(rows(range(6)))
    assert (report.held, ids(report)) == (True, ["guard-gone"])
    assert len(names_in(tmp_path)["baidu-1.xml"]) == 10
    assert to_hand_in(report) == ["baidu-1.xml"]
    assert desk.write(rows(range(6)), force=True).held is False
    assert len(names_in(tmp_path)["baidu-1.xml"]) == 6


@pytest.mark.parametrize(
    ("listed", "reason"),
    [([], "guard-empty"), ([("https://other.example/", None)], "guard-foreign")],
)
def test_a_list_without_a_page_of_the_site_is_held(
    desk: Desk, listed: list[Row], reason: str
) -> None:
    desk.write(rows("ab"))
    before = contents(desk.folder)
    report = desk.write(listed)
    assert report.held
    assert reason in ids(report)
    assert contents(desk.folder) == before


def test_the_guard_is_the_sites_own(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Order(SITE, guard=GuardRule(max_gone=0.9)))
    desk.write(rows(range(10)))
    assert not desk.write(rows(range(2))).held


def test_a_cut_list_takes_no_page_away_and_is_not_held(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Order(SITE))
    desk.write(rows(range(20)))
    report = desk.write(rows([0, "new"]), complete=False)
    assert report.held is False
    assert ids(report) == ["incomplete-list"]
    assert names_in(tmp_path) == {"baidu-1.xml": [*map(str, range(20)), "new"]}
    assert desk.write([], complete=False).held is False
    assert len(names_in(tmp_path)["baidu-1.xml"]) == 21


def test_completeness_is_asked_for_after_the_last_row(tmp_path: Path) -> None:
    asked: list[str] = []

    def listed() -> Iterable[Row]:
        yield from rows("a")
        asked.append("read")

    write_baidu_files(
        listed(),
        SitemapDirectory(tmp_path),
        ORDER,
        BookInMemory(),
        now=NOW,
        complete=lambda: asked == ["read"] and not asked.append("asked"),  # type: ignore[func-returns-value]
    )
    assert asked == ["read", "asked"]


# ---------------------------------------------------------------- dead links


def test_dead_links_have_files_and_a_form_of_their_own(desk: Desk) -> None:
    dead = replace(ORDER, form=Form.DEAD_LINKS)
    desk.write(rows("abc"))
    report = desk.write(rows("xy", None), order=dead)
    assert names_in(desk.folder) == {"baidu-1.xml": ["a", "b", "c"], "silian-1.xml": ["x", "y"]}
    forms = {item.address.removeprefix(f"{SITE}/"): item.form for item in report.agenda.hand_in}
    assert forms == {"baidu-1.xml": Form.SITEMAP, "silian-1.xml": Form.DEAD_LINKS}


def test_a_page_that_lives_again_is_not_called_dead(desk: Desk) -> None:
    dead = replace(ORDER, form=Form.DEAD_LINKS)
    desk.write(rows("xy", None), order=dead)
    desk.tick("silian-1.xml")
    report = desk.write([], order=dead, now=TOMORROW)
    assert report.held is False
    assert contents(desk.folder) == {}
    assert ids(report) == ["withdraw-file"]


def test_a_prefix_of_ones_own_names_the_files(desk: Desk) -> None:
    desk.write(rows("a"), order=replace(ORDER, prefix="cn"))
    assert names_in(desk.folder) == {"cn-1.xml": ["a"]}


# ---------------------------------------------------------------- where it is seen


@pytest.mark.parametrize(
    ("base_url", "address", "found"),
    [
        ("", f"{SITE}/baidu-1.xml", []),
        (f"{SITE}/", f"{SITE}/baidu-1.xml", []),
        (f"{SITE}/maps", f"{SITE}/maps/baidu-1.xml", ["not-at-root"]),
        ("http://shop.example.com/", "http://shop.example.com/baidu-1.xml", []),
    ],
)
def test_addresses_are_those_of_the_folder(
    desk: Desk, base_url: str, address: str, found: list[str]
) -> None:
    report = desk.write(rows("a"), order=replace(ORDER, base_url=base_url))
    assert [item.address for item in report.agenda.hand_in] == [address]
    assert ids(report) == found


@pytest.mark.parametrize("base_url", ["https://cdn.example.com/", "/maps", "ftp://x.example/"])
def test_a_folder_on_another_host_is_refused(base_url: str) -> None:
    with pytest.raises(ConfigError, match="base URL"):
        Order(SITE, base_url)


def test_rows_may_come_in_parts(tmp_path: Path) -> None:
    with SitemapDirectory(tmp_path).edition() as edition:
        writing = BaiduWriting(edition, ORDER, BookInMemory())
        writing.add(rows("ab"))
        writing.add(rows("bcd"))
        report = writing.finish(complete=True, now=NOW)
    assert names_in(tmp_path) == {"baidu-1.xml": ["a", "b", "c"], "baidu-2.xml": ["d"]}
    assert report.dropped == {"duplicate": 1}


def test_the_report_is_json_with_times_and_numbers(desk: Desk) -> None:
    desk.write(rows("abcd"))
    desk.tick("baidu-1.xml")
    document = json.loads(json.dumps(baidu_files_json(desk.write(rows("abcde")))))
    assert document["delta"] == {"new": 1, "changed": 0, "gone": 0, "kept": 0, "moved": 0}
    assert document["known"] == 4
    assert document["files"][1] == {
        "name": "baidu-2.xml",
        "address": f"{SITE}/baidu-2.xml",
        "pages": 2,
        "bytes": (desk.folder / "baidu-2.xml").stat().st_size,
        "fate": "changed",
    }
    assert document["manual"]["handed_in"][0]["handed_in_at"] == "2026-11-30T12:00:00Z"
    assert [one["address"] for one in document["manual"]["hand_in"]] == [f"{SITE}/baidu-2.xml"]
    assert document["findings"] == []


def test_files_keep_to_what_the_inventory_says_of_the_console(tmp_path: Path) -> None:
    site = Site("shop.example.com", baidu_files=2, baidu_files_per_day=1)
    order = Order.of(site, "")
    order = replace(order, profile=replace(order.profile, max_pages=3))
    report = Desk(tmp_path, order).write([(f"{site.origin}/{n}", None) for n in range(8)])
    assert (len(report.files), report.pages, sum(report.dropped.values())) == (2, 6, 2)
    assert len(report.agenda.hand_in) == 1
