"""YAML read strictly: what stands where, and what is refused before anything else is looked at."""

from __future__ import annotations

import pytest

from submitter.errors import ConfigError
from submitter.inventory.tree import MAX_ALIASED, MAX_DEPTH, parse_yaml


def broken(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "x.yaml")
    return str(caught.value).splitlines()[-1]


def test_places_are_found_again() -> None:
    marks = parse_yaml("a:\n  - b: 1\n  -\n  - c: [2, 3]\nd:\n", "x.yaml").marks
    assert marks.value_at(("a", 0, "b")) == (2, 8)
    assert marks.key_at(("a", 0, "b")) == (2, 5)
    assert marks.value_at(("a", 1, "c", 1)) == (4, 12), "the empty item does not count"
    assert marks.value_at(("a", 1, "x", "y")) == (4, 5), "the nearest thing around it"
    assert marks.has_key(("d",))
    assert not marks.has_key(("e",))


def test_the_first_of_two_equal_keys_is_read_and_the_second_is_a_fault() -> None:
    tree = parse_yaml("a: 1\nb: {c: 2, c: 3}\na: {d: 4}\n", "x.yaml")
    assert tree.value == {"a": "1", "b": {"c": "2"}}
    assert [str(fault) for fault in tree.faults] == [
        "x.yaml:2:11: duplicate key 'c'; first at line 2, column 5",
        "x.yaml:3:1: duplicate key 'a'; first at line 1, column 1",
    ]
    assert tree.marks.value_at(("a",)) == (1, 4)


def test_an_alias_bomb_goes_off_before_it_is_built() -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert broken("\n".join(lines)) == (
        f"x.yaml:5:10: the aliases stand for more than {MAX_ALIASED:,} values"
    )


def test_an_alias_cannot_hold_itself() -> None:
    assert broken("&a [*a]") == "x.yaml:1:5: alias '*a' has no anchor before it"


def test_nesting_up_to_the_limit_is_read() -> None:
    assert parse_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH, "x.yaml").value is not None


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_at_any_depth(opening: str) -> None:
    for depth in (MAX_DEPTH + 1, 900, 20_000):
        problem = broken(opening * depth)
        assert "nested deeper" in problem or "nesting depth" in problem, problem
