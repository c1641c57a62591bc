"""The key file: read and compared before a host is posted for, and what can be wrong with it."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from engine_rows import (
    INDEXNOW_KEY,
    SHOP,
    StillClock,
    key_files,
    pages_call,
    plain_account,
    spellings,
)
from hypothesis import given
from hypothesis import strategies as st
from test_engine_contract import everything_about

from submitter.core.fleet import Site
from submitter.core.secrets import MaskedSecret
from submitter.engines.indexnow import IndexNow, open_indexnow
from submitter.engines.indexnow_key import (
    CRAWLER_AGENT,
    MAX_FILE_BYTES,
    Key,
    is_key,
    look_at,
    template_fault,
)
from submitter.errors import EngineError, NotAuthorized, NotReady
from support.page_table import Failure, Page, PageTable

FILE = f"https://shop.example.com/{INDEXNOW_KEY}.txt"
KEY = Key(INDEXNOW_KEY)

RIGHT: dict[str, bytes] = {
    "the key": INDEXNOW_KEY.encode(),
    "a line end": f"{INDEXNOW_KEY}\n".encode(),
    "a Windows line end": f"{INDEXNOW_KEY}\r\n".encode(),
    "a byte order mark": f"\ufeff{INDEXNOW_KEY}".encode(),
}


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_a_file_that_holds_the_key_is_right(name: str) -> None:
    assert look_at(KEY, SHOP, key_files(RIGHT[name]), until=None) is None


HTML = b"<!doctype html><title>Welcome</title>" + INDEXNOW_KEY.encode()

# name: (what stands at the address, cause, part of the message)
WRONG: dict[str, tuple[Page | Failure, str, str]] = {
    "404": (Failure(status=404), "key-file-missing", "404"),
    "410": (Failure(status=410), "key-file-missing", "410"),
    "HTML": (Page(HTML), "key-file-html", "HTML"),
    "HTML after a byte order mark": (Page("\ufeff \n<html>".encode()), "key-file-html", "HTML"),
    "another key": (Page(b"0123456789abcdef"), "key-differs", "'0123…' instead of the key cana…"),
    "the key in capitals": (Page(INDEXNOW_KEY.upper().encode()), "key-differs", "instead of"),
    "nothing": (Page(), "key-differs", "is empty"),
    "blanks": (Page(b" \n"), "key-differs", "is empty"),
    "more than the key": (Page(f"key={INDEXNOW_KEY}".encode()), "key-differs", "holds more"),
    "blanks before the key": (Page(f" {INDEXNOW_KEY}".encode()), "key-differs", "holds more"),
    "UTF-16": (Page(INDEXNOW_KEY.encode("utf-16")), "key-differs", "UTF-16"),
    "bytes": (Page(bytes(range(128, 256))), "key-differs", "instead of"),
    "a redirect to www": (
        Page(INDEXNOW_KEY.encode(), at="https://www.shop.example.com/k.txt"),
        *("key-file-redirects", "www.shop.example.com"),
    ),
    "401": (Failure(status=401), "key-file-blocked", "401"),
    "403": (Failure(status=403), "key-file-blocked", "bingbot"),
    "451": (Failure(status=451), "key-file-blocked", "451"),
    "a redirect loop": (Failure("redirect-loop"), "key-file-unreachable", ""),
    "a certificate that has expired": (Failure("tls-expired"), "key-file-unreachable", ""),
    "no such name": (Failure("dns-nxdomain"), "key-file-unreachable", ""),
    "a private address": (Failure("private-address"), "key-file-unreachable", ""),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_each_wrong_file_has_a_cause_and_a_next_step(name: str) -> None:
    found, cause, part = WRONG[name]
    engine = opened()
    with pytest.raises(NotAuthorized) as caught:
        engine.prepare(SHOP, PageTable({FILE: found}), until=None)
    error = caught.value
    assert (error.scope, error.cause, error.sent) == ("property", cause, False)
    assert part in error.problem
    assert "cana…" in error.problem
    assert error.next_step


PASSING = [
    Failure(status=500),
    Failure(status=503),
    Failure("http-429", 429),
    Failure("timeout"),
    Failure("connect-refused"),
    Failure("dns-timeout"),
    Failure("body-cut"),
    Failure("host-paused"),
]


@pytest.mark.parametrize("found", PASSING, ids=lambda found: found.reason or str(found.status))
def test_a_site_that_is_down_is_asked_again_in_the_next_run(found: Failure) -> None:
    with pytest.raises(NotReady) as caught:
        opened().prepare(SHOP, PageTable({FILE: found}), until=None)
    assert (caught.value.code, caught.value.sent) == ("key-file-unreachable", False)


def test_the_runs_own_deadline_is_no_fault_of_the_site() -> None:
    with pytest.raises(NotReady) as caught:
        opened().prepare(SHOP, PageTable({FILE: Failure("deadline")}), until=1.0)
    assert caught.value.code == "deadline"


def test_a_site_that_shuts_us_out_may_let_the_crawler_in() -> None:
    site = PageTable({FILE: Failure(status=403)}, {FILE: Page(INDEXNOW_KEY.encode())})
    assert look_at(KEY, SHOP, site, until=None) is None
    assert site.asked == [(FILE, None), (FILE, CRAWLER_AGENT)]


def test_a_right_file_is_one_get() -> None:
    site = key_files()
    opened().prepare(SHOP, site, until=None)
    assert site.asked == [(FILE, None)]


def test_of_an_endless_file_only_the_beginning_is_read() -> None:
    body = INDEXNOW_KEY.encode() + b"\n" * 10 * MAX_FILE_BYTES
    fault = look_at(KEY, SHOP, key_files(body), until=None)
    assert fault is None  # line ends only, as far as it was read
    fault = look_at(KEY, SHOP, key_files(b"x" * 10 * MAX_FILE_BYTES), until=None)
    assert fault is not None
    assert fault.cause == "key-differs"


def test_a_redirect_within_the_host_is_followed() -> None:
    site = PageTable({FILE: Page(INDEXNOW_KEY.encode(), at="https://shop.example.com/k/key.txt")})
    assert look_at(KEY, SHOP, site, until=None) is None


def test_an_http_site_is_asked_over_http() -> None:
    site = Site("shop.example.com", "http")
    assert look_at(KEY, site, key_files(site=site), until=None) is None


def test_nothing_is_posted_before_the_file_was_read() -> None:
    with pytest.raises(NotAuthorized) as caught:
        opened().send(pages_call("indexnow", SHOP.host), timeout_s=1)
    assert (caught.value.cause, caught.value.sent) == ("key-file-unread", False)


def test_nothing_is_posted_after_the_file_went() -> None:
    engine = opened()
    engine.prepare(SHOP, key_files(), until=None)
    with pytest.raises(NotAuthorized):
        engine.prepare(SHOP, PageTable({}), until=None)
    with pytest.raises(NotAuthorized) as caught:
        engine.send(pages_call("indexnow", SHOP.host), timeout_s=1)
    assert caught.value.cause == "key-file-unread"


def test_one_host_does_not_speak_for_another() -> None:
    engine = opened()
    engine.prepare(SHOP, key_files(), until=None)
    with pytest.raises(NotAuthorized):
        engine.send(
            pages_call("indexnow", "www.example.com", "https://www.example.com/"), timeout_s=1
        )


# ---------------------------------------------------------------- key_location


@pytest.mark.parametrize(
    ("template", "file", "location", "scope"),
    [
        (None, "https://h.example/KEY.txt", None, "h.example/"),
        ("https://{host}/{key}.txt", "https://h.example/KEY.txt", None, "h.example/"),
        ("http://{host}/{key}.txt", "http://h.example/KEY.txt", None, "h.example/"),
        (
            "https://{host}/shop/{key}.txt",
            "https://h.example/shop/KEY.txt",
            "https://h.example/shop/KEY.txt",
            "h.example/shop/",
        ),
        (
            "https://{host}/indexnow.txt",
            "https://h.example/indexnow.txt",
            "https://h.example/indexnow.txt",
            "h.example/",
        ),
        (
            "https://{host}/a/./b/../key.txt?v=1",
            "https://h.example/a/./b/../key.txt?v=1",
            "https://h.example/a/./b/../key.txt?v=1",
            "h.example/a/",
        ),
    ],
)
def test_where_the_file_stands_and_what_it_speaks_for(
    template: str | None, file: str, location: str | None, scope: str
) -> None:
    key = Key("KEYKEYKEY", template)
    site = Site("h.example")
    full = (location or "").replace("KEY.txt", "KEYKEYKEY.txt") or None
    assert key.file_url(site) == file.replace("KEY.txt", "KEYKEYKEY.txt")
    assert key.location(site.host) == full
    assert key.scope(site.host) == scope


def test_a_location_at_another_host_is_refused() -> None:
    key = Key(INDEXNOW_KEY, "https://keys.example.com/{key}.txt")
    fault = look_at(key, SHOP, PageTable({}), until=None)
    assert fault is not None
    assert fault.cause == "key-outside-scope"


@pytest.mark.parametrize(
    "template",
    ["/{key}.txt", "ftp://{host}/{key}.txt", "https://{host}", "https://{host}/{name}.txt",
     "https://{host}/{key.txt", "https://{host}/{{key}}.txt", "https://u:p@{host}/{key}.txt", ""],
)  # fmt: skip
def test_a_location_that_names_no_file_is_a_fault(template: str) -> None:
    assert template_fault(template)


@pytest.mark.parametrize("template", ["https://{host}/{key}.txt", "http://{host}/k/x.txt"])
def test_a_good_location_is_none(template: str) -> None:
    assert template_fault(template) is None


@pytest.mark.parametrize(
    ("text", "good"),
    [("a" * 7, False), ("a" * 8, True), ("Z9-" * 42 + "ab", True), ("a" * 129, False),
     ("abcd_efgh", False), ("abcdéfgh", False), ("abcd efgh", False), ("abcdefgh\n", False)],
)  # fmt: skip
def test_the_form_of_a_key(text: str, good: bool) -> None:
    assert bool(is_key(text)) is good


# ---------------------------------------------------------------- secrecy


def opened(**settings: str) -> IndexNow:
    account = plain_account("indexnow", "http://127.0.0.1:9", **settings)
    return open_indexnow(account, MaskedSecret(INDEXNOW_KEY), StillClock())


TELLTALES: dict[str, Callable[[], Page | Failure]] = {
    "loop": lambda: Failure("redirect-loop", text=f"redirects back to {FILE}"),
    "page that repeats the address": lambda: Page(f"No page {FILE}".encode()),
    "HTML that repeats it": lambda: Page(HTML),
    "404": lambda: Failure(status=404, text=f"{FILE}: status 404"),
    "503": lambda: Failure(status=503, text=f"{FILE}: status 503"),
}


@pytest.mark.parametrize("name", sorted(TELLTALES))
def test_a_key_is_shown_by_its_first_four_letters(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    engine = opened()
    with pytest.raises(EngineError) as caught:
        engine.prepare(SHOP, PageTable({FILE: TELLTALES[name]()}), until=None)
    seen = everything_about(caught.value) + caplog.text + repr(engine) + repr(vars(engine))
    assert not [form for form in spellings(INDEXNOW_KEY) if form in seen]
    assert "cana…" in caught.value.problem


@given(st.binary(max_size=300))
def test_no_other_bytes_are_taken_for_the_key(body: bytes) -> None:
    assert look_at(KEY, SHOP, key_files(body), until=None) is not None
