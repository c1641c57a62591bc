"""A service account's key: from the text an operator pasted somewhere to what google-auth takes.

Keys travel through variables, shells and secret stores, and arrive quoted, escaped, in base64 or
with other line ends; what can be put right without doubt is. No problem text holds any of it.
Pure. The functions that have the key in a variable never raise: a traceback would show it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from submitter.engines._http import is_loopback
from submitter.ports import Secret

_REQUIRED = ("client_email", "private_key", "token_uri")
"""Source: google/oauth2/service_account.py of google-auth 2.63.0, read 2026-11-30."""

_TOKEN_HOSTS = ("googleapis.com", "google.com")
_PEM = re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----(.*?)-----END \1-----", re.DOTALL)

_OTHER_KINDS = {
    "authorized_user": "a person's login, not a service account's key; use `credentials: adc`",
    "external_account": "a workload identity, not a service account's key; use `credentials: adc`",
    "impersonated_service_account": "an impersonation, not a key; use `credentials: adc`",
}


@dataclass(frozen=True, slots=True)
class ServiceKey:
    """A key that is whole. `info` is what google-auth reads."""

    email: str
    token_uri: str
    info: Mapping[str, str] = field(repr=False)


def read_key(secret: Secret, *, local: bool) -> ServiceKey | str:
    """The key, or what is wrong with it. `local`: the token may come from this machine, too."""
    info = _document(secret.reveal())
    if isinstance(info, str):
        return info
    pem = _mended_pem(info.get("private_key", ""))
    problem = _problem(info, pem, local=local)
    if problem is not None or pem is None:
        return problem or "private_key: not a PEM block"
    key = {**info, "private_key": pem}
    return ServiceKey(info["client_email"], info["token_uri"], key)


def _document(text: str) -> dict[str, str] | str:
    """The JSON object's text fields, or what is wrong."""
    text = _unwrapped(text)
    if not text:
        return "empty"
    if text.startswith("-----BEGIN"):
        return "only the private key; the whole JSON file is needed"
    try:
        value = json.loads(text, strict=False)  # a pasted key may hold real line ends
    except (ValueError, RecursionError):
        return "not JSON; the service account's whole key file is needed"
    if not isinstance(value, dict):
        return "not a JSON object; the service account's whole key file is needed"
    if {"installed", "web"} & value.keys():
        return "an OAuth client, not a service account's key"
    return {key: item.strip() for key, item in value.items() if isinstance(item, str)}


def _unwrapped(text: str) -> str:
    """Take off what variables and shells put around a JSON document: at most three layers."""
    for _ in range(3):
        text = text.strip("\ufeff \t\r\n\0")
        if text.startswith('{\\"'):
            text = f'"{text}"'
        if text[:1] in ("", "{", "["):
            break
        text = _one_layer_off(text)
    return text


def _one_layer_off(text: str) -> str:
    if text[0] == text[-1] == "'":
        return text[1:-1]
    if text[0] == text[-1] == '"':
        try:
            return str(json.loads(text, strict=False))
        except ValueError:
            return text[1:-1]
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8-sig")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return text


def _mended_pem(text: str) -> str | None:
    """The PEM block with its lines as they should be, however they came; None when it is none."""
    found = _PEM.search(text.replace("\\r", "").replace("\\n", "\n"))
    if found is None:
        return None
    label, body = found[1], "".join(found[2].split())
    try:
        base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return None
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


def _problem(info: Mapping[str, str], pem: str | None, *, local: bool) -> str | None:
    kind = info.get("type", "service_account")
    if kind != "service_account":
        return _OTHER_KINDS.get(kind, "type: must be 'service_account'")
    missing = [name for name in _REQUIRED if not info.get(name)]
    if missing:
        return f"{', '.join(missing)}: missing"
    if "@" not in info["client_email"]:
        return "client_email: not an e-mail address"
    if pem is None:
        return "private_key: not a PEM block; was it cut, or its text changed?"
    if "ENCRYPTED" in pem.partition("\n")[0]:
        return "private_key: encrypted; Google's key files are not"
    return token_uri_problem(info["token_uri"], local=local)


def token_uri_problem(uri: str, *, local: bool) -> str | None:
    """A key file names where its signed assertion is sent; a hostile one would name its author."""
    parts = urlsplit(uri)
    host = (parts.hostname or "").lower()
    if local and is_loopback(host):
        return None
    google = any(host == each or host.endswith(f".{each}") for each in _TOKEN_HOSTS)
    if parts.scheme == "https" and google:
        return None
    return f"token_uri: host {host[:100]!r} is not Google's (or not https)"
