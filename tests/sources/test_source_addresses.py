"""What may be asked for, and where the question goes (S02, S05-S07)."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from submitter.core.fleet import FetchRules, Site
from submitter.errors import FetchError
from submitter.sources.addresses import (
    WebAddress,
    check_port,
    follow_location,
    literal_ip,
    parse_address,
    route,
)

SHOP = Site("shop.example")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://shop.example", WebAddress("https", "shop.example", 443, "/")),
        ("HTTPS://Shop.Example./A?b=C", WebAddress("https", "shop.example", 443, "/A?b=C")),
        ("http://shop.example:8080/?a=1#x", WebAddress("http", "shop.example", 8080, "/?a=1")),
        ("https://shop.example:443/", WebAddress("https", "shop.example", 443, "/")),
        ("https://bücher.example/ü", WebAddress("https", "xn--bcher-kva.example", 443, "/%C3%BC")),
        ("https://例え。テスト/", WebAddress("https", "xn--r8jz45g.xn--zckzah", 443, "/")),
        ("http://127.0.0.1/", WebAddress("http", "127.0.0.1", 80, "/")),
        ("http://１２７.0.0.1/", WebAddress("http", "127.0.0.1", 80, "/")),
        ("http://[::0001]:81/x", WebAddress("http", "::1", 81, "/x")),
        ("http://[::FFFF:A9FE:A9FE]/", WebAddress("http", "::ffff:a9fe:a9fe", 80, "/")),
        ("http://localhost./", WebAddress("http", "localhost", 80, "/")),
        ("http://%6c%6fcalhost/", WebAddress("http", "localhost", 80, "/")),
        ("https://shop.example/a b", WebAddress("https", "shop.example", 443, "/a%20b")),
        ("https://shop.example?x", WebAddress("https", "shop.example", 443, "/?x")),
    ],
)
def test_an_address_is_taken_apart(url: str, address: WebAddress) -> None:
    assert parse_address(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "http://2852039166/latest/meta-data/",
        "http://0251.0376.0251.0376/",
        "http://0xa9.0xfe.0xa9.0xfe/",
        "http://0xa9fea9fe/",
        "http://169.254.43518/",
        "http://169.16689662/",
        "http://127.1/",
        "http://0/",
        "http://0x7f.1/",
        "http://127.0.0.1.5/",
        "http://256.1.1.1/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http:///x",
        "http://user:password@shop.example/",
        "http://shop.example@169.254.169.254/",
        "http://shop.example\\@169.254.169.254/",
        "http://shop.example\t/",
        "http://shop.example/\r\nX-Evil: 1",
        "http://shop.example/\0",
        " http://shop.example/",
        "//shop.example/",
        "/s.xml",
        "https:/shop.example/",
        "http://shop..example/",
        "http://shop.exa mple/",
        "https://shop.example/\ud800",
        "https://shop.example/" + "a" * 9_000,
        "",
    ],
)
def test_an_address_that_could_be_read_in_two_ways_is_refused(url: str) -> None:
    with pytest.raises(FetchError) as caught:
        parse_address(url)
    assert caught.value.reason == "bad-url"


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://shop.example/", "gopher://shop.example/", "data:text/xml,<a/>",
     "javascript:alert(1)", "jar:http://shop.example!/", "urn:isbn:1"],
)  # fmt: skip
def test_only_http_and_https_are_fetched(url: str) -> None:
    with pytest.raises(FetchError) as caught:
        parse_address(url)
    assert caught.value.reason == "bad-scheme"


@pytest.mark.parametrize(
    "authority",
    ["shop.example:0", "shop.example:65536", "shop.example:-1", "shop.example:http",
     "shop.example:99999999999999999999", "[::1", "::1"],
)  # fmt: skip
def test_a_port_is_a_number_that_exists(authority: str) -> None:
    with pytest.raises(FetchError) as caught:
        parse_address(f"http://{authority}/")
    assert caught.value.reason == "bad-port"


def test_an_error_shows_neither_query_nor_user() -> None:
    with pytest.raises(FetchError) as caught:
        parse_address("http://me:hunter2@shop.example/s.xml?token=c4nary")
    assert "hunter2" not in str(caught.value)
    assert "c4nary" not in str(caught.value)


# ------------------------------------------------------------ ports and routes


@pytest.mark.parametrize(
    ("url", "site", "allowed"),
    [
        ("https://shop.example/", SHOP, True),
        ("http://other.example/", SHOP, True),
        ("http://shop.example:443/", SHOP, True),
        ("http://shop.example:8080/", SHOP, False),
        ("http://shop.example:22/", SHOP, False),
        ("http://shop.example:6379/", SHOP, False),
        ("http://shop.example:8080/", Site("shop.example:8080"), True),
        ("http://other.example:8080/", Site("shop.example:8080"), False),
        ("http://other.example:81/", Site("a.example", fetch=FetchRules(ports=(81,))), True),
        (
            "https://shop.example:8443/",
            Site("a.example", fetch=FetchRules(connect_to={"Shop.example:8443": "10.0.0.5:1"})),
            True,
        ),
        (
            "https://shop.example:8444/",
            Site("a.example", fetch=FetchRules(connect_to={"shop.example:8443": "10.0.0.5:1"})),
            False,
        ),
    ],
)
def test_a_port_has_to_be_named_somewhere(url: str, site: Site, allowed: bool) -> None:
    with nullcontext() if allowed else pytest.raises(FetchError, match="port"):
        check_port(parse_address(url), site)


@pytest.mark.parametrize(
    ("url", "connect_to", "where"),
    [
        ("https://shop.example/", {}, ("shop.example", 443)),
        ("https://shop.example/", {"shop.example:443": "10.0.0.5:8443"}, ("10.0.0.5", 8443)),
        ("https://shop.example/", {"SHOP.example:443": "Edge.example:443"}, ("edge.example", 443)),
        ("http://shop.example/", {"shop.example:443": "10.0.0.5:8443"}, ("shop.example", 80)),
        ("http://[::1]/", {"[::1]:80": "[::2]:81"}, ("::2", 81)),
    ],
)
def test_connect_to_leads_elsewhere_by_host_and_port(
    url: str, connect_to: dict[str, str], where: tuple[str, int]
) -> None:
    assert route(parse_address(url), connect_to) == where


@pytest.mark.parametrize("target", ["10.0.0.5", "10.0.0.5:http", ":80", "a b:80", "0x7f.1:80"])
def test_a_connect_to_that_is_no_host_and_port_is_refused(target: str) -> None:
    with pytest.raises(FetchError) as caught:
        route(parse_address("https://shop.example/"), {"shop.example:443": target})
    assert caught.value.reason == "bad-connect-to"


@pytest.mark.parametrize(
    ("host", "literal"),
    [("127.0.0.1", True), ("::1", True), ("shop.example", False), ("1.example", False)],
)
def test_a_host_that_is_an_ip_is_known_as_one(host: str, literal: bool) -> None:
    assert (literal_ip(host) is not None) is literal


# ------------------------------------------------------------ where a redirect leads


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/b", "https://shop.example/b"),
        ("b", "https://shop.example/a/b"),
        ("../b", "https://shop.example/b"),
        ("?q=1", "https://shop.example/a/x?q=1"),
        ("//cdn.example/b", "https://cdn.example/b"),
        ("http://cdn.example/b#part", "http://cdn.example/b"),
        ("  /b  ", "https://shop.example/b"),
        ("/gr\xc3\xbcn", "https://shop.example/gr%C3%BCn"),  # UTF-8 as http.client hands it over
        ("/gr\xfcn", "https://shop.example/gr%C3%BCn"),  # Latin-1
        ("/a b", "https://shop.example/a%20b"),
    ],
)
def test_a_location_is_resolved(location: str, url: str) -> None:
    assert follow_location(parse_address("https://shop.example/a/x"), location).url == url


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "bad-scheme"),
        ("http://u:p@shop.example/", "bad-url"),
        ("http://shop.example\\@evil.example/", "bad-url"),
        ("/a\tb", "bad-url"),
        ("http://[::1/", "bad-url"),
        ("http://0x7f.1/", "bad-url"),
    ],
)
def test_a_location_is_refused_like_any_address(location: str, reason: str) -> None:
    with pytest.raises(FetchError) as caught:
        follow_location(parse_address("https://shop.example/a/x"), location)
    assert caught.value.reason == reason
