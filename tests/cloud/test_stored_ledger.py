"""A ledger in a bucket: whatever fails or comes twice, the engines' books and ours agree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from submitter.core.calls import Action, Survey
from submitter.core.checklist import Item
from submitter.core.traits import Kind
from submitter.errors import ConfigError, LedgerBusy, LedgerError
from submitter.ledger import open_ledger
from submitter.ledger.stored import StoredLedger
from submitter.objects import ObjectAddress
from submitter.objects.gcs import GcsStore
from submitter.objects.stored import StoredObject
from submitter.ports import Lease, Ledger, LogFilter
from support.gcs_store import GcsFake
from support.whole import World, world
from support.whole_books import prove_books_agree, prove_ledger_is_whole

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
TTL_S = 90.0
SITEMAP = Action(
    site="https://www.example.com",
    account="google",
    engine="google",
    property="sc-domain:example.com",
    kind=Kind.SITEMAP,
    target="https://www.example.com/sitemap.xml",
    reason="new",
    content="",
    pages=(),
)


@contextmanager
def opened(url: str) -> Iterator[Ledger]:
    ledger = open_ledger(url)
    try:
        ledger.bind("fleet")
        yield ledger
    finally:
        ledger.close()


def impatient(gcs: GcsFake) -> StoredLedger:
    """Its waits for a busy store cost nothing."""
    address = ObjectAddress.parse(gcs.url())
    stored = StoredObject(address, GcsStore(address), sleep=lambda seconds: None)
    return StoredLedger(stored, is_dead=lambda owner: False, now=lambda: NOW)


def claim(ledger: Ledger, lease: Lease) -> int:
    return ledger.claim(lease, SITEMAP, run="r-1", number=1, at=NOW, allowance=None)


def states(url: str) -> list[str]:
    """Of the calls that everybody else can see."""
    with opened(url) as ledger:
        return [row.state for row in ledger.log(LogFilter())]


# ---------------------------------------------------------------- what the bucket has, and when


def test_the_intent_is_in_the_bucket_before_a_call_may_leave(bucket_url: str) -> None:
    with opened(bucket_url) as ledger:
        lease = ledger.acquire("run", "one", ttl_s=TTL_S, now=NOW)
        claim(ledger, lease)
        assert states(bucket_url) == ["sending"]


def test_the_end_of_a_run_is_in_the_bucket(bucket_url: str) -> None:
    with opened(bucket_url) as ledger:
        lease = ledger.acquire("run", "one", ttl_s=TTL_S, now=NOW)
        ledger.start_run("r-1", inventory_sha256="", at=NOW)
        ledger.finish_run("r-1", at=NOW, outcome="ok", exit_code=0, summary={"a": 1})
        ledger.release(lease)
    with opened(bucket_url) as ledger:
        [row] = ledger.runs(limit=5)
        assert (row.outcome, row.summary) == ("ok", {"a": 1})
        ledger.acquire("run", "two", ttl_s=TTL_S, now=NOW)


def test_reading_stores_nothing(gcs: GcsFake) -> None:
    with opened(gcs.url()) as ledger:
        ledger.release(ledger.acquire("run", "one", ttl_s=TTL_S, now=NOW))
    before = gcs.kept()
    with opened(gcs.url()) as ledger:
        assert ledger.runs(limit=5) == []
    assert gcs.kept() == before


# ---------------------------------------------------------------- two at once


def test_a_second_run_is_busy_until_the_lease_ends(bucket_url: str) -> None:
    with opened(bucket_url) as one, opened(bucket_url) as two:
        lease = one.acquire("run", "one", ttl_s=TTL_S, now=NOW)
        for name in ("run", "another lease"):
            with pytest.raises(LedgerBusy, match=r"another run \('one'\) holds"):
                two.acquire(name, "two", ttl_s=TTL_S, now=NOW)
        one.release(lease)
        two.acquire("run", "two", ttl_s=TTL_S, now=NOW)


def test_of_two_that_begin_a_ledger_one_is_busy(bucket_url: str) -> None:
    """Both found no object, and both made one of their own."""
    with opened(bucket_url) as one, opened(bucket_url) as two:
        one.acquire("run", "one", ttl_s=TTL_S, now=NOW)
        with pytest.raises(LedgerBusy):
            two.acquire("run", "two", ttl_s=TTL_S, now=NOW)


def test_an_owner_that_slept_past_its_lease_cannot_write(bucket_url: str) -> None:
    later = NOW + timedelta(seconds=TTL_S + 1)
    with opened(bucket_url) as one, opened(bucket_url) as two:
        asleep = one.acquire("run", "one", ttl_s=TTL_S, now=NOW)
        claim(one, asleep)
        lease = two.acquire("run", "two", ttl_s=TTL_S, now=later)
        assert two.recover(lease, now=later, not_before={}) == 1
        for write in (
            lambda: claim(one, asleep),
            lambda: one.renew(asleep, ttl_s=TTL_S, now=later),
            lambda: one.finish_run("r-1", at=NOW, outcome="ok", exit_code=0, summary={}),
        ):
            with pytest.raises(LedgerError):
                write()
        two.release(lease)
    assert states(bucket_url) == ["unknown"]


def test_a_renewed_lease_keeps_others_out(bucket_url: str) -> None:
    soon = NOW + timedelta(seconds=60)
    with opened(bucket_url) as one, opened(bucket_url) as two:
        one.renew(one.acquire("run", "one", ttl_s=TTL_S, now=NOW), ttl_s=TTL_S, now=soon)
        with pytest.raises(LedgerBusy):
            two.acquire("run", "two", ttl_s=TTL_S, now=soon + timedelta(seconds=80))


def test_a_tick_by_hand_waits_for_the_run(gcs: GcsFake) -> None:
    site = "https://www.example.com"
    item = Item("sogou", site, f"{site}/s.xml", first_listed_at=NOW, changed_at=NOW)
    run, hand = impatient(gcs), impatient(gcs)
    lease = run.acquire("run", "one", ttl_s=TTL_S, now=NOW)
    with pytest.raises(LedgerBusy):
        hand.save([item])
    run.save([item])
    run.release(lease)
    hand.save([item])
    run.close()
    hand.close()
    with opened(gcs.url()) as ledger:
        assert [one.address for one in ledger.items("sogou", site)] == [item.address]


def test_what_is_written_without_a_lease_is_stored_at_the_end(bucket_url: str) -> None:
    survey = Survey("google", (), "somebody")
    with opened(bucket_url) as ledger:
        ledger.save_survey(survey, at=NOW)
    with opened(bucket_url) as ledger:
        assert ledger.surveys() == {"google": (survey, NOW)}


def test_work_without_a_lease_breaks_no_run(gcs: GcsFake) -> None:
    """A run that began meanwhile goes on; the other one is told to do its work again."""
    other, run = impatient(gcs), impatient(gcs)
    lease = run.acquire("run", "one", ttl_s=TTL_S, now=NOW)
    other.save_survey(Survey("google", (), "somebody"), at=NOW)
    with pytest.raises(LedgerError, match="somebody else replaced it"):
        other.close()
    claim(run, lease)
    other = impatient(gcs)
    other.save_survey(Survey("google", (), "somebody"), at=NOW)
    with pytest.raises(LedgerBusy):
        other.close()
    run.release(lease)
    run.close()


# ---------------------------------------------------------------- faults of the store


def test_what_cannot_be_stored_is_not_sent(gcs: GcsFake) -> None:
    ledger = impatient(gcs)
    lease = ledger.acquire("run", "one", ttl_s=TTL_S, now=NOW)
    gcs.script = [403]
    with pytest.raises(LedgerError, match="Cloud Storage answered 403"):
        claim(ledger, lease)
    ledger.close()
    assert states(gcs.url()) == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [(b"", "the file is empty"), (b"x" * 200, "the file is no ledger")],
)
def test_a_foreign_object_is_refused_and_left_alone(
    gcs: GcsFake, body: bytes, problem: str
) -> None:
    gcs.put("/bucket-of-tests/fleet/ledger.db", None, body, "")
    with pytest.raises(LedgerError, match=problem):
        open_ledger(gcs.url())
    assert gcs.kept().body == body


@pytest.mark.parametrize("url", ["s3://B/ledger.db", "gs://bucket-of-tests/a?endpoint=nowhere"])
def test_an_address_that_is_none_is_a_fault_of_the_inventory(url: str) -> None:
    with pytest.raises(ConfigError):
        open_ledger(url)


def test_a_ledger_belongs_to_one_inventory_there_too(bucket_url: str) -> None:
    with opened(bucket_url) as ledger:
        ledger.acquire("run", "one", ttl_s=TTL_S, now=NOW)
    ledger = open_ledger(bucket_url)
    with pytest.raises(LedgerError, match="belongs to the inventory 'fleet'"):
        ledger.bind("another")
    ledger.close()


# ---------------------------------------------------------------- whole runs


@pytest.fixture
def shops(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path) as made:
        for number in range(3):
            made.add(f"shop{number}", pages=4, quota=3)
        yield made


def run_there(shops: World, gcs: GcsFake) -> str:
    """One run on the ledger in the bucket; what everybody can see of it lies at the world's path
    afterwards. Returns how it ended."""
    ledger = impatient(gcs)
    try:
        ledger.bind("whole")
        end = str(shops.run(parts={"ledger": ledger}).summary["outcome"])
    except LedgerError as error:
        end = type(error).__name__
    finally:
        ledger.close()
    if gcs.objects:
        shops.ledger_path.write_bytes(gcs.kept().body)
        prove_ledger_is_whole(shops.ledger_path)
        prove_books_agree(shops)
    return end


def test_a_run_on_a_bucket_tells_everything_once(shops: World, gcs: GcsFake) -> None:
    assert run_there(shops, gcs) == "ok"
    calls = len(shops.log())
    assert len(gcs.puts) <= calls + 4, "one for each call, and four for the run"
    assert run_there(shops, gcs) == "nothing"
    assert len(shops.log()) == calls


@pytest.mark.parametrize("mode", ["once", "for good", "lost"])
def test_a_store_that_fails_anywhere_makes_nobody_lie(
    shops: World, gcs: GcsFake, mode: str
) -> None:
    """The n-th replacement fails, for every n that a run reaches; the next run goes on."""
    fault: int | str = "lost" if mode == "lost" else 403
    for number in range(60):
        before = len(gcs.puts)
        gcs.script = ["ok"] * number + [fault] * (500 if mode == "for good" else 1)
        end = run_there(shops, gcs)
        if len(gcs.puts) - before <= number:
            break
        assert end in (("ok", "nothing") if mode == "lost" else ("LedgerError",))
        shops.next_day()
        for host in shops.sandbox.fleet.hosts():
            shops.sandbox.fleet.site(host).add_pages(3, "pages")
    assert number >= 5, "every kind of replacement had its turn"
    gcs.script = []
    shops.clock.advance(TTL_S + 1)
    assert run_there(shops, gcs) in ("ok", "nothing")
