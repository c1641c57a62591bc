"""Published addresses: the snapshot that is shipped, and newer files from the operators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final

from submitter.core.crawl.ranges import RangeList, published_list, snapshot_lists
from submitter.errors import ConfigError

MOST_BYTES: Final = 8 * 1024 * 1024


def load_lists(files: Sequence[str] = ()) -> dict[str, RangeList]:
    """By name; a file goes before the snapshot's list. `files`: `FILE` or `BOT=FILE`.

    Raises ConfigError.
    """
    folder = resources.files("submitter.accesslogs") / "data"
    lists = snapshot_lists(json.loads((folder / "ranges.json").read_text(encoding="utf-8")))
    for given in files:
        bot, is_named, path = given.rpartition("=")
        document = _read(path if is_named else given)
        found = published_list(path if is_named else given, bot, document)
        lists[found.name] = found
    return lists


def _read(path: str) -> object:
    where = f"--ranges {path[:200]}"
    try:
        with Path(path).open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ConfigError.one(where, "larger than any published list")
        return json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it holds no JSON"
        raise ConfigError.one(where, f"cannot be read: {reason.lower()}") from error
