"""Functions as platforms call them: the run's JSON, deadlines, repeats, and what goes wrong."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from cloud_support import HttpRequest, LambdaContext, busy_ledger, log_lines

from submitter.cloud import lambda_handler, run_event, run_function
from submitter.cloud.answering import AT_WORK, MAY_FORGET, TryAgain
from submitter.cloud.inventories import VARIABLE
from submitter.cloud.logs import trace_fields
from support.gcs_store import GcsFake
from support.whole import World

SCHEDULER = {
    "X-CloudScheduler-JobName": "hourly",
    "X-CloudScheduler-ScheduleTime": "2026-11-30T10:00:00Z",
}
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class Event(dict[str, Any]):
    """A CloudEvent as its library makes it."""

    def __init__(self, id: str, data: object = None) -> None:
        super().__init__(id=id)
        self.data = data


def told(world: World) -> tuple[int, int]:
    """Calls that Google and Baidu got."""
    google, baidu = world.sandbox.google.book, world.sandbox.baidu.book
    return len(google.entries("sitemaps.submit")), len(baidu.entries("push"))


def calls(world: World) -> int:
    return sum(told(world))


# ---------------------------------------------------------------- a run


def test_a_function_answers_with_the_json_of_its_run(town: World) -> None:
    report: Any = lambda_handler({"site": "shop.*"}, LambdaContext("r-1"))
    assert report["run"] == "lambda-r-1"
    assert report["outcome"] == "ok"
    assert report["counts"]["sitemaps"]["accepted"] == 1
    assert told(town) == (1, 0)


def test_http_and_cloud_events_do_the_same(town: World) -> None:
    body, status, headers = run_function(HttpRequest(b'{"engine": "google"}'))
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert json.loads(body)["counts"]["sitemaps"]["accepted"] == 2
    run_event(Event("e-1", {"engine": "baidu"}))
    assert told(town)[0] == 2
    assert town.run_rows()[0].id == "event-e-1"
    assert set(town.page_states().values()) == {"accepted"}


def test_the_selection_of_an_event_may_match_nothing(town: World) -> None:
    report: Any = lambda_handler({"site": "nobody.*"}, LambdaContext())
    assert (report["error"]["kind"], report["error"]["exit_code"]) == ("no-match", 7)


# ---------------------------------------------------------------- repeats


def test_a_second_delivery_finds_the_first(town: World) -> None:
    first = lambda_handler({}, LambdaContext("same"))
    before = calls(town)
    town.sandbox.fleet.site("shop.whole.test").add_pages(3, "pages")
    assert lambda_handler({}, LambdaContext("same")) == first
    assert calls(town) == before, "the repeat told nobody anything"


def test_a_scheduler_that_comes_twice_finds_the_first(town: World) -> None:
    first = run_function(HttpRequest(headers=SCHEDULER))
    before = calls(town)
    assert run_function(HttpRequest(headers=SCHEDULER)) == first
    assert calls(town) == before
    later = SCHEDULER | {"X-CloudScheduler-ScheduleTime": "2026-11-30T11:00:00Z"}
    assert json.loads(run_function(HttpRequest(headers=later))[0])["outcome"] == "nothing"


def test_a_run_that_meets_another_one_comes_again(town: World) -> None:
    with busy_ledger(town), pytest.raises(TryAgain, match="holds the lease"):
        lambda_handler({}, LambdaContext())
    with busy_ledger(town):
        body, status, _ = run_function(HttpRequest())
        assert (status, json.loads(body)["error"]["kind"]) == (409, "busy")
    with busy_ledger(town), pytest.raises(TryAgain):
        run_event(Event("e-1"))
    assert calls(town) == 0


def test_an_instance_works_on_one_event_at_a_time(town: World) -> None:
    with AT_WORK:
        body, status, _ = run_function(HttpRequest())
    assert (status, json.loads(body)["error"]["exit_code"]) == (409, 75)
    assert run_function(HttpRequest())[1] == 200


# ---------------------------------------------------------------- a queue


def batch(**bodies: str) -> dict[str, Any]:
    return {
        "Records": [
            {"eventSource": "aws:sqs", "messageId": id, "body": body} for id, body in bodies.items()
        ]
    }


def test_of_a_batch_only_messages_without_a_report_come_again(town: World) -> None:
    messages = batch(a='{"engine": "google"}', b="no json", c='{"site": "nobody"}', d="")
    answer: Any = lambda_handler(messages, LambdaContext())
    assert [one["itemIdentifier"] for one in answer["batchItemFailures"]] == ["b", "c"]
    assert told(town)[0] == 2
    before = calls(town)
    again: Any = lambda_handler(batch(a='{"engine": "google"}', d=""), LambdaContext())
    assert again == {"batchItemFailures": []}
    assert calls(town) == before


def test_messages_for_which_there_is_no_time_come_again(town: World) -> None:
    answer: Any = lambda_handler(batch(a="", b=""), LambdaContext(seconds=15))
    assert [one["itemIdentifier"] for one in answer["batchItemFailures"]] == ["a", "b"]
    assert calls(town) == 0


# ---------------------------------------------------------------- time


def test_with_too_little_time_nothing_is_begun_and_the_next_event_goes_on(town: World) -> None:
    late: Any = lambda_handler({}, LambdaContext("first", seconds=3.5))
    assert (late["outcome"], late["exit_code"]) == ("deadline", 6)
    assert calls(town) == 0
    report: Any = lambda_handler({}, LambdaContext("second"))
    assert report["outcome"] == "ok"
    assert told(town)[0] == 2


def test_the_deadline_is_the_platforms_and_an_event_can_only_shorten_it(
    town: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUD_RUN_TIMEOUT_SECONDS", "3.5")
    body, status, _ = run_function(HttpRequest(b'{"deadline": 3000}'))
    assert (status, json.loads(body)["outcome"]) == (200, "deadline")
    monkeypatch.setenv("CLOUD_RUN_TIMEOUT_SECONDS", "3600")
    body, _, _ = run_function(HttpRequest(b'{"deadline": 2.5}'))
    assert json.loads(body)["outcome"] == "deadline"
    assert calls(town) == 0


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize("text", ["sites: [", "version: 1\nacounts: {}\n"])
def test_a_fault_that_a_person_made_is_an_answer_and_no_repeat(town: World, text: str) -> None:
    (town.folder / "inventory.yaml").write_text(text, encoding="utf-8")
    report: Any = lambda_handler({}, LambdaContext())
    assert (report["error"]["kind"], report["error"]["exit_code"]) == ("config", 2)
    assert report["error"]["faults"]
    assert run_function(HttpRequest())[1] == 422
    run_event(Event("e-1"))


def test_only_a_post_runs_anything(town: World) -> None:
    body, status, headers = run_function(HttpRequest(method="GET"))
    assert (status, headers["Allow"]) == (405, "POST")
    assert "error" in json.loads(body)
    assert calls(town) == 0


def test_a_missing_secret_ends_it_before_the_first_request(town: World) -> None:
    (town.folder / "baidu.token").unlink()
    report: Any = lambda_handler({}, LambdaContext())
    assert report["error"]["kind"] == "config"
    assert calls(town) == 0


def test_a_ledger_in_the_temporary_folder_has_to_be_asked_for(
    town: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(MAY_FORGET)
    report: Any = lambda_handler({}, LambdaContext())
    assert "a function's temporary folder forgets" in report["error"]["message"]


def test_a_ledger_that_cannot_be_used_comes_again(town: World) -> None:
    town.ledger_path.write_bytes(b"this is no ledger")
    with pytest.raises(TryAgain, match="no ledger"):
        lambda_handler({}, LambdaContext())
    assert run_function(HttpRequest())[1] == 503


def test_an_inventory_may_be_an_object(
    town: World, gcs: GcsFake, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (town.folder / "inventory.yaml").read_text(encoding="utf-8")
    text = text.replace("file:", f"file:{town.folder}/")
    text = text.replace("sqlite:///", f"sqlite:///{town.folder}/")
    monkeypatch.setenv(VARIABLE, gcs.url("fleet.yaml"))
    lost: Any = lambda_handler({}, LambdaContext())
    assert "there is no such object" in lost["error"]["message"]
    gcs.put("/bucket-of-tests/fleet.yaml", None, text.encode(), "")
    report: Any = lambda_handler({}, LambdaContext())
    assert report["outcome"] == "ok"


def test_an_inventory_that_the_store_does_not_give_now_comes_again(
    town: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv(
        VARIABLE, "s3://bucket/fleet.yaml?region=eu-west-1&endpoint=http://127.0.0.1:1"
    )
    with pytest.raises(TryAgain, match=r"s3://bucket/fleet\.yaml: S3 could not be asked"):
        lambda_handler({}, LambdaContext())
    body, status, _ = run_function(HttpRequest())
    assert (status, json.loads(body)["error"]["kind"]) == (503, "unreachable")


# ---------------------------------------------------------------- logs


def test_amazon_gets_its_own_field_names(town: World, capsys: pytest.CaptureFixture[str]) -> None:
    lambda_handler({}, LambdaContext("r-1"))
    lines = log_lines(capsys)
    assert lines
    assert all({"timestamp", "level", "message", "requestId"} <= line.keys() for line in lines)
    assert {line["requestId"] for line in lines} == {"r-1"}
    assert lines[-1]["run"] == "lambda-r-1"
    assert lines[-1]["exit_code"] == 0


def test_google_gets_its_own_field_names(
    town: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p-1")
    headers = SCHEDULER | {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
    run_function(HttpRequest(headers=headers))
    lines = log_lines(capsys)
    assert lines
    assert all({"time", "severity", "message"} <= line.keys() for line in lines)
    assert {line["logging.googleapis.com/trace"] for line in lines} == {
        f"projects/p-1/traces/{TRACE}"
    }
    labels = [line["logging.googleapis.com/labels"] for line in lines]
    assert {one["scheduler_job"] for one in labels} == {"hourly"}


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        ({}, {}),
        ({"traceparent": "nonsense"}, {}),
        ({"X-Cloud-Trace-Context": f"{TRACE}/7;o=1"}, {"logging.googleapis.com/trace": TRACE}),
        ({"X-Cloud-Trace-Context": 'x"y/1'}, {}),
    ],
)
def test_a_trace_is_taken_from_either_header(
    headers: dict[str, str], fields: dict[str, str]
) -> None:
    assert trace_fields(headers, None) == fields


def test_no_line_holds_a_secret_and_no_other_handler_writes_one(
    town: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """Platforms put handlers of their own on the root logger."""
    theirs = logging.StreamHandler()
    logging.getLogger().addHandler(theirs)
    town.sandbox.baidu.faults.add("reset", call="push")
    try:
        lambda_handler({}, LambdaContext())
        assert theirs in logging.getLogger().handlers
    finally:
        logging.getLogger().removeHandler(theirs)
    written = "".join(capsys.readouterr())
    assert written
    assert town.sandbox.baidu.token not in written
    for line in written.splitlines():
        json.loads(line)


# ---------------------------------------------------------------- shards


def test_shards_of_one_event_are_runs_of_their_own_and_cover_the_fleet(town: World) -> None:
    """Google and Baidu share a site and stay together: the other shard has nothing to do."""
    event = {"run": "daily", "shard": "1/2"}
    first: Any = lambda_handler(event, LambdaContext())
    assert (first["run"], first["outcome"]) == ("daily-shard-1-of-2", "ok")
    other: Any = lambda_handler(event | {"shard": "2/2"}, LambdaContext())
    assert (other["outcome"], other["exit_code"], other["targets"]) == ("nothing", 0, [])
    assert told(town)[0] == 2


def test_a_shard_and_the_whole_fleet_do_not_run_at_once(town: World) -> None:
    with busy_ledger(town), pytest.raises(TryAgain, match="holds the lease"):
        lambda_handler({"shard": "1/2"}, LambdaContext())
    with busy_ledger(town, "run/shard-2-of-2"):
        with pytest.raises(TryAgain, match="holds the lease"):
            lambda_handler({}, LambdaContext("whole"))
        report: Any = lambda_handler({"shard": "1/2"}, LambdaContext("shard"))
    assert report["outcome"] == "ok"
