"""IndexNow: pages that are new, changed or gone are told to one engine, which tells the others.

One post is for one host. Nothing is posted for a host before its key file was read and found
right, see `indexnow_key`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from submitter.core.calls import Action, Call, Check, Receipt, Survey
from submitter.core.fleet import Account, FirstRun, Limits, Site
from submitter.core.traits import Fact, Kind, Option, Traits, UnknownRule
from submitter.core.urls import BadUrl, normalize, printable, sendable, shown
from submitter.engines._http import EngineRequest, Transport, base_url
from submitter.engines._secrets import plain_secret
from submitter.engines.indexnow_answers import REPEAT_AFTER_S, Posted, receipt
from submitter.engines.indexnow_key import (
    ENGINE,
    Key,
    is_key,
    look_at,
    outside_scope,
    template_fault,
)
from submitter.errors import (
    ConfigError,
    EngineUnavailable,
    NotAuthorized,
    OutcomeUnknown,
    Refused,
)
from submitter.ports import Clock, Secret, Source

PATH = "/indexnow"
BATCH_SIZE = 10_000
"""Source: https://www.indexnow.org/documentation, read 2026-11-30."""

MEMBERS = {
    "hub": "https://api.indexnow.org",
    "bing": "https://www.bing.com",
    "yandex": "https://yandex.com",
    "naver": "https://searchadvisor.naver.com",
    "seznam": "https://search.seznam.cz",
    "yep": "https://indexnow.yep.com",
    "amazon": "https://indexnow.amazonbot.amazon",
}
"""Source: https://www.indexnow.org/faq and the members' own meta.json, read 2026-11-30."""

FALLBACKS = ("bing", "yandex")
"""Used when the inventory names none."""

TRAITS = Traits(
    name=ENGINE,
    title="IndexNow",
    tells=frozenset({Kind.URLS, Kind.REMOVAL}),
    secret_key="key",  # noqa: S106 - the name of a key
    day_zone="UTC",
    limits=Limits(per_second=5),
    batch_size=BATCH_SIZE,
    unknown_rule=UnknownRule.REPEAT_LATER,
    repeat_after_s=REPEAT_AFTER_S,
    reach_option="key_location",
    bisect=True,
    first_run=FirstRun.RECENT,
    crawler="bingbot",
    readers=("bingbot", "YandexBot", "Yeti", "SeznamBot", "Amazonbot"),
    options=(
        Option(
            "key_location",
            "str",
            "Where the key file stands, with {host} and {key}; it speaks for the pages below its"
            " directory. Default: https://{host}/{key}.txt.",
        ),
        Option(
            "post_to",
            "str",
            "The one engine that is told; it passes pages on to the others.",
            default="hub",
            choices=tuple(MEMBERS),
        ),
        Option(
            "fallbacks",
            "strs",
            f"Who is told instead while that one is down or too busy; default:"
            f" {', '.join(FALLBACKS)}.",
        ),
    ),
    facts=(
        Fact(
            "POST /indexnow with host, key and urlList: at most 10,000 pages of one host.",
            "https://www.indexnow.org/documentation",
            "2026-11-30",
        ),
        Fact(
            "The key has 8 to 128 letters, digits and dashes; its file holds it as plain text, and"
            " speaks for the pages below its directory.",
            "https://www.indexnow.org/documentation",
            "2026-11-30",
        ),
        Fact(
            "200: received; 202: received, the key is still to be checked. No promise to index.",
            "https://www.indexnow.org/documentation",
            "2026-11-30",
        ),
        Fact(
            "New, changed and deleted pages go through the same call.",
            "https://www.indexnow.org/documentation",
            "2026-11-30",
        ),
        Fact(
            "Engines pass pages on to each other within seconds: one of them is told.",
            "https://www.indexnow.org/searchengines",
            "2026-11-30",
        ),
        Fact(
            "A key that was posted before its file was there stays refused.",
            "https://github.com/koala73/worldmonitor/issues/6055",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "Pages of several hosts in one post are refused together.",
            "https://github.com/koala73/worldmonitor/issues/1838",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "One page is not told again within ten minutes.",
            "https://github.com/EdiWang/Moonglade/issues/824",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "429 counts by address of the sender, often without Retry-After; another engine may"
            " take the same batch.",
            "https://github.com/chen2he/orange-cloud/issues/102",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "No limit of calls is documented; we keep to 5 a second.",
            "https://www.indexnow.org/faq",
            "2026-11-30",
            "unsure",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The key, and where it is posted to: the first base address, the others in its place."""

    key: Key
    bases: tuple[str, ...]


class IndexNow:
    """One key at IndexNow. Implements `ports.Engine`."""

    traits = TRAITS

    def __init__(self, settings: Settings, clock: Clock, transport: Transport) -> None:
        self._settings, self._clock, self._transport = settings, clock, transport
        self._turns = Turns(settings.bases)
        self._prepared: set[tuple[str, str]] = set()

    def survey(self, *, timeout_s: float) -> Survey | None:
        """A key lists no sites; each host shows by its key file that it is the key's."""
        return None

    def property_of(self, site: Site, survey: Survey | None) -> str:
        return property_of(site, survey)

    def preflight(self, action: Action, survey: Survey | None) -> None:
        """The first page stands for its batch; `send` looks at all of them."""
        with suppress(Refused):  # of one page, which is found by halves
            check_page(action.target, self._settings.key, action.property)

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        """Read the host's key file and compare. Until that went well, `send` refuses to post."""
        name = (site.origin, property_of(site, None))
        self._prepared.discard(name)
        fault = look_at(self._settings.key, site, source, until=until)
        if fault is not None:
            raise fault.error(site)
        self._prepared.add(name)

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        host = call.action.property
        if (call.action.site, host) not in self._prepared:
            raise _unprepared(host)
        base = self._turns.now()
        request = _request(self._settings.key, base, call)
        try:
            response = self._transport.send(request, timeout_s=timeout_s)
            told = receipt(response, Posted(host, self._clock.now()))
        except (EngineUnavailable, OutcomeUnknown) as error:
            goes_on = self._turns.failed(base)
            if goes_on and isinstance(error, EngineUnavailable):
                error.retry_after_s = 0.0  # the next try is made elsewhere
            raise
        self._turns.worked()
        return told

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        return []


class Turns:
    """Which address is posted to: always one, the next only after it failed. Thread-safe.

    A post that may have been taken is never made again elsewhere: its pages wait, and only the
    posts after it go to the next.
    """

    def __init__(self, bases: Sequence[str]) -> None:
        self._bases = tuple(bases)
        self._at = self._failures = 0
        self._lock = threading.Lock()

    def now(self) -> str:
        with self._lock:
            return self._bases[self._at]

    def worked(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self, base: str) -> bool:
        """Go on to the next, unless another thread did. False: all of them failed in a row."""
        with self._lock:
            if base == self._bases[self._at]:
                self._at = (self._at + 1) % len(self._bases)
                self._failures += 1
            return self._failures < len(self._bases)


def open_indexnow(account: Account, secret: Secret | None, clock: Clock) -> IndexNow:
    """Open an account. Raises ConfigError when its key or its options cannot be used; connects to
    nothing."""
    return IndexNow(Settings(_key(account, secret), _bases(account)), clock, Transport(ENGINE))


def property_of(site: Site, survey: Survey | None) -> str:
    """A host, whatever its scheme: one post may hold http and https addresses."""
    return site.host


def check_page(url: str, key: Key, host: str) -> None:
    """Raise Refused for a page that cannot be posted for the host, NotAuthorized for one that its
    key file does not speak for. Nothing was sent."""
    try:
        address = normalize(url).partition("://")[2]
    except BadUrl as error:
        raise Refused(ENGINE, error.problem, code="bad-url", sent=False) from error
    if not address.startswith(f"{host}/"):
        problem = f"{shown(url)}: not a page of {host}"
        raise Refused(ENGINE, problem, code="host-differs", sent=False)
    if not address.startswith(key.scope(host)):
        raise outside_scope(address, key, host)


def _request(key: Key, base: str, call: Call) -> EngineRequest:
    """A post. `keyLocation` stands in it only where engines would not look by themselves."""
    if not 0 < len(call.urls) <= BATCH_SIZE:
        problem = f"{len(call.urls)} pages in one post, not 1 to {BATCH_SIZE:,}"
        raise Refused(ENGINE, problem, code="batch-size", sent=False)
    host = call.action.property
    pages = list(_pages(call.urls, key, host))
    location = key.location(host)
    where = {} if location is None else {"keyLocation": location}
    return EngineRequest(
        "POST",
        base + PATH,
        {"Content-Type": "application/json; charset=utf-8"},
        json.dumps({"host": host, "key": key.text, **where, "urlList": pages}).encode(),
        secrets=(key.text,),
    )


def _pages(urls: Sequence[str], key: Key, host: str) -> Iterator[str]:
    for url in urls:
        check_page(url, key, host)
        yield sendable(url)


def _unprepared(host: str) -> NotAuthorized:
    return NotAuthorized(
        ENGINE,
        f"{host}: its key file was not read yet, so nothing is posted",
        scope="property",
        cause="key-file-unread",
        next_step="Run it again; if it stays so, report it as a fault of this program.",
        sent=False,
    )


# ---------------------------------------------------------------- what the inventory says


def _key(account: Account, secret: Secret | None) -> Key:
    text = plain_secret(account, "key", secret)
    if not is_key(text):
        problem = f"{len(text)} characters; a key has 8 to 128 letters, digits and dashes"
        raise ConfigError.one(f"accounts.{account.name}.key ({account.secret})", problem)
    template = account.settings.get("key_location")
    if template is None:
        return Key(text)
    if fault := template_fault(str(template)):
        raise ConfigError.one(f"accounts.{account.name}.key_location", fault)
    return Key(text, str(template))


def _bases(account: Account) -> tuple[str, ...]:
    """An `endpoint` stands for the whole family: then there is nobody else to go to."""
    if account.endpoint is not None:
        return (base_url(account, ""),)
    named = account.settings.get("fallbacks", FALLBACKS)
    fallbacks = named if isinstance(named, tuple) else (str(named),)
    if unknown := [name for name in fallbacks if name not in MEMBERS]:
        problem = f"{printable(unknown[0])!r} is none of {', '.join(MEMBERS)}"
        raise ConfigError.one(f"accounts.{account.name}.fallbacks", problem)
    names = dict.fromkeys([str(account.settings.get("post_to", "hub")), *fallbacks])
    return tuple(MEMBERS[name] for name in names)
