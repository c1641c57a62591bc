"""Faults: which calls they hit, and what a client sees."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator

import pytest
import requests
from sandbox_clients import push

from submitter.sandbox import FaultKind, Sandbox, Section
from submitter.sandbox.faults import Faults

SITE = "shop.fleet.test"
PAGE = f"http://{SITE}/a"


@pytest.fixture
def shop(still: Sandbox) -> Sandbox:
    still.baidu.add_site(SITE, quota=10)
    still.fleet.add_site("shop", Section("pages", 30))
    return still


@pytest.fixture
def raw(shop: Sandbox) -> Iterator[socket.socket]:
    """A bare connection, to see how it ends."""
    host, port = shop.address.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        yield connection


def raw_push(shop: Sandbox, path: str = "/baidu/urls") -> bytes:
    head = (
        f"POST {path}?site={SITE}&token={shop.baidu.token} HTTP/1.1\r\nHost: {shop.address}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(PAGE)}\r\n\r\n"
    )
    return f"{head}{PAGE}".encode()


# ---------------------------------------------------------------- which calls


@pytest.mark.parametrize(
    ("rules", "hits"),
    [
        ({}, "x....."),
        ({"times": 2}, "xx...."),
        ({"times": None}, "xxxxxx"),
        ({"every": 2, "times": None}, ".x.x.x"),
        ({"skip": 3}, "...x.."),
        ({"skip": 1, "every": 2, "times": 2}, "..x.x."),
    ],
)
def test_a_fault_hits_the_calls_it_was_told_to(rules: dict[str, object], hits: str) -> None:
    faults = Faults()
    faults.add("reset", **rules)
    seen = "".join("x" if faults.strike("push", SITE) else "." for _ in hits)
    assert seen == hits
    assert faults.hits() == hits.count("x")


def test_a_fault_is_for_one_kind_of_call_or_one_key() -> None:
    faults = Faults()
    faults.add("reset", call="sitemaps.*", key="*shop*", times=None)
    assert faults.strike("sitemaps.submit", "http://shop.fleet.test/")
    assert not faults.strike("sitemaps.submit", "http://www.fleet.test/")
    assert not faults.strike("sites.list", "http://shop.fleet.test/")


def test_the_first_fault_that_hits_wins_and_the_rest_wait() -> None:
    faults = Faults()
    faults.add("reset")
    faults.add("hang")
    kinds = [fault.kind for _ in range(3) if (fault := faults.strike("push", SITE))]
    assert kinds == [FaultKind.RESET, FaultKind.HANG]


def test_cleared_faults_hit_nothing() -> None:
    faults = Faults()
    faults.add("reset", times=None)
    faults.clear()
    assert faults.strike("push", SITE) is None


@pytest.mark.parametrize(
    "rules",
    [
        {"kind": "explode"},
        {"kind": "reset", "every": 0},
        {"kind": "reset", "times": 0},
        {"kind": "reset", "when": "now"},
        {"kind": "answer", "answer": "no-such-answer"},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(rules: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Faults().add(**rules)  # type: ignore[arg-type]


# ---------------------------------------------------------------- what a client sees


def test_a_reset_before_the_call_leaves_nothing_done(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.faults.add("reset")
    with pytest.raises(requests.ConnectionError):
        push(shop, http, SITE, PAGE)
    (entry,) = shop.baidu.book.entries()
    assert (entry.accepted, entry.status, entry.fault) == ((), None, "reset")
    assert entry.refused == {PAGE: "fault"}
    assert shop.baidu.left(SITE) == 10


def test_a_reset_after_the_call_leaves_it_done_and_in_the_book(
    shop: Sandbox, http: requests.Session
) -> None:
    shop.baidu.faults.add("reset", after=True)
    with pytest.raises(requests.ConnectionError):
        push(shop, http, SITE, PAGE)
    (entry,) = shop.baidu.book.entries()
    assert (entry.accepted, entry.status, entry.fault) == ((PAGE,), None, "reset after")
    assert shop.baidu.left(SITE) == 9
    assert push(shop, http, SITE, PAGE).json()["success"] == 1
    assert shop.baidu.book.more_than_once("push") == {(SITE, PAGE): 2}


def test_a_reset_is_a_reset_on_the_wire(shop: Sandbox, raw: socket.socket) -> None:
    shop.baidu.faults.add("reset", after=True)
    raw.sendall(raw_push(shop))
    with pytest.raises(ConnectionResetError):
        raw.recv(1)


def test_a_close_is_an_orderly_end_without_an_answer(shop: Sandbox, raw: socket.socket) -> None:
    shop.baidu.faults.add("close", after=True)
    raw.sendall(raw_push(shop))
    assert raw.recv(1) == b""
    assert shop.baidu.left(SITE) == 9


def test_a_hang_outlasts_the_clients_patience(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.faults.add("hang", after=True)
    address = f"{shop.baidu.endpoint}/urls?site={SITE}&token={shop.baidu.token}"
    with pytest.raises(requests.ReadTimeout):
        http.post(address, data=PAGE, headers={"Content-Type": "text/plain"}, timeout=0.2)
    assert shop.baidu.book.accepted() == [PAGE]


def test_a_hanging_connection_does_not_hold_up_others_nor_the_end(
    shop: Sandbox, http: requests.Session, raw: socket.socket
) -> None:
    shop.baidu.faults.add("hang", seconds=600)
    raw.sendall(raw_push(shop))
    seen = [http.get(f"{shop.base_url}/-/", timeout=10).status_code for _ in range(20)]
    assert set(seen) == {200}
    assert push(shop, http, SITE, "*").status_code == 200
    shop.stop()
    assert raw.recv(1) == b""


def test_a_delayed_answer_is_the_parts_own(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.faults.add("delay", seconds=0.01)
    assert push(shop, http, SITE, PAGE).json() == {"remain": 9, "success": 1}
    assert shop.baidu.book.entries()[0].fault == "delay"


@pytest.mark.parametrize(("after", "left"), [(False, 10), (True, 9)])
def test_garbage_may_hide_that_the_call_was_done(
    after: bool, left: int, shop: Sandbox, http: requests.Session
) -> None:
    shop.baidu.faults.add("garbage", after=after)
    answer = push(shop, http, SITE, PAGE)
    assert answer.status_code == 200
    assert answer.text.startswith("<!DOCTYPE html>")
    assert shop.baidu.left(SITE) == left


def test_any_status_body_and_retry_after_can_be_sent(shop: Sandbox, http: requests.Session) -> None:
    shop.baidu.faults.add("answer", status=503, body='{"error": 1}', retry_after="soon")
    answer = push(shop, http, SITE, PAGE)
    assert (answer.status_code, answer.json()) == (503, {"error": 1})
    assert answer.headers["retry-after"] == "soon"
    assert answer.headers["content-type"].startswith("application/json")


def test_a_gateway_error_may_follow_a_call_that_was_done(
    shop: Sandbox, http: requests.Session
) -> None:
    shop.baidu.faults.add("answer", answer="gateway", after=True)
    assert push(shop, http, SITE, PAGE).status_code == 502
    (entry,) = shop.baidu.book.entries()
    assert (entry.accepted, entry.status, entry.fault) == ((PAGE,), 502, "answer after")


@pytest.mark.parametrize("path", ["/robots.txt", "/sitemap-pages-1.xml"])
def test_a_cut_answer_is_shorter_than_it_promised(
    path: str, shop: Sandbox, http: requests.Session
) -> None:
    shop.fleet.faults.add("cut", at=10)
    with pytest.raises((requests.exceptions.ChunkedEncodingError, requests.ConnectionError)):
        http.get(f"{shop.base_url}{path}", headers={"Host": SITE}, timeout=10)


def test_a_cut_answer_still_gave_its_beginning(shop: Sandbox) -> None:
    shop.fleet.faults.add("cut", at=10)
    connection = http.client.HTTPConnection(shop.address, timeout=10)
    try:
        connection.request("GET", "/robots.txt", headers={"Host": SITE})
        answer = connection.getresponse()
        assert int(answer.headers["content-length"]) > 10
        assert answer.read(10) == b"User-agent"
        with pytest.raises((ConnectionResetError, http.client.IncompleteRead)):
            answer.read()
    finally:
        connection.close()


def test_a_dripping_answer_arrives_whole(shop: Sandbox, http: requests.Session) -> None:
    robots = http.get(f"{shop.base_url}/robots.txt", headers={"Host": SITE}, timeout=10).content
    shop.fleet.faults.add("drip", at=20, seconds=0.001)
    dripped = http.get(f"{shop.base_url}/robots.txt", headers={"Host": SITE}, timeout=10).content
    assert dripped == robots


def test_a_fault_of_one_host_spares_the_others(shop: Sandbox, http: requests.Session) -> None:
    shop.fleet.add_site("www", Section("pages", 2))
    shop.fleet.faults.add("answer", key=SITE, status=503, times=None)
    status = {
        host: http.get(
            f"{shop.base_url}/robots.txt", headers={"Host": host}, timeout=10
        ).status_code
        for host in (SITE, "www.fleet.test")
    }
    assert status == {SITE: 503, "www.fleet.test": 200}


def test_faults_count_right_under_many_threads() -> None:
    faults, hits = Faults(), list[bool]()
    faults.add("reset", every=3, times=None)

    def strike() -> None:
        hits.extend(bool(faults.strike("push", SITE)) for _ in range(300))

    threads = [threading.Thread(target=strike) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hits.count(True) == 600
