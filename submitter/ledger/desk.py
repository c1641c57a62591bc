"""What every book of the ledger stands on."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import select

from submitter.ledger import leases
from submitter.ledger.database import Database, Result, Transaction
from submitter.ledger.fingerprints import Marker
from submitter.ledger.schema import meta
from submitter.ports import Lease

SALT = select(meta.c.value).where(meta.c.name == "salt")


class Desk:
    """The database, and what is secret in it."""

    def __init__(self, database: Database, *, is_dead: Callable[[str], bool]) -> None:
        """`is_dead` says of the owner of a lease whether its process is known to have ended."""
        self._database, self._is_dead = database, is_dead
        salt = database.read(lambda tx: tx.one(SALT)).value
        self._salt = bytes.fromhex(salt)
        self._marker = Marker(self._salt)

    def _under(
        self, lease: Lease, step: Callable[[Transaction], Result], *, durable: bool = True
    ) -> Result:
        """Take a step while nobody may take our lease."""

        def guarded(tx: Transaction) -> Result:
            leases.check(tx, lease)
            return step(tx)

        return self._database.write(guarded, durable=durable)

    @property
    def database(self) -> Database:
        """What it stands on, for those who treat all of it alike."""
        return self._database

    def close(self) -> None:
        self._database.close()
