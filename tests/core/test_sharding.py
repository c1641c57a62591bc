"""A fleet is cut into shards that have no site and no account in common."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.fleet import Account, Site, Target
from submitter.core.sharding import Shard, parse_shard, shards

NAMES = st.sampled_from("abcdef")
SITES = st.lists(st.frozensets(NAMES, max_size=3), max_size=12).map(
    lambda lists: [
        Site(f"s{number}.example.com", accounts=tuple(sorted(names)))
        for number, names in enumerate(lists)
    ]
)


def site(name: str, *accounts: str) -> Site:
    return Site(f"{name}.example.com", accounts=accounts)


@pytest.mark.parametrize(
    ("text", "environ", "shard"),
    [
        ("2/5", {}, Shard(2, 5)),
        ("1/1", {}, Shard(1, 1)),
        ("auto", {"CLOUD_RUN_TASK_INDEX": "0", "CLOUD_RUN_TASK_COUNT": "3"}, Shard(1, 3)),
        ("auto", {"AWS_BATCH_JOB_ARRAY_INDEX": "4", "AWS_BATCH_JOB_ARRAY_SIZE": "5"}, Shard(5, 5)),
        ("auto/4", {"JOB_COMPLETION_INDEX": "1"}, Shard(2, 4)),
    ],
)
def test_a_shard_is_read(text: str, environ: dict[str, str], shard: Shard) -> None:
    assert parse_shard(text, environ) == shard


@pytest.mark.parametrize(
    ("text", "environ", "problem"),
    [
        ("2", {}, "is no shard"),
        ("", {}, "is no shard"),
        ("0/5", {}, "there is no shard 0 of 5"),
        ("6/5", {}, "there is no shard 6 of 5"),
        ("auto", {}, "auto needs one of CLOUD_RUN_TASK_INDEX"),
        ("auto", {"JOB_COMPLETION_INDEX": "1"}, "write auto/N"),
        ("auto/1", {"JOB_COMPLETION_INDEX": "1"}, "there is no shard 2 of 1"),
    ],
)
def test_what_is_no_shard_is_said(text: str, environ: dict[str, str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_shard(text, environ)


def test_accounts_that_share_a_site_stay_together() -> None:
    sites = [site("one", "a", "b"), site("two", "b", "c"), site("three", "d"), site("four", "d")]
    assert shards(sites, 2) == [frozenset("abc"), frozenset("d")]
    assert shards(sites, 3) == [frozenset("abc"), frozenset("d"), frozenset()]


def test_the_largest_groups_are_dealt_first() -> None:
    sites = [site(f"{name}{n}", name) for name, size in zip("abcd", (1, 2, 2, 5), strict=True)
             for n in range(size)]  # fmt: skip
    assert shards(sites, 2) == [frozenset("d"), frozenset("abc")]


@given(SITES, st.integers(1, 5))
def test_every_target_is_in_one_shard_and_no_site_in_two(sites: list[Site], total: int) -> None:
    accounts = {name: Account(name, "google", None) for name in "abcdef"}
    targets = [Target(one, accounts[name]) for one in sites for name in one.accounts]
    parts = [Shard(number, total).targets(sites, targets) for number in range(1, total + 1)]
    assert sorted(one.key for part in parts for one in part) == sorted(one.key for one in targets)
    for one, other in combinations(parts, 2):
        assert not {target.site.host for target in one} & {target.site.host for target in other}
        assert not {t.account.name for t in one} & {t.account.name for t in other}


@given(SITES, st.integers(1, 5), st.randoms(use_true_random=False))
def test_a_fleet_is_cut_alike_in_whatever_order_it_stands(
    sites: list[Site], total: int, shuffler: Random
) -> None:
    other = list(sites)
    shuffler.shuffle(other)
    assert shards(sites, total) == shards(other, total)
