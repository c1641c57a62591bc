"""Reads an inventory: YAML and CSV in, frozen values out, or all that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from submitter.core.fleet import AlertRules, Fleet
from submitter.core.traits import Traits
from submitter.errors import ConfigError, Fault
from submitter.inventory.accounts import read_accounts
from submitter.inventory.addresses import check_ledger, place_ledger
from submitter.inventory.engines import Models, models_for
from submitter.inventory.expand import Expander
from submitter.inventory.faults import Faults
from submitter.inventory.marks import Loc
from submitter.inventory.models import HeadKeys, InventoryKeys
from submitter.inventory.problems import kind_of
from submitter.inventory.references import place_webhook
from submitter.inventory.sites import Level, RuleBook, merge, product_level
from submitter.inventory.text import SourceText, Unreadable, read_text
from submitter.inventory.tree import parse_yaml

MAX_BYTES = 1_048_576
PARTS = ("accounts", "defaults", "sites")


def load_inventory(
    path: Path, *, engines: Mapping[str, Traits], ledger: str | None = None
) -> Fleet:
    """The fleet that the file describes. Raises ConfigError with all faults at once.

    `engines` are the known ones by name; `ledger`, from the command line, goes before the file's
    own and is relative to the working directory.
    """
    chosen = _chosen_ledger(ledger)
    source = _read(path)
    tree = parse_yaml(source.text, str(path))
    faults = Faults(str(path), tree.marks, tree.faults)
    parts = _parts(tree.value, faults)
    base, models = path.parent, models_for(engines.values())
    head = _head(parts, faults)
    accounts = read_accounts(parts.get("accounts", {}), engines, base, faults)
    book = RuleBook(models.site_options, base)
    expander = Expander(
        _common(parts, head, models, faults),
        book,
        models=models,
        accounts=_declared(parts),
        base=base,
        faults=faults,
    )
    sites = tuple(expander.sites(parts.get("sites")))
    faults.raise_if_any()
    return Fleet(
        name=head.name or path.stem,
        ledger=chosen or place_ledger(head.ledger, base),
        accounts=accounts,
        sites=sites,
        path=str(path),
        sha256=source.sha256,
        webhook=head.webhook and place_webhook(head.webhook, base),
        alerts=AlertRules(**head.alerts.model_dump()),
        fetch=book.fetch(head.fetch.written()),
    )


def locate(path: Path, loc: Loc) -> tuple[int, int]:
    """Line and column of a key in the file, for a fault that shows itself only later."""
    return parse_yaml(_read(path).text, str(path)).marks.key_at(loc)


def _chosen_ledger(ledger: str | None) -> str | None:
    """The one that the command line names."""
    if ledger is None:
        return None
    try:
        return place_ledger(check_ledger(ledger), Path())
    except ValueError as error:
        problem = str(error)
    raise ConfigError.one("--ledger or SUBMITTER_LEDGER", problem)


def _read(path: Path) -> SourceText:
    try:
        return read_text(path, max_bytes=MAX_BYTES)
    except Unreadable as error:
        fault = Fault(str(path), error.line, error.column, error.problem)
    raise ConfigError([fault])


def _parts(written: object, faults: Faults) -> Level:
    """The keys of the file. Raises ConfigError when there is nothing to read on in."""
    if isinstance(written, dict):
        return written
    problem = "the file is empty; `submitter init` writes a first inventory"
    if written is not None:
        problem = f"should be a mapping of keys, not {kind_of(written)}"
    faults.at_value((), problem)
    raise faults.error()


def _head(parts: Level, faults: Faults) -> HeadKeys:
    rest = {key: value for key, value in parts.items() if key not in PARTS}
    return faults.validate(HeadKeys, rest, (), known=InventoryKeys) or HeadKeys()


def _declared(parts: Level) -> Collection[str]:
    """Names of accounts, sound or not: naming a faulty one is no second fault."""
    accounts = parts.get("accounts")
    return accounts.keys() if isinstance(accounts, dict) else ()


def _common(parts: Level, head: HeadKeys, models: Models, faults: Faults) -> Level:
    """The merged keys of a site about which nothing is written."""
    common = merge(product_level(models.subdomain), {"fetch": head.fetch})
    written = parts.get("defaults", {})
    names = _declared(parts)
    defaults = faults.validate(models.defaults, written, ("defaults",), accounts=names)
    return merge(common, defaults.written()) if defaults else common
