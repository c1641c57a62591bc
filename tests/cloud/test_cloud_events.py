"""Events of every platform become one run's name and options; what is wrong is said at once."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from submitter.cloud.deliveries import (
    Delivery,
    Message,
    cloud_event_delivery,
    http_delivery,
    lambda_delivery,
    run_name,
    sqs_messages,
)
from submitter.cloud.options import RunOptions, read_options
from submitter.core.selection import FORCED_WITHOUT_SELECTION, Selection
from submitter.errors import ConfigError

SCHEDULED = {
    "version": "0",
    "id": "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "time": "2026-11-30T10:00:00Z",
    "detail": {},
}
"""As EventBridge sends it. Source: https://docs.aws.amazon.com/lambda/latest/dg/
with-eventbridge-scheduler.html, read 2026-11-30."""


def push(data: object, id: str = "2070443601311540") -> dict[str, Any]:
    text = base64.b64encode(json.dumps(data).encode()).decode()
    return {"message": {"data": text, "messageId": id}, "subscription": "projects/p/s/x"}


@pytest.mark.parametrize(
    ("document", "options"),
    [
        (None, RunOptions()),
        ({}, RunOptions()),
        ({"site": "www.*"}, RunOptions(selection=Selection(sites=("www.*",)))),
        (
            {"engine": ["google", "baidu"], "account": "a", "tag": ["x"]},
            RunOptions(selection=Selection((), ("google", "baidu"), ("a",), ("x",))),
        ),
        (
            {"force": "moved", "tag": "x"},
            RunOptions(selection=Selection(tags=("x",)), force="moved"),
        ),
        (
            {"only-plan": "abc", "deadline": 60, "wait": 1.5, "verify": False},
            RunOptions(only_plan="abc", deadline_s=60, wait_s=1.5, verify=False),
        ),
        ({"no_verify": True}, RunOptions(verify=False)),
        ({"run": "daily-2026-11-30T10:00:00Z"}, RunOptions(run="daily-2026-11-30T10:00:00Z")),
        ({"force": None, "only_plan": None}, RunOptions()),
    ],
)
def test_options_are_those_of_the_command(document: object, options: RunOptions) -> None:
    assert read_options(document) == options


@pytest.mark.parametrize(
    ("document", "problems"),
    [
        ([], ["event: should be an object with the options of `submitter run`"]),
        ("all", ["event: should be an object with the options of `submitter run`"]),
        (
            {"sites": "x", "verify": "no"},
            [
                "event.sites: no such option; did you mean 'site'?",
                "event.verify: should be true or false",
            ],
        ),
        ({"site": [1]}, ["event.site: should be a text or a list of texts"]),
        ({"force": "moved"}, [f"event.force: {FORCED_WITHOUT_SELECTION}"]),
        ({"force": "moved", "site": []}, [f"event.force: {FORCED_WITHOUT_SELECTION}"]),
        ({"force": " "}, ["event.force: should be a text with words in it"]),
        ({"deadline": True}, ["event.deadline: should be a number of seconds"]),
        ({"wait": -1}, ["event.wait: should be a number of seconds"]),
        ({"deadline": float("nan")}, ["event.deadline: should be a number of seconds"]),
        (
            {"run": "a b"},
            ["event.run: should be a name of letters, digits and . : + / @ - _, at most 200 long"],
        ),
    ],
)
def test_everything_wrong_with_options_is_said_at_once(
    document: object, problems: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_options(document)
    assert str(caught.value).splitlines() == problems


@pytest.mark.parametrize(
    ("event", "delivery"),
    [
        (SCHEDULED, Delivery("eventbridge-53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa", {})),
        (
            SCHEDULED | {"id": "e-1", "detail": {"tag": "x"}},
            Delivery("eventbridge-e-1", {"tag": "x"}),
        ),
        (SCHEDULED | {"id": None}, Delivery("lambda-r-1", {})),
        ({"site": "x"}, Delivery("lambda-r-1", {"site": "x"})),
        (None, Delivery("lambda-r-1", None)),
    ],
)
def test_a_repeated_event_at_lambda_has_the_same_run(event: object, delivery: Delivery) -> None:
    assert lambda_delivery(event, "r-1") == delivery


def test_each_message_of_a_queue_is_a_run_of_its_own() -> None:
    records = [
        {"eventSource": "aws:sqs", "messageId": "m-1", "body": '{"site": "www.*"}'},
        {"eventSource": "aws:sqs", "messageId": "m-2", "body": ""},
    ]
    messages = sqs_messages({"Records": records})
    assert [one.delivery() for one in messages] == [
        Delivery("sqs-m-1", {"site": "www.*"}),
        Delivery("sqs-m-2", None),
    ]
    with pytest.raises(ConfigError, match="the body is no JSON"):
        Message("m-3", "{site").delivery()


@pytest.mark.parametrize(
    "event",
    [
        *(None, [], SCHEDULED, {"Records": [{"eventSource": "aws:s3"}]}),
        *({"Records": ["text"]}, {"Records": [{"eventSource": "aws:sqs"}]}),
    ],
)
def test_other_events_are_no_queue(event: object) -> None:
    assert sqs_messages(event) == []


@pytest.mark.parametrize(
    ("headers", "body", "delivery"),
    [
        ({}, b"", Delivery("http-1", None)),
        ({}, b'{"site": "x"}', Delivery("http-1", {"site": "x"})),
        (
            {
                "X-CloudScheduler-JobName": "hourly",
                "X-CloudScheduler-ScheduleTime": "2026-11-30T10:00:00Z",
            },
            b"{}",
            Delivery("scheduler-hourly-2026-11-30T10:00:00Z", {}),
        ),
        ({"X-CloudScheduler-JobName": "by hand"}, b"", Delivery("http-1", None)),
        (
            {},
            json.dumps(push({"tag": "x"})).encode(),
            Delivery("pubsub-2070443601311540", {"tag": "x"}),
        ),
        (
            {},
            b'{"message": "x", "subscription": "s"}',
            Delivery("http-1", {"message": "x", "subscription": "s"}),
        ),
    ],
)
def test_a_repeated_request_of_a_scheduler_or_push_has_the_same_run(
    headers: dict[str, str], body: bytes, delivery: Delivery
) -> None:
    assert http_delivery(headers, body, "http-1") == delivery


@pytest.mark.parametrize(
    ("data", "delivery"),
    [
        (None, Delivery("event-e-1", None)),
        ({"site": "x"}, Delivery("event-e-1", {"site": "x"})),
        (b'{"site": "x"}', Delivery("event-e-1", {"site": "x"})),
        (push({"site": "x"}), Delivery("pubsub-2070443601311540", {"site": "x"})),
        ({"message": {"message_id": "7"}}, Delivery("pubsub-7", None)),
        ({"message": {"message_id": "7", "data": None}}, Delivery("pubsub-7", None)),
    ],
)
def test_a_cloud_event_may_have_its_options_inside_a_message(
    data: object, delivery: Delivery
) -> None:
    assert cloud_event_delivery("e-1", data) == delivery


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"data": "", "messageId": 3}, "has no messageId"),
        ({"data": "{}", "messageId": "3"}, "is not base64"),
    ],
)
def test_a_message_that_is_none_is_said(message: object, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        cloud_event_delivery("e-1", {"message": message})


def test_a_name_of_a_run_holds_nothing_odd() -> None:
    assert run_name("scheduler", "my job\n", "ü" * 300) == "scheduler-my-job---"
