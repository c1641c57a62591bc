"""Addresses that operators publish for their bots."""

from __future__ import annotations

import ipaddress
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from submitter.core.crawl.bots import BOTS, BY_FILE, BY_NAME
from submitter.errors import ConfigError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

MOST_PREFIXES: Final = 100_000

_HIDDEN: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::/127",
        "fc00::/7",
        "fe80::/10",
    )
)
"""Inside a network: the line has the address of a proxy, not of whoever asked. Source: RFC 6890."""


class Ranges:
    """A set of networks; asking takes a search among their beginnings."""

    def __init__(self, prefixes: Iterable[str]) -> None:
        """Raises ValueError for what is no network."""
        networks = [ipaddress.ip_network(prefix.strip()) for prefix in prefixes]
        self.size = len(networks)
        self._starts: dict[int, list[int]] = {}
        self._ends: dict[int, list[int]] = {}
        for version in (4, 6):
            spans = _joined(
                (int(one.network_address), int(one.broadcast_address))
                for one in networks
                if one.version == version
            )
            self._starts[version] = [start for start, _ in spans]
            self._ends[version] = [end for _, end in spans]

    def __contains__(self, address: Address) -> bool:
        at = bisect_right(self._starts[address.version], int(address)) - 1
        return at >= 0 and int(address) <= self._ends[address.version][at]


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """In order, those that overlap made one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@dataclass(frozen=True, slots=True)
class RangeList:
    """What one operator published. `made_on` None: of unknown age, so what is missing in it
    proves nothing."""

    name: str
    ranges: Ranges
    made_on: date | None
    source: str


def address_of(text: bytes) -> Address | None:
    """An address as a log names it: with a port or brackets or not; None for a name."""
    try:
        word = text.decode("ascii").partition("%")[0]
        if word.startswith("["):
            word = word[1:].partition("]")[0]
        elif word.count(":") == 1:
            word = word.partition(":")[0]
        found = ipaddress.ip_address(word)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def is_hidden(address: Address) -> bool:
    return any(address in network for network in _HIDDEN if network.version == address.version)


def client_of(forwarded: Iterable[bytes]) -> bytes:
    """Of addresses that proxies wrote one behind the other, the one that lies inside no network;
    empty when none does, or several do: all but the last may be what the client itself sent, and
    the last may be a proxy's."""
    found = [text for text in forwarded if (one := address_of(text)) and not is_hidden(one)]
    return found[0] if len(found) == 1 else b""


def asker_of(peer: bytes, forwarded: bytes) -> bytes:
    """Who asked, by the address that a server saw and by what it was told of others, `client,
    proxy, proxy`. A proxy inside a network is believed as far as it can be (see `client_of`). Who
    comes from outside may be a proxy, too, or a client that made the others up: then both stand
    here, parted by a comma, the peer first."""
    address = address_of(peer)
    others = [text.strip() for text in forwarded.split(b",")]
    if address is None or is_hidden(address):
        return client_of(others) or peer
    outside = [text for text in others if (one := address_of(text)) and not is_hidden(one)]
    stranger = next((text for text in outside if address_of(text) != address), b"")
    return peer + b"," + stranger if stranger else peer


def snapshot_lists(document: Mapping[str, Any]) -> dict[str, RangeList]:
    """The lists that the program brings along, by name."""
    return {
        name: RangeList(
            name,
            Ranges(one["prefixes"]),
            date.fromisoformat(one["made_on"]) if one["made_on"] else None,
            one["source"],
        )
        for name, one in document["lists"].items()
    }


def published_list(given: str, bot: str, document: Any) -> RangeList:
    """A list as its operator publishes it: `{"creationTime", "prefixes": [{"ipv4Prefix"}…]}`.

    `given` is the file as the person named it, `bot` whose it is: a name of `bots.BY_NAME`, or
    empty to tell from the file's own name. Raises ConfigError.
    """
    where = f"--ranges {given}"
    file = given.replace("\\", "/").rpartition("/")[2]
    known = BY_NAME.get(_spelled(bot)) if bot else BY_FILE.get(file)
    if known is None or known.ranges is None:
        names = ", ".join(sorted({one.name for one in BOTS if one.ranges}))
        problem = f"whose list is this? Write BOT=FILE with one of {names}"
        raise ConfigError.one(where, problem)
    record = _record(document)
    prefixes = [text for one in record.get("prefixes", ()) if (text := _prefix(one))]
    try:
        if not 0 < len(prefixes) <= MOST_PREFIXES:
            raise ValueError("it holds no list of prefixes that could be used")
        ranges = Ranges(prefixes)
    except ValueError as error:
        raise ConfigError.one(where, str(error)) from error
    return RangeList(known.ranges, ranges, _day(record.get("creationTime")), file)


def _spelled(bot: str) -> str:
    return next((name for name in BY_NAME if name.lower() == bot.lower()), bot)


def _record(document: Any) -> Mapping[str, Any]:
    """The object with the prefixes; Amazon's file wraps it in another."""
    inner = [document, *document.values()] if isinstance(document, dict) else []
    return next((one for one in inner if isinstance(one, dict) and "prefixes" in one), {})


def _prefix(entry: Any) -> str:
    if isinstance(entry, dict):
        entry = entry.get("ipv4Prefix") or entry.get("ipv6Prefix")
    return entry if isinstance(entry, str) else ""


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text)[:10])
    except ValueError:
        return None
