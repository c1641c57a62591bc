"""`verify-domain`: the whole way with the real client, and every way in which it ends early."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from submitter.core.fleet import Account, SecretRef
from submitter.core.secrets import MaskedSecret
from submitter.engines.google_answers import SCOPE
from submitter.engines.google_site_verification import VERIFICATION_SCOPE, open_domains
from submitter.errors import ConfigError
from submitter.sandbox import Role, Sandbox, SandboxClock
from submitter.sandbox.google_verification import token_of
from submitter.stories.domains import DomainReport, StepName, StepState, domain_of, verify_domain
from support.twins import HandClock
from support.whole import EMAIL, START, one_key

DOMAIN, PROPERTY = "example.test", "sc-domain:example.test"
OTHER = "other@sandbox-project.iam.gserviceaccount.com"
INSERT, ADD, TOKEN = "verification.insert", "sites.add", "verification.token"

ALREADY, DONE = StepState.ALREADY, StepState.DONE
WAITING, FAILED = StepState.WAITING, StepState.FAILED


@dataclass
class Google:
    """A sandbox, and an account of it that wants to own a domain."""

    sandbox: Sandbox
    clock: HandClock = field(default_factory=lambda: HandClock(START))

    def __post_init__(self) -> None:
        self.account = self.sandbox.google.add_account(EMAIL)
        self.account._key = one_key()
        self.record = token_of(EMAIL, DOMAIN)

    @property
    def key(self) -> str:
        return json.dumps(self.sandbox.google.key_file(EMAIL))

    def verify(self, *, check: bool = False) -> DomainReport:
        account = Account(
            "gsc", "google", SecretRef("env", "GSC"), endpoint=self.sandbox.google.endpoint
        )
        door = open_domains(account, MaskedSecret(self.key), self.clock)
        return verify_domain(DOMAIN, door, clock=self.clock, check=check)

    def calls(self, name: str) -> int:
        return self.sandbox.google.book.count(call=name)


@pytest.fixture
def google() -> Iterator[Google]:
    with Sandbox(clock=SandboxClock(frozen_at=START)) as sandbox:
        yield Google(sandbox)


def states(report: DomainReport) -> list[StepState]:
    assert [step.name for step in report.steps] == list(StepName)
    return [step.state for step in report.steps]


# ---------------------------------------------------------------- the whole way


def test_from_nothing_to_owner(google: Google) -> None:
    first = google.verify()
    assert states(first) == [WAITING] * 4
    assert (first.record, first.principal) == (google.record, EMAIL)
    assert first.exit_code == 0
    google.sandbox.google.put_txt(DOMAIN, first.record or "")
    second = google.verify(check=True)
    assert states(second) == [DONE] * 4
    assert second.listing is not None
    assert (second.listing.name, second.listing.role) == (PROPERTY, "siteOwner")
    assert second.exit_code == 0
    assert google.account.properties == {PROPERTY: Role.OWNER}


def test_without_check_nothing_is_written_and_nobody_looks_for_the_record(google: Google) -> None:
    google.sandbox.google.put_txt(DOMAIN, google.record)
    google.verify()
    assert (google.calls(INSERT), google.calls(ADD)) == (0, 0)
    assert not google.account.verified


def test_what_is_done_is_not_done_again(google: Google) -> None:
    google.sandbox.google.put_txt(DOMAIN, google.record)
    google.verify(check=True)
    google.sandbox.google.book.clear()
    for check in (True, False):
        report = google.verify(check=check)
        assert states(report) == [ALREADY] * 4
        assert report.exit_code == 0
    assert {entry.call for entry in google.sandbox.google.book.entries()} <= {"token", "sites.list"}


def test_an_account_made_owner_by_a_person_has_nothing_to_do(google: Google) -> None:
    google.sandbox.google.grant(EMAIL, PROPERTY)
    google.account.verification_enabled = False
    assert states(google.verify()) == [ALREADY] * 4


def test_a_domain_verified_before_only_has_to_be_added(google: Google) -> None:
    google.account.verified.add(PROPERTY)
    assert states(google.verify()) == [ALREADY, ALREADY, WAITING, WAITING]
    report = google.verify(check=True)
    assert states(report) == [ALREADY, ALREADY, DONE, DONE]
    assert google.calls(INSERT) == 0


@pytest.mark.parametrize("role", [Role.UNVERIFIED, Role.RESTRICTED, Role.FULL])
def test_a_lesser_role_becomes_ownership(google: Google, role: Role) -> None:
    google.sandbox.google.grant(EMAIL, PROPERTY, role)
    google.sandbox.google.put_txt(DOMAIN, google.record)
    assert states(google.verify(check=True)) == [DONE] * 4


def test_the_record_stands_beside_others(google: Google) -> None:
    for text in ("v=spf1 -all", token_of(OTHER, DOMAIN), google.record):
        google.sandbox.google.put_txt(DOMAIN, text)
    assert states(google.verify(check=True)) == [DONE] * 4


def test_google_is_asked_about_the_domain_and_never_about_the_property(google: Google) -> None:
    google.sandbox.google.put_txt(DOMAIN, google.record)
    google.verify(check=True)
    for name in (TOKEN, INSERT):
        (entry,) = google.sandbox.google.book.entries(name)
        assert entry.key == DOMAIN
    (added,) = google.sandbox.google.book.entries(ADD)
    assert added.key == PROPERTY


# ---------------------------------------------------------------- ends early


def test_a_record_that_is_not_found_yet_waits_and_says_what_to_look_at(google: Google) -> None:
    report = google.verify(check=True)
    assert states(report) == [WAITING] * 4
    step = report.steps[1]
    assert step.cause == "record-not-found"
    assert "could not be found" in step.message
    assert "try again in some minutes" in (step.next_step or "")
    assert report.record == google.record
    assert report.exit_code == 4
    assert google.calls(INSERT) == 1


def test_another_accounts_record_does_not_count_and_the_words_say_whose_does(
    google: Google,
) -> None:
    google.sandbox.google.put_txt(DOMAIN, token_of(OTHER, DOMAIN))
    step = google.verify(check=True).steps[1]
    assert step.cause == "record-not-found"
    assert EMAIL in (step.next_step or "")


def test_an_api_that_is_off_is_named_with_its_project(google: Google) -> None:
    google.account.verification_enabled = False
    report = google.verify()
    assert states(report) == [FAILED, WAITING, WAITING, WAITING]
    step = report.steps[0]
    assert step.cause == "api-disabled"
    assert "Enable the Google Site Verification API in the project 100000000001" in (
        step.next_step or ""
    )
    assert report.exit_code == 4


def test_the_usual_api_that_is_off_is_named_as_such(google: Google) -> None:
    google.account.api_enabled = False
    report = google.verify()
    assert states(report) == [WAITING, WAITING, WAITING, FAILED]
    assert "Enable the Google Search Console API" in (report.steps[3].next_step or "")


def test_a_deleted_key_is_the_login_that_fails(google: Google) -> None:
    key = google.key
    google.account.rotate_key()
    google.account._key = one_key()
    account = Account("gsc", "google", None, endpoint=google.sandbox.google.endpoint)
    door = open_domains(account, MaskedSecret(key), google.clock)
    step = verify_domain(DOMAIN, door, clock=google.clock, check=False).steps[3]
    assert (step.state, step.cause) == (FAILED, "key-deleted")


def test_a_role_that_does_not_change_is_shown_as_it_is(google: Google) -> None:
    google.sandbox.google.faults.add("answer", call=ADD, status=204)
    google.sandbox.google.grant(EMAIL, PROPERTY, Role.UNVERIFIED)
    google.sandbox.google.put_txt(DOMAIN, google.record)
    report = google.verify(check=True)
    assert states(report) == [DONE, DONE, DONE, WAITING]
    assert report.steps[3].cause == "role-not-owner"
    assert "siteUnverifiedUser" in report.steps[3].message
    assert report.exit_code == 4


@pytest.mark.parametrize("name", ["unavailable", "internal", "bad-gateway"])
@pytest.mark.parametrize("call", ["sites.list", TOKEN, "verification.list", INSERT, ADD])
def test_a_hiccup_at_any_step_is_asked_again(google: Google, call: str, name: str) -> None:
    google.sandbox.google.faults.add("answer", call=call, answer=name)
    google.sandbox.google.put_txt(DOMAIN, google.record)
    assert states(google.verify(check=True)) == [DONE] * 4
    assert google.clock.slept


@pytest.mark.parametrize("kind", ["reset", "close", "garbage"])
@pytest.mark.parametrize("call", [TOKEN, INSERT, ADD])
def test_a_lost_answer_is_asked_again_because_repeating_is_harmless(
    google: Google, call: str, kind: str
) -> None:
    google.sandbox.google.faults.add(kind, call=call, after=True)
    google.sandbox.google.put_txt(DOMAIN, google.record)
    assert states(google.verify(check=True)) == [DONE] * 4


def test_what_stays_broken_ends_with_the_step_it_broke(google: Google) -> None:
    google.sandbox.google.faults.add("answer", call=INSERT, answer="unavailable", times=None)
    report = google.verify(check=True)
    assert states(report) == [WAITING, FAILED, WAITING, WAITING]
    assert report.steps[1].cause == "backendError"
    assert google.calls(INSERT) == 4


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"token": ""}', '{"token": 7}'])
def test_an_answer_without_a_token_is_no_record(google: Google, body: str) -> None:
    google.sandbox.google.faults.add("answer", call=TOKEN, status=200, body=body, times=None)
    report = google.verify()
    assert states(report)[0] is FAILED
    assert report.record is None


# ---------------------------------------------------------------- secrets and scopes


def test_the_login_asks_for_both_scopes_and_no_run_asks_for_the_second(google: Google) -> None:
    google.verify()
    (token,) = google.sandbox.google.tokens._tokens.values()
    assert token.scopes == {SCOPE, VERIFICATION_SCOPE}


def test_neither_report_nor_log_shows_the_key_or_a_token(
    google: Google, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    google.sandbox.google.faults.add("answer", call=INSERT, status=400, body="{}")
    google.sandbox.google.put_txt(DOMAIN, google.record)
    texts = [repr(google.verify(check=check)) for check in (False, True, True)]
    texts += [record.getMessage() for record in caplog.records]
    key = json.loads(google.key)
    lines = [line for line in key["private_key"].splitlines() if not line.startswith("-----")]
    tokens = list(google.sandbox.google.tokens._tokens)
    assert tokens
    assert not [secret for secret in (*lines, *tokens) if any(secret in text for text in texts)]


# ---------------------------------------------------------------- domains


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("example.com", "example.com"),
        ("Example.COM.", "example.com"),
        ("shop.example.com", "shop.example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_a_domain_is_a_bare_name(text: str, domain: str) -> None:
    assert domain_of(text) == domain


@pytest.mark.parametrize(
    "text",
    ["", "com", "https://example.com/", "example.com/", "example.com:8080", "127.0.0.1", "[::1]"],
)
def test_anything_else_is_a_persons_mistake(text: str) -> None:
    with pytest.raises(ConfigError, match="DOMAIN"):
        domain_of(text)
