"""Where a function has its inventory: in its package, or as an object in a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from submitter.errors import ConfigError, FetchError
from submitter.objects import SCHEMES, ObjectError, open_object

VARIABLE = "SUBMITTER_INVENTORY"
DEFAULT = "inventory.yaml"
MAX_BYTES = 1 << 20


def fetched_inventory(environ: Mapping[str, str], folder: Path) -> Path:
    """The inventory as a file: a path as it is, an object copied into `folder`, to which its
    relative paths then belong. Raises ConfigError, and FetchError where the store does not give
    it."""
    place = environ.get(VARIABLE) or DEFAULT
    if not place.startswith(SCHEMES):
        return Path(place)
    path = folder / DEFAULT
    try:
        found = open_object(place).fetch(path, max_bytes=MAX_BYTES)
    except ValueError as error:
        raise ConfigError.one(VARIABLE, str(error)) from error
    except ObjectError as error:
        raise FetchError(error.address, "connect-failed", error.problem) from error
    if not found:
        raise ConfigError.one(VARIABLE, f"{place[:200]}: there is no such object")
    return path
