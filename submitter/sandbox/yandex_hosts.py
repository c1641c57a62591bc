"""What the local Yandex keeps about a host, and how it shows it: both shapes of dates included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from submitter.sandbox.google_reading import Reading

DAY_ZONE = "Europe/Moscow"


@dataclass(slots=True)
class Sitemap:
    id: str
    url: str
    added_at: datetime
    accessed_at: datetime | None = None
    reading: Reading | None = None


@dataclass(slots=True)
class Host:
    """`id` is `scheme:host:port`; `added` and `queue` in the order of arrival."""

    id: str
    url: str
    quota: int
    verified: bool
    loaded: bool
    added: list[Sitemap] = field(default_factory=list)
    queue: list[str] = field(default_factory=list)
    spent: Counter[date] = field(default_factory=Counter)

    @classmethod
    def at(cls, url: str, quota: int, *, verified: bool, loaded: bool) -> Host:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        root = f"{parts.scheme}://{parts.netloc}/"
        return cls(f"{parts.scheme}:{parts.hostname}:{port}", root, quota, verified, loaded)

    def left(self, day: date) -> int:
        return max(0, self.quota - self.spent[day])

    def add(self, url: str, at: datetime) -> Sitemap:
        number = len(self.added) + 1
        self.added.append(Sitemap(f"c7-fe:80-{number:x}", url, at))
        return self.added[-1]

    def holds(self, page: str) -> bool:
        return f"{page}/".startswith(self.url)


def page_of(sitemaps: Sequence[Sitemap], cursor: str, limit: int) -> Sequence[Sitemap]:
    """The sitemaps behind the one that the cursor names; from the first without one."""
    ids = [sitemap.id for sitemap in sitemaps]
    begin = ids.index(cursor) + 1 if cursor in ids else 0
    return sitemaps[begin : begin + limit]


def host_row(host: Host) -> dict[str, object]:
    return {
        "host_id": host.id,
        "ascii_host_url": host.url,
        "unicode_host_url": host.url,
        "verified": host.verified,
        "main_mirror": None,
    }


def added_row(sitemap: Sitemap) -> dict[str, object]:
    """Its date as the reference writes dates."""
    at = sitemap.added_at.astimezone(ZoneInfo(DAY_ZONE))
    shown = f"{at:%Y-%m-%dT%H:%M:%S},{at.microsecond // 1000:03d}{at:%z}"
    return {"sitemap_id": sitemap.id, "sitemap_url": sitemap.url, "added_date": shown}


def detected_row(sitemap: Sitemap) -> dict[str, object]:
    """Its date as clients saw dates."""
    reading, at = sitemap.reading, sitemap.accessed_at
    local = at.astimezone(ZoneInfo(DAY_ZONE)) if at else None
    return {
        "sitemap_id": sitemap.id,
        "sitemap_url": sitemap.url,
        "last_access_date": local.isoformat(timespec="milliseconds") if local else None,
        "errors_count": reading.errors if reading else 0,
        "urls_count": reading.pages if reading else 0,
        "children_count": len(reading.children) if reading else 0,
        "sources": ["WEBMASTER"],
        "sitemap_type": "INDEX_SITEMAP" if reading and reading.is_index else "SITEMAP",
    }
