"""The map of engines, and what importing and opening them costs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from submitter.core.traits import Kind
from submitter.engines import ENGINES

HEAVY = {
    "requests", "urllib3", "googleapiclient", "google.auth", "httplib2", "pydantic", "sqlalchemy",
    "rich", "alembic", "ssl", "asyncio", "idna",
}  # fmt: skip


def modules_after(code: str) -> set[str]:
    """What a fresh interpreter has imported when the code has run."""
    program = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stdout))


OPEN_BAIDU = """
from submitter.kit.clock import SystemClock
from submitter.core.calls import Action, Call
from submitter.core.fleet import Account, SecretRef
from submitter.core.secrets import MaskedSecret
from submitter.engines import ENGINES
from submitter.errors import EngineUnavailable
account = Account("b", "baidu", SecretRef("env", "B"), endpoint="http://127.0.0.1:9")
engine = ENGINES["baidu"].open(account, MaskedSecret("abcdefgh12345678"), SystemClock())
"""
PUSH = """
page = "https://e.example/"
action = Action("https://e.example", "b", "baidu", "e.example", "urls", page, "new", "content")
try:
    engine.send(Call(action, (page,)), timeout_s=5)
except EngineUnavailable:
    pass
"""


def test_importing_the_engines_imports_nothing_heavy() -> None:
    assert not modules_after("import submitter.engines") & HEAVY


def test_opening_an_account_imports_nothing_heavy() -> None:
    assert not modules_after(OPEN_BAIDU) & HEAVY


def test_a_run_without_google_never_imports_its_library() -> None:
    loaded = modules_after(OPEN_BAIDU + PUSH)
    assert "requests" in loaded
    google = ("google.auth", "google.oauth2", "google.api_core", "googleapiclient")
    assert not {name for name in loaded if name.startswith(google)}


def test_the_map_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        ENGINES["other"] = ENGINES["google"]  # type: ignore[index]


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_traits_are_whole(name: str) -> None:
    traits = ENGINES[name].traits
    assert traits.name == name
    assert traits.secret_key
    assert traits.tells <= set(Kind)
    assert all(fact.source.startswith("https://") and fact.read_on for fact in traits.facts)
    assert len({option.name for option in traits.options}) == len(traits.options)
