"""The families of one edition, one after the other: drafted, finished, and let go."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from submitter.core.building.families import DELTA, FRESH_NEWS
from submitter.core.building.memory import FileRecord
from submitter.core.building.orders import BuildOrder
from submitter.core.findings import MAX_EXAMPLES
from submitter.core.shards import Difference, FamilyChange, Known, Places, ShardFile
from submitter.ports import Edition, EntryPile, FamilyDraft

Mend = Callable[[int, bytes], bytes]
Rows = tuple[Sequence[int], Sequence[bytes]]
"""Hashes of the identities of pages, and their lines."""


@dataclass(slots=True)
class Outcome:
    """What became of all families together."""

    files: dict[str, list[ShardFile]] = field(default_factory=dict)
    """By prefix; removed ones included."""
    known: int = 0
    same: int = 0
    changed: int = 0
    new: int = 0
    moved: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    left_out_examples: list[str] = field(default_factory=list)
    left: list[tuple[int, str]] = field(default_factory=list)
    """Pages that are in no file of their family any more."""
    touched: array[int] = field(default_factory=lambda: array("q"))
    """Hashes of pages that changed or left."""
    places: dict[str, Places] = field(default_factory=dict)

    def add(self, prefix: str, change: FamilyChange) -> None:
        self.files[prefix] = list(change.files)
        self._count(change.difference)
        self.moved += change.moved
        self.left_out.update(change.left_out)
        room = MAX_EXAMPLES - len(self.left_out_examples)
        self.left_out_examples += change.examples[:room]

    def keep(self, prefix: str, files: Iterable[FileRecord]) -> None:
        """A family that nothing in the list touches."""
        kept = [ShardFile(one.name, one.number, one.pages, one.bytes) for one in files]
        self.files[prefix] = kept
        pages = sum(one.pages for one in kept)
        self._count(Difference(known=pages, same=pages))

    def _count(self, difference: Difference) -> None:
        self.known += difference.known
        self.same += difference.same
        self.changed += difference.changed
        self.new += difference.new


class Families:
    """Brings families up to the pile."""

    def __init__(
        self,
        edition: Edition,
        order: BuildOrder,
        pile: EntryPile,
        unwanted: bytearray,
        mend: Mend | None,
    ) -> None:
        self._edition, self._order, self._pile = edition, order, pile
        self._unwanted, self._mend = unwanted if any(unwanted) else bytearray(), mend
        self.outcome = Outcome()

    def bring(
        self,
        prefix: str,
        known: Mapping[int, Known] | None = None,
        look: Callable[[FamilyDraft], None] = lambda draft: None,
    ) -> None:
        """A family of pages that stand nowhere else. `look` is shown what will change."""
        draft = self._draft(prefix, known)
        draft.track()
        for piled in self._pile.entries_of(prefix, self._unwanted, self._mend):
            draft.add_rows(piled.hashes, piled.lines)
        draft.difference()
        look(draft)
        self.outcome.left += draft.left()
        self.outcome.touched.extend(draft.touched())
        self.outcome.add(prefix, draft.finish())
        self.outcome.places[prefix] = draft.places()
        draft.close()

    def bring_delta(self, rows: Iterable[Rows]) -> None:
        """What changed lately; each of its pages stands in another family as well."""
        draft = self._with_rows(DELTA, rows)
        stands = self._order.delta_hours > 0 and self._has_only_aged(draft)
        self.outcome.files[DELTA] = list(draft.finish(keep_unlisted=stands).files)
        draft.close()

    def bring_news(self, rows: Iterable[Rows]) -> None:
        """Articles, for as long as they are fresh."""
        draft = self._with_rows(FRESH_NEWS, rows)
        self.outcome.files[FRESH_NEWS] = list(draft.finish().files)
        draft.close()

    def _with_rows(self, prefix: str, rows: Iterable[Rows]) -> FamilyDraft:
        draft = self._draft(prefix, None)
        for hashes, lines in rows:
            draft.add_rows(hashes, lines)
        return draft

    def _has_only_aged(self, draft: FamilyDraft) -> bool:
        """No page came, changed or left: those that are too old leave with the next that does, so
        that a list in which nothing changed touches no file."""
        difference = draft.difference()
        if difference.new or difference.changed:
            return False
        touched = frozenset(self.outcome.touched)
        return not any(value in touched for value, _ in draft.left())

    def copies(self, prefix: str) -> Iterator[Rows]:
        """The rows of such a family, from the pile."""
        mend = self._mend if prefix == DELTA else None
        for piled in self._pile.entries_of(prefix, self._unwanted, mend):
            yield piled.hashes, piled.lines

    def _draft(self, prefix: str, known: Mapping[int, Known] | None) -> FamilyDraft:
        return self._edition.draft(self._order.family(prefix), known)
