"""A date is believed or not by what moved between two looks, and by nothing else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.audit.fingerprint import Fingerprint
from submitter.core.audit.honesty import Honesty, PageMemory, Trust, Verdict, judge_date
from submitter.core.looks import Validators
from support.twins import NOON

DAY = 86_400
THEN = int(NOON.timestamp()) - 30 * DAY
OLD, NEW = Fingerprint("old-0", 0b1111, 100), Fingerprint("new-0", -1, 100)
NEAR = Fingerprint("near-0", 0b1110, 100)
PRICED = Fingerprint("old-1", 0b1111, 100)
SAME = Validators('"1"', "Sat, 28 Nov 2026 01:01:00 GMT")
OTHER = Validators('"2"', "Sat, 28 Nov 2026 01:01:00 GMT")


def seen(
    lastmod: int | None = THEN, text: Fingerprint | None = OLD, validators: Validators = SAME
) -> PageMemory:
    return PageMemory(1, NOON, lastmod, validators, text)


LATER, EARLIER = THEN + DAY, THEN - DAY
CASES = [
    ("a page without a date", None, seen(None), Verdict.UNDATED),
    ("a page never seen", None, seen(), Verdict.UNKNOWN),
    ("nothing moved at all", seen(), seen(), Verdict.BORNE_OUT),
    ("date and text moved", seen(), seen(LATER, NEW), Verdict.BORNE_OUT),
    ("date and price moved", seen(), seen(LATER, PRICED), Verdict.BORNE_OUT),
    ("only the date moved", seen(), seen(LATER), Verdict.UNFOUNDED),
    ("only the date moved, no headers", seen(validators=Validators()),
     seen(LATER, validators=Validators()), Verdict.UNFOUNDED),
    ("date and ETag moved", seen(), seen(LATER, validators=OTHER), Verdict.UNKNOWN),
    ("date moved, text nearly not", seen(), seen(LATER, NEAR), Verdict.UNKNOWN),
    ("date moved, text unknown", seen(), seen(LATER, None), Verdict.UNKNOWN),
    ("date moved, text was unknown", seen(text=None), seen(LATER), Verdict.UNKNOWN),
    ("only the text moved", seen(), seen(text=NEW), Verdict.MISSED),
    ("the text nearly did not", seen(), seen(text=NEAR), Verdict.UNKNOWN),
    ("the date went back", seen(), seen(EARLIER), Verdict.WENT_BACK),
    ("the date is new", seen(None), seen(), Verdict.UNKNOWN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "verdict"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_date_is_judged_by_what_moved(
    before: PageMemory | None, after: PageMemory, verdict: Verdict
) -> None:
    assert judge_date(before, after) is verdict


OWN_WORD = [
    ("2026-10-31T12:00:00Z", Verdict.BORNE_OUT),
    ("2026-11-01", Verdict.BORNE_OUT),
    ("2026-11-20", Verdict.OLDER),
    ("2020-01-01", Verdict.UNKNOWN),
    ("yesterday", Verdict.UNKNOWN),
]


@pytest.mark.parametrize(("modified", "verdict"), OWN_WORD)
def test_a_page_may_bear_out_its_date_itself(modified: str, verdict: Verdict) -> None:
    assert judge_date(None, seen(), modified=modified) is verdict


memories = st.builds(
    seen,
    st.none() | st.integers(THEN, THEN + 3 * DAY),
    st.sampled_from([None, OLD, NEW, NEAR]),
    st.sampled_from([SAME, OTHER, Validators()]),
)


@given(st.none() | memories, memories)
def test_nobody_is_accused_without_having_been_seen_twice(
    before: PageMemory | None, after: PageMemory
) -> None:
    verdict = judge_date(before, after)
    if verdict in (Verdict.UNFOUNDED, Verdict.MISSED, Verdict.WENT_BACK):
        assert before is not None
        assert before.lastmod is not None
    if verdict is Verdict.UNFOUNDED:
        assert before is not None
        assert (before.text, before.validators) == (after.text, after.validators)


def test_trust_is_a_share_of_what_was_checked_and_none_of_nothing() -> None:
    assert Trust("d", 0, 0).share is None
    assert Trust("d", 4, 3).share == 0.75
    honesty = Honesty()
    for before, after in ((seen(), seen()), (seen(), seen(LATER)), (None, seen())):
        verdict = judge_date(before, after)
        honesty.add(verdict, url="u", document="d", before=before, after=after)
    assert honesty.trusts() == [Trust("d", 2, 1)]
    again = Honesty()
    verdicts = {str(verdict): count for verdict, count in honesty.verdicts.items()}
    again.recall(verdicts, honesty.counted(), honesty.findings("s"))
    assert list(again.findings("s")) == list(honesty.findings("s"))
    assert (again.trusts(), again.verdicts) == (honesty.trusts(), honesty.verdicts)


@pytest.mark.parametrize(("changed", "said"), [(0, True), (5, True), (6, False), (10, False)])
def test_dates_that_move_in_bulk_are_said_of_their_file(changed: int, said: bool) -> None:
    honesty = Honesty()
    for n in range(10):
        after = seen(LATER, NEW if n < changed else OLD)
        verdict = judge_date(seen(), after)
        honesty.add(verdict, url=str(n), document="d.xml", before=seen(), after=after)
    places = [one.where for one in honesty.findings("s") if one.id == "lastmod-in-bulk"]
    assert places == (["d.xml"] if said else [])


def test_a_memory_from_the_future_of_a_wrong_clock_does_no_harm() -> None:
    before = PageMemory(1, NOON + timedelta(days=400), THEN, SAME, OLD)
    assert judge_date(before, seen(LATER)) is Verdict.UNFOUNDED
