"""Lines that are JSON objects: nginx as people write it, Caddy, Cloudflare, Google's balancer.

Sources of the names: https://caddyserver.com/docs/caddyfile/directives/log,
https://developers.cloudflare.com/logs/reference/log-fields/zone/http_requests/,
https://cloud.google.com/load-balancing/docs/https/https-logging-monitoring (all as generally
known, not read anew). nginx has no JSON format of its own: its variables under their usual names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from submitter.core.crawl.agents import scan
from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import BadLine, Hit, Understood
from submitter.core.crawl.quoted import size_of, status_of, target_of
from submitter.core.crawl.ranges import asker_of
from submitter.core.crawl.times import Times

Object = Mapping[str, Any]

_AGENT: Final = (
    "http_user_agent",
    "user_agent",
    "userAgent",
    "useragent",
    "ClientRequestUserAgent",
    "request_User-Agent",
    "User-Agent",
    "user-agent",
    "agent",
    "ua",
)
_ADDRESS: Final = (
    "remote_addr",
    "client_ip",
    "clientip",
    "remote_ip",
    "remoteIp",
    "ClientIP",
    "ClientHost",
    "client",
    "ip",
    "remote",
)
_FORWARDED: Final = (
    "http_x_forwarded_for",
    "x_forwarded_for",
    "X-Forwarded-For",
    "xff",
)
_HOST: Final = (
    "host",
    "http_host",
    "ClientRequestHost",
    "RequestHost",
    "server_name",
    "vhost",
    "domain",
)
_TIME: Final = (
    "time_iso8601",
    "time_local",
    "@timestamp",
    "timestamp",
    "ts",
    "time",
    "msec",
    "EdgeStartTimestamp",
    "EdgeEndTimestamp",
    "StartUTC",
    "date",
)
_TARGET: Final = (
    "request_uri",
    "ClientRequestURI",
    "RequestPath",
    "uri",
    "requestUrl",
    "path",
    "url",
)
_STATUS: Final = ("status", "EdgeResponseStatus", "DownstreamStatus", "status_code", "code")
_SIZE: Final = (
    "body_bytes_sent",
    "EdgeResponseBytes",
    "DownstreamContentSize",
    "responseSize",
    "bytes_sent",
    "bytes",
    "size",
)

_NAMES: Final = b"|".join(re.escape(name.encode()) for name in _AGENT)
_find_agent: Final = re.compile(
    b'"(?:' + _NAMES + rb')"[ \t]*+:[ \t]*+\[?[ \t]*+"((?:[^"\\]++|\\.)*+)"'
).search
_PIECE: Final = re.compile(rb'[\[\]{}],?|"[^"]*"\s*:\s*\S.*').fullmatch


class JsonFormat:
    """One object a line."""

    name = "json"

    def __init__(self, times: Times) -> None:
        self._times = times

    def scan(
        self,
        lines: Sequence[bytes],
        start: int,
        agents: Mapping[bytes, Bot | None],
        found: list[Understood],
    ) -> int:
        return scan(self, lines, start, agents, found)

    def agent_of(self, line: bytes) -> bytes | None:
        if line[:1] != b"{" or line[-1:] != b"}":
            return None
        found = _find_agent(line)
        return found[1] if found else None

    def looks(self, line: bytes) -> bool:
        return line.lstrip().startswith(b"{") or _PIECE(line.strip()) is not None

    def hit_of(self, line: bytes) -> Hit:
        if _PIECE(line.strip()):
            raise BadLine("json-over-lines")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise BadLine("bad-json") from None
        if not isinstance(found, dict):
            raise BadLine("json-fields")
        return self._hit(found)

    def _hit(self, found: Object) -> Hit:
        inner = _inner(found)
        size = _first(inner, _SIZE) or _first(found, _SIZE)
        return Hit(
            _text(_first(inner, _HOST)),
            _address(inner),
            self._times.read(_needed(_first(found, _TIME))),
            _target(inner),
            status_of(_needed(_first(inner, _STATUS) or _first(found, _STATUS))),
            size_of(_text(size)),
            _text(_first(inner, _AGENT)),
        )


def _inner(found: Object) -> Object:
    """Where a nested record keeps its request, headers included."""
    if isinstance(request := found.get("httpRequest"), dict):
        return request
    if isinstance(request := found.get("request"), dict):
        headers = request.get("headers")
        return {**request, **headers} if isinstance(headers, dict) else request
    return found


def _address(record: Object) -> bytes:
    """Whoever asked."""
    peer, forwarded = _text(_first(record, _ADDRESS)), _text(_first(record, _FORWARDED))
    return asker_of(peer, forwarded) if forwarded else peer


def _target(record: Object) -> bytes:
    """The target alone, or out of a whole request line; with its query where that stands apart."""
    target = _text(_first(record, _TARGET))
    if not target:
        return target_of(_needed(record.get("request")))
    query = _text(_first(record, ("args", "query_string", "ClientRequestQuery")))
    if query and b"?" not in target:
        target += b"?" + query.removeprefix(b"?")
    if not target.startswith((b"/", b"http://", b"https://")):
        raise BadLine("bad-request")
    return target


def _first(record: Object, names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "", "-")), None)


def _text(value: Any) -> bytes:
    """Numbers as they are written, the first of a list; empty for anything else."""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, float):
        return f"{value:.6f}".encode()
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value).encode("utf-8", "replace")
    return b""


def _needed(value: Any) -> bytes:
    text = _text(value)
    if not text:
        raise BadLine("json-fields")
    return text
