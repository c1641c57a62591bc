"""An engine's own words may repeat our secret: no refusal of Bing, Yandex or Seznam shows it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from engine_rows import Row, rows
from test_engine_contract import everything_about, leaks

from submitter.errors import EngineError
from support.fault_server import FaultServer, status

ENOUGH_S = 20.0
BING = [
    *(f"code {number}" for number in range(17)),
    "Quota remaining for today: 0, Submitted: 1",
    "You have exceeded your daily url submission quota : 1",
]
YANDEX = [
    "ENTITY_VALIDATION_ERROR",
    "FIELD_VALIDATION_ERROR",
    "INVALID_URL",
    "INVALID_OAUTH_TOKEN",
    "ACCESS_FORBIDDEN",
    "INVALID_USER_ID",
    "RESOURCE_NOT_FOUND",
    "HOST_NOT_FOUND",
    "HOST_NOT_VERIFIED",
    "HOST_NOT_LOADED",
    "METHOD_NOT_ALLOWED",
    "QUOTA_EXCEEDED",
    "TOO_MANY_REQUESTS_ERROR",
    "URL_ALREADY_ADDED",
    "SOMETHING_NEW",
]
SEZNAM = [204, 400, 401, 403, 404, 405, 422, 429, 500, 502, 503]
FAILURES = [
    *(("bing", 400, text) for text in BING),
    *(("bing", 200, text) for text in BING),
    *(("yandex", code, name) for name in YANDEX for code in (403, 429, 500)),
    *(("seznam", code, "") for code in SEZNAM),
]


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def body_of(engine: str, code: int, name: str, secret: str) -> object:
    """An error of this engine's form whose words hold the secret as it is and encoded."""
    echo = f"you sent {secret} or {quote(secret, safe='')}"
    match engine:
        case "bing":
            number = int(name.removeprefix("code ")) if name.startswith("code ") else 2
            return {"ErrorCode": number, "Message": f"ERROR!!! {name} {echo}"}
        case "yandex":
            return {"error_code": name, "error_message": echo}
        case _:
            return {"status": code, "title": echo, "detail": echo}


def arm(server: FaultServer, row: Row, code: int, name: str) -> None:
    """In a function of its own, so that no frame of an error report holds the body."""
    body = body_of(row.engine, code, name, row.secrets[0])
    server.on(row.path, status(code, json.dumps(body).encode()))


@pytest.mark.parametrize(("engine", "code", "name"), FAILURES)
def test_a_refusal_shows_no_secret(
    server: FaultServer, caplog: pytest.LogCaptureFixture, engine: str, code: int, name: str
) -> None:
    caplog.set_level(logging.DEBUG)
    row = rows()[engine]
    client = row.open_at(server)
    arm(server, row, code, name)
    try:
        shown = repr(client.send(row.call, timeout_s=ENOUGH_S))
    except EngineError as error:
        shown = everything_about(error)
    assert server.asked(row.path)
    assert "***" in shown or not name
    assert not leaks(row, shown + caplog.text)
