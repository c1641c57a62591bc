"""From first sent to first read: pages by access logs, sitemaps by the engines' own word."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from evidence_samples import DAY, HOUR, MINUTE, NOW, History
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.loop import (
    AGAIN,
    COARSEST,
    DAY_S,
    FINE,
    HOUR_S,
    Goal,
    Latency,
    Period,
    Reached,
    Sent,
    Step,
    Waits,
    Way,
    bucket_of,
    latencies,
    middle_of,
    periods_of,
    ways_of,
)
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ledger.waits import Window
from submitter.ledger.waits_pages import pages_of
from submitter.wiring import TRAITS

BY_PAGE = Way("baidu", Kind.URLS, ("Baiduspider",))
BY_SITEMAP = Way("google", Kind.SITEMAP, ("Googlebot",))
START = NOW - 30 * DAY
WINDOW = {"since": START - DAY, "until": NOW}


def waits(ledger: SqlLedger, way: Way, **window: datetime) -> dict[str | None, tuple[int, ...]]:
    """Section → sent, read, read before, median in minutes; `*` stands for all together."""
    span = WINDOW | window
    period = Period("all", span["since"], span["until"])
    rows = latencies(way, Goal.CRAWL, period, *ledger.page_waits(way, **span))
    return {
        "*" if one.section is None else one.section: (
            one.sent, one.reached, one.before, -1 if one.median_s is None else one.median_s // 60,
        )
        for one in rows
    }  # fmt: skip


def again(ledger: SqlLedger, way: Way) -> dict[str | None, tuple[int, int, int]]:
    """Section → read before and since, before only, open."""
    period = Period("all", WINDOW["since"], WINDOW["until"])
    rows = latencies(way, Goal.CRAWL, period, *ledger.page_waits(way, **WINDOW))
    return {one.section: (one.again, one.before, one.open) for one in rows}


# ---------------------------------------------------------------- pages


def test_a_page_told_by_itself_waits_from_its_first_call_to_its_first_read(
    ledger: SqlLedger, history: History
) -> None:
    history.logs(START, NOW - DAY)
    history.look(["new/a", "new/b", "new/c", "help/d"], START)
    history.tell_pages(["new/a", "new/b", "help/d"], START + HOUR)
    history.crawl("Baiduspider", {"new/a": START + HOUR + 90 * MINUTE})
    history.crawl("Baiduspider", {"help/d": START + HOUR + 10 * MINUTE})
    history.crawl("Baiduspider", {"new/a": START + 9 * DAY})
    history.crawl("Googlebot", {"new/b": START + 2 * HOUR})
    assert waits(ledger, BY_PAGE) == {
        "*": (3, 2, 0, 10),
        "new": (2, 1, 0, 90),
        "help": (1, 1, 0, 10),
    }


def test_a_page_read_before_it_was_told_is_no_answer(ledger: SqlLedger, history: History) -> None:
    history.logs(START, NOW - DAY)
    history.look(["a", "b"], START)
    history.crawl("Baiduspider", {"a": START + MINUTE})
    history.tell_pages(["a", "b"], START + HOUR)
    history.crawl("Baiduspider", {"a": START + 3 * HOUR, "b": START + 3 * HOUR})
    assert waits(ledger, BY_PAGE) == {"": (2, 1, 0, 120)}  # "a" was read again: see below
    assert again(ledger, BY_PAGE) == {"": (1, 0, 0)}


def test_a_page_read_before_and_after_it_was_told_counts_as_read_again(
    ledger: SqlLedger, history: History
) -> None:
    """Of its readings the first and the last are kept, so how soon it was is not known."""
    history.logs(START, NOW - DAY)
    history.look(["a", "b", "c"], START)
    for crawler in ("Baiduspider", "Googlebot"):
        history.crawl(crawler, {"a": START + MINUTE, "b": START + MINUTE})
    history.tell_pages(["a", "b", "c"], START + HOUR)
    history.tell_sitemap(START + HOUR)
    for day in range(1, 5):
        history.crawl("Baiduspider", {"a": START + day * DAY})
        history.crawl("Googlebot", {"a": START + day * DAY})
    expected = {"": (1, 1, 1)}
    assert again(ledger, BY_PAGE) == again(ledger, BY_SITEMAP) == expected
    several = Way("baidu", Kind.URLS, ("Baiduspider", "Googlebot"))
    assert again(ledger, several) == expected


def test_what_was_refused_or_lost_is_not_sent(ledger: SqlLedger, history: History) -> None:
    history.logs(START, NOW - DAY)
    history.look(["a", "b", "c"], START)
    history.tell_pages(["a"], START + HOUR, State.REJECTED)
    history.tell_pages(["b"], START + HOUR, State.FAILED)
    history.tell_pages(["c"], START + HOUR, State.UNKNOWN)
    history.crawl("Baiduspider", {"a": START + 2 * HOUR, "c": START + 9 * HOUR})
    assert waits(ledger, BY_PAGE) == {}
    history.tell_pages(["b"], START + 3 * HOUR)
    assert waits(ledger, BY_PAGE) == {"": (1, 0, 0, -1)}


def test_a_page_told_again_waits_from_the_first_time(ledger: SqlLedger, history: History) -> None:
    history.logs(START, NOW - DAY)
    history.look({"a": 5}, START)
    history.tell_pages(["a"], START + HOUR)
    history.look({"a": 6}, START + DAY)
    history.tell_pages(["a"], START + DAY + HOUR)
    history.crawl("Baiduspider", {"a": START + DAY + 2 * HOUR})
    assert waits(ledger, BY_PAGE) == {"": (1, 1, 0, 25 * 60 + 30)}
    assert waits(ledger, BY_PAGE, since=START + 2 * HOUR) == {}


def test_without_access_logs_nothing_is_said(ledger: SqlLedger, history: History) -> None:
    history.look(["a"], START)
    history.tell_pages(["a"], START + HOUR)
    history.tell_sitemap(START + HOUR)
    assert waits(ledger, BY_PAGE) == waits(ledger, BY_SITEMAP) == {}


def test_only_what_the_logs_cover_can_be_unread(ledger: SqlLedger, history: History) -> None:
    """Told after the last line that was read, or before the first."""
    history.look(["a", "b", "c"], START)
    history.tell_pages(["a"], START + HOUR)
    history.tell_pages(["b"], START + 3 * DAY)
    history.tell_pages(["c"], START + 9 * DAY)
    history.crawl("bingbot", {"x": START + 2 * DAY, "y": START + 4 * DAY})
    assert waits(ledger, BY_PAGE) == {"": (1, 0, 0, -1)}


def test_logs_in_which_no_bot_came_cover_what_was_told(ledger: SqlLedger, history: History) -> None:
    """The worst there is: told, and never crawled."""
    history.look(["a"], START)
    history.tell_pages(["a"], START + HOUR)
    hours = {int(at.timestamp()) // 3_600 for at in (START, START + DAY)}
    ledger.record_logs(history.lease, {history.site: hours})
    assert waits(ledger, BY_PAGE) == {"": (1, 0, 0, -1)}


def test_an_engines_pages_at_another_site_are_not_mixed_up(
    ledger: SqlLedger, history: History
) -> None:
    history.logs(START, NOW - DAY)
    history.look(["a"], START)
    history.tell_pages(["a"], START + HOUR)
    history.crawl("Baiduspider", {"a": START + 2 * HOUR})
    history.ledger.release(history.lease)
    other = History(ledger, "https://www.example.com")
    other.logs(START, NOW - DAY)
    other.look(["a"], START)
    other.tell_pages(["a"], START + HOUR)
    other.crawl("Baiduspider", {"b": START + 9 * HOUR})
    assert waits(ledger, BY_PAGE) == {"": (2, 1, 0, 60)}
    sent, reached = ledger.page_waits(BY_PAGE, sites=["https://www.example.com"], **WINDOW)
    assert (sent, reached) == ([Sent("", 1)], [])
    assert ledger.page_waits(BY_PAGE, sites=["https://nowhere.example"], **WINDOW) == ([], [])


def test_a_page_in_a_sitemap_waits_from_the_first_submission_after_it_was_listed(
    ledger: SqlLedger, history: History
) -> None:
    history.logs(START, NOW - DAY)
    history.look(["new/a", "help/b"], START)
    history.tell_sitemap(START + HOUR)
    history.look(["new/a", "help/b", "new/c"], START + DAY)
    history.tell_sitemap(START + DAY + HOUR, State.FAILED, "two")
    history.tell_sitemap(START + DAY + 2 * HOUR, content="two")
    history.crawl("Googlebot", {"new/a": START + 3 * HOUR, "new/c": START + DAY + 3 * HOUR})
    history.crawl("Baiduspider", {"help/b": START + 5 * DAY})
    assert waits(ledger, BY_SITEMAP) == {
        "*": (3, 2, 0, 60),
        "new": (2, 2, 0, 60),
        "help": (1, 0, 0, -1),
    }
    later = waits(ledger, BY_SITEMAP, since=START + DAY)
    assert later == {"new": (1, 1, 0, 60)}
    assert waits(ledger, BY_SITEMAP, until=START + DAY) == {
        "*": (2, 1, 0, 120),
        "new": (1, 1, 0, 120),
        "help": (1, 0, 0, -1),
    }


def test_where_several_sitemaps_were_told_a_start_is_said_to_be_unsure(
    ledger: SqlLedger, history: History
) -> None:
    """The ledger does not remember in which of them a page was listed first."""
    history.logs(START, NOW - DAY)
    history.look(["new/a", "help/b"], START)
    history.tell_sitemap(START + HOUR)
    history.crawl("Googlebot", {"new/a": START + 3 * HOUR})
    sure = [Sent("help", 1), Sent("new", 1)]
    assert sorted(ledger.page_waits(BY_SITEMAP, **WINDOW)[0]) == sure
    history.tell_sitemap(START + 2 * HOUR, sitemap=f"{history.site}/more.xml")
    sent, reached = ledger.page_waits(BY_SITEMAP, **WINDOW)
    assert sorted(sent) == [one._replace(unsure=1) for one in sure]
    period = Period("all", WINDOW["since"], WINDOW["until"])
    rows = latencies(BY_SITEMAP, Goal.CRAWL, period, sent, reached)
    assert [(one.section, one.sent, one.unsure) for one in rows] == [
        (None, 2, 2),
        ("help", 1, 1),
        ("new", 1, 1),
    ]


def test_no_switch_of_the_planner_is_turned(ledger: SqlLedger, history: History) -> None:
    history.logs(START, NOW - DAY)
    history.look(["a"], START)
    with ledger._database.reading() as tx:
        if tx.connection.dialect.name != "postgresql":
            return
        pages_of(tx, BY_SITEMAP, Window(START, NOW))
        shown = tx.connection.exec_driver_sql("SHOW enable_nestloop").scalar()
    assert shown == "on"


def test_the_first_of_several_readers_counts(ledger: SqlLedger, history: History) -> None:
    way = Way("baidu", Kind.URLS, ("bingbot", "YandexBot", "Yeti"))
    history.logs(START, NOW - DAY)
    history.look(["a"], START)
    history.tell_pages(["a"], START + HOUR)
    history.crawl("bingbot", {"a": START + 5 * HOUR})
    history.crawl("YandexBot", {"a": START + 2 * HOUR})
    assert waits(ledger, way) == {"": (1, 1, 0, 60)}


# ---------------------------------------------------------------- sitemaps


def test_a_sitemap_waits_from_the_first_telling_since_its_last_reading(
    ledger: SqlLedger, history: History
) -> None:
    history.look(["a"], START)
    for hours in (0, 1, 2):
        history.tell_sitemap(START + hours * HOUR, content=str(hours))
    history.check(START + 4 * HOUR, START + 3 * HOUR)
    history.tell_sitemap(START + DAY, content="x")
    history.check(START + 2 * DAY, START + 3 * HOUR)
    history.check(START + 3 * DAY, START + 2 * DAY)
    history.check(START + 4 * DAY, START + 4 * DAY)
    history.tell_sitemap(START + 6 * DAY, content="y")
    sent, reached = ledger.sitemap_waits("google", **WINDOW)
    assert sent == [Sent(None, 3)]
    assert sorted(reached) == [
        Reached(None, bucket_of(3 * HOUR_S), 1),
        Reached(None, bucket_of(DAY_S), 1),
    ]
    assert ledger.sitemap_waits("google", since=START + 5 * DAY, until=NOW) == (
        [Sent(None, 1)],
        [],
    )
    assert ledger.sitemap_waits("bing", **WINDOW) == ([], [])


def test_an_unread_sitemap_waits_in_the_time_in_which_it_was_told_first(
    ledger: SqlLedger, history: History
) -> None:
    """However often it is told again."""
    history.look(["a"], START)
    history.check(START, START - DAY)
    for days in (1, 5, 9):
        history.tell_sitemap(START + days * DAY, content=str(days))
    middle = START + 4 * DAY
    assert ledger.sitemap_waits("google", since=START, until=middle) == ([Sent(None, 1)], [])
    assert ledger.sitemap_waits("google", since=middle, until=NOW) == ([], [])


def test_an_engine_that_gives_whole_seconds_is_understood(
    ledger: SqlLedger, history: History
) -> None:
    history.look(["a"], START)
    history.tell_sitemap(START + timedelta(microseconds=900_000))
    history.check(START + HOUR, START)
    assert ledger.sitemap_waits("google", **WINDOW) == ([Sent(None, 1)], [Reached(None, 0, 1)])


# ---------------------------------------------------------------- pure


@given(st.integers(-10, 3 * 366 * DAY_S))
def test_a_bucket_is_near_its_wait(seconds: int) -> None:
    bucket = bucket_of(seconds)
    assert 0 <= bucket <= COARSEST
    near = 30 if seconds < DAY_S else HOUR_S // 2
    if 0 <= seconds < (COARSEST - FINE) * HOUR_S + DAY_S:
        assert abs(middle_of(bucket) - seconds) <= near


@given(st.lists(st.integers(0, 30 * DAY_S), min_size=1), st.sampled_from([0.5, 0.9, 1.0]))
def test_a_quantile_is_that_of_the_waits_themselves(waited: list[int], share: float) -> None:
    waits = Waits()
    for seconds in waited:
        waits.add(bucket_of(seconds), 1)
    rank = max(0, -(-round(share * 10) * len(waited) // 10) - 1)
    exact = sorted(waited)[rank]
    assert waits.quantile(share) == middle_of(bucket_of(exact))


def test_sections_are_added_up_only_where_there_are_several() -> None:
    period = Period("all", START, NOW)
    sent = [Sent("new", 4), Sent("help", 1), Sent("new", 2)]
    reached = [Reached("new", 5, 2), Reached("new", None, 1), Reached("help", 7, 1)]
    reached.append(Reached("new", AGAIN, 1))
    rows = latencies(BY_PAGE, Goal.CRAWL, period, sent, reached)
    assert [(one.section, one.sent, one.reached, one.before, one.open) for one in rows] == [
        (None, 7, 3, 1, 2),
        ("new", 6, 2, 1, 2),
        ("help", 1, 1, 0, 0),
    ]
    assert [one.steps for one in rows] == [
        (Step(330, 2), Step(450, 1)),
        (Step(330, 2),),
        (Step(450, 1),),
    ]
    assert latencies(BY_PAGE, Goal.CRAWL, period, [Sent("new", 4)], []) == [
        Latency("baidu", Kind.URLS, Goal.CRAWL, "new", "all", 4, 0, 0, 0, None, None)
    ]
    assert latencies(BY_PAGE, Goal.CRAWL, period, [], []) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, None, [("all", START, NOW)]),
        (START + DAY, None, [("before", START, START + DAY)]),
        (None, START + DAY, [("after", START + DAY, NOW)]),
        (
            START + DAY,
            START + 2 * DAY,
            [("before", START, START + DAY), ("after", START + 2 * DAY, NOW)],
        ),
        (NOW + DAY, START - DAY, [("before", START, NOW), ("after", START, NOW)]),
    ],
)
def test_the_time_is_parted_at_a_change(
    before: datetime | None, after: datetime | None, expected: list[tuple[str, datetime, datetime]]
) -> None:
    periods = periods_of(START, NOW, before=before, after=after)
    assert [(one.name, one.since, one.until) for one in periods] == expected


def test_every_engine_has_its_ways_and_readers() -> None:
    ways = ways_of(TRAITS, [*TRAITS, "google"])
    assert [(one.engine, str(one.kind)) for one in ways] == [
        ("google", "sitemap"), ("baidu", "urls"), ("bing", "sitemap"), ("bing", "urls"),
        ("yandex", "sitemap"), ("yandex", "urls"), ("indexnow", "urls"), ("seznam", "urls"),
    ]  # fmt: skip
    readers = {one.engine: one.readers for one in ways}
    assert readers["google"] == ("Googlebot",)
    assert {"bingbot", "YandexBot"} <= set(readers["indexnow"])


def test_readers_are_crawlers_that_logs_know() -> None:
    from submitter.core.crawl.bots import BY_NAME

    assert {name for way in ways_of(TRAITS, TRAITS) for name in way.readers} <= BY_NAME.keys()
