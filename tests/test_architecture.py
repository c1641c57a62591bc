"""The floors of the house: a module imports only from lower floors, and the core stays pure."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "submitter"

FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "__init__"),
    ("core",),
    ("ports",),
    ("kit",),
    ("objects",),
    # adapters, and the lowest of the use cases
    (
        "inventory",
        "credentials",
        "engines",
        "sources",
        "ledger",
        "publish",
        "accesslogs",
        "looking",
    ),
    ("planning",),
    ("sending",),
    ("asking",),
    ("stories",),
    ("render",),
    ("wiring",),
    ("sandbox",),
    ("dashboard", "workers"),
    ("cli", "cloud"),
    ("__main__",),
)
ADAPTERS = {"inventory", "credentials", "engines", "sources", "ledger", "publish", "accesslogs"}
USE_CASES = {"looking", "planning", "sending", "asking", "stories"}
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

PURE_CORE_MUST_NOT_IMPORT = {
    "requests", "urllib3", "sqlalchemy", "yaml", "os", "pathlib", "time", "socket", "logging",
    "threading", "subprocess", "random", "sqlite3", "io", "tempfile", "google", "googleapiclient",
}  # fmt: skip
ASKS_FOR_THE_TIME = {
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("date", "today"),
    ("time", "time"),
}
MAY_ASK = {"kit", "cli", "cloud", "dashboard", "workers", "sandbox"}
MAY_READ_ENVIRONMENT = {"credentials", "cli", "cloud", "dashboard", "__main__"}
MAY_PRINT = {"cli"}

FILES = sorted(ROOT.rglob("*.py"))


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[0]


def imports_of(tree: ast.AST) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_lower_floors(path: Path) -> None:
    room = room_of(path)
    assert room in FLOOR_OF, f"{room} has no floor: give it one in FLOORS and ARCHITECTURE.md"
    for name in imports_of(parse(path)):
        parts = name.split(".")
        if parts[0] != "submitter" or len(parts) < 2 or parts[1] not in FLOOR_OF:
            continue
        other = parts[1]
        allowed = other == room or FLOOR_OF[other] < FLOOR_OF[room]
        allowed = allowed and not (room in USE_CASES and other in ADAPTERS)
        assert allowed, f"{path.name} ({room}) imports {name} from a floor that is not lower"


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(path) == "core"], ids=lambda path: path.name
)
def test_the_core_does_no_io(path: Path) -> None:
    first_names = {name.split(".")[0] for name in imports_of(parse(path))}
    assert not first_names & PURE_CORE_MUST_NOT_IMPORT


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(path) not in MAY_ASK], ids=lambda p: p.name
)
def test_only_faces_and_the_clock_ask_for_the_time(path: Path) -> None:
    calls = {
        (node.func.value.id, node.func.attr)
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
    }
    assert not calls & ASKS_FOR_THE_TIME


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(path) not in MAY_READ_ENVIRONMENT],
    ids=lambda p: p.name,
)  # fmt: skip
def test_only_faces_and_credentials_read_the_environment(path: Path) -> None:
    names = {
        node.attr
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    }
    assert not names & {"environ", "getenv", "putenv"}


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(path) not in MAY_PRINT], ids=lambda p: p.name
)
def test_only_the_command_line_prints(path: Path) -> None:
    printed = [
        node.lineno
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not printed
