"""Redirects: followed a few steps, judged anew at each of them (F12, F13, S01, S05)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from submitter.core.fleet import Site
from submitter.errors import FetchError
from submitter.sources.web import MAX_REDIRECTS, WebSource
from support import fault_server as faults
from support.fault_server import FaultServer
from support.fetching import make_site

BODY = b"<urlset/>"


def refused(source: WebSource, url: str, site: Site) -> str:
    with pytest.raises(FetchError) as caught, source.fetch(url, site=site):
        pytest.fail("was opened")
    return caught.value.reason


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_to_its_end(
    code: int, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on_chain(["/old.xml", "/new.xml"], faults.ok(BODY), code=code)
    with source.fetch(server.url("/old.xml"), site=site) as fetched:
        assert b"".join(fetched.chunks()) == BODY
        assert (fetched.url, fetched.final_url) == (server.url("/old.xml"), server.url("/new.xml"))
        moved = [finding.id for finding in fetched.findings]
    assert moved == (["redirected-permanently"] if code in (301, 308) else [])


def test_a_permanent_move_names_the_new_address_only_if_every_step_is_permanent(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/a", faults.redirect("/b", code=301))
    server.on("/b", faults.redirect("/c", code=302))
    server.on("/c", faults.ok(BODY))
    with source.fetch(server.url("/a"), site=site) as fetched:
        assert fetched.findings == ()


def test_as_many_redirects_as_allowed_are_followed_and_no_more(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    paths = [f"/{number}" for number in range(MAX_REDIRECTS + 2)]
    server.on_chain(paths, faults.ok(BODY))
    with source.fetch(server.url(paths[1]), site=site) as fetched:
        assert fetched.status == 200
    assert refused(source, server.url(paths[0]), site) == "too-many-redirects"


@pytest.mark.parametrize("paths", [["/a", "/a"], ["/a", "/b", "/a"], ["/a", "/b", "/c", "/b"]])
def test_a_loop_is_known_as_one(
    paths: list[str], server: FaultServer, source: WebSource, site: Site
) -> None:
    for path, target in pairwise(paths):
        server.on(path, faults.redirect(target))
    assert refused(source, server.url(paths[0]), site) == "redirect-loop"
    assert len(server.requests) == len(set(paths))


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://169.254.169.254/latest/meta-data/", "private-address"),
        ("http://[::ffff:a9fe:a9fe]/", "private-address"),
        ("http://[64:ff9b::a9fe:a9fe]/", "private-address"),
        ("http://[2002:a9fe:a9fe::1]/", "private-address"),
        ("http://[2001:0:a9fe:a9fe::1]/", "private-address"),
        ("http://[fd00:ec2::254]/", "private-address"),
        ("http://100.100.100.200/", "private-address"),
        ("http://0.0.0.0/", "private-address"),
        ("http://10.0.0.1/", "private-address"),
        ("http://2852039166/", "bad-url"),
        ("http://0xa9fea9fe/", "bad-url"),
        ("http://0251.0376.0251.0376/", "bad-url"),
        ("http://169.254.43518/", "bad-url"),
        ("http://[fe80::1%25eth0]/", "bad-url"),
        ("http://me@169.254.169.254/", "bad-url"),
        ("http://8.8.8.8:22/", "bad-port"),
        ("http://8.8.8.8:6379/", "bad-port"),
        ("file:///etc/passwd", "bad-scheme"),
        ("gopher://127.0.0.1:6379/_FLUSHALL", "bad-scheme"),
    ],
)
def test_a_redirect_leads_nowhere_a_first_address_may_not(
    location: str, reason: str, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.redirect(location))
    with pytest.raises(FetchError) as caught, source.fetch(server.url("/s.xml"), site=site):
        pytest.fail("was opened")
    assert caught.value.reason == reason
    assert (caught.value.redirects, caught.value.led_to) == (1, location)


def test_a_name_may_lead_where_its_redirect_must_not(
    server: FaultServer, clock: object, source: WebSource
) -> None:
    """The redirect names our own server by a name that resolves to another private address."""
    source.resolve = lambda host, port, *_: [(2, 1, 6, "", ("10.9.9.9", port))]
    server.on("/s.xml", faults.redirect("http://metadata.google.internal/"))
    assert refused(source, server.url("/s.xml"), make_site(server)) == "private-address"


def test_cookies_of_a_redirect_are_not_sent_back(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/a", faults.status(302, location="/b", set_cookie="session=1"))
    server.on("/b", faults.ok(BODY))
    with source.fetch(server.url("/a"), site=site):
        pass
    assert all("cookie" not in request.headers for request in server.requests)


def test_an_error_behind_a_redirect_names_the_address_that_failed(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.redirect("/gone.xml?token=c4nary"))
    with (
        pytest.raises(FetchError, match=r"/gone\.xml") as caught,
        source.fetch(server.url("/s.xml"), site=site),
    ):
        pytest.fail("was opened")
    assert caught.value.http_status == 404
    assert (caught.value.redirects, caught.value.led_to) == (
        1,
        server.url("/gone.xml?token=c4nary"),
    )
    assert "c4nary" not in str(caught.value)
