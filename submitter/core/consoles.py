"""Engines that are told of sitemaps by hand: what each console takes, and where.

None of them has an interface for it. Addresses under such names in public code look invented or
need a person's cookie, so there is nothing here to send to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from submitter.core.checklist import BAIDU_FORM, FormLimits
from submitter.core.looks import DocumentKind

_URLSET, _TEXT, _RSS, _INDEX = (
    DocumentKind.URLSET,
    DocumentKind.TEXT,
    DocumentKind.RSS,
    DocumentKind.INDEX,
)
NO_FIGURE: Final = 1_000_000
"""Stands for a limit that nobody names."""


@dataclass(frozen=True, slots=True)
class Console:
    """One engine's form for sitemaps. `None` = no figure is known."""

    name: str
    where: str
    """Where a person finds the form, and who may use it."""
    kinds: frozenset[DocumentKind]
    """What it is known to take. An index only where somebody says so: elsewhere flat files."""
    source: str
    read_on: str = "2026-11-30"
    day_zone: str = "Asia/Shanghai"
    max_pages: int | None = 50_000
    """In one file."""
    max_bytes: int | None = 10_485_759
    """Of one file; a console that wants less than 10 MiB gets a byte less."""
    max_loc_bytes: int | None = 256
    per_day: int | None = None
    in_all: int | None = None
    """Addresses it takes."""

    @property
    def limits(self) -> FormLimits:
        return FormLimits(self.per_day or NO_FIGURE, self.in_all or NO_FIGURE, self.day_zone)

    @property
    def takes_indexes(self) -> bool:
        return DocumentKind.INDEX in self.kinds


BAIDU: Final = Console(
    "baidu",
    "Baidu's webmaster console: the sitemap form of the site, or the form for dead links",
    frozenset({_URLSET, _TEXT}),
    "https://www.wbolt.com/submit-sitemap-url-to-baidu.html",
    per_day=BAIDU_FORM.per_day,
    in_all=BAIDU_FORM.in_all,
    day_zone=BAIDU_FORM.day_zone,
)
SOGOU: Final = Console(
    "sogou",
    "Sogou's webmaster console: the sitemap form, by invitation only",
    frozenset({_URLSET, _TEXT, _INDEX}),
    "https://bninc.cn/wiki/post/id/4481",
    in_all=100,
)
"""One level of index."""
SO360: Final = Console(
    "360",
    "360's webmaster console (zhanzhang.so.com): the sitemap form, after approval by mail",
    frozenset({_URLSET, _TEXT, _INDEX}),
    "http://m.lexin001.com/artinfo/23107",
)
TOUTIAO: Final = Console(
    "toutiao",
    "Toutiao's webmaster console (zhanzhang.toutiao.com): the sitemap form; each subdomain apart",
    frozenset({_URLSET, _TEXT}),
    "https://www.taoyuanxia.com/web/62.html",
    max_loc_bytes=None,
    in_all=50,
)
"""What is said of indexes contradicts itself, so none is handed in. Later reports name 30 MB."""
NAVER: Final = Console(
    "naver",
    "Naver Search Advisor: the sitemap and RSS forms of a site whose ownership was checked",
    frozenset({_URLSET, _RSS}),
    "https://searchadvisor.naver.com/guide/indexnow-request",
    day_zone="Asia/Seoul",
    max_bytes=52_428_800,
    max_loc_bytes=None,
)
"""No limits were found, so a file keeps to https://www.sitemaps.org/protocol.html. Nothing
first-hand was read about indexes."""
SHENMA: Final = Console(
    "shenma",
    "Shenma's webmaster console (zhanzhang.sm.cn): the sitemap form",
    frozenset({_URLSET, _INDEX}),
    "http://m.qqaiqin.com",
    max_pages=10_000,
    max_bytes=None,
)
"""Up to three levels of index."""

CONSOLES: Final[Mapping[str, Console]] = MappingProxyType(
    {one.name: one for one in (BAIDU, SOGOU, SO360, TOUTIAO, NAVER, SHENMA)}
)
MANUAL: Final = tuple(name for name in CONSOLES if name != BAIDU.name)
"""What a site's `manual` may name; Baidu's files are made by `flatten --baidu`."""
