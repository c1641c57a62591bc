"""A small fleet over the sandbox, and functions that are called as platforms call them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from submitter.cloud.answering import MAY_FORGET
from submitter.cloud.inventories import VARIABLE
from submitter.sandbox import Sandbox
from support.gcs_store import GcsFake, gcs_fake
from support.whole import World

BUCKET = "bucket-of-tests"


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Two sites told to Google, one of them to Baidu, too; the function's variables name them."""
    with Sandbox() as sandbox:
        world = World(sandbox, tmp_path)
        world.add("www", pages=3, quota=10)
        world.add("shop", pages=2)
        monkeypatch.setenv(VARIABLE, str(world.write()))
        monkeypatch.setenv(MAY_FORGET, "1")
        monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
        yield world


@pytest.fixture(scope="session")
def s3_address() -> Iterator[str]:
    """Amazon's interfaces on this machine, with one bucket."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket; the value is the address of its interface."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_address)
    client = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)
    yield s3_address
    for found in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=found["Key"])
    client.delete_bucket(Bucket=BUCKET)


@pytest.fixture
def gcs() -> Iterator[GcsFake]:
    with gcs_fake() as fake:
        yield fake


@pytest.fixture(params=["s3", "gs"])
def bucket_url(request: pytest.FixtureRequest) -> str:
    """A ledger's address in either kind of store, with nothing there yet."""
    if request.param == "s3":
        address = request.getfixturevalue("s3")
        return f"s3://{BUCKET}/fleet/ledger.db?endpoint={address}"
    return str(request.getfixturevalue("gcs").url())
