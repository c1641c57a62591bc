"""What is remembered is chosen like targets are, also of sites that no inventory names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import pytest

from submitter.core.calls import Check
from submitter.core.fleet import Account, Fleet, Site
from submitter.core.records import LogRow, SitemapStatus
from submitter.core.selection import Selection
from submitter.core.standing import SitemapStanding
from submitter.core.states import State
from submitter.core.traits import Kind, Traits
from submitter.ports import Ledger, LogFilter
from submitter.render.shapes import status_doc
from submitter.stories.recall import Chosen, StatusLine

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GSC, BULK = Account("gsc", "google", None), Account("bulk", "google", None)
SHOP = Site("shop.example", sitemaps=("https://shop.example/a.xml",), accounts=("gsc",))
NEWS = Site("news.example", accounts=("gsc",), tags=frozenset({"news"}))
FLEET = Fleet("f", "", {"gsc": GSC, "bulk": BULK}, (SHOP, NEWS))


def call_of(site: str, account: str, engine: str = "google") -> LogRow:
    return LogRow(
        1, "r", "a", 1, NOW, NOW, site, account, engine, "p", "sitemap", "t", 0, 1, 0, "accepted"
    )


def status_of(site: str, account: str, sitemap: str) -> SitemapStatus:
    standing = SitemapStanding(sitemap, State.ACCEPTED, "", NOW, NOW, "")
    return SitemapStatus(site, account, sitemap, standing, None, None, None)


@dataclass
class PaperLedger:
    """The two reading methods that matter here."""

    calls: tuple[LogRow, ...] = ()
    known: tuple[SitemapStatus, ...] = ()

    def log(self, which: LogFilter) -> Iterator[LogRow]:
        del which
        return iter(self.calls)

    def statuses(self) -> list[SitemapStatus]:
        return list(self.known)


CALLS = (
    call_of("https://shop.example", "gsc"),
    call_of("https://by-hand.example", "bulk"),
    call_of("https://gone.example", "removed", "baidu"),
)


@pytest.mark.parametrize(
    ("selection", "sites"),
    [
        (Selection(), ["shop", "by-hand", "gone"]),
        (Selection(sites=("by-hand.*",)), ["by-hand"]),
        (Selection(accounts=("bulk",)), ["by-hand"]),
        (Selection(engines=("baidu",)), ["gone"]),
        (Selection(sites=("*.example",), engines=("google",)), ["shop", "by-hand"]),
        (Selection(tags=("news",)), []),
    ],
)
def test_calls_are_chosen_by_what_is_remembered(selection: Selection, sites: list[str]) -> None:
    ledger = cast(Ledger, PaperLedger(CALLS))
    rows = Chosen(FLEET, selection).log(ledger, LogFilter())
    assert [row.site for row in rows] == [f"https://{site}.example" for site in sites]


def lines_of(selection: Selection, *known: SitemapStatus) -> list[tuple[str, str | None, bool]]:
    ledger = cast(Ledger, PaperLedger(known=known))
    lines = Chosen(FLEET, selection).statuses(ledger)
    return [(line.target.site.host, line.sitemap, line.known is not None) for line in lines]


def test_every_target_has_a_line_before_anything_is_known() -> None:
    assert lines_of(Selection()) == [
        ("shop.example", "https://shop.example/a.xml", False),
        ("news.example", None, False),
    ]


def test_known_sitemaps_come_first_and_by_hand_ones_last() -> None:
    known = (
        status_of("https://by-hand.example", "bulk", "https://by-hand.example/s.xml"),
        status_of("https://shop.example", "gsc", "https://shop.example/old.xml"),
        status_of("https://gone.example", "removed", "https://gone.example/s.xml"),
    )
    assert lines_of(Selection(), *known) == [
        ("shop.example", "https://shop.example/old.xml", True),
        ("shop.example", "https://shop.example/a.xml", False),
        ("news.example", None, False),
        ("by-hand.example", "https://by-hand.example/s.xml", True),
    ]
    assert lines_of(Selection(accounts=("bulk",)), *known) == [
        ("by-hand.example", "https://by-hand.example/s.xml", True)
    ]


TRAITS = Traits("google", "Google", frozenset({Kind.SITEMAP}), "credentials", "UTC")


def test_a_status_says_null_where_nothing_is_known() -> None:
    line = StatusLine(FLEET.targets()[1], None)
    document = status_doc(line, property="p", traits=TRAITS)
    assert document["state"] == "never_submitted"
    assert {key for key, value in document.items() if value is None} == {
        "sitemap", "last_submitted", "last_downloaded", "is_pending", "is_index", "errors",
        "warnings", "urls_submitted", "urls_ours", "checked_at", "alias", "alias_of", "finding",
        "last_try",
    }  # fmt: skip


def test_a_status_shows_the_engines_later_word() -> None:
    known = status_of("https://shop.example", "gsc", "s")
    check = Check("p", "s", NOW, NOW, False, True, 0, 1, 12)
    seen = SitemapStatus(known.site, "gsc", "s", known.standing, check, NOW, 13)
    document = status_doc(StatusLine(FLEET.targets()[0], "s", seen), property="p", traits=TRAITS)
    assert document["state"] == "fetched"
    assert (document["warnings"], document["urls_submitted"], document["urls_ours"]) == (1, 12, 13)
    assert document["checked_at"] == "2026-11-30T12:00:00Z"
