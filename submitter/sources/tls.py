"""Whom we trust, and what a failed handshake means. Verification is never off."""

from __future__ import annotations

import ssl
import threading
from typing import Final

import certifi

from submitter.errors import ConfigError, FetchError
from submitter.sources.reasons import failure

_CERTIFICATE_REASONS: Final = {
    9: "tls-not-yet-valid",
    10: "tls-expired",
    18: "tls-unknown-ca",
    19: "tls-unknown-ca",
    20: "tls-unknown-ca",
    21: "tls-unknown-ca",
    62: "tls-wrong-host",
    64: "tls-wrong-host",
}
"""Source: https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error, as known on 2026-11-30."""
_VERSION_FACTS: Final = frozenset(
    {"UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION", "NO_PROTOCOLS_AVAILABLE"}
)


class Trust:
    """One TLS context for each `ca_file`: the well-known CAs, and those of the file. Thread-safe.

    The CAs come with the program, so that no environment variable decides whom we trust.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._contexts: dict[str | None, ssl.SSLContext] = {}

    def context(self, ca_file: str | None) -> ssl.SSLContext:
        """Raises ConfigError when the file holds no certificates."""
        with self._lock:
            if ca_file not in self._contexts:
                self._contexts[ca_file] = _make_context(ca_file)
            return self._contexts[ca_file]


def _make_context(ca_file: str | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.load_verify_locations(certifi.where())
    if ca_file is not None:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError.one(ca_file, f"no certificates to be read: {error}") from error
    return context


def tls_failure(url: str, error: ssl.SSLError) -> FetchError:
    """The certificate's or the handshake's own fact."""
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = _CERTIFICATE_REASONS.get(error.verify_code, "tls-bad-certificate")
        return failure(url, reason, f"certificate: {error.verify_message}")
    if isinstance(error, ssl.SSLEOFError):
        return failure(url, "connect-reset", "the connection was cut in the TLS handshake")
    fact = error.reason or type(error).__name__
    reason = "tls-old-version" if fact in _VERSION_FACTS else "tls-failure"
    return failure(url, reason, f"TLS: {fact.replace('_', ' ').lower()}")
