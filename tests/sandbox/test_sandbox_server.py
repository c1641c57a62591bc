"""The listener: keep-alive, odd requests, and an end that leaves nothing behind."""

from __future__ import annotations

import gc
import http.client
import logging
import socket
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from submitter.sandbox import Sandbox, Section
from submitter.sandbox.part import Call, Verdict
from submitter.sandbox.wire import Request


def connect(sandbox: Sandbox) -> socket.socket:
    host, port = sandbox.address.split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def test_a_connection_serves_many_requests(sandbox: Sandbox) -> None:
    connection = http.client.HTTPConnection(sandbox.address, timeout=10)
    try:
        ports = set()
        for _ in range(50):
            connection.request("GET", "/-/")
            connection.getresponse().read()
            ports.add(connection.sock.getsockname()[1])
        assert len(ports) == 1
    finally:
        connection.close()


def test_stopping_ends_idle_connections_and_every_thread() -> None:
    before = set(threading.enumerate())
    sandbox = Sandbox().start()
    connections = [connect(sandbox) for _ in range(5)]
    assert requests.get(f"{sandbox.base_url}/-/", timeout=10).ok
    sandbox.stop()
    assert set(threading.enumerate()) == before
    for connection in connections:
        with connection:
            assert connection.recv(1) == b""


def test_stopping_leaves_no_socket_open() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        sandbox = Sandbox().start()
        address = sandbox.address
        with connect(sandbox) as connection:
            connection.sendall(b"GET /-/ HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(12) == b"HTTP/1.1 200"
        sandbox.stop()
        del sandbox
        gc.collect()
    host, port = address.split(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), timeout=10)


def test_stopping_twice_or_before_the_start_is_harmless() -> None:
    sandbox = Sandbox()
    sandbox.stop()
    sandbox.start()
    sandbox.stop()
    sandbox.stop()
    with pytest.raises(RuntimeError, match="not started"):
        _ = sandbox.address


def test_a_stopped_sandbox_can_be_started_again_on_its_port() -> None:
    with Sandbox() as first:
        port = int(first.address.split(":")[1])
    again = Sandbox(port=port)
    with again:
        assert again.address == f"127.0.0.1:{port}"
        assert requests.get(f"{again.base_url}/-/", timeout=10).ok


def test_a_client_that_sends_half_a_body_is_not_applied(sandbox: Sandbox) -> None:
    sandbox.baidu.add_site("shop.fleet.test")
    with connect(sandbox) as connection:
        connection.sendall(
            f"POST /baidu/urls?site=shop.fleet.test&token={sandbox.baidu.token} HTTP/1.1\r\n"
            "Host: x\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n"
            "http://shop.fleet.test/a\n".encode()
        )
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert sandbox.baidu.book.count() == 0


def test_a_client_that_asks_first_is_told_to_go_on(sandbox: Sandbox) -> None:
    with connect(sandbox) as connection:
        connection.sendall(
            b"POST /-/clock HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
            b"Content-Length: 16\r\n\r\n"
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n")
        connection.sendall(b'{"advance_s": 1}')
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"Transfer-Encoding: chunked\r\n", b"411"),
        (b"Content-Length: 99999999999\r\n", b"413"),
        (b"Content-Length: many\r\n", b"413"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(
    head: bytes, status: bytes, sandbox: Sandbox
) -> None:
    with connect(sandbox) as connection:
        connection.sendall(b"POST /baidu/urls HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n")
        assert connection.recv(12) == b"HTTP/1.1 " + status


def test_an_old_client_gets_a_long_document_until_the_connection_ends(sandbox: Sandbox) -> None:
    sandbox.fleet.add_site("shop", Section("pages", 2_000))
    with connect(sandbox) as connection:
        connection.sendall(b"GET /sitemap-pages-1.xml HTTP/1.0\r\nHost: shop.fleet.test\r\n\r\n")
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert b"Transfer-Encoding" not in received
    assert received.endswith(b"</urlset>\n")


def test_head_says_everything_but_the_body(sandbox: Sandbox) -> None:
    sandbox.fleet.add_site("shop", Section("pages", 3))
    answer = requests.head(
        f"{sandbox.base_url}/sitemap-pages-1.xml", headers={"Host": "shop.fleet.test"}, timeout=10
    )
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 100


@pytest.mark.parametrize("path", ["/", "/bing/urls", "/googled/x"])
def test_what_is_neither_site_nor_engine_is_not_found(path: str, sandbox: Sandbox) -> None:
    assert requests.get(sandbox.base_url + path, timeout=10).status_code == 404


def test_a_path_without_a_slash_is_not_found(sandbox: Sandbox) -> None:
    with connect(sandbox) as connection:
        connection.sendall(b"GET nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 404"


def test_a_host_may_carry_its_port(sandbox: Sandbox) -> None:
    sandbox.fleet.add_site("shop", Section("pages", 3))
    answer = requests.get(
        f"{sandbox.base_url}/robots.txt", headers={"Host": "SHOP.fleet.test:80"}, timeout=10
    )
    assert "shop.fleet.test" in answer.text


def test_it_is_quiet(sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    requests.get(f"{sandbox.base_url}/-/", timeout=10)
    assert [r for r in caplog.records if r.name.startswith("submitter.sandbox")] == []


def test_a_bug_of_the_sandbox_is_loud(sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    class Faulty(type(sandbox.baidu)):  # type: ignore[misc]
        def decide(self, request: Request, call: Call) -> Verdict:
            raise ZeroDivisionError

    sandbox._engines["baidu"] = Faulty(sandbox.clock)
    with pytest.raises(requests.ConnectionError):
        requests.post(f"{sandbox.base_url}/baidu/urls", timeout=10)
    sandbox.stop()
    assert "the sandbox failed to answer" in caplog.text


def test_many_connections_at_once_are_all_served(sandbox: Sandbox) -> None:
    sandbox.fleet.add_site("shop", Section("pages", 2_000))

    def fetch(number: int) -> int:
        with requests.Session() as session:
            session.trust_env = False
            session.headers["Host"] = "shop.fleet.test"
            paths = ("/robots.txt", "/sitemap-pages-1.xml", "/sitemap-index.xml")
            bodies = [session.get(sandbox.base_url + path, timeout=30).content for path in paths]
            return sum(map(len, bodies))

    with ThreadPoolExecutor(16) as pool:
        sizes = set(pool.map(fetch, range(48)))
    assert len(sizes) == 1
    assert sandbox.fleet.book.count() == 144
