"""Posts alerts to an address of the operator's. No engine, but the same wire: one deadline for the
whole call, no redirect, no proxy, no cookie.

Such addresses often are their own password (Slack's, for example), so no message shows more of
one than its host.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from submitter.engines._http import EngineRequest, Transport, is_loopback, quoted
from submitter.errors import ConfigError, EngineError, Undelivered

TIMEOUT_S = 15.0
MAX_ANSWER_BYTES = 65_536


class PostedWebhook:
    """Implements `ports.Webhook`."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        host = parts.hostname or ""
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
            raise ConfigError.one("webhook", "should be an https address (value not shown)")
        if not host or parts.username or not address.isascii() or not address.isprintable():
            raise ConfigError.one("webhook", "is no address that can be called (value not shown)")
        self._address, self._host = address, host
        self._transport = Transport("webhook")

    def post(self, document: Mapping[str, object]) -> None:
        request = EngineRequest(
            "POST",
            self._address,
            {"Content-Type": "application/json", "Connection": "close"},
            json.dumps(document).encode(),
            secrets=(self._address, urlsplit(self._address).path),
            max_answer_bytes=MAX_ANSWER_BYTES,
        )
        try:
            answer = self._transport.send(request, timeout_s=TIMEOUT_S)
        except EngineError as error:
            problem = error.problem.replace(request.shown, "").strip(": ")
        else:
            if answer.ok:
                return
            problem = f"HTTP {answer.status}{quoted(answer.text)}"
            if 300 <= answer.status < 400:
                problem = f"HTTP {answer.status}: redirects are not followed"
        raise Undelivered(f"webhook at {self._host}", problem)
