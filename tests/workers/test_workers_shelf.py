"""A worker's jobs take its open ledgers in turn, each one alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from workers_support import Yard

from submitter.core.fleet import Fleet
from submitter.errors import LedgerError
from submitter.ports import Ledger
from submitter.wiring import Wiring
from submitter.workers.shelf import LedgerShelf


def open_wiring(fleet: Fleet) -> Wiring:
    return Wiring(fleet, environ={})


@pytest.fixture
def fleet(yard: Yard) -> Fleet:
    yard.world.add("shop")
    return yard.hands().fleet


@pytest.fixture
def shelf() -> Iterator[LedgerShelf]:
    with closing(LedgerShelf(open_wiring)) as made:
        yield made


def taken(shelf: LedgerShelf, fleet: Fleet) -> Ledger:
    with shelf.taken(fleet) as ledger:
        return ledger


def test_the_next_job_has_the_same_ledger(shelf: LedgerShelf, fleet: Fleet) -> None:
    assert taken(shelf, fleet) is taken(shelf, fleet)


def test_two_jobs_at_once_have_one_each(shelf: LedgerShelf, fleet: Fleet) -> None:
    with shelf.taken(fleet) as first, shelf.taken(fleet) as second:
        assert first is not second
    with shelf.taken(fleet) as third, shelf.taken(fleet) as fourth:
        assert {id(third), id(fourth)} == {id(first), id(second)}


def test_a_ledger_at_which_a_job_failed_is_closed(shelf: LedgerShelf, fleet: Fleet) -> None:
    with pytest.raises(LookupError), shelf.taken(fleet) as failed:
        raise LookupError
    assert taken(shelf, fleet) is not failed
    with pytest.raises(LedgerError, match="closed already"):
        failed.statuses()


def test_another_inventory_has_another_ledger(shelf: LedgerShelf, fleet: Fleet) -> None:
    """A name that does not fit is refused as at any opening."""
    first = taken(shelf, fleet)
    with pytest.raises(LedgerError), shelf.taken(replace(fleet, name="another")):
        pass
    assert taken(shelf, fleet) is not first


def test_a_ledger_is_opened_anew_after_a_while(fleet: Fleet) -> None:
    with closing(LedgerShelf(open_wiring, fresh_s=0.0)) as shelf:
        assert taken(shelf, fleet) is not taken(shelf, fleet)


def test_what_is_closed_is_opened_anew(shelf: LedgerShelf, fleet: Fleet) -> None:
    first = taken(shelf, fleet)
    shelf.close()
    assert taken(shelf, fleet) is not first
