"""The sample fleet: made from a seed, edited while it is served."""

from __future__ import annotations

import gzip
import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from submitter.sandbox import Break, Form, Sandbox, SandboxClock, Section
from submitter.sandbox.fleet_pages import Shelf

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOST = "shop.fleet.test"
FILE = "/sitemap-pages-1.xml"
LOC = re.compile(rb"<loc>(.*?)</loc>")


def fetch(
    sandbox: Sandbox, http: requests.Session, path: str, host: str = HOST, **headers: str
) -> requests.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return http.get(
        sandbox.base_url + path, headers={"Host": host, **named}, timeout=10, allow_redirects=False
    )


def locs(body: bytes) -> list[str]:
    tree = ElementTree.fromstring(body)  # noqa: S314  # our own XML
    return [element.text or "" for element in tree.iter() if element.tag.endswith("}loc")]


# ---------------------------------------------------------------- documents


def test_robots_names_the_index_and_the_index_its_documents(
    still: Sandbox, http: requests.Session
) -> None:
    site = still.fleet.add_site(
        "shop",
        Section("pages", 25, per_document=10),
        Section("zipped", 4, gz=True),
        Section("help", 3, form=Form.TEXT),
        Section("news", 3, form=Form.RSS),
        Section("posts", 3, form=Form.ATOM),
        Section("old", 2, nested=True),
    )
    site.extra_children.append("/lost.xml")
    assert f"Sitemap: http://{HOST}/sitemap-index.xml\n" in fetch(still, http, "/robots.txt").text
    children = locs(fetch(still, http, "/sitemap-index.xml").content)
    assert [child.removeprefix(f"http://{HOST}/") for child in children] == [
        "sitemap-pages-1.xml",
        "sitemap-pages-2.xml",
        "sitemap-pages-3.xml",
        "sitemap-zipped-1.xml.gz",
        "sitemap-help-1.txt",
        "sitemap-news-1.rss",
        "sitemap-posts-1.atom",
        "sitemap-nested.xml",
        "lost.xml",
    ]
    assert locs(fetch(still, http, "/sitemap-nested.xml").content) == [
        f"http://{HOST}/sitemap-old-1.xml"
    ]
    assert fetch(still, http, "/lost.xml").status_code == 404


def test_every_listed_page_is_served_in_every_form(still: Sandbox, http: requests.Session) -> None:
    site = still.fleet.add_site(
        "shop",
        Section("zipped", 4, gz=True),
        Section("help", 3, form=Form.TEXT),
        Section("lists", 3, "/list?kind={word}&page={n}"),
        Section("guides", 3, "/指南/{word}-{n}"),
    )
    zipped = fetch(still, http, "/sitemap-zipped-1.xml.gz")
    assert zipped.headers["content-type"] == "application/gzip"
    listed = [
        *locs(gzip.decompress(zipped.content)),
        *fetch(still, http, "/sitemap-help-1.txt").text.splitlines(),
        *locs(fetch(still, http, "/sitemap-lists-1.xml").content),
        *locs(fetch(still, http, "/sitemap-guides-1.xml").content),
    ]
    assert listed == list(site.urls())
    assert len(set(listed)) == site.count() == 13
    for address in listed:
        assert address.isascii()
        assert fetch(still, http, address.removeprefix(f"http://{HOST}")).status_code == 200


def test_feeds_are_well_formed_and_dated(still: Sandbox, http: requests.Session) -> None:
    site = still.fleet.add_site(
        "shop", Section("news", 2, "/n?a=1&n={n}", Form.RSS), Section("posts", 2, form=Form.ATOM)
    )
    rss = ElementTree.fromstring(fetch(still, http, "/sitemap-news-1.rss").content)  # noqa: S314
    links = [item.findtext("link") for item in rss.iter("item")]
    assert links == list(site.urls("news"))
    assert all(item.findtext("pubDate", "").endswith("+0000") for item in rss.iter("item"))
    atom = ElementTree.fromstring(fetch(still, http, "/sitemap-posts-1.atom").content)  # noqa: S314
    name = "{http://www.w3.org/2005/Atom}"
    hrefs = [link.get("href") for link in atom.iter(f"{name}link")]
    assert hrefs == list(site.urls("posts"))


def test_a_long_document_is_streamed_in_chunks(still: Sandbox, http: requests.Session) -> None:
    still.fleet.add_sites(1, 120_000)
    answer = fetch(still, http, FILE, "s00001.bulk.test")
    assert answer.headers["transfer-encoding"] == "chunked"
    assert len(LOC.findall(answer.content)) == 50_000
    last = fetch(still, http, "/sitemap-pages-3.xml", "s00001.bulk.test")
    assert len(LOC.findall(last.content)) == 20_000


def test_a_million_pages_are_declared_at_once(still: Sandbox) -> None:
    hosts = still.fleet.add_sites(20, 1_000_000)
    assert len(hosts) == 20
    site = still.fleet.site(hosts[-1])
    assert site.count() == 1_000_000
    first = next(site.urls())
    assert first.startswith("http://s00020.bulk.test/pages/")


def test_equal_seeds_give_equal_fleets_and_others_do_not() -> None:
    def listing(seed: int) -> list[str]:
        sandbox = Sandbox(clock=SandboxClock(frozen_at=NOW), seed=seed)
        site = sandbox.fleet.add_site("shop", Section("pages", 20))
        return list(site.urls())

    assert listing(1) == listing(1)
    assert listing(1) != listing(2)


@settings(deadline=None)
@given(count=st.integers(0, 400), size=st.integers(1, 90), span=st.integers(1, 50))
def test_documents_share_the_pages_out_and_know_their_newest_date(
    count: int, size: int, span: int
) -> None:
    section = Section("pages", count, per_document=size, span_days=span)
    shelf = Shelf(section, "http://a.test", 0, NOW.replace(hour=0))
    numbers = [n for part in shelf.parts() for n in shelf.numbers(part)]
    assert numbers == list(range(1, count + 1))
    for part in shelf.parts():
        dates = [lastmod for _, lastmod in shelf.pages(part)]
        assert shelf.newest(part) == max(dates, default=NOW.replace(hour=0).isoformat())
        assert all(datetime.fromisoformat(date) < NOW for date in dates)


@settings(deadline=None)
@given(n=st.integers(1, 9_999))
def test_a_page_is_found_by_the_path_it_was_given(n: int) -> None:
    section = Section("lists", 10_000, "/指南/list?kind={word}&page={n}")
    shelf = Shelf(section, "http://a.test", 7, NOW)
    assert shelf.find(shelf.path(n)) == n
    assert shelf.find(shelf.path(n) + "x") is None
    assert shelf.find(shelf.path(n + 1).replace(str(n + 1), str(n))) is None


# ---------------------------------------------------------------- validators


def test_an_unchanged_document_is_not_sent_again(still: Sandbox, http: requests.Session) -> None:
    still.fleet.add_site("shop", Section("pages", 5))
    first = fetch(still, http, FILE)
    again = fetch(still, http, FILE, If_None_Match=first.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    since = first.headers["last-modified"]
    assert fetch(still, http, FILE, If_Modified_Since=since).status_code == 304


def test_the_tag_speaks_before_the_date(still: Sandbox, http: requests.Session) -> None:
    still.fleet.add_site("shop", Section("pages", 5))
    since = fetch(still, http, FILE).headers["last-modified"]
    answer = fetch(still, http, FILE, If_None_Match='"other"', If_Modified_Since=since)
    assert answer.status_code == 200


@pytest.mark.parametrize("edit", ["add_pages", "remove_pages", "change_pages"])
def test_every_edit_changes_the_document_and_its_index(
    edit: str, still: Sandbox, http: requests.Session
) -> None:
    site = still.fleet.add_site("shop", Section("pages", 20, per_document=10))
    paths = ("/sitemap-index.xml", "/sitemap-pages-1.xml", "/sitemap-pages-2.xml")
    before = [fetch(still, http, path).headers["etag"] for path in paths]
    still.clock.advance(60)
    getattr(site, edit)(3)
    changed = [
        fetch(still, http, path, If_None_Match=tag).status_code == 200
        for path, tag in zip(paths, before, strict=True)
    ]
    match edit:
        case "add_pages":
            assert changed == [True, False, False]
            assert len(site.sitemaps()) == 1
            assert len(locs(fetch(still, http, "/sitemap-pages-3.xml").content)) == 3
        case "change_pages":
            assert changed == [True, True, False]
        case "remove_pages":
            assert changed[1:] == [True, False]


def test_a_date_in_the_index_is_the_newest_inside_the_child(
    still: Sandbox, http: requests.Session
) -> None:
    site = still.fleet.add_site("shop", Section("pages", 20, per_document=10))
    site.change_pages(1)
    index = fetch(still, http, "/sitemap-index.xml").text
    assert index.count(f"<lastmod>{NOW.isoformat()}</lastmod>") == 1


# ---------------------------------------------------------------- edits


def test_added_pages_are_new_and_dated_now(still: Sandbox, http: requests.Session) -> None:
    site = still.fleet.add_site("shop", Section("pages", 3))
    before = list(site.urls())
    added = site.add_pages(2)
    assert list(site.urls()) == before + added
    body = fetch(still, http, FILE).text
    assert all(
        f"<url><loc>{page}</loc><lastmod>{NOW.isoformat()}</lastmod></url>" in body
        for page in added
    )


def test_removed_pages_leave_the_list_and_are_gone(still: Sandbox, http: requests.Session) -> None:
    site = still.fleet.add_site("shop", Section("pages", 3), Section("help", 2))
    (removed,) = site.remove_pages(1, "help")
    assert removed not in site.urls()
    assert site.count() == 4
    path = removed.removeprefix(f"http://{HOST}")
    assert fetch(still, http, path).status_code == 410
    assert fetch(still, http, "/help/never-9").status_code == 404
    assert len(site.remove_pages(5, "help")) == 1
    assert site.count() == 3


def test_changed_pages_keep_their_address(still: Sandbox) -> None:
    site = still.fleet.add_site("shop", Section("pages", 3))
    before = list(site.urls())
    still.clock.advance(timedelta(days=1).total_seconds())
    assert site.change_pages(2) == before[:2]
    assert list(site.urls()) == before


@pytest.mark.parametrize(
    ("how", "status"),
    [
        (Break.MISSING, 404),
        (Break.GONE, 410),
        (Break.FORBIDDEN, 403),
        (Break.ERROR, 500),
        (Break.HTML, 200),
        (Break.EMPTY, 200),
        (Break.CUT, 200),
        (Break.BAD_XML, 200),
        (Break.ALWAYS_304, 304),
    ],
)
def test_a_document_can_be_broken_and_mended(
    how: Break, status: int, still: Sandbox, http: requests.Session
) -> None:
    site = still.fleet.add_site("shop", Section("pages", 30))
    whole = fetch(still, http, FILE).content
    site.break_document(FILE, how)
    answer = fetch(still, http, FILE)
    assert answer.status_code == status
    assert answer.content != whole
    site.mend(FILE)
    assert fetch(still, http, FILE).content == whole


def test_a_cut_document_is_a_beginning_and_bad_xml_does_not_parse(
    still: Sandbox, http: requests.Session
) -> None:
    site = still.fleet.add_site("shop", Section("pages", 30), Section("zipped", 30, gz=True))
    whole = fetch(still, http, FILE).content
    site.break_document(FILE, "cut")
    assert whole.startswith(fetch(still, http, FILE).content)
    site.break_document("/sitemap-zipped-1.xml.gz", "bad-xml")
    with pytest.raises(ElementTree.ParseError):
        locs(fetch(still, http, "/sitemap-zipped-1.xml.gz").content)


def test_any_bytes_can_be_put_at_a_path(still: Sandbox, http: requests.Session) -> None:
    site = still.fleet.add_site("shop", Section("pages", 2))
    site.put(FILE, b"\xff\xfe", "text/html")
    answer = fetch(still, http, FILE)
    assert (answer.content, answer.headers["content-type"]) == (b"\xff\xfe", "text/html")
    site.mend(FILE)
    assert len(locs(fetch(still, http, FILE).content)) == 2


def test_a_document_can_be_somewhere_else(still: Sandbox, http: requests.Session) -> None:
    site = still.fleet.add_site("shop", Section("pages", 2))
    site.redirect("/sitemap.xml", FILE, 308)
    answer = fetch(still, http, "/sitemap.xml")
    assert (answer.status_code, answer.headers["location"]) == (308, FILE)
    assert still.fleet.fetch(f"http://{HOST}/sitemap.xml") is None


def test_a_site_can_close_itself_by_robots(still: Sandbox, http: requests.Session) -> None:
    still.fleet.add_site("shop", Section("pages", 2)).close()
    assert "Disallow: /\n" in fetch(still, http, "/robots.txt").text


def test_a_site_without_an_index_names_its_documents(
    still: Sandbox, http: requests.Session
) -> None:
    section = Section("pages", 0, file="/sitemap.xml")
    site = still.fleet.add_site("shop", section, index=None)
    assert site.sitemaps() == [f"http://{HOST}/sitemap.xml"]
    assert f"Sitemap: http://{HOST}/sitemap.xml\n" in fetch(still, http, "/robots.txt").text
    assert locs(fetch(still, http, "/sitemap.xml").content) == []


# ---------------------------------------------------------------- the book


def test_fetches_are_booked_with_host_path_and_agent(
    still: Sandbox, http: requests.Session
) -> None:
    still.fleet.add_site("shop", Section("pages", 2))
    fetch(still, http, FILE, User_Agent="bot/1")
    fetch(still, http, "/nothing", User_Agent="bot/1")
    first, second = still.fleet.book.entries("GET", HOST)
    assert (first.account, first.accepted, first.status) == ("bot/1", (FILE,), 200)
    assert (second.accepted, second.code) == ((), "404")


def test_googles_own_reading_is_not_booked_as_a_fetch(still: Sandbox) -> None:
    still.fleet.add_site("shop", Section("pages", 2))
    assert still.fleet.fetch(f"http://{HOST}{FILE}")
    assert still.fleet.book.count() == 0
