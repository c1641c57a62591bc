"""Functions in processes of their own: one event delivered twice, and how little they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from submitter.sandbox import Section
from support.gcs_store import GcsFake
from support.whole import World

CHILD = Path(__file__).with_name("cloud_child.py")
TESTS = Path(__file__).resolve().parents[1]
MEMORY_KIB = 192 * 1024
"""Of the 256 MiB that a small function has, so much is ours at the most."""
DEVICES = ("/dev/null", "/dev/urandom")


class Child:
    """A process that works on one event as soon as it is told to."""

    def __init__(self, event: object, folder: Path, **variables: str) -> None:
        temporary = folder / "temporary"
        temporary.mkdir(exist_ok=True)
        paths = os.pathsep.join(map(str, (CHILD.parent, TESTS)))
        given = {"PYTHONPATH": paths, "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
        self.temporary = temporary
        self._process = subprocess.Popen(
            [sys.executable, str(CHILD), json.dumps(event)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(os.environ) | given | variables,
            text=True,
        )

    def ready(self) -> None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line == "ready\n", self._process.communicate(timeout=60)[1]

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def ended(self) -> Any:
        stdout, stderr = self._process.communicate(timeout=120)
        assert self._process.returncode == 0, stderr
        return json.loads(stdout)


@pytest.fixture(params=["file", "bucket"])
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path, gcs: GcsFake) -> str:
    return gcs.url() if request.param == "bucket" else f"sqlite:///{tmp_path}/ledger.db"


def test_two_deliveries_of_one_event_at_once_are_one_run(town: World, ledger_url: str) -> None:
    """The engines' own books are the judge."""
    children = [Child({}, town.folder, SUBMITTER_LEDGER=ledger_url) for _ in range(2)]
    for child in children:
        child.ready()
    for child in children:
        child.go()
    answers = [child.ended()["answer"] for child in children]
    done = [one for one in answers if "again" not in one]
    assert done, answers
    assert done[0]["outcome"] == "ok"
    assert all(one == done[0] for one in done)
    google, baidu = town.sandbox.google.book, town.sandbox.baidu.book
    assert google.more_than_once("sitemaps.submit") == {}
    assert baidu.more_than_once("push") == {}
    assert len(google.accepted("sitemaps.submit")) == 2
    assert len(baidu.accepted("push")) == 3
    repeat = Child({}, town.folder, SUBMITTER_LEDGER=ledger_url)
    repeat.ready()
    repeat.go()
    assert repeat.ended()["answer"] == done[0], "whoever was told to come again finds the report"
    assert len(baidu.accepted("push")) == 3


def test_a_function_writes_only_to_the_temporary_folder_and_leaves_nothing(
    town: World, gcs: GcsFake
) -> None:
    """All else may be read-only; a ledger in a bucket, so that there is most to write. And it does
    with little memory, in one process, however much there is to read."""
    town.add("big", sitemaps=["http://{host}/sitemap-index.xml"])
    town.sandbox.fleet.add_site("big.whole.test", Section("many", 5_000, per_document=200))
    town.write()
    child = Child({}, town.folder, SUBMITTER_LEDGER=gcs.url())
    child.ready()
    child.go()
    end = child.ended()
    assert end["answer"]["counts"]["sitemaps"]["accepted"] == 3
    outside = [
        path
        for path in end["written"]
        if not Path(path).is_relative_to(child.temporary) and path not in DEVICES
    ]
    assert outside == []
    assert list(child.temporary.iterdir()) == []
    assert end["peak_kib"] < MEMORY_KIB
    assert end["helpers_kib"] == 0, "no further process was started"
