"""Cloud Run functions: a POST, or a CloudEvent. Who may call is checked by the platform."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Protocol

from submitter.cloud.answering import Json, Surroundings, answer
from submitter.cloud.deliveries import cloud_event_delivery, http_delivery, run_name
from submitter.cloud.logs import trace_fields

TIMEOUT = "CLOUD_RUN_TIMEOUT_SECONDS"
"""Set by the platform. Source: https://cloud.google.com/run/docs/container-contract, read
2026-11-30."""
SHORTEST_S = 60.0
"""Where nobody says how long a function may take. Source:
https://cloud.google.com/functions/docs/configuring/timeout, read 2026-11-30."""
PROJECT = "GOOGLE_CLOUD_PROJECT"

STATUSES: Mapping[str, HTTPStatus] = MappingProxyType(
    {
        "": HTTPStatus.OK,
        "busy": HTTPStatus.CONFLICT,
        "ledger": HTTPStatus.SERVICE_UNAVAILABLE,
        "storage": HTTPStatus.SERVICE_UNAVAILABLE,
        "unreachable": HTTPStatus.SERVICE_UNAVAILABLE,
        "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
    }
)
"""By kind of trouble; every other is for a person to mend: 422. A report is 200, whatever stands
in it: its `exit_code` says how the run ended."""

Response = tuple[str, int, dict[str, str]]


class Request(Protocol):
    """What of Flask's request is used."""

    @property
    def method(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    def get_data(self) -> bytes: ...


class CloudEvent(Protocol):
    """What of the CloudEvents library's event is used: `event["id"]`, `event.data`."""

    @property
    def data(self) -> object: ...
    def __getitem__(self, name: str) -> object: ...


def run_function(request: Request) -> Response:
    """Options in the body, the run's JSON as the answer. The status tells Cloud Scheduler or a
    Pub/Sub push subscription whether to come again."""
    if request.method != "POST":
        document = {"error": {"kind": "usage", "exit_code": 2, "message": "send a POST"}}
        return _response(document, HTTPStatus.METHOD_NOT_ALLOWED, Allow="POST")
    headers, fallback = request.headers, run_name("http", secrets.token_hex(8))
    answered = answer(
        lambda: http_delivery(headers, request.get_data(), fallback), _around(headers)
    )
    status = STATUSES.get(answered.trouble, HTTPStatus.UNPROCESSABLE_ENTITY)
    return _response(answered.document, status)


def run_event(event: CloudEvent) -> None:
    """A CloudEvent with the options as its data, or in a Pub/Sub message. Raises TryAgain where
    the same event may succeed later; what a person has to mend is in the log, and taken."""
    answered = answer(lambda: cloud_event_delivery(str(event["id"]), event.data), _around({}))
    answered.raise_if_for_later()


def _around(headers: Mapping[str, str]) -> Surroundings:
    try:
        seconds = float(os.environ.get(TIMEOUT, SHORTEST_S))
    except ValueError:
        seconds = SHORTEST_S
    return Surroundings(os.environ, time.monotonic() + seconds, _log_fields(headers))


def _log_fields(headers: Mapping[str, str]) -> dict[str, object]:
    """Source: https://cloud.google.com/logging/docs/structured-logging, read 2026-11-30."""
    found: dict[str, object] = dict(trace_fields(headers, os.environ.get(PROJECT)))
    if job := headers.get("X-CloudScheduler-JobName"):
        found["logging.googleapis.com/labels"] = {"scheduler_job": job}
    return found


def _response(document: Json, status: HTTPStatus, **headers: str) -> Response:
    return json.dumps(document), int(status), {"Content-Type": "application/json", **headers}
