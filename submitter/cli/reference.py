"""Writes what of the docs is generated: config/reference.md, and the engines' table of README.md.

`python -m submitter.cli.reference FOLDER`; `scripts/reference` calls it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from submitter.cli.describing import command_texts
from submitter.render.reference import reference_text
from submitter.render.reference_engines import readme_engines
from submitter.wiring import TRAITS

REFERENCE, README = Path("config", "reference.md"), Path("README.md")
_ENGINES = re.compile(r"(<!-- engines[^\n]*-->\n).*?(<!-- /engines -->)", re.DOTALL)


def generated(root: Path) -> Mapping[Path, str]:
    """Every file with generated text, as it should be."""
    table = "\n".join(readme_engines(TRAITS)) + "\n"
    readme = (root / README).read_text(encoding="utf-8")
    return {
        root / REFERENCE: reference_text(TRAITS, command_texts()),
        root / README: _ENGINES.sub(lambda found: f"{found[1]}{table}{found[2]}", readme),
    }


def write_all(root: Path) -> None:
    for path, text in generated(root).items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
