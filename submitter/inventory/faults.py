"""Everything wrong with one inventory, gathered before anything is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from submitter.errors import ConfigError, Fault
from submitter.inventory.marks import Loc, Marks
from submitter.inventory.translation import problems_of

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Row:
    """A place in a CSV file."""

    where: str
    line: int
    column: int = 1


class Faults:
    """Gathers faults of the inventory `name`; `marks` knows where its keys and values stand."""

    def __init__(self, name: str, marks: Marks, found: Iterable[Fault] = ()) -> None:
        self.name, self._marks = name, marks
        self.found = list(found)

    def at_value(self, place: Loc | Row, problem: str) -> None:
        if isinstance(place, Row):
            self.found.append(Fault(place.where, place.line, place.column, problem))
        else:
            self.found.append(Fault(self.name, *self._marks.value_at(place), problem))

    def at_key(self, loc: Loc, problem: str) -> None:
        self.found.append(Fault(self.name, *self._marks.key_at(loc), problem))

    def if_missing(self, loc: Loc) -> None:
        """The last key of `loc` is missing, unless it stands there without a value: that was
        reported already."""
        if not self._marks.has_key(loc):
            self.at_value(loc[:-1], f"'{loc[-1]}' is missing")

    def describe(self, place: Loc | Row) -> str:
        """The place in a sentence about another one."""
        if isinstance(place, Row):
            return f"{place.where}:{place.line}"
        return f"{self.name}:{self._marks.value_at(place)[0]}"

    def validate(
        self,
        model: type[Model],
        value: object,
        loc: Loc,
        *,
        accounts: Iterable[str] = (),
        known: type[BaseModel] | None = None,
    ) -> Model | None:
        """The model, or None after its faults were gathered. `known` has the keys that a
        misspelt one is compared with."""
        try:
            return model.model_validate(value, context=accounts)
        except ValidationError as error:
            problems = list(problems_of(error, known or model, under=loc))
        for problem in problems:
            if problem.missing:
                self.if_missing(problem.loc)
            elif problem.at_key:
                self.at_key(problem.loc, problem.text)
            else:
                self.at_value(problem.loc, problem.text)
        return None

    def raise_if_any(self) -> None:
        if self.found:
            raise self.error()

    def error(self) -> ConfigError:
        """Sorted by file (the inventory first), line and column; each fault once."""
        order = sorted(
            dict.fromkeys(self.found),
            key=lambda fault: (fault.where != self.name, fault.where, fault.line, fault.column),
        )
        return ConfigError(order)
