"""What every engine promises (`ports.Engine`). A new engine adds a row to `engine_rows.rows`."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from engine_rows import Row, rows, spellings

from submitter.core.fleet import Site
from submitter.core.states import TOLD
from submitter.engines import ENGINES
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    OutcomeUnknown,
    Refused,
)
from submitter.ports import Engine
from support.fault_server import (
    Answer,
    FaultServer,
    accept_then_hang,
    accept_then_rst,
    bad_chunk,
    chunk_cut,
    drip,
    empty_200,
    gzip_bomb,
    header_flood,
    html_200,
    json_huge,
    long_length,
    ok,
    raw,
    redirect,
    retry_after,
    rst,
    slow_headers,
    stall_body,
    status,
)

SITE = Site("shop.example.com", domain="example.com")
QUICK_S = 0.5
ENOUGH_S = 20.0

LOST: dict[str, Answer] = {
    "reset": rst(),
    "reset in the answer": rst(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "closed without a word": raw(b""),
    "not HTTP": raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "length beyond the body": long_length(b'{"success":2,"remain":8}'),
    "chunk cut": chunk_cut(b'{"success":2,'),
    "chunk size is no number": bad_chunk(b'{"success":2,'),
    "too many headers": header_flood(),
    "over a mebibyte": json_huge(),
    "inflates without end": gzip_bomb(),
    "not gzip": ok(b"plain", content_encoding="gzip"),
    "200 with HTML": html_200(),
    "500 with HTML": status(500, b"<h1>Oops</h1>", content_type="text/html"),
    "502": status(502, b"<h1>Bad Gateway</h1>", content_type="text/html"),
    "504": status(504),
}
SLOW: dict[str, Answer] = {
    "header drips": slow_headers(),
    "body drips": drip(b'{"success":2,"remain":8}' + b" " * 200),
    "body stalls": stall_body(b'{"success":2,"remain":8}', after=5),
}


@pytest.fixture(params=sorted(ENGINES))
def row(request: pytest.FixtureRequest) -> Row:
    return rows()[request.param]


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def failure(engine: Engine, row: Row, timeout_s: float = ENOUGH_S) -> EngineError:
    with pytest.raises(EngineError) as caught:
        engine.send(row.call, timeout_s=timeout_s)
    return caught.value


def test_every_engine_has_a_row() -> None:
    assert rows().keys() == ENGINES.keys()


def test_a_good_answer_is_a_receipt(row: Row, server: FaultServer) -> None:
    server.on(row.path, row.good)
    receipt = row.open_at(server).send(row.call, timeout_s=ENOUGH_S)
    assert receipt.state in TOLD
    assert (receipt.rejected, receipt.unaccounted) == ({}, 0)


def test_opening_connects_to_nothing(row: Row, server: FaultServer) -> None:
    engine = row.open_at(server)
    assert engine.traits is ENGINES[row.engine].traits
    assert server.connections == 0


def test_a_send_is_one_call(row: Row, server: FaultServer) -> None:
    server.on(row.path, row.good)
    engine = row.open_at(server)
    for calls in (1, 2, 3):
        engine.send(row.call, timeout_s=ENOUGH_S)
        assert len(server.asked(row.path)) == calls


@pytest.mark.parametrize("fault", sorted(LOST))
def test_a_lost_answer_is_unknown_and_not_asked_for_again(
    row: Row, server: FaultServer, fault: str
) -> None:
    server.on(row.path, LOST[fault], row.good)
    error = failure(row.open_at(server), row)
    assert isinstance(error, OutcomeUnknown)
    assert error.sent
    assert len(server.asked(row.path)) == 1


@pytest.mark.parametrize("fault", sorted(SLOW))
def test_the_timeout_is_for_the_whole_call(row: Row, server: FaultServer, fault: str) -> None:
    """Each byte comes in time, the whole takes far longer: a timeout per read would wait."""
    server.on(row.path, SLOW[fault])
    assert isinstance(failure(row.open_at(server), row, QUICK_S), OutcomeUnknown)


def test_a_call_without_time_is_not_sent(row: Row, server: FaultServer) -> None:
    server.on(row.path, row.good)
    error = failure(row.open_at(server), row, 0.0)
    assert isinstance(error, EngineUnavailable)
    assert not error.sent
    assert server.connections == 0


def test_without_a_connection_nothing_was_sent(row: Row) -> None:
    with FaultServer() as gone:
        engine = row.open_at(gone)
    error = failure(engine, row)
    assert isinstance(error, EngineUnavailable)
    assert not error.sent


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_wrong_address_and_not_followed(
    row: Row, server: FaultServer, code: int
) -> None:
    server.on(row.path, redirect(server.url("/elsewhere"), code=code))
    error = failure(row.open_at(server), row)
    assert isinstance(error, NotAuthorized)
    assert (error.scope, error.cause) == ("account", "endpoint-redirects")
    assert not server.asked("/elsewhere")


@pytest.mark.parametrize("code", [404, 410])
def test_a_missing_base_path_closes_the_account(row: Row, server: FaultServer, code: int) -> None:
    server.on(row.path, status(code, b"<h1>Not Found</h1>", content_type="text/html"))
    error = failure(row.open_at(server), row)
    assert isinstance(error, NotAuthorized)
    assert (error.scope, error.cause) == ("account", "endpoint-gone")


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize(
    ("value", "wait"), [("7", 7.0), ("Mon, 30 Nov 2026 12:00:30 GMT", 20.0), ("soon", None)]
)
def test_too_busy_is_waited_for(
    row: Row, server: FaultServer, code: int, value: str, wait: float | None
) -> None:
    answer = retry_after(value, code, date="Mon, 30 Nov 2026 12:00:10 GMT")
    server.on(row.path, answer)
    error = failure(row.open_at(server), row)
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == wait


def test_an_entity_too_large_is_not_sent_again(row: Row, server: FaultServer) -> None:
    server.on(row.path, status(413))
    assert isinstance(failure(row.open_at(server), row), Refused)


def test_no_cookie_goes_back(row: Row, server: FaultServer) -> None:
    cookie = status(503, set_cookie="session=1; Path=/")
    server.on(row.path, cookie, row.good)
    engine = row.open_at(server)
    failure(engine, row)
    engine.send(row.call, timeout_s=ENOUGH_S)
    assert all("cookie" not in request.headers for request in server.requests)


def test_the_environment_names_no_proxy(
    row: Row, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server.on(row.path, row.good)
    assert row.open_at(server).send(row.call, timeout_s=ENOUGH_S)


def test_several_threads_share_an_engine(row: Row, server: FaultServer) -> None:
    server.on(row.path, row.good)
    engine = row.open_at(server)
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(engine.send, row.call, timeout_s=ENOUGH_S) for _ in range(40)]
        receipts = [future.result() for future in futures]
    assert {receipt.state in TOLD for receipt in receipts} == {True}
    assert len(server.asked(row.path)) == 40


def test_a_property_needs_no_survey(row: Row, server: FaultServer) -> None:
    engine = row.open_at(server)
    name = engine.property_of(SITE, None)
    assert name == ENGINES[row.engine].property_of(SITE, None)
    assert server.connections == 0


def test_without_a_survey_nothing_is_refused_beforehand(row: Row, server: FaultServer) -> None:
    row.open_at(server).preflight(row.call.action, None)


def test_a_survey_that_is_lost_may_be_asked_again(row: Row, server: FaultServer) -> None:
    engine = row.open_at(server)
    if row.read_path is None:
        assert engine.survey(timeout_s=ENOUGH_S) is None
        assert server.connections == 0
        return
    server.on(row.read_path, rst())
    with pytest.raises(EngineUnavailable):
        engine.survey(timeout_s=ENOUGH_S)


# ---------------------------------------------------------------- secrets

LEAKY: dict[str, Callable[[Row], Answer]] = {
    **{name: (lambda _, answer=answer: answer) for name, answer in LOST.items()},
    "404": lambda _: status(404),
    "429": lambda _: status(429),
    "redirect": lambda _: redirect("/elsewhere"),
    "empty": lambda _: empty_200(),
    "bad header line": lambda _: raw(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"),
    "error page with our secret": lambda row: _echo(row, 400),
    "bad gateway with our secret": lambda row: _echo(row, 502),
    "error object with our secret": lambda row: status(
        400, json.dumps({"error": 400, "message": f"no {row.secrets[0]}"}).encode()
    ),
}


def _echo(row: Row, code: int) -> Answer:
    return status(code, f"You asked for ?token={row.secrets[0]}".encode())


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG)
    return caplog


@pytest.mark.parametrize("fault", sorted(LEAKY))
def test_a_failure_shows_no_secret(
    row: Row, server: FaultServer, lines: pytest.LogCaptureFixture, fault: str
) -> None:
    server.on(row.path, LEAKY[fault](row))
    engine = row.open_at(server)
    try:
        engine.send(row.call, timeout_s=ENOUGH_S)
    except EngineError as error:
        shown = everything_about(error)
    else:
        shown = ""
    assert not leaks(row, shown + lines.text)


@pytest.mark.parametrize("greeting", [accept_then_rst, accept_then_hang])
def test_a_broken_connection_shows_no_secret(
    row: Row,
    server: FaultServer,
    lines: pytest.LogCaptureFixture,
    greeting: Callable[..., None],
) -> None:
    engine = row.open_at(server)
    server.on_accept(*[greeting] * 4)
    assert not leaks(row, everything_about(failure(engine, row, QUICK_S)) + lines.text)


def test_a_success_shows_no_secret(
    row: Row, server: FaultServer, lines: pytest.LogCaptureFixture
) -> None:
    server.on(row.path, row.good)
    engine = row.open_at(server)
    receipt = engine.send(row.call, timeout_s=ENOUGH_S)
    assert lines.records, "the libraries' own lines were not captured"
    assert not leaks(row, f"{receipt!r} {engine!r} {vars(engine)!r} {lines.text}")


def test_a_planted_leak_is_found(row: Row) -> None:
    for secret in row.secrets:
        for form in spellings(secret):
            assert leaks(row, f"before {form} after")


def everything_about(error: BaseException) -> str:
    """Text, chain and traceback with all local variables, as an eager error reporter sees it."""
    seen: list[str] = []
    link: BaseException | None = error
    while link is not None:
        seen += [str(link), repr(link), repr(vars(link))]
        link = link.__cause__ or link.__context__
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    return "\n".join([*seen, *report.format()])


def leaks(row: Row, text: str) -> list[str]:
    return [form for secret in row.secrets for form in spellings(secret) if form in text]
