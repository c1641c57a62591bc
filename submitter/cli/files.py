"""Files that a command writes for other programs: whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from submitter.errors import PublishError

READABLE = 0o644
"""Whoever collects the file runs as somebody else."""


def write_whole(path: Path, text: str) -> None:
    """Put the file in place at once; whoever reads meanwhile sees the old one. Until then it has a
    name that no collector takes. Raises PublishError."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as draft:
            try:
                draft.write(text)
                draft.flush()
                os.fchmod(draft.fileno(), READABLE)
                os.replace(draft.name, path)
            except BaseException:
                Path(draft.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise PublishError(str(path), error.strerror or "cannot be written") from error
