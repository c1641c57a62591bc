"""Where an object is: `s3://BUCKET/KEY`, `gs://BUCKET/KEY`, and who else may serve it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

SCHEMES = ("s3://", "gs://")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]", re.ASCII).fullmatch
"""Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html and
https://cloud.google.com/storage/docs/buckets#naming, read 2026-11-30."""
_KEY = re.compile(r"[A-Za-z0-9!_.*'()/-]{1,900}", re.ASCII).fullmatch
OPTIONS = frozenset({"endpoint", "region", "trust_endpoint"})


@dataclass(frozen=True, slots=True)
class ObjectAddress:
    """`endpoint` serves the bucket in the cloud's place: a local stand-in, or a compatible store.

    It gets our signature or token, so it is on this machine, or named with `trust_endpoint=true`.
    """

    scheme: str
    bucket: str
    key: str
    endpoint: str | None = None
    region: str | None = None

    @classmethod
    def parse(cls, text: str) -> ObjectAddress:
        """Raises ValueError."""
        if not text.startswith(SCHEMES) or not text.isprintable():
            raise ValueError("an object is s3://BUCKET/KEY or gs://BUCKET/KEY")
        parts = urlsplit(text)
        key = parts.path.removeprefix("/")
        if not _BUCKET(parts.netloc):
            raise ValueError(f"{parts.netloc[:100]!r} is no name of a bucket")
        if parts.fragment or not _KEY(key) or key.endswith("/"):
            raise ValueError(f"{key[:100]!r} is no key; use letters, digits and ! _ . * ' ( ) / -")
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        if unknown := options.keys() - OPTIONS:
            raise ValueError(f"no such option of an object: {min(unknown)[:40]!r}")
        endpoint = _endpoint(options)
        return cls(parts.scheme, parts.netloc, key, endpoint, options.get("region"))

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}/{self.key}"


def _endpoint(options: dict[str, str]) -> str | None:
    text = options.get("endpoint")
    if text is None:
        return None
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("an endpoint is an address like http://127.0.0.1:9000")
    if not is_loopback(parts.hostname) and options.get("trust_endpoint") != "true":
        where = parts.hostname[:100]
        raise ValueError(f"{where!r} would receive our signature; add trust_endpoint=true for it")
    return text.rstrip("/")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
