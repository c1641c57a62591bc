"""The key of IndexNow: where its file stands, which pages it covers, and whether it is there.

The file is read before the first post of a host: an engine that does not find it remembers that,
and the key is burned (https://github.com/koala73/worldmonitor/issues/6055, read 2026-11-30).
A message shows a key by its first four characters only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from submitter.core.fleet import Site
from submitter.core.reach import depends_on_key, directory_of
from submitter.core.urls import BadUrl, host_of, normalize, printable
from submitter.errors import EngineError, FetchError, NotAuthorized, NotReady
from submitter.ports import Fetched, Source

ENGINE = "indexnow"

is_key = re.compile(r"[A-Za-z0-9-]{8,128}").fullmatch
"""Source: https://www.indexnow.org/documentation, read 2026-11-30."""

CRAWLER_AGENT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
"""Asked with where the site shuts us out: it may let in who has to read the file.
Source: https://en.wikipedia.org/wiki/Bingbot, read 2026-11-30."""

MAX_FILE_BYTES = 4_096
"""A key has 128 characters at most; of anything longer, so much is read."""

_GONE = frozenset({404, 410})
_PASSING = frozenset(
    {
        "connect-failed", "connect-refused", "connect-reset", "connect-timeout",
        "connect-unreachable", "dns-failure", "dns-timeout", "host-busy", "host-paused",
        "out-of-resources", "timeout", "too-slow", "body-cut", "deadline",
        "http-408", "http-425", "http-429",
    }
)  # fmt: skip
"""Reasons of a FetchError that may be gone in the next run, as every 5xx may."""

_UNPACKED = re.compile(r"\{[^{}]*\}|[{}]")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Key:
    """A key and where its file stands; `template` is the account's `key_location`."""

    text: str = field(repr=False)
    template: str | None = None

    @property
    def shown(self) -> str:
        return shortened(self.text)

    def file_url(self, site: Site) -> str:
        """Where the file of a site stands: at the root unless the inventory says otherwise."""
        if self.template is None:
            return f"{site.origin}/{self.text}.txt"
        return self._filled(site.host)

    def location(self, host: str) -> str | None:
        """The call's `keyLocation`: None where engines look by themselves."""
        if self.template is None:
            return None
        location = self._filled(host)
        default = f"//{host}/{self.text}.txt"
        return None if location.partition(":")[2] == default else location

    def scope(self, host: str) -> str:
        """What every page begins with, from the host on, that this key file speaks for: the file's
        directory. Source: https://www.indexnow.org/documentation, read 2026-11-30."""
        if self.template is None:
            return f"{host}/"
        return directory_of(normalize(self._filled(host)))

    def masked(self, text: str) -> str:
        return text.replace(self.text, self.shown)

    def _filled(self, host: str) -> str:
        return (self.template or "").replace("{host}", host).replace("{key}", self.text)


def shortened(key: str) -> str:
    """A key as it may be shown."""
    return f"{key[:4]}…"


def template_fault(template: str) -> str | None:
    """Why a `key_location` cannot be used, or None."""
    filled = template.replace("{host}", "shop.example.com").replace("{key}", "abcd1234")
    if unknown := _UNPACKED.search(filled):
        return f"{printable(unknown[0])!r} is neither {{host}} nor {{key}}"
    try:
        normalize(filled)
    except BadUrl as error:
        return error.problem
    if not urlsplit(filled).path.strip("/"):
        return "names no file"
    if depends_on_key(template):
        return "{key} names the folder, so the file speaks for no page; put it in the file's name"
    return None


def outside_scope(address: str, key: Key, host: str) -> NotAuthorized:
    """A page, without its scheme, that the key file does not speak for."""
    return NotAuthorized(
        ENGINE,
        f"{printable(address)}: outside {key.masked(key.scope(host))}, where the key file stands",
        scope="property",
        cause="key-outside-scope",
        next_step="A key file speaks for the pages below its own directory only: put it at the root"
        " of the host and leave `key_location` out.",
        sent=False,
    )


# ---------------------------------------------------------------- the file at the site


@dataclass(frozen=True, slots=True)
class KeyFault:
    """Why a host cannot be posted for. `passing`: it may be well in the next run."""

    cause: Literal[
        "key-file-missing",
        "key-file-html",
        "key-differs",
        "key-file-redirects",
        "key-file-blocked",
        "key-file-unreachable",
        "key-outside-scope",
        "deadline",
    ]
    problem: str
    passing: bool = False

    def error(self, site: Site) -> EngineError:
        problem = f"{site.host}: {self.problem}"
        if self.passing:
            return NotReady(ENGINE, problem, scope="property", code=self.cause, sent=False)
        return NotAuthorized(
            ENGINE,
            problem,
            scope="property",
            cause=self.cause,
            next_step=_NEXT_STEPS[self.cause],
            sent=False,
        )


_PLACE_IT = "Put a plain text file there that holds the key and nothing else"
_NEXT_STEPS = {
    "key-file-missing": f"{_PLACE_IT}; `submitter indexnow key` makes both. Until it answers,"
    " nothing is posted: a key that is used too early is refused for ever.",
    "key-file-html": f"{_PLACE_IT}. Where an application answers every address with its own page,"
    " or a bot shield with a challenge, let this one address past it.",
    "key-differs": f"{_PLACE_IT}, or point the account's `key` at the key that is there.",
    "key-file-redirects": "A key file counts for the host that serves it: serve it without a"
    " redirect, or list the site under the host that the redirect leads to.",
    "key-file-blocked": "Let crawlers read this one address: an exception in the bot shield, the"
    " firewall or the login for it is enough.",
    "key-file-unreachable": "The engines cannot read it either: see to the site's name,"
    " certificate and redirects.",
    "key-outside-scope": "`key_location` has to stand at the site's own host: write"
    " https://{host}/… in it.",
}


def look_at(key: Key, site: Site, source: Source, *, until: float | None) -> KeyFault | None:
    """Fetch the key file of a site and compare; None when it is there. Raises nothing."""
    url = key.file_url(site)
    if host_of(url) != site.host:
        where = printable(key.masked(url))
        return KeyFault("key-outside-scope", f"the key file is at another host, {where}")
    fault = _fetch_fault(url, key, site, source, until, None)
    if fault is None or fault.cause != "key-file-blocked":
        return fault
    if _fetch_fault(url, key, site, source, until, CRAWLER_AGENT) is None:
        return None
    return replace(fault, problem=f"{fault.problem}; asked as bingbot, it is not there either")


def _fetch_fault(
    url: str, key: Key, site: Site, source: Source, until: float | None, agent: str | None
) -> KeyFault | None:
    where = printable(key.masked(url))
    try:
        with source.fetch(url, site=site, until=until, user_agent=agent) as fetched:
            host = host_of(fetched.final_url)
            if host != site.host:
                return KeyFault("key-file-redirects", f"{where} redirects to the host {host}")
            body = _beginning(fetched)
    except FetchError as error:
        return _unread(error, where, key)
    return _content_fault(body, where, key)


def _beginning(fetched: Fetched) -> bytes:
    body = bytearray()
    for chunk in fetched.chunks():
        body += chunk
        if len(body) > MAX_FILE_BYTES:
            break
    return bytes(body)


def _unread(error: FetchError, where: str, key: Key) -> KeyFault:
    problem = f"{where}: {key.masked(error.problem)}"
    status = error.http_status or 0
    if error.reason == "deadline":
        return KeyFault("deadline", problem, passing=True)
    if status in _GONE:
        return KeyFault("key-file-missing", problem)
    if error.reason in _PASSING or status >= 500:
        return KeyFault("key-file-unreachable", problem, passing=True)
    if 400 <= status < 500:
        return KeyFault("key-file-blocked", problem)
    return KeyFault("key-file-unreachable", problem)


def _content_fault(body: bytes, where: str, key: Key) -> KeyFault | None:
    """A byte order mark and line ends around the key are let pass, as engines let them."""
    text = body.decode("utf-8-sig", errors="replace")
    if text.rstrip("\r\n") == key.text:
        return None
    if text.lstrip().startswith("<"):
        return KeyFault("key-file-html", f"{where} answers with HTML instead of the key")
    return KeyFault("key-differs", f"{where} {_difference(body, text, key)}")


def _difference(body: bytes, text: str, key: Key) -> str:
    if not text.strip():
        return "is empty"
    if body.startswith(_UTF_16):
        return "is UTF-16; it has to be UTF-8"
    if key.text in text:
        return f"holds more than the key {key.shown}"
    return f"holds {printable(shortened(text.strip()))!r} instead of the key {key.shown}"
