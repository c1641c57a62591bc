"""Several processes with leases of their own write to one ledger at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta

import psycopg
import pytest
from ledger_samples import (
    ACCOUNT,
    MAP,
    NOW,
    OTHER_MAP,
    SITE,
    allowance,
    claim,
    kept_counts,
    look_at,
    open_ledger,
    page,
    pages_action,
    recount,
    rule,
    settle,
    sitemap_action,
)

from submitter.core.calls import Outcome
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.errors import LeaseLost, LedgerError
from submitter.ledger import leases, sending
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease, LogFilter

WORKERS = 4
LATER = NOW + timedelta(seconds=61)
LANES = ("baidu", "indexnow", "yandex")
PATIENCE_S = 60


@pytest.fixture
def ledgers(shared_url: str) -> Iterator[list[SqlLedger]]:
    """The same ledger, opened by each worker for itself."""
    with ExitStack() as closing:
        opened = [open_ledger(shared_url) for _ in range(WORKERS)]
        for ledger in opened:
            closing.callback(ledger.close)
        yield opened


def together(*steps: Callable[[], object]) -> list[object]:
    """Take steps side by side, begun at the same moment."""
    barrier = threading.Barrier(len(steps))

    def begun(step: Callable[[], object]) -> object:
        barrier.wait(PATIENCE_S)
        return step()

    with ThreadPoolExecutor(len(steps)) as pool:
        return list(pool.map(begun, steps))


def test_rows_that_many_name_first_are_made_once(ledgers: list[SqlLedger]) -> None:
    def name(ledger: SqlLedger, worker: int) -> None:
        lease = ledger.acquire(f"lane {worker}", "a", ttl_s=60, now=NOW)
        for number in range(10):
            site = f"https://s{number}.example.com"
            action = sitemap_action(f"{site}/{worker}.xml", site=site)
            attempt = claim(ledger, lease, action, allowance=allowance())
            settle(ledger, lease, attempt, action)
            ledger.adopt_pages(
                lease, site, account="a", pages=[page("x", section=f"s{number}")], at=NOW
            )

    together(*(lambda one=one: name(*one) for one in zip(ledgers, range(WORKERS), strict=True)))
    calls = list(ledgers[0].log(LogFilter()))
    assert len({row.site for row in calls}) == 10
    assert {row.state for row in calls} == {"accepted"}
    assert len(calls) == 10 * WORKERS
    assert len(ledgers[0].allowances()) == 1
    assert kept_counts(ledgers[0]) == recount(ledgers[0])


def test_sites_are_looked_at_side_by_side_and_no_page_has_the_number_of_another(
    ledgers: list[SqlLedger],
) -> None:
    def look(ledger: SqlLedger, worker: int) -> int:
        site = f"https://s{worker}.example.com"
        lease = ledger.acquire(f"look {site}", "a", ttl_s=60, now=NOW)
        pages = [page(f"{worker}/{number}") for number in range(300)]
        for begin in range(0, 250, 50):
            look_at(ledger, lease, {MAP: pages[: begin + 50]}, site=site)
        return len(ledger.candidates(site, ACCOUNT, Kind.URLS, now=NOW, limit=999))

    found = together(
        *(lambda one=one: look(*one) for one in zip(ledgers, range(WORKERS), strict=True))
    )
    assert found == [250] * WORKERS
    with ledgers[0]._database.reading() as tx:
        ask = tx.connection.exec_driver_sql
        assert ask("SELECT count(*), count(DISTINCT page_id) FROM page_key").one() == (1000, 1000)
        assert ask("SELECT count(*) FROM page JOIN page_key ON page_id = id").scalar() == 1000
    assert kept_counts(ledgers[0]) == recount(ledgers[0])


def test_lanes_send_a_sites_pages_while_it_is_looked_at(ledgers: list[SqlLedger]) -> None:
    """One worker changes the site all the time, three tell it to an engine each: whatever order
    that has, the kept counts are those of the rows, and nothing is in flight in the end."""
    looker, *senders = ledgers
    rules = [rule(account, removed=True) for account in LANES]
    looking = looker.acquire("look", "a", ttl_s=600, now=NOW)
    look_at(looker, looking, {MAP: [page(f"p{n}", 1) for n in range(20)]}, tell=rules)

    def look() -> None:
        for turn in range(2, 14):
            pages = [page(f"p{n}", turn if n % 3 else 1) for n in range(turn % 4, 30)]
            listed = {MAP: pages[::2], OTHER_MAP: pages[1::2]}
            look_at(looker, looking, listed, tell=rules)

    def send(ledger: SqlLedger, account: str) -> None:
        lease = ledger.acquire(f"lane {account}", "a", ttl_s=600, now=NOW)
        for turn in range(25):
            kind = Kind.REMOVAL if turn % 4 == 3 else Kind.URLS
            if not ledger.candidates(SITE, account, kind, now=NOW, limit=1):
                continue
            try:
                action = pages_action(ledger, account=account, kind=kind)
                attempt = claim(ledger, lease, action)
            except (LedgerError, IndexError):  # the look was faster
                continue
            state = (State.ACCEPTED, State.FAILED, State.UNKNOWN)[turn % 3]
            settle(ledger, lease, attempt, action, state)

    together(look, *(lambda one=one: send(*one) for one in zip(senders, LANES, strict=True)))
    assert kept_counts(looker) == recount(looker)
    states = {row.state for row in looker.log(LogFilter())}
    assert "accepted" in states
    assert "sending" not in states


def test_a_page_is_claimed_by_one_worker_only(ledgers: list[SqlLedger]) -> None:
    lease = ledgers[0].acquire("look", "a", ttl_s=60, now=NOW)
    look_at(ledgers[0], lease, {MAP: [page("a")]})
    action = pages_action(ledgers[0])

    def grab(ledger: SqlLedger, worker: int) -> bool:
        lane = ledger.acquire(f"lane {worker}", "a", ttl_s=60, now=NOW)
        try:
            claim(ledger, lane, action)
        except LedgerError:
            return False
        return True

    won = together(
        *(lambda one=one: grab(*one) for one in zip(ledgers, range(WORKERS), strict=True))
    )
    assert sorted(won) == [False] * (WORKERS - 1) + [True]
    assert kept_counts(ledgers[0]) == recount(ledgers[0])


# ---------------------------------------------------------------- in the middle of a transaction


@pytest.fixture
def two(server_url: str) -> Iterator[tuple[SqlLedger, SqlLedger]]:
    first, second = open_ledger(server_url), open_ledger(server_url)
    yield first, second
    first.close()
    second.close()


def waits(url: str) -> None:
    """Come back when somebody waits for a lock of somebody else."""
    with psycopg.connect(url, autocommit=True) as session:
        for _ in range(100_000):
            row = session.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
            if row and row[0]:
                return
    raise AssertionError("nobody waits")


def while_it_waits(
    url: str, ledger: SqlLedger, first: Callable[[object], object], second: Callable[[], object]
) -> Future[object]:
    """Begin `second` in the middle of the transaction of `first`, which ends when it waits."""
    with ThreadPoolExecutor(1) as pool:
        with ledger._database.transaction() as tx:
            first(tx)
            later = pool.submit(second)
            waits(url)
        later.exception(PATIENCE_S)
    return later


def test_a_lease_is_not_taken_before_its_owners_step_has_ended(
    server_url: str, two: tuple[SqlLedger, SqlLedger]
) -> None:
    owner, other = two
    lease = owner.acquire("run", "a", ttl_s=60, now=NOW)
    action = sitemap_action()

    def begin(tx: object) -> None:
        sending.claim(tx, lease, action, run="r", number=1, at=NOW, allowance=None)  # type: ignore[arg-type]

    taken = while_it_waits(
        server_url, owner, begin, lambda: other.acquire("run", "b", ttl_s=60, now=LATER)
    ).result()
    assert isinstance(taken, Lease)
    assert [row.state for row in other.log(LogFilter())] == ["sending"]
    assert other.recover(taken, now=LATER, not_before={}) == 1
    with pytest.raises(LeaseLost):
        settle(owner, lease, 1, action)


def test_an_answer_that_is_being_stored_is_not_taken_for_lost(
    server_url: str, two: tuple[SqlLedger, SqlLedger]
) -> None:
    """Its owner's lease has run out, and somebody looks for lost calls while it is settled."""
    owner, other = two
    lease = owner.acquire("lane", "a", ttl_s=60, now=NOW)
    look_at(owner, lease, {MAP: [page("a"), page("b")]})
    action = pages_action(owner)
    attempt = claim(owner, lease, action)
    looking = other.acquire("look", "b", ttl_s=60, now=LATER)
    outcome = Outcome(State.ACCEPTED, State.ACCEPTED, accepted=2)

    def begin(tx: object) -> None:
        sending.settle(tx, lease, attempt, action, outcome, at=NOW, allowance=None)  # type: ignore[arg-type]

    recovered = while_it_waits(
        server_url, owner, begin, lambda: other.recover(looking, now=LATER, not_before={})
    ).result()
    assert recovered == 0
    assert [row.state for row in other.log(LogFilter())] == ["accepted"]
    assert kept_counts(other) == recount(other)


def test_a_site_is_looked_at_and_told_one_step_after_the_other(
    server_url: str, two: tuple[SqlLedger, SqlLedger]
) -> None:
    """A page goes while the answer about it is being stored: its state is counted out once."""
    sender, looker = two
    lease = sender.acquire("lane", "a", ttl_s=60, now=NOW)
    looking = looker.acquire("look", "b", ttl_s=60, now=NOW)
    look_at(looker, looking, {MAP: [page("a"), page("b")]})
    action = pages_action(sender)
    attempt = claim(sender, lease, action)
    outcome = Outcome(State.ACCEPTED, State.ACCEPTED, accepted=2)

    def begin(tx: object) -> None:
        sending.settle(tx, lease, attempt, action, outcome, at=NOW, allowance=None)  # type: ignore[arg-type]

    while_it_waits(
        server_url, sender, begin, lambda: look_at(looker, looking, {MAP: [page("b")]})
    ).result()
    assert kept_counts(looker) == recount(looker)
    assert dict(looker.page_standings(NOW)[SITE, ACCOUNT].counts) == {State.ACCEPTED: 1}


def test_a_lease_that_is_being_stretched_keeps_its_calls(
    server_url: str, two: tuple[SqlLedger, SqlLedger]
) -> None:
    owner, other = two
    lease = owner.acquire("lane", "a", ttl_s=60, now=NOW)
    claim(owner, lease, sitemap_action())
    looking = other.acquire("look", "b", ttl_s=600, now=LATER)
    recovered = while_it_waits(
        server_url,
        owner,
        lambda tx: leases.renew(tx, lease, 60, LATER),  # type: ignore[arg-type]
        lambda: other.recover(looking, now=LATER, not_before={}),
    ).result()
    assert recovered == 0


def test_two_who_wait_for_each_other_are_both_served(
    server_url: str, two: tuple[SqlLedger, SqlLedger]
) -> None:
    """The server ends one of them, whose step is taken again."""
    first, second = two
    barrier = threading.Barrier(2)
    entered = threading.Event()

    def step(one: str, other: str) -> Callable[[object], None]:
        def inner(tx: object) -> None:
            run = tx.connection.exec_driver_sql  # type: ignore[attr-defined]
            run(f"UPDATE lease SET owner = '{one}' WHERE name = '{one}'")  # noqa: S608
            if not entered.is_set():
                barrier.wait(PATIENCE_S)
                entered.set()
            run(f"UPDATE lease SET owner = '{one}' WHERE name = '{other}'")  # noqa: S608

        return inner

    for name in ("a", "b"):
        first.acquire(name, name, ttl_s=60, now=NOW)
    together(
        lambda: first._database.write(step("a", "b")),
        lambda: second._database.write(step("b", "a")),
    )
    with first._database.reading() as tx:
        owners = set(tx.connection.exec_driver_sql("SELECT owner FROM lease").scalars())
    assert len(owners) == 1
