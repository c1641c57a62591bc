"""A page is gone when it says so itself, and asking is polite and bounded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.fleet import FetchRules, Site
from submitter.core.standing import Candidate
from submitter.looking.removals import PATIENCE, Confirmation, confirm_gone
from submitter.sandbox import Sandbox, Section
from submitter.sources.web import WebSource
from support.fetching import PatientClock
from support.page_table import Failure, Page, PageTable

SITE = Site("shop.example.com", domain="example.com")


def candidates(count: int, origin: str = SITE.origin) -> list[Candidate]:
    return [Candidate(number, f"{origin}/{number}", "gone") for number in range(count)]


def ask(found: Page | Failure) -> Confirmation:
    (one,) = candidates(1)
    return confirm_gone(SITE, [one], source=PageTable({one.loc: found}), until=None)


def pile_of(got: Confirmation) -> str:
    """The one pile that the one candidate is in."""
    names = ("confirmed", "still_there", "unreachable", "unasked")
    (name,) = [name for name in names if getattr(got, name)]
    return name


PILES: dict[str, tuple[Page | Failure, str]] = {
    "404": (Failure(status=404), "confirmed"),
    "410": (Failure(status=410), "confirmed"),
    "200": (Page(b"<h1>Here</h1>"), "still_there"),
    "200 after a redirect": (Page(b"", at=f"{SITE.origin}/home"), "still_there"),
    "404 after a redirect": (Failure(status=404, redirects=1), "still_there"),
    "410 after a redirect": (Failure(status=410, redirects=2), "still_there"),
    "a redirect to nowhere": (Failure("http-302", 302), "still_there"),
    "401": (Failure(status=401), "still_there"),
    "403": (Failure(status=403), "still_there"),
    "408": (Failure(status=408), "unreachable"),
    "429": (Failure(status=429), "unreachable"),
    "500": (Failure(status=500), "unreachable"),
    "503": (Failure(status=503), "unreachable"),
    "timeout": (Failure("timeout"), "unreachable"),
    "no name": (Failure("dns-nxdomain"), "unreachable"),
    "certificate": (Failure("tls-expired"), "unreachable"),
    "a private address": (Failure("private-address"), "unreachable"),
    "a redirect loop": (Failure("redirect-loop"), "unreachable"),
    "our own deadline": (Failure("deadline"), "unreachable"),
}


@pytest.mark.parametrize("name", sorted(PILES))
def test_only_404_and_410_of_the_page_itself_are_gone(name: str) -> None:
    found, pile = PILES[name]
    assert pile_of(ask(found)) == pile


def test_no_body_is_read() -> None:
    table = PageTable({one.loc: Page(b"x" * 100) for one in candidates(3)})
    confirm_gone(SITE, candidates(3), source=table, until=None)
    assert len(table.asked) == 3
    assert table.read == []


def test_no_more_are_asked_than_the_limit() -> None:
    table = PageTable({})
    got = confirm_gone(SITE, candidates(10), source=table, until=None, limit=4)
    assert [url for url, _ in table.asked] == [one.loc for one in candidates(4)]
    assert list(got.confirmed) == candidates(10)[:4]
    assert list(got.unasked) == candidates(10)[4:]
    assert got.unconfirmed == 6


def test_a_site_that_has_stopped_answering_is_left_alone() -> None:
    pages = candidates(10)
    table = PageTable({one.loc: Failure("timeout") for one in pages[2:]})
    got = confirm_gone(SITE, pages, source=table, until=None)
    assert list(got.confirmed) == pages[:2]
    assert list(got.unreachable) == pages[2 : 2 + PATIENCE]
    assert list(got.unasked) == pages[2 + PATIENCE :]
    assert len(table.asked) == 2 + PATIENCE


def test_an_answer_in_between_keeps_the_patience() -> None:
    pages = candidates(9)
    table = PageTable({one.loc: Failure("timeout") for one in pages if one.id % 3})
    got = confirm_gone(SITE, pages, source=table, until=None)
    assert len(got.confirmed) == 3
    assert not got.unasked


@given(
    answers=st.lists(st.sampled_from(sorted(PILES)), max_size=30),
    limit=st.integers(0, 40),
)
def test_every_candidate_is_in_one_pile(answers: list[str], limit: int) -> None:
    pages = candidates(len(answers))
    table = PageTable({one.loc: PILES[name][0] for one, name in zip(pages, answers, strict=True)})
    got = confirm_gone(SITE, pages, source=table, until=None, limit=limit)
    piles = [*got.confirmed, *got.still_there, *got.unreachable, *got.unasked]
    assert sorted(piles, key=lambda one: one.id) == pages
    assert len(table.asked) <= limit
    assert {PILES[answers[one.id]][1] for one in got.confirmed} <= {"confirmed"}


# ---------------------------------------------------------------- over the network


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


def test_real_pages_are_asked_over_the_guarded_client(sandbox: Sandbox) -> None:
    shop = sandbox.fleet.add_site("shop", Section("p", 4, "/p/{n}"))
    gone = shop.remove_pages(2)
    kept = list(shop.urls())
    shop.redirect("/moved", "/p/4")
    shop.redirect("/lost", "/nowhere")
    pages = [*gone, *kept, f"{shop.origin}/moved", f"{shop.origin}/lost", f"{shop.origin}/never"]
    asked = [Candidate(number, loc, "gone") for number, loc in enumerate(pages)]
    site = Site(
        shop.host,
        "http",
        allow_private=("127.0.0.0/8",),
        fetch=FetchRules(connect_to={f"{shop.host}:80": sandbox.address}),
    )
    source = WebSource(PatientClock())
    got = confirm_gone(site, asked, source=source, until=None)
    source.close_all()
    assert [one.loc for one in got.confirmed] == [*gone, f"{shop.origin}/never"]
    assert [one.loc for one in got.still_there] == pages[2:6]
    assert got.unconfirmed == 0
