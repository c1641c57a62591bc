"""The JSON documents about files and lists for consoles."""

from __future__ import annotations

from typing import TypedDict

from submitter.render.documents import FindingDoc, FlattenDoc


class ItemDoc(TypedDict):
    engine: str
    site: str
    address: str
    """What is pasted into the console's form."""
    form: str
    """`sitemap` or `dead-links`."""
    first_listed_at: str
    """When it came onto the list."""
    changed_at: str
    """When the file behind it last changed."""
    changed_since: bool
    """It changed after it was handed in: the console may be asked to read it again."""
    handed_in_at: str | None
    """When a person ticked it off."""
    retired_at: str | None
    """Since when no page stands behind it."""
    withdrawn_at: str | None
    """When a person took it out of the console."""


class AgendaDoc(TypedDict):
    hand_in: list[ItemDoc]
    """Today, in this order."""
    waiting: int
    """Take their turn on a later day."""
    over_limit: int
    """Would exceed what the console takes in all."""
    handed_in_today: int
    """On the console's own day."""
    handed_in: list[ItemDoc]
    """In the console now."""
    withdraw: list[ItemDoc]
    """In the console, but without a page: to be taken out."""


class ChecklistDoc(AgendaDoc):
    site: str
    engine: str
    where: str
    """Where a person finds the form."""
    per_day: int | None
    """Addresses that the console takes on a day; null: no figure is known."""
    in_all: int | None
    """Addresses that the console takes in all; null: no figure is known."""
    source: str
    """Where the console's rules were read."""
    read_on: str
    """When they were read."""
    findings: list[FindingDoc]


class ManualDoc(TypedDict):
    lists: list[ChecklistDoc]
    """By site and engine."""


class TickDoc(TypedDict):
    changed: list[ItemDoc]
    """Items that are not as they were before."""


class FileDeltaDoc(TypedDict):
    new: int
    """Pages in no file before."""
    changed: int
    """Pages whose entry differs."""
    gone: int
    """Pages no longer listed."""
    kept: int
    """Not named by a list that was not whole."""
    moved: int
    """Pages whose file had grown over its limit."""


class FileDoc(TypedDict):
    name: str
    """In the folder; it never changes."""
    address: str
    """Where engines will see it."""
    pages: int
    """Pages in it."""
    bytes: int
    """Its size."""
    fate: str
    """`kept` (not touched), `changed`, `new`, `emptied` or `removed`."""


class FilesDoc(TypedDict):
    site: str
    form: str
    """`sitemap` or `dead-links`."""
    held: bool
    """It looks like an accident: no file was touched."""
    rows: int
    """What was listed: `pages` and what was dropped."""
    pages: int
    """Listed pages that are in a file."""
    dropped: dict[str, int]
    """Listed and in no file, by reason."""
    known: int
    """Pages in the files before."""
    delta: FileDeltaDoc
    files: list[FileDoc]
    """By number."""
    manual: AgendaDoc
    """What to hand in now."""
    findings: list[FindingDoc]


class DeadLinksDoc(TypedDict):
    gone: int
    """Pages that left the sitemaps for good and were asked for."""
    confirmed: int
    """They answered 404 or 410."""
    still_there: int
    """They answered otherwise, so nobody calls them dead."""
    unreachable: int
    """They gave no answer."""
    unasked: int
    """The site had stopped answering."""
    files: FilesDoc | None
    """null: the site stopped answering, and the files stand as they were."""


class BaiduDoc(FilesDoc):
    folder: str
    """Where the files are."""
    remembered: bool
    """False: there is no ledger, so the list is forgotten."""
    dead_links: DeadLinksDoc | None
    """null without --dead."""


class FlattenBaiduDoc(FlattenDoc):
    baidu: BaiduDoc
    """The files for Baidu."""
