"""Where a function has its inventory: in its package, or as an object in a bucket."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from submitter.errors import ConfigError
from submitter.objects import SCHEMES, ObjectError, open_object

VARIABLE = "SUBMITTER_INVENTORY"
DEFAULT = "inventory.yaml"
MAX_BYTES = 1 << 20


def fetched_inventory(environ: Mapping[str, str], folder: Path) -> Path:
    """The inventory as a file: a path as it is, an object copied into `folder`, to which its
    relative paths then belong. Raises ConfigError."""
    place = environ.get(VARIABLE) or DEFAULT
    if not place.startswith(SCHEMES):
        return Path(place)
    path = folder / DEFAULT
    try:
        if open_object(place).fetch(path, max_bytes=MAX_BYTES):
            return path
        problem = "there is no such object"
    except (ValueError, ObjectError) as error:
        problem = str(error)
    raise ConfigError.one(VARIABLE, problem)
