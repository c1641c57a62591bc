"""A faithful little Cloud Storage: objects, generations, preconditions, and its odd moments.

No stand-in that can be installed knows `x-goog-if-generation-match`. Source of what is imitated:
https://cloud.google.com/storage/docs/xml-api/reference-headers, read 2026-11-30.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Kept:
    """One object as it lies in its bucket."""

    generation: int
    body: bytes
    mark: str


@dataclass
class GcsFake:
    """`script` says what becomes of the next replacements: `ok`, an HTTP status that refuses it,
    or `lost`, which does it and closes the connection without an answer. After it all is `ok`."""

    address: str = ""
    objects: dict[str, Kept] = field(default_factory=dict)
    script: list[int | str] = field(default_factory=list)
    puts: list[int] = field(default_factory=list)
    """The status of every replacement, in order."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, key: str = "fleet/ledger.db") -> str:
        return f"gs://bucket-of-tests/{key}?endpoint={self.address}"

    def kept(self, key: str = "fleet/ledger.db") -> Kept:
        return self.objects[f"/bucket-of-tests/{key}"]

    def put(self, path: str, expected: str | None, body: bytes, mark: str) -> tuple[int, int]:
        """Status and generation."""
        with self.lock:
            before = self.objects.get(path)
            if expected is not None and int(expected) != (before.generation if before else 0):
                return 412, 0
            generation = 1_764_500_000_000_000 + len(self.puts)
            self.objects[path] = Kept(generation, body, mark)
            return 200, generation


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: GcsFake

    def do_GET(self) -> None:
        self._show(with_body=True)

    def do_HEAD(self) -> None:
        self._show(with_body=False)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        oddity = self.fake.script.pop(0) if self.fake.script else None
        if isinstance(oddity, int):
            self.fake.puts.append(oddity)
            self._answer(oddity, {})
            return
        mark = self.headers.get("x-goog-meta-submitter", "")
        expected = self.headers.get("x-goog-if-generation-match")
        status, generation = self.fake.put(self.path, expected, body, mark)
        self.fake.puts.append(status)
        if oddity == "lost":
            self.close_connection = True
            return
        self._answer(status, {"x-goog-generation": str(generation)} if status == 200 else {})

    def _show(self, *, with_body: bool) -> None:
        kept = self.fake.objects.get(self.path)
        if kept is None:
            self._answer(404, {})
            return
        headers = {"x-goog-generation": str(kept.generation), "x-goog-meta-submitter": kept.mark}
        self._answer(200, headers, kept.body, with_body=with_body)

    def _answer(
        self, status: int, headers: dict[str, str], body: bytes = b"", *, with_body: bool = True
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@contextmanager
def gcs_fake() -> Iterator[GcsFake]:
    fake = GcsFake()
    handler = type("Handler", (_Handler,), {"fake": fake})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        fake.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield fake
        finally:
            server.shutdown()
            thread.join()
