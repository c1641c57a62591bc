"""Lines with quoted fields: common and combined format, with or without a virtual host.

`host? address ident user [time] "request" status size ("referer" "agent" more…)?`. Fields are
quoted as Apache does (`\\"`, `\\\\`, `\\xHH`) or as nginx does (`\\xHH` only). Everything here is
linear in the length of a line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import BadLine, Hit, Understood
from submitter.core.crawl.ranges import address_of, asker_of, client_of
from submitter.core.crawl.times import Times

MOST_PLACES: Final = 5_000
_made: Final = tuple.__new__
"""Makes a `Hit` in half the time of its own constructor."""
_Minute: TypeAlias = tuple[bytes, int]
"""How the heads of its lines go on after the second, ` -0700] `, and its start."""
_NO_MINUTE: Final = (b"", 0)
_IS_MINUTE: Final = re.compile(rb"\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:").fullmatch
_SECONDS: Final = {b"%02d" % second: second for second in range(60)}
_AFTER_REQUEST: Final = {b" %d " % status: status for status in range(100, 1_000)}

_TOKEN: Final = re.compile(
    rb'[ \t]*+(?:"((?:[^"\\]++|\\.)*+)"|\[([^\]]*+)\]|([^\s"\[][^\s]*+))(?=[ \t]|$)'
).match
_IS_ADDRESS: Final = re.compile(
    rb"(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+(?:%\w+)?"
).fullmatch
_IS_HOST: Final = re.compile(
    rb"(?=[^.]*\.|localhost)[A-Za-z0-9._-]*[A-Za-z][A-Za-z0-9._-]*(?::\d+)?"
).fullmatch
_ESCAPE: Final = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_CONTROL: Final = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"v": b"\v", b"f": b"\f"}


def unescaped(field: bytes) -> bytes:
    """A quoted field as it was before the server wrote it."""
    return _ESCAPE.sub(_plain, field) if b"\\" in field else field


def _plain(found: re.Match[bytes]) -> bytes:
    if found[1] is not None:
        return bytes.fromhex(found[1].decode())
    return _CONTROL.get(found[2], found[2])


def tokens_of(line: bytes) -> list[tuple[str, bytes]]:
    """The fields with their kinds: `q`uoted (still escaped), `b`racketed, `w`ord. BadLine."""
    found, at, end = [], 0, len(line.rstrip())
    while at < end:
        token = _TOKEN(line, at, end)
        if token is None:
            raise BadLine("bad-quotes")
        kind = token.lastindex or 3
        found.append(("qbw"[kind - 1], token[kind]))
        at = token.end()
    return found


def target_of(request: bytes) -> bytes:
    """The target of a request line; one with raw blanks in it keeps them. BadLine."""
    words = request.split(b" ")
    if len(words) > 2 and words[-1].startswith(b"HTTP/"):
        words.pop()
    if len(words) < 2 or not words[0].isalpha():
        raise BadLine("bad-request")
    target = b" ".join(words[1:])
    if not target.startswith((b"/", b"http://", b"https://")):
        raise BadLine("bad-request")
    return target


def status_of(text: bytes) -> int:
    if len(text) != 3 or not text.isdigit():
        raise BadLine("bad-status")
    return int(text)


def size_of(text: bytes) -> int:
    """`-` and everything else that is no number is 0."""
    return int(text) if text.isdigit() and len(text) < 19 else 0


def _is_plain(line: bytes, parts: int) -> bool:
    """Whether splitting at the quotes parts the fields: of the common format, or of more than
    seven, none with a quote inside."""
    return parts == 3 or (parts > 7 and not (b"\\" in line and b'\\"' in line))


class QuotedFormat:
    """Common and combined format."""

    name = "combined"

    def __init__(self, times: Times) -> None:
        self._times = times
        self._places: dict[bytes, tuple[bytes, bytes]] = {}
        self._askers: dict[tuple[bytes, bytes], bytes] = {}
        self._minutes: dict[bytes, _Minute] = {}
        """Some that can be, by `[10/Oct/2000:13:55:`. So a minute is looked at once, not with each
        of its lines."""

    def scan(
        self,
        lines: Sequence[bytes],
        start: int,
        agents: Mapping[bytes, Bot | None],
        found: list[Understood],
    ) -> int:
        statuses, minutes, began = _AFTER_REQUEST, self._minutes, _NO_MINUTE
        last: bytes | None = None
        for at in range(start, len(lines)):
            line = lines[at]
            parts = line.split(b'"')
            if len(parts) == 7 and parts[4] == b" ":
                agent = parts[5]
            elif _is_plain(line, len(parts)):
                agent = parts[5] if len(parts) > 3 else b""  # common format names none
            else:
                return at
            status = statuses.get(parts[2][:5])
            if status is None:
                return at
            minute = parts[0][-29:-10]
            if minute != last:
                known = minutes.get(minute)
                if known is None:
                    if not self._has_time(parts[0]):
                        return at
                    known = minutes.get(minute)  # remembered now, if it is one
                last, began = (None, _NO_MINUTE) if known is None else (minute, known)
            bot = agents[agent]
            if bot is not None:
                try:
                    found.append((line, bot, self._hit(parts, status, began)))
                except BadLine:
                    return at
        return len(lines)

    def _has_time(self, head: bytes) -> bool:
        """Whether a time that can be ends the head: `[10/Oct/2000:13:55:36 -0700] `. Its minute is
        remembered with its zone."""
        start, minute = head.rfind(b"["), head[-29:-10]
        if start < 0 or head[-2:] != b"] ":
            return False
        try:
            at = self._times.read(head[start + 1 : -2])
        except BadLine:
            return False
        second = _SECONDS.get(head[-10:-8])
        if _IS_MINUTE(minute) and start == len(head) - 29 and second is not None:
            if len(self._minutes) >= MOST_PLACES:
                self._minutes.clear()
            self._minutes[minute] = (head[-8:], at - second)
        return True

    def looks(self, line: bytes) -> bool:
        return b" [" in line and b'] "' in line

    def _hit(self, parts: Sequence[bytes], status: int, began: _Minute) -> Hit:
        """Of a line that was split at its quotes, none of which is escaped, with what is known of
        its status and its minute. Raises BadLine."""
        head, request, size = parts[0], parts[1], parts[2][5:].strip()
        second = _SECONDS.get(head[-10:-8])
        if second is not None and head[-8:] == began[0]:
            at, before = began[1] + second, head[:-29]
        else:
            at, before = self._time(head)
        host, address = self._places.get(before) or self._place(before)
        if len(parts) > 7 and parts[7] != b"-":
            address = self._asker(address, parts[7])
        if size.isdigit() and len(size) < 19:
            number = int(size)
        elif len(size.split()) == 1:
            number = 0  # as `size_of`
        else:
            raise BadLine("unknown-format")
        if request[:5] == b"GET /" and request[-9:-3] == b" HTTP/":
            target = request[4:-9]
        else:
            target = target_of(request)
        if b"\\" in target:
            target = unescaped(target)
        return _made(Hit, (host, address, at, target, status, number, parts[5]))

    def _time(self, head: bytes) -> tuple[int, bytes]:
        """The time that ends the head, and what stands before it. Raises BadLine."""
        before, bracket, time = head.rpartition(b" [")
        if not bracket:
            raise BadLine("unknown-format")
        return self._times.read(time[:-2]), before

    def _place(self, head: bytes) -> tuple[bytes, bytes]:
        """Remembered: bots come from few addresses."""
        if len(self._places) >= MOST_PLACES:
            self._places.clear()
        found = self._places[head] = place_of(head.split())
        return found

    def _asker(self, peer: bytes, field: bytes) -> bytes:
        """Who asked, where a field behind the user agent, as in nginx's format `main`, may hold
        forwarded addresses. Remembered as places are."""
        if len(self._askers) >= MOST_PLACES:
            self._askers.clear()
        key = (peer, field)
        if key not in self._askers:
            self._askers[key] = asker_of(peer, field) if _are_addresses(field) else peer
        return self._askers[key]

    def hit_of(self, line: bytes) -> Hit:
        tokens = tokens_of(line)
        start = next((at for at, (kind, _) in enumerate(tokens) if kind == "b"), None)
        if start is None or start == 0:
            raise BadLine("unknown-format")
        host, address = place_of([text for _, text in tokens[:start]])
        time, rest = tokens[start][1], tokens[start + 1 :]
        if len(rest) < 2 or rest[0][0] != "q" or rest[1][0] != "w":
            raise BadLine("unknown-format")
        quoted = [text for kind, text in rest[1:] if kind == "q"]
        if len(quoted) > 2:
            address = self._asker(address, quoted[2])
        return Hit(
            host,
            address,
            self._times.read(time),
            _target_if_any(unescaped(rest[0][1])),
            status_of(rest[1][1]),
            size_of(rest[2][1]) if len(rest) > 2 else 0,
            unescaped(quoted[1]) if len(quoted) > 1 else b"",
        )


def _target_if_any(request: bytes) -> bytes:
    """Empty for the garbage and the silence that servers log beside requests."""
    try:
        return target_of(request)
    except BadLine:
        return b""


def _forwarded(head: Sequence[bytes]) -> int:
    """How many of the first words are addresses as proxies write them: `client, proxy, proxy`."""
    for at, word in enumerate(head):
        if not _IS_ADDRESS(word.rstrip(b",")):
            return at
        if not word.endswith(b","):
            return at + 1
    return len(head)


def _are_addresses(field: bytes) -> bool:
    """`client, proxy`; a proxy that does not know its client writes `unknown`."""
    words = [word.strip() for word in field.split(b",")]
    known = [word for word in words if word != b"unknown"]
    return bool(known) and all(address_of(word) is not None for word in known)


def place_of(head: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Host and address from the fields before the time: `host address ident user`,
    `address host user` (lighttpd), or `address ident user`, whose last may hold blanks."""
    count = _forwarded(head)
    if 1 < count < len(head) - 1:
        addresses = [word.rstrip(b",") for word in head[:count]]
        return place_of([addresses[0], *head[count:]])[0], client_of(addresses)
    if len(head) > 4 and head[1].endswith(b",") and _IS_ADDRESS(head[2].rstrip(b",")):
        return head[0], place_of(head[1:])[1]
    if len(head) < 3:
        raise BadLine("unknown-format")
    first, second = head[0].rstrip(b","), head[1]
    if _IS_ADDRESS(first):
        return (second, first) if second != b"-" and _IS_HOST(second) else (b"", first)
    if _IS_ADDRESS(second) or (len(head) > 3 and _IS_HOST(first)):
        return first, second
    return b"", first
