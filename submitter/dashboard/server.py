"""The listener: GET and HEAD over HTTP, a thread a connection, nothing that changes anything."""

from __future__ import annotations

import gzip
import logging
import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from submitter.core.plain import clip, plain
from submitter.dashboard.desk import HTML, TEXT, Answer, Desk
from submitter.dashboard.guard import Guard
from submitter.errors import LedgerError
from submitter.render.html.page import policy

log = logging.getLogger(__name__)

PATIENCE_S = 30
"""A connection that says nothing for so long is closed."""
LEAST_ZIPPED = 2_048
POLL_S = 0.2
MOST_FIELDS = 40

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class DashboardServer:
    """Listens from the start, serves in a thread of its own until closed. OSError when the
    address is taken."""

    def __init__(self, address: str, port: int, desk: Desk, guard: Guard) -> None:
        kind = _SixServer if ":" in address else _Server
        self._server = kind((address, port), desk, guard)
        self._thread = threading.Thread(
            target=lambda: self._server.serve_forever(POLL_S), name="dashboard", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], desk: Desk, guard: Guard) -> None:
        self.desk, self.guard = desk, guard
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Without the parent's look-up of a name for the address."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "dashboard", int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a connection broke", exc_info=True)


class _SixServer(_Server):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "submitter"
    sys_version = ""
    timeout = PATIENCE_S

    def do_GET(self) -> None:
        self._send(self._answer())

    do_HEAD = do_GET  # noqa: N815 - likewise

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Anything but GET and HEAD, and requests that are none."""
        if code == 501:
            code, message = 405, "Only GET and HEAD"
        self.close_connection = True
        headers = {"Allow": "GET, HEAD"} if code == 405 else {}
        self._send(Answer(code, TEXT, f"{message or 'Bad request'}.\n", headers))

    def log_message(self, format: str, *args: Any) -> None:
        """Paths only: a query may hold the token."""

    # -- answering

    def _answer(self) -> Answer:
        parts, guard = urlsplit(self.path), self.server.guard
        if parts.path == "/healthz":
            return Answer(200, TEXT, "ok\n")
        if not guard.answers_to(self._header("Host")):
            return Answer(421, TEXT, "This server does not answer to that name.\n")
        try:
            query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MOST_FIELDS))
        except ValueError:
            return Answer(400, TEXT, "The query has too many fields.\n")
        token = query.pop("token", None)
        if guard.is_token(token):
            return self._welcome(parts.path, query)
        if not guard.lets_in(
            authorization=self.headers.get("Authorization"), cookie=self.headers.get("Cookie")
        ):
            words = "A token is needed: open the address with ?token=… once.\n"
            return Answer(401, TEXT, words, {"WWW-Authenticate": "Bearer"})
        return self._from_desk(parts.path, query)

    def _header(self, name: str) -> str:
        """Empty where the request broke before its headers."""
        headers = getattr(self, "headers", None)
        return str(headers.get(name, "")) if headers is not None else ""

    def _welcome(self, path: str, query: dict[str, str]) -> Answer:
        """The token leaves the address at once: from here on the cookie is shown."""
        local = "/" + path.lstrip("/\\")
        where = local + (f"?{urlencode(query)}" if query else "")
        return Answer(
            303, TEXT, "Welcome.\n", {"Location": where, "Set-Cookie": self.server.guard.cookie}
        )

    def _from_desk(self, path: str, query: dict[str, str]) -> Answer:
        desk = self.server.desk
        try:
            return desk.answer(path, query)
        except LedgerError as error:
            log.warning("the dashboard cannot read the ledger: %s", error)
            return desk.problem(path, 503, "The ledger cannot be read", f"{error}.")
        except Exception:
            log.exception("the dashboard failed at %s", clip(plain(path), 200))
            return desk.problem(path, 500, "Something broke", "The log of the server says what.")

    def _send(self, answer: Answer) -> None:
        body = answer.body.encode("utf-8", "replace")
        self.send_response(answer.status)
        for name, value in {**HEADERS, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answer.kind)
        if answer.kind == HTML:
            rules = f"{policy(live=True)}; frame-ancestors 'none'"
            self.send_header("Content-Security-Policy", rules)
        if len(body) >= LEAST_ZIPPED and "gzip" in self._header("Accept-Encoding"):
            body = gzip.compress(body, 5)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
