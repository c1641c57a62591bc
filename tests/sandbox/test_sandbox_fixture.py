"""The fixture that users activate in their own tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

USERS_TEST = """
pytest_plugins = ["submitter.sandbox.pytest_plugin"]

def test_it_runs(sandbox):
    from urllib.request import urlopen
    with urlopen(sandbox.base_url + "/-/") as answer:
        assert answer.status == 200
    assert sandbox.fleet.hosts() == []
"""


def test_a_user_activates_the_fixture_by_naming_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "test_users.py").write_text(USERS_TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "test_users.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_the_sandbox_is_imported_without_heavy_libraries() -> None:
    names = "cryptography google.auth googleapiclient requests yaml pytest pydantic"
    heavy = names.split()
    code = f"import sys, submitter.sandbox; print([n for n in {heavy} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
