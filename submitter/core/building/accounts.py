"""What became of the lines of a list: counted by reason, each with the first that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from submitter.core.building.reasons import DROPPED, FAULTY, LEFT_OUT
from submitter.core.findings import MAX_EXAMPLES, Finding, Meaning

Example = tuple[int, str]
"""The number of a line, and the page it is about or what is wrong with it."""


@dataclass(slots=True)
class Account:
    """`lines` = entries + the sum of `dropped`."""

    lines: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=dict)

    def drop(self, reason: str, line: int, shown: str, count: int = 1) -> None:
        self.dropped[reason] += count
        self.remember(reason, line, shown)

    def leave_out(self, ids: Mapping[str, int], line: int, shown: str) -> None:
        """Of the entry of this line, by what."""
        for id, count in ids.items():
            self.left_out[id] += count
            self.remember(id, line, shown)

    def remember(self, id: str, line: int, shown: str) -> None:
        examples = self.examples.setdefault(id, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append((line, shown))

    def add(self, other: Account) -> None:
        """What came after."""
        self.lines += other.lines
        self.dropped += other.dropped
        self.left_out += other.left_out
        for id, examples in other.examples.items():
            for line, shown in examples:
                self.remember(id, line, shown)

    @property
    def faulty(self) -> int:
        """Lines dropped that were meant to be listed, or may have been."""
        return sum(count for reason, count in self.dropped.items() if reason in FAULTY)

    def findings(self, where: str) -> tuple[Finding, ...]:
        """One for each reason, faults first."""
        return (
            *self._of(DROPPED, self.dropped, where),
            *self._of(LEFT_OUT, self.left_out, where),
        )

    def _of(
        self, meanings: Mapping[str, Meaning], counts: Mapping[str, int], where: str
    ) -> Iterable[Finding]:
        for id, (severity, text) in meanings.items():
            if counts.get(id):
                examples = [
                    f"line {line}: {shown}" if line else shown
                    for line, shown in self.examples.get(id, ())
                ]
                yield Finding(id, severity, where, text, counts[id], tuple(examples))
