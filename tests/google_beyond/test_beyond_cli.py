"""`google verify-domain`, `withdraw` and `verify --inspect` as a person types them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from submitter.cli.exits import run
from submitter.sandbox.google_verification import token_of
from support.whole import DOMAIN, EMAIL, World, world

PROPERTY, OTHER = f"sc-domain:{DOMAIN}", "example.test"
DELETE, INSPECT = "sitemaps.delete", "urlInspection.inspect"


@dataclass(frozen=True)
class Answer:
    """How a call ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def words(self) -> str:
        return " ".join(self.stdout.split())

    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.stdout)


@dataclass
class Shell:
    """A world on its own clock, and a way to call the program on its inventory."""

    world: World
    capture: pytest.CaptureFixture[str]

    def __call__(self, *argv: object) -> Answer:
        code = run([str(word) for word in ("-i", self.world.write(), *argv)])
        written = self.capture.readouterr()
        return Answer(int(code), written.out, written.err)


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    for name in ("SUBMITTER_INVENTORY", "SUBMITTER_LEDGER", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    with world(tmp_path) as there:
        there.add("shop", pages=6)
        yield Shell(there, capsys)


def sitemap(name: str = "shop") -> str:
    return f"http://{name}.{DOMAIN}/sitemap.xml"


# ---------------------------------------------------------------- google verify-domain


def test_a_domain_from_its_record_to_its_owner(shell: Shell) -> None:
    first = shell("google", "verify-domain", OTHER, "--json")
    assert first.exit_code == 0
    record = first.json()["record"]
    assert record == {"name": OTHER, "type": "TXT", "value": token_of(EMAIL, OTHER)}
    assert first.json()["outcome"] == "waiting"
    shell.world.sandbox.google.put_txt(OTHER, record["value"])
    second = shell("google", "verify-domain", OTHER, "--check", "--json").json()
    assert (second["property"], second["role"]) == (f"sc-domain:{OTHER}", "siteOwner")
    assert [step["state"] for step in second["steps"]] == ["done"] * 4
    assert second["outcome"] == "ok"
    third = shell("google", "verify-domain", OTHER, "--check", "--json").json()
    assert [step["state"] for step in third["steps"]] == ["already"] * 4


def test_a_person_is_shown_the_record_and_the_command_that_goes_on(shell: Shell) -> None:
    answer = shell("google", "verify-domain", OTHER)
    value = token_of(EMAIL, OTHER)
    assert f"    {value}\n" in answer.stdout
    again = answer.stdout.splitlines()[-5:]
    assert any(line.endswith(f"google verify-domain {OTHER} --check") for line in again)
    assert "Keep the record" in answer.words
    lines = [line for line in answer.stdout.splitlines() if value not in line and "-i " not in line]
    assert max(map(len, lines)) <= 80


def test_a_record_that_is_not_there_yet_exits_4_and_says_to_try_again(shell: Shell) -> None:
    answer = shell("google", "verify-domain", OTHER, "--check")
    assert answer.exit_code == 4
    for part in ("record-not-found", "try again in some minutes", token_of(EMAIL, OTHER)):
        assert part in answer.words


def test_an_api_that_is_off_exits_4_and_says_where_to_switch_it_on(shell: Shell) -> None:
    shell.world.sandbox.google.accounts[EMAIL].verification_enabled = False
    answer = shell("google", "verify-domain", OTHER)
    assert answer.exit_code == 4
    assert "Next: Enable the Google Site Verification API in the project" in answer.words


def test_the_propertys_name_stands_for_its_domain(shell: Shell) -> None:
    answer = shell("google", "verify-domain", f"sc-domain:{OTHER}", "--json")
    assert answer.json()["domain"] == OTHER


@pytest.mark.parametrize(
    ("argv", "exit_code", "words"),
    [
        ((OTHER, "--account", "baidu"), 7, "'baidu' is no Google account"),
        (("https://example.test/",), 2, "not a host name"),
        (("localhost",), 2, "no domain such as example.com"),
    ],
)
def test_what_cannot_be_meant_is_said(
    shell: Shell, argv: tuple[str, ...], exit_code: int, words: str
) -> None:
    answer = shell("google", "verify-domain", *argv)
    assert answer.exit_code == exit_code
    assert words in answer.stderr


def test_with_several_accounts_somebody_has_to_say_which(shell: Shell) -> None:
    shell.world.accounts["second"] = shell.world.accounts["google"]
    answer = shell("google", "verify-domain", OTHER)
    assert answer.exit_code == 7
    assert "--account" in answer.stderr
    assert "google, second" in answer.stderr
    assert shell("google", "verify-domain", OTHER, "--account", "second").exit_code == 0


# ---------------------------------------------------------------- withdraw


def test_ours_is_withdrawn_and_stands_in_the_log(shell: Shell) -> None:
    shell.world.run()
    answer = shell("withdraw", sitemap(), "--yes", "--json")
    assert answer.exit_code == 0
    document = answer.json()
    assert (document["outcome"], document["kept"]) == ("ok", [])
    (one,) = document["withdrawals"]
    assert (one["state"], one["property"], one["ours"]) == ("accepted", PROPERTY, True)
    rows = shell("log", "--json").json()
    assert [(row["kind"], row["state"]) for row in rows][-1] == ("withdrawal", "accepted")
    assert f"withdrawal of sitemap {sitemap()}" in shell("log").stdout
    (status,) = shell("status", "--json").json()
    assert status["state"] == "never_submitted"
    (told,) = shell("explain", sitemap(), "--json").json()["targets"]
    assert told["state"] == "waiting"
    assert told["why_not"] == "it was withdrawn; the site still names it, so the next run tells it"
    assert [row["kind"] for row in told["attempts"]] == ["sitemap", "withdrawal"]


def test_what_is_not_ours_is_kept_unless_it_is_adopted(shell: Shell) -> None:
    shell.world.sandbox.google.sitemaps.submit(PROPERTY, sitemap("old"))
    kept = shell("withdraw", sitemap("old"), "--yes")
    assert kept.exit_code == 7
    assert "--adopt" in kept.words
    assert shell.world.sandbox.google.book.count(call=DELETE) == 0
    assert shell("withdraw", sitemap("old"), "--yes", "--adopt").exit_code == 0
    assert shell.world.sandbox.google.book.accepted(DELETE) == [sitemap("old")]


def test_a_failure_has_its_cause_and_next_step(shell: Shell) -> None:
    shell.world.run()
    shell.world.sandbox.google.revoke(EMAIL, PROPERTY)
    answer = shell("withdraw", sitemap(), "--yes")
    assert answer.exit_code == 5
    assert "Next: In Search Console" in answer.words


def test_where_nobody_can_be_asked_nothing_is_done(shell: Shell) -> None:
    shell.world.run()
    answer = shell("withdraw", sitemap())
    assert answer.exit_code == 2
    assert "--yes" in answer.stderr
    assert shell.world.sandbox.google.book.count(call=DELETE) == 0


def at_terminal(shell: Shell, typed: str, *argv: object) -> Answer:
    """The program as a child whose keyboard is a terminal, on which somebody has typed."""
    keyboard, terminal = pty.openpty()
    words = [str(word) for word in ("-i", shell.world.write(), *argv)]
    try:
        os.write(keyboard, typed.encode())
        done = subprocess.run(
            [sys.executable, "-m", "submitter", *words],
            stdin=terminal,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(keyboard)
        os.close(terminal)
    return Answer(done.returncode, done.stdout, done.stderr)


def test_on_a_terminal_it_shows_what_it_would_do_and_takes_no_for_an_answer(shell: Shell) -> None:
    shell.world.run()
    answer = at_terminal(shell, "n\n", "withdraw", sitemap())
    assert answer.exit_code == 0
    assert answer.stdout == ""
    for part in (sitemap(), "planned", "the next run submits it again", "Withdraw 1 sitemap?"):
        assert part in " ".join(answer.stderr.split())
    assert shell.world.sandbox.google.book.count(call=DELETE) == 0


def test_on_a_terminal_yes_does_it(shell: Shell) -> None:
    shell.world.run()
    answer = at_terminal(shell, "y\n", "withdraw", sitemap(), "--json")
    assert answer.exit_code == 0
    assert answer.json()["withdrawals"][0]["state"] == "accepted"


def test_an_account_that_is_none_is_answered_with_the_nearest(shell: Shell) -> None:
    answer = shell("withdraw", sitemap(), "--account", "gogle", "--yes")
    assert answer.exit_code == 7
    assert "google" in answer.stderr


def test_at_least_one_sitemap_has_to_be_named(shell: Shell) -> None:
    assert shell("withdraw").exit_code == 2


# ---------------------------------------------------------------- verify --inspect


def test_verify_asks_about_a_sample_of_each_section(shell: Shell) -> None:
    shell.world.run()
    shell.world.sandbox.google.set_index("*", "crawled")
    shell.world.sandbox.google.set_index("*-6", "indexed")
    answer = shell("verify", "--inspect", "4", "--json")
    assert answer.exit_code == 0
    (sample,) = answer.json()["inspections"]
    assert (sample["sampled"], sample["listed"], sample["asked"]) == (4, 6, 4)
    assert sample["counts"]["indexed"] + sample["counts"]["crawled"] == 4
    assert answer.json()["statuses"]
    again = shell("verify", "--inspect", "4", "--json").json()["inspections"][0]
    assert (again["asked"], again["sampled"]) == (0, 4)
    assert shell.world.sandbox.google.book.count(call=INSPECT) == 4


def test_the_table_stands_below_the_sitemaps_and_fits(shell: Shell) -> None:
    shell.world.run()
    answer = shell("verify", "--inspect", "3")
    assert max(map(len, answer.stdout.splitlines())) <= 80
    for part in ("SECTION", "A sample speaks for the pages in it", "URL is unknown to Google"):
        assert part in answer.words


def test_before_anything_was_told_nobody_is_asked_and_it_says_so(shell: Shell) -> None:
    answer = shell("verify", "--inspect", "3")
    assert answer.exit_code == 0
    assert "No engine that was told pages of these sites" in answer.words


def test_without_inspect_no_page_is_asked_about(shell: Shell) -> None:
    shell.world.run()
    assert shell("verify", "--json").json()["inspections"] is None
    assert shell.world.sandbox.google.book.count(call=INSPECT) == 0


@pytest.mark.parametrize("size", ["0", "-1", "many"])
def test_a_sample_has_a_size(shell: Shell, size: str) -> None:
    assert shell("verify", "--inspect", size).exit_code == 2


# ---------------------------------------------------------------- secrets


def test_no_command_shows_a_key_or_a_token_not_even_with_all_logs(shell: Shell) -> None:
    google = shell.world.sandbox.google
    shell.world.run()
    google.faults.add("answer", call="verification.insert", status=400, body="{}")
    calls = [
        ("-vv", "google", "verify-domain", OTHER, "--check"),
        ("-vv", "withdraw", sitemap("none"), "--adopt"),
        ("-vv", "verify", "--json"),
    ]
    answers = [shell(*argv) for argv in calls]
    texts = [text for answer in answers for text in (answer.stdout, answer.stderr)]
    key = google.key_file(EMAIL)["private_key"].splitlines()[1:-1]
    tokens = list(google.tokens._tokens)
    assert tokens
    assert not [secret for secret in (*key, *tokens) if any(secret in text for text in texts)]
