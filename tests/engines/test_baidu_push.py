"""A push to Baidu: what goes out, to where, and what is refused before it does."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import responses
from engine_rows import BAIDU_TOKEN, StillClock, baidu_account, push_call

from submitter.core.fleet import Account, Site
from submitter.core.secrets import MaskedSecret
from submitter.core.states import State
from submitter.engines.baidu import Baidu, check_site, open_baidu, property_of
from submitter.errors import (
    ConfigError,
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    QuotaExhausted,
    Refused,
)
from support.fault_server import FaultServer, ok

HTTP = "http://data.zz.baidu.com/urls"
HTTPS = "https://data.zz.baidu.com/urls"


@pytest.fixture
def net() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock() as mock:
        yield mock


def baidu(account: Account | None = None, token: str = BAIDU_TOKEN) -> Baidu:
    return open_baidu(account or baidu_account(), MaskedSecret(token), StillClock())


def sent(net: responses.RequestsMock, number: int = 0) -> tuple[str, bytes, str]:
    request = net.calls[number].request
    body = request.body
    assert isinstance(body, bytes)
    return str(request.url), body, str(request.headers["Content-Type"])


def test_pages_go_out_one_a_line_with_the_site_as_it_is_written(
    net: responses.RequestsMock,
) -> None:
    net.post(HTTP, json={"success": 2, "remain": 8})
    call = push_call("https://shop.example.com/新", "https://shop.example.com/%E6%96%B0")
    assert baidu().send(call, timeout_s=5).state is State.ACCEPTED
    url, body, kind = sent(net)
    assert url == f"{HTTP}?site=https://shop.example.com&token={BAIDU_TOKEN}"
    assert body == b"https://shop.example.com/%E6%96%B0\nhttps://shop.example.com/%E6%96%B0"
    assert kind == "text/plain"


def test_https_is_chosen_by_name(net: responses.RequestsMock) -> None:
    net.post(HTTPS, json={"success": 2, "remain": 8})
    baidu(baidu_account(scheme="https")).send(push_call(), timeout_s=5)
    assert sent(net)[0].startswith(HTTPS)


def test_an_endpoint_goes_before_the_scheme(net: responses.RequestsMock) -> None:
    net.post("http://127.0.0.1:9/baidu/urls", json={"success": 2, "remain": 8})
    account = baidu_account("http://127.0.0.1:9/baidu/", scheme="https")
    baidu(account).send(push_call(), timeout_s=5)
    assert sent(net)[0].startswith("http://127.0.0.1:9/baidu/urls?site=")


def test_a_token_is_sent_without_the_blanks_around_it(
    net: responses.RequestsMock, caplog: pytest.LogCaptureFixture
) -> None:
    net.post(HTTP, json={"success": 2, "remain": 8})
    baidu(token=f" {BAIDU_TOKEN}\r\n").send(push_call(), timeout_s=5)
    assert sent(net)[0].endswith(f"&token={BAIDU_TOKEN}")
    assert "blanks around the token" in caplog.text
    assert BAIDU_TOKEN not in caplog.text


def test_an_odd_token_is_only_remarked_upon(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    baidu(token="short")
    assert "5 characters" in caplog.text
    assert "short" not in caplog.text


@pytest.mark.parametrize("token", ["", " \n", "two words", "two\nlines", "tökén", "a\0b"])
def test_what_cannot_be_a_token_is_refused_unseen(token: str) -> None:
    with pytest.raises(ConfigError) as caught:
        baidu(token=token)
    assert "accounts.baidu.token" in str(caught.value)
    assert not token.strip() or token not in str(caught.value)


def test_no_secret_is_a_fault_of_the_inventory() -> None:
    with pytest.raises(ConfigError):
        open_baidu(baidu_account(), None, StillClock())


@pytest.mark.parametrize("pages", [0, 2_001])
def test_a_batch_of_the_wrong_size_is_not_sent(pages: int) -> None:
    urls = tuple(f"https://shop.example.com/{number}" for number in range(pages))
    call = push_call() if pages == 0 else push_call(*urls)
    with pytest.raises(Refused) as caught:
        baidu().send(type(call)(call.action, urls), timeout_s=5)
    assert not caught.value.sent


def test_the_largest_batch_is_sent(net: responses.RequestsMock) -> None:
    net.post(HTTP, json={"success": 2_000, "remain": 0})
    urls = tuple(f"https://shop.example.com/{number}" for number in range(2_000))
    receipt = baidu().send(push_call(*urls), timeout_s=5)
    assert (receipt.unaccounted, receipt.spent, receipt.quota_left) == (0, 2_000, 0)
    assert sent(net)[1].count(b"\n") == 1_999


def test_each_push_has_a_connection_of_its_own() -> None:
    """A reused one may close under a push, and that outcome would stay unknown for a day."""
    with FaultServer() as server:
        server.on("/urls", ok(b'{"success":2,"remain":8}'))
        engine = baidu(baidu_account(server.url("")))
        for _ in range(3):
            engine.send(push_call(), timeout_s=20)
        assert server.connections == 3


def test_throttling_is_counted_by_site_until_it_ends(net: responses.RequestsMock) -> None:
    later = {"error": 505, "message": "please retry later"}
    for _ in range(4):
        net.post(HTTP, json=later, status=505)
    net.post(HTTP, json={"success": 2, "remain": 8})
    net.post(HTTP, json=later, status=505)
    engine = baidu()
    assert [wait_of(engine) for _ in range(4)] == [3.0, 8.0, 20.0, 20.0]
    engine.send(push_call(), timeout_s=5)
    assert wait_of(engine) == 3.0


def wait_of(engine: Baidu) -> float | None:
    with pytest.raises(EngineUnavailable) as caught:
        engine.send(push_call(), timeout_s=5)
    return caught.value.retry_after_s


def test_other_errors_do_not_count_as_throttling(net: responses.RequestsMock) -> None:
    net.post(HTTP, json={"error": 505, "message": "please retry later"}, status=505)
    net.post(HTTP, json={"error": 400, "message": "over quota"}, status=400)
    net.post(HTTP, json={"error": 505, "message": "please retry later"}, status=505)
    engine = baidu()
    assert wait_of(engine) == 3.0
    with pytest.raises(QuotaExhausted):
        engine.send(push_call(), timeout_s=5)
    assert wait_of(engine) == 3.0


def test_it_offers_neither_surveys_nor_checks() -> None:
    engine = baidu()
    assert engine.survey(timeout_s=5) is None
    assert engine.checks("shop.example.com", ["https://shop.example.com/s.xml"], timeout_s=5) == []


# ---------------------------------------------------------------- sites


@pytest.mark.parametrize(
    ("site", "name"),
    [
        (Site("shop.example.com"), "shop.example.com"),
        (Site("shop.example.com:8443"), "shop.example.com:8443"),
        (
            Site("shop.example.com", baidu_site="https://shop.example.com"),
            "https://shop.example.com",
        ),
    ],
)
def test_the_site_is_what_was_registered_or_the_bare_host(site: Site, name: str) -> None:
    assert property_of(site, None) == name


@pytest.mark.parametrize(
    "name",
    ["https%3A%2F%2Fe.example", "e.example&token=x", "e.example#", "e example", "新.example", ""],
)
def test_a_site_that_cannot_stand_in_the_query_is_refused(name: str) -> None:
    with pytest.raises(NotAuthorized) as caught:
        check_site(name, "https://e.example/")
    assert (caught.value.scope, caught.value.cause) == ("property", "site-form")
    assert not caught.value.sent


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("www.example.com", "https://example.com/a"),
        ("https://example.com", "https://www.example.com/a"),
    ],
)
def test_pages_of_the_www_twin_are_refused_beforehand(name: str, page: str) -> None:
    with pytest.raises(NotAuthorized) as caught:
        check_site(name, page)
    assert (caught.value.scope, caught.value.cause) == ("property", "site-host-differs")


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("example.com", "https://example.com/a"),
        ("https://EXAMPLE.com", "https://example.com/a"),
        ("example.com:8443", "https://example.com:8443/a"),
        ("example.com", "https://shop.example.com/a"),
    ],
)
def test_other_hosts_are_left_to_baidu(name: str, page: str) -> None:
    check_site(name, page)


def test_preflight_looks_at_site_and_first_page() -> None:
    call = push_call("https://www.shop.example.com/1")
    with pytest.raises(EngineError):
        baidu().preflight(call.action, None)
    baidu().preflight(push_call().action, None)


def test_traits_tell_what_the_inventory_may_say() -> None:
    options = {option.name: option for option in Baidu.traits.options}
    assert set(options) == {"daily_limit", "daily", "repush_changed", "scheme", "first_batch"}
    assert options["scheme"].choices == ("http", "https")
    assert json.loads(json.dumps(options["repush_changed"].default)) is False
