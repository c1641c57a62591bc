"""What all engines share: the transport's edge, base addresses, statuses, words in messages."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from engine_rows import NOW, baidu_account

from submitter.engines._http import (
    EngineRequest,
    EngineResponse,
    Transport,
    base_url,
    error_of_status,
    is_loopback,
    json_of,
    masked,
    quoted,
)
from submitter.engines._wire import _connect_problem
from submitter.errors import (
    ConfigError,
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    OutcomeUnknown,
    Refused,
    TooFast,
)
from support.certificates import Authority
from support.fault_server import FaultServer, Wire, gzipped, ok, rst, status


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
def transport() -> Transport:
    return Transport("engine")


# ---------------------------------------------------------------- on the wire


def test_an_address_goes_out_as_it_is(server: FaultServer, transport: Transport) -> None:
    target = "/urls?site=https://www.example.com&token=Ab1&x=%e4%E4"
    server.on("/urls", ok())
    transport.send(EngineRequest("POST", server.url(target), body=b"x"), timeout_s=20)
    assert server.requests[0].target == target.replace("%e4", "%E4")


def test_a_put_without_a_body_says_so(server: FaultServer, transport: Transport) -> None:
    server.on("/", status(204))
    transport.send(EngineRequest("PUT", server.url("/")), timeout_s=20)
    assert server.requests[0].headers["content-length"] == "0"


def test_one_connection_serves_many_calls(server: FaultServer, transport: Transport) -> None:
    server.on("/", ok(b"{}"))
    for _ in range(5):
        transport.send(EngineRequest("GET", server.url("/")), timeout_s=20)
    assert server.connections == 1


def test_a_connection_serves_the_next_call_of_whichever_thread(
    server: FaultServer, transport: Transport
) -> None:
    server.on("/", ok(b"{}"))
    request = EngineRequest("GET", server.url("/"))
    for _ in range(3):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(transport.send, request, timeout_s=20).result(60)
    assert server.connections == 1


def test_a_connection_that_was_idle_for_long_is_not_used_again(server: FaultServer) -> None:
    transport = Transport("engine", max_idle_s=0.0)
    server.on("/", ok(b"{}"))
    for _ in range(2):
        transport.send(EngineRequest("GET", server.url("/")), timeout_s=20)
    assert server.connections == 2


def test_connections_grow_old_host_by_host(server: FaultServer) -> None:
    """A call to another host does not keep one young."""
    transport = Transport("engine")
    server.on("/", ok(b"{}"))
    one, other = server.url("/"), server.url("/").replace("127.0.0.1", "localhost")
    for url in (one, other, one):
        transport.send(EngineRequest("GET", url), timeout_s=20)
    assert server.connections == 2
    [(_, first)], [(_, second)] = transport._idle.values()
    assert first > second


def test_connections_that_nobody_will_use_any_more_are_closed(server: FaultServer) -> None:
    server.on("/", ok(b"{}"))
    request = EngineRequest("GET", server.url("/"))
    transport = Transport("engine", max_idle_s=0.0)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(transport.send, request, timeout_s=20) for _ in range(8)]:
            done.result(60)
    transport.send(request, timeout_s=20)
    assert [len(idle) for idle in transport._idle.values()] == [1]


def test_a_compressed_answer_is_inflated_although_none_was_asked_for(
    server: FaultServer, transport: Transport
) -> None:
    server.on("/", gzipped(b'{"a":1}'))
    answer = transport.send(EngineRequest("GET", server.url("/")), timeout_s=20)
    assert json_of(answer) == {"a": 1}
    assert server.requests[0].headers["accept-encoding"] == "identity"


def test_a_longer_answer_is_read_where_a_call_allows_it(
    server: FaultServer, transport: Transport
) -> None:
    server.on("/", ok(b"x" * 2_000_000))
    request = EngineRequest("GET", server.url("/"))
    with pytest.raises(EngineUnavailable, match="over 1,048,576 bytes"):
        transport.send(request, timeout_s=20)
    longer = replace(request, max_answer_bytes=3_000_000)
    assert len(transport.send(longer, timeout_s=20).body) == 2_000_000


@pytest.mark.parametrize(
    ("method", "kind"),
    [("GET", EngineUnavailable), ("PUT", OutcomeUnknown), ("POST", OutcomeUnknown)],
)
def test_only_a_lost_write_is_unknown(
    server: FaultServer, transport: Transport, method: str, kind: type[EngineError]
) -> None:
    server.on("/", rst())
    with pytest.raises(kind) as caught:
        transport.send(EngineRequest(method, server.url("/")), timeout_s=20)
    assert caught.value.sent


@pytest.mark.parametrize("value", ["a\r\nX-Injected: 1", "a\nb", "token-\u2026"])
def test_a_header_that_cannot_be_sent_is_not_sent(
    server: FaultServer, transport: Transport, value: str
) -> None:
    request = EngineRequest("POST", server.url("/"), {"Authorization": value})
    with pytest.raises(EngineUnavailable) as caught:
        transport.send(request, timeout_s=20)
    assert not caught.value.sent
    assert value not in str(caught.value)
    assert not server.requests


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example"])
def test_an_impossible_host_is_not_sent(transport: Transport, host: str) -> None:
    with pytest.raises(EngineUnavailable) as caught:
        transport.send(EngineRequest("POST", f"http://{host}/"), timeout_s=20)
    assert not caught.value.sent


@pytest.mark.parametrize("kind", ["unknown authority", "expired", "TLS on a plain port"])
def test_without_tls_nothing_is_sent(tmp_path: Path, transport: Transport, kind: str) -> None:
    authority = Authority(tmp_path)
    tls = {
        "unknown authority": authority.tls("127.0.0.1"),
        "expired": authority.tls_expired("127.0.0.1"),
        "TLS on a plain port": None,
    }[kind]
    with FaultServer(tls=tls) as server:
        url = server.url("/urls?token=secret").replace("http://", "https://")
        if tls is None:
            server.on_accept(speak_plainly)
        with pytest.raises(EngineUnavailable) as caught:
            transport.send(EngineRequest("POST", url, body=b"x"), timeout_s=20)
        assert not server.requests
    assert not caught.value.sent
    assert "secret" not in str(caught.value)
    assert ("certificate" in str(caught.value)) == (tls is not None)


def speak_plainly(wire: Wire) -> None:
    wire.send(b"220 no TLS here\r\n")
    wire.close()


def test_a_name_that_does_not_resolve_is_called_so() -> None:
    error = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    assert _connect_problem(error) == "the host's name cannot be resolved"


def test_log_lines_of_libraries_lose_their_queries(
    server: FaultServer, transport: Transport, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.on("/urls", ok())
    transport.send(EngineRequest("POST", server.url("/urls?token=secret")), timeout_s=20)
    logging.getLogger("urllib3.connection").warning("(url=%s): %s", "http://h/?token=secret", "x")
    assert "POST /urls?…" in caplog.text
    assert "secret" not in caplog.text


# ---------------------------------------------------------------- in messages


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://h:8/urls?site=a&token=secret", "PUT http://h:8/urls"),
        ("https://user:secret@h/a", "PUT https://h/a"),
        ("https://h/s/https%3A%2F%2Fe%2Fa%3Ftoken%3Dsecret", "PUT https://h/s/https%3A%2F%2Fe%2Fa"),
        ("https://h/s/https%3a%2f%2fe%2fa%3ftoken%3dsecret", "PUT https://h/s/https%3a%2f%2fe%2fa"),
    ],
)
def test_a_call_is_shown_without_its_query(url: str, shown: str) -> None:
    assert EngineRequest("PUT", url).shown == shown


def test_a_call_shows_nothing_secret_of_itself() -> None:
    request = EngineRequest(
        "PUT", "http://h/?t=secret", {"Authorization": "secret"}, b"secret", ("secret",)
    )
    assert "secret" not in repr(request)


def test_an_answer_does_not_repeat_our_secret() -> None:
    body = b"token=a%2Bb or a+b, and a+b again"
    assert masked(body, ("a+b", "")) == b"token=*** or ***, and *** again"


def test_words_are_cut_and_made_printable() -> None:
    assert quoted("  two\r\n lines\x1b[31m ") == r': "two lines\x1b[31m"'
    assert len(quoted("x" * 5000)) <= 204
    assert quoted(" \n ") == ""


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "9" * 10_000, "\ufeff", "<html>", "NaN,"])
def test_what_is_no_json_is_none(text: str) -> None:
    assert json_of(EngineResponse(200, {}, text.encode())) is None


def test_json_may_begin_with_a_byte_order_mark() -> None:
    assert json_of(EngineResponse(200, {}, b"\xef\xbb\xbf{}")) == {}


# ---------------------------------------------------------------- statuses

STATUSES = [
    (301, NotAuthorized, "account"),
    (308, NotAuthorized, "account"),
    (400, NotAuthorized, "property"),
    (401, NotAuthorized, "account"),
    (403, NotAuthorized, "account"),
    (404, NotAuthorized, "account"),
    (405, NotAuthorized, "account"),
    (408, EngineUnavailable, None),
    (410, NotAuthorized, "account"),
    (413, Refused, None),
    (414, Refused, None),
    (418, NotAuthorized, "property"),
    (429, TooFast, None),
    (500, OutcomeUnknown, None),
    (502, OutcomeUnknown, None),
    (503, EngineUnavailable, None),
    (504, OutcomeUnknown, None),
    (599, OutcomeUnknown, None),
    (999, OutcomeUnknown, None),
]


@pytest.mark.parametrize(("code", "kind", "scope"), STATUSES)
def test_a_bare_status_means_the_same_for_all(
    code: int, kind: type[EngineError], scope: str | None
) -> None:
    error = error_of_status("engine", EngineResponse(code, {}, b""), now=NOW)
    assert type(error) is kind
    assert error.http_status == code
    assert getattr(error, "scope", None) == scope


# ---------------------------------------------------------------- base addresses


@pytest.mark.parametrize(
    ("endpoint", "base"),
    [
        (None, "https://engine.example"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://localhost:1/google/", "http://localhost:1/google"),
        ("http://[::1]:1", "http://[::1]:1"),
    ],
)
def test_paths_follow_the_base_address(endpoint: str | None, base: str) -> None:
    assert base_url(baidu_account(endpoint), "https://engine.example") == base


@pytest.mark.parametrize(
    "endpoint",
    [
        "ftp://127.0.0.1",
        "127.0.0.1:80",
        "http://",
        "http://me:pass@127.0.0.1",
        "http://127.0.0.1/?token=x",
        "https://engine.example.net",
        "https://localhost.example.net",
        "https://169.254.169.254",
    ],
)
def test_another_address_is_refused(endpoint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        base_url(baidu_account(endpoint), "https://engine.example")
    assert "pass" not in str(caught.value)


def test_another_host_may_be_trusted() -> None:
    account = replace(baidu_account("https://relay.example.net/baidu"), trust_endpoint=True)
    assert base_url(account, "https://engine.example") == "https://relay.example.net/baidu"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("10.0.0.1", False),
        ("e.example", False),
    ],
)
def test_loopback_is_known(host: str, local: bool) -> None:
    assert is_loopback(host) is local
