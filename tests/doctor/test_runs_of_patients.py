"""Runs at engines that take some of it, or nothing for now: what is asked, and what is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from ward import HOST, KEY, ORIGIN, Ward

from submitter.asking.verify import Answer
from submitter.stories.run_request import Tools
from submitter.stories.runs import verify_fleet
from support.whole import EMAIL, explained


def calls(ward: Ward, engine: str, name: str) -> int:
    return len(
        [one for one in getattr(ward.world.sandbox, engine).book.entries() if one.call == name]
    )


def asked_again(ward: Ward) -> list[Answer]:
    with ward.world.wired() as parts:
        return verify_fleet(ward.world.request(parts.fleet, None), parts.tools())


# ---------------------------------------------------------------- a key file in a directory


def test_pages_below_the_key_file_are_told_and_the_others_are_not(ward: Ward) -> None:
    ward.admit("indexnow")
    blog = [f"{ORIGIN}/blog/{n}" for n in range(3)]
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in [f"{ORIGIN}/x", *blog])
    ward.shop.put(
        "/sitemap.xml",
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>',
    )
    for url in [f"{ORIGIN}/x", *blog]:
        ward.shop.put(url.removeprefix(ORIGIN), "page", "text/html")
    ward.shop.put(f"/blog/{KEY}.txt", KEY, "text/plain")
    ward.world.accounts["indexnow"] |= {
        "key_location": "http://{host}/blog/{key}.txt",
        "first_run": "all",
    }
    ran = ward.world.run()
    assert sorted(ward.world.sandbox.indexnow.book.accepted()) == blog
    assert ran.exit_code == 0
    assert ran.skips(ORIGIN) == {"key-outside-scope": 1}
    assert ran.findings(ORIGIN) == {"key-outside-scope"}
    again = ward.world.run()
    assert (again.exit_code, again.calls) == (0, [])
    with ward.world.wired() as parts:
        for url, state in ((f"{ORIGIN}/x", "skipped"), (blog[0], "received")):
            story = explained(url, parts)
            [told] = [one for one in story.targets if one.account == "indexnow"]
            assert told.state == state
            assert ("its own host and directory only" in (told.why_not or "")) == (
                state == "skipped"
            )


def test_pages_outside_take_no_place_of_those_inside(ward: Ward) -> None:
    """However many stand before them in the queue."""
    ward.admit("indexnow")
    ward.shop.add_pages(40)
    ward.shop.put(f"/blog/{KEY}.txt", KEY, "text/plain")
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in ward.shop.urls())
    last = f"<url><loc>{ORIGIN}/blog/last</loc></url>"
    ward.shop.put(
        "/sitemap.xml",
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}{last}</urlset>',
    )
    ward.world.accounts["indexnow"] |= {
        "key_location": "http://{host}/blog/{key}.txt",
        "first_run": "all",
    }

    def narrow(tools: Tools) -> Tools:
        indexnow = replace(tools.traits["indexnow"], pages_per_run=2)
        return replace(tools, traits={**tools.traits, "indexnow": indexnow})

    ward.world.run(adapt=narrow, forced="no page of it can be looked at")
    assert ward.world.sandbox.indexnow.book.accepted() == [f"{ORIGIN}/blog/last"]


# ---------------------------------------------------------------- not for now


def test_a_site_that_is_not_loaded_is_asked_once_a_day(ward: Ward) -> None:
    ward.admit("yandex")
    ward.shop.add_pages(40)
    ward.world.accounts["yandex"]["first_run"] = "all"
    fault = {"answer": "host-not-loaded", "call": "recrawl.post", "times": None}
    ward.world.sandbox.yandex.faults.add("answer", **fault)
    for _ in range(2):
        ran = ward.world.run()
        assert ran.exit_code == 0
        assert calls(ward, "yandex", "recrawl.post") == 1
    assert ran.skips(ORIGIN)["not-before"] >= 40
    ward.world.next_day("Europe/Moscow")
    ward.world.run()
    assert calls(ward, "yandex", "recrawl.post") == 2


def test_what_one_closed_door_left_out_is_one_problem(ward: Ward) -> None:
    ward.admit("yandex")
    ward.shop.add_pages(15)
    ward.world.accounts["yandex"]["first_run"] = "all"
    fault = {"answer": "host-unverified", "call": "recrawl.post", "times": None}
    ward.world.sandbox.yandex.faults.add("answer", **fault)
    ran = ward.world.run()
    called, left_out = ran.summary["problems"]
    pages = ran.counts("pages")["failed"]
    assert pages > 2
    assert (called["count"], called["pages"]) == (1, 1)
    assert (left_out["count"], left_out["pages"]) == (pages - 1, pages - 1)
    assert {one["cause"] for one in (called, left_out)} == {"host-unverified"}


@pytest.mark.parametrize("call", ["SubmitUrlBatch", "SubmitFeed", "GetFeeds"])
def test_a_throttled_key_is_left_alone_by_whoever_would_ask(ward: Ward, call: str) -> None:
    """Bing's code 4 is about the user of the key, so nothing is asked of it for two hours."""
    ward.admit("bing")
    bing = ward.world.sandbox.bing
    bing.faults.add("answer", answer="throttled", call=call, times=None)
    ward.world.run()
    before = len(bing.book.entries())
    ran = ward.world.run()
    [answer] = ran.report.answers or asked_again(ward)
    assert len(bing.book.entries()) == before
    assert (answer.unasked, answer.cause) == (True, "too-fast")
    assert set(ran.skips(ORIGIN)) <= {"retry-after", "not-before", "already-told"}
    assert "retry-after" in ran.skips(ORIGIN)
    bing.faults.clear()
    ward.world.clock.advance(timedelta(hours=3).total_seconds())
    ward.world.run()
    assert len(bing.book.entries()) > before


# ---------------------------------------------------------------- the same explanation


def test_verifying_explains_a_refusal_as_a_run_and_the_doctor_do(ward: Ward) -> None:
    ward.admit("google")
    ward.world.run()
    ward.world.sandbox.google.revoke(EMAIL, "sc-domain:whole.test")
    [answer] = asked_again(ward)
    seen = ward.examine().target.diagnosis
    assert (answer.cause, answer.next_step) == (seen.cause, seen.next_step)
    assert answer.cause == "property-missing"
    assert HOST.removeprefix("shop.") in answer.problem


def test_a_sitemap_that_robots_txt_closes_is_not_told_to_that_engine(ward: Ward) -> None:
    """The doctor calls it failed; told all the same, the engine could only report an error."""
    ward.admit("google", "bing")
    ward.shop.robots = "User-agent: Googlebot\nDisallow: /sitemap.xml\n"
    ran = ward.world.run()
    assert ran.exit_code == 4
    assert ran.counts("sitemaps", ORIGIN, "google") == {"skipped": 1}
    assert ran.counts("sitemaps", ORIGIN, "bing") == {"accepted": 1}
    assert ran.skips(ORIGIN)["sitemap-disallowed"] == 1
    assert ran.findings(ORIGIN) == {"sitemap-disallowed"}
    assert ward.examine().target.diagnosis.cause == "sitemap-disallowed"
    ward.shop.robots = None
    assert ward.world.run().counts("sitemaps", ORIGIN, "google") == {"accepted": 1}
