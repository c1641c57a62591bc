"""From a name to the addresses a connection may go to, asked once and checked as a whole."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Final

from submitter.errors import FetchError
from submitter.sources.addresses import literal_ip
from submitter.sources.deadlines import Deadline
from submitter.sources.networks import IP, Network, why_refused
from submitter.sources.reasons import failure

Resolve = Callable[..., Sequence[tuple[object, ...]]]
"""Like `socket.getaddrinfo`: called with host, port, family and type."""

MAX_TRIED: Final = 6
"""Addresses of one name that are tried before the connection counts as failed."""

_NO_ADDRESS: Final = getattr(socket, "EAI_NODATA", socket.EAI_NONAME)
_GAI_REASONS: Final = {socket.EAI_NONAME: "dns-nxdomain"} | (
    {_NO_ADDRESS: "dns-empty"} if socket.EAI_NONAME != _NO_ADDRESS else {}
)


def checked_ips(
    url: str,
    host: str,
    port: int,
    *,
    resolve: Resolve,
    allowed: Iterable[Network],
    deadline: Deadline,
) -> tuple[IP, ...]:
    """The addresses behind the host of `url` (or where connect_to leads), all of them allowed.

    Raises FetchError: dns-*, private-address, mixed-addresses. One bad address refuses the name:
    which of them a connection took would be chance.
    """
    literal = literal_ip(host)
    ips = (literal,) if literal else _look_up(url, host, port, resolve, deadline)
    allowed = tuple(allowed)
    refused = {ip: kind for ip in ips if (kind := why_refused(ip, allowed))}
    if not refused:
        return ips[:MAX_TRIED]
    ip, kind = next(iter(refused.items()))
    mixed = len(refused) < len(ips)
    problem = f"{host} leads to {ip} ({kind})" + (" besides public addresses" if mixed else "")
    raise failure(url, "mixed-addresses" if mixed else "private-address", problem)


def _look_up(
    url: str, host: str, port: int, resolve: Resolve, deadline: Deadline
) -> tuple[IP, ...]:
    """Ask in a thread of its own, because a C library's resolver cannot be told to hurry."""
    answers: queue.SimpleQueue[Sequence[tuple[object, ...]] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(host, port, socket.AF_UNSPEC, socket.SOCK_STREAM))
        except Exception as error:  # told to the thread that waits
            answers.put(error)

    try:
        threading.Thread(target=ask, name=f"resolve {host}", daemon=True).start()
        answer = answers.get(timeout=deadline.check("dns-timeout"))
    except queue.Empty:
        raise deadline.failure("dns-timeout") from None
    except RuntimeError as error:
        raise failure(url, "out-of-resources", "no thread left to resolve the name") from error
    if isinstance(answer, Exception):
        raise _dns_failure(url, host, answer) from answer
    ips = tuple(dict.fromkeys(ip_address(str(row[4][0])) for row in answer))  # type: ignore[index]  # typed as a tuple of either family
    if not ips:
        raise failure(url, "dns-empty", f"{host} has no address")
    return ips


def _dns_failure(url: str, host: str, error: Exception) -> FetchError:
    if isinstance(error, socket.gaierror):
        reason = _GAI_REASONS.get(error.errno or 0, "dns-failure")
        return failure(url, reason, f"{host}: {error.strerror}")
    if isinstance(error, UnicodeError):
        return failure(url, "bad-url", f"{host} is not a name")
    return failure(url, "dns-failure", f"{host}: {type(error).__name__}")
