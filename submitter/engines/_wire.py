"""The wire: requests and urllib3 with a deadline that holds for the whole call.

Their timeouts count from one read to the next, so a server that drips a byte a second is never
too slow, and each address of a host gets the full time. Here every wait on the socket gets what
is left of the call. Only name resolution is outside: the C library offers no limit for it.

`HTTPAdapter` is used without `requests.Session`: what a session adds (cookies, redirects, netrc,
proxies and certificates from the environment) is what a call with a token in it must not have.
"""

from __future__ import annotations

import errno
import http.client
import io
import math
import os
import re
import socket
import ssl
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import requests
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    DecodeError,
    HTTPError,
    IncompleteRead,
    NewConnectionError,
    ReadTimeoutError,
)
from urllib3.util import Timeout

from submitter import __version__
from submitter.engines._http import EngineRequest, EngineResponse, Lost, masked

if TYPE_CHECKING:
    from urllib3.connection import HTTPConnection as _AConnection
    from urllib3.connectionpool import HTTPConnectionPool as _APool
    from urllib3.response import BaseHTTPResponse
else:
    _AConnection = _APool = object

T = TypeVar("T")

_AGENT = f"submitter/{__version__}"
_CHUNK = 65_536
_UNSENDABLE = re.compile(r"[^\t\x20-\x7e\xa0-\xff]")
_FAILURES = (requests.RequestException, HTTPError, http.client.HTTPException, OSError, ValueError)


class Wire:
    """Connections that serve one call at a time."""

    def __init__(self) -> None:
        self._adapter = _DeadlineAdapter()

    def close(self) -> None:
        self._adapter.close()

    def carry(self, request: EngineRequest, *, timeout_s: float) -> EngineResponse | Lost:
        """Send one request and read its answer, in `timeout_s` altogether."""
        if timeout_s <= 0:
            return Lost(sent=False, why="no time left for the call")
        if any(_UNSENDABLE.search(value) for value in request.headers.values()):
            return Lost(sent=False, why="a header holds a line end or a letter outside Latin-1")
        try:
            answer, body = self._exchange(request, timeout_s)
        except _FAILURES as error:
            return _loss(error)
        if body is None:
            return Lost(sent=True, why=f"answer over {request.max_answer_bytes:,} bytes")
        return EngineResponse(
            answer.status_code,
            {name.lower(): value for name, value in answer.headers.items()},
            masked(body, request.secrets),
            request.shown,
            request.read_only,
        )

    def _exchange(
        self, request: EngineRequest, timeout_s: float
    ) -> tuple[requests.Response, bytes | None]:
        answer = self._adapter.send(
            _prepared(request),
            stream=True,
            timeout=Timeout(total=timeout_s),  # type: ignore[arg-type]  # missing in the stubs
        )
        try:
            return answer, _body(answer.raw, request.max_answer_bytes)
        finally:
            answer.close()
            if request.headers.get("Connection") == "close":
                self._adapter.close()  # though the server may keep it open


def _prepared(request: EngineRequest) -> requests.PreparedRequest:
    """Built by hand: `Request.prepare` would encode the address once more."""
    prepared = requests.PreparedRequest()
    prepared.method = request.method
    prepared.url = request.url
    prepared.body = request.body
    prepared.headers = CaseInsensitiveDict(
        {"User-Agent": _AGENT, "Accept-Encoding": "identity", **request.headers}
    )
    if request.body is not None or request.method in ("POST", "PUT"):
        prepared.headers["Content-Length"] = str(len(request.body or b""))
    return prepared


def _body(raw: BaseHTTPResponse, limit: int) -> bytes | None:
    """The whole body, or None when it is longer than `limit` (inflated)."""
    body = bytearray()
    while chunk := raw.read(_CHUNK, decode_content=True):
        body += chunk
        if len(body) > limit:
            return None
    return bytes(body)


# ---------------------------------------------------------------- the deadline


class _NeverLeftError(NewConnectionError):
    """No connection: not a byte of the request has left."""

    def __init__(self, connection: HTTPConnection, why: str) -> None:
        super().__init__(connection, why)
        self.why = why


class _Reader(io.RawIOBase):
    """Reads of a socket, each waiting no longer than until the deadline."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock, self._until = sock, until
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(_left(self._until))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Reads:
    """Stands for a socket where `http.client` only wants a file to read from."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._reader = _Reader(sock, until)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._reader, _CHUNK)


class _Deadline(_AConnection):
    """Makes a urllib3 connection keep to `until`, a monotonic time set before each call."""

    until = math.inf

    def connect(self) -> None:
        """Everything that fails in here (name, port, TLS) failed before a byte was sent."""
        try:
            super().connect()
        except (OSError, HTTPError, UnicodeError) as error:
            why = _connect_problem(error)
        else:
            return
        raise _NeverLeftError(self, why)

    def _new_conn(self) -> socket.socket:
        """The first of the host's addresses that answers in its share of the time."""
        problem: OSError = OSError(errno.EHOSTUNREACH, "")
        addresses = socket.getaddrinfo(self.host, self.port, 0, socket.SOCK_STREAM)
        for still, (family, kind, protocol, _, address) in _countdown(addresses):
            sock = socket.socket(family, kind, protocol)
            try:
                for option in self.socket_options or ():
                    sock.setsockopt(*option)
                sock.settimeout(_left(self.until) / still)
                sock.connect(address)
                sock.settimeout(_left(self.until))
            except OSError as error:
                sock.close()
                problem = error
            else:
                return sock
        raise problem

    def send(self, data: Any) -> None:
        if self.sock is not None:
            self.sock.settimeout(_left(self.until))
        super().send(data)

    def response_class(  # type: ignore[override]  # called like the class it stands for
        self, sock: socket.socket, *args: Any, **named: Any
    ) -> http.client.HTTPResponse:
        return http.client.HTTPResponse(_Reads(sock, self.until), *args, **named)  # type: ignore[arg-type]  # it reads like a socket


class _Connection(_Deadline, HTTPConnection):
    pass


class _SecureConnection(_Deadline, HTTPSConnection):
    pass


class _DeadlinePool(_APool):
    """Starts the clock of a connection's next call; one call at a time uses a pool."""

    def _make_request(self, conn: Any, *args: Any, **named: Any) -> Any:
        conn.until = time.monotonic() + named["timeout"].total
        return super()._make_request(conn, *args, **named)


class _Pool(_DeadlinePool, HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(_DeadlinePool, HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class _DeadlineAdapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **named: Any) -> None:
        super().init_poolmanager(*args, **named)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}


def _countdown(items: Sequence[T]) -> Iterator[tuple[int, T]]:
    """Each item with how many there still are, itself included."""
    return zip(range(len(items), 0, -1), items, strict=True)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


# ---------------------------------------------------------------- errors into words


def _loss(error: Exception) -> Lost:
    """Our own words for a foreign error: its text may hold the whole address."""
    cause = _innermost(error)
    if isinstance(cause, _NeverLeftError):
        return Lost(sent=False, why=cause.why)
    if isinstance(error, requests.exceptions.InvalidURL):
        return Lost(sent=False, why="not an address that can be called")
    return Lost(sent=True, why=_answer_problem(cause))


def _innermost(error: BaseException) -> BaseException:
    """requests and urllib3 wrap what happened up to three times."""
    for _ in range(4):
        inner = getattr(error, "reason", None) or (error.args[-1] if error.args else None)
        if not isinstance(inner, Exception):
            break
        error = inner
    return error


def _connect_problem(error: BaseException) -> str:
    cause = _innermost(error)
    if isinstance(cause, socket.gaierror):
        return "the host's name cannot be resolved"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"the host's certificate is not accepted ({cause.verify_message})"
    if isinstance(cause, ssl.SSLError):
        return f"no TLS with the host ({cause.reason})"
    if isinstance(cause, TimeoutError):
        return "no connection in the time given"
    return f"no connection ({_name_of(cause)})"


def _answer_problem(cause: BaseException) -> str:
    if isinstance(cause, (TimeoutError, ReadTimeoutError)):
        return "no whole answer in the time given"
    if isinstance(cause, (IncompleteRead, http.client.IncompleteRead)):
        return "the answer was cut short"
    if isinstance(cause, DecodeError):
        return "the answer cannot be inflated"
    return f"no readable answer ({_name_of(cause)})"


def _name_of(cause: BaseException) -> str:
    if isinstance(cause, OSError) and cause.errno:
        return os.strerror(cause.errno)
    return type(cause).__name__
