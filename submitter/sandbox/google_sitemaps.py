"""The life of a submitted sitemap: pending, then read, then pending again when resubmitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from urllib.parse import urlsplit

from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.google_reading import Fetch, Reading, read_sitemap


@dataclass(slots=True)
class _Row:
    path: str
    submitted_at: datetime
    pending: bool = True
    downloaded_at: datetime | None = None
    reading: Reading | None = None


class SitemapTable:
    """What was submitted to each property. Guarded by the part's lock.

    A pending sitemap is read `fetch_after_s` after its submission (None: only by `advance`),
    seen the next time somebody asks. One that cannot be fetched stays pending and has no
    `lastDownloaded`, as reported of the live service; so do those in `never_fetched`.
    """

    def __init__(self, clock: SandboxClock, fetch: Fetch) -> None:
        self.fetch_after_s: float | None = 5.0
        self.never_fetched: set[str] = set()
        self._clock, self._fetch = clock, fetch
        self._rows: dict[str, dict[str, _Row]] = {}

    def submit(self, site: str, path: str) -> None:
        now, rows = self._clock.now(), self._rows.setdefault(site, {})
        row = rows.setdefault(path, _Row(path, now))
        row.submitted_at, row.pending = now, True

    def delete(self, site: str, path: str) -> bool:
        return self._rows.get(site, {}).pop(path, None) is not None

    def advance(self) -> int:
        """Read everything pending now; returns how many could be fetched."""
        pending = [(site, row) for site, row in self._all() if row.pending]
        return sum(self._read(site, row, self._clock.now()) for site, row in pending)

    def rows(self, site: str) -> list[dict[str, object]]:
        """As `sitemaps.list` shows them."""
        self._catch_up(site)
        return [_as_json(row) for row in self._rows.get(site, {}).values()]

    def row(self, site: str, path: str) -> dict[str, object] | None:
        self._catch_up(site)
        row = self._rows.get(site, {}).get(path)
        return _as_json(row) if row else None

    def children(self, site: str, index: str) -> list[dict[str, object]] | None:
        """The children of a submitted index; None when it was never submitted."""
        self._catch_up(site)
        row = self._rows.get(site, {}).get(index)
        if row is None:
            return None
        children = row.reading.children if row.reading else {}
        return [
            _as_json(_Row(path, row.submitted_at, child is None, row.downloaded_at, child))
            for path, child in children.items()
        ]

    def _all(self) -> Iterator[tuple[str, _Row]]:
        for site, rows in self._rows.items():
            for row in rows.values():
                yield site, row

    def _catch_up(self, site: str) -> None:
        if self.fetch_after_s is None:
            return
        wait = timedelta(seconds=self.fetch_after_s)
        for row in self._rows.get(site, {}).values():
            if row.pending and row.submitted_at + wait <= self._clock.now():
                self._read(site, row, row.submitted_at + wait)

    def _read(self, site: str, row: _Row, at: datetime) -> bool:
        if row.path in self.never_fetched:
            return False
        reading = read_sitemap(row.path, self._fetch, partial(covers, site))
        if reading is None:
            return False
        row.reading, row.downloaded_at, row.pending = reading, at, False
        return True


def covers(site: str, address: str) -> bool:
    """Does an address lie in a property: any scheme and subdomain, or under the exact prefix."""
    if not site.startswith("sc-domain:"):
        return address.startswith(site)
    domain, parts = site.removeprefix("sc-domain:"), urlsplit(address)
    host = parts.hostname or ""
    return parts.scheme in ("http", "https") and (host == domain or host.endswith(f".{domain}"))


def _as_json(row: _Row) -> dict[str, object]:
    """Fields as on the wire: int64 are strings, what is not known is absent."""
    reading = row.reading
    shown: dict[str, object] = {
        "path": row.path,
        "lastSubmitted": _time(row.submitted_at),
        "isPending": row.pending,
        "isSitemapsIndex": bool(reading and reading.is_index),
        "warnings": str(reading.warnings if reading else 0),
        "errors": str(reading.errors if reading else 0),
    }
    if row.downloaded_at and reading:
        shown["lastDownloaded"] = _time(row.downloaded_at)
        shown["type"] = reading.type
        if contents := _contents(reading):
            shown["contents"] = contents
    return shown


def _contents(reading: Reading) -> list[dict[str, str]]:
    """`indexed` is dead and reads zero everywhere, yet it is still sent."""
    counts = {"web": reading.pages, "image": reading.images}
    return [
        {"type": kind, "submitted": str(count), "indexed": "0"}
        for kind, count in counts.items()
        if count
    ]


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
