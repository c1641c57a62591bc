"""What a person hands in at engines' consoles: lists that follow the sites, and ticks on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from submitter.core.checklist import (
    Agenda,
    Form,
    Item,
    Listed,
    agenda,
    baidu_form,
    relist,
)
from submitter.core.consoles import BAIDU, CONSOLES, Console
from submitter.core.findings import MAX_EXAMPLES, Finding, Meaning, Severity
from submitter.core.fleet import Site
from submitter.core.looks import DocumentMemory
from submitter.errors import ConfigError, LedgerError
from submitter.ports import Ledger, ManualBook

MANUAL_IDS: Final = {
    "flat-files-needed": Meaning(
        Severity.WARNING,
        "the console is not known to take all that the site declares, or it was not read yet: "
        "`submitter flatten URL --baidu DIR` makes flat files",
    ),
    "file-too-long": Meaning(Severity.WARNING, "files hold more pages than the console takes"),
}
"""Ids of findings about what consoles want, for the docs. They only grow."""

Chosen = Callable[[str, str], bool]
"""Whether a site (by origin) at an engine is meant."""


@dataclass(frozen=True, slots=True)
class Checklist:
    """What there is to do for one site in one console."""

    site: str
    console: Console
    agenda: Agenda
    findings: tuple[Finding, ...] = ()


class ForgetfulBook:
    """Implements `ports.ChecklistBook` where there is no ledger: nothing outlasts the call."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str, str], Item] = {}

    def items(self, engine: str, site: str) -> list[Item]:
        return [item for item in self._items.values() if (item.engine, item.site) == (engine, site)]

    def save(self, items: Sequence[Item]) -> None:
        self._items.update({(item.engine, item.site, item.address): item for item in items})


def book_of(ledger: Ledger) -> ManualBook:
    """Raises LedgerError when it cannot remember what is done by hand."""
    if not isinstance(ledger, ManualBook):
        raise LedgerError("ledger: keeps no list of what is handed in by hand")
    return ledger


# ---------------------------------------------------------------- the lists


def make_checklists(
    sites: Iterable[Site], ledger: Ledger, *, now: datetime, chosen: Chosen
) -> list[Checklist]:
    """Bring the lists of the sites' consoles up to date, then give every chosen list there is,
    those of sites outside the inventory included. Idempotent."""
    book = book_of(ledger)
    findings: dict[tuple[str, str], tuple[Finding, ...]] = {}
    baidu: dict[str, Console] = {}
    for site in sites:
        baidu[site.origin] = _baidu_console(site)
        for name in site.manual:
            if chosen(site.origin, name):
                want = _want(site, CONSOLES[name], ledger, book)
                _follow(site, want, book, now)
                findings[site.origin, name] = want.findings
    lists = _by_list(book.every_item(), chosen)
    return [
        _checklist(
            site,
            baidu.get(site, BAIDU) if name == BAIDU.name else CONSOLES[name],
            lists.get((site, name), ()),
            findings.get((site, name), ()),
            now,
        )
        for site, name in sorted(lists.keys() | findings.keys())
    ]


def _checklist(
    site: str, console: Console, items: Sequence[Item], findings: tuple[Finding, ...], now: datetime
) -> Checklist:
    return Checklist(site, console, agenda(items, console.limits, now=now), findings)


def _baidu_console(site: Site) -> Console:
    """With the figures that the inventory says it shows for the site."""
    form = baidu_form(site)
    return replace(BAIDU, per_day=form.per_day, in_all=form.in_all)


def _by_list(items: Iterable[Item], chosen: Chosen) -> Mapping[tuple[str, str], list[Item]]:
    lists: defaultdict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        if item.engine in CONSOLES and chosen(item.site, item.engine):
            lists[item.site, item.engine].append(item)
    return lists


@dataclass(frozen=True, slots=True)
class _Want:
    """The addresses that a console should have, each with the last change behind it."""

    console: Console
    addresses: Mapping[str, datetime | None]
    findings: tuple[Finding, ...]


def _want(site: Site, console: Console, ledger: Ledger, book: ManualBook) -> _Want:
    """What the site declares where the console takes all of it, else its flat files."""
    declared = site.sitemaps or tuple(ledger.roots_of(site.origin))
    documents = {one.url: one for one in ledger.documents_of(site.origin)}
    if declared and all(_fits(documents.get(address), console) for address in declared):
        trees = {address: list(_tree(address, documents)) for address in declared}
        changes = {address: _last_change(tree) for address, tree in trees.items()}
        long = [one for tree in trees.values() for one in tree if _is_long(one.pages, console)]
        return _Want(console, changes, _notes(site, long=[one.url for one in long]))
    flat = [one for one in book.items(BAIDU.name, site.origin) if _is_flat_file(one)]
    files = {item.address: item.changed_at for item in flat}
    return _Want(console, files, () if files else _notes(site, lacking=declared or (site.origin,)))


def _fits(document: DocumentMemory | None, console: Console) -> bool:
    """A document that was not read yet may be an index."""
    return console.takes_indexes if document is None else document.kind in console.kinds


def _tree(address: str, documents: Mapping[str, DocumentMemory]) -> Iterator[DocumentMemory]:
    """The document and all below it, each once."""
    ahead, seen = [address], set[str]()
    while ahead:
        url = ahead.pop()
        if url not in seen and url in documents:
            seen.add(url)
            ahead += documents[url].children
            yield documents[url]


def _last_change(tree: Iterable[DocumentMemory]) -> datetime | None:
    return max((one.changed_at for one in tree), default=None)


def _is_long(pages: int, console: Console) -> bool:
    return console.max_pages is not None and pages > console.max_pages


def _is_flat_file(item: Item) -> bool:
    return item.form is Form.SITEMAP and item.retired_at is None


def _notes(
    site: Site, *, lacking: Sequence[str] = (), long: Sequence[str] = ()
) -> tuple[Finding, ...]:
    found = {"flat-files-needed": lacking, "file-too-long": long}
    return tuple(
        Finding(
            id, meaning.severity, site.origin, meaning.text, len(found[id]),
            tuple(found[id][:MAX_EXAMPLES]),
        )
        for id, meaning in MANUAL_IDS.items()
        if found[id]
    )  # fmt: skip


def _follow(site: Site, want: _Want, book: ManualBook, now: datetime) -> None:
    """Bring the book up to what the console should have."""
    name = want.console.name
    items = book.items(name, site.origin)
    seen = {item.address: item.changed_at for item in items}
    listed = [
        Listed(address, changed=at is not None and address in seen and seen[address] < at)
        for address, at in want.addresses.items()
    ]
    book.save(relist(items, listed, engine=name, site=site.origin, form=Form.SITEMAP, now=now))


# ---------------------------------------------------------------- the ticks


def mark(
    book: ManualBook,
    addresses: Iterable[str],
    alter: Callable[[Sequence[Item], Sequence[str]], tuple[Item, ...]],
    *,
    chosen: Chosen,
) -> tuple[Item, ...]:
    """Alter the items of these addresses and remember them; gives those that changed.

    ConfigError names addresses that are on no chosen list, or on those of several engines.
    """
    wanted = list(dict.fromkeys(addresses))
    found: defaultdict[str, list[Item]] = defaultdict(list)
    for item in book.every_item():
        if item.address in wanted and chosen(item.site, item.engine):
            found[item.address].append(item)
    _check(wanted, found)
    changed = alter([item for items in found.values() for item in items], wanted)
    book.save(changed)
    return changed


def _check(wanted: Sequence[str], found: Mapping[str, Sequence[Item]]) -> None:
    strange = [address for address in wanted if address not in found]
    if strange:
        raise ConfigError.one("manual list", f"not on it: {', '.join(strange)[:200]!r}")
    for address, items in found.items():
        if len(items) > 1:
            names = ", ".join(sorted({item.engine for item in items}))
            problem = f"{address[:200]!r} is on the lists of {names}; name one with --engine"
            raise ConfigError.one("manual list", problem)
