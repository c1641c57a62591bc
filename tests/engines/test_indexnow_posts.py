"""A post to IndexNow: what goes out, to whom, and what is refused before it does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import requests
import responses
from engine_rows import (
    INDEXNOW_KEY,
    SHOP,
    StillClock,
    key_files,
    pages_call,
    plain_account,
)

from submitter.core.calls import Call
from submitter.core.fleet import Account, SettingValue
from submitter.core.halving import halves
from submitter.core.secrets import MaskedSecret
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.engines.indexnow import (
    BATCH_SIZE,
    MEMBERS,
    IndexNow,
    open_indexnow,
    property_of,
)
from submitter.errors import (
    ConfigError,
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    Refused,
)
from support.page_table import Page, PageTable

HUB, BING, YANDEX = (f"{MEMBERS[name]}/indexnow" for name in ("hub", "bing", "yandex"))
ROOT = "https://shop.example.com"


@pytest.fixture
def net() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


def opened(account: Account | None = None, key: str = INDEXNOW_KEY) -> IndexNow:
    return open_indexnow(account or plain_account("indexnow"), MaskedSecret(key), StillClock())


def ready(**settings: SettingValue) -> IndexNow:
    """An engine that has read the shop's key file."""
    engine = opened(plain_account("indexnow", **settings))
    template = str(settings.get("key_location", "https://{host}/{key}.txt"))
    url = template.replace("{host}", SHOP.host).replace("{key}", INDEXNOW_KEY)
    engine.prepare(SHOP, PageTable({url: Page(INDEXNOW_KEY.encode())}), until=None)
    return engine


def post(*urls: str) -> Call:
    return pages_call("indexnow", SHOP.host, *urls)


def bodies(net: responses.RequestsMock) -> list[Any]:
    return [json.loads(call.request.body or b"") for call in net.calls]


def asked(net: responses.RequestsMock) -> list[str]:
    return [str(call.request.url) for call in net.calls]


# ---------------------------------------------------------------- the call


def test_a_post_holds_host_key_and_pages_and_nothing_else(net: responses.RequestsMock) -> None:
    net.post(HUB, status=200)
    assert ready().send(post(f"{ROOT}/1", f"{ROOT}/2"), timeout_s=5).state is State.ACCEPTED
    assert bodies(net) == [
        {"host": SHOP.host, "key": INDEXNOW_KEY, "urlList": [f"{ROOT}/1", f"{ROOT}/2"]}
    ]
    assert asked(net) == [HUB]
    assert net.calls[0].request.headers["Content-Type"] == "application/json; charset=utf-8"


def test_a_key_elsewhere_is_named_in_the_post(net: responses.RequestsMock) -> None:
    net.post(HUB, status=200)
    ready(key_location="https://{host}/p/{key}.txt").send(post(f"{ROOT}/p/1"), timeout_s=5)
    assert bodies(net)[0]["keyLocation"] == f"{ROOT}/p/{INDEXNOW_KEY}.txt"


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        (f"{ROOT}/a#part", f"{ROOT}/a"),
        (f"{ROOT}/新", f"{ROOT}/%E6%96%B0"),
        (f"{ROOT}/%e6%96%b0", f"{ROOT}/%e6%96%b0"),
        (f"{ROOT}/CaSe?Q=1", f"{ROOT}/CaSe?Q=1"),
        (f"{ROOT}/a b", f"{ROOT}/a%20b"),
        ("https://SHOP.example.com:443/a", "https://SHOP.example.com:443/a"),
        ("http://shop.example.com/a", "http://shop.example.com/a"),
    ],
)
def test_a_page_is_sent_in_its_own_spelling_made_ascii(
    net: responses.RequestsMock, url: str, sent: str
) -> None:
    net.post(HUB, status=200)
    ready().send(post(url), timeout_s=5)
    assert bodies(net)[0]["urlList"] == [sent]


def test_a_host_beyond_ascii_is_named_by_its_a_label(net: responses.RequestsMock) -> None:
    net.post(HUB, status=200)
    site = replace(SHOP, host="xn--bcher-kva.example")
    engine = opened()
    engine.prepare(site, key_files(site=site), until=None)
    call = pages_call("indexnow", site.host, "https://bücher.example/ä")
    engine.send(Call(replace(call.action, site=site.origin), call.urls), timeout_s=5)
    assert bodies(net)[0]["host"] == site.host
    assert bodies(net)[0]["urlList"] == ["https://xn--bcher-kva.example/%C3%A4"]


def test_a_page_that_went_is_told_by_the_same_call(net: responses.RequestsMock) -> None:
    net.post(HUB, status=202)
    call = post(f"{ROOT}/gone")
    call = Call(replace(call.action, kind=Kind.REMOVAL), call.urls)
    assert ready().send(call, timeout_s=5).state is State.RECEIVED
    assert bodies(net)[0]["urlList"] == [f"{ROOT}/gone"]


def test_the_largest_post_is_sent_and_one_page_more_is_not(net: responses.RequestsMock) -> None:
    net.post(HUB, status=200)
    urls = tuple(f"{ROOT}/{number}" for number in range(BATCH_SIZE + 1))
    ready().send(post(*urls[1:]), timeout_s=5)
    assert len(bodies(net)[0]["urlList"]) == BATCH_SIZE
    for wrong in (urls, ()):
        with pytest.raises(Refused) as caught:
            ready().send(Call(post(*urls).action, wrong), timeout_s=5)
        assert (caught.value.code, caught.value.sent) == ("batch-size", False)
    assert len(net.calls) == 1


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://www.example.com/a", "host-differs"),
        ("https://shop.example.com.evil.example/a", "host-differs"),
        ("https://shop.example.com:8443/a", "host-differs"),
        ("/relative", "bad-url"),
        ("https://shop.example.com/%zz", "bad-url"),
    ],
)
def test_a_page_of_another_host_is_found_before_the_post(
    net: responses.RequestsMock, url: str, code: str
) -> None:
    with pytest.raises(Refused) as caught:
        ready().send(post(f"{ROOT}/1", url), timeout_s=5)
    assert (caught.value.code, caught.value.sent) == (code, False)
    assert not net.calls


def test_a_page_outside_the_keys_directory_is_found_before_the_post(
    net: responses.RequestsMock,
) -> None:
    engine = ready(key_location="https://{host}/p/{key}.txt")
    with pytest.raises(NotAuthorized) as caught:
        engine.send(post(f"{ROOT}/p/1", f"{ROOT}/help"), timeout_s=5)
    assert (caught.value.scope, caught.value.cause) == ("property", "key-outside-scope")
    assert "shop.example.com/help" in caught.value.problem
    assert not net.calls


@pytest.mark.parametrize("page", ["/help", "/p", "/P/1", "/p/../help", "/p%2F1"])
def test_preflight_knows_the_keys_directory(page: str) -> None:
    engine = ready(key_location="https://{host}/p/{key}.txt")
    engine.preflight(post(f"{ROOT}/p/1").action, None)
    with pytest.raises(NotAuthorized):
        engine.preflight(post(f"{ROOT}{page}").action, None)


def test_preflight_leaves_a_page_that_cannot_be_posted_to_the_search_for_it() -> None:
    ready().preflight(post("https://www.example.com/a", f"{ROOT}/1").action, None)


def test_a_site_is_its_host() -> None:
    assert property_of(SHOP, None) == "shop.example.com"
    assert property_of(replace(SHOP, scheme="http"), None) == "shop.example.com"


def test_it_offers_neither_surveys_nor_checks() -> None:
    engine = opened()
    assert engine.survey(timeout_s=5) is None
    assert engine.checks(SHOP.host, [f"{ROOT}/sitemap.xml"], timeout_s=5) == []


# ---------------------------------------------------------------- one engine, and who stands in


def error_of(engine: IndexNow, call: Call | None = None) -> EngineError:
    with pytest.raises(EngineError) as caught:
        engine.send(call or post(), timeout_s=5)
    return caught.value


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_any_one_member_can_be_chosen(net: responses.RequestsMock, name: str) -> None:
    net.post(f"{MEMBERS[name]}/indexnow", status=200)
    ready(post_to=name).send(post(), timeout_s=5)
    assert asked(net) == [f"{MEMBERS[name]}/indexnow"]


@pytest.mark.parametrize("status", [429, 503])
def test_a_member_that_takes_nothing_is_passed_over_at_once(
    net: responses.RequestsMock, status: int
) -> None:
    net.post(HUB, status=status, headers={"Retry-After": "3600"})
    net.post(BING, status=status)
    net.post(YANDEX, json={"success": True})
    engine = ready()
    waits = [getattr(error_of(engine), "retry_after_s", None) for _ in range(2)]
    assert waits == [0.0, 0.0]
    assert engine.send(post(), timeout_s=5).state is State.ACCEPTED
    engine.send(post(f"{ROOT}/2"), timeout_s=5)
    assert asked(net) == [HUB, BING, YANDEX, YANDEX]


def test_without_a_connection_the_next_is_asked(net: responses.RequestsMock) -> None:
    net.post(HUB, body=requests.exceptions.InvalidURL())
    net.post(BING, status=200)
    engine = ready()
    error = error_of(engine)
    assert isinstance(error, EngineUnavailable)
    assert not error.sent
    engine.send(post(), timeout_s=5)
    assert asked(net) == [HUB, BING]


@pytest.mark.parametrize("lost", ["no answer", "502"])
def test_after_a_lost_answer_only_the_posts_that_follow_go_elsewhere(
    net: responses.RequestsMock, lost: str
) -> None:
    if lost == "502":
        net.post(HUB, status=502)
    else:
        net.post(HUB, body=requests.exceptions.ReadTimeout())
    net.post(BING, status=200)
    engine = ready()
    assert isinstance(error_of(engine, post(f"{ROOT}/1")), OutcomeUnknown)
    engine.send(post(f"{ROOT}/2"), timeout_s=5)
    assert [(url, body["urlList"]) for url, body in zip(asked(net), bodies(net), strict=True)] == [
        (HUB, [f"{ROOT}/1"]),
        (BING, [f"{ROOT}/2"]),
    ]


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "InvalidRequestParameters", Refused),
        (403, "UserForbiddedToAccessSite", NotAuthorized),
        (403, "KeyNotFound", NotAuthorized),
        (403, "SiteVerificationNotCompleted", NotReady),
        (405, "", NotAuthorized),
        (422, "InvalidRequestParameters", Refused),
    ],
)
def test_a_refusal_is_not_taken_to_another_member(
    net: responses.RequestsMock, status: int, code: str, kind: type[EngineError]
) -> None:
    net.post(HUB, status=status, json={"errorCode": code, "message": ""})
    engine = ready()
    assert [type(error_of(engine)) for _ in range(2)] == [kind, kind]
    assert asked(net) == [HUB, HUB]


def test_when_all_fail_the_last_ones_wait_is_kept(net: responses.RequestsMock) -> None:
    for url in (HUB, BING, YANDEX):
        net.post(url, status=429, headers={"Retry-After": "40"})
    engine = ready()
    waits = [getattr(error_of(engine), "retry_after_s", None) for _ in range(4)]
    assert waits == [0.0, 0.0, 40.0, 40.0]
    assert asked(net) == [HUB, BING, YANDEX, HUB]


def test_success_gives_the_others_a_new_chance(net: responses.RequestsMock) -> None:
    net.post(HUB, status=429)
    net.post(BING, status=200)
    net.post(BING, status=429, headers={"Retry-After": "40"})
    engine = ready(fallbacks=("bing",))
    error_of(engine)
    engine.send(post(), timeout_s=5)
    error = error_of(engine)
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == 0.0
    assert asked(net) == [HUB, BING, BING]


def test_no_fallbacks_may_be_wanted(net: responses.RequestsMock) -> None:
    net.post(HUB, status=429, headers={"Retry-After": "40"})
    engine = ready(fallbacks=())
    waits = [getattr(error_of(engine), "retry_after_s", None) for _ in range(2)]
    assert (waits, asked(net)) == ([40.0, 40.0], [HUB, HUB])


def test_an_endpoint_stands_for_the_whole_family(net: responses.RequestsMock) -> None:
    local = "http://127.0.0.1:9/indexnow/indexnow"
    net.post(local, status=429, headers={"Retry-After": "40"})
    engine = opened(plain_account("indexnow", "http://127.0.0.1:9/indexnow"))
    engine.prepare(SHOP, key_files(), until=None)
    error = error_of(engine)
    assert isinstance(error, EngineUnavailable)
    assert (error.retry_after_s, asked(net)) == (40.0, [local])


# ---------------------------------------------------------------- the inventory


@pytest.mark.parametrize(
    "key", ["short", "k" * 129, "with_underscore", "", "two words", "schlüssel"]
)
def test_what_cannot_be_a_key_is_refused_unseen(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(key=key)
    assert "accounts.indexnow.key" in str(caught.value)
    assert not key or key not in str(caught.value)


def test_no_secret_is_a_fault_of_the_inventory() -> None:
    with pytest.raises(ConfigError):
        open_indexnow(plain_account("indexnow"), None, StillClock())


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"fallbacks": ("bing", "google")}, "accounts.indexnow.fallbacks"),
        ({"key_location": "https://{host}/{name}.txt"}, "accounts.indexnow.key_location"),
    ],
)
def test_options_that_make_no_sense_name_their_place(
    settings: dict[str, SettingValue], where: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(plain_account("indexnow", **settings))
    assert where in str(caught.value)


def test_a_strange_endpoint_does_not_get_the_key() -> None:
    with pytest.raises(ConfigError):
        opened(plain_account("indexnow", "https://indexnow.example"))


# ---------------------------------------------------------------- halves


def test_halves_keep_pages_with_their_ids_and_their_order() -> None:
    call = post(*(f"{ROOT}/{number}" for number in range(5)))
    first, second = halves(call)
    assert first.urls + second.urls == call.urls
    assert first.action.pages + second.action.pages == call.action.pages
    assert (first.action.target, second.action.target) == (call.urls[0], call.urls[2])
    assert (first.action.cost, second.action.cost) == (2, 3)
    assert len({call.action.key, first.action.key, second.action.key}) == 3
