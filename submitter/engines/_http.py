"""What all engines share about HTTP: request, answer, transport, and what a bare status means.

An engine is two pure functions, `_request(settings, call) -> EngineRequest` and
`_receipt(response, call) -> Receipt` (or an `EngineError`), around one line of I/O:
`Transport.send`. Nothing here imports an HTTP library before the first call is made.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import ip_address
from time import monotonic
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from submitter.core.fleet import Account
from submitter.core.redaction import spellings
from submitter.core.retry_after import retry_after_seconds
from submitter.core.urls import printable
from submitter.engines._logs import keep_queries_out_of_logs
from submitter.errors import (
    ConfigError,
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    OutcomeUnknown,
    Refused,
    TooFast,
)

if TYPE_CHECKING:
    from submitter.engines._wire import Wire

MAX_ANSWER_BYTES = 1_048_576
"""An engine's answer to a write is a few hundred bytes; more than this is not read."""
MAX_IDLE_S = 30.0
"""A connection that was idle for longer may be dead without a sign; a write into it would be lost.
Our own choice."""


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One call, ready to be sent byte for byte: the address is not encoded again.

    Address, headers and body may hold a secret, so `repr` shows none of them. `secrets` are
    masked in whatever comes back.
    """

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    max_answer_bytes: int = MAX_ANSWER_BYTES
    harmless: bool = False
    """A call other than GET that changes nothing, or nothing more when it is made twice."""

    @property
    def shown(self) -> str:
        """Method, host and path: all that a message may say about a call."""
        parts = urlsplit(self.url)
        path = re.split("%3F", parts.path, maxsplit=1, flags=re.IGNORECASE)[0]
        return f"{self.method} {parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"

    @property
    def read_only(self) -> bool:
        return self.method == "GET" or self.harmless


@dataclass(frozen=True, slots=True)
class EngineResponse:
    """An answer read whole. Header names are lower case; `shown` names the call it answers."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    shown: str = ""
    read_only: bool = False

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.body.decode("utf-8-sig", errors="replace")


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer. `sent` tells whether bytes of the call may have reached the engine."""

    sent: bool
    why: str


class Transport:
    """Carries the calls of one account. Its connections are open for the next call, of whichever
    thread; each serves one at a time.

    No proxies, credentials or certificates from the environment, no redirects, no cookies, no
    retries; a call takes `timeout_s` in total, however slowly the answer drips in.
    """

    def __init__(self, engine: str, *, max_idle_s: float = MAX_IDLE_S) -> None:
        keep_queries_out_of_logs()
        self._engine, self._max_idle_s = engine, max_idle_s
        self._idle: dict[str, deque[tuple[Wire, float]]] = {}
        """By host, those that were used last at the end, with when that was."""

    def send(self, request: EngineRequest, *, timeout_s: float) -> EngineResponse:
        """Make the call. Raises EngineUnavailable when nothing left or nothing was asked for but
        a reading, OutcomeUnknown when a write left and no whole answer came back."""
        with self._wire(urlsplit(request.url).netloc) as wire:
            answer = wire.carry(request, timeout_s=timeout_s)
        if isinstance(answer, Lost):
            raise _no_answer(self._engine, request, answer)
        return answer

    @contextmanager
    def _wire(self, host: str) -> Iterator[Wire]:
        idle = self._idle.setdefault(host, deque())
        self._drop_stale(idle)
        wire = _last(idle) or _new_wire()
        yield wire
        idle.append((wire, monotonic()))

    def _drop_stale(self, idle: deque[tuple[Wire, float]]) -> None:
        with suppress(IndexError):  # another thread may take the last one
            while monotonic() - idle[0][1] >= self._max_idle_s:
                wire, _ = idle.popleft()
                wire.close()


def _last(idle: deque[tuple[Wire, float]]) -> Wire | None:
    with suppress(IndexError):
        return idle.pop()[0]
    return None


def _new_wire() -> Wire:
    from submitter.engines._wire import Wire

    return Wire()


def _no_answer(engine: str, request: EngineRequest, lost: Lost) -> EngineError:
    problem = f"{request.shown}: {lost.why}"
    if lost.sent and not request.read_only:
        return OutcomeUnknown(engine, problem)
    return EngineUnavailable(engine, problem, sent=lost.sent)


def error_of_status(engine: str, response: EngineResponse, *, now: datetime) -> EngineError:
    """What a status means when the body holds no words of the engine's own."""
    status = response.status
    problem = f"{response.shown}: HTTP {status}{quoted(response.text)}"
    if status in (408, 425, 429, 503):
        wait = retry_after(response, now=now)
        kind = TooFast if status == 429 else EngineUnavailable
        return kind(engine, problem, retry_after_s=wait, http_status=status)
    if status in (413, 414, 431):
        return Refused(engine, problem, http_status=status)
    if 300 <= status < 500:
        scope, cause, next_step = _closing(status)
        return NotAuthorized(
            engine, problem, scope=scope, cause=cause, next_step=next_step, http_status=status
        )
    return unreadable(engine, response, problem)


def _closing(status: int) -> tuple[Literal["account", "property"], str, str]:
    """Scope, cause and next step of a status that only a person can change."""
    if status < 400:
        return (
            "account",
            "endpoint-redirects",
            "A redirect is never followed with credentials: correct the account's `endpoint`.",
        )
    if status in (404, 405, 410):
        return (
            "account",
            "endpoint-gone",
            "Nothing answers at this address: correct or remove the account's `endpoint`.",
        )
    if status in (401, 403, 407):
        return ("account", "credential-refused", "Check the account's secret at the engine.")
    return ("property", "unexpected-answer", "Not an answer that the engine documents.")


def unreadable(engine: str, response: EngineResponse, problem: str) -> EngineError:
    """The call may have been carried out, but the answer does not say so."""
    if response.read_only:
        return EngineUnavailable(engine, problem, http_status=response.status)
    return OutcomeUnknown(engine, problem, http_status=response.status)


def retry_after(response: EngineResponse, *, now: datetime) -> float | None:
    """Seconds that the answer asks us to wait."""
    return retry_after_seconds(
        response.headers.get("retry-after"), now=now, date=response.headers.get("date")
    )


def json_of(response: EngineResponse) -> object:
    """The body as JSON, None when it is none (`null`, too, says nothing)."""
    try:
        value: object = json.loads(response.text)
    except (ValueError, RecursionError):
        return None
    return value


def quoted(text: str) -> str:
    """An engine's words for the end of a message: one line, cut, printable; empty for none."""
    line = printable(" ".join(text.split()))
    return f': "{line}"' if line else ""


def masked(body: bytes, secrets: tuple[str, ...]) -> bytes:
    """The answer without our own secrets, which error pages like to repeat."""
    forms = {
        form
        for secret in filter(None, secrets)
        for form in spellings(secret)
        if len(form) >= len(secret)  # what is shorter may stand in any word
    }
    for form in sorted(forms, key=len, reverse=True):
        body = body.replace(form.encode(errors="surrogatepass"), b"***")
    return body


def base_url(account: Account, documented: str) -> str:
    """The address that the engine's documented paths follow, without a slash at the end."""
    if account.endpoint is None:
        return documented
    where = f"accounts.{account.name}.endpoint"
    parts = urlsplit(account.endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError.one(where, f"not a base address: {parts.scheme}://{parts.hostname}")
    if parts.username or parts.query or parts.fragment:
        raise ConfigError.one(where, "only scheme://host:port and a path may stand here")
    if not (is_loopback(parts.hostname) or account.trust_endpoint):
        raise ConfigError.one(
            where, f"host {parts.hostname!r} would receive the secret; add `trust_endpoint: true`"
        )
    return account.endpoint.rstrip("/")


def is_loopback(host: str) -> bool:
    """True for this machine's own addresses (the sandbox, tests)."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
