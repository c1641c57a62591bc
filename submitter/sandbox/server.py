"""The listener: HTTP/1.1 with keep-alive on 127.0.0.1, one thread a connection, faults on the wire.

Stopping closes every connection and joins every thread, so that a test leaves nothing behind.
"""

from __future__ import annotations

import logging
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from typing import cast

from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Fault, FaultKind
from submitter.sandbox.wire import Answer, Request

log = logging.getLogger(__name__)

Desk = Callable[[Request], tuple[Answer | None, Fault | None]]
"""Answers a request; no answer means that the connection ends as the fault says."""

MAX_BODY_BYTES = 64 * 1024 * 1024
POLL_S = 0.01
"""How often the listener looks whether it is to stop."""

_BODILESS = frozenset({204, 304})
_SEVER = struct.pack("ii", 1, 0)
"""SO_LINGER on, zero seconds: closing sends a reset."""

_Connection = socket.socket | tuple[bytes, socket.socket]
"""What socketserver says it hands over; over TCP it is a socket."""


class _Reset(Exception):
    """The connection was torn down on purpose."""


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, port: int, desk: Desk, clock: SandboxClock) -> None:
        self.desk, self.clock = desk, clock
        self.stopping = threading.Event()
        self._open: dict[socket.socket, threading.Thread] = {}
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: _Connection, client_address: object) -> None:
        connection = cast(socket.socket, request)
        thread = threading.Thread(
            target=self._serve, args=(connection, client_address), name="sandbox-connection"
        )
        thread.daemon = True
        with self._guard:
            self._open[connection] = thread
        thread.start()

    def _serve(self, connection: socket.socket, client_address: object) -> None:
        try:
            self.process_request_thread(connection, client_address)
        finally:
            with self._guard:
                self._open.pop(connection, None)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is its own business; anything else is our bug."""
        if isinstance(sys.exception(), OSError):
            log.debug("a client of the sandbox went away", exc_info=True)
        else:
            log.error("the sandbox failed to answer", exc_info=True)

    def end_connections(self) -> None:
        self.stopping.set()
        with self._guard:
            alive = dict(self._open)
        for connection in alive:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                log.debug("a sandbox connection was closed already")
        for thread in alive.values():
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server_version = "submitter-sandbox"
    sys_version = ""

    def _answer(self) -> None:
        server = cast(_Server, self.server)
        arrived = server.clock.monotonic()
        body = self._body()
        if body is None:
            return
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, path, query, headers, body, arrived)
        answer, fault = server.desk(request)
        try:
            self._play(answer, fault)
        except _Reset:
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  # names of the base

    def handle_expect_100(self) -> bool:
        """Say at once that the body may come; our output is buffered."""
        going_on = super().handle_expect_100()
        self.wfile.flush()
        return going_on

    def _body(self) -> bytes | None:
        """The whole body; None when the client sent less, or more than anybody should."""
        if "transfer-encoding" in self.headers:
            self.send_error(411)
            return None
        declared = self.headers.get("content-length", "0")
        size = int(declared) if declared.isdigit() else MAX_BODY_BYTES + 1
        if size > MAX_BODY_BYTES:
            self.send_error(413)
            return None
        body = self.rfile.read(size)
        self.close_connection = self.close_connection or len(body) < size
        return body if len(body) == size else None

    def _play(self, answer: Answer | None, fault: Fault | None) -> None:
        server = cast(_Server, self.server)
        if fault and fault.kind in (FaultKind.HANG, FaultKind.DELAY):
            server.stopping.wait(fault.seconds)
        if answer is None:
            self.close_connection = True
            if fault and fault.kind is FaultKind.RESET:
                self._reset()
            return
        self._write(answer, fault)

    def _write(self, answer: Answer, fault: Fault | None) -> None:
        chunked = answer.stream is not None and self.request_version != "HTTP/1.0"
        self._write_head(answer, chunked=chunked)
        if self.command == "HEAD" or answer.status in _BODILESS:
            return
        for piece in self._paced(answer, fault):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _write_head(self, answer: Answer, *, chunked: bool) -> None:
        now = cast(_Server, self.server).clock.now()
        self.send_response_only(answer.status)
        self.send_header("Date", format_datetime(now, usegmt=True))
        if answer.status not in _BODILESS:
            self.send_header("Content-Type", answer.content_type)
            if chunked:
                self.send_header("Transfer-Encoding", "chunked")
            elif answer.stream is None:
                self.send_header("Content-Length", str(len(answer.body)))
            else:
                self.close_connection = True
        for name, value in answer.headers:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def _paced(self, answer: Answer, fault: Fault | None) -> Iterator[bytes]:
        pieces = (piece for piece in answer.pieces() if piece)
        match fault:
            case Fault(kind=FaultKind.CUT, at=size):
                return self._cut(pieces, size)
            case Fault(kind=FaultKind.DRIP, at=size, seconds=pause):
                return self._drip(pieces, max(size, 1), pause)
            case _:
                return pieces

    def _cut(self, pieces: Iterator[bytes], left: int) -> Iterator[bytes]:
        for piece in pieces:
            if left:
                yield piece[:left]
            left -= min(left, len(piece))
            if not left:
                break
        self.wfile.flush()
        self._reset()

    def _drip(self, pieces: Iterator[bytes], size: int, pause: float) -> Iterator[bytes]:
        stopping = cast(_Server, self.server).stopping
        for piece in pieces:
            for start in range(0, len(piece), size):
                yield piece[start : start + size]
                self.wfile.flush()
                if stopping.wait(pause):
                    raise _Reset

    def _reset(self) -> None:
        """Close so that the peer sees a reset: lingering off, and no orderly shutdown first."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _SEVER)
        socket.close(self.connection.detach())
        raise _Reset

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)


class Listener:
    """One address for everything, bound and served as soon as it exists, until `stop`."""

    def __init__(self, port: int, desk: Desk, clock: SandboxClock) -> None:
        self._server = _Server(port, desk, clock)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_S,), name="sandbox-listener", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.end_connections()
