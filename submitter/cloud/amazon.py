"""AWS Lambda: one event, or a batch of a queue's messages."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Protocol

from submitter.cloud.answering import MARGIN_S, Json, Surroundings, answer
from submitter.cloud.deliveries import Message, lambda_delivery, sqs_messages


class Context(Protocol):
    """What of Lambda's context object is used.

    Source: https://docs.aws.amazon.com/lambda/latest/dg/python-context.html, read 2026-11-30.
    """

    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int: ...


def lambda_handler(event: object, context: Context) -> Json:
    """The run's JSON; of a queue's batch, which messages have to come again.

    Raises TryAgain where the same event may succeed later: Lambda repeats what it was sent
    asynchronously (EventBridge, its Scheduler), a direct caller sees the error.
    """
    ends_at = time.monotonic() + context.get_remaining_time_in_millis() / 1000
    around = Surroundings(os.environ, ends_at, {"requestId": context.aws_request_id})
    if messages := sqs_messages(event):
        return _work_off(messages, around)
    answered = answer(lambda: lambda_delivery(event, context.aws_request_id), around)
    answered.raise_if_for_later()
    return answered.document


def _work_off(messages: Sequence[Message], around: Surroundings) -> Json:
    """One run a message, one after the other. A message without a report comes again, and ends in
    the queue's dead letters: there a person finds it.

    Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html, read
    2026-11-30.
    """
    failed = [message.id for message in messages if not _is_done(message, around)]
    return {"batchItemFailures": [{"itemIdentifier": id} for id in failed]}


def _is_done(message: Message, around: Surroundings) -> bool:
    if around.ends_at - time.monotonic() < 2 * MARGIN_S:
        return False
    return not answer(message.delivery, around).trouble
