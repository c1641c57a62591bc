"""What is to be built: whose pages, in which files, for which engine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from typing import Final
from urllib.parse import urlsplit

from submitter.core import urls
from submitter.core.building.extensions import EXTENDED_ROOT, NEWS_ROOT
from submitter.core.building.families import (
    DELTA,
    FRESH_NEWS,
    Archive,
    FamilyRule,
    FamilySorter,
)
from submitter.core.building.leaks import Parameters
from submitter.core.building.rows import FIELDS
from submitter.core.fleet import GuardRule
from submitter.core.shards import BAIDU, GOOGLE, Family, Profile
from submitter.core.sitemap_xml import ROOT
from submitter.errors import ConfigError

PROFILES: Final = {profile.name: profile for profile in (GOOGLE, BAIDU)}

NEWS_DAYS: Final = 2
NEWS_PER_FILE: Final = 1_000
"""A news sitemap names articles of the last two days, a thousand in one file. Source:
https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap,
read 2026-11-30."""

DELTA_HOURS: Final = 48
FORMAT: Final = "1"
"""Counted up when the same list and order would give other files."""


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """Raises ConfigError when `base_url` is no address of a folder or the profile cannot be."""

    base_url: str
    """Where the folder will be seen; pages are those of its host."""
    profile: Profile = GOOGLE
    families: tuple[FamilyRule, ...] = ()
    archives: Mapping[str, Archive] = field(default_factory=dict)
    """By family; the empty name stands for every other one."""
    delta_hours: int = DELTA_HOURS
    """Zero: no delta files."""
    index_name: str = "sitemap-index.xml"
    gz: bool = False
    zone: tzinfo | None = None
    """Of times without one."""
    kept_parameters: tuple[str, ...] = ()
    dropped_parameters: tuple[str, ...] = ()
    guard: GuardRule = GuardRule()

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(urls.normalize(self.base_url))
        except urls.BadUrl as error:
            raise ConfigError.one("--base", error.problem) from error
        if parts.query or "#" in self.base_url:
            raise ConfigError.one("--base", "a folder has no query")
        if not self.index_name.endswith(".xml") or "/" in self.index_name:
            raise ConfigError.one("--index", f"no file name ending in .xml: {self.index_name!r}")

    @property
    def folder_url(self) -> str:
        return urls.normalize(self.base_url).removesuffix("/") + "/"

    @property
    def site(self) -> str:
        return urls.origin_of(self.base_url)

    def address(self, name: str) -> str:
        return self.folder_url + name

    def family(self, prefix: str) -> Family:
        """The family of files with this prefix."""
        profile, root = self.profile, ROOT
        if prefix == FRESH_NEWS:
            most = min(NEWS_PER_FILE, profile.max_pages)
            profile, root = replace(profile, max_pages=most), NEWS_ROOT
        elif profile.extensions:
            root = EXTENDED_ROOT
        return Family(prefix, profile, root, gz=self.gz)

    def sorter(self) -> FamilySorter:
        return FamilySorter(self.families, self.archives)

    def parameters(self) -> Parameters:
        return Parameters(self.kept_parameters, self.dropped_parameters)

    def fields(self) -> frozenset[str]:
        """Every field of a row that is read."""
        return frozenset({*FIELDS, *(rule.field for rule in self.families if rule.field)})

    def window_start(self, now: datetime) -> int:
        """The second from which on a change belongs into the delta."""
        if not self.delta_hours:
            return 1 << 62
        return int((now - timedelta(hours=self.delta_hours)).timestamp())

    def news_start(self, now: datetime) -> int:
        return int((now - timedelta(days=NEWS_DAYS)).timestamp())

    def fingerprint(self) -> str:
        """Equal orders make equal files of equal lists."""
        text = repr((FORMAT, replace(self, guard=GuardRule())))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


MOVING: Final = frozenset({DELTA, FRESH_NEWS})
"""Families whose pages stand in another one as well, and come and go with time."""
