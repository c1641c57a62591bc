"""deploy/aws: the template is sound, and the zip holds what is needed and little else."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import googleapiclient
import pytest
import yaml
from deploy_support import DEPLOY, ROOT

from submitter.cloud.options import read_options

TEMPLATE = DEPLOY / "aws" / "template.yaml"
PRUNE = DEPLOY / "prune.py"
DOCUMENTS = Path("googleapiclient", "discovery_cache", "documents")


class _Loader(yaml.SafeLoader):
    """Knows CloudFormation's short forms: `!Ref Name` is {"Ref": "Name"}."""


def _short_form(loader: _Loader, name: str, node: yaml.Node) -> object:
    match node:
        case yaml.ScalarNode():
            return {name: loader.construct_scalar(node)}
        case yaml.SequenceNode():
            return {name: loader.construct_sequence(node, deep=True)}
        case _:
            return {name: None}


_Loader.add_multi_constructor("!", _short_form)


@pytest.fixture(scope="module")
def resources() -> Any:
    return yaml.load(TEMPLATE.read_text(encoding="utf-8"), _Loader)["Resources"]  # noqa: S506


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder as pip fills it: some descriptions of Google's, and compiled leftovers."""
    documents = tmp_path / DOCUMENTS
    documents.mkdir(parents=True)
    installed = Path(googleapiclient.__file__).parents[1] / DOCUMENTS
    for name in ("searchconsole.v1", "siteVerification.v1", "youtube.v3", "indexing.v3"):
        path = documents / f"{name}.json"
        path.write_bytes((installed / path.name).read_bytes())
    (tmp_path / "submitter" / "__pycache__").mkdir(parents=True)
    (tmp_path / "submitter" / "__init__.py").write_text("\n")
    return tmp_path


def prune(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PRUNE), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# ---------------------------------------------------------------- the template


def test_the_template_has_no_fault_that_a_linter_knows() -> None:
    found = subprocess.run(
        [Path(sys.executable).with_name("cfn-lint"), "--regions", "us-east-1", "--", TEMPLATE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout


def test_the_handler_is_there(resources: Any) -> None:
    module, _, name = resources["Function"]["Properties"]["Handler"].rpartition(".")
    assert callable(getattr(import_module(module), name))


def test_a_message_stays_hidden_for_as_long_as_a_run_may_take(resources: Any) -> None:
    """Six times, as Lambda's guide asks for.
    Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html, read
    2026-11-30."""
    timeout = resources["Function"]["Properties"]["Timeout"]
    assert resources["Queue"]["Properties"]["VisibilityTimeout"] >= 6 * timeout


def test_the_schedule_names_its_run(resources: Any) -> None:
    text = resources["Function"]["Properties"]["Events"]["Hourly"]["Properties"]["Input"]
    filled = text.replace("<aws.scheduler.scheduled-time>", "2026-11-30T10:00:00Z")
    assert read_options(json.loads(filled)).run == "scheduled-2026-11-30T10:00:00Z"


def test_the_function_may_do_what_it_needs_and_no_more(resources: Any) -> None:
    [policy] = resources["Function"]["Properties"]["Policies"]
    actions: set[str] = set()
    for statement in policy["Statement"]:
        named = statement["Action"]
        actions |= {named} if isinstance(named, str) else set(named)
        assert statement["Resource"] != "*"
    assert actions == {
        "secretsmanager:GetSecretValue", "s3:GetObject", "s3:PutObject", "s3:ListBucket",
    }  # fmt: skip


# ---------------------------------------------------------------- the zip


def test_only_needed_descriptions_stay(packages: Path) -> None:
    done = prune(packages)
    assert done.returncode == 0, done.stderr
    assert "2 descriptions taken out" in done.stderr
    left = {path.name for path in (packages / DOCUMENTS).iterdir()}
    assert left == {"searchconsole.v1.json", "siteVerification.v1.json"}
    assert not list(packages.rglob("__pycache__"))
    assert (packages / "submitter" / "__init__.py").exists()


def test_every_description_that_an_engine_builds_from_stays() -> None:
    """Read from the code: `Builder("searchconsole", "v1", …)`."""
    built = {
        f"{node.args[0].value}.{node.args[1].value}.json"
        for path in (ROOT / "submitter" / "engines").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Builder"
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[1], ast.Constant)
    }
    named = ast.parse(PRUNE.read_text(encoding="utf-8"))
    [kept] = [
        ast.literal_eval(node.value.args[0])
        for node in named.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and [target.id for target in node.targets if isinstance(target, ast.Name)] == ["KEPT"]
    ]
    assert built
    assert built == kept


def test_too_large_a_package_is_refused(packages: Path) -> None:
    done = prune(packages, "--limit-mb", "0.01")
    assert done.returncode == 1
    assert "more than 0 MB" in done.stderr


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    assert "FileNotFoundError" in prune(tmp_path).stderr
    assert (tmp_path / "__pycache__").exists()


@pytest.mark.parametrize("path", sorted(DEPLOY.rglob("*.sh")), ids=lambda path: path.name)
def test_a_script_can_be_read_by_the_shell(path: Path) -> None:
    subprocess.run(["bash", "-n", str(path)], check=True)
    assert path.stat().st_mode & 0o111
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
