"""Workers: loops that take one job at a time, and a schedule that the queue keeps."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from procrastinate import App, RetryStrategy
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.jobs import Status
from psycopg.errors import ForeignKeyViolation

from submitter.core.accounting import ExitCode
from submitter.core.jobs import Errand
from submitter.errors import ConfigError, LedgerBusy, LedgerError, SecretOutOfReach
from submitter.workers.hands import Hands
from submitter.workers.queue import LOOK, SEND, VERIFY, Work, put

log = logging.getLogger(__name__)

BUSY_S = 15
"""When a job is tried again whose part of the ledger somebody else holds."""
TRIES = 5
"""So often a job is tried whose ledger, or store of secrets, failed: after 2, 4, 8 and 16 s."""
AGAIN = RetryStrategy(
    max_attempts=TRIES - 1, exponential_wait=2, retry_exceptions=(LedgerError, SecretOutOfReach)
)
"""The same for what the schedule begins."""
RESCUE = "* * * * * */15"
"""How often somebody looks for workers that fell silent; the last field is seconds."""
STOP_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Times in seconds. `takeover_s`: so long a worker may be silent before its jobs go to others;
    `schedule`: when all sites are looked at and told, in the form of cron, in UTC."""

    loops: int = 4
    drain: bool = False
    poll_s: float = 1.0
    takeover_s: float = 30.0
    schedule: str | None = None


def add_tasks(app: App, hands: Hands, rhythm: Rhythm) -> None:
    """Tell the queue how each of our jobs is carried out."""

    def doing(task: str) -> Callable[..., None]:
        def do(errand: dict[str, Any], **words: Any) -> None:
            carry_out(app, hands, Work.of(task, {"errand": errand, **words}))

        return do

    for name in (LOOK, SEND, VERIFY):
        app.task(name=name)(doing(name))

    @app.periodic(cron=RESCUE)
    @app.task(name="rescue", queueing_lock="rescue", pass_context=False)
    async def rescue(timestamp: int) -> None:
        await take_over(app, rhythm.takeover_s)

    if rhythm.schedule:

        @app.periodic(cron=rhythm.schedule)
        @app.task(name="enqueue", queueing_lock="enqueue", retry=AGAIN)
        def enqueue(timestamp: int) -> None:
            put(app, hands.first_works(Errand(f"scheduled-{timestamp}")))


def carry_out(app: App, hands: Hands, work: Work) -> None:
    """Do a job and put into the queue what follows from it. What cannot be done now comes again;
    what a person has to mend first, with the next errand."""
    try:
        following = hands.do(work)
    except LedgerBusy as busy:
        log.info("%s waits: %s", work.lock, busy)
        put(app, [work], after_s=BUSY_S)
    except (LedgerError, SecretOutOfReach) as problem:
        if work.tries + 1 >= TRIES:
            hands.note(ExitCode.LEDGER if isinstance(problem, LedgerError) else ExitCode.USAGE)
            raise
        log.warning("%s is tried again: %s", work.lock, problem)
        again = Work(work.task, work.errand, work.account, work.name, work.tries + 1)
        put(app, [again], after_s=2 ** (work.tries + 1))
    except ConfigError as error:
        hands.note(ExitCode.USAGE)
        log.error("%s cannot be done: %s", work.lock, error)
    except Exception:
        hands.note(ExitCode.INTERNAL)
        raise
    else:
        put(app, following)


async def take_over(app: App, silent_s: float) -> int:
    """Put jobs of workers that fell silent back into the queue; returns how many those were. Where
    the same job waits there already, that one does it."""
    manager, count = app.job_manager, 0
    for job in await manager.get_stalled_jobs(seconds_since_heartbeat=silent_s):
        count += 1
        try:
            await manager.retry_job(job)
        except UniqueViolation:
            await manager.finish_job(job, status=Status.FAILED, delete_job=True)
        log.warning("%s: its worker fell silent; taken over", job.lock)
    return count


async def work(app: App, hands: Hands, rhythm: Rhythm, stop: threading.Event) -> None:
    """Run jobs until `stop` is set, or, to drain, until none can be taken. What is under way when
    `stop` is set ends early and is stored."""
    add_tasks(app, hands, rhythm)
    async with app.open_async():
        await take_over(app, rhythm.takeover_s)
        loops = [asyncio.create_task(_loop(app, rhythm, number)) for number in range(rhythm.loops)]
        waiting = set(loops)
        while waiting and not stop.is_set():
            _, waiting = await asyncio.wait(
                waiting, timeout=STOP_POLL_S, return_when=asyncio.FIRST_EXCEPTION
            )
            await asyncio.to_thread(hands.tidy)
        hands.stop()
        for loop in waiting:
            loop.cancel()
        results = await asyncio.gather(*loops, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


async def _loop(app: App, rhythm: Rhythm, number: int) -> None:
    """Take jobs. After a pause, as of a machine that slept, in which others struck this loop off
    the queue's list and took its jobs, begin anew."""
    while True:
        try:
            return await _take_jobs(app, rhythm, number)
        except ConnectorException as error:
            if not isinstance(error.__cause__, ForeignKeyViolation):
                raise
            log.warning("this worker was silent for so long that its jobs are others' now")


async def _take_jobs(app: App, rhythm: Rhythm, number: int) -> None:
    """One job after the other: with more at once and locks, procrastinate 3.10 leaves before the
    queue is empty (tried 2026-11-30)."""
    await app.run_worker_async(
        name=f"loop {number}",
        concurrency=1,
        wait=not rhythm.drain,
        fetch_job_polling_interval=rhythm.poll_s,
        abort_job_polling_interval=rhythm.poll_s,
        update_heartbeat_interval=rhythm.takeover_s / 3,
        stalled_worker_timeout=rhythm.takeover_s,
        listen_notify=False,
        install_signal_handlers=False,
        delete_jobs="successful",
    )
