"""What a run meets carries the words that the doctor has for it: in its problems, in the log, and
where an address is explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from ward import HOST, KEY, ORIGIN, Ward

from submitter.cli.reporting import status_docs
from submitter.core.causes import meaning_of, next_step_of
from submitter.core.selection import Selection
from submitter.render.shapes import answer_doc, explain_doc, log_row_doc
from submitter.sandbox import Role
from submitter.stories.runs import verify_fleet
from support.whole import EMAIL, explained


@dataclass(frozen=True)
class Answered:
    """A refusal of an engine that only a call brings out."""

    engine: str
    spoil: Callable[[Ward], object]
    status: int | None


def answers(engine: str, **fault: object) -> Callable[[Ward], object]:
    def spoil(ward: Ward) -> None:
        getattr(ward.world.sandbox, engine).faults.add("answer", times=None, **fault)

    return spoil


def drops_the_answer(engine: str, call: str) -> Callable[[Ward], object]:
    return lambda ward: getattr(ward.world.sandbox, engine).faults.add(
        "reset", after=True, call=call, times=None
    )


SUBMIT, PUSH, POST = "sitemaps.submit", "push", "post"
MET: dict[str, Answered] = {
    "scope-missing": Answered(
        "google",
        answers(
            "google", call=SUBMIT, status=403,
            body=json.dumps({"error": {"code": 403, "status": "PERMISSION_DENIED", "errors": [
                {"reason": "insufficientPermissions", "message": "insufficient scopes"}]}}),
        ),
        403,
    ),
    "property-forbidden": Answered(
        "google",
        answers(
            "google", call=SUBMIT, status=403,
            body=json.dumps({"error": {"code": 403, "errors": [
                {"reason": "forbidden", "message": "no sufficient permission"}]}}),
        ),
        403,
    ),
    "property-invalid": Answered(
        "google",
        answers(
            "google", call=SUBMIT, status=400,
            body=json.dumps({"error": {"code": 400, "errors": [
                {"reason": "invalidParameter", "location": "siteUrl", "message": "not valid"}]}}),
        ),
        400,
    ),
    "refused": Answered(
        "google",
        answers(
            "google", call=SUBMIT, status=400,
            body=json.dumps({"error": {"code": 400, "message": "no"}}),
        ),
        400,
    ),
    "token-invalid": Answered(
        "baidu", lambda ward: ward.world.put_secret("baidu.token", "0" * 16), 401
    ),
    "site-not-verified": Answered(
        "baidu",
        answers("baidu", status=400, body='{"error": 400, "message": "site error"}'),
        400,
    ),
    "site-form": Answered(
        "baidu",
        answers("baidu", status=400, body='{"error": 400, "message": "site init fail"}'),
        400,
    ),
    "answer-lost": Answered("baidu", drops_the_answer("baidu", PUSH), None),
    "endpoint-gone": Answered("baidu", answers("baidu", answer="not-found"), 404),
    "site-forbidden": Answered(
        "bing",
        answers(
            "bing", call="Submit*", status=400,
            body='{"ErrorCode": 13, "Message": "ERROR!!! NotAllowed"}',
        ),
        400,
    ),
    "key-invalid": Answered("seznam", lambda ward: ward.world.put_secret("seznam", "x" * 40), 401),
    "key-read-only": Answered(
        "seznam", lambda ward: ward.world.sandbox.seznam.add_site(HOST, may_write=False), 403
    ),
    "not-a-page": Answered("seznam", answers("seznam", answer="not-a-page"), 422),
    "key-refused": Answered("indexnow", answers("indexnow", answer="forbidden"), 403),
    "page-of-another-host": Answered("indexnow", answers("indexnow", status=422, body=""), 422),
    "sender-refused": Answered(
        "indexnow", answers("indexnow", status=403, body="<p>Attention required"), 403
    ),
}  # fmt: skip


@pytest.mark.parametrize("cause", MET)
def test_a_refusal_that_a_run_meets_is_explained_wherever_it_is_shown(
    ward: Ward, cause: str
) -> None:
    met = MET[cause]
    ward.admit(met.engine)
    if met.engine in ("indexnow", "seznam"):
        ward.world.accounts[met.engine]["first_run"] = "all"
    met.spoil(ward)
    ran = ward.world.run()
    problem = next(one for one in ran.summary["problems"] if one["cause"] == cause)
    meaning = meaning_of(cause, met.engine)
    assert problem["meaning"] == meaning
    assert problem["next_step"] or next_step_of(cause, met.engine) is None
    row = next(one for one in ran.calls if one.cause == cause)
    assert (row.http_status, row.next_step) == (met.status, problem["next_step"])
    assert log_row_doc(row)["meaning"] == meaning
    with ward.world.wired() as parts:
        story = explain_doc(explained(row.target, parts))
    [told] = [one for one in story["targets"] if one["account"] == met.engine]
    assert meaning in (told["why_not"] or "")
    assert (row.next_step or "") in (told["why_not"] or "")


def test_the_doctor_and_a_run_say_the_same(ward: Ward) -> None:
    ward.admit("google", google_property="host")
    ward.world.sandbox.google.grant(EMAIL, f"{ORIGIN}/", Role.RESTRICTED)
    diagnosis = ward.examine().target.diagnosis
    [problem] = ward.world.run().summary["problems"]
    assert problem["cause"] == diagnosis.cause == "role-restricted"
    assert problem["next_step"] == diagnosis.next_step
    assert diagnosis.message == f"{problem['meaning']}: {problem['message']}"


def test_what_was_not_even_called_has_one_name_everywhere(ward: Ward) -> None:
    """Nothing was sent, so the log has no row; the sitemap and the run's report remember why."""
    ward.admit("google", google_property="host")
    ran = ward.world.run()
    assert ran.calls == []
    [problem] = ran.summary["problems"]
    with ward.world.wired() as parts:
        [told] = explained(f"{ORIGIN}/sitemap.xml", parts).targets
        [status] = status_docs(parts, Selection())
    assert {told.state, problem["state"], status["last_try"]} == {"failed"}
    assert told.why.reason == problem["cause"] == "property-missing"
    assert told.why.next_step == problem["next_step"]
    finding = status["finding"]
    assert finding is not None
    assert finding["id"] == "property-missing"
    assert problem["next_step"] in finding["message"]
    assert problem["meaning"] in (told.why_not or "")
    [planned] = ward.world.plan().plan.actions
    assert planned.reason == "again after failed"


def test_a_key_file_that_is_missing_stops_a_run_with_the_doctors_words(ward: Ward) -> None:
    ward.admit("indexnow")
    ward.world.accounts["indexnow"]["first_run"] = "all"
    ward.shop.mend(f"/{KEY}.txt")
    diagnosis = ward.examine().target.diagnosis
    [problem] = ward.world.run().summary["problems"]
    assert problem["cause"] == diagnosis.cause == "key-file-missing"
    assert problem["next_step"] == diagnosis.next_step


def test_an_engine_that_will_not_be_asked_about_sitemaps_is_explained_as_well(ward: Ward) -> None:
    ward.admit("google")
    ward.world.run()
    body = {"error": {"code": 403, "errors": [{"reason": "forbidden", "message": "no access"}]}}
    ward.world.sandbox.google.faults.add(
        "answer", call="sitemaps.list", times=None, status=403, body=json.dumps(body)
    )
    with ward.world.wired() as parts:
        [answer] = verify_fleet(ward.world.request(parts.fleet, None), parts.tools())
    document = answer_doc(answer)
    assert document["state"] == "failed"
    assert document["cause"] == "property-forbidden"
    assert document["meaning"] == meaning_of("property-forbidden", "google")
    assert EMAIL in (document["next_step"] or "")
