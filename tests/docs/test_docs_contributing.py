"""The worked example is the code that is there; and what it promises of a new engine holds."""

from __future__ import annotations

import pytest
from docs_pages import ROOT, Block, blocks, read

from submitter.engines import ENGINES

EXCERPTS = [block for block in blocks("CONTRIBUTING.md") if block.mark.startswith("from: ")]
GAP = "...\n"


def left_over(block: Block) -> str:
    """The first piece of an excerpt that is not in its file, after the piece before."""
    text = read(block.mark.removeprefix("from: "))
    for piece in block.text.split(f"\n{GAP}"):
        _, found, text = text.partition(piece.rstrip("\n") + "\n")
        if not found:
            return piece
    return ""


@pytest.mark.parametrize("block", EXCERPTS, ids=lambda block: block.mark)
def test_an_excerpt_stands_in_its_file(block: Block) -> None:
    assert left_over(block) == ""


def test_the_example_shows_each_step() -> None:
    assert {block.mark for block in EXCERPTS} >= {
        "from: submitter/engines/seznam.py",
        "from: submitter/engines/__init__.py",
        "from: tests/engines/engine_rows.py",
        "from: submitter/sandbox/seznam.py",
    }


def test_a_changed_line_is_noticed() -> None:
    block = Block("from: submitter/engines/__init__.py", "python", '        "seznam": None,\n')
    assert left_over(block) == block.text


def test_an_engine_is_one_file_and_one_line() -> None:
    """Nobody else names it: the words for its causes are looked up, its sandbox part stands alone,
    and to IndexNow it is a member."""
    package = ROOT / "submitter"
    names = {
        path.relative_to(package)
        for path in package.rglob("*.py")
        if '"seznam"' in path.read_text(encoding="utf-8")
    }
    others = {path for path in names if path.parts[0] not in ("sandbox", "core")}
    assert {str(path) for path in others} == {
        "engines/__init__.py",
        "engines/indexnow.py",
        "engines/seznam.py",
    }
    assert all("cause" in str(path) for path in names if path.parts[0] == "core")
    assert "seznam" in ENGINES
