"""Which servers a ledger opens, which it refuses without touching them, and what it says then."""

from __future__ import annotations

import logging
import signal
import traceback
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import quote, urlsplit
from uuid import uuid4

import psycopg
import pytest
from ledger_processes import finish, start
from ledger_samples import (
    MAP,
    NOW,
    OTHER_MAP,
    SITE,
    claim,
    kept_counts,
    look_at,
    open_ledger,
    page,
    read,
    recount,
    rule,
    settle,
    sitemap_action,
    waiting,
)
from sqlalchemy.exc import ProgrammingError

from submitter.errors import ConfigError, LedgerBusy, LedgerError
from submitter.ledger import migrating, postgres
from submitter.ledger.database import Transaction
from submitter.ledger.schema import HEAD
from submitter.ports import LogFilter
from support.postgres import (
    Server,
    administer,
    as_user,
    database,
    in_database,
    own_server,
    with_options,
)

PASSWORD = "kept-to-ourselves"


@pytest.fixture
def empty_url() -> Iterator[str]:
    """A database with nothing in it."""
    with database(empty=True) as url:
        yield url


def refused(url: str) -> str:
    with pytest.raises(LedgerError) as caught:
        open_ledger(url)
    return str(caught.value)


def relations(url: str) -> list[tuple[str, ...]]:
    with psycopg.connect(url) as session:
        return session.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
        ).fetchall()


def test_an_empty_database_becomes_a_ledger_and_keeps_what_it_knows(empty_url: str) -> None:
    ledger = open_ledger(empty_url)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    look_at(ledger, lease, {MAP: [page("a"), page("b")]})
    ledger.close()
    again = open_ledger(empty_url.replace("postgresql://", "postgresql+psycopg://"))
    assert waiting(again) == ["a", "b"]
    again.close()


def test_a_closed_ledger_leaves_nothing_of_its_session(empty_url: str) -> None:
    for _ in range(3):
        ledger = open_ledger(empty_url)
        ledger.bind("fleet")
        ledger.close()
    with psycopg.connect(empty_url) as session:
        assert session.execute("SELECT name FROM counter").fetchall() == [("page",)]


def test_what_dead_processes_left_is_swept_after_a_week(server_url: str) -> None:
    administer(server_url, "INSERT INTO counter VALUES ('commit old', 1700000000000000)")
    administer(
        server_url,
        "INSERT INTO counter SELECT 'commit new', (extract(epoch FROM now()) * 1000000)::bigint",
    )
    open_ledger(server_url).close()
    with psycopg.connect(server_url) as session:
        names = session.execute("SELECT name FROM counter ORDER BY name").fetchall()
    assert names == [("commit new",), ("page",)]


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE theirs (x int)", "CREATE VIEW theirs AS SELECT 1 AS x",
     "CREATE TABLE alembic_version (version_num varchar(32))"],
)  # fmt: skip
def test_a_schema_with_tables_of_another_program_is_refused(empty_url: str, statement: str) -> None:
    administer(empty_url, statement)
    before = relations(empty_url)
    assert "tables of another program; give the ledger a database of its own" in refused(empty_url)
    assert relations(empty_url) == before


def test_what_belongs_to_an_extension_is_no_other_program(empty_url: str) -> None:
    administer(empty_url, "CREATE TABLE theirs (x int)")
    administer(empty_url, "ALTER EXTENSION plpgsql ADD TABLE theirs")
    open_ledger(empty_url).close()


def test_another_schema_of_the_same_database_may_hold_the_ledger(empty_url: str) -> None:
    administer(empty_url, "CREATE TABLE theirs (x int)")
    administer(empty_url, "CREATE SCHEMA ours")
    url = with_options(empty_url, "-csearch_path=ours")
    ledger = open_ledger(url)
    ledger.bind("fleet")
    ledger.close()
    open_ledger(url).close()
    assert relations(empty_url) == [("theirs",)]


def test_a_newer_ledger_is_refused_untouched(server_url: str) -> None:
    administer(server_url, "UPDATE alembic_version SET version_num = '9999'")
    assert f"ledger '9999', this program knows {HEAD!r}" in refused(server_url)


def test_a_server_that_takes_no_writes_is_refused(server_url: str) -> None:
    url = with_options(server_url, "-cdefault_transaction_read_only=on")
    assert "the server takes no writes" in refused(url)


def test_a_user_who_may_not_write_is_told_so(server_url: str) -> None:
    reader = f"reader_{uuid4().hex}"
    administer(server_url, f"CREATE ROLE {reader} LOGIN PASSWORD '{PASSWORD}'")
    try:
        administer(server_url, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}")
        said = refused(as_user(server_url, reader, PASSWORD))
        assert "let it own the ledger's tables (permission denied for table counter)" in said
    finally:
        administer(server_url, f"DROP OWNED BY {reader}")
        administer(server_url, f"DROP ROLE {reader}")


def test_a_database_that_is_not_there_is_named_by_the_server(server_url: str) -> None:
    said = refused(in_database(server_url, "nowhere"))
    assert 'database "nowhere" does not exist' in said
    assert "cannot be reached" not in said


def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    said = refused(f"postgresql://user:{PASSWORD}@127.0.0.1:1/ledger")
    assert "postgresql://127.0.0.1:1/ledger: the server cannot be reached" in said
    assert "refused" in said


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://user:{PASSWORD}@127.0.0.1:1/ledger",
        f"postgresql://127.0.0.1:1/ledger?user=u&password={PASSWORD}",
        f"postgresql://user:{PASSWORD}@[::1/ledger",
        f"postgresql://user:{PASSWORD}@127.0.0.1:port/ledger",
        f"postgresql://user:{PASSWORD}@127.0.0.1/ledger?nosuch=1",
        f"postgresql://user:p@{PASSWORD}@127.0.0.1:1/ledger",
        f"postgresql://user:p/{PASSWORD}@127.0.0.1:1/ledger",
        f"postgresql://user:1/{PASSWORD}@127.0.0.1:1/ledger",
        f"postgresql://user:p?{PASSWORD}@127.0.0.1:1/ledger",
        f"postgresql://user:%FF{PASSWORD}@127.0.0.1:1/ledger",
        f"postgresql://user:%{PASSWORD}@127.0.0.1:1/ledger",
    ],
)
def test_a_password_is_in_no_message_and_no_log(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises((LedgerError, ConfigError)) as caught:
        open_ledger(url)
    said = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert PASSWORD not in said


@pytest.mark.parametrize("password", ["p@rest", "p/rest", "1/rest", "p%FFrest", "p%rest"])
def test_a_password_with_letters_of_addresses_has_to_be_encoded(password: str) -> None:
    with pytest.raises(ConfigError, match="in a password as %40 %3A %2F"):
        open_ledger(f"postgresql://user:{password}@127.0.0.1:1/ledger")
    options = postgres.server_options(
        f"postgresql://user:{quote(password, safe='')}@127.0.0.1:1/ledger"
    )
    assert options["password"] == password
    assert options["host"] == "127.0.0.1"


def test_an_open_ledger_does_not_show_its_password(server_url: str) -> None:
    password = urlsplit(server_url).password or PASSWORD
    user = urlsplit(server_url).username or ""
    ledger = open_ledger(as_user(server_url, user, password))
    database = ledger._database
    assert password not in database.name + repr(ledger) + repr(vars(database))
    ledger.close()


WITHOUT_DRIVER = """
import sys
sys.modules["psycopg"] = None
from submitter.errors import ConfigError
from submitter.ledger import open_ledger
open_ledger("sqlite:///:memory:").close()
try:
    open_ledger("postgresql://localhost/ledger")
except ConfigError as error:
    print(error)
"""


def test_without_the_driver_it_is_said_what_to_install() -> None:
    _, said = finish(start(WITHOUT_DRIVER))
    assert said == "ledger: a PostgreSQL ledger needs psycopg: pip install 'submitter[postgres]'\n"


def test_a_lock_that_is_held_too_long_is_busy(server_url: str) -> None:
    ledger = open_ledger(server_url)

    def step(tx: Transaction) -> None:
        tx.connection.exec_driver_sql("SET LOCAL lock_timeout = '10ms'")
        tx.connection.exec_driver_sql("SELECT 1 FROM lease FOR UPDATE")

    with psycopg.connect(server_url) as other:
        other.execute("LOCK TABLE lease")
        with pytest.raises(LedgerBusy, match="another process is writing to it"):
            ledger._database.write(step)
    ledger.acquire("run", "a", ttl_s=60, now=NOW)
    ledger.close()


def test_a_statement_that_failed_is_never_taken_for_stored(server_url: str) -> None:
    """A server answers COMMIT with ROLLBACK, and no error, when a statement failed before."""
    ledger = open_ledger(server_url)

    def go_on(tx: Transaction) -> None:
        with suppress(ProgrammingError):
            tx.connection.exec_driver_sql("SELECT 1 FROM no_such_table")

    with pytest.raises(LedgerError, match="the server took the step back"):
        ledger._database.write(go_on)
    ledger.bind("fleet")
    ledger.close()


def test_a_step_that_idled_until_the_server_ended_it_is_taken_again(server_url: str) -> None:
    """As one does whose process is stopped: others need not wait for it for ever."""
    ledger = open_ledger(server_url)
    steps: list[int] = []

    def step(tx: Transaction) -> None:
        ask = tx.connection.exec_driver_sql
        steps.append(int(ask("SELECT pg_backend_pid()").scalar_one()))
        if len(steps) == 1:
            ask("SET LOCAL idle_in_transaction_session_timeout = '1ms'")
            wait_until_gone(server_url, steps[0])
        ask("SELECT 1 FROM lease FOR UPDATE")

    ledger._database.write(step)
    assert len(steps) == 2
    ledger.close()


def wait_until_gone(url: str, pid: int) -> None:
    with psycopg.connect(url, autocommit=True) as session:
        for _ in range(100_000):
            query = f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"  # noqa: S608
            if session.execute(query.encode()).fetchone() is None:
                return
    raise AssertionError("it is still there")


# ---------------------------------------------------------------- servers that go and come


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with own_server() as started:
        yield started


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_server_that_was_restarted_is_found_again(server: Server, how: signal.Signals) -> None:
    with database(server.url) as url:
        ledger = open_ledger(url)
        lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
        server.stop(how)
        server.start()
        look_at(ledger, lease, {MAP: [page("a")]})
        server.stop(how)
        server.start()
        assert waiting(ledger) == ["a"]
        ledger.close()


def test_a_server_that_stays_away_is_waited_for_and_then_given_up(server: Server) -> None:
    waits: list[float] = []
    with database(server.url) as url:
        opened = postgres.open_server(
            url, create=migrating.create, upgrade=migrating.upgrade, sleep=waits.append
        )
        server.stop()
        with pytest.raises(LedgerError, match="the server cannot be reached"):
            opened.read(lambda tx: None)
        assert 14 < sum(waits) < 16
        server.start()
        assert opened.read(lambda tx: 1) == 1
        opened.close()


def test_a_server_that_is_starting_is_waited_for(server: Server) -> None:
    """It comes up while we wait for the third time."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            server.start()

    with database(server.url) as url:
        opened = postgres.open_server(
            url, create=migrating.create, upgrade=migrating.upgrade, sleep=sleep
        )
        server.stop()
        assert opened.write(lambda tx: 1) == 1
        assert len(waits) == 3
        opened.close()


def test_a_look_whose_documents_a_crash_cost_is_not_finished(server: Server) -> None:
    """It would take pages for gone that stand in them. The next look finds everything."""
    with database(server.url) as url:
        ledger = open_ledger(url)
        lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
        look_at(ledger, lease, {MAP: [page("a"), page("b")]})
        look = ledger.look(lease, SITE, tell=[rule(removed=True)], at=NOW)
        ledger.renew(lease, ttl_s=60, now=NOW)  # durable, and all before it
        sink = look.open(OTHER_MAP)
        sink.add([page("a"), page("b"), page("c")])
        sink.close(read("moved"))
        server.stop(signal.SIGQUIT)
        server.start()
        with pytest.raises(LedgerError, match=f"lost some of what was stored of {SITE}"):
            look.finish(gone_after=1, complete=True)
        found = look_at(ledger, lease, {OTHER_MAP: [page("a"), page("b"), page("c")]})
        assert (found.delta.new, found.delta.gone, found.listed) == (1, 0, 3)
        assert kept_counts(ledger) == recount(ledger)
        ledger.close()


def test_calls_outlive_a_crash(server: Server) -> None:
    with database(server.url) as url:
        ledger = open_ledger(url)
        lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
        action = sitemap_action()
        attempt = claim(ledger, lease, action)
        server.stop(signal.SIGQUIT)
        server.start()
        settle(ledger, lease, attempt, action)
        server.stop(signal.SIGQUIT)
        server.start()
        assert [row.state for row in ledger.log(LogFilter())] == ["accepted"]
        ledger.close()


def test_a_server_that_lost_calls_is_not_trusted(server_url: str) -> None:
    """A standby that took over without the last transactions: nothing may be sent any more."""
    ledger = open_ledger(server_url)
    lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    administer(server_url, "UPDATE counter SET value = value - 1 WHERE name LIKE 'commit %'")
    administer(
        server_url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    for _ in range(2):
        with pytest.raises(LedgerError, match="the server lost what it had stored"):
            claim(ledger, lease, sitemap_action())
    ledger.close()
