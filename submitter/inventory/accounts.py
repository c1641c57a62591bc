"""Accounts: mappings whose `engine` decides which further keys they have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from submitter.core.fleet import Account, Limits, SecretRef, SettingValue
from submitter.core.traits import Option, Traits
from submitter.core.urls import printable
from submitter.inventory.engines import account_model
from submitter.inventory.faults import Faults
from submitter.inventory.fields import check_name
from submitter.inventory.models import AccountKeys
from submitter.inventory.problems import kind_of, nearest
from submitter.inventory.references import parse_reference


def read_accounts(
    written: object, engines: Mapping[str, Traits], base: Path, faults: Faults
) -> dict[str, Account]:
    """The sound accounts by name; what is wrong with the others is gathered."""
    if not isinstance(written, dict):
        problem = "accounts: should be a mapping of names to accounts"
        faults.at_value(("accounts",), problem)
        return {}
    accounts = {}
    for name, keys in written.items():
        traits = _engine_of(name, keys, engines, faults)
        if traits is None:
            continue
        sound = faults.validate(account_model(traits), keys, ("accounts", name))
        if sound is not None:
            accounts[name] = make_account(name, sound, traits, base)
    return accounts


def _engine_of(
    name: str, keys: object, engines: Mapping[str, Traits], faults: Faults
) -> Traits | None:
    """None after its faults were gathered."""
    loc = ("accounts", name)
    try:
        check_name(name)
    except ValueError as error:
        faults.at_key(loc, str(error))
    if not isinstance(keys, dict):
        faults.at_value(
            loc, f"{printable(name)}: should be a mapping of keys, like {{engine: google, …}}"
        )
    elif "engine" not in keys:
        faults.if_missing((*loc, "engine"))
    elif isinstance(keys["engine"], str) and keys["engine"] in engines:
        return engines[keys["engine"]]
    else:
        known = nearest(str(keys["engine"]), engines) or f"; known: {', '.join(engines)}"
        problem = f"engine: unknown engine {kind_of(keys['engine'])}{known}"
        faults.at_value((*loc, "engine"), problem)
    return None


def make_account(name: str, written: AccountKeys, traits: Traits, base: Path) -> Account:
    """The frozen value; file references are relative to `base`."""
    limits = written.limits
    return Account(
        name=name,
        engine=traits.name,
        secret=_secret(written, traits, base),
        limits=Limits(
            limits.per_second or traits.limits.per_second,
            limits.per_minute or traits.limits.per_minute,
        ),
        first_run=written.first_run,
        recent_days=written.recent_days,
        resubmit_min_s=written.resubmit_min_s,
        resubmit_after_days=written.resubmit_after_days,
        endpoint=written.endpoint,
        trust_endpoint=written.trust_endpoint,
        settings=_settings(written, traits.options, base),
    )


def _secret(written: AccountKeys, traits: Traits, base: Path) -> SecretRef | None:
    if traits.secret_key is None:
        return None
    return parse_reference(getattr(written, traits.secret_key), base)


def _settings(
    written: AccountKeys, options: tuple[Option, ...], base: Path
) -> dict[str, SettingValue]:
    """The engine's own options, defaults included; those that are not known are left out."""
    values = {option.name: getattr(written, option.name) for option in options}
    for option in options:
        if option.type == "secret" and values[option.name] is not None:
            values[option.name] = str(parse_reference(values[option.name], base))
    return {name: value for name, value in values.items() if value is not None}
