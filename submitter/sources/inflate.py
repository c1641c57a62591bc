"""Takes gzip off a stream by what its bytes say, never by what its headers say, and bounded."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Final

from submitter.core.findings import Finding
from submitter.sources.reasons import failure, note

MAX_LAYERS: Final = 2
MAX_MEMBERS: Final = 10_000
"""bgzip writes one member for every 64 KiB, so a large honest file has under a thousand."""
PIECE_BYTES: Final = 256 * 1024
"""Most that one step inflates, and so most that a bomb can hold in memory."""

_MAGIC: Final = b"\x1f\x8b"
_WBITS_GZIP: Final = 31
_BROKEN: Final = frozenset({"gzip-truncated", "gzip-corrupt"})


class Peeler:
    """Takes at most two layers of gzip off the bytes of one document.

    What `feed` and `finish` yield is the same however the bytes are split, and what was yielded
    before a fault stays good. Each layer and the raw bytes may hold `max_bytes`; beyond that
    FetchError `too-large`.
    """

    def __init__(self, url: str, *, max_bytes: int) -> None:
        self._url, self._max_bytes, self._raw_bytes = url, max_bytes, 0
        self._layers = tuple(_Layer(max_bytes) for _ in range(MAX_LAYERS + 1))

    @property
    def gzip(self) -> bool:
        """Whether the raw bytes are gzip, as far as is known yet."""
        return self._layers[0].gzip is True

    @property
    def over(self) -> bool:
        """Nothing that could still come belongs to the document."""
        return self._layers[0].over

    @property
    def proven(self) -> bool:
        """After `finish`: every layer was seen to its trailer. True where there is no gzip."""
        return not any(layer.fault in _BROKEN for layer in self._layers)

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._raw_bytes += len(data)
        try:
            yield from self._through(data)
        except _Bound as bound:
            raise failure(self._url, bound.reason, bound.problem) from None
        if self._raw_bytes > self._max_bytes:
            raise failure(self._url, "too-large", f"more than {self._max_bytes} bytes")

    def finish(self) -> Iterator[bytes]:
        """The raw bytes are at their end."""
        for depth, layer in enumerate(self._layers):
            rest = layer.finish()
            if depth < MAX_LAYERS:
                yield from self._through(rest, depth + 1)
            elif rest:
                yield rest

    def findings(self) -> tuple[Finding, ...]:
        faults = [layer.fault for layer in self._layers if layer.fault]
        twice = ["gzip-twice"] if self._layers[1].gzip else []
        return tuple(note(id, self._url) for id in dict.fromkeys(twice + faults))

    def _through(self, data: bytes, depth: int = 0) -> Iterator[bytes]:
        for piece in self._layers[depth].feed(data):
            if depth < MAX_LAYERS:
                yield from self._through(piece, depth + 1)
            elif self._layers[depth].gzip:
                raise _Bound("gzip-nested", f"gzip more than {MAX_LAYERS} layers deep")
            else:
                yield piece


class _Bound(Exception):
    """A layer goes beyond what a document may hold."""

    def __init__(self, reason: str, problem: str) -> None:
        self.reason, self.problem = reason, problem
        super().__init__(reason)


class _Layer:
    """One layer that may be gzip: two bytes decide, then it inflates member after member."""

    def __init__(self, max_bytes: int) -> None:
        self.gzip: bool | None = None
        """None while fewer than two bytes came."""
        self.over = False
        """Nothing after this can belong to the document."""
        self.fault: str | None = None
        self._max_bytes = self._left = max_bytes
        self._held = b""
        self._members = 0
        self._member: zlib._Decompress | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        while data and not self.over:
            if self.gzip is False:
                yield from self._ration(data)
                return
            if self._member is not None:
                data = yield from self._inflate(self._member, data)
            elif len(data) < len(_MAGIC):
                self._held, data = data, b""
            else:
                self._begin(data)

    def finish(self) -> bytes:
        """The input is at its end: what was held back, and the verdict on the gzip data."""
        held, self._held = self._held, b""
        if self.gzip is None:
            self.gzip = False
            return held
        if self._member is not None:
            self.fault = "gzip-truncated"
        elif held:
            self._end_with(held)
        return b""

    def _begin(self, data: bytes) -> None:
        """Decide what stands at a border: a (further) member, plain data, or a tail."""
        if data.startswith(_MAGIC):
            self.gzip = True
            self._members += 1
            if self._members > MAX_MEMBERS:
                raise _Bound("gzip-members", f"more than {MAX_MEMBERS} gzip members")
            self._member = zlib.decompressobj(_WBITS_GZIP)
        elif self.gzip is None:
            self.gzip = False
        else:
            self._end_with(data)

    def _end_with(self, tail: bytes) -> None:
        """Zeros are padding, which gzip itself allows; anything else is junk."""
        self.over = True
        if tail.strip(b"\0"):
            self.fault = "gzip-trailing-junk"

    def _inflate(self, member: zlib._Decompress, data: bytes) -> Generator[bytes, None, bytes]:
        """Yield what the member holds; return what follows it."""
        while data and not member.eof:
            spare = member.copy()
            try:
                out = member.decompress(data, PIECE_BYTES)
            except zlib.error:
                yield from self._ration(_salvage(spare, data))
                self._member, self.over, self.fault = None, True, "gzip-corrupt"
                return b""
            yield from self._ration(out)
            data = member.unconsumed_tail
        if not member.eof:
            return b""
        self._member = None
        return member.unused_data

    def _ration(self, out: bytes) -> Iterator[bytes]:
        if out[: self._left]:
            yield out[: self._left]
        self._left -= len(out)
        if self._left < 0:
            raise _Bound("too-large", f"more than {self._max_bytes} bytes")


def _salvage(member: zlib._Decompress, data: bytes) -> bytes:
    """All that comes out before the fault, byte by byte: a step that ends in one gives nothing."""
    out = bytearray()
    with suppress(zlib.error):
        for at in range(len(data)):
            out += member.decompress(data[at : at + 1])
    return bytes(out)
