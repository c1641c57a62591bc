"""Whoever reads, all that a look says and stores is the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parallel_support import (
    INDEX,
    NAMESPACE,
    ORIGIN,
    Paper,
    PaperWeb,
    Seen,
    index,
    look_at,
    make_site,
    pages,
    urlset,
)

from submitter.core.fleet import FetchRules, Site
from submitter.core.fleet import Section as PageSection
from submitter.looking.parallel.pool import ReaderPool
from submitter.looking.reading import Errand, Parts, SoleReader
from submitter.sandbox import Sandbox, SandboxClock, Section
from submitter.sandbox.fleet_documents import Break
from submitter.sandbox.fleet_pages import Form
from submitter.sources.web import WebSource
from support.fetching import PatientClock
from support.twins import NOON

SECTIONS = (PageSection("new", "/new/*", priority=9), PageSection("all", "/*"))


class Watched:
    """Implements `Readers`; remembers for whom a process beside this one worked."""

    def __init__(self, pool: ReaderPool) -> None:
        self._pool = pool
        self.beside: list[str] = []

    def read(self, errand: Errand) -> Parts:
        return self._noted(errand, self._pool.read(errand))

    def read_ahead(self, errand: Errand) -> Parts | None:
        begun = self._pool.read_ahead(errand)
        return begun and self._noted(errand, begun)

    def expect(self, documents: int) -> None:
        self._pool.expect(documents)

    def stop(self) -> None:
        """The pool is shared."""

    def _noted(self, errand: Errand, parts: Parts) -> Parts:
        if type(parts).__name__ == "Delivery":
            self.beside.append(errand.url)
        return parts


# ---------------------------------------------------------------- random fleets

NAMES = [f"{ORIGIN}/{name}.xml" for name in "abcdefg"]
ADDRESSES = st.one_of(
    st.sampled_from(pages("new", 4) + pages("p", 8)),
    st.sampled_from(
        [
            f"{ORIGIN.upper()}/p/1",
            "http://shop.example/p/2",
            "https://else.example/1",
            f"{ORIGIN}/p/3#part",
            f"{ORIGIN}/%7euser",
            f"  {ORIGIN}/p/5\n",
            f"{ORIGIN}/größe",
            "not an address",
            "",
        ]
    ),
)
DATES = st.sampled_from(["2026-11-20", "2026-11-29T10:00:00Z", "yesterday", "2031-01-01", ""])


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    kind = draw(st.sampled_from(["urlset"] * 4 + ["index"] * 2 + ["text", "html", "empty", "bad"]))
    listed = draw(st.lists(ADDRESSES, max_size=12))
    match kind:
        case "urlset":
            return urlset(listed, draw(DATES))
        case "index":
            return index(draw(st.lists(st.sampled_from([*NAMES, INDEX, f"{ORIGIN}/no.xml"]))))
        case "text":
            return "\n".join(listed).encode("utf-8")
        case "html":
            return b"<!doctype html><title>Welcome</title>" + b"<p>" * draw(st.integers(0, 3))
        case "bad":
            return urlset(listed).replace(b"</url>", b"</url><url><loc>a&b</loc>", 1)
    return b""


@st.composite
def papers(draw: st.DrawFn) -> Paper:
    body = draw(bodies())
    cut = draw(st.integers(0, 5)) == 0
    return Paper(
        body[: draw(st.integers(0, len(body)))] if cut else body,
        cut=cut,
        delimited=draw(st.integers(0, 5)) > 0,
        moved_to=draw(st.sampled_from([*[None] * 8, *NAMES])),
        etag=draw(st.sampled_from([None, '"one"', '"two"'])),
        charset=draw(st.sampled_from([None, "utf-8", "latin-1"])),
    )


WEBS = st.fixed_dictionaries({name: papers() for name in NAMES}).flatmap(
    lambda web: st.lists(st.sampled_from(NAMES), min_size=1).map(
        lambda children: {**web, INDEX: Paper(index(children))}
    )
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(days=st.lists(WEBS, min_size=1, max_size=3), most=st.sampled_from([3, 5, 5_000]))
def test_random_fleets_look_the_same_from_one_process_and_from_more(
    pool: ReaderPool, days: list[dict[str, Paper]], most: int
) -> None:
    site = make_site(INDEX, sections=SECTIONS, max_documents=most)
    alone = look_at(site, [PaperWeb(day) for day in days], SoleReader())
    watched = Watched(pool)
    together = look_at(site, [PaperWeb(day) for day in days], watched)
    assert together == alone
    assert INDEX in watched.beside


# ---------------------------------------------------------------- large documents


def test_a_document_of_many_pieces_is_the_same(pool: ReaderPool) -> None:
    many = pages("p", 5_000)
    body = urlset(many[:-1]).replace(b"</urlset>", b"<url><loc>" + many[-1].encode())
    web = {
        INDEX: Paper(index(NAMES[:3])),
        NAMES[0]: Paper(urlset(many)),
        NAMES[1]: Paper(body, cut=True),
        NAMES[2]: Paper("\n".join(many + many).encode()),
    }
    site = make_site(INDEX, sections=SECTIONS)
    alone = look_at(site, [PaperWeb(web)] * 2, SoleReader())
    assert look_at(site, [PaperWeb(web)] * 2, pool) == alone
    assert alone.looks[0].listed == 5_000


# ---------------------------------------------------------------- over the network


def all_sorts(sandbox: Sandbox) -> Site:
    """A site with every form and every fault that the sandbox knows."""
    forms = [
        Section(f"{form}-{'gz' if gz else 'plain'}", 60, form=form, gz=gz, per_document=25)
        for form in Form
        for gz in (False, True)
    ]
    large = Section("large", 3_000, per_document=2_000)
    nested = Section("nested", 30, per_document=10, nested=True)
    fleet_site = sandbox.fleet.add_site("all", *forms, large, nested)
    for number, how in enumerate(Break):
        path = f"/broken-{number}.xml"
        fleet_site.put(path, urlset([f"{fleet_site.origin}/broken/{n}" for n in range(9)]))
        fleet_site.break_document(path, how)
        fleet_site.extra_children.append(path)
    fleet_site.redirect("/moved.xml", "/sitemap-large-1.xml")
    fleet_site.redirect("/gone-round.xml", "/gone-round.xml")
    fleet_site.put("/huge.xml", urlset([f"{fleet_site.origin}/{'x' * 900}{n}" for n in range(999)]))
    fleet_site.put("/quoted.xml", f'<?xml version="1.0"?><urlset xmlns="{NAMESPACE}"/>')
    fleet_site.extra_children += ["/moved.xml", "/gone-round.xml", "/huge.xml", "/quoted.xml"]
    rules = FetchRules(
        connect_to={f"{fleet_site.host}:80": sandbox.address}, max_bytes=500_000, timeout_s=60
    )
    return Site(
        fleet_site.host, scheme="http", allow_private=("127.0.0.0/8",), fetch=rules, sitemaps=None
    )


@contextmanager
def fresh_world() -> Iterator[tuple[Sandbox, Site, WebSource]]:
    with Sandbox(clock=SandboxClock(frozen_at=NOON), seed=7) as sandbox:
        source = WebSource(PatientClock())
        yield sandbox, all_sorts(sandbox), source
        source.close_all()


def edited(sandbox: Sandbox, source: WebSource) -> Iterator[WebSource]:
    """The web on three days: as it is, with some changes, and with none."""
    fleet_site = sandbox.fleet.site("all")
    yield source
    fleet_site.add_pages(3, "large")
    fleet_site.remove_pages(5, "xml-gz")
    fleet_site.change_pages(7, "xml-plain")
    fleet_site.mend("/broken-0.xml")
    yield source
    yield source


def seen_by(readers: object) -> Seen:
    with fresh_world() as (sandbox, site, source):
        seen = look_at(site, edited(sandbox, source), readers)  # type: ignore[arg-type]
        port = f":{sandbox.address.rpartition(':')[2]}"
    assert port not in repr(seen)  # else two worlds could not be compared
    return seen


def test_every_form_and_fault_over_the_network_is_the_same(pool: ReaderPool) -> None:
    alone, together = seen_by(SoleReader()), seen_by(pool)
    assert together == alone
    ids = {one.id for look in alone.looks for reading in look.readings for one in reading.findings}
    assert {"too-large", "document-cut", "html-instead-of-sitemap", "http-404"} <= ids
    assert any(reading.unchanged for reading in alone.looks[1].readings)
    assert alone.looks[1].delta.gone == 5


# ---------------------------------------------------------------- cut short


@pytest.mark.parametrize("documents", [0, 1, 4])
def test_a_stop_after_so_many_documents_is_the_same(pool: ReaderPool, documents: int) -> None:
    web = {INDEX: Paper(index(NAMES))}
    web |= {name: Paper(urlset(pages(name[-5], 30))) for name in NAMES}

    def stopped_after() -> object:
        asked = iter(range(1_000))
        return lambda: next(asked) >= documents

    site = make_site(INDEX)
    alone, together = (
        look_at(site, [PaperWeb(web)], readers, stopped=stopped_after())
        for readers in (SoleReader(), pool)
    )
    assert together == alone
    assert alone.looks[0].unfinished
    assert alone.looks[0].documents == documents


def test_an_error_in_our_own_code_is_not_taken_for_a_fault_of_the_site(pool: ReaderPool) -> None:
    broken = replace(SECTIONS[0], match=None)  # type: ignore[arg-type]
    site = make_site(INDEX, sections=(broken,))
    web = {INDEX: Paper(urlset(pages("p", 3)))}
    for readers, kind in ((SoleReader(), TypeError), (pool, RuntimeError)):
        with pytest.raises(kind):
            look_at(site, [PaperWeb(web)], readers)
