"""The token of an account: fetched once, renewed once, and every refusal explained."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import responses
from engine_rows import (
    EMAIL,
    GOOGLE_TOKEN,
    StillClock,
    google_account,
    key_file,
    private_key,
    rows,
    spellings,
    token_answer,
)

from submitter.core.fleet import Account, SecretRef
from submitter.core.secrets import MaskedSecret
from submitter.core.states import State
from submitter.engines.google import Google, open_google
from submitter.engines.google_answers import SCOPE
from submitter.errors import EngineError, EngineUnavailable, NotAuthorized
from support.fault_server import (
    Answer,
    FaultServer,
    Request,
    Wire,
    html_200,
    ok,
    raw,
    redirect,
    rst,
    status,
)

ROW = rows()["google"]
ENOUGH_S = 20.0


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        running.on(ROW.path, ROW.good)
        running.on("/token", token_answer())
        yield running


def google(server: FaultServer) -> Google:
    secret = MaskedSecret(key_file(server.url("/token")))
    return open_google(google_account(server.url("")), secret, StillClock())


def failure(server: FaultServer) -> EngineError:
    with pytest.raises(EngineError) as caught:
        google(server).send(ROW.call, timeout_s=ENOUGH_S)
    assert not server.asked(ROW.path)
    assert not caught.value.sent
    return caught.value


def only_for(token: str) -> Answer:
    """204 for this token, 401 in Google's words for any other."""

    def answer(wire: Wire, request: Request) -> None:
        good = request.headers["authorization"] == f"Bearer {token}"
        body = json.dumps({"error": {"code": 401, "status": "UNAUTHENTICATED"}}).encode()
        (status(204) if good else status(401, body))(wire, request)

    return answer


# ---------------------------------------------------------------- once


def test_the_assertion_asks_for_the_write_scope_in_the_accounts_name(server: FaultServer) -> None:
    google(server).send(ROW.call, timeout_s=ENOUGH_S)
    (request,) = server.asked("/token")
    payload = parse_qs(request.body.decode())["assertion"][0].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    assert (claims["iss"], claims["scope"]) == (EMAIL, SCOPE)


def test_a_token_is_used_until_it_runs_out(server: FaultServer) -> None:
    engine = google(server)
    for _ in range(3):
        engine.send(ROW.call, timeout_s=ENOUGH_S)
    assert len(server.asked("/token")) == 1
    assert {request.headers["authorization"] for request in server.asked(ROW.path)} == {
        f"Bearer {GOOGLE_TOKEN}"
    }


def test_a_token_about_to_run_out_is_renewed(server: FaultServer) -> None:
    server.on("/token", token_answer("first", lifetime_s=50), token_answer("second"))
    engine = google(server)
    for _ in range(3):
        engine.send(ROW.call, timeout_s=ENOUGH_S)
    tokens = [request.headers["authorization"] for request in server.asked(ROW.path)]
    assert tokens == ["Bearer first", "Bearer second", "Bearer second"]


def test_many_threads_on_a_cold_account_fetch_one_token(server: FaultServer) -> None:
    engine, together = google(server), threading.Barrier(16)

    def send() -> State:
        together.wait(timeout=ENOUGH_S)
        return engine.send(ROW.call, timeout_s=ENOUGH_S).state

    with ThreadPoolExecutor(16) as pool:
        futures = [pool.submit(send) for _ in range(16)]
    assert {future.result() for future in futures} == {State.ACCEPTED}
    assert len(server.asked("/token")) == 1


def test_a_refused_token_is_renewed_once_for_all_threads(server: FaultServer) -> None:
    server.on("/token", token_answer("stale"), token_answer("fresh"), token_answer("needless"))
    server.on(ROW.path, only_for("fresh"))
    engine = google(server)
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(engine.send, ROW.call, timeout_s=ENOUGH_S) for _ in range(24)]
    assert {future.result().state for future in futures} == {State.ACCEPTED}
    assert len(server.asked("/token")) == 2


def test_a_fresh_token_that_is_refused_too_is_final(server: FaultServer) -> None:
    server.on(ROW.path, only_for("none"))
    with pytest.raises(NotAuthorized) as caught:
        google(server).send(ROW.call, timeout_s=ENOUGH_S)
    assert (caught.value.scope, caught.value.cause) == ("account", "token-refused")
    assert len(server.asked(ROW.path)) == 2
    assert len(server.asked("/token")) == 2


def test_a_thread_waits_for_anothers_login_no_longer_than_its_own_call(
    server: FaultServer,
) -> None:
    asked = threading.Event()

    def hang(wire: Wire, _: Request) -> None:
        asked.set()
        wire.hang()

    server.on("/token", hang)
    engine = google(server)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(engine.send, ROW.call, timeout_s=2.0)
        assert asked.wait(ENOUGH_S)
        with pytest.raises(EngineUnavailable, match="no token in the time given"):
            engine.send(ROW.call, timeout_s=0.1)
        with pytest.raises(EngineUnavailable):
            first.result()
    assert len(server.asked("/token")) == 1


# ---------------------------------------------------------------- refused


def refusal(error: str, description: str = "", code: int = 400, **headers: str) -> Answer:
    body = {"error": error, "error_description": description}
    return status(code, json.dumps(body).encode(), content_type="application/json", **headers)


CAUSES = [
    ("invalid_grant", "Invalid JWT Signature.", "key-deleted"),
    ("invalid_grant", "Invalid grant: account not found", "account-missing"),
    ("invalid_grant", "Account has been disabled.", "account-disabled"),
    ("invalid_grant", "Token has been expired or revoked.", "login-expired"),
    (
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token and in a reasonable timeframe.",
        "clock-skew",
    ),
    ("invalid_scope", "Bad scope", "scope-missing"),
    ("unauthorized_client", "Client is unauthorized", "scope-missing"),
    ("invalid_grant", "Bad Request", "login-refused"),
    ("something_new", "", "login-refused"),
]


@pytest.mark.parametrize(("error", "description", "cause"), CAUSES)
def test_a_refused_login_closes_the_account_and_is_explained(
    server: FaultServer, error: str, description: str, cause: str
) -> None:
    server.on("/token", refusal(error, description))
    got = failure(server)
    assert isinstance(got, NotAuthorized)
    assert (got.scope, got.cause) == ("account", cause)
    assert error in str(got)
    assert got.next_step
    assert len(server.asked("/token")) == 1


@pytest.mark.parametrize(
    ("date", "words"),
    [
        ("Mon, 30 Nov 2026 11:50:00 GMT", "600 s ahead of Google's"),
        ("Mon, 30 Nov 2026 12:10:00 GMT", "600 s behind Google's"),
    ],
)
def test_a_clock_that_is_off_is_shown(server: FaultServer, date: str, words: str) -> None:
    server.on("/token", refusal("invalid_grant", "Invalid JWT: iat and exp", date=date))
    assert words in str(failure(server))


@pytest.mark.parametrize("date", ["Mon, 30 Nov 2026 12:00:30 GMT", "once upon a time", ""])
def test_a_clock_that_is_right_is_not_mentioned(server: FaultServer, date: str) -> None:
    server.on("/token", refusal("invalid_grant", "Invalid JWT Signature.", date=date))
    assert "clock" not in str(failure(server))


PASSING: dict[str, Answer] = {
    "reset": rst(),
    "closed": raw(b""),
    "500": status(500),
    "503": refusal("temporarily_unavailable", code=503),
    "429": status(429),
    "hiccup under 400": refusal("server_error"),
    "200 with HTML": html_200(),
    "200 with a list": ok(b"[]"),
    "no lifetime": ok(b'{"access_token": "x", "expires_in": "long"}'),
}


@pytest.mark.parametrize("name", sorted(PASSING))
def test_a_token_endpoint_in_trouble_is_asked_again_by_the_runner_only(
    server: FaultServer, name: str
) -> None:
    server.on("/token", PASSING[name])
    assert isinstance(failure(server), EngineUnavailable)
    assert len(server.asked("/token")) == 1


def test_the_token_endpoint_may_name_a_wait(server: FaultServer) -> None:
    server.on("/token", status(503, retry_after="9"))
    error = failure(server)
    assert isinstance(error, EngineUnavailable)
    assert error.retry_after_s == 9.0


@pytest.mark.parametrize("code", [404, 410])
def test_no_token_endpoint_is_a_fault_of_the_account(server: FaultServer, code: int) -> None:
    server.on("/token", status(code, b"<h1>Not Found</h1>"))
    error = failure(server)
    assert isinstance(error, NotAuthorized)
    assert error.scope == "account"


def test_an_assertion_does_not_follow_a_redirect(server: FaultServer) -> None:
    server.on("/token", redirect(server.url("/elsewhere"), code=307))
    assert isinstance(failure(server), NotAuthorized)
    assert not server.asked("/elsewhere")


def test_a_key_that_only_looks_like_one_is_said_to_be_unreadable(server: FaultServer) -> None:
    fake = "-----BEGIN PRIVATE KEY-----\nY2FuYXJ5\n-----END PRIVATE KEY-----\n"
    secret = MaskedSecret(key_file(server.url("/token"), private_key=fake))
    engine = open_google(google_account(server.url("")), secret, StillClock())
    with pytest.raises(NotAuthorized) as caught:
        engine.survey(timeout_s=ENOUGH_S)
    assert (caught.value.scope, caught.value.cause) == ("account", "key-unreadable")
    assert "Y2FuYXJ5" not in str(caught.value)
    assert not server.requests


def test_half_a_token_is_not_shown(server: FaultServer) -> None:
    server.on("/token", ok(f'{{"access_token": "{GOOGLE_TOKEN}'.encode()))
    assert GOOGLE_TOKEN not in str(failure(server))


def test_an_assertion_that_comes_back_is_not_shown(server: FaultServer) -> None:
    def echo(wire: Wire, request: Request) -> None:
        status(500, request.body)(wire, request)

    server.on("/token", echo)
    shown = str(failure(server))
    (request,) = server.asked("/token")
    assertion = parse_qs(request.body.decode())["assertion"][0]
    assert assertion[:40] not in shown
    assert "***" in shown


# ---------------------------------------------------------------- application default credentials


@pytest.fixture
def adc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that google-auth takes for this machine's login; no metadata server is looked for."""
    path = tmp_path / "adc.json"
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.delenv("GOOGLE_CLOUD_QUOTA_PROJECT", raising=False)
    return path


def adc_account(endpoint: str | None = None) -> Account:
    return Account("gsc", "google", SecretRef("adc"), endpoint=endpoint)


def test_the_machines_own_login_is_used(server: FaultServer, adc: Path) -> None:
    adc.write_text(key_file(server.url("/token")))
    engine = open_google(adc_account(server.url("")), None, StillClock())
    assert engine.send(ROW.call, timeout_s=ENOUGH_S).state is State.ACCEPTED
    server.on("/webmasters/v3/sites", ok(b"{}"))
    assert engine.survey(timeout_s=ENOUGH_S).principal == EMAIL


@responses.activate
def test_a_persons_login_names_its_quota_project(adc: Path) -> None:
    login = {
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "canary-client-secret",
        "refresh_token": "canary-refresh-token",
        "quota_project_id": "my-project",
    }
    adc.write_text(json.dumps(login))
    token = {"access_token": GOOGLE_TOKEN, "expires_in": 3600}
    responses.post("https://oauth2.googleapis.com/token", json=token)
    responses.get("https://searchconsole.googleapis.com/webmasters/v3/sites", json={})
    engine = open_google(adc_account(), None, StillClock())
    assert engine.survey(timeout_s=ENOUGH_S).principal == ""
    assert responses.calls[-1].request.headers["X-Goog-User-Project"] == "my-project"


def test_a_service_account_names_no_quota_project(server: FaultServer) -> None:
    google(server).send(ROW.call, timeout_s=ENOUGH_S)
    assert "x-goog-user-project" not in server.asked(ROW.path)[0].headers


@pytest.mark.parametrize(
    "content", [None, "{}", "no JSON", '{"type": "unheard-of"}'], ids=["none", "{}", "text", "type"]
)
def test_a_machine_without_login_is_told_how(adc: Path, content: str | None) -> None:
    if content is not None:
        adc.write_text(content)
    engine = open_google(adc_account(), None, StillClock())
    with pytest.raises(NotAuthorized) as caught:
        engine.survey(timeout_s=ENOUGH_S)
    assert (caught.value.scope, caught.value.cause) == ("account", "no-credentials")
    assert "gcloud auth application-default login" in caught.value.next_step


def test_the_machines_key_file_may_not_send_its_assertion_anywhere(
    server: FaultServer, adc: Path
) -> None:
    adc.write_text(key_file(server.url("/token")))
    engine = open_google(adc_account(), None, StillClock())
    with pytest.raises(NotAuthorized, match="token_uri") as caught:
        engine.survey(timeout_s=ENOUGH_S)
    assert not server.requests
    assert not [form for form in spellings(private_key()) if form in str(caught.value)]
