"""Publish lists: files of JSON lines or CSV, packed or not, stdin, and queries to a database."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from submitter.core.building.blocks import BLOCK_ROWS, Cutter, Mark, RawBlock, TableBlock, TextBlock
from submitter.core.building.rows import CsvParser, Decode, JsonLines, Parse, Row, decode_plainly
from submitter.errors import ConfigError
from submitter.sources.reasons import failure

if TYPE_CHECKING:
    from sqlalchemy import Engine

STDIN: Final = "-"
PIECE_BYTES: Final = 1024 * 1024
LONGEST_LINE: Final = 16 * 1024 * 1024
"""A longer line is no row; it would have to be held in memory whole."""


@dataclass(slots=True)
class ListFile:
    """Implements `ports.PublishList` for a file or stdin; CSV by name, or when it is said."""

    name: str
    stdin: BinaryIO
    is_csv: bool = False

    @property
    def repeatable(self) -> bool:
        return self.name != STDIN

    def blocks(self, known: Sequence[Mark] = ()) -> Iterator[RawBlock]:
        with _opened(self.name, self.stdin) as stream:
            pieces = _pieces(stream, self.name)
            if self._holds_csv():
                parser, pieces = self._header(pieces)
                yield from _blocks(pieces, Cutter(known, quoted=True), parser.parse, first=2)
            else:
                lines = JsonLines(fastest_decode())
                yield from _blocks(pieces, Cutter(known), lines.parse, first=1)

    def _holds_csv(self) -> bool:
        return self.is_csv or self.name.lower().removesuffix(".gz").endswith(".csv")

    def _header(self, pieces: Iterator[bytes]) -> tuple[CsvParser, Iterator[bytes]]:
        """The columns, and what comes after them."""
        line, _, rest = next(pieces, b"").partition(b"\n")
        try:
            parser = CsvParser(line)
        except (ValueError, csv.Error) as error:
            raise ConfigError.one(self.name, f"no header of columns: {error}") from error
        if "url" not in parser.names:
            raise ConfigError.one(self.name, "the header has no column url")
        return parser, chain([rest], pieces)


def _blocks(
    pieces: Iterator[bytes], cutter: Cutter, parse: Parse, *, first: int
) -> Iterator[RawBlock]:
    for piece in chain(pieces, [None]):
        for data, mark in cutter.cut(piece or b"", final=piece is None):
            yield TextBlock(data, first, parse, mark)
            first += data.count(b"\n")


def fastest_decode() -> Decode:
    """msgspec takes a quarter of the time where it is installed; what it refuses and the standard
    library takes is read line by line."""
    try:
        import msgspec
    except ImportError:
        return decode_plainly
    decoder = msgspec.json.Decoder(dict[str, Any])

    def decode(data: bytes) -> list[Row]:
        try:
            rows: list[Row] = [*decoder.decode_lines(data)]
        except msgspec.MsgspecError as error:
            raise ValueError(str(error)) from error
        return rows

    return decode


@contextmanager
def _opened(name: str, stdin: BinaryIO) -> Iterator[BinaryIO]:
    """Unpacked where the first bytes say that it is packed."""
    if name == STDIN:
        yield _unpacked(stdin)
        return
    try:
        stream = open(name, "rb")  # noqa: SIM115 - closed below; only opening may fail like this
    except OSError as error:
        raise ConfigError.one(name, error.strerror or "cannot be opened") from error
    with stream:
        yield _unpacked(stream)


def _unpacked(stream: BinaryIO) -> BinaryIO:
    peek = getattr(stream, "peek", None)
    if peek is not None and peek(2)[:2] == b"\x1f\x8b":
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    return stream


def _pieces(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Whole lines, some thousand at a time; the last one may lack its end."""
    rest: list[bytes] = []
    is_begun = False
    while piece := _read(stream, name):
        if not is_begun and b"\r" in piece.partition(b"\n")[0].rstrip(b"\r"):
            raise ConfigError.one(name, "its lines end in \\r alone: write \\n in its place")
        is_begun = True
        whole, end, tail = piece.rpartition(b"\n")
        rest.append(whole + end or tail)
        if end:
            yield b"".join(rest)
            rest = [tail]
        elif sum(map(len, rest)) > LONGEST_LINE:
            raise failure(name, "line-too-long", f"a line of over {LONGEST_LINE:,} bytes")
    if last := b"".join(rest):
        yield last


def _read(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.read(PIECE_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise failure(name, "list-unreadable", f"reading broke off: {error}") from error


# ---------------------------------------------------------------- databases


@dataclass(slots=True)
class ListQuery:
    """Implements `ports.PublishList` for a query to SQLite or PostgreSQL, which may only read.

    `name` is what reports show; `url` may hold a password.
    """

    name: str
    url: str
    query: str
    repeatable: bool = True

    def blocks(self, known: Sequence[Mark] = ()) -> Iterator[RawBlock]:
        """Cut by numbers of rows: a query that orders them keeps the blocks before a change."""
        del known
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield from self._blocks()
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or type(error).__name__).splitlines()[0]
            raise ConfigError.one(self.name, f"the query failed: {reason[:200]}") from None

    def _blocks(self) -> Iterator[RawBlock]:
        engine = self._engine()
        try:
            options = {"postgresql_readonly": True} if engine.name == "postgresql" else {}
            with engine.connect().execution_options(**options) as connection:
                streamed = connection.execution_options(stream_results=True, yield_per=BLOCK_ROWS)
                result = streamed.exec_driver_sql(self.query)
                names = list(result.keys())
                if "url" not in names:
                    raise ConfigError.one(self.name, "the query gives no column url")
                first = 1
                for rows in result.partitions(BLOCK_ROWS):
                    yield TableBlock(names, [tuple(row) for row in rows], first)
                    first += len(rows)
        finally:
            engine.dispose()

    def _engine(self) -> Engine:
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.pool import NullPool

        url = make_url(self.url)
        match url.get_backend_name():
            case "sqlite":
                return create_engine(_read_only(url.database or "", self.name), poolclass=NullPool)
            case "postgresql":
                return create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool)
            case other:
                raise ConfigError.one(self.name, f"{other} is neither sqlite nor postgresql")


def _read_only(path: str, name: str) -> str:
    if not path or path == ":memory:":
        raise ConfigError.one(name, "names no database file")
    from urllib.parse import quote

    return f"sqlite:///file:{quote(path)}?mode=ro&uri=true"
