"""Is a hit whose it says? Published addresses first, then names in DNS where that is allowed.

A name alone proves little: whoever owns an address writes its reverse entry. So a name counts only
when it ends where the operator says *and* leads back to the address, and it is asked last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from enum import Enum
from typing import Final

from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import Verdict
from submitter.core.crawl.ranges import Address, RangeList, address_of, is_hidden

MOST: Final = 50_000
"""Verdicts remembered; then the table starts afresh."""

STALE_AFTER: Final = timedelta(days=366)
"""A list so much older than a hit says nothing about an address that it lacks: lists grow."""


class NameProof(Enum):
    """What DNS said of an address."""

    CONFIRMED = "confirmed"
    """A name under the operator's domains, which leads back to the address."""
    OTHER = "other"
    """A name elsewhere, one that does not lead back, or surely none."""
    UNKNOWN = "unknown"
    """No answer, or no time left to ask."""


AskNames = Callable[[Address, tuple[str, ...]], NameProof]
"""What DNS says of an address, given the domains that it should be under."""
NamesOf = Callable[[Address], tuple[str, ...]]
AddressesOf = Callable[[str], tuple[Address, ...]]


class Judge:
    """Gives verdicts and remembers them. `ask` is None where DNS may not be asked."""

    def __init__(self, lists: Mapping[str, RangeList], ask: AskNames | None = None) -> None:
        self._lists, self._ask = lists, ask
        self._known: dict[tuple[Bot, bytes, int], Verdict] = {}

    def verdict(self, bot: Bot, address: bytes, day: int) -> Verdict:
        """`day` counts from 1970-01-01 UTC: how old a list was then matters."""
        key = (bot, address, day)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST:
                self._known.clear()
            found = self._known[key] = self._judge(bot, address, day)
        return found

    def _judge(self, bot: Bot, text: bytes, day: int) -> Verdict:
        if bot.never_sent:
            return Verdict.CONTRADICTED
        peer, comma, _ = text.partition(b",")
        found = self._judge_address(bot, address_of(peer), day)
        if comma and found is not Verdict.VERIFIED:
            return Verdict.UNVERIFIABLE  # a proxy's, or of somebody who names another's
        return found

    def _judge_address(self, bot: Bot, address: Address | None, day: int) -> Verdict:
        if not bot.can_be_checked or address is None or is_hidden(address):
            return Verdict.UNVERIFIABLE
        published = self._lists.get(bot.ranges) if bot.ranges else None
        if published is not None and address in published.ranges:
            return Verdict.VERIFIED
        if not _is_anybodys(address):
            return Verdict.CONTRADICTED
        proof = self._proof(bot, address)
        if proof is NameProof.CONFIRMED:
            return Verdict.VERIFIED
        if proof is NameProof.OTHER or (published is not None and _is_fresh(published, day)):
            return Verdict.CONTRADICTED
        return Verdict.CLAIMED

    def _proof(self, bot: Bot, address: Address) -> NameProof:
        if self._ask is None or not bot.domains:
            return NameProof.UNKNOWN
        return self._ask(address, bot.domains)


def _is_anybodys(address: Address) -> bool:
    """False for addresses that nobody calls from, such as those of documentation."""
    return address.is_global


def _is_fresh(published: RangeList, day: int) -> bool:
    if published.made_on is None:
        return False
    return date(1970, 1, 1) + timedelta(days=day) - published.made_on <= STALE_AFTER


def proves(
    address: Address, domains: tuple[str, ...], names: NamesOf, addresses: AddressesOf
) -> NameProof:
    """Forward-confirmed reverse DNS: some name of the address ends in one of these domains, and
    that name's addresses hold the address. Raises what the two functions raise."""
    found = [name.lower().rstrip(".") for name in names(address)]
    fitting = [name for name in found if name.endswith(tuple(f".{one}" for one in domains))]
    for name in fitting:
        if address in addresses(name):
            return NameProof.CONFIRMED
    return NameProof.OTHER
