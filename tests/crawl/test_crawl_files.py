"""Logs as they lie there: plain, gzip of any kind, cut short, endless lines, standard input."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from ipaddress import ip_address
from pathlib import Path

import pytest
from crawl_samples import write
from hypothesis import given
from hypothesis import strategies as st

from submitter.accesslogs.files import LogFile, LogFiles
from submitter.accesslogs.names import NameChecks, NoAnswer
from submitter.accesslogs.snapshot import load_lists
from submitter.core.crawl.lines import LONGEST
from submitter.core.crawl.ranges import Address
from submitter.core.crawl.verdicts import NameProof
from submitter.errors import ConfigError

CONTENT = b"one\ntwo\r\n\nfour"


class Dribble(io.RawIOBase):
    """Gives its bytes in small pieces, as pipes do."""

    def __init__(self, content: bytes, size: int) -> None:
        self._content, self._size = io.BytesIO(content), size

    def read(self, size: int = -1) -> bytes:
        return self._content.read(self._size if size < 0 else min(size, self._size))


def lines_of(content: bytes, size: int = 1 << 20) -> tuple[list[bytes], str | None]:
    log = LogFile("log", Dribble(content, size))  # type: ignore[arg-type]
    found = [line for block in log.blocks() for line in block]
    return found, log.problem


def expected(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


@pytest.mark.parametrize(
    "packed",
    [
        CONTENT,
        gzip.compress(CONTENT),
        gzip.compress(CONTENT[:5]) + gzip.compress(CONTENT[5:]),
        gzip.compress(CONTENT) + b"\0" * 700,
        gzip.compress(b"") + gzip.compress(CONTENT),
    ],
    ids=["plain", "gzip", "two members", "padded", "empty member first"],
)
@pytest.mark.parametrize("size", [1, 2, 7, 1 << 20])
def test_lines_are_the_same_however_they_are_packed(packed: bytes, size: int) -> None:
    assert lines_of(packed, size) == (expected(CONTENT), None)


@given(st.binary(max_size=200), st.integers(1, 50), st.booleans())
def test_no_byte_is_lost(content: bytes, size: int, gz: bool) -> None:
    if content.startswith(b"\x1f\x8b"):
        content = b"x" + content
    found, problem = lines_of(gzip.compress(content) if gz else content, size)
    assert (b"\n".join(found), problem) == (content.removesuffix(b"\n"), None)


def test_what_came_before_a_break_is_kept_and_the_break_is_said() -> None:
    content = b"".join(b"line %d %d\n" % (n, n * 7919) for n in range(5_000))
    packed = gzip.compress(content)
    found, problem = lines_of(packed[: len(packed) // 2])
    assert found[:100] == expected(content)[:100]
    assert problem == "the gzip file is cut short"
    damaged = packed[:200] + b"\xff" * 50 + packed[250:]
    assert lines_of(damaged)[1] == "the gzip file is damaged"


def test_a_bomb_stays_small() -> None:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(squeeze.compress(bytes(1 << 20)) for _ in range(64)) + squeeze.flush()
    found, problem = lines_of(packed)
    assert (len(found), problem) == (1, None)
    assert len(found[0]) == LONGEST + 1


@pytest.mark.parametrize("size", [1_000, 70_000, 1 << 20])
def test_an_endless_line_is_cut_and_the_next_is_whole(size: int) -> None:
    content = b"first\n" + b"x" * 300_000 + b"\nnext\n" + b"y" * (LONGEST + 5)
    found, _ = lines_of(content, size)
    assert (found[0], found[2]) == (b"first", b"next")
    assert len(found[1]) > LONGEST
    assert len(found[3]) > LONGEST
    assert len(found) == 4


def test_files_and_standard_input_come_in_the_order_given(tmp_path: Path) -> None:
    one = write(tmp_path, "a.log", b"a\n")
    two = write(tmp_path, "b.log.gz", gzip.compress(b"b\n"))
    logs = LogFiles([str(two), "-", str(one)], io.BytesIO(b"stdin\n"))
    found = []
    for opening in logs.streams():
        with opening as log:
            found += [line for block in log.blocks() for line in block]
    assert found == [b"b", b"stdin", b"a"]
    assert logs.total_bytes is None
    assert LogFiles([str(one)], io.BytesIO()).total_bytes == 2


def test_every_file_that_cannot_be_read_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        LogFiles([str(tmp_path), str(tmp_path / "no.log"), "-", "-"], io.BytesIO())
    assert len(refused.value.faults) == 3


# ---------------------------------------------------------------- lists and names


def test_a_newer_list_goes_before_the_snapshots(tmp_path: Path) -> None:
    document = {"creationTime": "2026-11-30T00:00:00", "prefixes": [{"ipv4Prefix": "8.8.8.0/24"}]}
    path = write(tmp_path, "googlebot.json", json.dumps(document).encode())
    assert ip_address("66.249.66.1") in load_lists()["googlebot"].ranges
    found = load_lists([str(path)])["googlebot"]
    assert ip_address("8.8.8.8") in found.ranges
    assert ip_address("66.249.66.1") not in found.ranges
    assert load_lists([f"GPTBot={path}"])["gptbot"].ranges.size == 1


@pytest.mark.parametrize("content", [b"", b"<html>", b"[" * 100_000, b"{}"])
def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, "googlebot.json", content)
    with pytest.raises(ConfigError, match=r"googlebot\.json"):
        load_lists([str(path)])


ADDRESS = ip_address("66.249.66.1")
DOMAINS = ("googlebot.com",)


class Clock:
    """Every look at it takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_dns_is_asked_once_for_each_address() -> None:
    asked: list[Address] = []

    def names(address: Address) -> tuple[str, ...]:
        asked.append(address)
        return ("crawl.googlebot.com",)

    checks = NameChecks(Clock(), names=names, addresses=lambda name: (ADDRESS,))
    assert [checks.ask(ADDRESS, DOMAINS) for _ in range(3)] == [NameProof.CONFIRMED] * 3
    assert asked == [ADDRESS]


def test_a_resolver_that_does_not_answer_decides_nothing() -> None:
    def silent(address: Address) -> tuple[str, ...]:
        raise NoAnswer

    assert NameChecks(Clock(), names=silent).ask(ADDRESS, DOMAINS) is NameProof.UNKNOWN


def test_the_time_for_dns_is_bounded() -> None:
    asked = []

    def names(address: Address) -> tuple[str, ...]:
        asked.append(address)
        return ()

    checks = NameChecks(Clock(), names=names, budget_s=3.0)
    said = [checks.ask(ip_address(number), DOMAINS) for number in range(10)]
    assert len(asked) == 3
    assert said == [NameProof.OTHER] * 3 + [NameProof.UNKNOWN] * 7
