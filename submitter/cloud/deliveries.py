"""What platforms deliver, as one value: a run's name and its options, not yet read.

The name comes from the event, so that a second delivery of it finds the first one's run.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from submitter.cloud.options import EVENT
from submitter.errors import ConfigError

SQS = "aws:sqs"
_ODD = re.compile(r"[^\w.:+/@-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Delivery:
    """`run` names the run unless the options do."""

    run: str
    options: object = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a queue; its body is JSON text or nothing."""

    id: str
    body: str

    def delivery(self) -> Delivery:
        """Raises ConfigError."""
        return Delivery(run_name("sqs", self.id), read_json(self.body))


def run_name(*parts: str) -> str:
    """A name that the ledger and every log can hold."""
    return _ODD.sub("-", "-".join(parts))[:200]


def read_json(text: str | bytes) -> object:
    """The options in a body; an empty one has none. Raises ConfigError."""
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        problem = "the body is no JSON"
    raise ConfigError.one(EVENT, problem)


# ---------------------------------------------------------------- Amazon


def sqs_messages(event: object) -> list[Message]:
    """The messages of an SQS batch; none of every other event.

    Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html, read 2026-11-30.
    """
    records = event.get("Records") if isinstance(event, Mapping) else None
    if not isinstance(records, list) or not all(map(_is_message, records)):
        return []
    return [Message(str(one["messageId"]), str(one.get("body", ""))) for one in records]


def _is_message(record: object) -> bool:
    return (
        isinstance(record, Mapping) and record.get("eventSource") == SQS and "messageId" in record
    )


def lambda_delivery(event: object, request_id: str) -> Delivery:
    """An EventBridge event, whose options stand in `detail`, or the options themselves.

    A retried asynchronous invocation keeps its request id.
    Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html and
    https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html, read
    2026-11-30.
    """
    fallback = run_name("lambda", request_id)
    if isinstance(event, Mapping) and "detail-type" in event and "source" in event:
        id = event.get("id")
        return Delivery(run_name("eventbridge", str(id)) if id else fallback, event.get("detail"))
    return Delivery(fallback, event)


# ---------------------------------------------------------------- Google


def http_delivery(headers: Mapping[str, str], body: bytes, fallback: str) -> Delivery:
    """A POST, of Cloud Scheduler's with the name of the job and its time, or of a Pub/Sub push.

    Source: https://cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs
    (HttpTarget), read 2026-11-30.
    """
    document = read_json(body)
    if _is_push(document):
        return pubsub_delivery(document)
    job = headers.get("X-CloudScheduler-JobName")
    if job is None:
        return Delivery(fallback, document)
    at = headers.get("X-CloudScheduler-ScheduleTime")
    return Delivery(run_name("scheduler", job, at) if at else fallback, document)


def _is_push(document: object) -> bool:
    return (
        isinstance(document, Mapping)
        and isinstance(document.get("message"), Mapping)
        and "subscription" in document
    )


def cloud_event_delivery(id: str, data: object) -> Delivery:
    """A CloudEvent; one of Pub/Sub has its message inside."""
    if isinstance(data, bytes | str):
        data = read_json(data)
    if isinstance(data, Mapping) and isinstance(data.get("message"), Mapping):
        return pubsub_delivery(data)
    return Delivery(run_name("event", id), data)


def pubsub_delivery(push: Any) -> Delivery:
    """Source: https://cloud.google.com/pubsub/docs/push (format of push messages), read
    2026-11-30."""
    message = push["message"]
    id = message.get("messageId") or message.get("message_id")
    if not isinstance(id, str):
        raise ConfigError.one(EVENT, "the Pub/Sub message has no messageId")
    return Delivery(run_name("pubsub", id), read_json(_decoded(message.get("data") or "")))


def _decoded(data: object) -> bytes:
    try:
        return base64.b64decode(str(data), validate=True)
    except ValueError:
        problem = "the Pub/Sub message's data is not base64"
    raise ConfigError.one(EVENT, problem)
