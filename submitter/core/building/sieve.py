"""From the rows of a list to entries, each one line of a file, or to the reason why not.

Most rows of most lists are alike and sound: those are judged by columns. Whatever is odd about a
row sends it the careful way, so that care costs only what is odd.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from submitter.core.building.accounts import Account
from submitter.core.building.changes import Change, ChangeDates, DateCensus
from submitter.core.building.extensions import (
    Alternate,
    alternates_of,
    images_xml,
    news_xml,
    videos_xml,
)
from submitter.core.building.orders import BuildOrder
from submitter.core.building.publicity import Publicity, check_fields
from submitter.core.building.reasons import UNREADABLE_LINE
from submitter.core.building.rows import Block, Row
from submitter.core.sitemap_xml import escape
from submitter.core.urls import (
    MAX_CHARACTERS,
    BadUrl,
    all_normal,
    host_of,
    normalize,
    printable,
    shown,
)

_EMPTY: Final[tuple[object, ...]] = (None, "", False, 0, [], {})
_HARMLESS: Final[Mapping[str, tuple[object, ...]]] = {
    "public": (True,),
    "draft": _EMPTY,
    "status": (None, "", 200, "200", "published"),
    "noindex": _EMPTY,
    "redirect_to": _EMPTY,
    "alternates": _EMPTY,
    "images": _EMPTY,
    "videos": _EMPTY,
    "news": _EMPTY,
}
"""Values that need no second look."""

_JUDGED_BY_TIME: Final = ("future-lastmod", "bad-video", "bad-news")
_EXTENDING: Final = ("images", "videos", "alternates", "news")


@dataclass(slots=True)
class Sifted:
    """The entries of some lines, by column, and what became of the other lines."""

    identities: list[str]
    lines: list[bytes]
    prefixes: list[str]
    """Of the files of each entry's family."""
    recent: list[int]
    """Entries that changed within the window, by their place in the columns."""
    account: Account
    alternates: list[tuple[int, list[Alternate]]] = field(default_factory=list)
    """Those of an entry, which have to be proven by the whole list."""
    news: list[tuple[int, bytes]] = field(default_factory=list)
    """Articles fresh enough for the news file, as a line of it."""
    numbers: Sequence[int] = ()
    """The line of the list that each entry came from."""
    dates: tuple[int, int, int] = (0, 0, 0)
    """Number of dates, the earliest, the latest."""
    timeless: bool = True
    """Read at a later time, the lines would say the same."""
    plain: bool = True
    """Every address is written in its normal form."""


@dataclass(slots=True)
class _Page:
    identity: str
    sent: str
    line: bytes
    prefix: str
    change: Change
    alternates: list[Alternate]
    news: bytes | None
    timeless: bool


class BuildSieve:
    """Judges the rows of one list. Raises BadUrl when the order's base is no address; `sift`
    raises ConfigError for fields that would hide pages but for their case."""

    def __init__(self, order: BuildOrder, now: datetime) -> None:
        self._order, profile = order, order.profile
        self._own = f"{order.site}/"
        self._host = host_of(order.base_url)
        self._longest = min(profile.max_loc_bytes or MAX_CHARACTERS, MAX_CHARACTERS)
        self._extends = profile.extensions
        self._sorter = order.sorter()
        self._parameters = order.parameters()
        self._publicity = Publicity(self._parameters, own=self._own, longest=self._longest)
        self._dates = ChangeDates(now, order.zone)
        self.since = order.window_start(now)
        self.fresh_since = order.news_start(now)
        self._now = int(now.timestamp())
        self._read_fields = order.fields()
        self.census = DateCensus(now)
        self.unused: Counter[str] = Counter()
        self._layouts: dict[tuple[str, ...], tuple[str, ...]] = {}

    def sift(self, block: Block) -> Sifted:
        """Runs for each thousand of millions of rows."""
        account = Account(lines=len(block.rows) + sum(one.count for one in block.unread))
        for one in block.unread:
            account.drop(UNREADABLE_LINE, one.line, printable(one.problem), one.count)
        columns = self._columns(block.rows)
        if columns is None:
            everything = range(len(block.rows))
            return self._join(block, _Columns.blank(len(block.rows)), everything, account)
        return self._join(block, columns, sorted(columns.odd), account)

    # ------------------------------------------------------------ by columns

    def _columns(self, rows: Sequence[Row]) -> _Columns | None:
        """What the sound ones among these rows give; None when they are too odd for columns."""
        layouts = set(map(tuple, rows))
        if len(layouts) != 1 or "url" not in (layout := layouts.pop()):
            return None
        cells: dict[str, tuple[Any, ...]]
        cells = dict(zip(layout, zip(*[row.values() for row in rows], strict=True), strict=True))
        urls = cells["url"]
        prefixes = self._sorter.all_placed(cells.get("type"), len(rows))
        if prefixes is None or set(map(type, urls)) != {str}:
            return None
        odd: set[int] = set()
        if None in prefixes:
            odd.update([at for at, prefix in enumerate(prefixes) if prefix is None])
        for name in self._risky(layout):
            odd |= _unlike(cells[name], name, urls)
        odd |= self._odd_addresses(urls)
        texts, seconds = self._read_dates(cells.get("lastmod"), len(rows), odd)
        sound = ["" if at in odd else url for at, url in enumerate(urls)] if odd else urls
        return _Columns(list(urls), _render(sound, texts), prefixes, list(seconds), odd)

    def _risky(self, layout: tuple[str, ...]) -> tuple[str, ...]:
        """The fields of such rows that may keep a page out, or put more into its entry."""
        if layout not in self._layouts:
            check_fields(layout, self._read_fields)
            unused = [name for name in layout if name not in self._read_fields]
            self.unused.update(unused)
            names = (name for name in layout if name in _HARMLESS or name == "canonical")
            self._layouts[layout] = tuple(names)
        return self._layouts[layout]

    def _odd_addresses(self, urls: Sequence[str]) -> set[int]:
        """Those not in normal form, on another host, too long, or with a suspect parameter."""
        odd: set[int] = set()
        own, longest, joined = self._own, self._longest, "\n".join(urls)
        if not all_normal(urls):
            odd = {at for at, url in enumerate(urls) if not _is_normal(url)}
        if f"\n{joined}".count(f"\n{own}") < len(urls):
            odd.update([at for at, url in enumerate(urls) if not url.startswith(own)])
        if max(map(len, urls)) > longest:
            odd.update([at for at, url in enumerate(urls) if len(url) > longest])
        if ("?" in joined or ";" in joined) and self._parameters.among(urls):
            odd.update([at for at, url in enumerate(urls) if self._parameters.among([url])])
        return odd

    def _read_dates(
        self, values: Sequence[Any] | None, size: int, odd: set[int]
    ) -> tuple[Sequence[str], Sequence[int]]:
        """Texts to write, and seconds, zero for none. A date with something to say is odd."""
        if values is None:
            return [""] * size, [0] * size
        seconds = self._dates.read_all(values)
        if seconds is not None:
            return values, seconds
        changes = [self._dates.read(value) for value in values]
        odd.update([at for at, change in enumerate(changes) if change.fault])
        return [change.text for change in changes], [change.at for change in changes]

    # ------------------------------------------------------------ one by one

    def _join(
        self, block: Block, columns: _Columns, careful: Sequence[int], account: Account
    ) -> Sifted:
        """The sound rows as they are, the others one by one, all in their order."""
        alternates: dict[int, list[Alternate]] = {}
        news: dict[int, bytes] = {}
        dropped: set[int] = set()
        timeless = plain = True
        for at in careful:
            page = self._judge(block.rows[at], block.numbers[at], account)
            if page is None:
                dropped.add(at)
                continue
            columns.put(at, page.identity, page.line, page.prefix, page.change.at)
            timeless = timeless and page.timeless
            plain = plain and page.sent == page.identity
            if page.alternates:
                alternates[at] = page.alternates
            if page.news is not None:
                news[at] = page.news
        numbers = columns.drop(dropped, block.numbers)
        places = {at: place for place, at in enumerate(columns.origins)} if dropped else None
        return Sifted(
            identities=columns.identities,
            lines=columns.lines,
            prefixes=columns.placed(),
            recent=columns.changed_since(self.since),
            account=account,
            alternates=[(places[at] if places else at, links) for at, links in alternates.items()],
            news=[(places[at] if places else at, line) for at, line in news.items()],
            numbers=numbers,
            dates=self.census.add([at for at in columns.seconds if at]),
            timeless=timeless,
            plain=plain,
        )

    def _judge(self, row: Row, number: int, account: Account) -> _Page | None:
        """One row, with everything that may be odd about it."""
        self._risky(tuple(row))
        address = self._publicity.address(row)
        if address.fault:
            account.drop(address.fault, number, address.words)
            return None
        if reason := self._publicity.why_not(row, address):
            account.drop(reason, number, shown(str(row["url"]).strip()))
            return None
        return self._page(row, number, address.identity, address.sent, account)

    def _page(self, row: Row, number: int, identity: str, sent: str, account: Account) -> _Page:
        left_out: Counter[str] = Counter()
        change = self._dates.read(row.get("lastmod"))
        prefix, note = self._sorter.place(row, identity)
        left_out.update(one for one in (change.fault, note) if one)
        head = f"<url><loc>{escape(sent)}</loc>"
        if change.text:
            head += f"<lastmod>{change.text}</lastmod>"
        alternates, media = self._extras(row, identity, left_out)
        article, fresh = self._article(row, head, left_out)
        links = "".join([one.xml for one in alternates])
        account.leave_out(left_out, number, shown(sent))
        return _Page(
            identity,
            sent,
            f"{head}{links}{media}</url>\n".encode(),
            prefix,
            change,
            alternates,
            article,
            timeless=fresh and left_out.keys().isdisjoint(_JUDGED_BY_TIME),
        )

    def _extras(
        self, row: Row, identity: str, left_out: Counter[str]
    ) -> tuple[list[Alternate], str]:
        if not self._extends:
            left_out["not-taken-here"] += any(row.get(name) for name in _EXTENDING)
            left_out += Counter()
            return [], ""
        alternates = alternates_of(row.get("alternates"), left_out)
        if alternates and identity not in [one.identity for one in alternates]:
            left_out["alternate-without-self"] += 1
        media = images_xml(row.get("images"), left_out)
        return alternates, media + videos_xml(row.get("videos"), self._dates, left_out)

    def _article(self, row: Row, head: str, left_out: Counter[str]) -> tuple[bytes | None, bool]:
        """The line for the news file, if it is fresh; and whether that stays so."""
        value = row.get("news")
        if not self._extends or value in _EMPTY:
            return None, True
        found = news_xml(value, self._dates)
        if found is None:
            left_out["bad-news"] += 1
            return None, False
        xml, published = found
        if not self.fresh_since <= published.at <= self._now:
            return None, published.at <= self._now
        return f"{head}{xml}</url>\n".encode(), True


@dataclass(slots=True)
class _Columns:
    identities: list[str]
    lines: list[bytes]
    prefixes: list[str | None]
    seconds: list[int]
    odd: set[int]
    origins: Sequence[int] = ()
    """After `drop`: where each row that is left was."""

    @classmethod
    def blank(cls, size: int) -> _Columns:
        return cls([""] * size, [b""] * size, [None] * size, [0] * size, set())

    def put(self, at: int, identity: str, line: bytes, prefix: str, second: int) -> None:
        self.identities[at], self.lines[at] = identity, line
        self.prefixes[at], self.seconds[at] = prefix, second

    def placed(self) -> list[str]:
        return [prefix or "" for prefix in self.prefixes]

    def changed_since(self, second: int) -> list[int]:
        if not self.seconds or max(self.seconds) < second:
            return []
        return [at for at, changed in enumerate(self.seconds) if changed >= second]

    def drop(self, dropped: set[int], numbers: Sequence[int]) -> Sequence[int]:
        """Take rows out; gives the numbers of those that are left."""
        if not dropped:
            return numbers
        kept = [at for at in range(len(self.identities)) if at not in dropped]
        self.identities = [self.identities[at] for at in kept]
        self.lines = [self.lines[at] for at in kept]
        self.prefixes = [self.prefixes[at] for at in kept]
        self.seconds = [self.seconds[at] for at in kept]
        self.origins = kept
        return [numbers[at] for at in kept]


def _unlike(values: Sequence[Any], name: str, urls: Sequence[str]) -> set[int]:
    """The rows in which the field says something."""
    if name == "canonical":
        pairs = enumerate(zip(values, urls, strict=True))
        return {at for at, (value, url) in pairs if value != url and value not in (None, "")}
    harmless = _HARMLESS[name]
    if values.count(values[0]) == len(values) and values[0] in harmless:
        return set()
    return {at for at, value in enumerate(values) if value not in harmless}


def _is_normal(url: str) -> bool:
    try:
        return normalize(url) == url
    except BadUrl:
        return False


def _render(urls: Sequence[str], texts: Sequence[Any]) -> list[bytes]:
    """One line each. Addresses in normal form, or empty, and dates hold no end of a line."""
    if "&" in (joined := "\n".join(urls)) or "'" in joined:
        urls = escape(joined).split("\n")
    pairs = zip(urls, texts, strict=True)
    if all(texts):
        entries = [f"<url><loc>{url}</loc><lastmod>{text}</lastmod></url>\n" for url, text in pairs]
    else:
        entries = [
            f"<url><loc>{url}</loc>{f'<lastmod>{text}</lastmod>' if text else ''}</url>\n"
            for url, text in pairs
        ]
    return "".join(entries).encode().splitlines(keepends=True)
