"""What `check` finds out about accounts and targets, and what it does not pretend to know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from submitter.checkup import Checkup, Health, check_fleet
from submitter.core.calls import Property, Survey
from submitter.core.fleet import Account, Fleet, SecretRef, Site
from submitter.core.traits import Kind, Traits
from submitter.errors import ConfigError, EngineError, EngineUnavailable, NotAuthorized
from submitter.render.shapes import check_doc
from submitter.runner import Channel

from support.twins import OpenPermits, ScriptedEngine

TRAITS = Traits("google", "Google", frozenset({Kind.SITEMAP}), "credentials", "UTC")
ACCOUNT = Account("gsc", "google", SecretRef("env", "KEY"))
SPARE = Account("spare", "google", None)
FLEET = Fleet(
    "shops",
    "sqlite:///:memory:",
    {"gsc": ACCOUNT, "spare": SPARE},
    (Site("shop.example", accounts=("gsc",)), Site("www.example", accounts=("gsc",))),
)
SURVEY = Survey("gsc", (Property("sc-domain:example", "siteOwner", True),), "robot@example")
DENIED = NotAuthorized(
    "google", "not listed", scope="property", cause="property-missing", next_step="add it"
)


def check(
    engine: ScriptedEngine | None, *, online: bool = True, problem: str = "KEY is not set"
) -> Checkup:
    def open_channels(names: Iterable[str]) -> Mapping[str, Channel]:
        if engine is None:
            raise ConfigError.one("env:KEY", problem)
        return {name: Channel(FLEET.accounts[name], engine, OpenPermits()) for name in names}

    return check_fleet(
        FLEET,
        FLEET.targets(),
        open_channels,
        property_of=lambda target, survey: target.site.host,
        online=online,
    )


def test_a_secret_that_is_not_there_fails_its_account_and_leaves_its_targets_unchecked() -> None:
    checkup = check(None)
    (account,) = checkup.accounts
    assert account.diagnosis.health is Health.FAILED
    assert "KEY is not set" in account.diagnosis.message
    assert {one.diagnosis.health for one in checkup.targets} == {Health.UNCHECKED}
    assert checkup.exit_code == 2


def test_offline_nobody_is_asked() -> None:
    engine = ScriptedEngine(TRAITS, the_survey=SURVEY)
    checkup = check(engine, online=False)
    assert engine.surveys == 0
    assert {one.diagnosis.health for one in checkup.accounts} == {Health.UNCHECKED}
    assert checkup.exit_code == 0


def test_online_an_account_is_asked_once_for_all_its_targets() -> None:
    engine = ScriptedEngine(TRAITS, the_survey=SURVEY)
    checkup = check(engine)
    assert engine.surveys == 1
    assert "robot@example" in checkup.accounts[0].diagnosis.message
    assert [one.diagnosis.health for one in checkup.targets] == [Health.OK, Health.OK]
    assert checkup.exit_code == 0


def test_what_cannot_be_asked_without_spending_says_so() -> None:
    checkup = check(ScriptedEngine(TRAITS))
    assert checkup.accounts[0].diagnosis.health is Health.UNCHECKED
    assert "without spending" in checkup.accounts[0].diagnosis.message
    assert {one.diagnosis.health for one in checkup.targets} == {Health.UNCHECKED}
    assert checkup.exit_code == 0


def test_a_target_that_must_fail_says_why_and_what_to_do() -> None:
    engine = ScriptedEngine(TRAITS, the_survey=SURVEY)
    engine.refusal = lambda action: DENIED if "shop" in action.site else None
    document = check_doc(check(engine))
    assert document["ok"] is False
    assert document["targets"][0] == {
        "site": "https://shop.example",
        "property": "shop.example",
        "account": "gsc",
        "engine": "google",
        "state": "failed",
        "cause": "property-missing",
        "message": "not listed",
        "next_step": "add it",
    }
    assert document["targets"][1]["state"] == "ok"


@pytest.mark.parametrize(
    ("error", "cause", "next_step"),
    [
        (DENIED, "property-missing", "add it"),
        (EngineUnavailable("google", "no answer"), "unavailable", None),
        (EngineUnavailable("google", "busy", code="503"), "503", None),
    ],
)
def test_an_account_that_fails_says_why(
    error: EngineError, cause: str, next_step: str | None
) -> None:
    checkup = check(ScriptedEngine(TRAITS, the_survey=error))
    diagnosis = checkup.accounts[0].diagnosis
    assert (diagnosis.health, diagnosis.cause) == (Health.FAILED, cause)
    assert diagnosis.next_step == next_step
    assert checkup.exit_code == 4


def test_an_account_that_no_site_uses_is_a_finding() -> None:
    assert [(one.id, one.where) for one in check(None).findings] == [("unused-account", "spare")]
