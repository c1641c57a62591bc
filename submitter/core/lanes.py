"""The lanes of an account: what the inventory lets each of them spend in a day."""

from __future__ import annotations

from submitter.core.fleet import Account
from submitter.core.traits import Traits


def declared_limit(account: Account, traits: Traits, property: str) -> int | None:
    """Pages a day by the inventory; None: it does not say."""
    fast = traits.fast_lane
    name = fast.option if fast is not None and fast.holds(property) else "daily_limit"
    value = account.settings.get(name)
    return value if isinstance(value, int) else None


def fast_property(account: Account, traits: Traits, property: str) -> str | None:
    """The lane in which an account's best pages go, where the inventory asks for one."""
    fast = traits.fast_lane
    if fast is None or not account.settings.get(fast.option):
        return None
    return fast.of(property)


def common_property(property: str, traits: Traits) -> str:
    """The lane beside a fast one; any other lane itself."""
    fast = traits.fast_lane
    return property.removesuffix(fast.suffix) if fast is not None else property


def with_lane_of(planned: str, property: str, traits: Traits) -> str:
    """The property as it is known now, in the lane that was planned."""
    fast = traits.fast_lane
    return fast.of(property) if fast is not None and fast.holds(planned) else property
