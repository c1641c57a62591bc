"""The door to folders of published sitemaps, and to the lists they are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from submitter.core.building.blocks import Mark, RawBlock
from submitter.core.comparison import PageLine
from submitter.core.shards import Difference, Family, FamilyChange, Known, Places


class FamilyDraft(Protocol):
    """One family of files against a new list: `add` the list, look at the `difference`, `finish`.

    A page stays in the file it stands in; what is equal is not touched.
    """

    def track(self) -> None:
        """Before the first row: remember where rows go, for `places`."""

    def add(self, pages: Iterable[PageLine]) -> None:
        """More of the list. A page named twice counts once."""

    def add_rows(self, hashes: Sequence[int], lines: Sequence[bytes]) -> None:
        """More of a list whose pages are distinct: hashes of their identities, and lines."""

    def difference(self) -> Difference:
        """What the list says against the files; it must be whole. Nothing is written yet."""

    def new(self) -> Iterator[bytes]:
        """The lines of pages that no file held. After `difference`."""

    def finish(
        self, *, registered: frozenset[int] = frozenset(), keep_unlisted: bool = False
    ) -> FamilyChange:
        """Make the changed files ready, read back and compared; once, as the last.

        `registered` numbers stay although no page is left (see `Fate.EMPTIED`), and take new
        pages first. `keep_unlisted`: the list was not whole, so nothing is gone.
        """

    def left(self) -> Iterator[tuple[int, str]]:
        """Pages of the files that the list does not name: hash of identity, and address. After
        `difference`, before `publish`."""

    def touched(self) -> Iterable[int]:
        """Hashes of the identities of pages that changed or left."""

    def places(self) -> Places:
        """Where each row of a tracked list stands. After `finish`."""

    def close(self) -> None:
        """Let go of what it holds; the edition does so at its end."""


class PiledEntries(Protocol):
    """Some entries of one family: hashes of their pages, lines, and ordinals in the list."""

    hashes: Sequence[int]
    lines: Sequence[bytes]
    ordinals: Sequence[int]


class EntryPile(Protocol):
    """The entries of a list by family, until the list has ended."""

    entries: int

    def add(
        self, identities: Sequence[str], lines: Sequence[bytes], prefixes: Sequence[str]
    ) -> int:
        """Entries in the order of the list; gives the ordinal of the first."""

    def copy(
        self,
        prefix: str,
        identities: Sequence[str],
        lines: Sequence[bytes],
        ordinals: Sequence[int],
    ) -> None:
        """Entries that stand in a further family as well."""

    def prefixes(self) -> list[str]: ...

    def repeats(self) -> Sequence[tuple[int, int]]:
        """The ordinals of the first entry of a page and of each further one, by the latter."""

    def lists(self, hashes: Sequence[int]) -> list[bool]:
        """Of each hash of a page's identity, whether an entry has it."""

    def ordinals_of(self, prefix: str) -> Sequence[int]:
        """Of all entries of a family, in their order."""

    def entries_of(
        self,
        prefix: str,
        unwanted: bytearray,
        mend: Callable[[int, bytes], bytes] | None = None,
    ) -> Iterator[PiledEntries]:
        """In their order, without the unwanted ordinals, each line mended."""


class FileStamp(Protocol):
    """What a file looks like without reading it."""

    @property
    def size(self) -> int: ...
    @property
    def changed_ns(self) -> int: ...


class Edition(Protocol):
    """A new set of files. What stands in the folder is untouched until `publish`."""

    def draft(self, family: Family, known: Mapping[int, Known] | None = None) -> FamilyDraft:
        """Read the family's files as they stand; where all is known of them, only open lines."""

    def pile(self) -> EntryPile:
        """An empty pile that goes with the edition."""

    def read(self, name: str) -> bytes | None:
        """What a file holds as it stands, unpacked; None when there is none."""

    def put(
        self, name: str, pieces: Iterable[bytes], check: Callable[[Iterator[bytes]], None]
    ) -> bool:
        """Make a file ready, read back by `check`. False: it is as it stands, and stays."""

    def retire(self, name: str) -> None:
        """Remove a file once the new set is in place."""

    def leaving(self) -> list[str]:
        """Names of the files that will be removed."""

    def newest(self, name: str) -> str:
        """The latest date in a file as it stands; empty for none."""

    def stamps(self, names: Iterable[str]) -> Mapping[str, FileStamp]:
        """Of those that are there."""

    def publish(self) -> None:
        """Put the new files in place in the order they were made ready, each at once or not at
        all, then remove what is retired."""


class SitemapFolder(Protocol):
    """A folder of published sitemaps. Raises PublishError when it cannot be read, written or
    locked, or when a file with a name of ours was not written by us."""

    def edition(self) -> AbstractContextManager[Edition]:
        """Work on the folder alone; without `publish`, nothing of it remains."""


class PublishList(Protocol):
    """A list of what is to be published. Raises ConfigError when it cannot be read as one, and
    FetchError when its reading breaks off."""

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def repeatable(self) -> bool:
        """It can be read again from its beginning."""

    def blocks(self, known: Sequence[Mark] = ()) -> Iterator[RawBlock]:
        """All of it, in order; cut where it was cut into the `known` ones, as far as it is the
        same."""
