"""deploy/gcp: Google's own framework serves the entry points; the Terraform files fit together."""

from __future__ import annotations

import ast
import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hcl2
import pytest
import requests
from deploy_support import DEPLOY, prove_the_program_takes

from submitter.cloud.answering import MAY_FORGET
from submitter.cloud.inventories import VARIABLE
from submitter.sandbox import Sandbox
from support.whole import World

MAIN = DEPLOY / "gcp" / "function" / "main.py"
TERRAFORM = DEPLOY / "gcp" / "terraform"


@pytest.fixture
def town(tmp_path: Path) -> Iterator[World]:
    with Sandbox() as sandbox:
        world = World(sandbox, tmp_path)
        world.add("www", pages=3, quota=10)
        yield world


@contextmanager
def served(world: World, target: str, kind: str) -> Iterator[str]:
    """The framework's own server with one entry point; the value is its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["--target", target, "--signature-type", kind, "--source", str(MAIN)]
    arguments += ["--host", "127.0.0.1", "--port", str(port)]
    log = (world.folder / "log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "functions_framework", *arguments],
        env=dict(os.environ) | {VARIABLE: str(world.write()), MAY_FORGET: "1"},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        _await(port, process)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(timeout=60)
        log.close()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the framework ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the framework did not start")


def test_the_framework_answers_the_scheduler(town: World) -> None:
    headers = {
        "X-CloudScheduler-JobName": "submitter",
        "X-CloudScheduler-ScheduleTime": "2026-11-30T10:00:00Z",
    }
    with served(town, "submit", "http") as address:
        first = requests.post(address, json={"engine": "google"}, headers=headers, timeout=60)
        assert (first.status_code, first.json()["outcome"]) == (200, "ok")
        repeat = requests.post(address, json={"engine": "google"}, headers=headers, timeout=60)
        assert repeat.json() == first.json()
        assert len(town.sandbox.google.book.entries("sitemaps.submit")) == 1
        assert requests.get(address, timeout=60).status_code == 405
        assert requests.post(address, json={"sites": 1}, timeout=60).status_code == 422
    log = (town.folder / "log").read_text(encoding="utf-8")
    ends = [json.loads(line) for line in log.splitlines() if '"exit_code"' in line]
    assert [end["severity"] for end in ends] == ["INFO", "INFO"]


def test_the_framework_hands_on_cloud_events(town: World) -> None:
    """In both forms in which they come over HTTP: binary and structured."""
    text = base64.b64encode(b'{"engine": "baidu"}').decode()
    data = {"message": {"data": text, "messageId": "7"}, "subscription": "projects/p/s/x"}
    head = {
        "specversion": "1.0",
        "id": "7",
        "source": "//pubsub.googleapis.com/projects/p/topics/t",
        "type": "google.cloud.pubsub.topic.v1.messagePublished",
    }
    structured = {"Content-Type": "application/cloudevents+json"}
    with served(town, "submit_event", "cloudevent") as address:
        binary = {f"ce-{name}": value for name, value in head.items()}
        for _ in range(2):
            assert requests.post(address, json=data, headers=binary, timeout=60).status_code == 200
        body = json.dumps(head | {"id": "8", "data": {"engine": "google"}})
        answer = requests.post(address, data=body, headers=structured, timeout=60)
        assert answer.status_code == 200
        town.ledger_path.write_bytes(b"this is no ledger")
        answer = requests.post(address, json=data, headers=binary, timeout=60)
        assert answer.status_code == 500, "the platform delivers it again"
    assert len(town.sandbox.baidu.book.accepted("push")) == 3
    assert len(town.sandbox.google.book.entries("sitemaps.submit")) == 1


# ---------------------------------------------------------------- Terraform


@pytest.fixture(scope="module")
def blocks() -> Any:
    """(kind, type, name) → the block, over all files; texts without the quotes the parser keeps."""
    found: dict[tuple[str, ...], Any] = {}
    for path in sorted(TERRAFORM.glob("*.tf")):
        with path.open(encoding="utf-8") as file:
            for kind, entries in _unquoted(hcl2.load(file)).items():
                for entry in entries if isinstance(entries, list) else []:
                    if kind in ("resource", "data"):
                        [(type, named)] = ((k, v) for k, v in entry.items() if k[:2] != "__")
                        [(name, body)] = ((k, v) for k, v in named.items() if k[:2] != "__")
                        found[kind, type, name] = body
                    elif kind in ("variable", "output"):
                        [(name, body)] = ((k, v) for k, v in entry.items() if k[:2] != "__")
                        found[kind, name] = body
    return found


def _unquoted(value: Any) -> Any:
    match value:
        case str():
            return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
        case dict():
            return {_unquoted(key): _unquoted(item) for key, item in value.items()}
        case list():
            return [_unquoted(item) for item in value]
        case _:
            return value


def all_text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(TERRAFORM.glob("*.tf")))


def first(value: Any) -> Any:
    """A nested block; the parser makes a list of it."""
    return value[0] if isinstance(value, list) else value


def test_everything_that_is_referred_to_is_declared(blocks: Any) -> None:
    text = all_text()
    variables = set(re.findall(r"\bvar\.(\w+)", text))
    assert variables == {key[1] for key in blocks if key[0] == "variable"}
    resources = set(re.findall(r"(?<![\w.])(google_\w+)\.(\w+)", text))
    assert resources
    assert resources <= {key[1:] for key in blocks if key[0] == "resource"}


def test_the_scheduler_waits_for_as_long_as_the_function_may_take(blocks: Any) -> None:
    service = first(
        blocks["resource", "google_cloudfunctions2_function", "submitter"]["service_config"]
    )
    job = blocks["resource", "google_cloud_scheduler_job", "function"]
    assert int(job["attempt_deadline"].removesuffix("s")) >= int(service["timeout_seconds"])
    assert int(service["max_instance_count"]) == 1


def test_the_entry_point_is_there(blocks: Any) -> None:
    build = first(
        blocks["resource", "google_cloudfunctions2_function", "submitter"]["build_config"]
    )
    tree = ast.parse(MAIN.read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert build["entry_point"] in functions


def test_nobody_but_the_scheduler_may_call(blocks: Any) -> None:
    text = all_text()
    assert "allUsers" not in text
    assert "allAuthenticatedUsers" not in text
    roles = set(re.findall(r"roles/[\w.]+", text))
    assert roles == {
        "roles/run.invoker", "roles/secretmanager.secretAccessor", "roles/storage.objectUser",
    }  # fmt: skip
    target = first(blocks["resource", "google_cloud_scheduler_job", "function"]["http_target"])
    assert "oidc_token" in target


def test_the_job_calls_the_program_as_it_can_be_called(blocks: Any) -> None:
    job = blocks["resource", "google_cloud_run_v2_job", "submitter"]
    task = first(first(job["template"])["template"])
    context = prove_the_program_takes(first(task["containers"])["args"])
    assert context.params["deadline"] < int(task["timeout"].removesuffix("s"))


@pytest.mark.skipif(shutil.which("terraform") is None, reason="terraform is not installed")
def test_the_files_are_formatted() -> None:
    done = subprocess.run(
        ["terraform", "fmt", "-check", "-diff", str(TERRAFORM)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("extras", "wanted"), [("", ""), ("postgres", "[postgres]")])
def test_the_source_asks_for_what_its_ledger_needs(
    tmp_path: Path, extras: str, wanted: str
) -> None:
    """pip is left out: it would have to fetch what wheels are built with."""
    pip = tmp_path / "python3"
    pip.write_text('#!/bin/sh\nfor last; do before=$out; out=$last; done\n: >"$before/$WHEEL"\n')
    pip.chmod(0o755)
    wheel = "submitter-0.1.0-py3-none-any.whl"
    around = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "WHEEL": wheel, "EXTRAS": extras}
    script = DEPLOY / "gcp" / "build_source.sh"
    subprocess.run([script, tmp_path / "out"], env=around, check=True, capture_output=True)
    lines = (tmp_path / "out" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"./{wheel}{wanted}"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("main.py", "requirements.txt", "constraints.txt", wheel)
    }
