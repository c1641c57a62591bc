"""A sitemap that an engine took and does not fetch: when it is stuck, and what is done then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from ward import ORIGIN, Ward

from submitter.asking.verify import Answer
from submitter.core.calls import Check
from submitter.core.looks import DocumentKind
from submitter.core.records import SitemapStatus
from submitter.core.selection import Selection
from submitter.core.sights import Sight, differs, spread
from submitter.core.standing import SitemapStanding
from submitter.core.states import State
from submitter.core.status import SitemapState, sitemap_state, stuck_finding
from submitter.core.traits import Kind, Traits
from submitter.ledger import open_ledger
from submitter.looking.stuck import Sightings, key_of, waiting_since
from submitter.ports import SightBook
from submitter.render.documents import StatusDoc
from submitter.render.shapes import status_doc
from submitter.sandbox import Break
from submitter.stories.recall import Chosen
from submitter.stories.runs import verify_fleet
from submitter.wiring import TRAITS
from support.whole import World, explained

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
GOOGLE = Traits("google", "Google", frozenset({Kind.SITEMAP}), "credentials", "UTC")
BAIDU = Traits("baidu", "Baidu", frozenset({Kind.URLS}), "token", "UTC")
SITEMAP, ALIAS = f"{ORIGIN}/sitemap.xml", f"{ORIGIN}/sitemap-2.xml"


def known(
    told: datetime | None = NOW,
    asked: datetime | None = None,
    downloaded: datetime | None = None,
    errors: int | None = 0,
    ours: int | None = 4,
) -> SitemapStatus:
    standing = SitemapStanding(SITEMAP, State.ACCEPTED, "c", NOW, told, "c") if told else None
    check = Check("p", SITEMAP, told, downloaded, errors=errors) if asked else None
    return SitemapStatus(ORIGIN, "google", SITEMAP, standing, check, asked, ours)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (None, "never_submitted"),
        (known(told=None), "never_submitted"),
        (known(), "queued"),
        (known(asked=NOW + 3 * DAY), "queued"),
        (known(asked=NOW + 4 * DAY), "stuck"),
        (known(asked=NOW + 4 * DAY, downloaded=NOW - DAY), "stuck"),
        (known(asked=NOW + 4 * DAY, downloaded=NOW + DAY), "fetched"),
        (known(asked=NOW + 4 * DAY, downloaded=NOW + DAY, errors=2), "fetched_with_errors"),
        (known(asked=NOW + DAY, errors=1), "stuck"),
        (known(asked=NOW + DAY, errors=1, ours=0), "queued"),
        (known(asked=NOW + DAY, errors=1, downloaded=NOW - DAY), "queued"),
    ],
)
def test_stuck_is_what_was_asked_about_and_not_fetched(
    status: SitemapStatus | None, state: str
) -> None:
    assert sitemap_state(status, traits=GOOGLE) == state


def test_an_engine_that_was_never_asked_may_have_been_there() -> None:
    told_long_ago = known(told=NOW - 400 * DAY)
    assert sitemap_state(told_long_ago, traits=GOOGLE) is SitemapState.QUEUED


def test_the_age_is_the_sites_own() -> None:
    late = known(asked=NOW + 4 * DAY)
    assert sitemap_state(late, traits=GOOGLE, stuck_after=5 * DAY) is SitemapState.QUEUED


def test_telling_again_makes_nothing_younger() -> None:
    fresh = known(asked=NOW + DAY)
    assert sitemap_state(fresh, traits=GOOGLE) is SitemapState.QUEUED
    since = NOW - 3 * DAY
    assert sitemap_state(fresh, traits=GOOGLE, waiting_since=since) is SitemapState.STUCK


def test_an_engine_without_sitemaps_has_none_stuck() -> None:
    assert sitemap_state(known(), traits=BAIDU) is SitemapState.NOT_SUPPORTED


OURS = Sight(ORIGIN, SITEMAP, "", NOW, 200, 1_234, whole=True)
THEIRS = replace(OURS, agent="Googlebot")
REFUSED = replace(
    THEIRS, http_status=403, size=0, whole=False, reason="http-403", problem="status 403"
)
LOST = replace(REFUSED, agent="")


@pytest.mark.parametrize(
    ("sights", "id", "words"),
    [
        ([], "stuck", "not looked at it ourselves"),
        ([OURS], "stuck-unexplained", "as ourselves: HTTP 200, 1,234 bytes"),
        ([OURS, THEIRS], "stuck-unexplained", "`aliases`"),
        ([OURS, REFUSED], "stuck-blocked", "as Googlebot: status 403"),
        ([LOST, REFUSED], "stuck-unreadable", "as ourselves: status 403"),
        ([LOST], "stuck-unreadable", "Mend the sitemap"),
        ([LOST, THEIRS], "stuck-unexplained", "as Googlebot: HTTP 200"),
    ],
)
def test_what_we_see_ourselves_says_why(sights: list[Sight], id: str, words: str) -> None:
    finding = stuck_finding(known(asked=NOW + 4 * DAY), sights)
    assert finding.id == id
    assert finding.where == SITEMAP
    assert "told on 2026-11-30" in finding.message
    assert words in finding.message


def test_a_difference_is_one_that_the_site_makes() -> None:
    assert not differs(OURS, THEIRS)
    assert differs(OURS, REFUSED)
    assert differs(LOST, THEIRS)
    assert not differs(LOST, REFUSED)


@pytest.mark.parametrize(("size", "chosen"), [(3, "afk"), (1, "a"), (2, "ak"), (99, "abcdefghijk")])
def test_a_sample_is_spread_evenly(size: int, chosen: str) -> None:
    assert "".join(spread(tuple("abcdefghijk"), size)) == chosen


def test_the_newest_look_counts() -> None:
    later = replace(REFUSED, at=NOW + DAY)
    sights = Sightings([later, THEIRS, OURS])
    assert sights.of(ORIGIN, SITEMAP, "Googlebot") == [OURS, later]
    assert sights.of(ORIGIN, None, "Googlebot") == []


# ---------------------------------------------------------------- over the sandbox


@contextmanager
def statuses(world: World) -> Iterator[dict[str, StatusDoc]]:
    """As `status --json` has it, by sitemap."""
    with world.wired() as parts:
        lines = Chosen(parts.fleet, Selection()).statuses(parts.ledger)
        since = waiting_since(
            parts.ledger, [one.known for one in lines if one.known], now=parts.clock.now()
        )
        sights = Sightings.remembered(parts.ledger)
        yield {
            line.sitemap or "": status_doc(
                line,
                property="p",
                traits=TRAITS["google"],
                waiting_since=since.get(key_of(line.known)) if line.known else None,
                sights=sights.of(ORIGIN, line.sitemap, "Googlebot"),
            )
            for line in lines
        }


def verify(world: World) -> list[Answer]:
    with world.wired() as parts:
        request = world.request(parts.fleet, None)
        return verify_fleet(request, parts.tools())


@pytest.fixture
def stuck(ward: Ward) -> Ward:
    """Told four days ago; Google does not come for it."""
    ward.admit("google")
    ward.world.sandbox.google.sitemaps.never_fetched.add(SITEMAP)
    assert ward.world.run().counts("sitemaps") == {"accepted": 1}
    ward.world.clock.advance(4 * 86_400)
    return ward


def test_verifying_looks_at_what_is_stuck_with_both_pairs_of_eyes(stuck: Ward) -> None:
    stuck.shop.shut_out("googlebot", "/sitemap.xml")
    [answer] = verify(stuck.world)
    assert [(one.name, one.http_status, one.reason) for one in answer.sights] == [
        ("ourselves", 200, ""),
        ("Googlebot", 403, "http-403"),
    ]
    with statuses(stuck.world) as found:
        row = found[SITEMAP]
        assert row["state"] == "stuck"
        assert row["finding"] is not None
        assert row["finding"]["id"] == "stuck-blocked"
        assert [(one["as"], one["http_status"]) for one in row["seen"]] == [
            ("ourselves", 200),
            ("Googlebot", 403),
        ]
        assert row["seen"][0]["bytes"] > 100


def test_what_is_well_is_not_looked_at(ward: Ward) -> None:
    ward.admit("google")
    ward.world.run()
    ward.world.clock.advance(4 * 86_400)
    before = ward.world.sandbox.fleet.book.count()
    [answer] = verify(ward.world)
    assert answer.sights == ()
    assert ward.world.sandbox.fleet.book.count() == before
    with statuses(ward.world) as found:
        assert found[SITEMAP]["state"] == "fetched"
        assert found[SITEMAP]["finding"] is None


def test_a_sitemap_that_is_told_every_day_is_stuck_all_the_same(ward: Ward) -> None:
    ward.admit("google")
    ward.world.sandbox.google.sitemaps.never_fetched.add(SITEMAP)
    for _ in range(5):
        assert ward.world.run().counts("sitemaps") == {"accepted": 1}
        ward.shop.change_pages()
        ward.world.clock.advance(86_400)
    verify(ward.world)
    with statuses(ward.world) as found:
        assert found[SITEMAP]["state"] == "stuck"


# ---------------------------------------------------------------- the further address


@pytest.fixture
def aliased(stuck: Ward) -> Ward:
    """The same sitemap has a further address, and Google was asked about the first one."""
    stuck.world.entries["shop"]["aliases"] = {
        "http://{host}/sitemap.xml": "http://{host}/sitemap-2.xml"
    }
    shown = stuck.world.sandbox.fleet.fetch(SITEMAP)
    assert shown is not None
    stuck.shop.put("/sitemap-2.xml", shown)
    verify(stuck.world)
    return stuck


def told(world: World) -> list[tuple[str, str]]:
    return [(row.target, row.state) for row in world.log()]


def test_the_alias_is_told_in_place_of_a_stuck_sitemap(aliased: Ward) -> None:
    ran = aliased.world.run()
    assert (ran.exit_code, ran.counts("sitemaps")) == (0, {"accepted": 1})
    assert told(aliased.world) == [(SITEMAP, "accepted"), (ALIAS, "accepted")]
    aliased.world.clock.advance(60)
    verify(aliased.world)
    with statuses(aliased.world) as found:
        assert found[ALIAS]["state"] == "fetched"
        assert found[ALIAS]["alias_of"] == SITEMAP
        assert found[SITEMAP]["state"] == "stuck"
        assert found[SITEMAP]["alias"] == ALIAS


def test_the_alias_is_told_once_and_again_when_something_changed(aliased: Ward) -> None:
    aliased.world.run()
    aliased.world.clock.advance(3_600)
    assert aliased.world.run().counts("sitemaps") == {"skipped": 1}
    aliased.shop.change_pages()
    assert aliased.world.run().counts("sitemaps") == {"accepted": 1}
    assert [target for target, _ in told(aliased.world)] == [SITEMAP, ALIAS, ALIAS]


def test_nothing_but_a_stuck_sitemap_has_its_alias_told(ward: Ward) -> None:
    ward.admit("google", aliases={SITEMAP: ALIAS})
    ward.world.run()
    ward.world.clock.advance(4 * 86_400)
    verify(ward.world)
    ward.shop.change_pages()
    ward.world.run()
    assert [target for target, _ in told(ward.world)] == [SITEMAP, SITEMAP]


def test_an_alias_that_cannot_be_read_is_not_told_and_that_is_said(aliased: Ward) -> None:
    aliased.shop.break_document("/sitemap-2.xml", Break.MISSING)
    ran = aliased.world.run()
    assert ran.counts("sitemaps") == {"skipped": 1}
    assert ran.findings(ORIGIN) == {"alias-unreadable"}


def test_a_sitemap_that_is_fetched_at_last_is_told_itself_again(aliased: Ward) -> None:
    aliased.world.run()
    aliased.world.sandbox.google.sitemaps.never_fetched.clear()
    aliased.world.clock.advance(3_600)
    verify(aliased.world)
    aliased.shop.change_pages()
    aliased.world.run()
    assert [target for target, _ in told(aliased.world)] == [SITEMAP, ALIAS, SITEMAP]


def test_an_alias_may_be_stuck_as_well_and_have_one_of_its_own(aliased: Ward) -> None:
    third = f"{ORIGIN}/sitemap-3.xml"
    aliases = {SITEMAP: ALIAS, ALIAS: third, third: SITEMAP}
    aliased.world.entries["shop"]["aliases"] = aliases
    aliased.world.sandbox.google.sitemaps.never_fetched |= {ALIAS, third}
    shown = aliased.world.sandbox.fleet.fetch(SITEMAP)
    assert shown is not None
    aliased.shop.put("/sitemap-3.xml", shown)
    for _ in range(4):
        aliased.world.run()
        aliased.world.clock.advance(4 * 86_400)
        verify(aliased.world)
    assert [target for target, _ in told(aliased.world)] == [SITEMAP, ALIAS, third]


def test_the_history_shows_both_addresses(aliased: Ward) -> None:
    aliased.world.run()
    with aliased.world.wired() as parts:
        stories = [explained(address, parts) for address in (SITEMAP, ALIAS)]
    for story, other in zip(stories, (ALIAS, SITEMAP), strict=True):
        assert [(one.alias, len(one.attempts)) for one in story.targets] == [(None, 1), (other, 1)]


def test_a_ledger_keeps_the_newest_sight_of_each_pair_of_eyes() -> None:
    ledger = open_ledger("sqlite:///:memory:")
    assert isinstance(ledger, SightBook)
    lease = ledger.acquire("run", "tests", ttl_s=60, now=NOW)
    seen = replace(OURS, kind=DocumentKind.URLSET, links=("https://never.kept/",))
    ledger.record_sights(lease, [seen, THEIRS, replace(OURS, site="http://other.test")])
    later = replace(REFUSED, at=NOW + DAY)
    ledger.record_sights(lease, [later])
    kept = sorted(ledger.sights([ORIGIN]), key=lambda one: one.agent)
    assert kept == [replace(seen, links=()), later]
    assert len(ledger.sights()) == 3
    ledger.close()
