"""The door to folders of published sitemaps."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from submitter.core.comparison import PageLine
from submitter.core.shards import Difference, Family, FamilyChange


class FamilyDraft(Protocol):
    """One family of files against a new list: `add` the list, look at the `difference`, `finish`.

    A page stays in the file it stands in; what is equal is not touched.
    """

    def add(self, pages: Iterable[PageLine]) -> None:
        """More of the list. A page named twice counts once."""

    def difference(self) -> Difference:
        """What the list says against the files; it must be whole. Nothing is written yet."""

    def finish(
        self, *, registered: frozenset[int] = frozenset(), keep_unlisted: bool = False
    ) -> FamilyChange:
        """Make the changed files ready, read back and compared; once, as the last.

        `registered` numbers stay although no page is left (see `Fate.EMPTIED`), and take new
        pages first. `keep_unlisted`: the list was not whole, so nothing is gone.
        """


class Edition(Protocol):
    """A new set of files. What stands in the folder is untouched until `publish`."""

    def draft(self, family: Family) -> FamilyDraft:
        """Read the family's files as they stand."""

    def publish(self) -> None:
        """Put the new files in place, each at once or not at all, then remove what is retired."""


class SitemapFolder(Protocol):
    """A folder of published sitemaps. Raises PublishError when it cannot be read, written or
    locked, or when a file with a name of ours was not written by us."""

    def edition(self) -> AbstractContextManager[Edition]:
        """Work on the folder alone; without `publish`, nothing of it remains."""
