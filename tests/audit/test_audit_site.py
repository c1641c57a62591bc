"""A site is held against reality: one finding for each root cause, and none where all is well."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from audit_support import (
    CRAWLERS,
    MAP,
    ROBOTS,
    SITE,
    S,
    audit,
    audit_again,
    ids,
    ledger_in,
    the,
    web,
)
from paper_web import WORDS, PaperAnswer, PaperWeb, Sheet, document, entry, index, page, urlset

from submitter.core.audit.honesty import Trust
from submitter.core.findings import Severity
from submitter.core.fleet import AuditRule, FetchRules, Site
from submitter.core.looks import Validators
from submitter.errors import FetchError
from submitter.ledger.ledger import SqlLedger
from submitter.looking.audit.listing import PageChoice, Scope

ALL = PageChoice(Scope.ALL)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqlLedger]:
    opened = ledger_in(tmp_path)
    yield opened
    opened.close()


def test_a_site_in_good_order_has_no_finding() -> None:
    seen = audit(web("a", "b", "c"))
    assert ids(seen) == {}
    assert (seen.checked, seen.look.listed, seen.unfinished) == (3, 3, False)


def sheet(**changes: object) -> Callable[[PaperWeb], None]:
    return lambda source: source.change(f"{S}/a", **changes)


def head(markup: str) -> Callable[[PaperWeb], None]:
    return sheet(body=page(head=markup, title="Page a").body)


PAGES: list[tuple[Callable[[PaperWeb], None], str, Severity]] = [
    (sheet(status=404), "page-missing", Severity.ERROR),
    (sheet(status=410), "page-missing", Severity.ERROR),
    (sheet(status=403), "page-refused", Severity.ERROR),
    (sheet(status=500), "page-failing", Severity.ERROR),
    (sheet(status=429), "page-unreachable", Severity.ERROR),
    (sheet(to=f"{S}/a/"), "redirect-slash-added", Severity.WARNING),
    (sheet(to=f"{S}/"), "redirect-to-home", Severity.ERROR),
    (sheet(to=f"{S}/login"), "redirect-to-login", Severity.ERROR),
    (head('<meta http-equiv=refresh content="0;url=/b">'), "redirect-to-page", Severity.WARNING),
    (head("<meta name=robots content=noindex>"), "page-noindex", Severity.ERROR),
    (sheet(robots_tags=("noindex",)), "page-noindex", Severity.ERROR),
    (head("<link rel=canonical href=/b>"), "page-canonical-elsewhere", Severity.ERROR),
    (sheet(headers={"link": f'<{S}/b>; rel="canonical"'}), "page-canonical-elsewhere",
     Severity.ERROR),
    (head("<link rel=canonical href=/a><link rel=canonical href=/b>"), "page-canonical-several",
     Severity.WARNING),
    (sheet(body=page("Sorry.", title="404 not found").body), "page-soft-404", Severity.ERROR),
    (sheet(body=page("<input type=password>", title="Log in").body), "page-login",
     Severity.ERROR),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "id", "severity"), PAGES)
def test_what_is_wrong_with_a_page_is_one_finding(
    spoil: Callable[[PaperWeb], None], id: str, severity: Severity
) -> None:
    source = web("a", "b", "c")
    spoil(source)
    seen = audit(source)
    assert ids(seen) == {id: 1}
    finding = the(seen, id)
    assert (finding.severity, finding.where, finding.examples) == (severity, S, (f"{S}/a",))


def test_a_page_that_names_itself_is_well() -> None:
    source = web("a", "b")
    head(f'<link rel=canonical href="{S}/a"><meta name=robots content="index,follow">')(source)
    assert ids(audit(source)) == {}


def test_ten_thousand_redirects_of_one_rule_are_one_finding() -> None:
    names = [f"p{n}" for n in range(60)]
    source = web(*names)
    for name in names:
        source.change(f"{S}/{name}", to=f"https://www.shop.example/{name}")
    finding = the(audit(source), "redirect-www-added")
    assert (finding.count, len(finding.examples)) == (60, 5)


def test_a_server_that_answers_200_to_everything_is_told_apart() -> None:
    source = web("a", "b", "gone")
    nothing = page("There is nothing to see, but this is a shop.", title="Shop")
    source.sheets[f"{S}/submitter-audit-7c0e8d2f-nowhere"] = nothing
    source.sheets[f"{S}/gone"] = nothing
    assert ids(audit(source)) == {"site-soft-404": 1, "page-soft-404": 1}


# ---------------------------------------------------------------- robots.txt


def test_pages_that_crawlers_may_not_read_are_said_and_ours_are_not_fetched() -> None:
    robots = "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: Submitter\nDisallow: /b\n"
    source = web("a", "b", "c", robots=robots)
    seen = audit(source)
    assert ids(seen) == {"page-disallowed": 1, "page-not-asked": 1}
    assert "Googlebot" in the(seen, "page-disallowed").message
    assert f"{S}/b" not in source.asked
    assert f"{S}/a" in source.asked


def test_all_crawlers_that_a_group_shuts_out_are_named() -> None:
    source = web(
        "a", "b", robots="User-agent: *\nDisallow: /a\n\nUser-agent: Submitter\nAllow: /\n"
    )
    message = the(audit(source), "page-disallowed").message
    assert all(name in message for name in CRAWLERS)


def test_a_sitemap_that_crawlers_may_not_read_is_an_error() -> None:
    source = web("a", robots="User-agent: bingbot\nDisallow: /sitemap\n")
    assert ids(audit(source)) == {"sitemap-disallowed": 1}


def test_without_a_readable_robots_txt_no_page_is_fetched() -> None:
    source = web("a", "b")
    source.change(ROBOTS, status=503)
    seen = audit(source)
    assert ids(seen) == {"robots-unreachable": 1, "page-not-asked": 2}
    assert f"{S}/a" not in source.asked


def test_declarations_of_robots_txt_are_compared() -> None:
    source = web("a")
    other = f"{S}/other.xml"
    source.change(ROBOTS, body=f"Sitemap: {other}\n".encode())
    source.sheets[MAP] = document(index((other, "")))
    source.sheets[other] = document(urlset(entry(f"{S}/a", "2026-11-20")))
    assert ids(audit(source)) == {"not-declared": 1}
    source.change(ROBOTS, body=f"Sitemap: {MAP}\nSitemap: {S}/third.xml\n".encode())
    assert ids(audit(source)) == {"declared-elsewhere": 1}


def test_a_crawl_delay_is_kept_one_page_at_a_time() -> None:
    source = web(*"abcdefgh", robots="User-agent: *\nCrawl-delay: 2\n")
    assert ids(audit(source)) == {}
    assert source.clock.slept == [2.0] * 8
    assert source.most_at_once == 1


def test_no_more_pages_at_once_than_politeness_lets() -> None:
    source = web(*(f"p{n}" for n in range(80)))
    audit(source, site=replace(SITE, fetch=FetchRules(per_host=3)))
    assert source.most_at_once <= 3


class CrowdedWeb(PaperWeb):
    """Answers pages only when so many were asked for at once; a lonely request fails."""

    def _answer(self, url: str, validators: Validators | None, agent: str | None) -> PaperAnswer:
        if "/p" in url:
            self.crowd.wait(timeout=20)
        return super()._answer(url, validators, agent)

    crowd: threading.Barrier


def test_as_many_pages_at_once_as_politeness_lets() -> None:
    crowded = CrowdedWeb(web(*(f"p{n}" for n in range(48)), lastmod="").sheets)
    crowded.crowd = threading.Barrier(4)
    seen = audit(crowded)
    assert (ids(seen), seen.checked, crowded.most_at_once) == ({}, 48, 4)


# ---------------------------------------------------------------- documents

DOCUMENTS: list[tuple[dict[str, object], str]] = [
    ({"content_type": "text/html"}, "wrong-content-type"),
    ({"headers": {"cache-control": "max-age=1000000"}}, "cached-too-long"),
    ({"robots_tags": ("noindex",)}, "sitemap-robots-tag"),
    ({"etag": None}, "no-validators"),
    ({"honest_304": False}, "conditional-ignored"),
    ({"slow_s": 3.0}, "slow-answer"),
]


@pytest.mark.parametrize(("changes", "id"), DOCUMENTS)
def test_how_a_document_is_served_is_said_of_the_document(
    changes: dict[str, object], id: str
) -> None:
    source = web("a")
    source.change(MAP, **changes)
    seen = audit(source)
    assert ids(seen) == {id: 1}
    assert the(seen, id).where == MAP


def test_a_crawler_that_is_shown_something_else_is_said() -> None:
    source = web("a")
    source.by_agent["Googlebot"] = Sheet(status=403)
    finding = the(audit(source), "shown-otherwise")
    assert "Googlebot: status 403; we: HTTP 200" in finding.message


LISTED = [
    (urlset(entry(f"{S}/a?utm_source=x", "2026-11-20")), {"tracking-parameter", "page-missing"}),
    (urlset(f"<url><lastmod>2026-11-20</lastmod><loc>{S}/a</loc></url>"), {"xsd-order"}),
    (urlset(entry("https://example.com/a"), entry(f"{S}/a")), {"foreign-host"}),
    (urlset(entry(f"{S}/a", "2026-11-20T10:00:00")), {"lastmod-without-zone"}),
    (urlset(), {"no-entries"}),
    ("<html><title>Welcome</title>", {"html-instead-of-sitemap"}),
    (urlset(entry(f"{S}/a", "2026-11-20"))[:-12], {"document-cut"}),
    (urlset(entry(f"{S}/a"), entry(f"{S}/a")), {"duplicate"}),
]


@pytest.mark.parametrize(("text", "expected"), LISTED)
def test_every_fault_of_reading_is_a_finding_of_the_audit(text: str, expected: set[str]) -> None:
    source = web("a")
    source.sheets[MAP] = document(text)
    assert ids(audit(source)).keys() == expected


def test_a_nested_index_and_zone_less_dates_are_errors_here() -> None:
    source = web("a")
    source.sheets[MAP] = document(index((f"{S}/i.xml", "")))
    source.sheets[f"{S}/i.xml"] = document(index((f"{S}/m.xml", "")))
    source.sheets[f"{S}/m.xml"] = document(urlset(entry(f"{S}/a", "2026-11-20T10:00:00")))
    seen = audit(source)
    assert the(seen, "nested-index").severity is Severity.ERROR
    assert the(seen, "lastmod-without-zone").severity is Severity.ERROR


def test_pages_outside_the_folder_need_robots_txt_to_vouch() -> None:
    source = web("a")
    deep = f"{S}/deep/sitemap.xml"
    source.sheets[deep] = source.sheets[MAP]
    site = replace(SITE, sitemaps=(deep,))
    assert "outside-folder" in ids(audit(source, site=site))
    source.change(ROBOTS, body=f"Sitemap: {deep}\n".encode())
    assert "outside-folder" not in ids(audit(source, site=site))


def test_pages_in_two_files_are_said_once() -> None:
    source = web("a", "b")
    source.sheets[MAP] = document(index((f"{S}/1.xml", ""), (f"{S}/2.xml", "")))
    for name, date in (("1", "2026-11-20"), ("2", "2026-11-21")):
        text = urlset(entry(f"{S}/a", date), entry(f"{S}/b", date))
        source.sheets[f"{S}/{name}.xml"] = document(text)
    assert ids(audit(source)) == {"duplicate-across-files": 2, "lastmod-contradiction": 2}


def test_a_site_switches_ids_off_and_they_are_counted() -> None:
    source = web("a", "b")
    source.change(f"{S}/a", status=404)
    source.change(MAP, etag=None)
    seen = audit(source, rule=AuditRule(off=frozenset({"page-missing", "no-validators"})))
    assert ids(seen) == {}
    assert seen.off == {"page-missing": 1, "no-validators": 1}


# ---------------------------------------------------------------- languages


def alternates(**links: str) -> str:
    return "".join(
        f'<link rel="alternate" hreflang="{name}" href="{url}">' for name, url in links.items()
    )


def test_languages_must_name_each_other() -> None:
    source = web("de", "en", "fr")
    both = alternates(de=f"{S}/de", en=f"{S}/en")
    source.change(f"{S}/de", body=page(head=both, title="Eins").body)
    source.change(f"{S}/en", body=page(head=both, title="One").body)
    assert ids(audit(source)) == {}
    one_way = alternates(fr=f"{S}/fr", de=f"{S}/de")
    source.change(f"{S}/fr", body=page(head=one_way, title="Un").body)
    assert the(audit(source), "hreflang-no-return").examples == (f"{S}/fr",)


def test_a_language_that_is_not_listed_is_fetched_to_see_whether_it_names_back() -> None:
    source = web("de")
    source.change(f"{S}/de", body=page(head=alternates(en=f"{S}/en"), title="Eins").body)
    source.sheets[f"{S}/en"] = page(head=alternates(de=f"{S}/de"), title="One")
    assert ids(audit(source)) == {}
    source.sheets[f"{S}/en"] = page(title="One")
    assert ids(audit(source)) == {"hreflang-no-return": 1}


# ---------------------------------------------------------------- dates over time


def relist(source: PaperWeb, *names: str, lastmod: str) -> None:
    text = urlset(*(entry(f"{S}/{name}", lastmod) for name in names))
    source.sheets[MAP] = document(text, etag=f'"{lastmod}"')


def test_a_date_that_moved_alone_is_said_at_the_second_look(ledger: SqlLedger) -> None:
    source = web("a", "b")
    assert ids(audit_again(source, ledger)) == {}
    relist(source, "a", "b", lastmod="2026-11-29")
    source.change(f"{S}/b", body=page(WORDS[::-1], title="Page b").body)
    report = audit_again(source, ledger)
    assert ids(report) == {"lastmod-unfounded": 1}
    (seen,) = report.audits
    assert the(seen, "lastmod-unfounded").examples == (f"{S}/a",)
    assert seen.trusts == (Trust(MAP, 2, 1),)
    assert [trust.share for _, trust in ledger.trust_history(S)] == [None, 0.5]


def test_a_text_that_moved_alone_is_a_missed_date(ledger: SqlLedger) -> None:
    source = web("a", "b")
    audit_again(source, ledger)
    source.change(f"{S}/a", body=page(WORDS[::-1], title="Page a").body)
    assert ids(audit_again(source, ledger)) == {"lastmod-missed": 1}


def test_a_text_that_never_stands_still_says_nothing(ledger: SqlLedger) -> None:
    source = web("a")
    audit_again(source, ledger)
    words = iter([WORDS[::-1], WORDS[::2], WORDS[1::2]])

    class Restless(dict[str, Sheet]):
        def get(self, url: str, default: Sheet | None = None) -> Sheet | None:  # type: ignore[override]
            if url == f"{S}/a":
                return page(next(words), title="Page a")
            return super().get(url, default)

    source.sheets = Restless(source.sheets)
    assert ids(audit_again(source, ledger)) == {}


def test_a_page_that_fails_keeps_what_was_known_of_it(ledger: SqlLedger) -> None:
    source = web("a")
    audit_again(source, ledger)
    source.change(f"{S}/a", status=500)
    assert ids(audit_again(source, ledger)) == {"page-failing": 1}
    source.change(f"{S}/a", status=200)
    relist(source, "a", lastmod="2026-11-29")
    assert ids(audit_again(source, ledger)) == {"lastmod-unfounded": 1}


def test_dates_refreshed_in_bulk_are_said_of_the_file(ledger: SqlLedger) -> None:
    names = [f"p{n}" for n in range(12)]
    source = web(*names)
    audit_again(source, ledger)
    relist(source, *names, lastmod="2026-11-29")
    found = ids(audit_again(source, ledger))
    assert found == {"lastmod-unfounded": 12, "lastmod-in-bulk": 12, "lastmod-all-equal": 12}


# ---------------------------------------------------------------- stopped and gone on with


def test_what_a_deadline_left_is_done_by_the_next_and_nothing_twice(ledger: SqlLedger) -> None:
    names = [f"p{n}" for n in range(40)]
    source = web(*names)
    source.change(f"{S}/p0", status=404)
    source.tick_s = 1.0
    until = source.clock.monotonic() + 3_600 + 22
    first = audit_again(source, ledger, choice=ALL, until=until)
    assert (first.unfinished, int(first.exit_code)) == (True, 6)
    asked_before = {url for url in source.asked if "/p" in url}
    assert 0 < len(asked_before) < 40
    source.asked.clear()
    second = audit_again(source, ledger, choice=ALL, resume=True)
    asked_now = {url for url in source.asked if "/p" in url}
    assert not second.unfinished
    assert asked_before & asked_now == set()
    assert len(asked_before | asked_now) == 40
    assert second.audits[0].checked == 40
    assert ids(second)["page-missing"] == 1
    assert ledger.unfinished_audit(S) is None


def test_our_own_deadline_says_nothing_of_a_page(ledger: SqlLedger) -> None:
    class Late(PaperWeb):
        def _answer(
            self, url: str, validators: Validators | None, agent: str | None
        ) -> PaperAnswer:
            if url == f"{S}/b":
                raise FetchError(url, "deadline", "no time")
            return super()._answer(url, validators, agent)

    source = Late(web("a", "b").sheets)
    report = audit_again(source, ledger)
    assert (ids(report), report.unfinished, report.audits[0].checked) == ({}, True, 1)
    source.__class__ = PaperWeb
    again = audit_again(source, ledger, resume=True)
    assert (ids(again), again.unfinished, again.audits[0].checked) == ({}, False, 2)


def test_without_resume_an_audit_begins_anew(ledger: SqlLedger) -> None:
    source = web(*(f"p{n}" for n in range(40)))
    source.tick_s = 1.0
    audit_again(source, ledger, choice=ALL, until=source.clock.monotonic() + 3_600 + 22)
    source.asked.clear()
    assert audit_again(source, ledger, choice=ALL).audits[0].checked == 40
    assert len({url for url in source.asked if "/p" in url}) == 40


def test_a_page_in_two_files_is_fetched_once(ledger: SqlLedger) -> None:
    source = web("a")
    source.sheets[MAP] = document(index((f"{S}/1.xml", ""), (f"{S}/2.xml", "")))
    for name in "12":
        source.sheets[f"{S}/{name}.xml"] = document(urlset(entry(f"{S}/a", "2026-11-20")))
    audit_again(source, ledger, choice=ALL)
    assert source.asked.count(f"{S}/a") == 1


def test_a_sample_of_a_small_site_is_all_of_it_and_none_is_none() -> None:
    source = web("a", "b")
    site = Site("shop.example", sitemaps=(MAP,))
    assert audit(source, site=site).checked == 2
