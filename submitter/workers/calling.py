"""The two ways in: putting a run into the queue, and working on what is there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager

from croniter import croniter
from procrastinate.exceptions import ConnectorException
from psycopg_pool import PoolTimeout

from submitter.core.accounting import ExitCode
from submitter.core.jobs import Errand
from submitter.errors import ConfigError, LedgerError
from submitter.workers import queue
from submitter.workers.hands import Hands, Place
from submitter.workers.working import Rhythm, work


def enqueue(errand: Errand, place: Place, url: str) -> dict[str, int]:
    """Put the errand's first jobs into the queue; returns by task how many were added. Raises
    ConfigError when the ledger is not on PostgreSQL, LedgerError when it cannot be reached."""
    with closing(Hands(place)) as hands:
        works = hands.first_works(errand)
    added: Counter[str] = Counter()
    with _queue_troubles(), queue.enqueueing_app(url).open() as app:
        queue.make_tables(app)
        for one in works:
            added[one.task] += queue.put(app, [one])
    return dict(added)


def run_worker(place: Place, url: str, rhythm: Rhythm) -> ExitCode:
    """Work until `place.stop` is set or, to drain, until nothing can be taken. Returns what this
    worker's jobs came to. Raises as `enqueue`."""
    queue.options_of(url)
    check_schedule(rhythm.schedule)
    with closing(Hands(place)) as hands:
        hands.check()
        with _queue_troubles():
            with queue.enqueueing_app(url).open() as app:
                queue.make_tables(app)
            app = queue.working_app(url, rhythm.loops)
            asyncio.run(work(app, hands, rhythm, place.stop))
        return hands.exit_code


def check_schedule(schedule: str | None) -> None:
    """Raise ConfigError for times that are none."""
    if schedule is not None and not croniter.is_valid(schedule):
        problem = f"{schedule[:200]!r} is no schedule; '17 * * * *' is every hour at 17 past"
        raise ConfigError.one("--schedule", problem)


@contextmanager
def _queue_troubles() -> Iterator[None]:
    try:
        yield
    except (ConnectorException, PoolTimeout) as error:
        raise LedgerError(f"queue: {error.__cause__ or error}") from error
