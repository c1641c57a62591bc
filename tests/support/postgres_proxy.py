"""Stands between a client and a PostgreSQL server, and cuts the connection at an agreed COMMIT:
before the server has it, or after, before the client has the answer."""

from __future__ import annotations

import select
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

COMMIT = b"COMMIT\0"
PIECE = 65_536
STEP_S = 0.2


class Cutter(socketserver.ThreadingTCPServer):
    """Counts the COMMITs of transactions that hold a certain text, of all connections together."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, server_socket: str) -> None:
        super().__init__(("127.0.0.1", 0), Wire)
        self.server_socket = server_socket
        self.stopped, self.lock = threading.Event(), threading.Lock()
        self.holds, self.left, self.late = b"", 0, False
        self.cuts = 0

    def cut_at(self, holds: bytes, *, number: int = 1, late: bool) -> None:
        """The `number`th such transaction from now on is cut at its COMMIT."""
        with self.lock:
            self.holds, self.left, self.late = holds, number, late

    def is_due(self, said: bytes) -> bool:
        with self.lock:
            if not self.left or self.holds not in said:
                return False
            self.left -= 1
            self.cuts += not self.left
            return not self.left


class Wire(socketserver.BaseRequestHandler):
    """One connection, in both directions."""

    server: Cutter

    def handle(self) -> None:
        client: socket.socket = self.request
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(self.server.server_socket)
            said = b""
            while not self.server.stopped.is_set():
                ready, _, _ = select.select([client, server], [], [], STEP_S)
                if client in ready:
                    piece = _read(client)
                    said = piece if piece.startswith(b"Q") and b"BEGIN" in piece else said + piece
                    if piece.endswith(COMMIT) and self.server.is_due(said):
                        if self.server.late:
                            server.sendall(piece)
                            server.recv(PIECE)
                        return
                    if not piece or not _sent(server, piece):
                        return
                if server in ready:
                    piece = _read(server)
                    if not piece or not _sent(client, piece):
                        return


def _read(wire: socket.socket) -> bytes:
    with suppress(OSError):
        return wire.recv(PIECE)
    return b""


def _sent(wire: socket.socket, piece: bytes) -> bool:
    with suppress(OSError):
        wire.sendall(piece)
        return True
    return False


@contextmanager
def cutter(url: str) -> Iterator[tuple[Cutter, str]]:
    """The one who cuts, and the address of the same database through it. The server is one that
    listens on a Unix socket."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query)["host"][0]
    with Cutter(str(Path(folder, ".s.PGSQL.5432"))) as proxy:
        serving = threading.Thread(target=proxy.serve_forever, args=(STEP_S,), daemon=True)
        serving.start()
        host, port = proxy.server_address[:2]
        try:
            yield proxy, f"postgresql://{parts.username}@{host}:{port}{parts.path}?sslmode=disable"
        finally:
            proxy.stopped.set()
            proxy.shutdown()
            serving.join()
