"""Makes the files that Baidu takes by hand, and the list of those to hand in today.

The pages of one site go into flat files inside Baidu's limits whose addresses never change. Pages
confirmed dead go into files of the same format that have a form of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from submitter.core import urls
from submitter.core.checklist import (
    BAIDU_FORM,
    Agenda,
    Form,
    FormLimits,
    Item,
    Listed,
    agenda,
    baidu_form,
    relist,
)
from submitter.core.findings import MAX_EXAMPLES, Finding, Meaning, Severity
from submitter.core.fleet import GuardRule, Site
from submitter.core.guard import judge
from submitter.core.looks import Delta, RootLook, SiteLook
from submitter.core.rooms import FILE_LIMIT
from submitter.core.shards import BAIDU, Difference, Family, FamilyChange, Fate, Profile, ShardFile
from submitter.core.sieve import FOREIGN_HOST, PageSieve, Row
from submitter.core.summary import Json, finding_json, timestamp
from submitter.errors import ConfigError
from submitter.ports import ChecklistBook, Edition, SitemapFolder

ENGINE: Final = "baidu"
_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

PREFIXES: Final = {Form.SITEMAP: "baidu", Form.DEAD_LINKS: "silian"}
"""Dead links have the same format; every page must answer 404 first.
Source: https://bninc.cn/wiki/post/id/3754, read 2026-11-30."""


@dataclass(frozen=True, slots=True)
class Order:
    """Whose files these are and where they will be seen.

    Raises ConfigError when `base_url` is not on the site itself: Baidu takes no other place.
    """

    site: str
    """Its origin, `https://shop.example.com`."""
    base_url: str = ""
    """The address of the folder; by default the site's root."""
    form: Form = Form.SITEMAP
    prefix: str = ""
    """Of the file names; by default the form's own."""
    profile: Profile = BAIDU
    limits: FormLimits = BAIDU_FORM
    guard: GuardRule = GuardRule()

    def __post_init__(self) -> None:
        try:
            if urls.host_of(self.folder_url) != urls.host_of(self.site):
                raise ConfigError.one("base URL", f"{self.base_url[:200]!r} is not on {self.site}")
        except urls.BadUrl as error:
            raise ConfigError.one("base URL", error.problem) from error

    @classmethod
    def of(cls, site: Site, base_url: str, *, form: Form = Form.SITEMAP) -> Order:
        """For a site of the inventory, within what its console takes."""
        limits = baidu_form(site)
        profile = replace(BAIDU, max_files=limits.in_all)
        return cls(
            site.origin, base_url, form=form, profile=profile, limits=limits, guard=site.guard
        )

    @property
    def folder_url(self) -> str:
        return (self.base_url or self.site).removesuffix("/") + "/"

    @property
    def family(self) -> Family:
        return Family(self.prefix or PREFIXES[self.form], self.profile)

    def address(self, name: str) -> str:
        return self.folder_url + name


@dataclass(frozen=True, slots=True)
class BaiduFiles:
    """What was written. `rows` = `pages` + the sum of `dropped`; held: nothing was touched."""

    order: Order
    rows: int
    pages: int
    """Listed pages that are in a file."""
    dropped: dict[str, int]
    difference: Difference
    files: tuple[ShardFile, ...]
    moved: int
    held: bool
    agenda: Agenda
    findings: tuple[Finding, ...]


def write_baidu_files(
    rows: Iterable[Row],
    folder: SitemapFolder,
    order: Order,
    book: ChecklistBook,
    *,
    now: datetime,
    complete: Callable[[], bool] = lambda: True,
    force: bool = False,
) -> BaiduFiles:
    """Bring the folder up to the rows, and the book up to the folder.

    `complete` is asked after the last row: False means that the list may be cut, and pages it
    does not name stay. What looks like an accident is held unless `force`. Idempotent.
    """
    with folder.edition() as edition:
        writing = BaiduWriting(edition, order, book)
        writing.add(rows)
        return writing.finish(complete=complete(), now=now, force=force)


class BaiduWriting:
    """As `write_baidu_files`, for rows that come in parts: `add` each part, then `finish` once."""

    def __init__(self, edition: Edition, order: Order, book: ChecklistBook) -> None:
        self._edition, self._order, self._book = edition, order, book
        self._sieve = PageSieve(order.site, order.profile)
        self._draft = edition.draft(order.family)

    def add(self, rows: Iterable[Row]) -> None:
        self._draft.add(self._sieve.sift(rows))

    def finish(self, *, complete: bool, now: datetime, force: bool = False) -> BaiduFiles:
        items = self._book.items(ENGINE, self._order.site)
        held = () if force or not complete else self._reasons_to_hold(now)
        if held:
            change = FamilyChange((), self._draft.difference())
            return self._report(change, items, held, now, held=True)
        registered = _registered(self._order, items)
        change = self._draft.finish(registered=registered, keep_unlisted=not complete)
        self._edition.publish()
        self._book.save(_relisted(self._order, items, change, now))
        items = self._book.items(ENGINE, self._order.site)
        return self._report(change, items, _about_files(self._order, change, complete), now)

    def _reasons_to_hold(self, now: datetime) -> tuple[Finding, ...]:
        """Dead links come and go as they please. New pages are not judged: they can be taken out
        again, and those that no file has room for are new every day."""
        if self._order.form is Form.DEAD_LINKS:
            return ()
        difference = self._draft.difference()
        look = SiteLook(
            site=self._order.site,
            at=now,
            first=not difference.known,
            roots=(RootLook(self._order.site, True, "", None, 0, False),),
            listed=difference.listed,
            foreign=self._sieve.dropped[FOREIGN_HOST],
            baseline=difference.known,
            since_baseline=Delta(gone=difference.gone),
        )
        return judge(look, self._order.guard)

    def _report(
        self,
        change: FamilyChange,
        items: Sequence[Item],
        findings: Sequence[Finding],
        now: datetime,
        *,
        held: bool = False,
    ) -> BaiduFiles:
        to_do = agenda(items, self._order.limits, now=now)
        dropped = self._sieve.dropped + Counter(change.difference.duplicates)
        return BaiduFiles(
            order=self._order,
            rows=self._sieve.rows,
            pages=change.difference.listed - sum(change.left_out.values()),
            dropped=dict(sorted((dropped + Counter(change.left_out)).items())),
            difference=change.difference,
            files=change.files,
            moved=change.moved,
            held=held,
            agenda=to_do,
            findings=(*findings, *self._sieve.findings(), *_about_console(self._order, to_do)),
        )


# ---------------------------------------------------------------- the list to hand in


def _registered(order: Order, items: Iterable[Item]) -> frozenset[int]:
    """Numbers of files that must go on answering. A dead-link file may go: its last page, kept,
    would call a page dead that is alive."""
    if order.form is Form.DEAD_LINKS:
        return frozenset()
    names = (
        item.address.removeprefix(order.folder_url)
        for item in items
        if item.registered and item.form is order.form
    )
    numbers = map(order.family.number, names)
    return frozenset(number for number in numbers if number is not None)


def _relisted(
    order: Order, items: Iterable[Item], change: FamilyChange, now: datetime
) -> tuple[Item, ...]:
    listed = [
        Listed(order.address(file.name), changed=file.fate is not Fate.KEPT)
        for file in change.files
        if file.fate not in (Fate.EMPTIED, Fate.REMOVED)
    ]
    return relist(items, listed, engine=ENGINE, site=order.site, form=order.form, now=now)


# ---------------------------------------------------------------- what there is to say


def _about_files(order: Order, change: FamilyChange, complete: bool) -> tuple[Finding, ...]:
    """Only notes with a count above zero are findings."""
    where, most = order.folder_url, order.profile.max_files
    standing = [file for file in change.files if file.fate is not Fate.REMOVED]
    emptied = [order.address(file.name) for file in standing if file.fate is Fate.EMPTIED]
    missing = [order.address(order.family.name(number)) for number in change.missing]
    over = len(standing) - most if most else 0
    cut, elsewhere = int(not complete), int(urlsplit(where).path != "/")
    left_out, examples = change.left_out.get(FILE_LIMIT, 0), map(urls.shown, change.examples)
    notes = (
        _note("incomplete-list", where, cut),
        _note(FILE_LIMIT, where, left_out, examples, most=most),
        _note("too-many-files", where, over, most=most),
        _note("pages-moved", where, change.moved),
        _note("file-emptied", where, len(emptied), emptied),
        _note("file-missing", where, len(missing), missing),
        _note("not-at-root", where, elsewhere),
    )
    return tuple(note for note in notes if note.count > 0)


def _about_console(order: Order, to_do: Agenda) -> tuple[Finding, ...]:
    addresses = [item.address for item in to_do.withdraw]
    notes = (
        _note("withdraw-file", order.site, len(addresses), addresses),
        _note("console-full", order.site, to_do.over_limit, most=order.limits.in_all),
    )
    return tuple(note for note in notes if note.count > 0)


FILE_IDS: Final = {
    "incomplete-list": Meaning(_WARNING, "a part was not read: no page was removed"),
    FILE_LIMIT: Meaning(_ERROR, "all files are full: these pages are in none"),
    "too-many-files": Meaning(_WARNING, "more files than may be handed in; none was removed"),
    "pages-moved": Meaning(_INFO, "a file had grown over its limit"),
    "file-emptied": Meaning(
        _WARNING, "no page is left in it; its last one stays, since an empty sitemap is invalid"
    ),
    "file-missing": Meaning(
        _ERROR, "handed in, but gone from the folder, and there is no page to fill it"
    ),
    "not-at-root": Meaning(
        _WARNING, "some copies of Baidu's help demand that sitemaps lie at the root"
    ),
    "withdraw-file": Meaning(
        _WARNING, "no page is left behind it: take it out of the console, then tick it off"
    ),
    "console-full": Meaning(_WARNING, "the console takes no more addresses"),
}
"""Ids of findings about the files and their list, for the docs. They only grow."""


def _note(
    id: str, where: str, count: int, examples: Iterable[str] = (), *, most: int | None = None
) -> Finding:
    severity, text = FILE_IDS[id]
    message = text if most is None else f"{text} ({most:,} at most)"
    return Finding(id, severity, where, message, count, tuple(islice(examples, MAX_EXAMPLES)))


# ---------------------------------------------------------------- JSON


def baidu_files_json(report: BaiduFiles) -> Json:
    """The document of `flatten --baidu --json`; it only grows."""
    difference = report.difference
    return {
        "site": report.order.site,
        "form": str(report.order.form),
        "held": report.held,
        "rows": report.rows,
        "pages": report.pages,
        "dropped": report.dropped,
        "known": difference.known,
        "delta": {
            "new": difference.new,
            "changed": difference.changed,
            "gone": difference.gone,
            "kept": difference.kept,
            "moved": report.moved,
        },
        "files": [_file_json(report.order, file) for file in report.files],
        "manual": agenda_json(report.agenda),
        "findings": [finding_json(finding) for finding in report.findings],
    }


def agenda_json(to_do: Agenda) -> Json:
    """The document of `manual --json`; it only grows."""
    return {
        "hand_in": [item_json(item) for item in to_do.hand_in],
        "waiting": to_do.waiting,
        "over_limit": to_do.over_limit,
        "handed_in_today": to_do.handed_in_today,
        "handed_in": [item_json(item) for item in to_do.handed_in],
        "withdraw": [item_json(item) for item in to_do.withdraw],
    }


def item_json(item: Item) -> Json:
    return {
        "engine": item.engine,
        "site": item.site,
        "address": item.address,
        "form": str(item.form),
        "first_listed_at": timestamp(item.first_listed_at),
        "changed_at": timestamp(item.changed_at),
        "changed_since": item.changed_since,
        "handed_in_at": timestamp(item.handed_in_at),
        "retired_at": timestamp(item.retired_at),
        "withdrawn_at": timestamp(item.withdrawn_at),
    }


def _file_json(order: Order, file: ShardFile) -> Json:
    return {
        "name": file.name,
        "address": order.address(file.name),
        "pages": file.pages,
        "bytes": file.bytes,
        "fate": str(file.fate),
    }
