"""Words that every check uses: misspelt names, and values that may be shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from submitter.core import urls


def shown(text: str) -> str:
    """A value in quotes, cut; an address loses its query and user, where secrets live."""
    return f"'{urls.shown(text) if '//' in text else urls.printable(text)}'"


def kind_of(value: object) -> str:
    """What was found instead, for `should be …, not …`."""
    match value:
        case str():
            return shown(value)
        case list():
            return "a list"
        case dict():
            return "a mapping of keys"
        case float():
            return f"{value:g}"
        case _:
            return repr(value)


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing when no known word is near."""
    by_key = {_key(name): name for name in known}
    near = difflib.get_close_matches(_key(word), by_key, n=1, cutoff=0.7)
    return f"; did you mean {by_key[near[0]]!r}?" if near else ""


def _key(name: str) -> str:
    return name.lower().replace("-", "_")
