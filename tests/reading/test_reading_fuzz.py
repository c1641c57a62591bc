"""The fuzzer for a fixed number of cases; `scripts/check --long` gives it a minute."""

from __future__ import annotations

import time
from itertools import repeat

import pytest
from fuzz_reader import run

CASES = 400
LONG_S = 60


def test_damaged_documents_are_read_or_refused_and_every_way_of_reading_agrees() -> None:
    left = repeat(True, CASES)
    ends = run(lambda: next(left, False), first=0)
    assert sum(ends.values()) == CASES
    assert ends["complete"]
    assert ends["incomplete"]


@pytest.mark.long
def test_a_minute_of_damaged_documents_finds_no_fault(request: pytest.FixtureRequest) -> None:
    if "long" not in request.config.getoption("-m"):
        pytest.skip("takes a minute; run with -m long")
    end = time.monotonic() + LONG_S
    assert run(lambda: time.monotonic() < end, first=CASES)
