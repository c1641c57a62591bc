"""Calls to Yandex as they go out, to which host of which user, and lists page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from engine_rows import YANDEX_TOKEN, StillClock, pages_call, plain_account

from submitter.core.calls import Action, Call, Property, QuotaReading, Survey
from submitter.core.findings import Severity
from submitter.core.fleet import SettingValue, Site
from submitter.core.secrets import MaskedSecret
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.engines.yandex import MAX_PAGES, PAGE_SIZE, TRAITS, Yandex, open_yandex
from submitter.engines.yandex_hosts import check_host, property_of
from submitter.engines.yandex_token import TOKEN_LIFE, token_age
from submitter.errors import ConfigError, EngineUnavailable, NotAuthorized, OutcomeUnknown, Refused
from support.fault_server import Answer, FaultServer, Request, Wire, ok, rst, status

HOST = "https:shop.example.com:443"
PATH = "/v4/user/1/hosts/https%3Ashop.example.com%3A443"
SITEMAP = "https://shop.example.com/sitemap.xml"
ENOUGH_S = 20.0
TAKEN = status(202, b'{"task_id":"c7","quota_remainder":149}')
ADDED = status(201, b'{"sitemap_id":"c7-fe:80-c0"}')


def found(body: object) -> Answer:
    return ok(json.dumps(body).encode(), "application/json")


def refused(code: int, error_code: str, **more: object) -> Answer:
    return status(code, json.dumps({"error_code": error_code, **more}).encode())


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        running.on("/v4/user", found({"user_id": 1}))
        yield running


def yandex(server: FaultServer, token: str = YANDEX_TOKEN, **settings: SettingValue) -> Yandex:
    account = plain_account("yandex", server.url(""), **settings)
    return open_yandex(account, MaskedSecret(token), StillClock())


def sitemap_call(sitemap: str = SITEMAP, host: str = HOST) -> Call:
    site = "https://shop.example.com"
    return Call(Action(site, "yandex", "yandex", host, Kind.SITEMAP, sitemap, "new", "c1"))


# ---------------------------------------------------------------- out


def test_a_page_goes_out_alone_into_the_queue(server: FaultServer) -> None:
    server.on(f"{PATH}/recrawl/queue", TAKEN)
    page = "https://shop.example.com/%E6%96%B0"
    receipt = yandex(server).send(pages_call("yandex", HOST, page), timeout_s=ENOUGH_S)
    assert (receipt.state, receipt.quota_left) == (State.ACCEPTED, 149)
    who, request = server.requests
    assert (who.method, who.target) == ("GET", "/v4/user")
    assert (request.method, request.target) == ("POST", f"{PATH}/recrawl/queue")
    assert request.headers["authorization"] == f"OAuth {YANDEX_TOKEN}"
    assert request.headers["content-type"].startswith("application/json")
    assert json.loads(request.body) == {"url": page}


def test_a_sitemap_is_added(server: FaultServer) -> None:
    server.on(f"{PATH}/user-added-sitemaps", ADDED)
    assert yandex(server).send(sitemap_call(), timeout_s=ENOUGH_S).state is State.ACCEPTED
    assert json.loads(server.requests[-1].body) == {"url": SITEMAP}


@pytest.mark.parametrize("urls", [(), ("https://shop.example.com/1", "https://shop.example.com/2")])
def test_a_call_is_for_one_page(server: FaultServer, urls: tuple[str, ...]) -> None:
    call = Call(pages_call("yandex", HOST).action, urls)
    with pytest.raises(Refused) as caught:
        yandex(server).send(call, timeout_s=ENOUGH_S)
    assert not caught.value.sent
    assert not server.asked(f"{PATH}/recrawl/queue")


def test_without_an_endpoint_yandex_is_called() -> None:
    engine = open_yandex(plain_account("yandex"), MaskedSecret(YANDEX_TOKEN), StillClock())
    assert engine._settings.base == "https://api.webmaster.yandex.net"
    assert YANDEX_TOKEN not in repr(engine._settings)


def test_an_endpoint_may_have_a_prefix() -> None:
    with FaultServer() as server:
        server.on("/yandex/v4/user", found({"user_id": 1}))
        server.on(f"/yandex{PATH}/recrawl/queue", TAKEN)
        account = plain_account("yandex", server.url("/yandex/"))
        engine = open_yandex(account, MaskedSecret(YANDEX_TOKEN), StillClock())
        assert engine.send(pages_call("yandex", HOST), timeout_s=ENOUGH_S).state is State.ACCEPTED


@pytest.mark.parametrize("answer", [rst(), status(500), status(502), ok(b""), refused(500, "OOPS")])
def test_a_write_is_never_repeated_when_its_answer_is_lost(
    server: FaultServer, answer: Answer
) -> None:
    server.on(f"{PATH}/user-added-sitemaps", answer, ADDED)
    with pytest.raises(OutcomeUnknown):
        yandex(server).send(sitemap_call(), timeout_s=ENOUGH_S)
    assert len(server.asked(f"{PATH}/user-added-sitemaps")) == 1


@pytest.mark.parametrize("token", ["", " ", "two words", "tökén", "a\nb"])
def test_what_cannot_be_a_token_is_refused_unseen(server: FaultServer, token: str) -> None:
    with pytest.raises(ConfigError) as caught:
        yandex(server, token)
    assert "accounts.yandex.token" in str(caught.value)
    assert not token.strip() or token not in str(caught.value)


# ---------------------------------------------------------------- the user


def test_the_user_is_looked_up_once_for_all_threads(server: FaultServer) -> None:
    server.on(f"{PATH}/recrawl/queue", TAKEN)
    engine, call = yandex(server), pages_call("yandex", HOST)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: engine.send(call, timeout_s=ENOUGH_S), range(20)))
    assert len(server.asked("/v4/user")) == 1
    assert len(server.asked(f"{PATH}/recrawl/queue")) == 20


def test_without_a_user_nothing_is_sent(server: FaultServer) -> None:
    server.on("/v4/user", rst(), found({"user_id": 1}))
    server.on(f"{PATH}/recrawl/queue", TAKEN)
    engine = yandex(server)
    with pytest.raises(EngineUnavailable):
        engine.send(pages_call("yandex", HOST), timeout_s=ENOUGH_S)
    assert not server.asked(f"{PATH}/recrawl/queue")
    assert engine.send(pages_call("yandex", HOST), timeout_s=ENOUGH_S).state is State.ACCEPTED


def test_a_dead_token_shows_itself_at_the_first_question(server: FaultServer) -> None:
    server.on("/v4/user", refused(403, "INVALID_OAUTH_TOKEN"))
    with pytest.raises(NotAuthorized) as caught:
        yandex(server).survey(timeout_s=ENOUGH_S)
    assert (caught.value.scope, caught.value.cause) == ("account", "token-invalid")


def test_a_wrong_user_is_looked_up_again(server: FaultServer) -> None:
    server.on("/v4/user", found({"user_id": 2}), found({"user_id": 1}))
    wrong = refused(403, "INVALID_USER_ID", available_user_id=1)
    server.on(PATH.replace("/1/", "/2/") + "/recrawl/queue", wrong)
    server.on(f"{PATH}/recrawl/queue", TAKEN)
    engine = yandex(server)
    with pytest.raises(EngineUnavailable):
        engine.send(pages_call("yandex", HOST), timeout_s=ENOUGH_S)
    assert engine.send(pages_call("yandex", HOST), timeout_s=ENOUGH_S).state is State.ACCEPTED


# ---------------------------------------------------------------- hosts


def test_a_survey_is_two_calls(server: FaultServer) -> None:
    row = {"host_id": HOST, "ascii_host_url": "https://shop.example.com/", "verified": True}
    server.on("/v4/user/1/hosts", found({"hosts": [row]}))
    survey = yandex(server).survey(timeout_s=ENOUGH_S)
    shop = Property(HOST, "verified", True, "https://shop.example.com/")
    assert survey == Survey("yandex", (shop,), "user 1")
    assert [request.target for request in server.requests] == ["/v4/user", "/v4/user/1/hosts"]


def listing(*rows: tuple[str, str, bool]) -> Survey:
    hosts = (Property(name, "", verified, url) for name, url, verified in rows)
    return Survey("yandex", tuple(hosts), "user 1")


SHOP = Site("shop.example.com")
HOSTS = [
    (SHOP, listing((HOST, "https://shop.example.com/", True)), HOST),
    (SHOP, listing((HOST, "https://shop.example.com", True)), HOST),
    (SHOP, listing((HOST, "https://SHOP.example.com:443/", False)), HOST),
    (SHOP, listing(("opaque-id", "https://shop.example.com/", True)), "opaque-id"),
    (SHOP, listing(("http:shop.example.com:80", "http://shop.example.com/", True)), SHOP.origin),
    (SHOP, listing((HOST, "", True), ("x", "not an address", True)), SHOP.origin),
    (SHOP, None, SHOP.origin),
    (
        Site("shop.example.com", scheme="http"),
        listing(("http:shop.example.com:80", "http://shop.example.com/", True)),
        "http:shop.example.com:80",
    ),
    (
        Site("xn--e1afmkfd.example"),
        listing(("https:xn--e1afmkfd.example:443", "https://пример.example/", True)),
        "https:xn--e1afmkfd.example:443",
    ),
    (
        Site("shop.example.com:8443"),
        listing(("https:shop.example.com:8443", "https://shop.example.com:8443/", True)),
        "https:shop.example.com:8443",
    ),
]


@pytest.mark.parametrize(("site", "survey", "name"), HOSTS)
def test_a_host_id_is_looked_up_and_never_built(
    site: Site, survey: Survey | None, name: str
) -> None:
    assert property_of(site, survey) == name


def test_a_verified_host_passes() -> None:
    check_host(HOST, listing((HOST, "https://shop.example.com/", True)))


@pytest.mark.parametrize(
    ("name", "cause"), [("https://shop.example.com", "host-missing"), (HOST, "host-unverified")]
)
def test_preflight_says_what_the_list_shows(server: FaultServer, name: str, cause: str) -> None:
    survey = listing((HOST, "https://shop.example.com/", False))
    with pytest.raises(NotAuthorized) as caught:
        yandex(server).preflight(sitemap_call(host=name).action, survey)
    assert (caught.value.scope, caught.value.cause, caught.value.sent) == ("property", cause, False)


# ---------------------------------------------------------------- lists


def paged(rows: list[dict[str, object]], cursor: str) -> Answer:
    """A list that keeps to its cursor: begins after the row that it names."""

    def answer(wire: Wire, request: Request) -> None:
        query = dict(part.split("=") for part in request.target.partition("?")[2].split("&"))
        ids = [str(row["sitemap_id"]) for row in rows]
        begin = ids.index(query[cursor]) + 1 if cursor in query else 0
        page = rows[begin : begin + int(query["limit"])]
        found({"sitemaps": page, "count": len(rows)})(wire, request)

    return answer


def rows(count: int) -> list[dict[str, object]]:
    return [
        {
            "sitemap_id": f"id-{n}",
            "sitemap_url": f"https://shop.example.com/{n}.xml",
            "urls_count": n,
        }
        for n in range(count)
    ]


@pytest.mark.parametrize(("count", "calls"), [(0, 1), (99, 1), (100, 2), (101, 2), (250, 3)])
def test_both_lists_are_read_to_their_end(server: FaultServer, count: int, calls: int) -> None:
    server.on(f"{PATH}/user-added-sitemaps", paged(rows(count), "offset"))
    server.on(f"{PATH}/sitemaps", paged(rows(count), "from"))
    asked = [*(str(row["sitemap_url"]) for row in rows(count)), "https://shop.example.com/no.xml"]
    checks = yandex(server).checks(HOST, asked, timeout_s=ENOUGH_S)
    assert [check.urls_submitted for check in checks] == list(range(count))
    assert len(server.asked(f"{PATH}/sitemaps")) == calls
    assert len(server.asked(f"{PATH}/user-added-sitemaps")) == calls
    assert server.asked(f"{PATH}/sitemaps")[0].target.endswith(f"?limit={PAGE_SIZE}")


def test_reading_ends_when_everything_was_seen(server: FaultServer) -> None:
    server.on(f"{PATH}/user-added-sitemaps", paged(rows(1_000), "offset"))
    server.on(f"{PATH}/sitemaps", paged(rows(1_000), "from"))
    asked = ["https://shop.example.com/7.xml", "https://shop.example.com/150.xml"]
    assert len(yandex(server).checks(HOST, asked, timeout_s=ENOUGH_S)) == 2
    assert len(server.asked(f"{PATH}/sitemaps")) == 2


def test_a_list_that_turns_in_circles_is_left(server: FaultServer) -> None:
    server.on(f"{PATH}/user-added-sitemaps", found({"sitemaps": rows(PAGE_SIZE)}))
    server.on(f"{PATH}/sitemaps", found({"sitemaps": [{"sitemap_url": "x"}] * PAGE_SIZE}))
    assert (
        yandex(server).checks(HOST, ["https://shop.example.com/no.xml"], timeout_s=ENOUGH_S) == []
    )
    assert len(server.asked(f"{PATH}/user-added-sitemaps")) == 2
    assert len(server.asked(f"{PATH}/sitemaps")) == 1


def test_a_list_without_end_is_left(server: FaultServer) -> None:
    asked = 0

    def endless(wire: Wire, request: Request) -> None:
        nonlocal asked
        asked += 1
        page = [{"sitemap_id": f"{asked}-{n}", "sitemap_url": "x"} for n in range(PAGE_SIZE)]
        found({"sitemaps": page})(wire, request)

    server.on(f"{PATH}/user-added-sitemaps", found({"sitemaps": []}))
    server.on(f"{PATH}/sitemaps", endless)
    assert (
        yandex(server).checks(HOST, ["https://shop.example.com/no.xml"], timeout_s=ENOUGH_S) == []
    )
    assert asked == MAX_PAGES


def test_the_quota_is_read_for_one_host(server: FaultServer) -> None:
    server.on(f"{PATH}/recrawl/quota", found({"daily_quota": 150, "quota_remainder": 20}))
    assert yandex(server).read_quota(HOST, timeout_s=ENOUGH_S) == QuotaReading(150, 20)


# ---------------------------------------------------------------- the token's age

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("age", "severity", "words"),
    [
        (0, None, ""),
        (151, None, ""),
        (152, Severity.WARNING, "about 30 days are left"),
        (181, Severity.WARNING, "about 1 days are left"),
        (182, Severity.ERROR, "are over"),
        (400, Severity.ERROR, "are over"),
        (-3, None, ""),
    ],
)
def test_a_token_is_warned_about_a_month_before_it_ends(
    age: int, severity: Severity | None, words: str
) -> None:
    issued = TODAY - timedelta(days=age)
    finding = token_age(plain_account("yandex", token_issued=issued.isoformat()), TODAY)
    assert (finding.severity if finding else None) == severity
    assert words in (finding.message if finding else "")
    assert timedelta(days=150) < TOKEN_LIFE < timedelta(days=190)


def test_without_a_day_nothing_is_said() -> None:
    assert token_age(plain_account("yandex"), TODAY) is None


@pytest.mark.parametrize(
    "written", ["", "soon", "2026-13-01", "20261130", "2026-W48-1", "30.11.2026"]
)
def test_what_is_no_day_is_a_fault_of_the_inventory(server: FaultServer, written: str) -> None:
    with pytest.raises(ConfigError) as caught:
        yandex(server, token_issued=written)
    assert "accounts.yandex.token_issued" in str(caught.value)


def test_traits_tell_what_the_inventory_may_say() -> None:
    assert {option.name for option in TRAITS.options} == {"daily_limit", "token_issued"}
    assert (TRAITS.day_zone, TRAITS.batch_size) == ("Europe/Moscow", 1)
