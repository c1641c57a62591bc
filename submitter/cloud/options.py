"""The options of `submitter run` as they stand in an event. All faults are reported at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from submitter.core.selection import FORCED_WITHOUT_SELECTION, Selection
from submitter.core.sharding import Shard, parse_shard
from submitter.errors import ConfigError, Fault

EVENT = "event"
"""Where faults are said to be."""
_RUN = re.compile(r"[\w.:+/@-]{1,200}", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `submitter run` takes; times in seconds. `run` names the run: a second event with the
    same name finds the first one's report."""

    run: str | None = None
    selection: Selection = Selection()
    force: str | None = None
    only_plan: str | None = None
    deadline_s: float | None = None
    wait_s: float = 0.0
    verify: bool = True
    shard: Shard | None = None


def read_options(document: object) -> RunOptions:
    """Null, or an object with the options' names; `-` and `_` are the same. Raises ConfigError."""
    if document is None:
        return RunOptions()
    if not isinstance(document, Mapping):
        raise ConfigError.one(EVENT, "should be an object with the options of `submitter run`")
    found: dict[str, Any] = {}
    faults: list[Fault] = []
    for key, value in document.items():
        name = str(key).replace("-", "_")
        try:
            found[name] = _read(name, value)
        except ValueError as error:
            faults.append(Fault(f"{EVENT}.{str(key)[:40]}", 0, 0, str(error)))
    if faults:
        raise ConfigError(faults)
    return _options(found)


def _options(found: Mapping[str, Any]) -> RunOptions:
    selection = Selection(*(found.get(name, ()) for name in ("site", "engine", "account", "tag")))
    if selection.is_everything and found.get("force") is not None:
        raise ConfigError.one(f"{EVENT}.force", FORCED_WITHOUT_SELECTION)
    return RunOptions(
        run=found.get("run"),
        selection=selection,
        force=found.get("force"),
        only_plan=found.get("only_plan"),
        deadline_s=found.get("deadline"),
        wait_s=found.get("wait", 0.0),
        verify=found.get("verify", True) and not found.get("no_verify", False),
        shard=found.get("shard"),
    )


def _read(name: str, value: object) -> object:
    reader = READERS.get(name)
    if reader is None:
        near = get_close_matches(name, READERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(READERS)}"
        raise ValueError(f"no such option; {hint}")
    return reader(value)


def _run_name(value: object) -> str:
    if isinstance(value, str) and _RUN(value):
        return value
    raise ValueError("should be a name of letters, digits and . : + / @ - _, at most 200 long")


def _names(value: object) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return tuple(names)
    raise ValueError("should be a text or a list of texts")


def _words(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and value.strip():
        return value
    raise ValueError("should be a text with words in it")


def _seconds(value: object) -> float:
    number = float(value) if isinstance(value, int | float) else -1.0
    if not isinstance(value, bool) and 0 <= number < float("inf"):
        return number
    raise ValueError("should be a number of seconds")


def _shard(value: object) -> Shard:
    if isinstance(value, str):
        return parse_shard(value, {})
    raise ValueError("should be a text such as 2/5")


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("should be true or false")


READERS: Mapping[str, Callable[[object], object]] = MappingProxyType(
    {
        "run": _run_name,
        "site": _names,
        "engine": _names,
        "account": _names,
        "tag": _names,
        "force": _words,
        "only_plan": _words,
        "deadline": _seconds,
        "wait": _seconds,
        "verify": _switch,
        "no_verify": _switch,
        "shard": _shard,
    }
)
"""Every option by its name in an event."""
