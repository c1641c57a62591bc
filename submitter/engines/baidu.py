"""Baidu: new pages are pushed, within a daily quota that only the answers tell.

There is no call for sitemaps, none that reads the quota, and `/update` and `/del` are dead
(always `over quota`), so none of them is offered.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from submitter.core.calls import Action, Call, Check, Receipt, Survey
from submitter.core.fleet import Account, FirstRun, Site
from submitter.core.traits import Fact, FastLane, Kind, Option, Traits, UnknownRule
from submitter.engines._http import EngineRequest, Transport, base_url
from submitter.engines.baidu_answers import DAY_ZONE, ENGINE, Pushed, line_of, receipt
from submitter.errors import ConfigError, EngineUnavailable, NotAuthorized, Refused
from submitter.ports import Clock, Secret, Source

log = logging.getLogger(__name__)

HOST = "data.zz.baidu.com"
BATCH_SIZE = 2_000
"""One line more and the whole batch is refused. Source: https://www.iaaak.com/2312.html,
read 2026-11-30."""

FAST = FastLane(option="daily", suffix="&type=daily")
"""Stands in the query as it is. Source: the code of two public plugins (WordPressBugBounty/
plugins-baidu-submit-link, lezaiyun/Leseo), read 2026-11-30."""

_SITE = re.compile(r"[A-Za-z0-9._:/\[\]-]+")
_TOKEN = re.compile(r"[A-Za-z0-9]{16}")
"""Source: https://www.iaaak.com/2312.html, read 2026-11-30; not relied upon."""

TRAITS = Traits(
    name=ENGINE,
    title="Baidu",
    tells=frozenset({Kind.URLS}),
    secret_key="token",  # noqa: S106 - the name of a key
    day_zone=DAY_ZONE,
    crawler="Baiduspider",
    batch_size=BATCH_SIZE,
    daily_cap=100_000,
    metered=True,
    first_batch=1,
    fast_lane=FAST,
    tells_changed=False,
    unknown_rule=UnknownRule.NEXT_DAY,
    first_run=FirstRun.ALL,
    options=(
        Option("daily_limit", "int", "Pages a site may push in a day, as its console shows."),
        Option(
            "daily",
            "int",
            "Pages a day to push into the fast lane (type=daily), the best ones first; such a page"
            " is not pushed in the common lane, too. Off unless a number is given.",
        ),
        Option(
            "repush_changed",
            "bool",
            "Push a page again when its lastmod changes; Baidu counts it and may cut the quota.",
            default=False,
        ),
        Option(
            "scheme",
            "str",
            "How a push is sent. Baidu documents http; its https certificate was seen not to fit.",
            default="http",
            choices=("http", "https"),
        ),
        Option(
            "first_batch",
            "int",
            "Pages in the first push of a day while the quota is unknown.",
            default=1,
        ),
    ),
    facts=(
        Fact(
            "POST http://data.zz.baidu.com/urls?site=&token=, text/plain, 2,000 addresses at most.",
            "https://www.iaaak.com/2312.html",
            "2026-11-30",
        ),
        Fact(
            "`site` stands in the query as it is; percent-encoded it is refused.",
            "https://github.com/mengcheng-ying/xiaomeng-gamehub",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "A batch larger than what is left of the day is refused whole.",
            "https://github.com/magicblack/maccms10/issues/1134",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "A day has 100,000 pages at the very most; small sites get about 10.",
            "https://www.niwo1314.cn",
            "2026-11-30",
        ),
        Fact(
            "Pushing old pages again spends quota, may lower it and may cost the right to push.",
            "https://gongju.aizhan.com/faq/53.html",
            "2026-11-30",
        ),
        Fact(
            "The quota starts anew at midnight in Beijing.",
            "https://github.com/Stonewuu/halo-plugin-sitepush/issues/70",
            "2026-11-30",
            "reported",
        ),
        Fact(
            "With `&type=daily` a push goes into a fast lane of about 10 pages a day; the answer"
            " then has `success_daily` and `remain_daily`.",
            "https://github.com/WordPressBugBounty/plugins-baidu-submit-link",
            "2026-11-30",
            "code",
        ),
        Fact(
            "Whether a push into the fast lane also spends the common quota is unclear.",
            "https://github.com/lezaiyun/Leseo",
            "2026-11-30",
            "unsure",
        ),
        Fact(
            "Every host is a site of its own; whether a main domain covers subdomains is unclear.",
            "https://www.wbolt.com/submit-sitemap-url-to-baidu.html",
            "2026-11-30",
            "unsure",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the pushes go and what lets them in."""

    base: str
    token: str = field(repr=False)


class Baidu:
    """One token at Baidu. Implements `ports.Engine`."""

    traits = TRAITS

    def __init__(self, settings: Settings, clock: Clock, transport: Transport) -> None:
        self._settings, self._clock, self._transport = settings, clock, transport
        self._throttled: dict[str, int] = {}

    def survey(self, *, timeout_s: float) -> Survey | None:
        """Baidu lists no sites and reads no quota; every question would spend some."""
        return None

    def property_of(self, site: Site, survey: Survey | None) -> str:
        return property_of(site, survey)

    def preflight(self, action: Action, survey: Survey | None) -> None:
        check_site(action.property, action.target)

    def prepare(self, site: Site, source: Source, *, until: float | None) -> None:
        """Nothing has to stand at the site."""

    def send(self, call: Call, *, timeout_s: float) -> Receipt:
        site = call.action.property
        response = self._transport.send(_request(self._settings, call), timeout_s=timeout_s)
        before = self._throttled.pop(site, 0)
        try:
            pushed = Pushed(site, call.urls, self._clock.now(), before, fast=FAST.holds(site))
            return receipt(response, pushed)
        except EngineUnavailable as error:
            if error.http_status == 505:
                self._throttled[site] = before + 1
            raise

    def checks(self, property: str, sitemaps: Sequence[str], *, timeout_s: float) -> list[Check]:
        return []


def open_baidu(account: Account, secret: Secret | None, clock: Clock) -> Baidu:
    """Open an account. Raises ConfigError when the token cannot be one; connects to nothing."""
    scheme = account.settings.get("scheme", "http")
    settings = Settings(base_url(account, f"{scheme}://{HOST}"), _token(account, secret))
    return Baidu(settings, clock, Transport(ENGINE))


def property_of(site: Site, survey: Survey | None) -> str:
    """What the inventory says, to the letter, or the bare host."""
    return site.baidu_site or site.host


def check_site(name: str, page: str) -> None:
    """Raise NotAuthorized for a site that cannot stand in the query as it is, and for pages of
    its `www.` twin, which Baidu takes for another site (halo-theme-joe2.0#160)."""
    name = name.removesuffix(FAST.suffix)
    if not _SITE.fullmatch(name):
        raise NotAuthorized(
            ENGINE,
            f"site {name[:200]!r}: cannot stand in the query as it is",
            scope="property",
            cause="site-form",
            next_step="Set the site's `baidu_site` as it is registered at ziyuan.baidu.com:"
            " a host, or scheme://host.",
            sent=False,
        )
    site, host = _host(name), _host(page)
    if site != host and site.removeprefix("www.") == host.removeprefix("www."):
        raise NotAuthorized(
            ENGINE,
            f"site {name!r}: its pages are at {host!r}, for Baidu another site",
            scope="property",
            cause="site-host-differs",
            next_step=f"Register {host} at ziyuan.baidu.com, or list its pages under {site}.",
            sent=False,
        )


def _host(address: str) -> str:
    return urlsplit(address if "//" in address else f"//{address}").hostname or ""


def _request(settings: Settings, call: Call) -> EngineRequest:
    """A push. The query is put together by hand, because Baidu reads `site` undecoded.

    A connection of its own: a reused one that closes under a push leaves its outcome unknown,
    and that costs the pages a day.
    """
    if not 0 < len(call.urls) <= BATCH_SIZE:
        problem = f"{len(call.urls)} pages in one push, not 1 to {BATCH_SIZE:,}"
        raise Refused(ENGINE, problem, code="batch-size", sent=False)
    token = quote(settings.token, safe="")
    return EngineRequest(
        "POST",
        f"{settings.base}/urls?site={call.action.property}&token={token}",
        {"Content-Type": "text/plain", "Connection": "close"},
        "\n".join(map(line_of, call.urls)).encode(),
        secrets=(settings.token,),
    )


def _token(account: Account, secret: Secret | None) -> str:
    """The token without blanks around it, which pasting brings (Typecho-AMP#28)."""
    where = f"accounts.{account.name}.token"
    problem, note = _token_faults(secret)
    if problem is not None or secret is None:
        raise ConfigError.one(f"{where} ({account.secret})", problem or "missing")
    if note is not None:
        log.warning("%s: %s", where, note)
    return secret.reveal().strip()


def _token_faults(secret: Secret | None) -> tuple[str | None, str | None]:
    """What makes a token useless, and what is only odd; neither text holds any of it."""
    token = "" if secret is None else secret.reveal()
    bare = token.strip()
    if not bare:
        return "missing or empty", None
    if not bare.isprintable() or not bare.isascii() or " " in bare:
        return "holds blanks, line ends or letters that no token has", None
    if not _TOKEN.fullmatch(bare):
        return None, f"{len(bare)} characters; Baidu's tokens are 16 letters and digits"
    return None, "blanks around the token were left out" if bare != token else None
