"""Workers start when there is much to read, work side by side, and never outlive their use."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from parallel_support import (
    INDEX,
    ORIGIN,
    PATIENCE_S,
    Paper,
    PaperWeb,
    errand,
    index,
    is_running,
    look_at,
    make_site,
    pages,
    rows_of,
    running_pool,
    taken,
    urlset,
)

from submitter.core.fleet import Section
from submitter.errors import SitemapError
from submitter.looking.parallel.pool import ReaderPool
from submitter.looking.reading import PIECE_BYTES, Again, Done, Errand, Part, SoleReader

MAPS = [f"{ORIGIN}/{number}.xml" for number in range(12)]
TREE = {INDEX: Paper(index(MAPS))} | {
    name: Paper(urlset(pages(str(number), 40))) for number, name in enumerate(MAPS)
}

LARGE = Paper(urlset(pages("p" * 200, 9_000)))
"""More pages than may wait to be taken while others are read ahead."""


@dataclass(frozen=True)
class Bomb(Section):
    """Kills whatever process unpickles it."""

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return eval, ("__import__('os').kill(__import__('os').getpid(), 9)",)


BOMB = Bomb("bomb", "/*")

OWNER = """
import sys
what = sys.argv.pop()
sys.path[:0] = sys.argv[1:]
from parallel_owner import main
main(what)
"""


def until(happens: Callable[[], bool]) -> None:
    """Wait for what must come."""
    give_up_at = time.monotonic() + PATIENCE_S
    while not happens():
        assert time.monotonic() < give_up_at, "it never happened"
        threading.Event().wait(0.01)


# ---------------------------------------------------------------- starting


def test_workers_start_only_after_many_pages() -> None:
    pool = ReaderPool(workers=1, start_after=81)
    try:
        for name, expected in ((MAPS[0], 0), (MAPS[1], 0), (MAPS[2], 1)):
            taken(pool.read(errand(PaperWeb(TREE), name)))
            assert len(pool.pids) == expected
    finally:
        pool.stop()


@pytest.mark.parametrize(("documents", "workers"), [(19, 0), (20, 1)])
def test_workers_start_at_an_index_of_many_unknown_documents(documents: int, workers: int) -> None:
    names = [f"{ORIGIN}/{number}.xml" for number in range(documents)]
    pool = ReaderPool(workers=1)
    try:
        look_at(make_site(INDEX), [PaperWeb({INDEX: Paper(index(names))})], pool)
        assert len(pool.pids) == workers
    finally:
        pool.stop()


class Expecting(SoleReader):
    def __init__(self) -> None:
        self.expected: list[int] = []

    def expect(self, documents: int) -> None:
        self.expected.append(documents)


def test_documents_that_were_read_before_are_not_expected_to_be_much_work() -> None:
    readers, web = Expecting(), PaperWeb(TREE)
    look_at(make_site(INDEX), [web, web], readers)
    assert readers.expected == [len(MAPS), 0]


def test_without_workers_all_is_read_here() -> None:
    pool = ReaderPool(workers=0, start_after=0)
    seen = look_at(make_site(INDEX), [PaperWeb(TREE)], pool)
    assert seen == look_at(make_site(INDEX), [PaperWeb(TREE)], SoleReader())
    assert not pool.start()


@pytest.mark.parametrize("python", ["", "/nowhere/python", "/bin/false", sys.executable + "x"])
def test_where_no_process_can_be_started_all_is_read_here(
    python: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "submitter.looking.parallel")
    pool = ReaderPool(workers=2, start_after=0, python=python)
    try:
        assert not pool.start(wait_s=PATIENCE_S)
        seen = look_at(make_site(INDEX), [PaperWeb(TREE)], pool)
        assert not pool.pids
    finally:
        pool.stop()
    assert seen == look_at(make_site(INDEX), [PaperWeb(TREE)], SoleReader())
    assert "no more processes" in caplog.text
    assert not [record for record in caplog.records if record.levelno > logging.INFO]


def test_a_stopped_pool_starts_again_when_there_is_need() -> None:
    with running_pool(workers=1) as pool:
        [first] = pool.pids
        pool.stop()
        assert not is_running(first)
        assert pool.start(wait_s=PATIENCE_S)
        assert rows_of(pool.read(errand(PaperWeb(TREE), MAPS[0])))
        assert pool.pids != [first]


# ---------------------------------------------------------------- side by side


def test_documents_of_one_walk_are_read_side_by_side_and_no_more_than_a_host_may_be_asked_for(
    pool: ReaderPool,
) -> None:
    gate = threading.Event()
    held = {name: Paper(urlset(pages("p", 9)), gates=(gate,)) for name in MAPS}
    web = PaperWeb({INDEX: Paper(index(MAPS))} | held)

    def open_gate() -> None:
        until(lambda: web.open >= 2)
        gate.set()

    opener = threading.Thread(target=open_gate)
    opener.start()
    site = make_site(INDEX, per_host=2)
    seen = look_at(site, [web], pool)
    opener.join()
    assert web.most == 2
    assert [reading.url for reading in seen.looks[0].readings] == [INDEX, *MAPS]


def test_documents_of_several_walks_are_read_side_by_side(pool: ReaderPool) -> None:
    gates = [threading.Event() for _ in range(6)]
    names = MAPS[:6]
    gated = zip(names, gates, strict=True)
    web = PaperWeb({name: Paper(urlset(pages("p", 9)), gates=(gate,)) for name, gate in gated})
    deliveries = [pool.read(errand(web, name)) for name in names]
    until(lambda: web.open == len(names))
    for gate in reversed(gates):  # whoever came last is served first
        gate.set()
    assert [len(rows_of(parts)) for parts in deliveries] == [9] * len(names)


def test_one_connection_a_host_means_nothing_is_read_ahead(pool: ReaderPool) -> None:
    web = PaperWeb(TREE)
    look_at(make_site(INDEX, per_host=1), [web], pool)
    assert web.most == 1


def test_no_document_beyond_the_limit_is_fetched(pool: ReaderPool) -> None:
    web = PaperWeb(TREE)
    seen = look_at(make_site(INDEX, max_documents=4), [web], pool)
    assert sorted(web.fetched) == sorted([INDEX, *MAPS[:3]])
    assert seen.looks[0].skipped["too-many-documents"] == len(MAPS) - 3


def test_a_document_that_nobody_wants_any_more_is_let_go(pool: ReaderPool) -> None:
    gate = threading.Event()
    body = urlset(pages("p", 20_000))
    assert len(body) > PIECE_BYTES * 4
    web = PaperWeb({INDEX: Paper(body, gates=(gate,) * 99)})
    parts = pool.read(errand(web, INDEX))
    next(parts)
    parts.close()
    gate.set()
    until(lambda: web.open == 0)
    assert web.pieces < 50
    assert rows_of(pool.read(errand(PaperWeb(TREE), MAPS[0])))


def test_nothing_is_read_ahead_while_much_waits_to_be_taken(pool: ReaderPool) -> None:
    web = PaperWeb(TREE | {INDEX: LARGE})
    waiting = pool.read(errand(web, INDEX))
    until(lambda: web.fetched == [INDEX] and web.open == 0)
    assert pool.read_ahead(errand(web, MAPS[0])) is None
    waiting.close()
    begun = pool.read_ahead(errand(web, MAPS[0]))
    assert begun is not None
    assert len(rows_of(begun)) == 40
    for _ in range(3):
        assert len(rows_of(pool.read(errand(web, INDEX)))) == 9_000
    assert pool.read_ahead(errand(web, MAPS[0])) is not None


def reads_ahead(pool: ReaderPool) -> bool:
    """Whether the pool has room, so that it holds nothing that nobody will take."""
    begun = pool.read_ahead(errand(PaperWeb(TREE), MAPS[0]))
    return begun is not None and len(rows_of(begun)) == 40


def test_a_document_that_was_read_ahead_in_vain_is_let_go(pool: ReaderPool) -> None:
    a, b = MAPS[:2]
    web = PaperWeb({INDEX: Paper(index([a, b])), a: Paper(moved_to=b), b: LARGE})
    seen = look_at(make_site(INDEX), [web], pool)
    assert sorted(web.fetched) == sorted([INDEX, a, b])
    assert seen.looks[0].documents == 2
    until(lambda: web.open == 0)
    assert reads_ahead(pool)


def test_a_walk_that_stops_lets_go_of_what_it_read_ahead(pool: ReaderPool) -> None:
    web = PaperWeb({INDEX: Paper(index(MAPS))} | dict.fromkeys(MAPS, LARGE))
    asked = iter(range(9))
    look_at(make_site(INDEX), [web], pool, stopped=lambda: next(asked) >= 2)
    assert set(web.fetched) > {INDEX, MAPS[0]}
    until(lambda: web.open == 0)
    assert reads_ahead(pool)


# ---------------------------------------------------------------- killed


def test_a_worker_that_dies_over_a_document_fails_that_one_and_is_replaced(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with running_pool(workers=1) as pool:
        [first] = pool.pids
        seen = look_at(make_site(MAPS[0], sections=(BOMB,)), [PaperWeb(TREE)], pool)
        [reading] = seen.looks[0].readings
        assert [finding.id for finding in reading.findings] == ["reader-killed"]
        assert "signal 9" in reading.findings[0].message
        assert not is_running(first)
        assert pool.start(wait_s=PATIENCE_S)
        assert pool.pids != [first]
        assert len(rows_of(pool.read(errand(PaperWeb(TREE), MAPS[0])))) == 40
    assert "was killed" in caplog.text


def test_other_documents_of_a_killed_worker_are_read_again_from_the_first() -> None:
    gate = threading.Event()
    many = pages("p", 20_000)
    web = PaperWeb({INDEX: Paper(urlset(many), gates=(gate,))})
    with running_pool(workers=1) as pool:
        parts = pool.read(errand(web, INDEX))
        head, first, *_ = next(parts), next(parts)
        bomb = errand(PaperWeb(TREE), MAPS[0], make_site(MAPS[0], sections=(BOMB,)))
        with pytest.raises(SitemapError, match="ended"):
            taken(pool.read(bomb))
        gate.set()
        rest = taken(parts)
    assert len(first) > 100  # type: ignore[arg-type]
    again = next(at for at, part in enumerate(rest) if type(part).__name__ == "Again")
    rows = [row.loc for part in rest[again + 1 :] if isinstance(part, list) for row in part]
    assert rows == many
    assert isinstance(rest[-1], Done)
    assert rest[-1].result.complete
    assert web.fetched == [INDEX, INDEX]
    assert head


@dataclass
class Killing:
    """Implements `Readers`: once pages of the document were handed out, kills the worker, and does
    something more."""

    pool: ReaderPool
    gate: threading.Event
    then: Callable[[], object]
    handed_out: int = 0

    def read(self, errand: Errand) -> Iterator[Part]:  # type: ignore[override]
        for part in self.pool.read(errand):
            yield part
            if isinstance(part, Sequence) and not self.gate.is_set():
                self.handed_out = len(part)
                kill(self.pool)
                self.then()
                self.gate.set()

    def read_ahead(self, errand: Errand) -> None:
        del errand

    def expect(self, documents: int) -> None:
        del documents

    def stop(self) -> None:
        return None


def kill(pool: ReaderPool) -> None:
    pids = pool.pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(map(is_running, pids)))


def test_pages_that_came_before_the_worker_died_count_for_nothing() -> None:
    gate = threading.Event()
    web = {INDEX: Paper(urlset(pages("p", 20_000)), gates=(gate,))}
    then = Paper(urlset(pages("q", 9)))
    with running_pool(workers=1) as pool:
        readers = Killing(pool, gate, lambda: web.update({INDEX: then}))
        seen = look_at(make_site(INDEX), [PaperWeb(web)], readers)
    assert readers.handed_out > 100
    assert seen == look_at(make_site(INDEX), [PaperWeb({INDEX: then})], SoleReader())


def test_a_document_that_is_read_again_is_read_whole_even_if_it_is_by_then_as_remembered() -> None:
    before = Paper(urlset(pages("p", 9)), etag='"before"')
    web = {INDEX: Paper(urlset(pages("q", 20_000)))}
    [known] = look_at(make_site(INDEX), [PaperWeb({INDEX: before})], SoleReader()).documents
    asked = replace(errand(PaperWeb(web), INDEX), memory=known, validators=known.validators)
    with running_pool(workers=1) as pool:
        parts = pool._parts(asked)  # no thread reads on while we look at what has come
        assert len(list(islice(parts, 2))) == 2
        kill(pool)
        web[INDEX] = before
        again, *rest = taken(parts)
    assert isinstance(again, Again)
    assert [row.loc for row in rest[0]] == pages("p", 9)
    assert rest[1].result.complete


def test_a_worker_that_hangs_is_ended() -> None:
    with running_pool(workers=1, patience_s=0.3) as pool:
        os.kill(pool.pids[0], signal.SIGSTOP)
        with pytest.raises(SitemapError) as caught:
            taken(pool.read(errand(PaperWeb(TREE), MAPS[0])))
    assert caught.value.reason == "reader-killed"


def test_a_worker_that_hangs_before_it_took_a_large_piece_is_ended() -> None:
    web = PaperWeb({INDEX: Paper(urlset(pages("p", 60_000)))})
    with running_pool(workers=1, patience_s=0.3) as pool:
        os.kill(pool.pids[0], signal.SIGSTOP)
        with pytest.raises(SitemapError) as caught:
            taken(pool.read(errand(web, INDEX)))
    assert caught.value.reason == "reader-killed"


def test_after_several_deaths_no_more_workers_are_started() -> None:
    site = make_site(MAPS[0], sections=(BOMB,))
    with running_pool(workers=1) as pool:
        for _ in range(3):
            assert pool.start(wait_s=PATIENCE_S)
            with pytest.raises(SitemapError):
                taken(pool.read(errand(PaperWeb(TREE), MAPS[0], site)))
        assert not pool.start()
        assert not pool.pids
        assert len(rows_of(pool.read(errand(PaperWeb(TREE), MAPS[0])))) == 40


# ---------------------------------------------------------------- ending


def test_a_stopped_pool_leaves_nothing_behind() -> None:
    def handles() -> list[str]:
        return sorted(
            os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.exists()
        )

    before = len(handles())
    pool = ReaderPool(workers=2)
    assert pool.start(wait_s=PATIENCE_S)
    look_at(make_site(INDEX), [PaperWeb(TREE)], pool)
    pids = pool.pids
    pool.stop()
    pool.stop()
    assert not any(map(is_running, pids))
    assert len(handles()) == before


@contextmanager
def owner(what: str) -> Iterator[subprocess.Popen[str]]:
    """A program of its own with a pool, in a group of its own like one at a terminal."""
    folder, pipe = Path(__file__).parent, subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder), str(folder.parent), what],
        stdin=pipe,
        stdout=pipe,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def heard(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def test_workers_end_when_their_owner_is_killed() -> None:
    with owner("sleep") as process:
        pids = heard(process)["pids"]
        assert all(map(is_running, pids))
        process.kill()
        until(lambda: not any(map(is_running, pids)))


def test_a_fork_of_the_owner_reads_by_itself_and_keeps_no_worker_alive() -> None:
    with owner("fork") as process:
        facts = heard(process) | heard(process)
        try:
            assert facts["rows"] == 30
            process.kill()
            until(lambda: not any(map(is_running, facts["pids"])))
        finally:
            os.kill(facts["fork"], signal.SIGKILL)


def test_an_interrupt_is_left_to_the_owner() -> None:
    with owner("interrupt") as process:
        pids = heard(process)["pids"]
        os.killpg(process.pid, signal.SIGINT)
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert heard(process) == {"rows": 30, "beside": "Delivery", "pids": pids}
        assert process.wait(PATIENCE_S) == 0
        assert not any(map(is_running, pids))
