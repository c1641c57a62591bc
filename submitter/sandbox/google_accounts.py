"""Service accounts and the token endpoint that checks what they signed."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from submitter.sandbox import google_errors
from submitter.sandbox.wire import Answer, json_answer

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

AUDIENCE = "https://oauth2.googleapis.com/token"
"""What google-auth writes into `aud` whatever the key file's `token_uri` is.
Source: google-auth 2.63.0 `google/oauth2/service_account.py`, read 2026-11-30."""

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_LIFE_S = 3600
MAX_ASSERTION_LIFE_S = 3600
CLOCK_TOLERANCE_S = 300
"""How far a client's clock may be off. Our choice; Google states none."""

SCOPE_WRITE = "https://www.googleapis.com/auth/webmasters"
SCOPE_READ = "https://www.googleapis.com/auth/webmasters.readonly"
KNOWN_SCOPE_PREFIX = "https://www.googleapis.com/auth/"


class Role(StrEnum):
    """Google's own words. Source: https://developers.google.com/webmaster-tools/v1/sites."""

    OWNER = "siteOwner"
    FULL = "siteFullUser"
    RESTRICTED = "siteRestrictedUser"
    UNVERIFIED = "siteUnverifiedUser"


@dataclass(slots=True)
class GoogleAccount:
    """One service account: who it is, what it may do, and its key."""

    email: str
    project: str = "sandbox-project"
    project_number: str = "100000000001"
    properties: dict[str, Role] = field(default_factory=dict)
    """What `sites.list` shows."""
    verified: set[str] = field(default_factory=set)
    """Properties proven outside: `sites.add` makes the account their owner."""
    enabled: bool = True
    api_enabled: bool = True
    verification_enabled: bool = True
    """The Site Verification API is on in its project."""
    key_id: str = field(default_factory=lambda: secrets.token_hex(20))
    _key: RSAPrivateKey | None = field(default=None, repr=False)

    def private_key(self) -> RSAPrivateKey:
        """Made when it is first needed: a key takes a tenth of a second and a heavy import."""
        if self._key is None:
            from cryptography.hazmat.primitives.asymmetric import rsa

            self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        return self._key

    def rotate_key(self) -> None:
        """Delete the key in use: assertions signed with it are no longer believed."""
        self._key, self.key_id = None, secrets.token_hex(20)

    def key_file(self, token_uri: str) -> dict[str, str]:
        """The JSON that Google hands out for a service account."""
        from cryptography.hazmat.primitives import serialization

        pem = self.private_key().private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return {
            "type": "service_account",
            "project_id": self.project,
            "private_key_id": self.key_id,
            "private_key": pem.decode(),
            "client_email": self.email,
            "client_id": self.project_number,
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_uri,
            "universe_domain": "googleapis.com",
        }

    def signed(self, message: bytes, signature: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding

        try:
            self.private_key().public_key().verify(
                signature, message, padding.PKCS1v15(), hashes.SHA256()
            )
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Token:
    account: GoogleAccount
    scopes: frozenset[str]
    dies_at: float
    """On the sandbox's monotonic clock."""


class _Rejected(Exception):
    def __init__(self, code: str, description: str) -> None:
        self.code, self.description = code, description
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class _Assertion:
    """A JSON Web Token taken apart; nothing in it is believed yet."""

    header: Mapping[str, object]
    claims: Mapping[str, object]
    message: bytes
    signature: bytes


class TokenDesk:
    """Trades signed assertions for access tokens."""

    def __init__(self, accounts: Mapping[str, GoogleAccount]) -> None:
        self._accounts = accounts
        self._tokens: dict[str, Token] = {}
        self.skew_s = 0.0
        """How far the client's clock seems to be behind, to play a wrong clock."""

    def trade(
        self, form: Mapping[str, str], *, audiences: frozenset[str], now: datetime, monotonic: float
    ) -> tuple[Answer, str]:
        """The answer, and the error's code or nothing. `now` is the time outside the sandbox."""
        try:
            account, scopes = self._believe(form, audiences, now.timestamp() + self.skew_s)
        except _Rejected as rejected:
            answer = google_errors.token_error(rejected.code, rejected.description)
            return answer, rejected.code
        value = f"ya29.c.{secrets.token_urlsafe(48)}"
        self._tokens[value] = Token(account, scopes, monotonic + TOKEN_LIFE_S)
        life = {"expires_in": TOKEN_LIFE_S - 1, "token_type": "Bearer"}
        return json_answer(200, {"access_token": value, **life}), ""

    def issuer(self, form: Mapping[str, str]) -> str:
        """Who the assertion says it is from, for the book."""
        try:
            return str(_take_apart(form.get("assertion", "")).claims.get("iss", ""))
        except _Rejected:
            return ""

    def token(self, authorization: str) -> Token | None:
        """The token of a header as it was issued, alive or not."""
        scheme, _, value = authorization.partition(" ")
        return self._tokens.get(value.strip()) if scheme.lower() == "bearer" else None

    def forget(self) -> None:
        """Let every token die now."""
        self._tokens.clear()

    def _believe(
        self, form: Mapping[str, str], audiences: frozenset[str], now: float
    ) -> tuple[GoogleAccount, frozenset[str]]:
        grant = form.get("grant_type", "")
        if grant != JWT_BEARER:
            raise _Rejected("unsupported_grant_type", f"Invalid grant_type: {grant}")
        assertion = _take_apart(form.get("assertion", ""))
        account = self._accounts.get(str(assertion.claims.get("iss")))
        if account is None or not account.enabled:
            raise _Rejected("invalid_grant", "Invalid grant: account not found")
        _check_signature(assertion, account)
        _check_audience(assertion, audiences)
        _check_times(assertion, now)
        return account, _scopes(assertion)


def _take_apart(text: str) -> _Assertion:
    try:
        message, signature = text.rsplit(".", 1)
        header, claims = (json.loads(_unpacked(part)) for part in message.split("."))
        if not isinstance(header, dict) or not isinstance(claims, dict):
            raise TypeError("a JWT is made of objects")
        return _Assertion(header, claims, message.encode(), _unpacked(signature))
    except (ValueError, TypeError, binascii.Error) as error:
        problem = "The assertion is not in JWT format."
        raise _Rejected("invalid_grant", f"Bad Request: {problem}") from error


def _unpacked(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _check_signature(assertion: _Assertion, account: GoogleAccount) -> None:
    known_key = assertion.header.get("kid") in (None, account.key_id)
    right_kind = assertion.header.get("alg") == "RS256"
    if not (known_key and right_kind and account.signed(assertion.message, assertion.signature)):
        raise _Rejected("invalid_grant", "Invalid JWT Signature.")


def _check_audience(assertion: _Assertion, audiences: frozenset[str]) -> None:
    if assertion.claims.get("aud") not in audiences:
        raise _Rejected(
            "invalid_grant",
            f"Invalid JWT: Failed audience check. The right audience is {AUDIENCE}",
        )


def _check_times(assertion: _Assertion, now: float) -> None:
    issued, expires = assertion.claims.get("iat"), assertion.claims.get("exp")
    good = (
        isinstance(issued, int)
        and isinstance(expires, int)
        and issued - CLOCK_TOLERANCE_S <= now <= expires + CLOCK_TOLERANCE_S
        and 0 < expires - issued <= MAX_ASSERTION_LIFE_S
    )
    if not good:
        raise _Rejected(
            "invalid_grant",
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
            "timeframe. Check your iat and exp values in the JWT claim.",
        )


def _scopes(assertion: _Assertion) -> frozenset[str]:
    scopes = frozenset(str(assertion.claims.get("scope", "")).split())
    if not scopes or not all(scope.startswith(KNOWN_SCOPE_PREFIX) for scope in scopes):
        raise _Rejected("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
    return scopes
