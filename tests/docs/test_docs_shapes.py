"""What `--json` prints is what the reference says, key for key."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from submitter.cli.describing import command_texts
from submitter.cli.exits import run
from submitter.render.document_words import WORDS
from submitter.render.json_shapes import FAILURE, SHAPES
from submitter.render.members import member_docs
from submitter.render.reference_json import keys_of, objects
from support.postgres import database

PATIENCE_S = 60
SITEMAP = "http://shop.example.com/sitemap-index.xml"
FILE = "http://shop.example.com/baidu-1.xml"
DOCUMENTS = {(shape.command, *shape.options): shape.document for shape in SHAPES}
OBJECTS = objects([*DOCUMENTS.values(), FAILURE])

CALLS: Mapping[str, tuple[str, ...]] = {
    "-i other.yaml init": ("init",),
    "check": ("check",),
    "check --online": ("check",),
    "plan": ("plan",),
    "run": ("run",),
    f"submit --account gsc {SITEMAP}": ("submit",),
    "verify": ("verify",),
    "verify --inspect 2": ("verify",),
    f"withdraw --yes {SITEMAP}": ("withdraw",),
    "status": ("status",),
    "log": ("log",),
    "log --pages": ("log", "--pages"),
    f"explain {SITEMAP}": ("explain",),
    f"flatten {SITEMAP}": ("flatten",),
    f"flatten --pages {SITEMAP}": ("flatten", "--pages"),
    f"flatten --baidu files {SITEMAP}": ("flatten", "--baidu"),
    f"flatten --baidu files --dead {SITEMAP}": ("flatten", "--baidu"),
    f"audit {SITEMAP}": ("audit",),
    "audit --pages none": ("audit",),
    "report": ("report",),
    "report --alerts": ("report", "--alerts"),
    "build pages.jsonl --out maps --base http://shop.example.com/": ("build",),
    "crawlers access.log": ("crawlers",),
    "crawlers": ("crawlers",),
    "manual": ("manual",),
    f"manual done {FILE}": ("manual done",),
    f"manual withdrawn {FILE}": ("manual withdrawn",),
    f"manual undo {FILE}": ("manual undo",),
    "google verify-domain example.org": ("google verify-domain",),
    "ledger copy sqlite:///var/submitter.db sqlite:///copied.db": ("ledger copy",),
    "ledger info": ("ledger info",),
    "indexnow key --account indexnow": ("indexnow key",),
    "indexnow key --check": ("indexnow key", "--check"),
}
"""How each of them is called here."""


@pytest.fixture(scope="module", autouse=True)
def told(inventory: Path) -> None:
    """A fleet that was told before."""
    assert inventory.exists()
    assert run(["run"]) == 0
    assert run(["flatten", SITEMAP, "--baidu", "files"]) == 0
    line = '{"url": "http://shop.example.com/p/1", "lastmod": "2026-11-01"}\n'
    (inventory.parent / "pages.jsonl").write_text(line, encoding="utf-8")
    agent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    at = f"{datetime.now(UTC):%d/%b/%Y:%H:%M:%S} +0000"
    hit = f'shop.example.com 66.249.66.1 - - [{at}] "GET /p/1 HTTP/1.1" 200 1000 "-" "{agent}"\n'
    (inventory.parent / "access.log").write_text(f"{hit}Error\n", encoding="utf-8")


def misfits(value: object, kind: Any, where: str) -> list[str]:
    """Where a document differs from its shape."""
    if is_typeddict(kind):
        return _object_misfits(value, kind, where)
    match get_origin(kind), get_args(kind):
        case None, _:
            return [] if type(value) is kind else [f"{where}: {value!r} is no {kind}"]
        case origin, (inner,) if origin is list and isinstance(value, list):
            places = enumerate(value)
            return [one for at, item in places for one in misfits(item, inner, f"{where}[{at}]")]
        case origin, (_, inner) if origin is dict and isinstance(value, dict):
            return [one for key in value for one in misfits(value[key], inner, f"{where}.{key}")]
        case origin, kinds if origin not in (list, dict):
            fits = any(not misfits(value, one, where) for one in kinds)
            return [] if fits else [f"{where}: {value!r} fits none of {kinds}"]
    return [f"{where}: {value!r} is no {kind}"]


def _object_misfits(value: object, kind: Any, where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is no object"]
    hints = get_type_hints(kind, include_extras=True)
    needed = {key for key, hint in hints.items() if get_origin(hint) is not NotRequired}
    found = [f"{where}.{key} is missing" for key in sorted(needed - value.keys())]
    found += [f"{where}.{key} is not documented" for key in sorted(value.keys() - hints.keys())]
    for key in sorted(value.keys() & hints.keys()):
        hint = hints[key]
        inner = get_args(hint)[0] if get_origin(hint) is NotRequired else hint
        found += misfits(value[key], inner, f"{where}.{key}")
    return found


def printed(capsys: pytest.CaptureFixture[str], line: str) -> Any:
    run([*line.split(), "--json"])
    written = capsys.readouterr()
    return json.loads(written.out)


@pytest.mark.parametrize("line", CALLS)
def test_a_command_prints_what_the_reference_says(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = printed(capsys, line)
    assert document
    assert misfits(document, DOCUMENTS[CALLS[line]], line) == []


@pytest.mark.parametrize(
    "line",
    ["status --site nowhere", "-i missing.yaml run", "run --no-such-option", "flatten missing.xml"],
)
def test_without_a_result_there_is_a_document_too(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert misfits(printed(capsys, line), FAILURE, line) == []


@pytest.mark.parametrize(
    ("command", "options"), [("sandbox", "--directory demo"), ("serve", "--port 0")]
)
def test_what_runs_until_it_is_stopped_says_where_it_is(
    command: str, options: str, inventory: Path
) -> None:
    words = [sys.executable, "-m", "submitter", "-i", str(inventory), command, *options.split()]
    process = subprocess.Popen([*words, "--json"], stdout=subprocess.PIPE, cwd=inventory.parent)
    try:
        assert process.stdout is not None
        document = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
    finally:
        process.communicate(timeout=PATIENCE_S)
    assert misfits(document, DOCUMENTS[command,], command) == []


def test_a_queue_says_what_was_put_into_it(
    inventory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with database() as url:
        document = printed(capsys, f"--ledger {url} enqueue")
        worked = printed(capsys, f"--ledger {url} worker --drain")
    assert document["looks"]
    assert misfits(document, DOCUMENTS["enqueue",], "enqueue") == []
    assert misfits(worked, DOCUMENTS["worker",], "worker") == []


def test_every_command_has_a_shape_and_every_shape_is_tried() -> None:
    commands = {command.name for command in command_texts()} - {"global options"}
    assert {command for command, *_ in DOCUMENTS} == commands - {"schema"}
    assert DOCUMENTS.keys() == {
        *CALLS.values(),
        ("sandbox",),
        ("serve",),
        ("enqueue",),
        ("worker",),
    }


@pytest.mark.parametrize("document", OBJECTS, ids=lambda one: one.__name__)
def test_every_key_has_a_meaning(document: Any) -> None:
    for key, holds, meaning in keys_of(document):
        assert holds, key
        assert meaning.endswith("."), f"{key}: say it in {document.__name__} or in WORDS"


def test_no_common_meaning_is_left_over() -> None:
    wanted = {
        key
        for document in OBJECTS
        for key in document.__annotations__.keys() - member_docs(document).keys()
    }
    assert WORDS.keys() - wanted == set()
