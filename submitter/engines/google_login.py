"""An account's access token: fetched once, shared by all its threads, never shown.

google-auth makes and signs the assertion; our own transport carries it, so that the token
endpoint is met with the same total timeout, without redirects, proxies or a line in any log.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from submitter.core.retry_after import http_date
from submitter.core.secrets import MaskedSecret
from submitter.core.urls import printable
from submitter.engines._http import (
    EngineRequest,
    EngineResponse,
    Transport,
    json_of,
    quoted,
    retry_after,
)
from submitter.engines.google_answers import ENGINE, SCOPE
from submitter.engines.google_keys import ServiceKey, token_uri_problem
from submitter.errors import EngineError, EngineUnavailable, NotAuthorized
from submitter.ports import Clock

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

MAX_SKEW_S = 60
"""A clock further off than this is named when Google refuses a login."""

_HICCUPS = frozenset({"internal_failure", "server_error", "temporarily_unavailable"})
"""Token errors that google-auth would sleep on and retry; the runner does that instead."""

_FORM_SECRETS = ("assertion", "refresh_token", "client_secret", "subject_token")

_GCLOUD_LOGIN = (
    f"gcloud auth application-default login --scopes={SCOPE},"
    "https://www.googleapis.com/auth/cloud-platform"
)

_CAUSES = (
    (
        ("short-lived", "reasonable timeframe", "iat and exp"),
        "clock-skew",
        "Set this machine's clock.",
    ),
    (
        ("invalid jwt signature", "invalid_jwt_signature", "no valid verifier"),
        "key-deleted",
        "The key was deleted, or belongs to another account: create a new one (IAM › Keys).",
    ),
    (
        ("account not found", "account_not_found", "invalid grant: account"),
        "account-missing",
        "The service account does not exist any more, or its e-mail was changed in the file.",
    ),
    (
        ("disabled",),
        "account-disabled",
        "Enable the service account in the Cloud console (IAM › Service accounts).",
    ),
    (
        ("invalid_scope", "unauthorized_client", "access_denied"),
        "scope-missing",
        f"The account may not have the scope {SCOPE}.",
    ),
    (
        ("expired or revoked", "reauth", "rapt"),
        "login-expired",
        f"Log in again: {_GCLOUD_LOGIN}",
    ),
)
"""What Google's words for a refused login mean. Source: google-auth 2.63.0 run against local
answers, https://developers.google.com/identity/protocols/oauth2/service-account, 2026-11-30."""


@dataclass(frozen=True, slots=True)
class Login:
    """What a call carries to be let in."""

    token: MaskedSecret
    quota_project: str | None = None
    """Only for a person's own login; a service account must not name one."""

    def headers(self) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self.token.reveal()}"}
        if self.quota_project:
            headers["X-Goog-User-Project"] = self.quota_project
        return headers


class LoginDesk:
    """Hands out the account's login and renews it, once for everybody.

    `load` makes the credentials at first use, because that alone imports google-auth.
    """

    def __init__(
        self,
        load: Callable[[_Carrier], Credentials],
        transport: Transport,
        clock: Clock,
        *,
        email: str = "",
    ) -> None:
        self._load, self._transport, self._clock, self._email = load, transport, clock, email
        self._lock = threading.Lock()
        self._credentials: Any = None

    @property
    def email(self) -> str:
        """Who the account is to Google; empty before the first login or when it has no e-mail."""
        found = getattr(self._credentials, "service_account_email", None)
        return self._email or str(found or "")

    def login(self, *, until: float, instead_of: Login | None = None) -> Login:
        """The current login, a fresh one if it runs out or Google has refused `instead_of`.

        Raises EngineUnavailable or NotAuthorized; nothing of the call itself has been sent then.
        """
        with self._alone(until):
            if self._is_spent(instead_of) and (error := self._renew(until)):
                raise error
            return self._current()

    @contextmanager
    def _alone(self, until: float) -> Iterator[None]:
        """One thread asks, the others wait for its token as long as their own call may last."""
        if not self._lock.acquire(timeout=max(0.0, until - self._clock.monotonic())):
            raise EngineUnavailable(ENGINE, "login: no token in the time given", sent=False)
        try:
            yield
        finally:
            self._lock.release()

    def _is_spent(self, refused: Login | None) -> bool:
        """google-auth counts a token as spent some minutes before it is (3:45 in 2.63)."""
        current = self._credentials
        if current is None or not current.valid:
            return True
        return refused is not None and bool(current.token == refused.token.reveal())

    def _current(self) -> Login:
        quota_project = getattr(self._credentials, "quota_project_id", None)
        return Login(MaskedSecret(str(self._credentials.token)), quota_project)

    def _renew(self, until: float) -> EngineError | None:
        """Fetch a token. Gives the error back, so that google-auth's own is out of its chain."""
        from google.auth.exceptions import GoogleAuthError

        carrier = _Carrier(self._transport, self._clock, until)
        try:
            if self._credentials is None:
                self._credentials = self._load(carrier)
            self._credentials.refresh(carrier)
        except (GoogleAuthError, ValueError, TypeError, KeyError, AttributeError) as error:
            return self._renewal_error(error, carrier)
        return None

    def _renewal_error(self, error: Exception, carrier: _Carrier) -> EngineError:
        from google.auth.exceptions import DefaultCredentialsError, RefreshError

        if isinstance(error, DefaultCredentialsError):
            return _no_credentials(error)
        if carrier.failure is not None:
            return carrier.failure
        if isinstance(error, RefreshError):
            return _refused_login(str(error.args[0] if error.args else ""), self._skew_s(carrier))
        if self._credentials is not None:
            problem = f"login: Google's answer is no token ({type(error).__name__})"
            return EngineUnavailable(ENGINE, problem, sent=False)
        return NotAuthorized(
            ENGINE,
            f"login: the credentials cannot be read ({type(error).__name__})",
            scope="account",
            cause="key-unreadable",
            next_step="Create a new key in the Cloud console (IAM › Service accounts › Keys).",
            sent=False,
        )

    def _skew_s(self, carrier: _Carrier) -> float:
        """How far this machine's clock is ahead of Google's; 0 when Google did not say."""
        now = self._clock.now()
        theirs = http_date(carrier.date, now=now)
        return (now - theirs).total_seconds() if theirs else 0.0


def key_loader(
    key: ServiceKey, scopes: Sequence[str] = (SCOPE,)
) -> Callable[[_Carrier], Credentials]:
    """Credentials of a service account's key."""

    def load(_carrier: _Carrier) -> Credentials:
        from google.oauth2.service_account import Credentials as ServiceAccount

        made: Credentials = ServiceAccount.from_service_account_info(  # type: ignore[no-untyped-call]  # google-auth has no types
            dict(key.info), scopes=list(scopes)
        )
        return made

    return load


def default_loader(
    scopes: Sequence[str] = (SCOPE,), *, local: bool
) -> Callable[[_Carrier], Credentials]:
    """Application default credentials: what this machine or its operator is logged in as."""

    def load(carrier: _Carrier) -> Credentials:
        import google.auth
        from google.auth.exceptions import DefaultCredentialsError
        from google.oauth2.service_account import Credentials as ServiceAccount

        credentials, _project = google.auth.default(scopes=list(scopes), request=carrier)  # type: ignore[arg-type]  # google-auth has no types
        if isinstance(credentials, ServiceAccount):
            problem = token_uri_problem(credentials._token_uri, local=local)
            if problem is not None:
                raise DefaultCredentialsError(problem)  # type: ignore[no-untyped-call]  # google-auth has no types
        return credentials

    return load


def _no_credentials(error: Exception) -> NotAuthorized:
    return NotAuthorized(
        ENGINE,
        f"login: no application default credentials{quoted(str(error))}",
        scope="account",
        cause="no-credentials",
        next_step=f"Name a key file in `credentials`, or log in: {_GCLOUD_LOGIN}",
        sent=False,
    )


def _refused_login(words: str, skew_s: float) -> NotAuthorized:
    cause, next_step = "login-refused", "Check the account and its key in the Cloud console."
    for signs, named, step in _CAUSES:
        if any(sign in words.lower() for sign in signs):
            cause, next_step = named, step
            break
    note = ""
    if abs(skew_s) > MAX_SKEW_S:
        side = "ahead of" if skew_s > 0 else "behind"
        note = f" (this machine's clock is {abs(skew_s):,.0f} s {side} Google's)"
    return NotAuthorized(
        ENGINE,
        f"login: {printable(words)}{note}",
        scope="account",
        cause=cause,
        next_step=next_step,
        code="invalid_grant" if "invalid_grant" in words else None,
        sent=False,
    )


# ---------------------------------------------------------------- google-auth's seam


@dataclass(frozen=True, slots=True)
class _Answer:
    """`google.auth.transport.Response`."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class _Carrier:
    """google-auth's `request`: one login's calls over our transport.

    A failure is kept as our own error, because google-auth only knows TransportError; a hiccup
    is one, too, or google-auth would sleep and retry by itself.
    """

    def __init__(self, transport: Transport, clock: Clock, until: float) -> None:
        self._transport, self._clock, self._until = transport, clock, until
        self.failure: EngineError | None = None
        self.date: str | None = None

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **_unused: object,
    ) -> _Answer:
        data = body.encode() if isinstance(body, str) else body
        request = EngineRequest(method, url, dict(headers or {}), data, secrets=_secrets_in(data))
        response = self._carry(request, timeout)
        if response is None:
            from google.auth.exceptions import TransportError

            raise TransportError("see the carrier's own failure")  # type: ignore[no-untyped-call]  # google-auth has no types
        return _Answer(response.status, response.headers, response.body)

    def _carry(self, request: EngineRequest, timeout: float | None) -> EngineResponse | None:
        left = self._until - self._clock.monotonic()
        try:
            response = self._transport.send(request, timeout_s=min(left, timeout or left))
        except EngineError as error:
            self.failure = EngineUnavailable(ENGINE, f"login: {error.problem}", sent=False)
            return None
        self.date = response.headers.get("date")
        self.failure = None if request.read_only else _hiccup(response, now=self._clock.now())
        return response if self.failure is None else None


def _hiccup(response: EngineResponse, *, now: datetime) -> EngineError | None:
    """The error of a token endpoint's answer that google-auth must not see. A 2xx is never
    quoted: what does not fit may be the beginning of a token."""
    words = json_of(response)
    named = str(words.get("error")) if isinstance(words, dict) else ""
    shown = f"login: {response.shown}: HTTP {response.status}"
    passing = response.status in (408, 429) or response.status >= 500 or named in _HICCUPS
    if passing or (response.ok and not isinstance(words, dict)):
        return EngineUnavailable(
            ENGINE,
            f"{shown}, not a token" if response.ok else shown + quoted(response.text),
            retry_after_s=retry_after(response, now=now),
            http_status=response.status,
            sent=False,
        )
    if isinstance(words, dict):
        return None
    return NotAuthorized(
        ENGINE,
        shown + quoted(response.text),
        scope="account",
        cause="login-refused",
        next_step="Google's token endpoint does not answer at the key's `token_uri`.",
        http_status=response.status,
        sent=False,
    )


def _secrets_in(body: bytes | None) -> tuple[str, ...]:
    """What an error page must not repeat to us."""
    fields = parse_qs((body or b"").decode("utf-8", errors="replace"))
    return tuple(value for name in _FORM_SECRETS for value in fields.get(name, ()))
