"""Lambda's own runtime loop drives the real handler, against an emulator of its interface."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from submitter.cloud.answering import MAY_FORGET
from submitter.cloud.inventories import VARIABLE
from submitter.sandbox import Sandbox
from support.whole import World

PREFIX = "/2018-06-01/runtime"
"""Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, read 2026-11-30."""
PATIENCE_S = 60


@dataclass
class RuntimeApi:
    """Hands out invocations and takes what the handler answers."""

    events: queue.Queue[tuple[str, object]] = field(default_factory=queue.Queue)
    answers: queue.Queue[tuple[str, Any]] = field(default_factory=queue.Queue)
    """(`response` or `error`, the JSON)."""

    process: subprocess.Popen[bytes] | None = None

    def invoke(self, id: str, event: object) -> tuple[str, Any]:
        self.events.put((id, event))
        for _ in range(PATIENCE_S * 10):
            try:
                return self.answers.get(timeout=0.1)
            except queue.Empty:
                assert self.process is not None
                assert self.process.poll() is None, "the runtime loop ended"
        raise AssertionError("the handler did not answer")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: RuntimeApi

    def do_GET(self) -> None:
        id, event = self.api.events.get(timeout=PATIENCE_S)
        body = json.dumps(event).encode()
        self.send_response(200)
        self.send_header("Lambda-Runtime-Aws-Request-Id", id)
        self.send_header("Lambda-Runtime-Deadline-Ms", str(int((time.time() + 300) * 1000)))
        self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:x:1:function:f")
        self.send_header("Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.api.answers.put((self.path.rpartition("/")[2], body))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@contextmanager
def lambda_function(log: Path, **variables: str) -> Iterator[RuntimeApi]:
    """The function's process, started as Lambda starts it; what it logs goes to `log`."""
    api = RuntimeApi()
    handler = type("Handler", (_Handler,), {"api": api})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, log.open("wb") as stream:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        given = {
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}",
            "AWS_LAMBDA_FUNCTION_NAME": "submitter",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
            "AWS_LAMBDA_LOG_FORMAT": "JSON",
        }
        process = api.process = subprocess.Popen(
            [sys.executable, "-m", "awslambdaric", "submitter.cloud.lambda_handler"],
            env=dict(os.environ) | given | variables,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        try:
            yield api
        finally:
            process.kill()
            process.wait()
            server.shutdown()


@pytest.fixture
def town(tmp_path: Path) -> Iterator[World]:
    with Sandbox() as sandbox:
        world = World(sandbox, tmp_path)
        world.add("www", pages=3, quota=10)
        yield world


def test_the_runtime_loop_drives_the_handler(town: World, tmp_path: Path) -> None:
    log, path = tmp_path / "log", town.write()
    with lambda_function(log, **{VARIABLE: str(path), MAY_FORGET: "1"}) as function:
        kind, first = function.invoke("r-1", {"engine": "google"})
        assert (kind, first["run"], first["outcome"]) == ("response", "lambda-r-1", "ok")
        assert function.invoke("r-1", {"engine": "google"}) == ("response", first)
        assert len(town.sandbox.google.book.entries("sitemaps.submit")) == 1

        message = {"eventSource": "aws:sqs", "messageId": "m", "body": '{"sites": 1}'}
        kind, report = function.invoke("r-2", {"Records": [message]})
        assert report == {"batchItemFailures": [{"itemIdentifier": "m"}]}

        town.ledger_path.write_bytes(b"this is no ledger")
        kind, report = function.invoke("r-3", {})
        assert (kind, report["errorType"]) == ("error", "TryAgain")
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert {"r-1", "r-2", "r-3"} <= {line.get("requestId") for line in lines}
    assert town.sandbox.baidu.token not in log.read_text(encoding="utf-8")
