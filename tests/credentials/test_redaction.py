"""A secret is found in every spelling in which it travels, and nothing else is touched."""

from __future__ import annotations

import base64
import io
import json
import logging
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.redaction import MASK, Redactor
from submitter.kit.redaction import RedactingFilter

SECRET = 'Cana/ry+"7\n=ü%'


def quote_all(text: str) -> str:
    return quote(text, safe="")


FORMS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "percent": quote_all,
    "percent, lower case": lambda text: re.sub(
        "%..", lambda found: found[0].lower(), quote_all(text)
    ),
    "percent, slashes kept": quote,
    "form": quote_plus,
    "JSON": json.dumps,
    "JSON, letters kept": lambda text: json.dumps(text, ensure_ascii=False),
    "repr": repr,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "basic, user of 1": lambda text: base64.b64encode(b"u:" + text.encode()).decode(),
    "basic, user of 2": lambda text: base64.b64encode(b"uu:" + text.encode()).decode(),
    "basic, more behind": lambda text: base64.b64encode(text.encode() + b"tail").decode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_found(form: str) -> None:
    written = FORMS[form](SECRET)
    cleaned = Redactor([SECRET]).redact(f"before {written} after")
    assert MASK in cleaned
    assert cleaned.startswith("before ")
    assert cleaned.endswith(" after")
    assert not any(SECRET[at : at + 6] in cleaned for at in range(len(SECRET) - 5))
    assert len(cleaned) < len(f"before {MASK} after") + 10


@given(
    st.text(min_size=8, max_size=40).filter(lambda text: len(text.strip()) >= 8),
    st.sampled_from(sorted(FORMS)),
)
def test_any_secret_is_found_in_any_form(secret: str, form: str) -> None:
    assert MASK in Redactor([secret]).redact(f"<{FORMS[form](secret)}>")


def test_the_secret_parts_of_a_credential_are_found_alone() -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
    pem = f"-----BEGIN PRIVATE KEY-----\n{line}\n-----END PRIVATE KEY-----\n"
    key = json.dumps(
        {"private_key": pem, "private_key_id": "0123abcd", "client_email": "a@b.example"}
    )
    cleaned = Redactor([key]).redact(f"{line} 0123abcd a@b.example")
    assert cleaned == f"{MASK} {MASK} a@b.example"
    assert Redactor([pem]).redact(line) == MASK


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "GET http://h/urls?site=x&token=abc HTTP/1.1",
            "GET http://h/urls?site=x&token=*** HTTP/1.1",
        ),
        ("https://h/a?apikey=abc#top", "https://h/a?apikey=***#top"),
        ("https://h/a?x=1&access_token=abc'", "https://h/a?x=1&access_token=***'"),
        (
            "https://h/a?KEY=abc&keyLocation=https://h/k.txt",
            "https://h/a?KEY=***&keyLocation=https://h/k.txt",
        ),
        ("{'Authorization': 'Bearer abcdefgh.ij'}", "{'Authorization': 'Bearer ***'}"),
        ("authorization: Basic dTpwYXNzd29yZA==", "authorization: Basic ***"),
        ("Bearer abcdefgh-ij", "Bearer ***"),
    ],
)
def test_values_that_are_named_as_secrets_are_masked_unknown(text: str, expected: str) -> None:
    assert Redactor().redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a key=value pair, a token: none, basic authentication, the bearer of news",
        "https://shop.example.com/monkey?page=2&tokens=3",
        "ok",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Redactor(["ok", ""]).redact(text) == text


def logged(act: Callable[[logging.Logger], None], form: str = "%(message)s %(data)s") -> str:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logging.Formatter(form, defaults={"data": ""}))
    handler.addFilter(RedactingFilter(Redactor(["CANARY-123"])))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    act(logger)
    return out.getvalue()


def fail(logger: logging.Logger) -> None:
    try:
        raise ValueError("CANARY-123")
    except ValueError:
        logger.exception("failed")


@pytest.mark.parametrize(
    "act",
    [
        lambda logger: logger.warning("CANARY-123"),
        lambda logger: logger.warning("%s of %d", "CANARY-123", 3),
        lambda logger: logger.warning("%s", ValueError("CANARY-123")),
        lambda logger: logger.warning("%(x)s", {"x": "CANARY-123"}),
        lambda logger: logger.warning("x", extra={"data": {"CANARY-123": [("CANARY-123",), 3]}}),
        lambda logger: logger.warning("x", extra={"data": ValueError("CANARY-123")}),
        fail,
    ],
)
def test_a_log_line_is_clean_whatever_carried_the_secret(
    act: Callable[[logging.Logger], None],
) -> None:
    text = logged(act)
    assert MASK in text
    assert "CANARY" not in text


def test_a_traceback_is_still_there() -> None:
    text = logged(fail)
    assert text.startswith("failed")
    assert "Traceback (most recent call last):" in text
    assert f"ValueError: {MASK}" in text


def test_what_is_no_text_stays_what_it_is() -> None:
    record = logging.makeLogRecord({"msg": "x", "data": {"n": 3, "flag": True, "none": None}})
    assert RedactingFilter(Redactor()).filter(record)
    assert vars(record)["data"] == {"n": 3, "flag": True, "none": None}
