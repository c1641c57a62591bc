"""A folder of sitemaps: what changes, what is left alone, and what a crash leaves behind."""

from __future__ import annotations

import os
import stat
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pytest
from publishing_support import (
    SITE,
    DyingDisk,
    FullDisk,
    PowerCut,
    age,
    bring,
    contents,
    lines_in,
    names_in,
    page,
    small,
    touched,
)

from submitter.core.shards import BAIDU, Difference, Family, Fate
from submitter.core.sitemap_xml import DECLARATION, END, ROOT, render_page
from submitter.errors import PublishError
from submitter.publish import SitemapDirectory
from submitter.publish.disk import Disk

ABCDE = [page(name, "2026-11-01") for name in "abcde"]


def fates(change: object) -> dict[str, Fate]:
    return {file.name: file.fate for file in change.files}  # type: ignore[attr-defined]


# ---------------------------------------------------------------- what changes


def test_a_first_list_fills_files_in_its_order(tmp_path: Path) -> None:
    change = bring(tmp_path / "new" / "folder", small(3), ABCDE)
    assert names_in(tmp_path / "new" / "folder") == {
        "map-1.xml": ["a", "b", "c"],
        "map-2.xml": ["d", "e"],
    }
    assert change.difference == Difference(new=5)
    assert [(file.pages, file.fate) for file in change.files] == [(3, Fate.NEW), (2, Fate.NEW)]
    for file in change.files:
        assert file.bytes == (tmp_path / "new" / "folder" / file.name).stat().st_size


def test_a_list_that_changed_nothing_touches_nothing(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    before = contents(tmp_path)
    age(tmp_path)
    change = bring(tmp_path, small(3), reversed(ABCDE))
    assert touched(tmp_path) == set()
    assert contents(tmp_path) == before
    assert fates(change) == {"map-1.xml": Fate.KEPT, "map-2.xml": Fate.KEPT}
    assert change.difference == Difference(known=5, same=5)


@pytest.mark.parametrize(
    ("change", "rewritten", "after"),
    [
        ({"b": page("b", "2026-11-30")}, {"map-1.xml"}, ["a", "b", "c"]),
        ({"b": page("b")}, {"map-1.xml"}, ["a", "b", "c"]),
        ({"e": page("e", "2026-11-30")}, {"map-2.xml"}, ["a", "b", "c"]),
        ({"b": None}, {"map-1.xml"}, ["a", "c"]),
        ({"e": None}, {"map-2.xml"}, ["a", "b", "c"]),
        ({"f": page("f")}, {"map-2.xml"}, ["a", "b", "c"]),
        ({"b": None, "f": page("f")}, {"map-1.xml", "map-2.xml"}, ["a", "c"]),
    ],
)
def test_one_change_rewrites_one_file(
    tmp_path: Path, change: dict[str, object], rewritten: set[str], after: list[str]
) -> None:
    bring(tmp_path, small(3), ABCDE)
    age(tmp_path)
    listed = dict(zip("abcde", ABCDE, strict=True)) | change  # type: ignore[operator]
    bring(tmp_path, small(3), [one for one in listed.values() if one])
    assert touched(tmp_path) == rewritten
    assert names_in(tmp_path)["map-1.xml"] == after
    lines = {line for some in lines_in(tmp_path).values() for line in some}
    assert lines == {one[1] for one in listed.values() if one}


def test_another_spelling_of_a_page_stays_in_its_place(tmp_path: Path) -> None:
    bring(tmp_path, small(), [page("%E3%81%A7"), page("b")])
    change = bring(tmp_path, small(), [page("b"), page("%e3%81%a7")])
    assert names_in(tmp_path) == {"map-1.xml": ["%e3%81%a7", "b"]}
    assert change.difference == Difference(known=2, same=1, changed=1)


def test_a_page_listed_twice_is_written_once(tmp_path: Path) -> None:
    twice = [page("a", "2026-11-01"), page("A#x"), page("a"), page("a", "2026-11-01")]
    change = bring(tmp_path, small(), twice)
    assert names_in(tmp_path) == {"map-1.xml": ["a", "A"]}
    assert change.difference.duplicates == {"duplicate": 2}
    assert b"2026-11-01" in contents(tmp_path)["map-1.xml"]


def test_a_page_that_comes_back_is_new(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    bring(tmp_path, small(3), ABCDE[1:])
    bring(tmp_path, small(3), ABCDE)
    assert names_in(tmp_path) == {"map-1.xml": ["b", "c"], "map-2.xml": ["d", "e", "a"]}


def test_a_cut_list_removes_nothing(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    change = bring(tmp_path, small(3), [page("b"), page("f")], keep_unlisted=True)
    assert names_in(tmp_path) == {"map-1.xml": ["a", "b", "c"], "map-2.xml": ["d", "e", "f"]}
    assert change.difference == Difference(known=5, changed=1, new=1, kept=4)


def test_entries_that_grew_over_the_limit_of_their_file_move_on(tmp_path: Path) -> None:
    bare = [page(name) for name in "abcd"]
    size = small().frame_bytes + sum(len(line) for _, line, _ in bare)
    bring(tmp_path, small(9, size), bare)
    dated = [page("a", "2026-11-30"), *bare[1:]]
    change = bring(tmp_path, small(9, size), dated)
    assert names_in(tmp_path) == {"map-1.xml": ["a", "b", "c"], "map-2.xml": ["d"]}
    assert change.moved == 1
    assert change.difference == Difference(known=4, same=3, changed=1)


def test_a_lowered_limit_moves_what_is_over_it(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    change = bring(tmp_path, small(2), ABCDE)
    assert names_in(tmp_path) == {
        "map-1.xml": ["a", "b"],
        "map-2.xml": ["d", "e"],
        "map-3.xml": ["c"],
    }
    assert change.moved == 1


def test_pages_without_a_file_are_counted_and_named(tmp_path: Path) -> None:
    change = bring(tmp_path, small(2, files=2), ABCDE)
    assert names_in(tmp_path) == {"map-1.xml": ["a", "b"], "map-2.xml": ["c", "d"]}
    assert change.left_out == {"file-limit": 1}
    assert change.examples == (f"{SITE}/e",)
    change = bring(tmp_path, small(2, files=2), [ABCDE[1], *ABCDE[2:]])
    assert names_in(tmp_path) == {"map-1.xml": ["b", "e"], "map-2.xml": ["c", "d"]}
    assert change.left_out == {}


def test_families_in_one_folder_do_not_touch_each_other(tmp_path: Path) -> None:
    other = Family("map-new", small(3).profile)
    with SitemapDirectory(tmp_path).edition() as edition:
        drafts = {"map": edition.draft(small(3)), "map-new": edition.draft(other)}
        for number, one in enumerate(ABCDE):
            drafts["map-new" if number % 2 else "map"].add([one])
        for draft in drafts.values():
            draft.finish()
        edition.publish()
    assert names_in(tmp_path) == {"map-1.xml": ["a", "c", "e"], "map-new-1.xml": ["b", "d"]}


def test_a_new_root_tag_rewrites_every_file_and_moves_no_page(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    root = ROOT[:-2] + b' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
    change = bring(tmp_path, Family("map", small(3).profile, root), ABCDE)
    assert names_in(tmp_path) == {"map-1.xml": ["a", "b", "c"], "map-2.xml": ["d", "e"]}
    assert set(fates(change).values()) == {Fate.CHANGED}
    assert all(root in text for text in contents(tmp_path).values())


# ---------------------------------------------------------------- emptied files


def test_a_file_without_pages_is_removed_when_nobody_knows_it(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    change = bring(tmp_path, small(3), ABCDE[:3])
    assert names_in(tmp_path) == {"map-1.xml": ["a", "b", "c"]}
    assert fates(change) == {"map-1.xml": Fate.KEPT, "map-2.xml": Fate.REMOVED}


def test_a_registered_file_without_pages_keeps_its_last_one_and_then_stands_still(
    tmp_path: Path,
) -> None:
    bring(tmp_path, small(3), ABCDE)
    change = bring(tmp_path, small(3), ABCDE[3:], registered=[1, 2])
    assert names_in(tmp_path) == {"map-1.xml": ["c"], "map-2.xml": ["d", "e"]}
    assert fates(change) == {"map-1.xml": Fate.EMPTIED, "map-2.xml": Fate.KEPT}
    age(tmp_path)
    change = bring(tmp_path, small(3), ABCDE[3:], registered=[1, 2])
    assert touched(tmp_path) == set()
    assert fates(change)["map-1.xml"] == Fate.EMPTIED


def test_a_registered_file_without_pages_takes_new_ones_first(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    bring(tmp_path, small(3), ABCDE[3:], registered=[1, 2])
    change = bring(tmp_path, small(3), [*ABCDE[3:], page("f")], registered=[1, 2])
    assert names_in(tmp_path) == {"map-1.xml": ["f"], "map-2.xml": ["d", "e"]}
    assert fates(change)["map-1.xml"] == Fate.CHANGED


def test_registered_files_that_are_lost_are_made_again_under_their_names(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    (tmp_path / "map-1.xml").unlink()
    change = bring(tmp_path, small(3), ABCDE, registered=[1, 2])
    assert names_in(tmp_path) == {"map-1.xml": ["a", "b", "c"], "map-2.xml": ["d", "e"]}
    assert change.missing == ()


def test_a_registered_file_that_is_lost_and_has_no_page_is_named(tmp_path: Path) -> None:
    change = bring(tmp_path, small(3), ABCDE[:1], registered=[1, 2])
    assert names_in(tmp_path) == {"map-1.xml": ["a"]}
    assert change.missing == (2,)


# ---------------------------------------------------------------- what is not ours


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"", 1),
        (b"<html>", 1),
        (DECLARATION + ROOT, 3),
        (DECLARATION + ROOT + render_page(f"{SITE}/a"), 3),
        (DECLARATION + ROOT + b"  " + render_page(f"{SITE}/a") + END, 3),
        (DECLARATION + ROOT + render_page("nonsense") + END, 3),
        (DECLARATION + ROOT + ABCDE[0][1] + b"<!-- by hand -->\n" + END, 4),
        (DECLARATION + ROOT + ABCDE[0][1] + END + END, 4),
    ],
)
def test_a_file_that_we_did_not_write_is_never_overwritten(
    tmp_path: Path, text: bytes, line: int
) -> None:
    (tmp_path / "map-1.xml").write_bytes(text)
    with pytest.raises(PublishError, match=rf"map-1\.xml: line {line} was not written by"):
        bring(tmp_path, small(3), ABCDE)
    assert contents(tmp_path) == {"map-1.xml": text}


def test_other_files_of_the_folder_are_none_of_our_business(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text("User-agent: *\n")
    (tmp_path / "map-01.xml").write_text("by hand")
    bring(tmp_path, small(3), ABCDE)
    bring(tmp_path, small(3), ABCDE[:1])
    assert sorted(contents(tmp_path)) == ["map-01.xml", "map-1.xml", "robots.txt"]


def test_a_page_in_two_files_is_taken_out_of_the_later_one(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    second = tmp_path / "map-2.xml"
    second.write_bytes(DECLARATION + ROOT + b"".join(one[1] for one in ABCDE[2:]) + END)
    bring(tmp_path, small(3), ABCDE)
    assert names_in(tmp_path) == {"map-1.xml": ["a", "b", "c"], "map-2.xml": ["d", "e"]}


def test_a_file_can_be_read_as_before(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    first, second = tmp_path / "map-1.xml", tmp_path / "map-2.xml"
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(first.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    second.chmod(0o604)
    bring(tmp_path, small(3), ABCDE[:4])
    assert stat.S_IMODE(second.stat().st_mode) == 0o604


# ---------------------------------------------------------------- trouble


def test_nothing_is_published_without_publish(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    before = contents(tmp_path)
    with SitemapDirectory(tmp_path).edition() as edition:
        draft = edition.draft(small(3))
        draft.add([page("z")])
        draft.finish()
    assert contents(tmp_path) == before


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    busy = pytest.raises(PublishError, match="another run is writing here")
    with SitemapDirectory(tmp_path).edition(), busy:
        bring(tmp_path, small(3), ABCDE)
    bring(tmp_path, small(3), ABCDE)


class LateDisk(Disk):
    """Something happens between opening the folder and taking its lock, the first time."""

    def __init__(self, folder: Path, meanwhile: Callable[[], object]) -> None:
        super().__init__(folder)
        self._meanwhile = [meanwhile]

    def _take(self, handle: int) -> None:
        if self._meanwhile:
            self._meanwhile.pop()()
        super()._take(handle)


class WatchedFolder(type(Path())):  # type: ignore[misc]
    """Another run tries to write just before the folder is removed."""

    def rmdir(self) -> None:
        with pytest.raises(PublishError, match="another run is writing here"), Disk(self).lock():
            pass
        super().rmdir()


def test_an_empty_folder_is_removed_while_no_other_run_may_write_there(tmp_path: Path) -> None:
    with Disk(WatchedFolder(tmp_path / "new")).lock():
        assert (tmp_path / "new").is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_takes_the_lock_of_a_folder_that_was_removed_makes_it_anew(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "new" / "folder"
    with ExitStack() as first:
        first.enter_context(Disk(folder).lock())
        bring(folder, small(3), ABCDE, disk=LateDisk(folder, first.close))
    assert names_in(folder) == {"map-1.xml": ["a", "b", "c"], "map-2.xml": ["d", "e"]}
    with LateDisk(folder, lambda: None).lock(), pytest.raises(PublishError, match="another run"):
        bring(folder, small(3), ABCDE)


def test_a_run_that_is_kept_out_leaves_the_folder_to_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with ExitStack() as other:
        late = LateDisk(folder, lambda: other.enter_context(Disk(folder).lock()))
        with pytest.raises(PublishError, match="another run is writing here"), late.lock():
            pass
        assert folder.is_dir()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PublishError, match=r"file: File exists"):
        bring(tmp_path / "file", small(3), ABCDE)


@pytest.mark.parametrize("full_at", [0, 1])
def test_a_full_disk_leaves_the_old_set(tmp_path: Path, full_at: int) -> None:
    bring(tmp_path, small(3), ABCDE)
    before = contents(tmp_path)
    changed = [page(name, "2026-11-30") for name in "abcde"]
    with pytest.raises(PublishError, match="No space left on device"):
        bring(tmp_path, small(3), changed, disk=FullDisk(tmp_path, full_at))
    assert contents(tmp_path) == before


class LyingDisk(Disk):
    """Swallows the last entry of every file."""

    def sync(self, file: object) -> None:
        file.flush()  # type: ignore[attr-defined]
        end = len(END)
        os.truncate(file.fileno(), os.fstat(file.fileno()).st_size - end - 60)  # type: ignore[attr-defined]
        os.lseek(file.fileno(), 0, os.SEEK_END)  # type: ignore[attr-defined]
        os.write(file.fileno(), END)  # type: ignore[attr-defined]


def test_a_file_that_reads_back_differently_is_not_published(tmp_path: Path) -> None:
    pages = [page(f"{number:06}") for number in range(3)]
    assert len(pages[0][1]) < 60
    with pytest.raises(PublishError, match=r"map-1\.xml: (reads|cannot be read) back"):
        bring(tmp_path, small(3), pages, disk=LyingDisk(tmp_path))
    assert contents(tmp_path) == {}


def changes_in_a_run(folder: Path, pages: list[object]) -> int:
    disk = DyingDisk(folder, 1_000)
    bring(folder, small(3), pages, disk=disk)  # type: ignore[arg-type]
    return 1_000 - disk.left


def test_a_crash_at_any_moment_leaves_each_file_old_or_new_and_is_mended(tmp_path: Path) -> None:
    """Four changes at once: a date, a removal, new pages, and a file that goes."""
    old = [*ABCDE, *(page(name) for name in "xyz")]
    new = [page("a", "2026-11-30"), *ABCDE[1:4], page("f"), page("g"), page("h"), page("i")]
    model = tmp_path / "model"
    bring(model, small(3), old)
    before = contents(model)
    steps = changes_in_a_run(model, new)  # type: ignore[arg-type]
    after = contents(model)
    assert steps > 10
    for moment in range(steps):
        folder = tmp_path / str(moment)
        bring(folder, small(3), old)
        with pytest.raises(PowerCut):
            bring(folder, small(3), new, disk=DyingDisk(folder, moment))
        seen = {name: text for name, text in contents(folder).items() if name[0] != "."}
        for name, text in seen.items():
            assert text in (before.get(name), after.get(name))
        assert set(before) & set(after) <= set(seen)
        bring(folder, small(3), new)
        assert contents(folder) == after


def test_what_a_crash_left_half_made_is_swept_away(tmp_path: Path) -> None:
    bring(tmp_path, small(3), ABCDE)
    before = contents(tmp_path)
    with pytest.raises(PowerCut):
        bring(tmp_path, small(3), ABCDE[:4], disk=DyingDisk(tmp_path, 2))
    assert sorted(set(contents(tmp_path)) - set(before)) == [".map-2.xml.new"]
    bring(tmp_path, small(3), ABCDE)
    assert contents(tmp_path) == before


# ---------------------------------------------------------------- at the limits of Baidu


def test_fifty_thousand_pages_fill_a_file_and_one_more_opens_the_next(tmp_path: Path) -> None:
    family = Family("baidu", BAIDU)
    pages = [page(str(number)) for number in range(50_001)]
    change = bring(tmp_path, family, pages[:50_000])
    assert [file.pages for file in change.files] == [50_000]
    change = bring(tmp_path, family, pages)
    assert [(file.pages, file.fate) for file in change.files] == [
        (50_000, Fate.KEPT),
        (1, Fate.NEW),
    ]


def test_a_file_may_have_10485759_bytes_and_not_one_more(tmp_path: Path) -> None:
    family = Family("baidu", BAIDU)
    room = 10_485_759 - family.frame_bytes
    pages = [page(f"{number:06}?{'x' * 950}") for number in range(11_000)]
    size = len(pages[0][1])
    pages = pages[: room // size]
    rest = room - size * len(pages)
    bare = len(page("last")[1])
    exact, longer = page("last" + "x" * (rest - bare)), page("last" + "x" * (rest - bare + 1))
    change = bring(tmp_path / "exact", family, [*pages, exact])
    assert [file.bytes for file in change.files] == [10_485_759]
    change = bring(tmp_path / "longer", family, [*pages, longer])
    assert [file.pages for file in change.files] == [len(pages), 1]


class NoSpareMemory(Disk):
    """Sets lines aside on the disk at once."""

    def scratch(self) -> IO[bytes]:
        return tempfile.TemporaryFile(dir=self.folder)


def peak_bytes(folder: Path, pages: int) -> int:
    """Of a list of `pages` in which many are new and changed, and as many are gone."""
    family, name = Family("baidu", BAIDU), "x" * 200
    disk = NoSpareMemory(folder)
    bring(folder, family, (page(f"{number}?{name}") for number in range(pages)))
    tracemalloc.start()
    later = (page(f"{number}?{name}", "2026-11-30") for number in range(pages // 2, pages * 3 // 2))
    bring(folder, family, later, disk=disk)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_grows_by_a_few_bytes_a_page_however_long_its_address(tmp_path: Path) -> None:
    few, many = peak_bytes(tmp_path / "few", 6_000), peak_bytes(tmp_path / "many", 16_000)
    assert (many - few) / 10_000 < 100
