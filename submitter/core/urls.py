"""Addresses: one normal form for identity, and the spelling that is sent.

Two spellings of one page meet in `normalize` (RFC 3986 section 6, host names by UTS 46). What an
engine is told is the site's own spelling, made ASCII by `sendable` where it is not.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from submitter.errors import SubmitterError

MAX_CHARACTERS: Final = 2_048
"""A loc must be shorter than this. Source: https://www.sitemaps.org/protocol.html,
read 2026-11-30. Counted after encoding; exactly this many still pass."""

SHOWN_CHARACTERS: Final = 200
"""An address in a message is cut to this length."""


class BadUrl(SubmitterError):
    """Not an address of a page we could tell anybody. `reason` is a key of `BAD_URL_REASONS`."""

    def __init__(self, reason: str, problem: str) -> None:
        self.reason, self.problem = reason, problem
        super().__init__(problem)


BAD_URL_REASONS: Final = {
    "relative-url": "an address without scheme and host",
    "bad-scheme": "neither http nor https",
    "one-slash": "the scheme is not followed by two slashes",
    "userinfo": "a user name or password in the address",
    "bad-host": "no host, or one that is neither a name nor an IP address",
    "bad-port": "a port that is no number from 1 to 65535",
    "bad-percent": "a percent sign without two hexadecimal digits",
    "control-character": "a control character in the address",
    "backslash": "a backslash in the address",
    "too-long": "more than 2,048 characters after encoding",
}
"""Why an address is not used."""

_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}

_LABEL: Final = r"[a-z0-9_-]{1,63}+"
_BYTE: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_NAME: Final = rf"(?:{_LABEL}\.)*+(?=[a-z_])(?!0x){_LABEL}"
_NORMAL_ESCAPE: Final = (
    r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[BCDF])"  # never of an unreserved one
)
_NORMAL_FORM: Final = (
    rf"https?://(?:{_NAME}|(?:{_BYTE}\.){{3}}{_BYTE})"
    r"(?::(?!80/|443/)[1-9][0-9]{0,3})?+"
    rf"/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]++|{_NORMAL_ESCAPE})*+"
)
"""Nearly all normal forms and nothing else, but for dot segments and length (also the host's)."""
_SHORT: Final = 253
"""No host in so short an address is too long."""
_is_normal: Final = re.compile(rf"(?![a-z]+://[^/]{{254}}){_NORMAL_FORM}").fullmatch
_are_normal: Final = re.compile(rf"(?:{_NORMAL_FORM}\n)*+{_NORMAL_FORM}").fullmatch

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]").search
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(//)?([^/?#]*)([^#]*)").match
_AUTHORITY: Final = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?").fullmatch
_BAD_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})").search
_ESCAPES: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})++")
_NEEDLESS: Final = re.compile(
    r"%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])"  # of an unreserved character
)
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]++")
_NEVER_RAW: Final = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]++")
"""What RFC 3986 lets nowhere in a path or query. `[` and `]` belong to hosts only."""
_ASCII_NAME: Final = re.compile(_NAME).fullmatch


class _Parts(NamedTuple):
    scheme: str
    host: str
    """Normal form; IPv6 in brackets."""
    port: str
    """Empty when it is the scheme's own."""
    path: str
    """Path and query as spelled but encoded; without fragment."""
    spelled: str
    """The whole address as spelled but encoded; without fragment."""


def normalize(url: str) -> str:
    """The identity of a page: the same for every spelling of one address; ASCII. Idempotent.

    Raises BadUrl. Nothing is stripped: a blank at the end belongs to the address.
    """
    if len(url) <= MAX_CHARACTERS:
        if _is_normal(url) and "/." not in url:
            return url
        encoded = _normal_escapes(_encoded(url, _BEYOND_ASCII))
        if len(encoded) <= MAX_CHARACTERS and _is_normal(encoded) and "/." not in encoded:
            return encoded
    parts = _split(url)
    path, question, query = parts.path.partition("?")
    path = _remove_dot_segments(_normal_escapes(path or "/"))
    identity = f"{_origin(parts)}{path}{question}{_normal_escapes(query)}"
    if len(identity) > MAX_CHARACTERS or len(parts.spelled) > MAX_CHARACTERS:
        raise BadUrl("too-long", f"longer than {MAX_CHARACTERS:,} characters")
    return identity


def all_normal(urls: Sequence[str]) -> bool:
    """Whether all of these are normal forms. May say no although they are; never wrongly yes.

    One test for many takes a third of the time, and millions are tested.
    """
    lines = "\n".join(urls)
    return (
        _are_normal(lines) is not None
        and "/." not in lines
        and lines.count("\n") == len(urls) - 1
        and (max(map(len, urls)) <= _SHORT or all(map(_is_short_normal, urls)))
    )


def _is_short_normal(url: str) -> bool:
    return len(url) <= MAX_CHARACTERS and _is_normal(url) is not None


def sendable(url: str) -> str:
    """The site's own spelling, without fragment, in ASCII (so its length is its size in bytes).

    Only what may not stand in a URL at all is encoded: letters beyond ASCII, blanks, quotes; a
    host beyond ASCII becomes its A-label. Raises BadUrl.
    """
    if url.isascii() and "#" not in url and not _NEVER_RAW.search(url):
        return url
    return _split(url).spelled


def origin_of(url: str) -> str:
    """`https://shop.example.com`, with `:port` only when it is not the scheme's own. BadUrl."""
    return _origin(_split(url))


def host_of(url: str) -> str:
    """The host as sites are named: A-labels in lower case, `:port` if not the default. BadUrl."""
    return _authority(_split(url))


def leads_elsewhere(url: str, led_to: str) -> bool:
    """A redirect left the host of the address; what is no address is at no host of ours."""
    if not led_to:
        return False
    try:
        return host_of(led_to) != host_of(url)
    except BadUrl:
        return True


def site_host(text: str) -> str:
    """A host as a person wrote it (`Bücher.example`, `shop.example:8443`) in the form of
    `Site.host`. Raises BadUrl when it is anything more or less than a host."""
    if re.search(r"[/?#@\\\s]", text):
        raise BadUrl("bad-host", f"not a host name: {shown(text)!r}")
    return _authority(_split(f"https://{text}/"))


def unicode_host(host: str) -> str:
    """The host in letters, for reports to show beside its A-labels; unchanged where not IDN."""
    import idna

    try:
        return idna.decode(host) if "xn--" in host else host
    except (idna.IDNAError, UnicodeError):
        return host


def same(url: str, others: Iterable[str]) -> bool:
    """Whether one of the others is another spelling of this address. Bad ones equal nothing."""
    try:
        identity = normalize(url)
    except BadUrl:
        return False
    return any(_is(identity, other) for other in others)


def shown(url: str) -> str:
    """An address fit for a message: no query, no user, nothing that moves a cursor, not long."""
    bare = re.sub(r"//[^/?#]*@", "//...@", url[: 8 * SHOWN_CHARACTERS].partition("#")[0])
    path, question, _ = bare.partition("?")
    text = path + ("?..." if question else "")
    return printable(text)


def printable(text: str) -> str:
    """Foreign text fit for a message: control and direction characters escaped, 200 at most."""
    safe = (char if char.isprintable() else ascii(char)[1:-1] for char in text[:SHOWN_CHARACTERS])
    return "".join(safe)[:SHOWN_CHARACTERS]


def _is(identity: str, other: str) -> bool:
    try:
        return normalize(other) == identity
    except BadUrl:
        return False


def _origin(parts: _Parts) -> str:
    return f"{parts.scheme}://{_authority(parts)}"


def _authority(parts: _Parts) -> str:
    return f"{parts.host}:{parts.port}" if parts.port else parts.host


def _split(url: str) -> _Parts:
    """Take an address apart and refuse what could be read in two ways."""
    if _CONTROL(url):
        raise BadUrl("control-character", f"control character in {shown(url)!r}")
    if "\\" in url:
        raise BadUrl("backslash", f"backslash in {shown(url)!r}")
    given_scheme, authority, path = _cut(url)
    if _BAD_PERCENT(path):
        raise BadUrl("bad-percent", f"stray % in {shown(url)!r}")
    scheme = given_scheme.lower()
    host, port = _split_authority(authority)
    parts = _Parts(scheme, host, "" if port == _DEFAULT_PORTS[scheme] else port, _encoded(path), "")
    if not authority.isascii() or _NEVER_RAW.search(authority.strip("[]")):
        authority = _authority(parts)
    return parts._replace(spelled=f"{given_scheme}://{authority}{parts.path}")


def _cut(url: str) -> tuple[str, str, str]:
    """Scheme, authority, and path with query, all as spelled."""
    found = _ADDRESS(url)
    if found is None:
        raise BadUrl("relative-url", f"not an absolute address: {shown(url)!r}")
    scheme, slashes, authority, path = found.groups()
    if scheme.lower() not in _DEFAULT_PORTS:
        raise BadUrl("bad-scheme", f"scheme {printable(scheme)!r} is neither http nor https")
    if not slashes:
        raise BadUrl("one-slash", f"{scheme}: is not followed by two slashes: {shown(url)!r}")
    return scheme, authority, path


def _split_authority(authority: str) -> tuple[str, str]:
    if "@" in authority:
        raise BadUrl("userinfo", "a user name or password stands in the address")
    found = _AUTHORITY(authority)
    if found is None:
        raise BadUrl("bad-port", f"no host and port: {printable(authority)!r}")
    host, port = found.groups(default="")
    number = port.lstrip("0")
    if port and not (0 < len(number) < 6 and int(number) < 65_536):
        raise BadUrl("bad-port", f"port {printable(port)!r} is no number from 1 to 65535")
    return _normal_host(host), number


def _normal_host(host: str) -> str:
    if host.startswith("["):
        return _ipv6(host)
    name = _unescaped(host)
    name = (name.lower() if name.isascii() else _a_labels(name)).removesuffix(".")
    if not _is_host(name):
        raise BadUrl("bad-host", f"neither a host name nor an address: {printable(host)!r}")
    return name


def _is_host(name: str) -> bool:
    if len(name) > 253:
        return False
    if _ASCII_NAME(name):
        return True
    try:
        return str(ipaddress.IPv4Address(name)) == name
    except ValueError:
        return False


def _ipv6(host: str) -> str:
    try:
        if not host.endswith("]") or "%" in host:
            raise ValueError
        return f"[{ipaddress.IPv6Address(host[1:-1]).compressed}]"
    except ValueError:
        raise BadUrl("bad-host", f"not an IPv6 address: {printable(host)!r}") from None


def _a_labels(host: str) -> str:
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise BadUrl("bad-host", f"not a host name: {printable(host)!r}") from None


def _unescaped(host: str) -> str:
    """Escapes in a host stand for the letters of a name (RFC 3986 section 3.2.2)."""
    if "%" not in host:
        return host
    if _BAD_PERCENT(host):
        raise BadUrl("bad-host", f"stray % in the host {printable(host)!r}")
    encoded = host.encode("utf-8", "surrogatepass")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), encoded)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise BadUrl("bad-host", f"not a host name: {printable(host)!r}") from None


def _encoded(text: str, unfit: re.Pattern[str] = _NEVER_RAW) -> str:
    try:
        return unfit.sub(_encode, text)
    except UnicodeEncodeError:
        raise BadUrl("control-character", f"half a character in {shown(text)!r}") from None


def _encode(found: re.Match[str]) -> str:
    return "%" + found[0].encode().hex("%").upper()


def _normal_escapes(text: str) -> str:
    return _ESCAPES.sub(_normal_run, text) if "%" in text else text


def _normal_run(found: re.Match[str]) -> str:
    run = found[0].upper()
    return _NEEDLESS.sub(_decode, run) if _NEEDLESS.search(run) else run


def _decode(found: re.Match[str]) -> str:
    return chr(int(found[0][1:], 16))


def _remove_dot_segments(path: str) -> str:
    """Source: RFC 3986 section 5.2.4. `path` begins with a slash."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path[1:].split("/")
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
