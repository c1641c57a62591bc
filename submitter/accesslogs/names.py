"""What DNS says of addresses: asked in threads of their own, for a bounded time, and remembered."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

from submitter.core.crawl.ranges import Address
from submitter.core.crawl.verdicts import AddressesOf, NameProof, NamesOf, proves

ANSWER_S: Final = 3.0
"""How long one question may take."""
BUDGET_S: Final = 120.0
"""How long all questions of one reading may take together; later ones stay unanswered."""
MOST: Final = 20_000

_UNSURE: Final = frozenset({socket.EAI_AGAIN, socket.EAI_FAIL})
"""The server did not answer; everything else says that there is no such name."""


class NoAnswer(Exception):
    """The resolver could not tell."""


def names_of(address: Address) -> tuple[str, ...]:
    """The names of an address. Raises NoAnswer."""
    try:
        name, aliases, _ = socket.gethostbyaddr(str(address))
    except socket.gaierror as error:
        return _none_unless_unsure(error.errno)
    except socket.herror as error:  # h_errno: 2 is TRY_AGAIN, 3 NO_RECOVERY
        if error.errno in (2, 3):
            raise NoAnswer from error
        return ()
    return (name, *aliases)


def addresses_of(name: str) -> tuple[Address, ...]:
    """The addresses of a name. Raises NoAnswer."""
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        _none_unless_unsure(error.errno)
        return ()
    return tuple(ip_address(str(place[4][0]).partition("%")[0]) for place in found)


def _none_unless_unsure(number: int | None) -> tuple[str, ...]:
    if number in _UNSURE:
        raise NoAnswer
    return ()


class NameChecks:
    """Forward-confirmed reverse DNS. `monotonic` is the clock that the budget is taken from; the
    two questions may be answered by anybody, in tests by a table."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        names: NamesOf = names_of,
        addresses: AddressesOf = addresses_of,
        answer_s: float = ANSWER_S,
        budget_s: float = BUDGET_S,
    ) -> None:
        self._monotonic, self._names, self._addresses = monotonic, names, addresses
        self._answer_s, self._left_s = answer_s, budget_s
        self._known: dict[tuple[Address, tuple[str, ...]], NameProof] = {}

    def ask(self, address: Address, domains: tuple[str, ...]) -> NameProof:
        key = (address, domains)
        if key not in self._known:
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[key] = self._ask(address, domains)
        return self._known[key]

    def _ask(self, address: Address, domains: tuple[str, ...]) -> NameProof:
        if self._left_s <= 0:
            return NameProof.UNKNOWN
        began = self._monotonic()
        answer: queue.SimpleQueue[NameProof] = queue.SimpleQueue()
        asking = threading.Thread(
            target=self._prove, args=(address, domains, answer), name="dns", daemon=True
        )
        asking.start()
        try:
            return answer.get(timeout=min(self._answer_s, self._left_s))
        except queue.Empty:
            return NameProof.UNKNOWN
        finally:
            self._left_s -= self._monotonic() - began

    def _prove(
        self, address: Address, domains: tuple[str, ...], answer: queue.SimpleQueue[NameProof]
    ) -> None:
        """In a thread that nobody has to wait for: a resolver may hang."""
        try:
            answer.put(proves(address, domains, self._names, self._addresses))
        except (NoAnswer, OSError, UnicodeError, ValueError):
            answer.put(NameProof.UNKNOWN)
