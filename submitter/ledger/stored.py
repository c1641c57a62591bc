"""A ledger for small fleets without a database: one SQLite file as one object in a bucket.

It is worked on as a local copy. The bucket has to have it whenever that matters to others: when a
run takes, stretches or gives back the lease, before a call's first byte leaves (with the outcomes
of all calls before it), at the end of a run, and when it is closed after other work. The store
replaces only the version that we saw, so two runs cannot overwrite each other: the second finds
itself overtaken and has lost its lease.

A run that is killed leaves its calls since the last replacement in flight: the next run finds them
`unknown`.
"""

from __future__ import annotations

import logging
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import bindparam, select

from submitter.core.alerts import Alert
from submitter.core.calls import Action
from submitter.core.checklist import Item
from submitter.core.standing import Allowance
from submitter.errors import ConfigError, LeaseLost, LedgerBusy, LedgerError
from submitter.kit.clock import SystemClock
from submitter.kit.owners import owner_words
from submitter.ledger import migrating, sqlite
from submitter.ledger.database import Database
from submitter.ledger.ledger import SqlLedger
from submitter.ledger.schema import lease as lease_table
from submitter.objects import ObjectError, Overtaken, open_object
from submitter.objects.stored import StoredObject
from submitter.ports import Lease

log = logging.getLogger(__name__)

Result = TypeVar("Result")

MAX_BYTES = 32 * 1024 * 1024
"""Every replacement sends all of it; and a function's temporary folder may be its memory."""
WARN_BYTES = MAX_BYTES // 2
TRIES = 5
"""So often another run may take the lease in the moment in which we want it."""


HELD = select(lease_table.c.owner).where(lease_table.c.expires_at > bindparam("now"))


def open_stored(url: str, *, is_dead: Callable[[str], bool]) -> StoredLedger:
    """See `submitter.ledger.open_ledger`."""
    try:
        stored = open_object(url)
    except ValueError as error:
        raise ConfigError.one("ledger", str(error)) from error
    except ObjectError as problem:
        raise LedgerError(f"ledger {problem}") from problem
    return StoredLedger(stored, is_dead=is_dead, now=SystemClock().now)


class StoredLedger(SqlLedger):
    """See `ports.Ledger`. `now` says whether a lease that somebody else holds is alive."""

    def __init__(
        self,
        stored: StoredObject,
        *,
        is_dead: Callable[[str], bool],
        now: Callable[[], datetime],
    ) -> None:
        self._object, self._now = stored, now
        self._fleet_name: str | None = None
        self._held: set[str] = set()
        self._folder = tempfile.TemporaryDirectory(prefix="submitter-ledger-")
        self._storing, self._ticket = threading.Lock(), threading.Lock()
        self._committed = self._stored = self._kept = 0
        self._failed = self._closed = False
        try:
            super().__init__(self._load(), is_dead=is_dead)
        except BaseException:
            self._folder.cleanup()
            raise

    # -- the copy

    def _load(self) -> Database:
        """The newest version as a copy; a new ledger where there is none yet."""
        path = Path(self._folder.name, "ledger.db")
        for old in path.parent.glob(f"{path.name}*"):
            old.unlink()
        with self._translated():
            if not self._object.fetch(path, max_bytes=MAX_BYTES):
                path.unlink(missing_ok=True)
        database = sqlite.open_file(
            path, create=migrating.create, upgrade=migrating.upgrade, connect=self._connect
        )
        self._kept = self._changes()
        return database

    def _connect(self, *args: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = sqlite3.connect(*args, **named)
        self._connection = connection
        return connection

    def _changes(self) -> int:
        """A number that grows with everything that is written."""
        return self._connection.total_changes

    def _refresh(self) -> None:
        """Take over what others have stored. Only without a lease: with one, there is nothing."""
        with self._translated():
            if self._object.is_current():
                return
        self._database.close()
        super().__init__(self._load(), is_dead=self._is_dead)
        if self._fleet_name is not None:
            super().bind(self._fleet_name)

    def _store(self) -> None:
        """When this returns, the bucket has everything that was committed before. Threads that
        wait for the same replacement share it."""
        with self._ticket:
            self._committed += 1
            wanted = self._committed
        with self._storing:
            if self._stored >= wanted:
                return
            with self._ticket:
                covered = self._committed
            self._replace()
            self._stored = covered

    def _replace(self) -> None:
        changes = self._changes()
        draft = Path(self._folder.name, "draft.db")
        draft.unlink(missing_ok=True)
        self._database.run_alone("VACUUM INTO '{}'".format(str(draft).replace("'", "''")))
        self._check_size(draft.stat().st_size)
        self._failed = True
        self._object.replace(draft)
        self._failed, self._kept = False, changes

    def _check_size(self, size: int) -> None:
        where = self._object.address
        if size > MAX_BYTES:
            raise LedgerError(
                f"ledger {where}: {size:,} bytes are more than a ledger in a bucket may have"
                f" ({MAX_BYTES:,}); move it to PostgreSQL"
            )
        if size > WARN_BYTES:
            log.warning("the ledger has %d bytes; at %d it has to move", size, MAX_BYTES)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except Overtaken as overtaken:
            raise LeaseLost(f"ledger {overtaken}") from overtaken
        except ObjectError as problem:
            raise LedgerError(f"ledger {problem}") from problem

    def _store_now(self) -> None:
        with self._translated():
            self._store()

    def _stepped(self, step: Callable[[], Result]) -> Result:
        """Take a step on the newest version and store it, or find that others are faster. While we
        hold a lease, ours is the newest."""
        for _ in range(TRIES):
            if not self._held:
                self._refresh()
            result = step()
            try:
                self._store_now()
            except LeaseLost:
                if self._held:
                    raise
            else:
                return result
        raise LedgerBusy(f"ledger {self._object.address}: others replace it all the time")

    # -- what the bucket has to have at once

    def bind(self, fleet_name: str) -> None:
        super().bind(fleet_name)
        self._fleet_name, self._kept = fleet_name, self._changes()

    def acquire(self, name: str, owner: str, *, ttl_s: float, now: datetime) -> Lease:
        take = super().acquire

        def step() -> Lease:
            self._refuse_if_held(now, owner=owner)
            return take(name, owner, ttl_s=ttl_s, now=now)

        lease = self._stepped(step)
        self._held.add(name)
        return lease

    def renew(self, lease: Lease, *, ttl_s: float, now: datetime) -> Lease:
        renewed = super().renew(lease, ttl_s=ttl_s, now=now)
        self._store_now()
        return renewed

    def release(self, lease: Lease) -> None:
        super().release(lease)
        self._held.discard(lease.name)
        self._store_now()

    def claim(
        self,
        lease: Lease,
        action: Action,
        *,
        run: str,
        number: int,
        at: datetime,
        allowance: Allowance | None,
    ) -> int:
        attempt = super().claim(lease, action, run=run, number=number, at=at, allowance=allowance)
        self._store_now()
        return attempt

    def finish_run(
        self, run: str, *, at: datetime, outcome: str, exit_code: int, summary: Mapping[str, object]
    ) -> None:
        super().finish_run(run, at=at, outcome=outcome, exit_code=exit_code, summary=summary)
        self._store_now()

    def save(self, items: Sequence[Item]) -> None:
        """Raises LedgerBusy while a run holds the ledger, whose lease this would break."""
        save = super().save

        def step() -> None:
            if not self._held:
                self._refuse_if_held(self._now())
            save(items)

        self._stepped(step)

    def save_alarms(self, alerts: Sequence[Alert], *, at: datetime) -> None:
        """As `save`."""
        save_alarms = super().save_alarms

        def step() -> None:
            if not self._held:
                self._refuse_if_held(self._now())
            save_alarms(alerts, at=at)

        self._stepped(step)

    def _refuse_if_held(self, now: datetime, *, owner: str = "") -> None:
        """Here any lease of anybody else keeps us out, whatever its name: what we store would
        overtake them."""
        held = self._database.read(lambda tx: tx.rows(HELD, now=now))
        for other in {row.owner for row in held} - {owner}:
            if not self._is_dead(other):
                holder = f"another run ({owner_words(other)})"
                raise LedgerBusy(f"ledger {self._object.address}: {holder} holds it")

    def close(self) -> None:
        """Store what was written without a lease. Raises LedgerError when that cannot be done
        because a run holds the ledger, or has held it meanwhile: then it has to be done again."""
        if self._closed:
            return
        self._closed = True
        try:
            if not self._held and not self._failed and self._changes() != self._kept:
                self._refuse_if_held(self._now())
                self._store_now()
        finally:
            super().close()
            self._folder.cleanup()
