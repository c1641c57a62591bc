"""Before a site is told for the first time, some of its pages are looked at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from ward import HOST, ORIGIN, Ward

from submitter.core.fleet import Site
from submitter.core.looks import Delta, SiteLook
from submitter.core.prelaunch import (
    PageAnswer,
    head_ends,
    judge_sample,
    meta_forbids,
    tag_forbids,
    wants_sample,
)
from submitter.engines import ENGINES
from submitter.looking.prelaunch import sample_site
from submitter.looking.walk import Surroundings
from submitter.ports import LogFilter
from submitter.sandbox import Break
from support.page_table import Failure, Page, PageTable
from support.twins import HandClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NOINDEX = '<html><head><meta name="robots" content="noindex"></head><body>shop</body></html>'


def look(**facts: object) -> SiteLook:
    base: dict[str, object] = {"first": False, "listed": 200, "baseline": 200}
    return SiteLook(ORIGIN, NOW, **{**base, **facts})  # type: ignore[arg-type]


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ({"first": True}, True),
        ({"first": True, "listed": 0}, False),
        ({"first": True, "unfinished": True}, False),
        ({}, False),
        ({"delta": Delta(new=39)}, False),
        ({"delta": Delta(new=20, changed=20)}, True),
        ({"delta": Delta(new=19), "baseline": 10}, False),
        ({"delta": Delta(gone=200)}, False),
    ],
)
def test_a_sample_is_wanted_at_first_and_when_much_has_changed(
    facts: dict[str, object], wanted: bool
) -> None:
    assert wants_sample(look(**facts)) is wanted


FINE = PageAnswer(f"{ORIGIN}/a", 200, HOST)
HIDDEN = PageAnswer(f"{ORIGIN}/b", 200, HOST, noindex=True)
ELSEWHERE = PageAnswer(f"{ORIGIN}/c", 200, "www.example")
MISSING = PageAnswer(f"{ORIGIN}/d", 404)
SILENT = PageAnswer(f"{ORIGIN}/e", None)
UNFOLLOWED = PageAnswer(f"{ORIGIN}/f", None, "private.example")


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ([FINE] * 5, []),
        ([], []),
        ([SILENT] * 5, []),
        ([HIDDEN] * 3 + [FINE] * 2, [("prelaunch-noindex", "error", 3)]),
        ([HIDDEN] * 2 + [FINE] * 3, [("prelaunch-noindex", "warning", 2)]),
        ([HIDDEN] + [SILENT] * 4, [("prelaunch-noindex", "error", 1)]),
        ([HIDDEN, FINE], [("prelaunch-noindex", "warning", 1)]),
        ([ELSEWHERE] * 5, [("prelaunch-elsewhere", "error", 5)]),
        ([UNFOLLOWED] * 5, [("prelaunch-elsewhere", "error", 5)]),
        ([UNFOLLOWED] * 2 + [FINE] * 3, [("prelaunch-elsewhere", "warning", 2)]),
        ([MISSING] * 4 + [FINE], [("prelaunch-missing", "error", 4)]),
        (
            [HIDDEN, ELSEWHERE, MISSING, FINE, FINE],
            [
                ("prelaunch-noindex", "warning", 1),
                ("prelaunch-elsewhere", "warning", 1),
                ("prelaunch-missing", "warning", 1),
            ],
        ),
    ],
)
def test_what_most_pages_have_is_an_error_and_what_some_have_a_warning(
    answers: list[PageAnswer], found: list[tuple[str, str, int]]
) -> None:
    findings = judge_sample(ORIGIN, HOST, answers)
    assert [(one.id, one.severity, one.count) for one in findings] == found
    assert {one.where for one in findings} <= {ORIGIN}


def test_a_reason_says_how_many_which_and_what_to_do() -> None:
    [finding] = judge_sample(ORIGIN, HOST, [HIDDEN] * 3 + [FINE] * 2)
    assert "3 of 5 pages" in finding.message
    assert "--force REASON" in finding.message
    assert finding.examples == (HIDDEN.url,) * 3


@pytest.mark.parametrize(
    ("html", "forbids"),
    [
        (NOINDEX, True),
        ("<META CONTENT=noindex,follow NAME=Robots>", True),
        ("<meta content='none' name='robots'/>", True),
        ('<meta name="robots" content="index, follow">', False),
        ('<meta name="robots" content="nofollow, NoIndex">', True),
        ('<meta name="googlebot" content="noindex">', False),
        ('<meta property="robots" content="noindex">', False),
        ('<!-- <meta name="robots" content="noindex"> -->', False),
        ("<script>'<meta name=robots content=noindex>'</script>", False),
        ('<script>"<meta name=robots content=noindex>"', False),
        ('<head></head><body><meta name="robots" content="noindex">', False),
        ('<meta name="robots">', False),
        ("<p>noindex</p>", False),
        ("", False),
        ("<meta " * 10_000, False),
    ],
)
def test_a_page_says_itself_that_it_is_not_to_be_indexed(html: str, forbids: bool) -> None:
    assert meta_forbids(html) is forbids


@pytest.mark.parametrize(
    ("header", "forbids"),
    [
        ("noindex", True),
        ("NOFOLLOW, NOINDEX", True),
        ("none", True),
        ("noindex, unavailable_after: 25 Jun 2026 15:00:00 PST", True),
        ("max-snippet: 50, noindex", True),
        ("unavailable_after: 25 Jun 2026 15:00:00 PST", False),
        ("googlebot: noindex", False),
        ("all", False),
        ("", False),
    ],
)
def test_a_header_says_so_to_everybody_or_to_one(header: str, forbids: bool) -> None:
    assert tag_forbids(header) is forbids


def test_nothing_after_the_head_counts() -> None:
    assert head_ends("<head></head>")
    assert head_ends("<title>x</title><BODY class=a>")
    assert not head_ends("<!-- </head> --><head>")


# ---------------------------------------------------------------- asking


class Pages:
    """The part of a ledger that a sample is drawn from."""

    def __init__(self, *urls: str) -> None:
        self.urls = urls

    def sample_pages(self, site: str, *, limit: int) -> list[str]:
        assert site == ORIGIN
        return list(self.urls[:limit])


URLS = [f"{ORIGIN}/{n}" for n in range(9)]
SITE = Site(HOST, scheme="http")


def asked(
    source: PageTable,
    *,
    site: Site = SITE,
    seen: SiteLook | None = None,
    until: float | None = None,
    crawlers: tuple[str, ...] = ("Googlebot",),
) -> SiteLook:
    around = Surroundings(source=source, clock=HandClock(), until=until, crawlers=crawlers)
    first = seen or look(first=True)
    return sample_site(site, first, ledger=Pages(*URLS), around=around)  # type: ignore[arg-type]


def test_five_pages_are_asked_and_no_more_of_them_is_read_than_their_heads() -> None:
    long = NOINDEX.encode() + b" " * 1_000_000
    source = PageTable({url: Page(long) for url in URLS})
    seen = asked(source)
    assert [url for url, _ in source.asked] == URLS[:5]
    assert [one.id for one in seen.prelaunch] == ["prelaunch-noindex"]


def test_a_header_is_enough_and_the_body_is_left_unread() -> None:
    source = PageTable({url: Page(b"x", robots_tags=("noindex",)) for url in URLS})
    assert [one.id for one in asked(source).prelaunch] == ["prelaunch-noindex"]
    assert source.read == []


TO_GOOGLE = '<html><head><meta name="googlebot" content="noindex"></head>'


@pytest.mark.parametrize(
    ("page", "engines", "held"),
    [
        (Page(TO_GOOGLE.encode()), ("google",), True),
        (Page(TO_GOOGLE.encode()), ("google", "baidu"), False),
        (Page(TO_GOOGLE.encode()), (), False),
        (Page(b"", robots_tags=("googlebot: noindex",)), ("google",), True),
        (Page(TO_GOOGLE.encode(), robots_tags=("Baiduspider: none",)), ("google", "baidu"), True),
        (Page(NOINDEX.encode()), ("google", "baidu"), True),
    ],
)
def test_who_is_named_counts_where_nobody_else_is_told(
    page: Page, engines: tuple[str, ...], held: bool
) -> None:
    told = tuple(ENGINES[name].traits for name in engines)
    around = Surroundings(
        source=PageTable(dict.fromkeys(URLS, page)), clock=HandClock(), engines_of={ORIGIN: told}
    )
    seen = sample_site(SITE, look(first=True), ledger=Pages(*URLS), around=around)  # type: ignore[arg-type]
    assert bool(seen.prelaunch) is held


def test_redirects_are_judged_by_where_they_end() -> None:
    source = PageTable({url: Page(b"", at="https://www.example/") for url in URLS})
    assert [one.id for one in asked(source).prelaunch] == ["prelaunch-elsewhere"]
    same_host = PageTable({url: Page(b"", at=f"{ORIGIN}/home") for url in URLS})
    assert asked(same_host).prelaunch == ()


@pytest.mark.parametrize(
    "failure",
    [
        Failure("private-address", redirects=1, led_to="http://private.internal.test/"),
        Failure("dns-nxdomain", redirects=2, led_to="https://staging.example/"),
        Failure("bad-port", redirects=1, led_to="http://127.0.0.1:1/"),
        Failure("bad-url", redirects=1, led_to="http://2852039166/"),
        Failure(status=403, redirects=1, led_to="https://login.example/"),
        Failure(status=503, redirects=1, led_to="https://www.example/"),
    ],
)
def test_a_redirect_to_another_host_counts_also_where_nobody_can_follow(failure: Failure) -> None:
    source = PageTable(dict.fromkeys(URLS, failure))
    assert [one.id for one in asked(source).prelaunch] == ["prelaunch-elsewhere"]
    assert len(source.asked) == 5


def test_a_redirect_on_the_same_host_that_fails_says_nothing() -> None:
    source = PageTable(dict.fromkeys(URLS, Failure("timeout", redirects=1, led_to=f"{ORIGIN}/x")))
    assert asked(source).prelaunch == ()


def test_a_site_that_refuses_us_or_is_down_is_not_judged() -> None:
    for failure in (Failure(status=403), Failure(status=503), Failure(reason="timeout")):
        source = PageTable(dict.fromkeys(URLS, failure))
        assert asked(source).prelaunch == ()
        assert len(source.asked) == 2


@pytest.mark.parametrize(
    ("site", "seen"),
    [
        (Site(HOST, scheme="http", prelaunch=False), look(first=True)),
        (SITE, look(first=False)),
        (SITE, look(first=True, closed_to=frozenset({"Googlebot"}))),
    ],
)
def test_nobody_is_asked_where_it_is_off_or_of_no_use(site: Site, seen: SiteLook) -> None:
    source = PageTable({})
    assert asked(source, site=site, seen=seen) is seen
    assert source.asked == []


def test_a_deadline_in_between_leaves_the_look_unfinished() -> None:
    source = PageTable({url: Page(b"") for url in URLS})
    seen = asked(source, until=0.0)
    assert seen.unfinished
    assert len(source.asked) == 1


# ---------------------------------------------------------------- whole runs


def noindex(ward: Ward, *, of: int = 99) -> list[str]:
    pages = list(ward.shop.urls())[:of]
    for page in pages:
        ward.shop.put(page.removeprefix(ORIGIN), NOINDEX, "text/html")
    return pages


def moves(ward: Ward) -> None:
    for page in ward.shop.urls():
        ward.shop.redirect(page.removeprefix(ORIGIN), "http://www.whole.test/")
    ward.world.add("www").put("/", "<p>www", "text/html")


def leads_inside(ward: Ward) -> None:
    """To a host that has no public address, as a staging copy's redirects do."""
    for page in ward.shop.urls():
        ward.shop.redirect(page.removeprefix(ORIGIN), "http://10.1.2.3/")


def loses(ward: Ward) -> None:
    for page in ward.shop.urls():
        ward.shop.put(page.removeprefix(ORIGIN), "", "text/html")
        ward.shop.break_document(page.removeprefix(ORIGIN), Break.MISSING)


@pytest.mark.parametrize(
    ("spoil", "id"),
    [
        (noindex, "prelaunch-noindex"),
        (moves, "prelaunch-elsewhere"),
        (leads_inside, "prelaunch-elsewhere"),
        (loses, "prelaunch-missing"),
    ],
)
def test_a_site_that_is_not_ready_is_held_until_it_is(
    ward: Ward, spoil: Callable[[Ward], object], id: str
) -> None:
    ward.admit("google", "baidu")
    spoil(ward)
    for _ in range(2):
        targets = [one for one in ward.world.fleet().targets() if one.site.host == HOST]
        ran = ward.world.run(targets=targets)
        assert (ran.exit_code, ran.summary["outcome"]) == (3, "held")
        assert ran.findings(ORIGIN) == {id}
        assert set(ran.skips(ORIGIN)) == {"guard"}
    assert ward.world.log() == []


def test_a_mended_site_is_told_by_the_next_run_and_not_asked_again(ward: Ward) -> None:
    ward.admit("google")
    pages = noindex(ward)
    assert ward.world.run().exit_code == 3
    for page in pages:
        ward.shop.mend(page.removeprefix(ORIGIN))
    assert ward.world.run().counts("sitemaps") == {"accepted": 1}
    before = fetched(ward, pages)
    ward.world.clock.advance(86_400)
    ward.world.run()
    assert fetched(ward, pages) == before


def fetched(ward: Ward, pages: list[str]) -> int:
    """How often any of these pages was fetched."""
    paths = {page.removeprefix(ORIGIN) for page in pages}
    return sum(path in paths for path in ward.world.sandbox.fleet.book.accepted("GET", HOST))


def test_a_reason_lets_it_through_and_is_recorded(ward: Ward) -> None:
    ward.admit("google")
    pages = noindex(ward)
    ran = ward.world.run(forced="the shop opens at noon")
    assert ran.counts("sitemaps") == {"accepted": 1}
    assert ran.findings(ORIGIN) == {"prelaunch-noindex"}
    assert ward.world.run_rows()[0].forced == "the shop opens at noon"
    before = fetched(ward, pages)
    ward.world.run()
    assert fetched(ward, pages) == before


def test_it_can_be_switched_off_in_the_inventory(ward: Ward) -> None:
    ward.admit("google", prelaunch="off")
    noindex(ward)
    assert ward.world.run().counts("sitemaps") == {"accepted": 1}


def test_a_few_bad_pages_hold_nobody(ward: Ward) -> None:
    ward.admit("google")
    noindex(ward, of=2)
    ran = ward.world.run()
    assert ran.exit_code == 0
    assert ran.findings(ORIGIN) == {"prelaunch-noindex"}


def test_a_plan_says_beforehand_that_a_site_would_be_held(ward: Ward) -> None:
    ward.admit("google")
    noindex(ward)
    plan = ward.world.plan().plan
    assert plan.actions == ()
    assert {one.id for one in plan.findings} == {"prelaunch-noindex"}


def test_a_relaunch_is_looked_at_like_a_launch(ward: Ward) -> None:
    ward.admit("google")
    ward.shop.add_pages(96)
    assert ward.world.run().exit_code == 0
    ward.world.clock.advance(86_400)
    new = ward.shop.add_pages(50)
    for page in new:
        ward.shop.put(page.removeprefix(ORIGIN), NOINDEX, "text/html")
    ran = ward.world.run()
    assert ran.exit_code == 3
    assert ran.findings(ORIGIN) == {"prelaunch-noindex"}


def test_the_same_pages_are_asked_every_time(ward: Ward) -> None:
    ward.admit("google")
    ward.shop.add_pages(200)
    ward.world.plan()
    with ward.world.ledger() as ledger:
        first = ledger.sample_pages(ORIGIN, limit=5)
        assert len(set(first)) == 5
        assert set(first) < set(ward.shop.urls())
        assert ledger.sample_pages(ORIGIN, limit=5) == first
        assert ledger.sample_pages("http://nowhere.test", limit=5) == []
        assert list(ledger.log(LogFilter())) == []


def test_pages_that_left_are_not_asked_and_new_ones_come_first(ward: Ward) -> None:
    ward.admit("google", gone_after=1)
    ward.shop.add_pages(96)
    ward.world.run()
    gone, new = set(ward.shop.remove_pages(20)), set(ward.shop.add_pages(30))
    ward.world.run()
    with ward.world.ledger() as ledger:
        everything = ledger.sample_pages(ORIGIN, limit=1_000)
        assert set(everything) == set(ward.shop.urls())
        assert not gone.intersection(everything)
        assert set(everything[:30]) == new
        assert set(ledger.sample_pages(ORIGIN, limit=5)) < new
