"""Two runs at once are safe: one lease, a fence that grows, and no write without it."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from ledger_samples import NOW, SITE, allowance, claim, open_ledger, rule, settle, sitemap_action

from submitter.core.looks import RootLook
from submitter.errors import LeaseLost, LedgerBusy
from submitter.kit.owners import this_owner
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease, LogFilter

LATER = NOW + timedelta(seconds=61)


def test_a_living_lease_keeps_others_out_and_says_whose_it_is(ledger: SqlLedger) -> None:
    ledger.acquire("run", "host 17", ttl_s=60, now=NOW)
    said = r"another run \('host 17'\) holds the lease 'run' since 2026-11-30 12:00"
    with pytest.raises(LedgerBusy, match=said):
        ledger.acquire("run", "host 18", ttl_s=60, now=NOW + timedelta(seconds=59))


def test_whoever_holds_a_lease_is_named_for_people(ledger: SqlLedger) -> None:
    ledger.acquire("run", this_owner(), ttl_s=60, now=NOW)
    here = rf"another run \(pid {os.getpid()} on this machine\) holds the lease 'run' since"
    with pytest.raises(LedgerBusy, match=here):
        ledger.acquire("run", "other", ttl_s=60, now=NOW)
    ledger.acquire("crawlers", "db-7 3c36-boot pid:[1] 12336 4995038", ttl_s=60, now=NOW)
    there = r"another run \(pid 12336 on db-7\) holds the lease 'crawlers'"
    with pytest.raises(LedgerBusy, match=there):
        ledger.acquire("crawlers", "other", ttl_s=60, now=NOW)


def test_an_expired_lease_goes_to_the_next_with_a_higher_fence(ledger: SqlLedger) -> None:
    first = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    second = ledger.acquire("run", "b", ttl_s=60, now=LATER)
    assert second.fence > first.fence
    assert second.expires_at == LATER + timedelta(seconds=60)


def test_a_renewed_lease_lives_on(ledger: SqlLedger) -> None:
    lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    renewed = ledger.renew(lease, ttl_s=60, now=NOW + timedelta(seconds=50))
    assert renewed.fence == lease.fence
    with pytest.raises(LedgerBusy):
        ledger.acquire("run", "b", ttl_s=60, now=LATER)


def test_a_released_lease_is_free_at_once_and_its_fence_is_spent(ledger: SqlLedger) -> None:
    first = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    ledger.release(first)
    second = ledger.acquire("run", "b", ttl_s=60, now=NOW)
    assert second.fence > first.fence
    with pytest.raises(LeaseLost, match=r"another run \('b'\) took it"):
        ledger.renew(first, ttl_s=60, now=NOW)


def test_releasing_a_lost_lease_leaves_the_new_owner_alone(ledger: SqlLedger) -> None:
    first = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    second = ledger.acquire("run", "b", ttl_s=60, now=LATER)
    ledger.release(first)
    assert ledger.renew(second, ttl_s=60, now=LATER).fence == second.fence


def test_leases_of_other_names_do_not_meet(ledger: SqlLedger) -> None:
    ledger.acquire("run", "a", ttl_s=60, now=NOW)
    assert ledger.acquire("lane gsc", "b", ttl_s=60, now=NOW).owner == "b"


def test_the_same_owner_may_come_again_but_its_old_lease_is_lost(ledger: SqlLedger) -> None:
    first = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    ledger.acquire("run", "a", ttl_s=60, now=NOW)
    with pytest.raises(LeaseLost):
        ledger.renew(first, ttl_s=60, now=NOW)


def test_the_lease_of_an_owner_known_to_be_dead_is_free_at_once() -> None:
    ledger = open_ledger("sqlite:///:memory:", is_dead=lambda owner: owner == "dead")
    ledger.acquire("run", "dead", ttl_s=60, now=NOW)
    assert ledger.acquire("run", "b", ttl_s=60, now=NOW).owner == "b"
    with pytest.raises(LedgerBusy):
        ledger.acquire("run", "c", ttl_s=60, now=NOW)
    ledger.close()


def test_an_expired_lease_that_nobody_took_may_still_write(ledger: SqlLedger) -> None:
    lease = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    assert claim(ledger, lease, sitemap_action(), at=LATER)


WRITES = {
    "look": lambda ledger, lease: ledger.look(lease, SITE, tell=[rule()], at=NOW),
    "accept_look": lambda ledger, lease: ledger.accept_look(lease, SITE),
    "record_roots": lambda ledger, lease: ledger.record_roots(
        lease, SITE, [RootLook(SITE, True, "c", NOW, 1, False)]
    ),
    "adopt_pages": lambda ledger, lease: ledger.adopt_pages(
        lease, SITE, account="a", pages=[], at=NOW
    ),
    "claim": lambda ledger, lease: claim(ledger, lease, sitemap_action()),
    "settle": lambda ledger, lease: settle(ledger, lease, 1, sitemap_action()),
    "defer": lambda ledger, lease: ledger.defer(
        lease, sitemap_action(), not_before=None, reason="deadline"
    ),
    "save_allowance": lambda ledger, lease: ledger.save_allowance(lease, allowance()),
    "record_checks": lambda ledger, lease: ledger.record_checks(lease, SITE, "gsc", [], at=NOW),
    "recover": lambda ledger, lease: ledger.recover(lease, now=NOW, not_before={}),
    "renew": lambda ledger, lease: ledger.renew(lease, ttl_s=60, now=NOW),
}


@pytest.mark.parametrize("write", sorted(WRITES))
def test_nothing_is_written_under_a_lost_lease(ledger: SqlLedger, write: str) -> None:
    old = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    claim(ledger, old, sitemap_action())
    ledger.acquire("run", "b", ttl_s=60, now=LATER)
    with pytest.raises(LeaseLost):
        WRITES[write](ledger, old)


def test_a_look_stops_storing_when_its_lease_is_lost(ledger: SqlLedger) -> None:
    old = ledger.acquire("run", "a", ttl_s=60, now=NOW)
    look = ledger.look(old, SITE, tell=[rule()], at=NOW)
    ledger.acquire("run", "b", ttl_s=60, now=LATER)
    with pytest.raises(LeaseLost):
        look.finish(gone_after=1, complete=True)


def test_two_who_opened_one_ledger_share_the_lease(shared_url: str) -> None:
    first, second = open_ledger(shared_url), open_ledger(shared_url)
    lease: Lease = first.acquire("run", "a", ttl_s=60, now=NOW)
    with pytest.raises(LedgerBusy):
        second.acquire("run", "b", ttl_s=60, now=NOW)
    second.acquire("run", "b", ttl_s=60, now=LATER)
    with pytest.raises(LeaseLost):
        claim(first, lease, sitemap_action())
    first.close()
    second.close()


def test_parts_of_a_lease_are_held_side_by_side(ledger: SqlLedger) -> None:
    ledger.acquire("run/a", "worker 1", ttl_s=60, now=NOW)
    ledger.acquire("run/b", "worker 2", ttl_s=60, now=NOW)
    with pytest.raises(LedgerBusy, match="worker 1"):
        ledger.acquire("run/a", "worker 2", ttl_s=60, now=NOW)


@pytest.mark.parametrize(("held", "wanted"), [("run", "run/a"), ("run/a", "run")])
def test_a_whole_and_its_parts_keep_each_other_out(
    ledger: SqlLedger, held: str, wanted: str
) -> None:
    lease = ledger.acquire(held, "worker 1", ttl_s=60, now=NOW)
    for owner in ("worker 1", "worker 2"):
        with pytest.raises(LedgerBusy, match="worker 1"):
            ledger.acquire(wanted, owner, ttl_s=60, now=NOW)
    ledger.release(lease)
    assert ledger.acquire(wanted, "worker 2", ttl_s=60, now=NOW).name == wanted


def test_a_whole_is_free_when_the_last_part_has_run_out(ledger: SqlLedger) -> None:
    ledger.acquire("run/a", "worker 1", ttl_s=60, now=NOW)
    assert ledger.acquire("run", "b", ttl_s=60, now=LATER).owner == "b"


# ---------------------------------------------------------------- many leases at once


def test_only_calls_whose_own_lease_is_dead_are_given_up(ledger: SqlLedger) -> None:
    """A live lease, one that ran out, one that was given back, and one that others took."""
    names = ("alive", "expired", "released", "taken")
    leases = {
        name: ledger.acquire(name, name, ttl_s=60 if name in ("expired", "taken") else 600, now=NOW)
        for name in names
    }
    calls = {
        name: claim(ledger, lease, sitemap_action(f"{SITE}/{name}.xml"))
        for name, lease in leases.items()
    }
    ledger.release(leases["released"])
    later = ledger.acquire("taken", "another", ttl_s=600, now=LATER)
    calls["later"] = claim(ledger, later, sitemap_action(f"{SITE}/later.xml"), at=LATER)
    looking = ledger.acquire("looking", "a", ttl_s=600, now=LATER)
    assert ledger.recover(looking, now=LATER, not_before={}) == 3
    states = {row.id: row.state for row in ledger.log(LogFilter())}
    assert {name: states[number] for name, number in calls.items()} == {
        "alive": "sending",
        "expired": "unknown",
        "released": "unknown",
        "taken": "unknown",
        "later": "sending",
    }
    settle(ledger, leases["alive"], calls["alive"], sitemap_action(f"{SITE}/alive.xml"))
    settle(ledger, later, calls["later"], sitemap_action(f"{SITE}/later.xml"))


def test_a_lease_that_is_lost_takes_no_other_with_it(ledger: SqlLedger) -> None:
    lost = ledger.acquire("lane a", "a", ttl_s=60, now=NOW)
    kept = ledger.acquire("lane b", "a", ttl_s=60, now=NOW)
    ledger.acquire("lane a", "b", ttl_s=60, now=LATER)
    with pytest.raises(LeaseLost):
        claim(ledger, lost, sitemap_action())
    assert claim(ledger, kept, sitemap_action())
    assert ledger.renew(kept, ttl_s=60, now=LATER).fence == kept.fence
    ledger.release(kept)
