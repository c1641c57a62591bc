"""A worker's jobs take what is open in turn, each one alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace

import pytest
from workers_support import Yard

from submitter.core.fleet import Fleet
from submitter.errors import LedgerError
from submitter.wiring import Wiring
from submitter.workers.shelf import WiringShelf


def open_wiring(fleet: Fleet) -> Wiring:
    return Wiring(fleet, environ={})


@pytest.fixture
def fleet(yard: Yard) -> Fleet:
    yard.world.add("shop")
    return yard.hands().fleet


@pytest.fixture
def shelf() -> Iterator[WiringShelf]:
    with closing(WiringShelf(open_wiring)) as made:
        yield made


def taken(shelf: WiringShelf, fleet: Fleet) -> Wiring:
    """After a job that needed the ledger and every account."""
    with shelf.taken(fleet) as parts:
        parts.tools().open_channels(fleet.accounts)
        return parts


def test_the_next_job_has_the_same_parts(shelf: WiringShelf, fleet: Fleet) -> None:
    first = taken(shelf, fleet)
    engine = first.channels(["google"])["google"].engine
    again = taken(shelf, fleet)
    assert again.ledger is first.ledger
    assert again.source is first.source
    assert again.channels(["google"])["google"].engine is engine


def test_two_jobs_at_once_have_their_own(shelf: WiringShelf, fleet: Fleet) -> None:
    with shelf.taken(fleet) as first, shelf.taken(fleet) as second:
        assert first is not second
    with shelf.taken(fleet) as third, shelf.taken(fleet) as fourth:
        assert {id(third), id(fourth)} == {id(first), id(second)}


def test_parts_with_which_a_job_failed_are_closed(shelf: WiringShelf, fleet: Fleet) -> None:
    ledger = taken(shelf, fleet).ledger
    with pytest.raises(LookupError), shelf.taken(fleet) as failed:
        raise LookupError
    assert taken(shelf, fleet) is not failed
    with pytest.raises(LedgerError, match="closed already"):
        ledger.statuses()


def test_parts_of_a_job_that_was_stopped_are_not_used_again(
    shelf: WiringShelf, fleet: Fleet
) -> None:
    """Their clock does not sleep any more."""
    with shelf.taken(fleet) as stopped:
        stopped.stop.set()
    assert taken(shelf, fleet) is not stopped


def test_parts_with_an_account_that_was_not_let_in_are_not_used_again(
    shelf: WiringShelf, fleet: Fleet
) -> None:
    with shelf.taken(fleet) as refused:
        refused.channels(["google"])["google"].login.is_refused = True
    assert taken(shelf, fleet) is not refused


def test_what_was_opened_before_a_refusal_is_not_used_after_it(
    shelf: WiringShelf, fleet: Fleet
) -> None:
    """Whoever puts the secret right is heard by every job, whichever parts it takes."""
    with shelf.taken(fleet) as long, shelf.taken(fleet) as idle, shelf.taken(fleet) as refused:
        refused.channels(["google"])["google"].login.is_refused = True
    assert taken(shelf, fleet) not in (long, idle, refused)


def test_a_refusal_counts_although_the_job_failed_by_something_else(
    shelf: WiringShelf, fleet: Fleet
) -> None:
    with shelf.taken(fleet) as beside, suppress(LookupError), shelf.taken(fleet) as failed:
        failed.channels(["google"])["google"].login.is_refused = True
        raise LookupError
    assert taken(shelf, fleet) is not beside


def test_what_nobody_will_use_any_more_is_closed(fleet: Fleet) -> None:
    with closing(WiringShelf(open_wiring, fresh_s=0.0)) as shelf:
        ledger = taken(shelf, fleet).ledger
        shelf.tidy()
        with pytest.raises(LedgerError, match="closed already"):
            ledger.statuses()


def test_what_may_be_used_again_stays_open(shelf: WiringShelf, fleet: Fleet) -> None:
    first = taken(shelf, fleet)
    shelf.tidy()
    assert taken(shelf, fleet) is first


def test_another_inventory_has_parts_of_its_own(shelf: WiringShelf, fleet: Fleet) -> None:
    """A name that does not fit is refused as at any opening."""
    first = taken(shelf, fleet)
    assert taken(shelf, replace(fleet)) is not first
    with pytest.raises(LedgerError), shelf.taken(replace(fleet, name="another")) as parts:
        _ = parts.ledger


def test_everything_is_opened_anew_after_a_while(fleet: Fleet) -> None:
    with closing(WiringShelf(open_wiring, fresh_s=0.0)) as shelf:
        assert taken(shelf, fleet) is not taken(shelf, fleet)


def test_what_is_closed_is_opened_anew(shelf: WiringShelf, fleet: Fleet) -> None:
    first = taken(shelf, fleet)
    shelf.close()
    assert taken(shelf, fleet) is not first
