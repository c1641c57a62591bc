"""The jobs of a fleet in procrastinate's queue, on the PostgreSQL of the ledger.

A site's look and a lane's sending have a lock each, so that no two workers are in one at once, and
a queueing lock, so that one waiting job serves everybody who asks. Looks go before sending, and
checks come last. A job that has to come again is put into the queue anew.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from procrastinate import App, PsycopgConnector, SyncPsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

from submitter.core.jobs import Errand, Lane
from submitter.errors import ConfigError, LedgerError
from submitter.ledger.opening import is_server
from submitter.ledger.postgres import server_options

log = logging.getLogger(__name__)

SESSION: Final = {"prepare_threshold": None}
"""A pooler hands the next transaction to another session."""

LOOK, SEND, VERIFY = "look", "send", "verify"
PRIORITIES: Final = {LOOK: 20, SEND: 10, VERIFY: 0}


@dataclass(frozen=True, slots=True)
class Work:
    """One job: what it does, and to which site, lane or account. `tries` counts from 0."""

    task: str
    errand: Errand
    account: str = ""
    name: str = ""
    tries: int = 0

    @property
    def lock(self) -> str:
        return " ".join(filter(None, (self.task, self.account, self.name)))

    @property
    def lane(self) -> Lane:
        return Lane(self.account, self.name)

    @property
    def words(self) -> dict[str, Any]:
        names = {"account": self.account, "name": self.name, "tries": self.tries}
        return {"errand": self.errand.words, **names}

    @classmethod
    def of(cls, task: str, words: dict[str, Any]) -> Work:
        rest = {name: value for name, value in words.items() if name != "errand"}
        return cls(task, Errand.of(words["errand"]), **rest)


def options_of(url: str) -> dict[str, Any]:
    """How the queue reaches the ledger's server. Raises ConfigError for any other database."""
    if not is_server(url):
        raise ConfigError.one("ledger", "workers need a ledger on PostgreSQL: postgresql://…")
    return server_options(url) | SESSION


def enqueueing_app(url: str) -> App:
    """For putting jobs in; not for running them."""
    connector = SyncPsycopgConnector(min_size=1, max_size=1, kwargs=options_of(url))
    return App(connector=connector)


def working_app(url: str, connections: int) -> App:
    """For running jobs on so many loops."""
    connector = PsycopgConnector(kwargs=options_of(url), min_size=1, max_size=connections + 2)
    return App(connector=connector)


def make_tables(app: App) -> None:
    """The queue's own tables, made when they are not there. Two may do this at once."""
    try:
        if not app.check_connection():
            app.schema_manager.apply_schema()
    except ConnectorException as error:
        if not app.check_connection():
            raise LedgerError(f"queue: its tables cannot be made: {error}") from error


def put(app: App, works: Iterable[Work], *, after_s: int = 0) -> int:
    """Put jobs into the queue, except those that wait there already; returns how many."""
    added = 0
    for work in works:
        task = app.configure_task(
            work.task,
            lock=work.lock,
            queueing_lock=work.lock + work.errand.scope,
            priority=PRIORITIES[work.task],
            schedule_in={"seconds": after_s} if after_s else None,
        )
        try:
            task.defer(**work.words)
            added += 1
        except AlreadyEnqueued:
            log.debug("waits already: %s", work.lock)
    return added
