"""Times at which everything is enqueued are kept by the queue's own scheduler."""

from __future__ import annotations

import pytest
from procrastinate import App
from procrastinate.jobs import Job
from procrastinate.testing import InMemoryConnector
from workers_support import Yard

from submitter.errors import ConfigError, LedgerError, SecretOutOfReach, SubmitterError
from submitter.workers.calling import check_schedule
from submitter.workers.working import AGAIN, RESCUE, TRIES, Rhythm, add_tasks


def periodic(yard: Yard, schedule: str | None) -> dict[str, str]:
    app = App(connector=InMemoryConnector())
    add_tasks(app, yard.hands(), Rhythm(schedule=schedule))
    tasks = app.periodic_registry.periodic_tasks.values()
    return {one.task.name: one.cron for one in tasks}


def test_a_schedule_is_handed_to_the_queue(yard: Yard) -> None:
    assert periodic(yard, "17 * * * *") == {"rescue": RESCUE, "enqueue": "17 * * * *"}
    assert periodic(yard, None) == {"rescue": RESCUE}


def test_a_scheduled_enqueue_puts_in_the_jobs_of_the_whole_fleet(yard: Yard) -> None:
    yard.world.add("shop", pages=3, quota=10)
    app = App(connector=(queue := InMemoryConnector()))
    add_tasks(app, yard.hands(), Rhythm(schedule="17 * * * *"))
    with app.open():
        app.tasks["enqueue"](timestamp=1_780_000_000)
    jobs = [(job["task_name"], job["args"]["errand"]["run"]) for job in queue.jobs.values()]
    assert sorted(jobs) == [
        ("look", "scheduled-1780000000"),
        ("send", "scheduled-1780000000"),
        ("send", "scheduled-1780000000"),
    ]


@pytest.mark.parametrize("schedule", ["", "hourly please", "61 * * * *", "* * * *"])
def test_times_that_are_none_are_refused(schedule: str) -> None:
    with pytest.raises(ConfigError, match="no schedule"):
        check_schedule(schedule)


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (LedgerError("x"), TRIES),
        (SecretOutOfReach.one("aws-secret:x", "x"), TRIES),
        (ConfigError.one("inventory.yaml", "x"), 1),
    ],
)
def test_what_the_schedule_begins_is_tried_again_where_that_can_help(
    error: SubmitterError, tries: int
) -> None:
    def comes_again(attempts: int) -> bool:
        job = Job(
            id=1, status="doing", queue="q", lock=None, queueing_lock=None,
            task_name="enqueue", attempts=attempts,
        )  # fmt: skip
        return AGAIN.get_retry_decision(exception=error, job=job) is not None

    assert [comes_again(failed) for failed in range(TRIES)] == [
        failed < tries - 1 for failed in range(TRIES)
    ]
