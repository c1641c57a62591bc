"""What a worker's jobs leave open for the next: logins, what an account can see, connections."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from workers_support import Yard

from submitter.core.accounting import ExitCode
from submitter.core.jobs import Errand
from submitter.sending.surveys import ASK_AGAIN, FRESH
from submitter.workers.calling import run_worker
from submitter.workers.hands import Hands
from submitter.workers.queue import LOOK, SEND, VERIFY, Work
from submitter.workers.working import Rhythm
from support.whole import DOMAIN, EMAIL, SandboxTime

ERRAND = Errand("errand-1", verify=False)
OTHER = "other@sandbox-project.iam.gserviceaccount.com"
PROPERTY = f"sc-domain:{DOMAIN}"
ALONE = Rhythm(loops=1, drain=True, poll_s=0.05)


@pytest.fixture
def hands(yard: Yard) -> Hands:
    """In the sandbox's time."""
    yard.world.add("shop")
    return yard.hands(replace(yard.place(), clock=SandboxTime(yard.world.clock)))


def asked(yard: Yard, call: str) -> int:
    return yard.world.sandbox.google.book.count(call=call)


def works(hands: Hands, task: str) -> list[Work]:
    return [one for one in hands.first_works(ERRAND) if one.task == task]


def do(hands: Hands, *tasks: str) -> None:
    for task in tasks:
        for work in works(hands, task):
            hands.do(work)


def wait(yard: Yard, time: timedelta) -> None:
    yard.world.clock.advance(time.total_seconds() + 1)


def put_key(yard: Yard, email: str, file: str = "google.json") -> None:
    google = yard.world.sandbox.google
    yard.world.put_secret(file, json.dumps(google.key_file(email)))


def test_a_worker_logs_in_and_asks_for_rights_once_for_all_its_lanes(yard: Yard) -> None:
    for number in range(12):
        yard.world.add(f"shop{number}")
    lanes = yard.enqueue(verify=False)["send"]
    assert run_worker(yard.place(), yard.url, ALONE) == ExitCode.OK
    assert lanes > 5
    assert len(yard.submitted()) == 12
    assert asked(yard, "sites.list") == 1
    assert asked(yard, "token") < lanes / 2  # one a minute


def test_what_another_worker_was_told_of_an_account_is_not_asked_again(
    yard: Yard, hands: Hands
) -> None:
    do(hands, LOOK, SEND)
    yard.world.add("blog")
    other = yard.hands(replace(yard.place("other"), clock=SandboxTime(yard.world.clock)))
    do(other, LOOK, SEND)
    assert len(yard.submitted()) == 2
    assert asked(yard, "sites.list") == 1


def test_a_whole_run_asks_anew(yard: Yard, hands: Hands) -> None:
    do(hands, LOOK, SEND)
    yard.world.add("blog")
    yard.world.ledger_url = yard.url
    yard.world.run()
    assert len(yard.submitted()) == 2
    assert asked(yard, "sites.list") == 2


def test_rights_are_asked_for_again_after_a_while(yard: Yard, hands: Hands) -> None:
    do(hands, LOOK, SEND)
    wait(yard, FRESH)
    yard.world.add("blog")
    yard.world.write()
    do(hands, LOOK, SEND)
    assert len(yard.submitted()) == 2
    assert asked(yard, "sites.list") == 2


def test_a_property_that_was_granted_since_is_found(yard: Yard, hands: Hands) -> None:
    """Until it is, the account is not asked for every site it has no right to."""
    google = yard.world.sandbox.google
    google.revoke(EMAIL, PROPERTY)
    do(hands, LOOK, SEND, SEND, SEND)
    assert yard.submitted() == []
    assert asked(yard, "sites.list") == 1
    google.grant(EMAIL, PROPERTY)
    wait(yard, ASK_AGAIN)
    do(hands, SEND)
    assert len(yard.submitted()) == 1
    assert asked(yard, "sites.list") == 2


def test_a_right_that_was_taken_away_since_is_refused_once_by_the_engine(
    yard: Yard, hands: Hands
) -> None:
    """What another job was told is asked anew then, so that the next one does not even call."""
    do(hands, LOOK, SEND)
    wait(yard, ASK_AGAIN)
    yard.world.sandbox.google.revoke(EMAIL, PROPERTY)
    yard.world.add("blog")
    yard.world.write()
    do(hands, LOOK, SEND, SEND)
    assert len(yard.submitted()) == 1
    assert asked(yard, "sitemaps.submit") == 2
    assert asked(yard, "sites.list") == 2


def test_a_changed_inventory_is_used_by_the_next_job(yard: Yard, hands: Hands) -> None:
    google = yard.world.sandbox.google
    google.add_account(OTHER)
    google.grant(OTHER, PROPERTY)
    put_key(yard, OTHER, "other.json")
    do(hands, LOOK, SEND)
    yard.world.accounts["google"]["credentials"] = "file:other.json"
    yard.world.add("blog")
    yard.world.write()
    do(hands, LOOK, SEND)
    told = [entry.account for entry in google.book.entries("sitemaps.submit")]
    assert told == [EMAIL, OTHER]


def refused_at_login(yard: Yard, hands: Hands) -> None:
    do(hands, LOOK, SEND)


def refused_at_a_call(yard: Yard, hands: Hands) -> None:
    yard.world.sandbox.google.accounts[OTHER].enabled = True
    do(hands, LOOK, SEND)
    yard.world.add("blog")
    yard.world.write()
    yard.world.sandbox.google.accounts[OTHER].enabled = False
    do(hands, LOOK, SEND)


def refused_at_a_check(yard: Yard, hands: Hands) -> None:
    yard.world.sandbox.google.accounts[OTHER].enabled = True
    do(hands, LOOK, SEND)
    yard.world.add("blog")
    yard.world.write()
    do(hands, LOOK)
    yard.world.sandbox.google.accounts[OTHER].enabled = False
    hands.do(Work(VERIFY, ERRAND, "google"))


@pytest.mark.parametrize("refuse", [refused_at_login, refused_at_a_call, refused_at_a_check])
def test_a_key_that_was_put_right_is_used_by_the_next_job(
    yard: Yard, hands: Hands, refuse: Callable[[Yard, Hands], None]
) -> None:
    google = yard.world.sandbox.google
    google.add_account(OTHER).enabled = False
    google.grant(OTHER, PROPERTY)
    put_key(yard, OTHER)
    refuse(yard, hands)
    before = len(yard.submitted())
    put_key(yard, EMAIL)
    do(hands, SEND)
    assert len(yard.submitted()) == before + 1
    assert google.book.entries("sitemaps.submit")[-1].account == EMAIL


def test_another_login_is_not_told_what_the_last_one_might_not(yard: Yard, hands: Hands) -> None:
    google = yard.world.sandbox.google
    google.add_account(OTHER)
    google.grant(OTHER, PROPERTY)
    google.revoke(EMAIL, PROPERTY)
    put_key(yard, OTHER, "other.json")
    do(hands, LOOK, SEND)
    yard.world.accounts["google"]["credentials"] = "file:other.json"
    yard.world.write()
    do(hands, SEND)
    assert len(yard.submitted()) == 1


def test_a_key_that_was_refused_is_not_used_again_by_jobs_beside(yard: Yard, hands: Hands) -> None:
    google = yard.world.sandbox.google
    google.add_account(OTHER)
    google.grant(OTHER, PROPERTY)
    put_key(yard, OTHER)
    other = yard.hands(replace(yard.place("other"), clock=SandboxTime(yard.world.clock)))
    with other._parts() as one, hands._parts() as two, hands._parts() as three:
        for parts in (one, two, three):
            parts.channels(["google"])["google"].engine.survey(timeout_s=20)
    google.accounts[OTHER].enabled = False
    do(hands, LOOK, SEND)
    put_key(yard, EMAIL)
    do(hands, SEND)
    assert len(yard.submitted()) == 1


def test_a_key_for_indexnow_that_was_put_right_is_used_by_the_next_job(
    yard: Yard, hands: Hands
) -> None:
    """It concerns a site, not the account; yet it is the account's secret."""
    old, new = "a1b2c3d4e5f6a7b8", "ffeeddccbbaa9988"
    world = yard.world
    world.put_secret("indexnow.key", old)
    world.accounts["indexnow"] = {
        "engine": "indexnow",
        "key": "file:indexnow.key",
        "first_run": "all",
        "endpoint": world.sandbox.indexnow.endpoint,
    }
    site = world.add("blog")
    world.entries["blog"]["accounts"] = ["indexnow"]
    world.write()
    site.put(f"/{new}.txt", new.encode())
    book = world.sandbox.indexnow.book
    do(hands, LOOK, SEND)
    assert not list(book.accepted())
    world.put_secret("indexnow.key", new)
    wait(yard, timedelta(hours=1))
    do(hands, SEND)
    assert list(book.accepted())
