"""What a look finds, and what it must never conclude."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from ledger_samples import (
    DAY,
    DAY_S,
    MAP,
    NOW,
    NOW_S,
    OTHER_MAP,
    SITE,
    look_at,
    page,
    read,
    rule,
    sitemap_action,
    tell,
    waiting,
    whys,
)

from submitter.core.fleet import FirstRun
from submitter.core.looks import Delta, DocumentKind, RootLook, Validators
from submitter.core.traits import Kind
from submitter.ledger.books import BATCH
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease

AB = [page("a"), page("b")]


def test_the_first_look_finds_everything_new(ledger: SqlLedger, lease: Lease) -> None:
    result = look_at(ledger, lease, {MAP: AB}, accept=False)
    assert result.first
    assert (result.listed, result.baseline) == (2, 0)
    assert result.delta == result.since_baseline == Delta(new=2)


def test_the_next_look_finds_only_what_changed(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page("a", NOW_S), page("b", NOW_S), page("c")]})
    listed = [page("a", NOW_S), page("b", NOW_S + 60), page("d")]
    result = look_at(ledger, lease, {MAP: listed}, at=NOW + DAY)
    assert not result.first
    assert (result.listed, result.baseline) == (3, 3)
    assert result.delta == Delta(new=1, changed=1, gone=1)


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        (NOW_S, NOW_S + 1, 1),
        (NOW_S, NOW_S, 0),
        (NOW_S, NOW_S - 1, 0),
        (NOW_S, None, 0),
        (None, NOW_S - 1, 0),
        (None, NOW_S + 1, 1),
        (None, None, 0),
        (-5, 2**40, 1),
    ],
)
def test_a_page_changed_when_its_lastmod_moved_on(
    ledger: SqlLedger, lease: Lease, before: int | None, now: int | None, changed: int
) -> None:
    look_at(ledger, lease, {MAP: [page("a", before)]})
    result = look_at(ledger, lease, {MAP: [page("a", now)]}, at=NOW + DAY)
    assert result.delta == Delta(changed=changed)


def test_a_stale_copy_of_a_document_does_not_make_its_pages_change_again(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: [page("a", NOW_S)]})
    for lastmod in (NOW_S - DAY_S, NOW_S, NOW_S - DAY_S, NOW_S):
        assert look_at(ledger, lease, {MAP: [page("a", lastmod)]}).delta == Delta()


def test_a_page_that_moves_to_another_document_is_neither_new_nor_gone(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB, OTHER_MAP: [page("c")]})
    for first, second in (([page("a")], [page("b"), page("c")]), (AB, [page("c")])):
        for listed in ({MAP: first, OTHER_MAP: second}, {OTHER_MAP: second, MAP: first}):
            result = look_at(ledger, lease, listed)
            assert (result.delta, result.listed) == (Delta(), 3)


def test_a_page_in_two_documents_is_one_page_with_the_newest_lastmod(
    ledger: SqlLedger, lease: Lease
) -> None:
    old, new = page("a", NOW_S - DAY_S), page("a", NOW_S)
    result = look_at(ledger, lease, {MAP: [old], OTHER_MAP: [new]})
    assert (result.listed, result.delta) == (1, Delta(new=1))
    assert look_at(ledger, lease, {OTHER_MAP: [new], MAP: [old]}).delta == Delta()
    result = look_at(ledger, lease, {MAP: [old], OTHER_MAP: []})
    assert (result.listed, result.delta) == (1, Delta())


@pytest.mark.parametrize("lastmods", [(1, 2), (2, 1), (None, 2), (2, None), (1, 2, 1)])
def test_a_page_listed_twice_in_one_document_has_the_newest_lastmod(
    ledger: SqlLedger, lease: Lease, lastmods: tuple[int | None, ...]
) -> None:
    rows = [page("a", lastmod and NOW_S + lastmod) for lastmod in lastmods]
    assert look_at(ledger, lease, {MAP: rows}).listed == 1
    assert look_at(ledger, lease, {MAP: rows}).delta == Delta()
    assert look_at(ledger, lease, {MAP: [page("a", NOW_S + 2)]}).delta == Delta()
    assert look_at(ledger, lease, {MAP: [page("a", NOW_S + 3)]}).delta == Delta(changed=1)


def test_a_document_that_was_cut_adds_pages_and_removes_none(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB})
    result = look_at(ledger, lease, {MAP: [page("c")]}, cut=[MAP])
    assert (result.delta, result.listed) == (Delta(new=1), 3)
    assert look_at(ledger, lease, {MAP: [page("c")]}).delta == Delta(gone=2)


def test_an_unreadable_document_keeps_its_pages(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB, OTHER_MAP: [page("c")]})
    result = look_at(ledger, lease, {OTHER_MAP: [page("c")]}, unreadable=[MAP])
    assert (result.delta, result.listed) == (Delta(), 3)


def test_a_document_that_is_kept_keeps_its_pages(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB})
    assert look_at(ledger, lease, {}, keep=[MAP]).listed == 2


def test_a_document_that_is_listed_no_more_loses_its_pages(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB, OTHER_MAP: [page("c")]})
    result = look_at(ledger, lease, {OTHER_MAP: [page("c")]})
    assert (result.delta, result.listed) == (Delta(gone=2), 1)
    assert [one.url for one in ledger.documents_of(SITE)] == [OTHER_MAP]


def test_a_look_that_is_not_complete_makes_nothing_gone(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB, OTHER_MAP: [page("c")]})
    result = look_at(ledger, lease, {MAP: [page("a")]}, complete=False)
    assert (result.delta, result.listed) == (Delta(), 2)
    assert len(ledger.documents_of(SITE)) == 2
    result = look_at(ledger, lease, {}, keep=[MAP, OTHER_MAP])
    assert (result.delta, result.listed) == (Delta(gone=1), 2)


def test_a_page_is_gone_after_as_many_complete_looks_as_the_inventory_says(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB})
    found = [
        look_at(ledger, lease, {MAP: [page("a")]}, gone_after=3, complete=complete).delta.gone
        for complete in (True, False, True, False, True, True)
    ]
    assert found == [0, 0, 0, 0, 1, 0]


def test_a_page_that_comes_back_in_time_begins_anew(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB})
    look_at(ledger, lease, {MAP: [page("a")]}, gone_after=2)
    assert look_at(ledger, lease, {MAP: AB}, gone_after=2).delta == Delta()
    assert look_at(ledger, lease, {MAP: [page("a")]}, gone_after=2).delta == Delta()
    assert look_at(ledger, lease, {MAP: [page("a")]}, gone_after=2).delta == Delta(gone=1)


def test_a_page_that_comes_back_is_neither_new_nor_told_again(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB})
    tell(ledger, lease)
    assert look_at(ledger, lease, {MAP: [page("a")]}).delta == Delta(gone=1)
    assert look_at(ledger, lease, {MAP: AB}).delta == Delta()
    assert waiting(ledger) == []


def test_a_page_that_was_never_told_still_waits_when_it_comes_back(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB})
    look_at(ledger, lease, {MAP: [page("a")]})
    assert waiting(ledger) == ["a"]
    look_at(ledger, lease, {MAP: AB})
    assert waiting(ledger) == ["a", "b"]


def test_a_removal_waits_for_those_who_heard_of_the_page_and_is_undone_by_its_return(
    ledger: SqlLedger, lease: Lease
) -> None:
    rules = [rule(removed=True), rule("baidu")]
    look_at(ledger, lease, {MAP: AB}, tell=rules)
    tell(ledger, lease, ["b"])
    tell(ledger, lease, ["b"], account="baidu")
    look_at(ledger, lease, {MAP: []}, tell=rules)
    assert whys(ledger, Kind.REMOVAL) == {"b": "gone"}
    assert waiting(ledger, "baidu", Kind.REMOVAL) == []
    tell(ledger, lease, ["b"], kind=Kind.REMOVAL)
    look_at(ledger, lease, {MAP: AB}, tell=rules)
    assert whys(ledger) == {"a": "new", "b": "new"}
    assert waiting(ledger, "baidu") == ["a"]


def test_the_guards_baseline_stays_until_a_look_is_accepted(
    ledger: SqlLedger, lease: Lease
) -> None:
    pages = [page(f"p{number}") for number in range(10)]
    look_at(ledger, lease, {MAP: pages})
    first = look_at(ledger, lease, {MAP: pages[:2]}, accept=False)
    second = look_at(ledger, lease, {MAP: pages[:2]}, accept=False)
    assert (first.delta, second.delta) == (Delta(gone=8), Delta())
    assert (first.since_baseline, second.since_baseline) == (Delta(gone=8), Delta(gone=8))
    well = look_at(ledger, lease, {MAP: [*pages, page("more")]}, accept=False)
    assert (well.baseline, well.since_baseline) == (10, Delta(new=1))


def test_what_came_after_the_baseline_and_went_again_counts_for_nothing(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB})
    look_at(ledger, lease, {MAP: [*AB, page("c")]}, accept=False)
    result = look_at(ledger, lease, {MAP: AB}, accept=False)
    assert (result.delta, result.since_baseline) == (Delta(gone=1), Delta())


def test_a_held_first_look_is_still_the_first_one(ledger: SqlLedger, lease: Lease) -> None:
    assert look_at(ledger, lease, {MAP: AB}, accept=False).first
    assert look_at(ledger, lease, {MAP: AB}).first
    assert not look_at(ledger, lease, {MAP: AB}).first


def test_sites_do_not_meet(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB})
    result = look_at(ledger, lease, {MAP: AB}, site="https://www.example.com")
    assert result.first
    assert result.delta == Delta(new=2)
    assert waiting(ledger, site=SITE) == ["a", "b"]


def test_a_document_is_remembered_with_what_spares_reading_it_again(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB})
    look = ledger.look(lease, SITE, tell=[rule()], at=NOW + DAY)
    memory = look.remembered(MAP)
    assert memory is not None
    assert (memory.kind, memory.pages, memory.complete) == (DocumentKind.URLSET, 2, True)
    assert (memory.read_at, memory.changed_at) == (NOW, NOW)
    assert memory.body_sha256 == f"body {AB}"
    assert memory.validators.etag == f'"{AB}"'
    assert look.remembered(OTHER_MAP) is None


def test_an_index_is_remembered_with_its_children(ledger: SqlLedger, lease: Lease) -> None:
    look = ledger.look(lease, SITE, tell=[], at=NOW)
    look.open(MAP).close(read("index", children=(OTHER_MAP, f"{SITE}/三.xml")))
    look.finish(gone_after=1, complete=True)
    assert ledger.documents_of(SITE)[0].children == (OTHER_MAP, f"{SITE}/三.xml")


def test_documents_of_many_sites_are_those_of_each(ledger: SqlLedger, lease: Lease) -> None:
    other = "https://other.example"
    look_at(ledger, lease, {OTHER_MAP: AB, MAP: AB, f"{SITE}/Z.xml": AB})
    look_at(ledger, lease, {f"{other}/map.xml": AB}, site=other)
    found = ledger.documents_by_site([SITE, other, "https://never.example"])
    assert found == {site: ledger.documents_of(site) for site in (SITE, other)}


def test_changed_at_moves_only_with_the_content(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB})
    look_at(ledger, lease, {MAP: AB}, at=NOW + DAY)
    [memory] = ledger.documents_of(SITE)
    assert (memory.read_at, memory.changed_at) == (NOW + DAY, NOW)
    look_at(ledger, lease, {MAP: [page("a")]}, at=NOW + 2 * DAY)
    [memory] = ledger.documents_of(SITE)
    assert memory.changed_at == NOW + 2 * DAY


def test_keeping_a_document_remembers_its_new_validators_and_that_it_was_read(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(ledger, lease, {MAP: AB, OTHER_MAP: []})
    look = ledger.look(lease, SITE, tell=[], at=NOW + DAY)
    look.keep(MAP, validators=Validators("new", "today"), read=True)
    look.keep(OTHER_MAP)
    look.finish(gone_after=1, complete=True)
    other, kept = ledger.documents_of(SITE)
    assert (kept.validators, kept.read_at) == (Validators("new", "today"), NOW + DAY)
    assert (other.validators.etag, other.read_at) == ('"[]"', NOW)


def test_without_close_nothing_of_a_document_is_kept(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB})
    look = ledger.look(lease, SITE, tell=[rule()], at=NOW)
    look.open(MAP).add([page("c")])
    look.unreadable(MAP, "connection-lost")
    result = look.finish(gone_after=1, complete=True)
    assert (result.listed, result.delta) == (2, Delta())


def test_a_look_that_died_is_taken_up_by_the_next(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: AB, OTHER_MAP: [page("c")]})
    dying = ledger.look(lease, SITE, tell=[rule()], at=NOW)
    sink = dying.open(MAP)
    sink.add([page("a"), page("d")])
    sink.close(read("half"))
    result = look_at(ledger, lease, {}, keep=[MAP, OTHER_MAP], accept=False)
    assert (result.listed, result.delta) == (3, Delta(gone=1))
    assert result.since_baseline == Delta(new=1, gone=1)


def test_new_sections_make_documents_be_read_again(ledger: SqlLedger, lease: Lease) -> None:
    plain = [page("a", NOW_S), page("b", NOW_S - 1)]
    look_at(ledger, lease, {MAP: plain}, sections="one")
    assert waiting(ledger) == ["a", "b"]
    look = ledger.look(lease, SITE, tell=[rule()], at=NOW, sections="two")
    memory = look.remembered(MAP)
    assert memory is not None
    assert (memory.body_sha256, memory.validators, memory.pages) == ("", Validators(), 2)
    sorted_anew = [page("a", NOW_S), page("b", NOW_S - 1, "news", 5)]
    result = look_at(ledger, lease, {MAP: sorted_anew}, sections="two")
    assert result.delta == Delta()
    assert waiting(ledger) == ["b", "a"]
    look = ledger.look(lease, SITE, tell=[], at=NOW, sections="two")
    memory = look.remembered(MAP)
    assert memory is not None
    assert memory.body_sha256


def test_the_spelling_is_the_documents_own_and_follows_it(ledger: SqlLedger, lease: Lease) -> None:
    spelled = page("a")
    odd = [type(spelled)(spelled.identity, "HTTPS://Shop.Example.com/a", None), page("%7Eb")]
    look_at(ledger, lease, {MAP: odd})
    found = ledger.candidates(SITE, "indexnow", Kind.URLS, now=NOW, limit=9)
    assert [one.loc for one in found] == ["HTTPS://Shop.Example.com/a", f"{SITE}/%7Eb"]
    assert ledger.urls(SITE, [found[1].id, found[0].id]) == [found[1].loc, found[0].loc]
    assert look_at(ledger, lease, {MAP: [page("a"), page("%7Eb")]}).delta == Delta()
    assert ledger.urls(SITE, [found[0].id]) == [f"{SITE}/a"]


def test_documents_are_read_side_by_side(ledger: SqlLedger, lease: Lease) -> None:
    look = ledger.look(lease, SITE, tell=[rule()], at=NOW)
    first, second = look.open(MAP), look.open(OTHER_MAP)
    first.add([page("a")])
    second.add([page("b"), page("a", NOW_S)])
    second.close(read("two"))
    first.add([page("c")])
    first.close(read("one"))
    assert look.finish(gone_after=1, complete=True).delta == Delta(new=3)


def test_the_roots_of_a_site_are_those_of_its_last_look_in_order(
    ledger: SqlLedger, lease: Lease
) -> None:
    roots = [RootLook(url, True, "c", NOW, 7, False) for url in (OTHER_MAP, MAP)]
    ledger.record_roots(lease, SITE, roots)
    assert ledger.roots_of(SITE) == [OTHER_MAP, MAP]
    ledger.record_roots(lease, SITE, roots[1:])
    assert ledger.roots_of(SITE) == [MAP]
    assert ledger.roots_of("https://nobody.example") == []


def test_a_root_that_cannot_be_read_keeps_the_number_of_its_pages(
    ledger: SqlLedger, lease: Lease
) -> None:
    seen = RootLook(MAP, True, "c", NOW, 7, False)
    down = RootLook(MAP, False, "", None, 0, False, "http-503")
    never = RootLook(OTHER_MAP, False, "", None, 0, False, "http-404")
    for url in (MAP, OTHER_MAP):
        ledger.defer(lease, sitemap_action(url), not_before=None, reason="deadline")
    for roots in ([seen], [down, never], [down, never]):
        ledger.record_roots(lease, SITE, roots)
    assert ledger.root_looks(SITE) == [replace(down, pages=7), never]
    assert {one.sitemap: one.urls_ours for one in ledger.statuses()} == {MAP: 7, OTHER_MAP: None}
    ledger.record_roots(lease, SITE, [replace(seen, pages=0)])
    assert {one.sitemap: one.urls_ours for one in ledger.statuses()} == {MAP: 0, OTHER_MAP: None}


# ---------------------------------------------------------------- first runs


RECENT = NOW_S - 29 * DAY_S
PAST = NOW_S - 31 * DAY_S


@pytest.mark.parametrize(
    ("first_run", "expected"),
    [
        (FirstRun.ALL, ["new", "old", "undated"]),
        (FirstRun.RECENT, ["new"]),
        (FirstRun.NONE, []),
    ],
)
def test_the_first_run_of_an_account_says_what_its_first_look_tells(
    ledger: SqlLedger, lease: Lease, first_run: FirstRun, expected: list[str]
) -> None:
    site = [page("undated"), page("old", PAST), page("new", RECENT)]
    look_at(ledger, lease, {MAP: site}, tell=[rule(first_run=first_run)])
    assert waiting(ledger) == expected
    look_at(ledger, lease, {MAP: [*site, page("later")]}, tell=[rule(first_run=first_run)])
    assert sorted(waiting(ledger)) == sorted([*expected, "later"])


@pytest.mark.parametrize("first_run", list(FirstRun))
def test_an_account_that_is_added_to_a_known_site_has_its_own_first_run(
    ledger: SqlLedger, lease: Lease, first_run: FirstRun
) -> None:
    site = [page("old", PAST), page("new", RECENT)]
    look_at(ledger, lease, {MAP: site})
    look_at(ledger, lease, {}, keep=[MAP], tell=[rule(), rule("baidu", first_run)])
    expected = {FirstRun.ALL: ["new", "old"], FirstRun.RECENT: ["new"], FirstRun.NONE: []}
    assert waiting(ledger, "baidu") == expected[first_run]


def test_a_first_run_lasts_until_a_look_was_complete(ledger: SqlLedger, lease: Lease) -> None:
    rules = [rule(first_run=FirstRun.NONE)]
    look_at(ledger, lease, {MAP: AB}, tell=rules, complete=False)
    look_at(ledger, lease, {OTHER_MAP: [page("c")]}, keep=[MAP], tell=rules)
    assert waiting(ledger) == []
    look_at(ledger, lease, {MAP: [*AB, page("d")]}, keep=[OTHER_MAP], tell=rules)
    assert waiting(ledger) == ["d"]


def test_a_document_that_could_not_be_read_at_first_belongs_to_the_first_run(
    ledger: SqlLedger, lease: Lease
) -> None:
    rules = [rule(first_run=FirstRun.NONE)]
    look_at(ledger, lease, {MAP: AB}, unreadable=[OTHER_MAP], tell=rules)
    look_at(ledger, lease, {OTHER_MAP: [page("c")]}, keep=[MAP], tell=rules)
    assert waiting(ledger) == []
    look_at(ledger, lease, {OTHER_MAP: [page("c"), page("d")]}, keep=[MAP], tell=rules)
    assert waiting(ledger) == ["d"]


def test_a_new_document_that_could_not_be_read_at_once_is_new_all_the_same(
    ledger: SqlLedger, lease: Lease
) -> None:
    rules = [rule(first_run=FirstRun.NONE)]
    look_at(ledger, lease, {MAP: AB}, tell=rules)
    look_at(ledger, lease, {}, keep=[MAP], unreadable=[OTHER_MAP], tell=rules)
    look_at(ledger, lease, {OTHER_MAP: [page("c")]}, keep=[MAP], tell=rules)
    assert waiting(ledger) == ["c"]


def test_an_account_that_was_away_is_told_what_it_missed(ledger: SqlLedger, lease: Lease) -> None:
    baidu = rule("baidu")
    look_at(ledger, lease, {MAP: [page("a", NOW_S)]}, tell=[baidu])
    tell(ledger, lease, account="baidu")
    look_at(ledger, lease, {MAP: [page("a", NOW_S + 9), page("b")]}, tell=[])
    look_at(ledger, lease, {}, keep=[MAP], tell=[baidu], at=NOW + timedelta(days=2))
    assert waiting(ledger, "baidu") == ["a", "b"]


def test_pages_wait_by_priority_then_lastmod_then_order_of_appearance(
    ledger: SqlLedger, lease: Lease
) -> None:
    look_at(
        ledger,
        lease,
        {
            MAP: [page("none-1"), page("none-2"), page("old", 5), page("new", 9)],
            OTHER_MAP: [page("low", 99, "x", -1), page("high", None, "news", 10), page("same", 9)],
        },
    )
    assert waiting(ledger) == ["high", "new", "same", "old", "none-1", "none-2", "low"]


def test_a_waiting_page_moves_with_its_lastmod(ledger: SqlLedger, lease: Lease) -> None:
    look_at(ledger, lease, {MAP: [page("a", 5), page("b", 9)]})
    assert waiting(ledger) == ["b", "a"]
    look_at(ledger, lease, {MAP: [page("a", 10), page("b", 9)]})
    assert whys(ledger) == {"a": "new", "b": "new"}
    assert waiting(ledger) == ["a", "b"]


def test_a_changed_page_is_told_again_only_to_those_who_want_changes(
    ledger: SqlLedger, lease: Lease
) -> None:
    rules = [rule(), rule("baidu", changed=False)]
    look_at(ledger, lease, {MAP: [page("a", NOW_S)]}, tell=rules)
    tell(ledger, lease)
    tell(ledger, lease, account="baidu")
    look_at(ledger, lease, {MAP: [page("a", NOW_S + 1)]}, tell=rules)
    assert whys(ledger) == {"a": "changed"}
    assert waiting(ledger, "baidu") == []


def test_a_removal_is_told_once_although_the_page_comes_and_goes(
    ledger: SqlLedger, lease: Lease
) -> None:
    rules = [rule(removed=True)]
    look_at(ledger, lease, {MAP: AB}, tell=rules)
    tell(ledger, lease)
    look_at(ledger, lease, {MAP: [page("a")]}, tell=rules)
    tell(ledger, lease, ["b"], kind=Kind.REMOVAL)
    look_at(ledger, lease, {MAP: AB}, tell=rules)
    look_at(ledger, lease, {MAP: [page("a")]}, tell=rules)
    assert waiting(ledger, kind=Kind.REMOVAL) == waiting(ledger) == []
    look_at(ledger, lease, {MAP: AB}, tell=rules)
    assert waiting(ledger) == ["b"]


def test_listed_pages_are_streamed_without_those_of_other_sites(
    ledger: SqlLedger, lease: Lease
) -> None:
    names = [f"p{number}" for number in range(BATCH + 3)]
    look_at(ledger, lease, {MAP: [page(name) for name in [*names, "gone"]]})
    look_at(ledger, lease, {MAP: [page("x")]}, site="https://www.example.com")
    look_at(ledger, lease, {MAP: [page(name) for name in names]})
    found = [one.loc for one in ledger.listed_pages([SITE, "https://nobody.example"])]
    assert sorted(found) == sorted(f"{SITE}/{name}" for name in names)


def test_gone_pages_are_those_of_the_site_newest_first(ledger: SqlLedger, lease: Lease) -> None:
    other = "https://www.example.com"
    for listed in (AB, AB[1:], []):
        look_at(ledger, lease, {MAP: listed})
    for listed in ([page("x")], []):
        look_at(ledger, lease, {MAP: listed}, site=other)
    assert [one.loc for one in ledger.gone_pages(SITE, limit=9)] == [f"{SITE}/b", f"{SITE}/a"]
    assert len(ledger.gone_pages(SITE, limit=1)) == 1
