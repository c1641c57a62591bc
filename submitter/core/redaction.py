"""Takes secrets out of text, in every spelling in which they travel. Pure."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

MASK = "***"
MIN_LENGTH = 6
"""A shorter secret is not looked for: it would be found in ordinary words."""

_PRIVATE = frozenset({"private_key", "private_key_id", "client_secret", "refresh_token"})
"""Fields of a Google credential that are secret by themselves."""
_PEM_LINE = re.compile(r"[A-Za-z0-9+/=]{32,}")
_QUERY = re.compile(
    r"(?i)([?&;](?:token|key|api_?key|access_token|refresh_token|id_token|client_secret|"
    r"assertion|password|secret|sig|signature)=)[^&;#\s\"'<>\\]+"
)
_HEADER = re.compile(
    r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?(?:(?:bearer|basic|oauth)\s+)?|\bbearer\s+)"
    r"[A-Za-z0-9._~+/=-]{8,}"
)
_URL_SAFE = str.maketrans("+/", "-_")


class Redactor:
    """Knows secrets and removes them. `add` and `redact` may be called from several threads."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Look for this secret, too; of a credential in JSON or PEM, for its secret parts."""
        parts = [secret, *_parts(secret)]
        forms = {form for part in parts for form in spellings(part) if len(form) >= MIN_LENGTH}
        self._forms |= forms
        if self._forms:
            longest_first = sorted(self._forms, key=lambda form: (-len(form), form))
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def redact(self, text: str) -> str:
        """The text with a mask for every secret, and for values that addresses and headers name
        as secrets although nobody told us of them."""
        if self._pattern is not None:
            text = self._pattern.sub(MASK, text)
        return _HEADER.sub(rf"\1{MASK}", _QUERY.sub(rf"\1{MASK}", text))


def _parts(secret: str) -> Iterator[str]:
    try:
        document = json.loads(secret, strict=False)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        found = (value for key, value in document.items() if key in _PRIVATE)
        for value in found:
            if isinstance(value, str):
                yield value
                yield from _PEM_LINE.findall(value)
    elif "-----BEGIN" in secret:
        yield from _PEM_LINE.findall(secret)


def spellings(secret: str) -> Iterator[str]:
    """Raw, percent-encoded in both cases, escaped as in JSON (by PHP, too), in HTML and by repr,
    and inside base64."""
    yield secret
    yield secret.strip()
    for encoded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield encoded
        yield re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield json.dumps(secret)[1:-1].replace("/", "\\/")
    yield html.escape(secret)
    yield repr(secret)[1:-1]
    yield from _base64_forms(secret.encode(errors="surrogatepass"))


def _base64_forms(secret: bytes) -> Iterator[str]:
    """What base64 text holds of the secret, whichever of three offsets it starts at; without
    the characters at its ends that depend on what stands beside it."""
    for offset in range(3):
        end = (offset + len(secret)) * 8 // 6
        start = -(-offset * 8 // 6)
        form = base64.b64encode(bytes(offset) + secret).decode()[start:end]
        yield form
        yield form.translate(_URL_SAFE)
