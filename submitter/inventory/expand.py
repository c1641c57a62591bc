"""From the domains as written to sites: lists, mappings and files of hosts become one sequence."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from submitter.core.fleet import Site
from submitter.inventory.engines import Models
from submitter.inventory.faults import Faults, Row
from submitter.inventory.hosts import APEX, host_under, whole_host
from submitter.inventory.marks import Loc
from submitter.inventory.models import Written
from submitter.inventory.problems import kind_of, shown
from submitter.inventory.sites import Level, RuleBook, merge
from submitter.inventory.subdomains import MAX_BYTES, Listed, SubdomainsFile
from submitter.inventory.text import Unreadable, read_text

NOT_RULES = frozenset({"domain", "subdomains", "subdomains_file", "host"})


class Expander:
    """Makes the sites of one inventory. `common` are the merged keys of what holds for all."""

    def __init__(
        self,
        common: Level,
        book: RuleBook,
        *,
        models: Models,
        accounts: Collection[str],
        base: Path,
        faults: Faults,
    ) -> None:
        self._common, self._book, self._models = common, book, models
        self._accounts, self._base, self._faults = accounts, base, faults
        self._first: dict[str, Loc | Row] = {}

    def sites(self, written: object) -> Iterator[Site]:
        """In the order in which they are written; what is wrong is gathered and left out."""
        if written is None:
            self._faults.if_missing(("sites",))
        elif not isinstance(written, list):
            self._faults.at_value(("sites",), f"sites: should be a list, not {kind_of(written)}")
        elif not written:
            self._faults.at_value(("sites",), "sites: is empty")
        else:
            for at, entry in enumerate(written):
                yield from self._domain(entry, ("sites", at))

    def _domain(self, entry: object, loc: tuple[str | int, ...]) -> Iterator[Site]:
        if not isinstance(entry, dict):
            hint = "; write - domain: NAME" if isinstance(entry, str) else ""
            problem = f"sites: should be a mapping of keys, not {kind_of(entry)}{hint}"
            self._faults.at_value(loc, problem)
            return
        rest = {key: value for key, value in entry.items() if key != "subdomains"}
        keys = self._faults.validate(self._models.domain, rest, loc, accounts=self._accounts)
        listed = list(self._listed(entry, loc))
        domain = _domain_of(entry)
        if domain is not None:
            yield from self._named(domain, _level(keys), listed)

    def _listed(self, entry: Level, loc: tuple[str | int, ...]) -> Iterator[Listed]:
        if "subdomains" in entry:
            yield from self._list(entry["subdomains"], (*loc, "subdomains"))
        if isinstance(file := entry.get("subdomains_file"), str):
            yield from self._file(file, (*loc, "subdomains_file"))
        if not {"subdomains", "subdomains_file"} & entry.keys():
            yield Listed(APEX, (*loc, "domain"), {})

    def _list(self, written: object, loc: tuple[str | int, ...]) -> Iterator[Listed]:
        if not isinstance(written, list):
            problem = f"subdomains: should be a list, not {kind_of(written)}"
            self._faults.at_value(loc, problem)
        elif not written:
            problem = "subdomains: is empty; leave it out to name the domain itself"
            self._faults.at_value(loc, problem)
        else:
            for at, item in enumerate(written):
                yield from self._item(item, (*loc, at))

    def _item(self, item: object, loc: tuple[str | int, ...]) -> Iterator[Listed]:
        if isinstance(item, str):
            yield Listed(item, loc, {})
        elif isinstance(item, dict):
            model = self._models.subdomain
            keys = self._faults.validate(model, item, loc, accounts=self._accounts)
            if isinstance(host := item.get("host"), str):
                yield Listed(host, (*loc, "host"), _level(keys))
        else:
            problem = "subdomains: should be a name or a mapping with host, not a list"
            self._faults.at_value(loc, problem)

    def _file(self, written: str, loc: tuple[str | int, ...]) -> Iterator[Listed]:
        path = self._base / written
        try:
            text = read_text(path, max_bytes=MAX_BYTES).text
        except Unreadable as error:
            if error.line:
                self._faults.at_value(Row(str(path), error.line, error.column), error.problem)
            else:
                problem = f"subdomains_file: {shown(written)}: {error.problem}"
                self._faults.at_value(loc, problem)
            return
        yield from SubdomainsFile(text, str(path), self._accounts, self._faults).read()

    def _named(self, domain: str, level: Level | None, listed: Iterable[Listed]) -> Iterator[Site]:
        """Where a level has faults, its hosts are only checked."""
        keys = merge(self._common, level or {})
        rules = self._book.rules(keys)
        for one in listed:
            try:
                host = host_under(one.host, domain)
            except ValueError as error:
                self._faults.at_value(one.place, f"host: {error}")
                continue
            if level is None or one.own is None:
                continue
            own = self._book.rules(merge(keys, one.own)) if one.own else rules
            site = own.site(host, domain)
            if self._is_new(site, one.place):
                yield site

    def _is_new(self, site: Site, place: Loc | Row) -> bool:
        first = self._first.setdefault(site.origin, place)
        if first is place:
            return True
        problem = f"site {shown(site.origin)} is already at {self._faults.describe(first)}"
        self._faults.at_value(place, problem)
        return False


def _domain_of(entry: Level) -> str | None:
    """None when it has a fault, which the model reported."""
    try:
        return whole_host(entry["domain"])
    except (KeyError, TypeError, ValueError):
        return None


def _level(keys: Written | None) -> Level | None:
    """What a mapping says about its sites; None when it has faults."""
    if keys is None:
        return None
    return {name: value for name, value in keys.written().items() if name not in NOT_RULES}
