"""A web server that misbehaves on purpose: raw sockets on loopback, no library in between.

    with FaultServer() as server:
        server.on("/sitemap.xml", ok(b"<urlset/>"))
        server.on("/flaky.xml", status(503), ok(b"<urlset/>"))  # one after another; the last stays
        fetch(server.url("/sitemap.xml"))
        assert server.requests[0].headers["user-agent"].startswith("Submitter/")

An answer is a function of the wire and the request, so a test can bring its own. Every pause and
every wait ends when the server stops.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import ssl
import struct
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlsplit

PATIENCE_S = 30.0
"""No pause, read or hang lasts longer than this."""
XML = "application/xml"


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in; header names in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path


class Wire:
    """One accepted connection."""

    def __init__(self, sock: socket.socket, stopping: threading.Event) -> None:
        self._sock, self._stopping = sock, stopping
        self._reader = sock.makefile("rb")
        self.open = True

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def pause(self, seconds: float) -> None:
        """Raises ConnectionAbortedError when the server stops meanwhile."""
        if self._stopping.wait(min(seconds, PATIENCE_S)):
            raise ConnectionAbortedError

    def hang(self) -> None:
        """Say nothing until the server stops."""
        self.pause(PATIENCE_S)

    def close(self) -> None:
        """End in good order, with FIN."""
        self.open = False

    def reset(self) -> None:
        """End with RST: what was not read yet is lost at the other side."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def read_request(self) -> Request | None:
        """None when the client has closed or speaks no HTTP."""
        words = self._reader.readline(65_536).decode("latin-1").split()
        if len(words) != 3:
            return None
        method, target, _ = words
        headers = dict(self._header_lines())
        return Request(method, target, headers, self._read_body(headers))

    def shut(self) -> None:
        """Wake whoever waits for this connection, from another thread."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def drop(self) -> None:
        self._reader.close()
        self._sock.close()

    def _header_lines(self) -> Iterator[tuple[str, str]]:
        while line := self._reader.readline(65_536).strip():
            name, _, value = line.decode("latin-1").partition(":")
            yield name.strip().lower(), value.strip()

    def _read_body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("expect") == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("transfer-encoding") == "chunked":
            return b"".join(iter(self._read_chunk, b""))
        return self._reader.read(int(headers.get("content-length", "0")))

    def _read_chunk(self) -> bytes:
        size = int(self._reader.readline(), 16)
        data = self._reader.read(size)
        self._reader.readline()
        return data


Answer = Callable[[Wire, Request], None]
Greeting = Callable[[Wire], None]


class FaultServer:
    """Serves on 127.0.0.1 until the `with` block ends; 404 where nothing was said.

    `tls` is the context of a server (see `support.certificates`). `host` is the name that `url`
    uses; a client finds it by its own means.
    """

    def __init__(self, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> None:
        self.host = host
        self.requests: list[Request] = []
        self.connections = 0
        self._tls = tls
        self._answers: dict[str, deque[Answer]] = {}
        self._greetings: deque[Greeting] = deque()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._wires: dict[threading.Thread, Wire] = {}
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._listener.settimeout(0.05)
        self.port: int = self._listener.getsockname()[1]
        self._acceptor = threading.Thread(target=self._accept, name="fault server", daemon=True)

    @property
    def authority(self) -> str:
        return f"{self.host}:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"{'https' if self._tls else 'http'}://{self.authority}{path}"

    def on(self, path: str, *answers: Answer) -> None:
        """What a path answers, query or not: one after another, the last for ever."""
        with self._lock:
            self._answers[path] = deque(answers)

    def on_chain(self, paths: Iterable[str], end: Answer, *, code: int = 302) -> None:
        """Each path redirects to the next; the last gives `end`."""
        *hops, last = paths
        for path, target in zip(hops, [*hops[1:], last], strict=True):
            self.on(path, redirect(target, code=code))
        self.on(last, end)

    def on_accept(self, *greetings: Greeting) -> None:
        """What the next connections meet before a request is read, one each."""
        with self._lock:
            self._greetings.extend(greetings)

    def asked(self, path: str) -> list[Request]:
        return [request for request in list(self.requests) if request.path == path]

    def __enter__(self) -> FaultServer:
        self._acceptor.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):  # wakes accept() at once where the system knows how
            self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join(PATIENCE_S)
        self._listener.close()
        for wire in list(self._wires.values()):
            wire.shut()
        for thread in list(self._wires):
            thread.join(PATIENCE_S)

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                continue
            sock.settimeout(PATIENCE_S)
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        with self._lock:
            self.connections += 1
            greeting = self._greetings.popleft() if self._greetings else None
        try:
            wire = self._wrap(sock)
        except OSError:  # the client did not like our certificate
            sock.close()
            return
        self._wires[threading.current_thread()] = wire
        try:
            self._talk(wire, greeting)
        except OSError:  # the client has gone, or we stop
            pass
        finally:
            wire.drop()
            self._wires.pop(threading.current_thread(), None)

    def _wrap(self, sock: socket.socket) -> Wire:
        if self._tls is not None:
            sock = self._tls.wrap_socket(sock, server_side=True)
        return Wire(sock, self._stopping)

    def _talk(self, wire: Wire, greeting: Greeting | None) -> None:
        if greeting is not None:
            greeting(wire)
        while wire.open and (request := wire.read_request()):
            with self._lock:
                self.requests.append(request)
                answer = self._next_answer(request.path)
            answer(wire, request)

    def _next_answer(self, path: str) -> Answer:
        answers = self._answers.get(path)
        if not answers:
            return status(404)
        return answers.popleft() if len(answers) > 1 else answers[0]


# ------------------------------------------------------------ answers in good order


def head(code: int = 200, reason: str = "OK", **headers: object) -> bytes:
    """A status line and headers; `content_type=...` becomes `Content-Type`."""
    lines = [f"HTTP/1.1 {code} {reason}"]
    lines += [f"{name.replace('_', '-').title()}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def ok(body: bytes = b"", content_type: str = XML, **headers: object) -> Answer:
    """200 with a length; the connection stays open."""
    return status(200, body, content_type=content_type, **headers)


def status(code: int, body: bytes = b"", **headers: object) -> Answer:
    data = head(code, "Said", **{"content_length": len(body), **headers}) + body
    return lambda wire, _: wire.send(data)


def chunked(*chunks: bytes, content_type: str = XML, **headers: object) -> Answer:
    data = head(content_type=content_type, transfer_encoding="chunked", **headers)
    data += b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))
    return lambda wire, _: wire.send(data)


def until_close(body: bytes, content_type: str = XML, **headers: object) -> Answer:
    """200 without length or chunks: the end of the connection is the end of the body."""
    return raw(head(content_type=content_type, connection="close", **headers) + body)


def raw(data: bytes) -> Answer:
    """Exactly these bytes, then the end of the connection."""

    def answer(wire: Wire, _: Request) -> None:
        wire.send(data)
        wire.close()

    return answer


def conditional(body: bytes, etag: str) -> Answer:
    """What a good server does: 304 for its own tag, else the body with the tag."""

    def answer(wire: Wire, request: Request) -> None:
        same = request.headers.get("if-none-match") == etag
        (status(304, etag=etag) if same else ok(body, etag=etag))(wire, request)

    return answer


def retry_after(value: str, code: int = 429, **headers: object) -> Answer:
    return status(code, retry_after=value, **headers)


def redirect(to: str, code: int = 302) -> Answer:
    return status(code, location=to)


def continue_100(body: bytes, times: int = 1) -> Answer:
    """100 Continue that nobody waited for, before the answer."""
    data = head(100, "Continue") * times + head(content_length=len(body)) + body
    return lambda wire, _: wire.send(data)


# ------------------------------------------------------------ slow


def slow_headers(pause_s: float = 0.05) -> Answer:
    """A header that never ends, one byte at a time."""

    def answer(wire: Wire, _: Request) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while True:
            wire.send(b"a")
            wire.pause(pause_s)

    return answer


def drip(body: bytes, *, size: int = 1, pause_s: float = 0.05) -> Answer:
    """The body in sips, each in time for a timeout that starts anew with every read."""

    def answer(wire: Wire, _: Request) -> None:
        wire.send(head(content_type=XML, content_length=len(body)))
        for at in range(0, len(body), size):
            wire.send(body[at : at + size])
            wire.pause(pause_s)

    return answer


def stall_body(body: bytes, after: int) -> Answer:
    """`after` bytes of the body, then silence."""

    def answer(wire: Wire, _: Request) -> None:
        wire.send(head(content_type=XML, content_length=len(body)) + body[:after])
        wire.hang()

    return answer


def accept_then_hang(wire: Wire) -> None:
    """A greeting: the connection stands, and nobody is at home."""
    wire.hang()


# ------------------------------------------------------------ cut


def rst(after: bytes = b"") -> Answer:
    """The request is taken, then the connection is reset, perhaps after some bytes."""

    def answer(wire: Wire, _: Request) -> None:
        if after:
            wire.send(after)
            wire.pause(0.05)  # let them arrive: a reset overtakes what waits
        wire.reset()

    return answer


def accept_then_rst(wire: Wire) -> None:
    """A greeting: reset before the request is read."""
    wire.reset()


def close_after(body: bytes, after: int) -> Answer:
    """A body without length, ended after so many bytes: cut, and nothing says so."""
    return until_close(body[:after])


def long_length(body: bytes, missing: int = 10) -> Answer:
    """A length that promises more than comes."""
    return raw(head(content_type=XML, content_length=len(body) + missing) + body)


def short_length(body: bytes, beyond: int = 10) -> Answer:
    """A length that is less than what comes."""
    return raw(head(content_type=XML, content_length=len(body) - beyond) + body)


def chunk_cut(body: bytes) -> Answer:
    """The connection ends in the middle of a chunk."""
    start = head(content_type=XML, transfer_encoding="chunked")
    return raw(start + b"%x\r\n%b" % (len(body) + 10, body))


def bad_chunk(body: bytes, size: bytes = b"zz") -> Answer:
    """One good chunk, then one whose size is no number."""
    start = head(content_type=XML, transfer_encoding="chunked")
    return raw(start + b"%x\r\n%b\r\n%b\r\n%b\r\n" % (len(body), body, size, body))


# ------------------------------------------------------------ gzip


def gzipped(body: bytes, **headers: object) -> Answer:
    return ok(gzip.compress(body, mtime=0), content_encoding="gzip", **headers)


def gzip_cut(body: bytes, after: int) -> Answer:
    """The gzip data ends early, in a connection that ends in good order."""
    return ok(gzip.compress(body, mtime=0)[:after], content_encoding="gzip")


def double_gzip(body: bytes) -> Answer:
    return gzipped(gzip.compress(body, mtime=0))


def gzip_tail_forever(body: bytes, tail: bytes = b"<!-- cached -->") -> Answer:
    """Whole gzip data, then junk without end."""

    def answer(wire: Wire, _: Request) -> None:
        wire.send(head(content_encoding="gzip", connection="close"))
        wire.send(gzip.compress(body, mtime=0))
        while True:
            wire.send(tail * 1024)
            wire.pause(0)

    return answer


def gzip_bomb(size: int = 256 * 1024 * 1024, start: bytes = b"") -> Answer:
    """A few bytes that become many blanks."""

    def answer(wire: Wire, _: Request) -> None:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        wire.send(head(content_encoding="gzip", connection="close") + packer.compress(start))
        blanks = b" " * (1024 * 1024)
        for _mebibyte in range(size // len(blanks)):
            wire.send(packer.compress(blanks))
        wire.send(packer.flush())
        wire.close()

    return answer


# ------------------------------------------------------------ wrong


def html_200(title: str = "Please log in") -> Answer:
    page = f"<!doctype html><html><head><title>{title}</title></head><body></body></html>"
    return ok(page.encode(), "text/html; charset=utf-8")


def empty_200() -> Answer:
    return ok(b"")


def wrong_type(body: bytes, content_type: str = "text/html") -> Answer:
    return ok(body, content_type)


def json_missing(document: Mapping[str, object], field: str) -> Answer:
    left = {name: value for name, value in document.items() if name != field}
    return ok(json.dumps(left).encode(), "application/json")


def json_bom(document: Mapping[str, object]) -> Answer:
    return ok(b"\xef\xbb\xbf" + json.dumps(document).encode(), "application/json")


def json_huge(size: int = 4 * 1024 * 1024) -> Answer:
    return ok(json.dumps({"message": "x" * size}).encode(), "application/json")


def not_modified_without_etag() -> Answer:
    """304 that names no validator, whatever was asked."""
    return status(304)


def always_304(etag: str = '"stale"') -> Answer:
    """304 for ever, though the content has long changed."""
    return status(304, etag=etag)


def etag_flap(body: bytes) -> Answer:
    """The same body under another tag each time."""
    count = iter(range(1_000_000))
    return lambda wire, request: ok(body, etag=f'"{next(count)}"')(wire, request)


def header_flood(lines: int = 10_000) -> Answer:
    flood = b"".join(b"X-Flood-%d: %b\r\n" % (number, b"a" * 100) for number in range(lines))
    return raw(b"HTTP/1.1 200 OK\r\n" + flood + b"\r\n")
