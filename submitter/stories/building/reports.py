"""What a build did, and the words for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from submitter.core.building.accounts import Account
from submitter.core.building.families import DELTA
from submitter.core.building.index import MAX_CHILDREN
from submitter.core.building.orders import BuildOrder
from submitter.core.findings import MAX_EXAMPLES, Finding, Meaning, Severity
from submitter.core.shards import Fate, ShardFile

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

BUILD_IDS: Final = {
    "strict": Meaning(_ERROR, "the list has faulty lines, and `--strict` publishes none such"),
    "too-many-children": Meaning(_ERROR, "more files than an index may name"),
    "more-files-than-taken": Meaning(
        _WARNING, "more files than the engine takes of a common site; none was removed"
    ),
    "entries-moved": Meaning(_INFO, "a file had grown over its limit; these went to another"),
    "outside-the-folder": Meaning(
        _INFO,
        "the files lie in a folder that their pages are not under: they count where robots.txt or"
        " a console names them",
    ),
}
"""Ids of findings about a build, for the docs. They only grow."""


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """`lastmod` is the newest date inside it; empty when it has none."""

    family: str
    address: str
    file: ShardFile
    lastmod: str


@dataclass(frozen=True, slots=True)
class Built:
    """`lines` = `pages` + the sum of what was dropped. Held: nothing in the folder was touched."""

    order: BuildOrder
    name: str
    """Of the list."""
    at: datetime
    held: bool
    account: Account
    read: int
    """Lines that were read; the others are as the last build read them."""
    pages: int
    """Distinct pages in the files."""
    new: int
    changed: int
    removed: Sequence[str]
    """Addresses that are in no file any more."""
    moved: int
    files: Sequence[BuiltFile]
    """Removed ones included."""
    index_changed: bool
    findings: Sequence[Finding]

    @property
    def index_url(self) -> str | None:
        standing = any(one.file.fate is not Fate.REMOVED for one in self.files)
        if not self.order.profile.index or not standing:
            return None
        return self.order.address(self.order.index_name)

    @property
    def robots_lines(self) -> tuple[str, ...]:
        """What to add to robots.txt: the index, or each file where there is none."""
        if self.index_url is not None:
            return (f"Sitemap: {self.index_url}",)
        return tuple(
            f"Sitemap: {one.address}" for one in self.files if one.file.fate is not Fate.REMOVED
        )

    @property
    def delta_pages(self) -> int:
        return sum(one.file.pages for one in self.files if one.family == DELTA)


def findings_of(
    order: BuildOrder, name: str, account: Account, files: Sequence[BuiltFile], moved: int
) -> tuple[Finding, ...]:
    """What there is to say of lines and files."""
    standing = [one for one in files if one.file.fate is not Fate.REMOVED]
    most = order.profile.max_files
    over = len(standing) - most if most and not order.profile.index else 0
    children = len(standing) - MAX_CHILDREN if order.profile.index else 0
    notes = (
        note("too-many-children", order.folder_url, children),
        note("more-files-than-taken", order.folder_url, over),
        note("entries-moved", order.folder_url, moved),
        note("outside-the-folder", order.folder_url, int(order.folder_url != f"{order.site}/")),
    )
    return (*account.findings(name), *(one for one in notes if one.count > 0))


def note(id: str, where: str, count: int, examples: Iterable[str] = ()) -> Finding:
    severity, text = BUILD_IDS[id]
    return Finding(id, severity, where, text, count, tuple(examples)[:MAX_EXAMPLES])
