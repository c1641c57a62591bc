"""Connections that only ever reach a checked address.

Built on `http.client`, which is what urllib3 and requests stand on: their pools, retries,
redirects and decoding are exactly what may not happen here unasked.
"""

from __future__ import annotations

import errno
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from submitter.errors import FetchError
from submitter.ports import Clock
from submitter.sources.addresses import WebAddress
from submitter.sources.deadlines import Deadline
from submitter.sources.networks import IP
from submitter.sources.reasons import failure
from submitter.sources.sockets import READ_BYTES, GuardedSocket, Phase, dial
from submitter.sources.tls import tls_failure

CONNECT_S: Final = 10.0
"""Longest wait for one address of a name to take the connection."""
HEADER_BYTES: Final = 64 * 1024
MAX_IDLE: Final = 32
"""Open connections kept for later, over all hosts."""
MAX_IDLE_S: Final = 30.0

_UNREACHABLE: Final = frozenset(
    {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
)
_RESOURCES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


@dataclass(frozen=True, slots=True)
class Route:
    """Where a connection goes: what the name leads to, once checked."""

    address: WebAddress
    ips: tuple[IP, ...]
    port: int
    """Port to connect to; differs from the address's own under connect_to."""
    context: ssl.SSLContext | None
    """None: plain http."""

    @property
    def key(self) -> tuple[object, ...]:
        """Connections of equal keys serve each other, if their peer is still among `ips`."""
        return (self.address.authority, self.port, self.context and id(self.context))


class Connection:
    """One open connection. Serves one request after another, for one thread at a time."""

    def __init__(self, route: Route, sock: socket.socket, peer: IP) -> None:
        self.key, self.peer = route.key, peer
        self.idle_since = 0.0
        self._guard = GuardedSocket(sock)
        self._http = http.client.HTTPConnection(route.address.host, route.address.port)
        self._http.auto_open = 0  # a lost connection is never opened again behind our back
        self._http.sock = self._guard

    def ask(
        self, address: WebAddress, headers: Mapping[str, str], deadline: Deadline, *, max_bytes: int
    ) -> http.client.HTTPResponse:
        """Send a GET and read the head of the answer.

        Of its body at most `max_bytes` can be read then, with as much again for what chunks and
        trailers cost.
        """
        head = Phase("timeout", "header-flood", HEADER_BYTES)
        self._guard.expect(address.url, deadline, head)
        try:
            self._http.request(
                "GET", address.target, headers={"Host": address.host_header, **headers}
            )
            response = self._http.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise _answer_failure(address.url, error) from error
        body = Phase("too-slow", "too-large", 2 * max_bytes + READ_BYTES)
        self._guard.expect(address.url, deadline, body)
        return response

    @property
    def alive(self) -> bool:
        """The other side has neither closed nor said anything unasked."""
        return self._guard.silent()

    def close(self) -> None:
        self._http.close()
        self._guard.close()


def connect(route: Route, deadline: Deadline) -> Connection:
    """Open a connection to the first of the checked addresses that takes it. Raises FetchError."""
    for left, ip in zip(range(len(route.ips), 0, -1), route.ips, strict=True):
        share_s = deadline.check("connect-timeout") / left
        try:
            sock = dial(ip, route.port, min(share_s, CONNECT_S))
        except OSError as error:
            if left == 1:
                raise _connect_failure(route, error, deadline) from error
        else:
            return _secure(route, sock, ip, deadline)
    raise AssertionError("a route has at least one address")


def _secure(route: Route, sock: socket.socket, ip: IP, deadline: Deadline) -> Connection:
    """Look whom we reached, and shake hands if it is https."""
    try:
        peer = ip_address(sock.getpeername()[0])
        if peer != ip:
            problem = f"connected to {peer} instead of {ip}"
            raise failure(route.address.url, "peer-mismatch", problem)
        if route.context is not None:
            sock.settimeout(min(deadline.check("connect-timeout"), CONNECT_S))
            sock = route.context.wrap_socket(sock, server_hostname=route.address.host)
        return Connection(route, sock, peer)
    except OSError as error:
        sock.close()
        raise _connect_failure(route, error, deadline) from error
    except BaseException:
        sock.close()
        raise


def _connect_failure(route: Route, error: OSError, deadline: Deadline) -> FetchError:
    url, where = route.address.url, f"port {route.port} of {route.address.host}"
    if isinstance(error, ssl.SSLError):
        return tls_failure(url, error)
    if isinstance(error, TimeoutError):
        if deadline.left_s() <= 0:
            return deadline.failure("connect-timeout")
        return failure(url, "connect-timeout", f"{where} does not answer")
    if isinstance(error, ConnectionRefusedError):
        return failure(url, "connect-refused", f"{where} refuses connections")
    if isinstance(error, ConnectionError) or error.errno == errno.ENOTCONN:
        return failure(url, "connect-reset", f"{where} cut the connection")
    fact = error.strerror or type(error).__name__
    if error.errno in _RESOURCES:
        return failure(url, "out-of-resources", fact)
    reason = "connect-unreachable" if error.errno in _UNREACHABLE else "connect-failed"
    return failure(url, reason, f"{where}: {fact}")


def _answer_failure(url: str, error: OSError | http.client.HTTPException) -> FetchError:
    if isinstance(error, ConnectionError | ssl.SSLEOFError):  # RemoteDisconnected is one, too
        return failure(url, "connect-reset", "the connection was cut before an answer came")
    flood = type(error) is http.client.HTTPException  # what http.client says of over 100 headers
    if flood or isinstance(error, http.client.LineTooLong):
        return failure(url, "header-flood", "more headers than anybody needs")
    return failure(url, "bad-response", f"no HTTP answer ({type(error).__name__})")


class IdleConnections:
    """Open connections at rest, the newest last. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._idle: list[Connection] = []

    def take(self, route: Route) -> Connection | None:
        """One that still ends at an address the name leads to now."""
        with self._lock:
            self._drop_old()
            for kept in reversed(self._idle):
                if kept.key == route.key and kept.peer in route.ips:
                    self._idle.remove(kept)
                    if kept.alive:
                        return kept
                    kept.close()
        return None

    def put(self, connection: Connection) -> None:
        connection.idle_since = self._clock.monotonic()
        with self._lock:
            self._idle.append(connection)
            self._drop_old()

    def close_all(self) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def abandon(self) -> None:
        """After a fork: close our copies, without the lock that a lost thread may hold."""
        for connection in self._idle:
            connection.close()

    def _drop_old(self) -> None:
        oldest = self._clock.monotonic() - MAX_IDLE_S
        while self._idle and (len(self._idle) > MAX_IDLE or self._idle[0].idle_since < oldest):
            self._idle.pop(0).close()
