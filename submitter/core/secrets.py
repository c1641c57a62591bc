"""The one type that a secret lives in: nothing that prints, logs or pickles it can show it."""

from __future__ import annotations

from typing import NoReturn


class MaskedSecret:
    """A secret value. Only `reveal()` gives it; `repr`, `str`, `format` and tracebacks do not."""

    __slots__ = ("_value", "shown_as")

    def __init__(self, value: str, *, shown_as: str = "***") -> None:
        self._value = value
        self.shown_as = shown_as

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return f"MaskedSecret({self.shown_as})"

    def __str__(self) -> str:
        return self.shown_as

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled")
