"""Formats that a person describes: nginx's `log_format`, Apache's `LogFormat`, or a regex."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from submitter.core.crawl.agents import scan
from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import BadLine, Hit, Understood
from submitter.core.crawl.quoted import size_of, status_of, target_of, unescaped
from submitter.core.crawl.ranges import asker_of
from submitter.core.crawl.times import Times
from submitter.errors import ConfigError

_NGINX: Final = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_APACHE: Final = re.compile(r"%[!,\d]*[<>]?(?:\{([^}]*)\})?([A-Za-z])|%(%)")
_APACHE_NAMES: Final = {
    "h": "address",
    "a": "address",
    "v": "host",
    "V": "host",
    "t": "time",
    "r": "request",
    "s": "status",
    "b": "size",
    "B": "size",
    "O": "size",
    "U": "path",
    "q": "query",
}
_HEADERS: Final = {"user-agent": "agent", "host": "host"}
_NAMES: Final = {
    "remote_addr": "address",
    "realip_remote_addr": "address",
    "http_x_forwarded_for": "forwarded",
    "http_x_real_ip": "address",
    "time_local": "time",
    "time_iso8601": "time",
    "msec": "time",
    "request": "request",
    "request_uri": "target",
    "uri": "path",
    "args": "query",
    "query_string": "query",
    "status": "status",
    "body_bytes_sent": "size",
    "bytes_sent": "size",
    "http_user_agent": "agent",
    "host": "host",
    "http_host": "host",
    "server_name": "host",
}
_ROLES: Final = frozenset(_NAMES.values()) | {"path", "query"}
_NEEDED: Final = (("time",), ("status",), ("request", "target", "path"))


class MaskFormat:
    """Lines as the mask says. Raises ConfigError for a mask that cannot be one."""

    name = "mask"

    def __init__(self, mask: str, times: Times) -> None:
        self._times = times
        pattern, self._roles = _pattern(mask)
        self._match = pattern.fullmatch
        for roles in _NEEDED:
            if not any(role in self._roles for role in roles):
                problem = f"{mask[:200]!r} names no {' or '.join(roles)}"
                raise ConfigError.one("--mask", problem)

    def scan(
        self,
        lines: Sequence[bytes],
        start: int,
        agents: Mapping[bytes, Bot | None],
        found: list[Understood],
    ) -> int:
        return scan(self, lines, start, agents, found)

    def agent_of(self, line: bytes) -> bytes | None:
        found = self._match(line)
        return self._value(found, "agent") if found else None

    def looks(self, line: bytes) -> bool:
        return self._match(line) is not None

    def hit_of(self, line: bytes) -> Hit:
        found = self._match(line)
        if found is None:
            raise BadLine("not-the-mask")
        peer, forwarded = self._value(found, "address"), self._value(found, "forwarded")
        return Hit(
            self._value(found, "host"),
            asker_of(peer, forwarded) if forwarded else peer,
            self._times.read(self._value(found, "time").strip(b"[]")),
            self._target(found),
            status_of(self._value(found, "status")),
            size_of(self._value(found, "size")),
            unescaped(self._value(found, "agent")),
        )

    def _value(self, found: re.Match[bytes], role: str) -> bytes:
        text = found[self._roles[role]] if role in self._roles else None
        return b"" if text is None or text == b"-" else text

    def _target(self, found: re.Match[bytes]) -> bytes:
        if request := self._value(found, "request"):
            return target_of(unescaped(request))
        target = unescaped(self._value(found, "target") or self._value(found, "path"))
        query = unescaped(self._value(found, "query")).removeprefix(b"?")
        if not target.startswith((b"/", b"http://", b"https://")):
            raise BadLine("bad-request")
        return target + b"?" + query if query and b"?" not in target else target


def _pattern(mask: str) -> tuple[re.Pattern[bytes], dict[str, str]]:
    """The mask as a regex, and the group of each role."""
    if "(?P<" in mask:
        return _regex(mask)
    if _NGINX.search(mask):
        return _joined(mask, _NGINX)
    if _APACHE.search(mask):
        return _joined(mask, _APACHE)
    problem = f"{mask[:200]!r} holds neither $variables, nor %directives, nor (?P<named>groups)"
    raise ConfigError.one("--mask", problem)


def _regex(mask: str) -> tuple[re.Pattern[bytes], dict[str, str]]:
    try:
        made = re.compile(mask.encode())
    except re.error as error:
        raise ConfigError.one("--mask", f"{mask[:200]!r} is no regex: {error}") from error
    roles: dict[str, str] = {}
    for name in made.groupindex:
        role = name if name in _ROLES else _NAMES.get(name, "")
        if role:
            roles.setdefault(role, name)
    return made, roles


def _joined(mask: str, variable: re.Pattern[str]) -> tuple[re.Pattern[bytes], dict[str, str]]:
    """Text between variables stands for itself; a variable ends where the next text begins."""
    roles: dict[str, str] = {}
    made, at = "", 0
    found = list(variable.finditer(mask))
    for number, one in enumerate(found):
        made += re.escape(mask[at : one.start()])
        at = one.end()
        following = mask[at:]
        if number + 1 < len(found) and found[number + 1].start() == at:
            raise ConfigError.one("--mask", f"nothing parts {one[0]!r} from the next variable")
        role, value = _role_of(one), _value_pattern(one, following)
        if role and role not in roles:
            roles[role] = f"f{number}"
            made += f"(?P<f{number}>{value})"
        else:
            made += f"(?:{value})"
    return re.compile((made + re.escape(mask[at:])).encode()), roles


def _value_pattern(variable: re.Match[str], following: str) -> str:
    if variable[0] == "%t":
        return r"\[[^\]]*+\]"
    if variable[0] == "%%":
        return "%"
    if not following:
        return ".*+"
    if following[0] == '"':
        return r'(?:[^"\\]++|\\.)*+'
    return f"[^{re.escape(following[0])}]*+"


def _role_of(variable: re.Match[str]) -> str | None:
    if variable.re is _NGINX:
        return _NAMES.get(variable[1] or variable[2])
    argument, letter = variable[1], variable[2]
    if letter == "i":
        return _HEADERS.get((argument or "").lower())
    return _APACHE_NAMES.get(letter or "")
