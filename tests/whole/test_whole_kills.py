"""A run that is killed anywhere leaves a ledger that opens; the next run finishes the work, and
nothing is told twice except what could not be known."""

from __future__ import annotations

import random
import signal
from typing import Any

import pytest

from support.whole import World
from support.whole_books import (
    prove_books_agree,
    prove_ledger_is_whole,
    run_until_told,
)
from support.whole_forks import Child, Forks

EVERYWHERE = [
    *("in-look", "before-claim", "after-claim", "after-send", "before-settle", "after-settle")
]
KILLED = -signal.SIGKILL


def begin(forks: Forks, world: World, run: int = 0, **job: Any) -> Child:
    """Start a run in a process of its own, at the world's present time."""
    return forks.start(
        inventory=str(world.write()),
        run=f"forked-{run}",
        now=world.clock.now().isoformat(),
        stderr=str(world.folder / "stderr"),
        **job,
    )


def few_sites(world: World) -> None:
    """Some may push all of their pages in a day, some may not."""
    for number in range(5):
        world.add(f"s{number}", pages=5, quota=30 if number % 2 else 4)


@pytest.mark.parametrize("point", EVERYWHERE)
def test_runs_killed_at_one_point_are_finished_by_the_next(
    fleet: World, forks: Forks, point: str
) -> None:
    """Two kills on one day, at the first and the second passing, and one on the next day, at the
    fifth; with new pages before each."""
    few_sites(fleet)
    for number in (1, 2, 5):
        child = begin(forks, fleet, number, point=point, number=number, signal="KILL")
        assert child.ended() == KILLED
        prove_ledger_is_whole(fleet.ledger_path)
        prove_books_agree(fleet)
        if number > 1:
            fleet.next_day()
        add_pages(fleet)
    run_until_told(fleet)
    prove_books_agree(fleet)


def test_a_run_killed_before_it_is_closed_has_told_everything(fleet: World, forks: Forks) -> None:
    few_sites(fleet)
    child = begin(forks, fleet, point="before-finish", signal="KILL")
    assert child.ended() == KILLED
    calls = len(fleet.log())
    fleet.run()
    assert len(fleet.log()) == calls
    assert [row.outcome for row in fleet.run_rows()] == ["nothing", None]
    prove_books_agree(fleet)


@pytest.mark.parametrize(
    ("point", "in_flight", "taken", "today"),
    [
        ("before-claim", 0, 1, 9),
        ("after-claim", 1, 1, 1),
        ("after-send", 1, 9, 9),
        ("before-settle", 1, 9, 9),
        ("after-settle", 0, 9, 9),
    ],
)
def test_only_what_was_in_flight_is_unknown(
    fleet: World, forks: Forks, point: str, in_flight: int, taken: int, today: int
) -> None:
    """One site, one thread: the first call pushes one page, the second the other eight. What is
    unknown is not pushed again on the same day, though there is quota left."""
    fleet.add("one", pages=9, quota=30)
    job: dict[str, Any] = {"number": 2, "signal": "KILL", "accounts": ["baidu"], "workers": 1}
    assert begin(forks, fleet, point=point, **job).ended() == KILLED
    assert len(fleet.sandbox.baidu.book.accepted("push")) == taken
    fleet.run(targets=fleet.only("baidu"))
    assert [row.state for row in fleet.log()].count("unknown") == in_flight
    assert len(fleet.sandbox.baidu.book.accepted("push")) == today
    prove_books_agree(fleet)
    run_until_told(fleet)
    prove_books_agree(fleet)


def test_a_dead_owners_lease_is_taken_over_at_once(fleet: World, forks: Forks) -> None:
    few_sites(fleet)
    child = begin(forks, fleet, point="after-claim", signal="KILL")
    assert child.ended() == KILLED
    before = fleet.clock.now()
    assert fleet.run().exit_code == 0
    assert (fleet.clock.now() - before).total_seconds() < 60  # far less than a lease lasts


def kill_at_random(world: World, forks: Forks, *, kills: int, seed: int) -> None:
    """Kill so many runs, each in a moment that the seed chose: some steps into its work and then
    a little later, or so long after its start. After every kill, the books agree."""
    chance = random.Random(seed)  # noqa: S311 - it has to be the same every time
    killed = 0
    for run in range(kills * 3):
        if killed == kills:
            return
        steps = chance.choice([0, 1, 3, 10, 30, 100])
        child = begin(forks, world, run, point="any" if steps else "", number=steps)
        if steps and not child.at_point():
            assert child.ended() == 0
            world.next_day()
            add_pages(world)
            continue
        killed += child.kill(after_s=chance.uniform(0, 0.01 if steps else 0.5)) == KILLED
        prove_ledger_is_whole(world.ledger_path)
        prove_books_agree(world)
    raise AssertionError(f"only {killed} of {kills} runs could be killed")


def add_pages(world: World) -> None:
    """Every site has a new page."""
    for entry in world.entries.values():
        world.sandbox.fleet.site(str(entry["host"])).add_pages()


def many_sites(world: World) -> None:
    """Some hundred calls before everything is told."""
    for number in range(12):
        world.add(f"s{number}", pages=9 + number % 4, quota=(2, 3, 4, 30)[number % 4])


def test_runs_killed_at_random_lose_nothing_and_repeat_nothing(fleet: World, forks: Forks) -> None:
    many_sites(fleet)
    kill_at_random(fleet, forks, kills=40, seed=1)
    run_until_told(fleet)
    prove_books_agree(fleet)
    assert len(fleet.log()) > 200


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_five_hundred_kills_lose_nothing_and_repeat_nothing(
    fleet: World, forks: Forks, seed: int
) -> None:
    many_sites(fleet)
    kill_at_random(fleet, forks, kills=50, seed=seed)
    run_until_told(fleet)
    prove_books_agree(fleet)
