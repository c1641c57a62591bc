"""gzip taken off by what the bytes say, however they are split (F06, F18-F20, B1-B5)."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.errors import FetchError
from submitter.sources.inflate import MAX_MEMBERS, PIECE_BYTES, Peeler

URL = "https://shop.example/s.xml.gz"
TEXT = b"".join(b"https://shop.example/p/%d\n" % number for number in range(3_000))


def pack(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


@dataclass(frozen=True, slots=True)
class Peeled:
    out: bytes
    gzip: bool
    proven: bool
    notes: tuple[str, ...]
    reason: str = ""


def peel(*pieces: bytes, max_bytes: int = 10_000_000) -> Peeled:
    peeler, out, reason = Peeler(URL, max_bytes=max_bytes), bytearray(), ""
    try:
        for piece in pieces:
            if peeler.over:
                break
            for part in peeler.feed(piece):
                out += part
        for part in peeler.finish():
            out += part
    except FetchError as error:
        reason = error.reason
    notes = tuple(finding.id for finding in peeler.findings())
    return Peeled(bytes(out), peeler.gzip, peeler.proven, notes, reason)


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    return [data[a:b] for a, b in pairwise(edges)]


INPUTS = {
    "plain": TEXT,
    "empty": b"",
    "one-byte": b"x",
    "half-a-magic": b"\x1f",
    "gzip": pack(TEXT),
    "members": pack(TEXT[:100]) + pack(b"") + pack(TEXT[100:]),
    "twice": pack(pack(TEXT)),
    "twice-members": pack(pack(TEXT[:100]) + pack(TEXT[100:])),
    "junk": pack(TEXT) + b"<!-- cached -->" * 3,
    "half-a-magic-of-junk": pack(TEXT) + b"\x1f",
    "zeros": pack(TEXT) + bytes(100),
    "cut": pack(TEXT)[:-300],
    "no-trailer": pack(TEXT)[:-8],
    "half-a-trailer": pack(TEXT)[:-4],
    "bad-checksum": pack(TEXT)[:-8] + b"12345678",
    "bad-in-the-middle": pack(TEXT)[:3_000] + bytes(50) + pack(TEXT)[3_050:],
    "no-deflate": b"\x1f\x8b\xff\xff nonsense",
    "inner-cut": pack(pack(TEXT)[:-300]),
    "inner-junk": pack(pack(TEXT) + b"junk"),
    "thrice": pack(pack(pack(TEXT))),
}


@pytest.mark.parametrize("name", INPUTS)
@given(cuts=st.lists(st.integers(0, 12_000), max_size=12))
def test_any_split_of_the_bytes_gives_the_same(name: str, cuts: list[int]) -> None:
    whole, parts = peel(INPUTS[name]), peel(*split(INPUTS[name], cuts))
    assert parts == whole


@pytest.mark.parametrize("name", ["gzip", "members", "twice", "bad-checksum"])
def test_byte_by_byte_gives_the_same(name: str) -> None:
    data = INPUTS[name]
    assert peel(*split(data, list(range(len(data))))) == peel(data)


@pytest.mark.parametrize(
    "name",
    ["plain", "gzip", "members", "twice", "twice-members", "junk", "half-a-magic-of-junk", "zeros",
     "inner-junk"],
)  # fmt: skip
def test_a_whole_document_comes_out_whole(name: str) -> None:
    peeled = peel(INPUTS[name])
    assert (peeled.out, peeled.proven, peeled.reason) == (TEXT, True, "")


@pytest.mark.parametrize(
    ("name", "notes"),
    [
        ("gzip", ()),
        ("zeros", ()),
        ("twice", ("gzip-twice",)),
        ("junk", ("gzip-trailing-junk",)),
        ("half-a-magic-of-junk", ("gzip-trailing-junk",)),
        ("cut", ("gzip-truncated",)),
        ("half-a-trailer", ("gzip-truncated",)),
        ("bad-checksum", ("gzip-corrupt",)),
        ("no-deflate", ("gzip-corrupt",)),
        ("inner-cut", ("gzip-twice", "gzip-truncated")),
        ("inner-junk", ("gzip-twice", "gzip-trailing-junk")),
    ],
)
def test_each_oddity_has_one_note(name: str, notes: tuple[str, ...]) -> None:
    assert peel(INPUTS[name]).notes == notes


@given(st.binary(max_size=2_000), st.data())
def test_a_cut_gives_a_beginning_that_is_never_proven(body: bytes, draw: st.DataObject) -> None:
    packed = pack(body)
    cut = draw.draw(st.integers(2, len(packed) - 1))
    peeled = peel(packed[:cut])
    assert body.startswith(peeled.out)
    assert (peeled.gzip, peeled.proven) == (True, False)


@given(st.integers(0, len(pack(TEXT)) - 1), st.integers(1, 255))
def test_a_wrong_byte_never_passes_for_a_whole_document(at: int, flip: int) -> None:
    damaged = bytearray(pack(TEXT))
    damaged[at] ^= flip
    peeled = peel(bytes(damaged))
    assert not (peeled.gzip and peeled.proven) or peeled.out == TEXT


@given(st.binary(max_size=3_000))
def test_whatever_comes_in_only_our_errors_come_out(data: bytes) -> None:
    peeled = peel(data, max_bytes=1_000)
    assert peeled.reason in {"", "too-large", "gzip-nested", "gzip-members"}
    assert len(peeled.out) <= 1_000


def test_what_came_out_before_damage_stays_good() -> None:
    peeled = peel(INPUTS["bad-in-the-middle"])
    assert len(peeled.out) > len(TEXT) // 4
    assert TEXT.startswith(peeled.out[: len(TEXT) // 4])
    assert not peeled.proven


@pytest.mark.parametrize("name", ["plain", "gzip", "twice", "members"])
def test_the_limit_is_exact(name: str) -> None:
    assert peel(INPUTS[name], max_bytes=len(TEXT)).reason == ""
    over = peel(INPUTS[name], max_bytes=len(TEXT) - 1)
    assert (over.out, over.reason) == (TEXT[:-1], "too-large")


def test_a_bomb_is_never_held_in_memory_at_once() -> None:
    peeler = Peeler(URL, max_bytes=64 * 1024 * 1024)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(bytes(1024 * 1024)) for _ in range(32)) + packer.flush()
    sizes = [len(piece) for piece in peeler.feed(bomb)]
    assert (sum(sizes), max(sizes)) == (32 * 1024 * 1024, PIECE_BYTES)


def test_a_bomb_of_empty_members_is_stopped_by_their_number() -> None:
    empty = pack(b"")
    assert peel(empty * MAX_MEMBERS).reason == ""
    assert peel(empty * (MAX_MEMBERS + 1)).reason == "gzip-members"
    assert peel(pack(empty * (MAX_MEMBERS + 1))).reason == "gzip-members"


def test_three_layers_are_one_too_many() -> None:
    peeled = peel(INPUTS["thrice"])
    assert (peeled.out, peeled.reason) == (b"", "gzip-nested")
