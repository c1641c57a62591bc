"""The token endpoint believes only what it can check."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from sandbox_clients import SearchConsole, ask_token, claims, sign

from submitter.sandbox import GoogleAccount, Sandbox
from submitter.sandbox.google_accounts import SCOPE_READ

Assertion = Callable[[GoogleAccount], str]
HOUR = 3600


def old_by(seconds: int) -> Assertion:
    issued = int(time.time()) - seconds
    return lambda account: sign(account, claims(account, iat=issued, exp=issued + HOUR))


BAD: dict[str, tuple[Assertion, str, str]] = {
    "another issuer": (
        lambda account: sign(account, claims(account, iss="nobody@example.iam")),
        "invalid_grant",
        "Invalid grant: account not found",
    ),
    "another audience": (
        lambda account: sign(account, claims(account, aud="https://accounts.example/token")),
        "invalid_grant",
        "Invalid JWT: Failed audience check.",
    ),
    "too old": (old_by(2 * HOUR), "invalid_grant", "Invalid JWT: Token must be a short-lived"),
    "from the future": (old_by(-HOUR), "invalid_grant", "Invalid JWT: Token must be a short"),
    "good for too long": (
        lambda account: sign(account, claims(account, exp=int(time.time()) + 2 * HOUR)),
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived",
    ),
    "without times": (
        lambda account: sign(account, claims(account, iat=None, exp=None)),
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived",
    ),
    "no scope": (
        lambda account: sign(account, claims(account, scope="")),
        "invalid_scope",
        "Invalid OAuth scope",
    ),
    "a scope that is none": (
        lambda account: sign(account, claims(account, scope="webmasters")),
        "invalid_scope",
        "Invalid OAuth scope",
    ),
    "a key that is not known": (
        lambda account: sign(account, claims(account), kid="f" * 40),
        "invalid_grant",
        "Invalid JWT Signature.",
    ),
    "signed by nobody": (
        lambda account: sign(account, claims(account), alg="none"),
        "invalid_grant",
        "Invalid JWT Signature.",
    ),
    "not a token at all": (lambda _: "abc", "invalid_grant", "Bad Request"),
    "not JSON inside": (lambda _: "YWJj.YWJj.YWJj", "invalid_grant", "Bad Request"),
    "a list inside": (lambda _: "W10.W10.YWJj", "invalid_grant", "Bad Request"),
}


def test_a_good_assertion_buys_a_token_for_an_hour(console: SearchConsole, still: Sandbox) -> None:
    assert console.token.startswith("ya29.")
    assert console.call("GET").status_code == 200
    (entry,) = still.google.book.entries("token")
    assert (entry.account, entry.status, entry.code) == (console.account.email, 200, "")


@pytest.mark.parametrize("case", BAD)
def test_a_bad_assertion_is_refused_in_googles_words(case: str, console: SearchConsole) -> None:
    assertion, code, description = BAD[case]
    answer = ask_token(console.sandbox, console.http, assertion(console.account))
    assert answer.status_code == 400
    assert answer.json()["error"] == code
    assert answer.json()["error_description"].startswith(description)
    assert console.sandbox.google.book.count(call="token", code=code) == 1


def test_an_assertion_signed_with_another_key_is_refused(console: SearchConsole) -> None:
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    assertion = sign(console.account, claims(console.account), key=other)
    answer = ask_token(console.sandbox, console.http, assertion)
    assert answer.json()["error_description"] == "Invalid JWT Signature."


def test_changed_claims_do_not_fit_the_signature(console: SearchConsole) -> None:
    head, _, signature = sign(console.account, claims(console.account)).split(".")
    _, other_body, _ = sign(console.account, claims(console.account, scope=SCOPE_READ)).split(".")
    answer = ask_token(console.sandbox, console.http, f"{head}.{other_body}.{signature}")
    assert answer.json()["error_description"] == "Invalid JWT Signature."


def test_another_kind_of_grant_is_not_supported(console: SearchConsole) -> None:
    assertion = sign(console.account, claims(console.account))
    answer = ask_token(console.sandbox, console.http, assertion, grant="password")
    assert answer.json()["error"] == "unsupported_grant_type"


def test_a_deleted_key_buys_nothing(console: SearchConsole) -> None:
    assertion = sign(console.account, claims(console.account))
    console.account.rotate_key()
    answer = ask_token(console.sandbox, console.http, assertion)
    assert answer.json()["error_description"] == "Invalid JWT Signature."


def test_a_disabled_account_is_not_found_and_its_tokens_are_dead(console: SearchConsole) -> None:
    console.account.enabled = False
    answer = ask_token(
        console.sandbox, console.http, sign(console.account, claims(console.account))
    )
    assert answer.json()["error_description"] == "Invalid grant: account not found"
    assert console.call("GET").status_code == 401


def test_the_sandbox_can_play_a_client_whose_clock_is_wrong(console: SearchConsole) -> None:
    console.sandbox.google.tokens.skew_s = 2 * HOUR
    answer = ask_token(
        console.sandbox, console.http, sign(console.account, claims(console.account))
    )
    assert answer.json()["error"] == "invalid_grant"


def test_moving_the_sandbox_to_tomorrow_does_not_make_the_clients_clock_wrong(
    console: SearchConsole,
) -> None:
    console.sandbox.clock.move_past_midnight("Asia/Shanghai")
    answer = ask_token(
        console.sandbox, console.http, sign(console.account, claims(console.account))
    )
    assert answer.status_code == 200


def test_the_sandboxs_own_address_is_an_audience_too(console: SearchConsole) -> None:
    own = f"{console.sandbox.google.endpoint}/token"
    assertion = sign(console.account, claims(console.account, aud=own))
    assert ask_token(console.sandbox, console.http, assertion).status_code == 200


def test_a_token_dies_after_an_hour_of_the_sandboxs_time(console: SearchConsole) -> None:
    console.sandbox.clock.advance(HOUR - 1)
    assert console.call("GET").status_code == 200
    console.sandbox.clock.advance(1)
    answer = console.call("GET")
    assert answer.status_code == 401
    assert answer.json()["error"]["status"] == "UNAUTHENTICATED"
    assert console.sandbox.google.book.count(code="bad-token") == 1


def test_a_call_without_a_token_is_told_so(still: Sandbox, http: requests.Session) -> None:
    answer = http.get(f"{still.google.endpoint}/webmasters/v3/sites", timeout=10)
    assert answer.status_code == 401
    assert answer.json()["error"]["errors"][0]["reason"] == "required"


def test_a_key_file_has_the_fields_of_a_real_one(console: SearchConsole) -> None:
    key = console.sandbox.google.key_file(console.account.email)
    assert key["type"] == "service_account"
    assert key["token_uri"] == f"{console.sandbox.google.endpoint}/token"
    assert key["private_key"].startswith("-----BEGIN PRIVATE KEY-----\n")
    assert key["client_email"] == console.account.email
    assert json.loads(json.dumps(key)) == key


def test_the_private_key_does_not_show_in_the_accounts_repr(console: SearchConsole) -> None:
    assert "_key=" not in repr(console.account)
