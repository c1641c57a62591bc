"""Secrets out of the clouds' own stores; Amazon's is a local stand-in."""

from __future__ import annotations

import base64
import json
from typing import Any

import boto3
import pytest
from cloud_support import LambdaContext

from submitter.cloud import lambda_handler
from submitter.core.fleet import SecretRef
from submitter.credentials import EnvironmentSecrets
from submitter.errors import ConfigError
from support.gcs_store import GcsFake
from support.whole import World

CANARY = "CANARY-0123456789"


@pytest.fixture
def store(s3: str) -> Any:
    """Secrets Manager, with whatever a test puts into it taken out again."""
    client = boto3.client("secretsmanager")
    yield client
    for one in client.list_secrets()["SecretList"]:
        client.delete_secret(SecretId=one["ARN"], ForceDeleteWithoutRecovery=True)


def resolved(locator: str, scheme: str = "aws-secret", **stores: Any) -> str:
    secrets = EnvironmentSecrets({}, **stores)
    return secrets.resolve(SecretRef(scheme, locator)).reveal()


def test_a_secret_of_amazons_is_found_by_name_and_by_arn(store: Any) -> None:
    made = store.create_secret(Name="submitter/token", SecretString=f"{CANARY}\n")
    assert resolved("submitter/token") == CANARY
    assert resolved(made["ARN"]) == CANARY


def test_one_field_of_a_secret_that_is_json(store: Any) -> None:
    """As the console makes them: an object of keys and values."""
    text = json.dumps({"token": CANARY, "port": 5432})
    store.create_secret(Name="submitter/db", SecretString=text)
    assert resolved("submitter/db#token") == CANARY
    assert resolved("submitter/db") == text
    for field in ("port", "nothing"):
        with pytest.raises(ConfigError, match=f"is no JSON object with a text '{field}'") as caught:
            resolved(f"submitter/db#{field}")
        assert CANARY not in str(caught.value)


def test_one_field_of_a_secret_of_googles() -> None:
    stores = {"gcp-secret": lambda name: {"projects/p/secrets/s": f'{{"a": "{CANARY}"}}'}[name]}
    assert resolved("projects/p/secrets/s#a", "gcp-secret", stores=stores) == CANARY


def test_a_secret_that_is_not_there_is_said_without_a_traceback(store: Any) -> None:
    with pytest.raises(ConfigError, match="aws-secret:nothing: AWS Secrets Manager could not"):
        resolved("nothing")


def test_bytes_are_no_secret_text(store: Any) -> None:
    store.create_secret(Name="submitter/bytes", SecretBinary=base64.b64encode(b"x"))
    with pytest.raises(ConfigError, match="is not text"):
        resolved("submitter/bytes")


def test_a_function_finds_its_tokens_and_its_ledger_in_the_store(
    town: World,
    store: Any,
    gcs: GcsFake,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store.create_secret(Name="submitter/baidu", SecretString=town.sandbox.baidu.token)
    store.create_secret(Name="submitter/ledger", SecretString=gcs.url())
    town.accounts["baidu"]["token"] = "aws-secret:submitter/baidu"
    town.write()
    monkeypatch.setenv("SUBMITTER_LEDGER", "aws-secret:submitter/ledger")
    report: Any = lambda_handler({}, LambdaContext())
    assert report["outcome"] == "ok"
    assert len(town.sandbox.baidu.book.accepted("push")) == 3
    assert gcs.kept().body.startswith(b"SQLite format 3")
    assert town.sandbox.baidu.token not in "".join(capsys.readouterr())
