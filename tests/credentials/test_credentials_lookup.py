"""Secrets are found by reference; what goes wrong is said without them."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest
import requests
import responses
from botocore.exceptions import (
    ClientError,
    CredentialRetrievalError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from google.auth.exceptions import (
    DefaultCredentialsError,
    GoogleAuthError,
    RefreshError,
    TransportError,
)

from submitter.core.fleet import SecretRef
from submitter.credentials import (
    MAX_BYTES,
    EnvironmentSecrets,
    NoSecret,
    StoreAway,
    read_aws_secret,
    read_gcp_version,
    refusal_of,
)
from submitter.errors import ConfigError, SecretOutOfReach

CANARY = "CANARY-0123456789"
PEM = f"-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----\n"
JSON = json.dumps({"private_key": PEM, "client_email": "a@b.example"}, indent=2)


def secret_file(folder: Path, body: bytes, mode: int = 0o600) -> SecretRef:
    path = folder / "secret"
    path.write_bytes(body)
    path.chmod(mode)
    return SecretRef("file", str(path))


def problem(ref: SecretRef, environ: dict[str, str] | None = None) -> str:
    """What is wrong with the reference; nothing that is said holds the secret."""
    with pytest.raises(ConfigError) as caught:
        EnvironmentSecrets(environ or {}).resolve(ref)
    chain: BaseException | None = caught.value
    while chain is not None:
        assert CANARY not in f"{chain!r}{chain}"
        chain = chain.__context__
    where, _, text = str(caught.value).partition(f"{ref}: ")
    assert not where, "the message starts with the reference"
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CANARY, CANARY),
        (f"{CANARY}\n", CANARY),
        (f"{CANARY}\r\n", CANARY),
        (f"\ufeff{CANARY}", CANARY),
        (f" {CANARY} ", f" {CANARY} "),
        (JSON, JSON),
        (PEM, PEM.removesuffix("\n")),
        (f"'{JSON}'", f"'{JSON}'"),
        (
            base64.encodebytes(JSON.encode()).decode(),
            base64.encodebytes(JSON.encode()).decode()[:-1],
        ),
    ],
)
def test_a_secret_comes_without_the_line_end_behind_it(
    tmp_path: Path, text: str, expected: str
) -> None:
    ref = secret_file(tmp_path, text.encode())
    assert EnvironmentSecrets({}).resolve(ref).reveal() == expected
    assert EnvironmentSecrets({"A": text}).resolve(SecretRef("env", "A")).reveal() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is empty"),
        ("\n", "is empty"),
        (" \n", "is empty"),
        (f"{CANARY}\n\n", "holds a line end; a secret is one line, unless it is JSON or PEM"),
        (f"{CANARY}\nx", "holds a line end; a secret is one line, unless it is JSON or PEM"),
        (f"{CANARY}\u2028x", "holds a line end; a secret is one line, unless it is JSON or PEM"),
    ],
)
def test_an_empty_secret_and_inner_line_ends_are_refused(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert problem(secret_file(tmp_path, text.encode())) == expected
    assert problem(SecretRef("env", "A"), {"A": text}) == expected


def test_a_variable_that_is_not_set_is_named() -> None:
    assert problem(SecretRef("env", "A"), {"B": CANARY}) == "the environment variable is not set"


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    body = CANARY.encode() + b"\xff"
    assert problem(secret_file(tmp_path, body)) == "is not UTF-8 text"
    assert problem(secret_file(tmp_path, CANARY.encode("utf-16"))) == "is not UTF-8 text"
    text = os.fsdecode(body)
    assert problem(SecretRef("env", "A"), {"A": text}) == "is not UTF-8 text"


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
@pytest.mark.parametrize(("mode", "open_to_all"), [(0o644, True), (0o602, True), (0o640, False)])
def test_a_file_that_everybody_can_read_is_refused(
    tmp_path: Path, mode: int, open_to_all: bool
) -> None:
    ref = secret_file(tmp_path, CANARY.encode(), mode)
    if open_to_all:
        assert problem(ref) == (
            f"everybody on this machine can read it (mode {mode:04o}); run: chmod 600 {ref.locator}"
        )
    else:
        assert EnvironmentSecrets({}).resolve(ref).reveal() == CANARY


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert problem(SecretRef("file", str(tmp_path / "pipe"))) == "is not a plain file"
    assert problem(SecretRef("file", str(tmp_path))) == "is not a plain file"
    assert problem(SecretRef("file", str(tmp_path / "none"))) == "No such file or directory"
    large = secret_file(tmp_path, b"x" * (MAX_BYTES + 1))
    assert problem(large) == "larger than 65,536 bytes; is it the right file?"


def test_the_machines_own_identity_needs_no_secret() -> None:
    secret = EnvironmentSecrets({}).resolve(SecretRef("adc"))
    assert (secret.reveal(), str(secret)) == ("", "adc")


def test_a_reference_is_looked_up_once() -> None:
    asked: list[str] = []

    def store(locator: str) -> str:
        asked.append(locator)
        return CANARY

    secrets = EnvironmentSecrets({}, stores={"gcp-secret": store})
    ref = SecretRef("gcp-secret", "projects/p/secrets/s")
    assert secrets.resolve(ref) is secrets.resolve(ref)
    assert asked == ["projects/p/secrets/s"]


def test_a_scheme_without_a_store_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^aws-secret:x: nobody here knows the scheme"):
        EnvironmentSecrets({}, stores={}).resolve(SecretRef("aws-secret", "x"))


def test_a_resolved_secret_does_not_print() -> None:
    secret = EnvironmentSecrets({"A": CANARY}).resolve(SecretRef("env", "A"))
    assert CANARY not in f"{secret}{secret!r}"


def gcp_answer(status: int, body: bytes, version: str = "latest") -> str:
    address = (
        f"https://secretmanager.googleapis.com/v1/projects/p/secrets/s/versions/{version}:access"
    )
    name = "projects/p/secrets/s" + ("" if version == "latest" else f"/versions/{version}")
    with responses.RequestsMock() as web:
        web.get(address, body=body, status=status)
        return read_gcp_version(name, requests.Session())


@pytest.mark.parametrize("version", ["latest", "7"])
def test_secret_manager_is_asked_for_the_version(version: str) -> None:
    data = base64.b64encode(CANARY.encode()).decode()
    body = json.dumps({"name": "x", "payload": {"data": data}}).encode()
    assert gcp_answer(200, body, version) == CANARY


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (403, b'{"error": {"message": "x"}}', "Secret Manager answered 403"),
        (302, b"", "Secret Manager answered 302"),
        (200, b"not json", "Secret Manager's answer holds no secret"),
        (200, b'{"payload": {}}', "Secret Manager's answer holds no secret"),
        (200, b'{"payload": {"data": "?"}}', "Secret Manager's answer holds no secret"),
        (200, b"[]", "Secret Manager's answer holds no secret"),
        (200, b'{"payload": {"data": "/w=="}}', "is not UTF-8 text"),
    ],
)
def test_another_answer_of_secret_manager_is_no_secret(
    status: int, body: bytes, expected: str
) -> None:
    with pytest.raises(NoSecret) as caught:
        gcp_answer(status, body)
    assert str(caught.value) == expected


def test_secret_manager_out_of_reach_may_have_the_secret() -> None:
    with responses.RequestsMock(), pytest.raises(StoreAway, match=r"could not be asked \(Conn"):
        read_gcp_version("projects/p/secrets/s", requests.Session())


@pytest.mark.parametrize(
    ("status", "kind"), [(403, NoSecret), (404, NoSecret), (429, StoreAway), (503, StoreAway)]
)
def test_a_store_that_cannot_answer_now_has_not_said_no(status: int, kind: type[NoSecret]) -> None:
    with pytest.raises(NoSecret) as at_google:
        gcp_answer(status, b"")
    with pytest.raises(NoSecret) as at_amazon:
        read_aws_secret("s", client=Manager(aws_error(status)))
    assert type(at_google.value) is type(at_amazon.value) is kind


@pytest.mark.parametrize(
    "error",
    [
        EndpointConnectionError(endpoint_url="x"),
        ReadTimeoutError(endpoint_url="x"),
        ClientError({"Error": {"Code": "ThrottlingException"}}, "GetSecretValue"),
        CredentialRetrievalError(provider="container", error_msg="timed out"),
    ],
)
def test_secrets_manager_out_of_reach_may_have_the_secret(error: Exception) -> None:
    with pytest.raises(StoreAway, match=type(error).__name__):
        read_aws_secret("s", client=Manager(error))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TransportError("x"), StoreAway),
        (RefreshError("x", retryable=True), StoreAway),
        (RefreshError("x"), NoSecret),
        (DefaultCredentialsError("x"), NoSecret),
    ],
)
def test_a_login_at_google_that_may_work_later_has_not_said_no(
    error: GoogleAuthError, kind: type[NoSecret]
) -> None:
    assert type(refusal_of(error)) is kind


def test_what_a_store_did_not_answer_is_an_error_of_its_own() -> None:
    def store(name: str) -> str:
        raise StoreAway("away")

    secrets = EnvironmentSecrets({}, stores={"aws-secret": store})
    with pytest.raises(SecretOutOfReach, match="aws-secret:s: away"):
        secrets.resolve(SecretRef("aws-secret", "s"))


def aws_error(status: int) -> ClientError:
    answer = {"Error": {"Code": "Some"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "GetSecretValue")  # type: ignore[arg-type]  # the rest is not read


class Manager:
    """What we use of the boto3 client."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error or RuntimeError(CANARY)

    def get_secret_value(self, SecretId: str) -> dict[str, str]:  # noqa: N803 - AWS's own name
        match SecretId:
            case "text":
                return {"SecretString": CANARY}
            case "bytes":
                return {"SecretBinary": CANARY}
        raise self._error


def test_secrets_manager_gives_text() -> None:
    assert read_aws_secret("text", client=Manager()) == CANARY


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bytes", "is not text"),
        ("none", "AWS Secrets Manager could not be asked (RuntimeError)"),
    ],
)
def test_no_text_in_secrets_manager_is_no_secret(name: str, expected: str) -> None:
    with pytest.raises(NoSecret) as caught:
        read_aws_secret(name, client=Manager())
    assert str(caught.value) == expected
