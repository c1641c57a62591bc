"""One address, one identity; what is sent keeps the site's spelling."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.urls import (
    BAD_URL_REASONS,
    MAX_CHARACTERS,
    BadUrl,
    host_of,
    normalize,
    origin_of,
    printable,
    same,
    sendable,
    shown,
    site_host,
    unicode_host,
)

NORMAL_FORMS = [
    # already normal
    ("https://shop.example.com/", "https://shop.example.com/"),
    ("https://shop.example.com/a?b=1&a=2", "https://shop.example.com/a?b=1&a=2"),
    ("http://h/%E4%BA%A7?x=%2F", "http://h/%E4%BA%A7?x=%2F"),
    ("http://192.0.2.1:8080/x", "http://192.0.2.1:8080/x"),
    ("http://h/.well-known/x", "http://h/.well-known/x"),
    # scheme, host, port
    ("HTTP://Shop.Example.COM/A", "http://shop.example.com/A"),
    ("http://h:80/", "http://h/"),
    ("https://h:443/x", "https://h/x"),
    ("https://h:80/x", "https://h:80/x"),
    ("https://h:/x", "https://h/x"),
    ("https://h:08443/x", "https://h:8443/x"),
    ("https://example.org./", "https://example.org/"),
    ("http://example%2Ecom/", "http://example.com/"),
    ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"),
    ("http://my_site.example.com/", "http://my_site.example.com/"),
    # host names in letters
    ("http://bücher.de/", "http://xn--bcher-kva.de/"),
    ("http://b%C3%BCcher.de/", "http://xn--bcher-kva.de/"),
    ("http://BÜCHER.de/", "http://xn--bcher-kva.de/"),
    ("https://нэб.рф/", "https://xn--90ax2c.xn--p1ai/"),
    ("http://straße.de/", "http://xn--strae-oqa.de/"),
    ("http://ｅxample.com/", "http://example.com/"),
    ("http://例え。jp/", "http://xn--r8jz45g.jp/"),
    # path
    ("http://h", "http://h/"),
    ("http://h?a=1", "http://h/?a=1"),
    ("http://h/a/./b/../c", "http://h/a/c"),
    ("http://h/../../x", "http://h/x"),
    ("http://h/a/..", "http://h/"),
    ("http://h/a/.", "http://h/a/"),
    ("http://h/a/%2e%2E/b", "http://h/b"),
    ("http://h//a//b", "http://h//a//b"),
    ("http://h/a?x=/../b", "http://h/a?x=/../b"),
    # escapes
    ("http://h/%66oo%2d", "http://h/foo-"),
    ("http://h/%e3%81%a7", "http://h/%E3%81%A7"),
    ("http://h/で", "http://h/%E3%81%A7"),
    ("http://h/%C0", "http://h/%C0"),
    ("http://h/a b", "http://h/a%20b"),
    ('http://h/"<>^`{|}[]', "http://h/%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
    ("http://h/?x[y]=1", "http://h/?x%5By%5D=1"),
    ("http://h/%2F%3f%23", "http://h/%2F%3F%23"),
    ("http://h/%2541", "http://h/%2541"),
    ("http://h/\u202e", "http://h/%E2%80%AE"),
    # fragment
    ("http://h/a#b", "http://h/a"),
    ("http://h#b?c", "http://h/"),
    ("http://h/で#x", "http://h/%E3%81%A7"),
]


@pytest.mark.parametrize(("spelling", "identity"), NORMAL_FORMS)
def test_every_spelling_has_one_normal_form(spelling: str, identity: str) -> None:
    assert normalize(spelling) == identity
    assert normalize(identity) == identity


BAD = [
    ("", "relative-url"),
    ("/a", "relative-url"),
    ("a/b", "relative-url"),
    ("//h/a", "relative-url"),
    ("www.example.com/a", "relative-url"),
    ("[object Object]", "relative-url"),
    ("ftp://h/a", "bad-scheme"),
    ("file:///etc/passwd", "bad-scheme"),
    ("javascript:alert(1)", "bad-scheme"),
    ("data:text/plain,x", "bad-scheme"),
    ("jar:http://h!/x", "bad-scheme"),
    ("https:/h/a", "one-slash"),
    ("https:h/a", "one-slash"),
    ("http:///a", "bad-host"),
    ("http://", "bad-host"),
    ("http://a..b/", "bad-host"),
    ("http://.a/", "bad-host"),
    ("http://a b/", "bad-host"),
    ("http://a|b/", "bad-host"),
    ("http://☃.net/", "bad-host"),
    ("http://2130706433/", "bad-host"),
    ("http://0x7f.1/", "bad-host"),
    ("http://0x7f000001/", "bad-host"),
    ("http://127.1/", "bad-host"),
    ("http://0177.0.0.1/", "bad-host"),
    ("http://256.0.0.1/", "bad-host"),
    ("http://1.2.3.4.5/", "bad-host"),
    ("http://[::1/", "bad-port"),
    ("http://[fe80::1%25eth0]/", "bad-host"),
    ("http://[1.2.3.4]/", "bad-host"),
    ("http://example%2Xcom/", "bad-host"),
    ("http://abc%FEdef.org/", "bad-host"),
    ("http://a%2Fb/", "bad-host"),
    ("http://" + "a" * 64 + ".com/", "bad-host"),
    ("http://" + "a.ab" * 64 + "/", "bad-host"),
    ("http://h:99999/", "bad-port"),
    ("http://h:0/", "bad-port"),
    ("http://h:80a/", "bad-port"),
    ("http://h:8:8/", "bad-port"),
    ("http://h:٨٠/", "bad-port"),
    ("http://user@h/", "userinfo"),
    ("http://user:pw@h/", "userinfo"),
    ("http://h@169.254.169.254/", "userinfo"),
    ("http://h/%zz", "bad-percent"),
    ("http://h/100%", "bad-percent"),
    ("http://h/?q=5%2", "bad-percent"),
    ("http://h/a\tb", "control-character"),
    ("http://h/a\nb", "control-character"),
    ("http://h/a\r\nX: y", "control-character"),
    ("http://h/\0", "control-character"),
    ("http://h/\x7f", "control-character"),
    ("http://h/\ud800", "control-character"),
    ("http://h\\@evil/", "backslash"),
    ("http://h/a\\b", "backslash"),
]


@pytest.mark.parametrize(("spelling", "reason"), BAD)
def test_a_bad_address_is_refused_with_its_reason(spelling: str, reason: str) -> None:
    with pytest.raises(BadUrl) as error:
        normalize(spelling)
    assert error.value.reason == reason
    assert reason in BAD_URL_REASONS
    assert error.value.problem.isprintable()


def test_exactly_2048_characters_pass_and_one_more_does_not() -> None:
    longest = "http://h/" + "a" * (MAX_CHARACTERS - 9)
    assert normalize(longest) == longest
    for too_long in (longest + "a", "http://h/" + "で" * 227, "http://h/?" + "%61" * 680):
        with pytest.raises(BadUrl, match=r"2,048") as error:
            normalize(too_long)
        assert error.value.reason == "too-long"
    assert len(normalize("http://h/" + "で" * 226)) <= MAX_CHARACTERS


def test_a_fragment_does_not_count_as_length() -> None:
    assert normalize("http://h/#" + "x" * 5000) == "http://h/"


SENT = [
    ("https://Shop.Example.com/%e3%81%a7?a=b+c", "https://Shop.Example.com/%e3%81%a7?a=b+c"),
    ("https://h:443/a/../b", "https://h:443/a/../b"),
    ("https://h", "https://h"),
    ("https://h/a#top", "https://h/a"),
    ("https://h/で", "https://h/%E3%81%A7"),
    ("https://h/a b?x=[1]", "https://h/a%20b?x=%5B1%5D"),
    ("HTTPS://bücher.de:443/é", "HTTPS://xn--bcher-kva.de/%C3%A9"),
    ("http://[::1]:81/x#y", "http://[::1]:81/x"),
]


@pytest.mark.parametrize(("spelling", "sent"), SENT)
def test_what_is_sent_keeps_the_spelling_as_far_as_it_can_be_sent(spelling: str, sent: str) -> None:
    assert sendable(spelling) == sent
    assert sendable(sent) == sent
    assert normalize(sent) == normalize(spelling)


def test_origin_and_host_are_named_as_sites_are() -> None:
    assert origin_of("HTTPS://Bücher.de:443/x?y") == "https://xn--bcher-kva.de"
    assert origin_of("http://h:8080/x") == "http://h:8080"
    assert host_of("http://H.example:8080/x") == "h.example:8080"
    assert host_of("https://h.example:443/x") == "h.example"


def test_a_host_of_the_inventory_is_put_in_the_form_of_sites() -> None:
    assert site_host("Bücher.Example") == "xn--bcher-kva.example"
    assert site_host("shop.example:8443") == "shop.example:8443"
    assert site_host("shop.example.") == "shop.example"
    for wrong in ("https://shop.example", "shop.example/x", "a@b", "", "a b", "a\nb", "x?y", "a#"):
        with pytest.raises(BadUrl):
            site_host(wrong)


def test_a_report_can_show_letters_beside_a_labels() -> None:
    assert unicode_host("xn--bcher-kva.de") == "bücher.de"
    assert unicode_host("shop.example") == "shop.example"
    assert unicode_host("xn--\x00") == "xn--\x00"


def test_an_address_is_found_again_in_another_spelling() -> None:
    assert same("http://h/a", ["http://h/b", "HTTP://H:80/%61#x"])
    assert not same("http://h/a", ["http://h/A", "not a url"])
    assert not same("not a url", ["not a url"])


def test_what_is_shown_holds_no_query_no_user_and_no_escape_code() -> None:
    assert shown("https://h/a?token=secret#x") == "https://h/a?..."
    assert shown("https://user:pw@h/a") == "https://...@h/a"
    assert shown("https://h/\x1b[31m\u202ered\n") == r"https://h/\x1b[31m\u202ered\n"
    assert len(shown("https://h/" + "\x1b" * 500)) == 200
    assert printable("a\u200bb") == r"a\u200bb"


URL_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(string.ascii_letters + "0123456789-._~:/?#[]@!$&'()*+,;=%|{}\\^` \t"),
        st.characters(max_codepoint=0x2FFF),
    ),
    max_size=60,
)
ADDRESSES = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(
        ["h", "Shop.Example.com", "bücher.de", "[::1]", "192.0.2.1", "xn--bcher-kva.de"]
    ),
    st.sampled_from(["", ":80", ":443", ":8080", ":"]),
    st.sampled_from(["", "/", "/a/../", "/%7e/./", "//"]),
    URL_TEXT,
)


@given(st.one_of(ADDRESSES, URL_TEXT))
def test_normalizing_twice_is_normalizing_once(text: str) -> None:
    try:
        identity = normalize(text)
    except BadUrl as error:
        identity, reason = "", error.reason
    if not identity:
        assert reason in BAD_URL_REASONS
        return
    assert identity.isascii()
    assert normalize(identity) == identity
    assert sendable(identity) == identity
    assert normalize(sendable(text)) == identity
    assert sendable(sendable(text)) == sendable(text)


@given(st.text(alphabet="abz09-._~/éで🙂", max_size=12), st.data())
def test_spellings_that_differ_in_escapes_only_meet(path: str, data: st.DataObject) -> None:
    def spell(char: str) -> str:
        raw = "".join(f"%{byte:02x}" for byte in char.encode())
        return data.draw(st.sampled_from([char, raw, raw.upper()])) if char != "/" else char

    spelled = "".join(spell(char) for char in path)
    assert normalize(f"http://h/{spelled}") == normalize(f"http://h/{path}")
