"""Shared by the tests of published files: short lists, a disk that dies, a book in memory."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from submitter.core.checklist import Item
from submitter.core.comparison import DUPLICATE, PageLine
from submitter.core.shards import Family, FamilyChange, Profile
from submitter.core.sitemap_xml import loc_of, render_page
from submitter.core.urls import normalize, sendable
from submitter.publish import SitemapDirectory
from submitter.publish.disk import Disk

SITE = "https://shop.example.com"
LONG_AGO = 1_000_000_000
"""A time to give to files, so that any touch shows without waiting."""


def small(pages: int = 3, size: int = 10_000, files: int | None = None) -> Family:
    return Family("map", Profile("small", max_pages=pages, max_bytes=size, max_files=files))


def page(name: str, lastmod: str = "") -> PageLine:
    loc = name if "://" in name else f"{SITE}/{name}"
    return normalize(loc), render_page(sendable(loc), lastmod), DUPLICATE


def bring(
    folder: Path,
    family: Family,
    pages: Iterable[PageLine],
    *,
    registered: Iterable[int] = (),
    keep_unlisted: bool = False,
    disk: Disk | None = None,
) -> FamilyChange:
    """Bring the folder up to the list and publish it."""
    with SitemapDirectory(folder, disk).edition() as edition:
        draft = edition.draft(family)
        draft.add(pages)
        change = draft.finish(registered=frozenset(registered), keep_unlisted=keep_unlisted)
        edition.publish()
    return change


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def lines_in(folder: Path) -> dict[str, list[bytes]]:
    """The entries of every file; hidden ones included, since there must be none."""
    return {name: text.splitlines(True)[2:-1] for name, text in contents(folder).items()}


def names_in(folder: Path) -> dict[str, list[str]]:
    """The pages of every file, without the site."""
    return {
        file: [loc_of(line).removeprefix(f"{SITE}/") for line in lines]
        for file, lines in lines_in(folder).items()
    }


def age(folder: Path) -> None:
    for path in folder.iterdir():
        os.utime(path, (LONG_AGO, LONG_AGO))


def touched(folder: Path) -> set[str]:
    """Files written since `age`."""
    return {path.name for path in folder.iterdir() if path.stat().st_mtime != LONG_AGO}


class PowerCut(BaseException):
    """The machine is gone: no clean-up runs."""


class DyingDisk(Disk):
    """A disk whose machine dies before the n-th change; afterwards nothing can be changed."""

    def __init__(self, folder: Path, dies_before: int) -> None:
        super().__init__(folder)
        self.left = dies_before

    def create(self, name: str, *, like: str) -> BinaryIO:
        self._step()
        return super().create(name, like=like)

    def sync(self, file: BinaryIO) -> None:
        self._step()
        super().sync(file)

    def rename(self, name: str, new_name: str) -> None:
        self._step()
        super().rename(name, new_name)

    def remove(self, name: str) -> None:
        self._step()
        super().remove(name)

    def sync_folder(self) -> None:
        self._step()
        super().sync_folder()

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PowerCut


class FullDisk(Disk):
    """A disk that has no room when the n-th file is written."""

    def __init__(self, folder: Path, full_at: int) -> None:
        super().__init__(folder)
        self.left = full_at

    def sync(self, file: BinaryIO) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        super().sync(file)


class BookInMemory:
    """Implements `ports.ChecklistBook`."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str, str], Item] = {}

    def items(self, engine: str, site: str) -> list[Item]:
        return [item for item in self._items.values() if (item.engine, item.site) == (engine, site)]

    def save(self, items: Sequence[Item]) -> None:
        self._items.update({(item.engine, item.site, item.address): item for item in items})
