"""Keys as operators paste them: what is put right, and what is refused without showing any."""

from __future__ import annotations

import base64
import json
import traceback
from collections.abc import Callable

import pytest
from engine_rows import (
    EMAIL,
    TOKEN_URI,
    StillClock,
    google_account,
    key_file,
    private_key,
    spellings,
)
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.secrets import MaskedSecret
from submitter.engines.google import open_google
from submitter.engines.google_keys import ServiceKey, read_key, token_uri_problem
from submitter.errors import ConfigError


def read(text: str, *, local: bool = False) -> ServiceKey | str:
    return read_key(MaskedSecret(text), local=local)


def pem(change: Callable[[str], str]) -> str:
    return key_file(private_key=change(private_key()))


DAMAGED: dict[str, str] = {
    "as downloaded": key_file(),
    "indented": json.dumps(json.loads(key_file()), indent=2),
    "byte order mark": "\ufeff" + key_file(),
    "blanks around": f" \r\n{key_file()}\n\n",
    "CRLF around and within": json.dumps(json.loads(key_file()), indent=2).replace("\n", "\r\n"),
    "single quotes around": f"'{key_file()}'",
    "double quotes around": f'"{key_file()}"',
    "JSON in JSON": json.dumps(key_file()),
    "quotes escaped, none around": json.dumps(key_file())[1:-1],
    "base64": base64.b64encode(key_file().encode()).decode(),
    "base64 in lines": base64.encodebytes(key_file().encode()).decode(),
    "base64 in quotes": f'"{base64.b64encode(key_file().encode()).decode()}"',
    "line ends escaped twice": pem(lambda key: key.replace("\n", "\\n")),
    "line ends real": key_file().replace("\\n", "\n"),
    "line ends CRLF": pem(lambda key: key.replace("\n", "\r\n")),
    "line ends CRLF, escaped": pem(lambda key: key.replace("\n", "\\r\\n")),
    "line ends lost": pem(lambda key: key.replace("\n", " ")),
    "no line ends": pem(lambda key: key.replace("\n", "")),
    "no last line end": pem(str.strip),
    "key in quotes": pem(lambda key: f'"{key}"'),
    "blanks in fields": key_file(client_email=f" {EMAIL}\n"),
    "no type": json.dumps({k: v for k, v in json.loads(key_file()).items() if k != "type"}),
}


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_a_pasted_key_is_put_right(name: str) -> None:
    key = read(DAMAGED[name])
    assert isinstance(key, ServiceKey), key
    assert (key.email, key.token_uri) == (EMAIL, TOKEN_URI)
    assert key.info["private_key"] == private_key()


def without(field: str) -> str:
    return json.dumps({k: v for k, v in json.loads(key_file()).items() if k != field})


def spoilt(key: str) -> str:
    return key[:200] + "!" + key[200:]


BROKEN: dict[str, tuple[str, str]] = {
    "nothing": ("", "empty"),
    "blanks": (" \n", "empty"),
    "quotes only": ("''", "empty"),
    "words": ("my key", "not JSON"),
    "cut": (key_file()[:-40], "not JSON"),
    "a list": ("[1]", "not a JSON object"),
    "too deep": ("[" * 50_000, "not JSON"),
    "PEM alone": (private_key(), "only the private key"),
    "OAuth client": ('{"installed": {"client_secret": "canary"}}', "OAuth client"),
    "person's login": (key_file(type="authorized_user"), "adc"),
    "workload identity": (key_file(type="external_account"), "adc"),
    "another type": (key_file(type="gdch_service_account"), "type: must be"),
    "no e-mail": (without("client_email"), "client_email: missing"),
    "no key": (without("private_key"), "private_key: missing"),
    "no address": (without("token_uri"), "token_uri: missing"),
    "empty key": (key_file(private_key=""), "private_key: missing"),
    "no e-mail in e-mail": (key_file(client_email="robot"), "client_email: not"),
    "key cut": (pem(lambda key: key[:300]), "private_key: not a PEM block"),
    "key spoilt": (pem(spoilt), "private_key: not a PEM block"),
    "key encrypted": (
        pem(lambda key: key.replace("PRIVATE", "ENCRYPTED PRIVATE")),
        "private_key: encrypted",
    ),
    "foreign address": (key_file("https://oauth2.example.net/token"), "token_uri: host"),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_key_says_which_field(name: str) -> None:
    text, words = BROKEN[name]
    problem = read(text)
    assert isinstance(problem, str)
    assert words in problem


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_key_is_a_fault_of_the_inventory_and_never_shown(name: str) -> None:
    shown = report_on(MaskedSecret(BROKEN[name][0]))
    assert "accounts.gsc.credentials (env:GSC)" in shown
    assert not [form for form in spellings(private_key()) if form in shown]
    assert "canary" not in shown


def report_on(secret: MaskedSecret) -> str:
    """The traceback of opening it, with the local variables of every frame."""
    try:
        open_google(google_account(), secret, StillClock())
    except ConfigError as error:
        report = traceback.TracebackException.from_exception(error, capture_locals=True)
        return "".join(report.format())
    raise AssertionError("the key was taken")


def test_a_missing_secret_is_a_fault_of_the_inventory() -> None:
    with pytest.raises(ConfigError, match="missing"):
        open_google(google_account(), None, StillClock())


def test_a_key_shows_nothing_of_itself() -> None:
    assert not [form for form in spellings(private_key()) if form in repr(read(key_file()))]


@pytest.mark.parametrize(
    "uri",
    [
        "https://oauth2.googleapis.com/token",
        "https://accounts.google.com/o/oauth2/token",
        "https://www.googleapis.com/oauth2/v4/token",
        "https://OAUTH2.googleapis.com/token",
    ],
)
def test_googles_token_addresses_are_known(uri: str) -> None:
    assert token_uri_problem(uri, local=False) is None


@pytest.mark.parametrize(
    "uri",
    [
        "http://oauth2.googleapis.com/token",
        "https://oauth2.googleapis.com.evil.example/token",
        "https://evilgoogleapis.com/token",
        "https://evil.example/?https://oauth2.googleapis.com/token",
        "https://oauth2.googleapis.com@evil.example/token",
        "http://127.0.0.1:8080/token",
        "http://169.254.169.254/token",
        "token",
    ],
)
def test_other_token_addresses_are_refused(uri: str) -> None:
    assert token_uri_problem(uri, local=False)


def test_a_local_token_address_needs_a_local_endpoint() -> None:
    text = key_file("http://127.0.0.1:8080/token")
    assert isinstance(read(text, local=True), ServiceKey)
    assert isinstance(read(text), str)
    assert isinstance(read(key_file("http://10.0.0.1/token"), local=True), str)


@given(st.text(max_size=200))
def test_any_text_gives_a_key_or_a_problem(text: str) -> None:
    assert isinstance(read(text), str)


@given(st.dictionaries(st.sampled_from(["type", "private_key", "client_email"]), st.text()))
def test_any_object_gives_a_key_or_a_problem(info: dict[str, str]) -> None:
    assert isinstance(read(json.dumps(info)), str)
