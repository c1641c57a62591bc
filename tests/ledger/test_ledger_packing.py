"""The small parts: keys, checks, ranks and columns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_samples import page
from sqlalchemy import BigInteger, create_engine, literal, select

from submitter.core.looks import PageRow
from submitter.ledger import fingerprints
from submitter.ledger.columns import clean, fit, micros_of, time_of
from submitter.ledger.database import chunks
from submitter.ledger.fingerprints import Marker
from submitter.ledger.pages import full, shortened
from submitter.ledger.waiting import HIGHEST, LATEST, rank_column, rank_of

keys = st.integers(-(2**63), 2**63 - 1)
MARKER = Marker(bytes(16))


@given(st.dictionaries(keys, st.integers(0, 2**32 - 1), max_size=20))
def test_a_packed_document_unpacks_to_itself_in_its_order(entries: dict[int, int]) -> None:
    packed = fingerprints.pack(entries)
    assert list(fingerprints.unpack(*packed).items()) == list(entries.items())
    assert sum(map(len, packed)) == 12 * len(entries)


@given(st.lists(keys, max_size=20), keys)
def test_a_packed_document_lists_exactly_its_keys(listed: list[int], other: int) -> None:
    packed, _ = fingerprints.pack(dict.fromkeys(listed, 0))
    assert all(fingerprints.lists(packed, key) for key in listed)
    assert fingerprints.lists(packed, other) is (other in listed)


def test_bytes_across_two_keys_are_no_key() -> None:
    packed, _ = fingerprints.pack({0x1122334455667788: 0, 0x1122334455667788 + 1: 0})
    [crooked] = fingerprints.unpack_keys(packed[3:11])
    assert crooked not in fingerprints.unpack_keys(packed)
    assert not fingerprints.lists(packed, crooked)


def test_keys_depend_on_the_ledgers_own_salt() -> None:
    [one], [same] = MARKER.keys(["https://a/"]), MARKER.keys(["https://a/"])
    [other] = Marker(bytes(15) + b"x").keys(["https://a/"])
    assert one == same != other


@pytest.mark.parametrize(
    "changed",
    [
        page("a", 6),
        page("a", None),
        page("a", 5, "news"),
        page("a", 5, "", 1),
        PageRow(page("a").identity, "HTTPS://shop.example.com/a", 5),
    ],
)
def test_whatever_a_row_would_repeat_changes_the_check(changed: PageRow) -> None:
    assert MARKER.checks([changed]) != MARKER.checks([page("a", 5)])


def test_every_lastmod_has_a_check() -> None:
    checks = MARKER.checks([page("a", lastmod) for lastmod in (None, 0, -1, 2**40, -(2**40))])
    assert all(0 <= check < 2**32 for check in checks)


lastmods = st.none() | st.integers(-(2**40), 2**40) | st.integers(-3, 3)
priorities = st.integers(-(2**40), 2**40) | st.integers(-3, 3)


@given(st.lists(st.tuples(priorities, lastmods), min_size=2, max_size=2))
def test_ranks_order_by_priority_then_newest_then_undated(
    pair: list[tuple[int, int | None]],
) -> None:
    def order(item: tuple[int, int | None]) -> tuple[int, int]:
        priority, lastmod = item
        bounded = min(max(priority, -HIGHEST), HIGHEST)
        return -bounded, LATEST if lastmod is None else -min(max(lastmod, 1), LATEST)

    first, second = sorted(pair, key=order)
    assert rank_of(*first) <= rank_of(*second)
    assert (order(first) == order(second)) is (rank_of(*first) == rank_of(*second))
    assert -(2**63) <= rank_of(*first) < 2**63


def test_the_rank_is_stored_and_must_not_move() -> None:
    assert [rank_of(*one) for one in ((0, None), (0, 1_796_000_000), (10, 1), (-1, None))] == [
        8_589_934_591,
        6_793_934_591,
        -77_309_411_330,
        17_179_869_183,
    ]


@given(priorities, st.none() | st.integers(1, LATEST))
def test_the_database_ranks_as_we_do(priority: int, lastmod: int | None) -> None:
    values = select(
        literal(priority, BigInteger).label("priority"),
        literal(lastmod, BigInteger).label("lastmod"),
    ).subquery()
    query = select(rank_column(values.c.priority, values.c.lastmod))
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        assert connection.execute(query).scalar() == rank_of(priority, lastmod)
    engine.dispose()


@pytest.mark.parametrize(
    ("address", "stored"),
    [
        ("https://a.example/", "/"),
        ("https://a.example/p?q", "/p?q"),
        ("https://a.example", "https://a.example"),
        ("https://a.example.org/p", "https://a.example.org/p"),
        ("https://a.example:8443/p", "https://a.example:8443/p"),
        ("HTTPS://a.example/p", "HTTPS://a.example/p"),
        ("https://a.example//x", "//x"),
    ],
)
def test_an_address_is_stored_without_its_sites_origin(address: str, stored: str) -> None:
    assert shortened(address, "https://a.example") == stored
    assert full(stored, "https://a.example") == address


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_are_stored_exactly(at: datetime) -> None:
    assert time_of(micros_of(at)) == at


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(TypeError):
        micros_of(datetime(2026, 11, 30))  # noqa: DTZ001 - that is what is refused


@given(st.text())
def test_cleaned_text_can_be_stored_and_stays_clean(text: str) -> None:
    once = clean(text)
    assert "\0" not in once
    assert clean(once.encode().decode()) == once


@pytest.mark.parametrize(
    ("number", "stored"), [(None, None), (7, 7), (2**70, 2**63 - 1), (-(2**70), 1 - 2**63)]
)
def test_numbers_fit_their_column(number: int | None, stored: int | None) -> None:
    assert fit(number) == stored


def test_chunks_hold_everything_in_order() -> None:
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks([])) == []
