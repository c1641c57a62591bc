"""What a check finds out about accounts and targets, and what it does not pretend to know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from submitter.core.calls import Property, Survey
from submitter.core.fleet import Account, Fleet, SecretRef, Site
from submitter.core.traits import Kind, Traits
from submitter.errors import (
    ConfigError,
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    QuotaExhausted,
)
from submitter.ports import Source
from submitter.render.screen import Screen
from submitter.render.shapes import check_doc
from submitter.render.text_check import check_text
from submitter.sending.channels import Channel
from submitter.stories.checkup import Checkup, Health
from submitter.stories.doctor.rounds import Doors, check_fleet
from support.page_table import Failure, Page, PageTable
from support.twins import HandClock, OpenPermits, ScriptedEngine

TRAITS = Traits("google", "Google", frozenset({Kind.SITEMAP}), "credentials", "UTC")
ACCOUNT = Account("gsc", "google", SecretRef("env", "KEY"))
SPARE = Account("spare", "google", None)
SHOP, WWW = "https://shop.example", "https://www.example"
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
ABSENT = "The account does not have this property in Search Console: not listed"
SITEMAP = b"<urlset><url><loc>https://shop.example/a</loc></url></urlset>"


def web(*sites: str) -> PageTable:
    """Sites that name a sitemap in robots.txt and have it."""
    robots = {f"{site}/robots.txt": Page(f"Sitemap: {site}/s.xml".encode()) for site in sites}
    return PageTable({**robots, **{f"{site}/s.xml": Page(SITEMAP) for site in sites}})


@dataclass
class Counted:
    """Implements `ports.Progress`."""

    said: list[tuple[str, int | None]] = field(default_factory=list)
    steps: int = 0

    def start(self, title: str, total: int | None) -> None:
        self.said.append((title, total))

    def advance(self, steps: int = 1) -> None:
        self.steps += steps

    def stop(self) -> None:
        return None


def check(
    engine: ScriptedEngine | None,
    *,
    online: bool = True,
    problem: ConfigError | None = None,
    source: Source | None = None,
    fleet: Fleet = FLEET,
    progress: Counted | None = None,
    stopped: bool = False,
) -> Checkup:
    def open_channels(names: Iterable[str]) -> Mapping[str, Channel]:
        if engine is None:
            raise problem or ConfigError.one("env:KEY", "KEY is not set")
        return {name: Channel(fleet.accounts[name], engine, OpenPermits()) for name in names}

    doors = Doors(
        open_channels,
        property_of=lambda target, survey: target.site.host,
        source=source or web(SHOP, WWW),
        clock=HandClock(),
        progress=progress or Counted(),
        stopped=lambda: stopped,
    )
    return check_fleet(fleet, fleet.targets(), doors, online=online)


def test_a_secret_that_is_not_there_fails_its_account_and_leaves_its_targets_unchecked() -> None:
    checkup = check(None)
    (account,) = checkup.accounts
    assert account.diagnosis.cause == "secret-missing"
    assert "KEY is not set" in account.diagnosis.message
    assert {one.diagnosis.health for one in checkup.targets} == {Health.UNCHECKED}
    assert checkup.exit_code == 2


def test_an_account_that_cannot_be_opened_is_a_fault_of_the_inventory() -> None:
    problem = ConfigError.one("accounts.gsc.endpoint", "would receive the secret")
    (account,) = check(None, problem=problem).accounts
    assert account.diagnosis.cause == "configuration"
    assert "accounts.gsc.endpoint" in account.diagnosis.message


def test_offline_nobody_is_asked_and_no_site_is_looked_at() -> None:
    engine, source = ScriptedEngine(TRAITS, the_survey=SURVEY), web(SHOP, WWW)
    checkup = check(engine, online=False, source=source)
    assert (engine.surveys, engine.prepared, source.asked) == (0, [], [])
    assert {one.diagnosis.health for one in checkup.accounts} == {Health.UNCHECKED}
    assert {one.diagnosis.health for one in checkup.targets} == {Health.UNCHECKED}
    assert checkup.exit_code == 0


def test_online_an_account_is_asked_once_for_all_its_targets() -> None:
    engine = ScriptedEngine(TRAITS, the_survey=SURVEY)
    checkup = check(engine)
    assert engine.surveys == 1
    assert "robot@example" in checkup.accounts[0].diagnosis.message
    assert [one.diagnosis.health for one in checkup.targets] == [Health.OK, Health.OK]
    assert checkup.exit_code == 0
    assert engine.calls == []


def test_what_cannot_be_asked_without_spending_says_so() -> None:
    checkup = check(ScriptedEngine(TRAITS))
    assert checkup.accounts[0].diagnosis.health is Health.UNCHECKED
    assert "without spending" in checkup.accounts[0].diagnosis.message
    assert {one.diagnosis.health for one in checkup.targets} == {Health.UNCHECKED}
    assert all("with the first call" in one.diagnosis.message for one in checkup.targets)
    assert checkup.exit_code == 0


def test_a_spent_day_is_no_fault() -> None:
    engine = ScriptedEngine(TRAITS, the_survey=QuotaExhausted("google", "too many"))
    checkup = check(engine)
    assert checkup.accounts[0].diagnosis.health is Health.UNCHECKED
    assert checkup.accounts[0].diagnosis.cause == "quota-spent"
    assert checkup.exit_code == 0


def test_the_document_has_the_promised_shape() -> None:
    engine = ScriptedEngine(TRAITS, the_survey=SURVEY)
    engine.refusal = lambda action: DENIED if "shop" in action.site else None
    document = check_doc(check(engine))
    assert set(document) == {"ok", "online", "accounts", "targets", "findings"}
    assert document["ok"] is False
    assert document["accounts"] == [
        {
            "account": "gsc",
            "engine": "google",
            "state": "ok",
            "cause": None,
            "message": "sees 1 property as robot@example",
            "next_step": None,
        }
    ]
    assert document["targets"][0] == {
        "site": SHOP,
        "property": "shop.example",
        "account": "gsc",
        "engine": "google",
        "state": "failed",
        "cause": "property-missing",
        "message": ABSENT,
        "next_step": "add it",
    }
    assert document["targets"][1]["state"] == "ok"


def test_a_step_that_says_no_ends_the_walk() -> None:
    engine, source = ScriptedEngine(TRAITS, the_survey=SURVEY), web()
    engine.refusal = lambda action: DENIED
    checkup = check(engine, source=source)
    assert {one.diagnosis.cause for one in checkup.targets} == {"property-missing"}
    assert (source.asked, engine.prepared) == ([], [])


@pytest.mark.parametrize(
    ("error", "cause", "next_step"),
    [
        (DENIED, "property-missing", "add it"),
        (EngineUnavailable("google", "no answer"), "engine-unavailable", None),
        (EngineUnavailable("google", "busy", code="503"), "engine-unavailable", None),
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


def test_a_check_that_is_stopped_says_so() -> None:
    checkup = check(ScriptedEngine(TRAITS, the_survey=SURVEY), stopped=True)
    assert {one.diagnosis.message for one in checkup.targets} == {"stopped"}


def test_a_site_is_looked_at_once_however_many_accounts_it_has() -> None:
    accounts = {name: replace(ACCOUNT, name=name) for name in ("a", "b", "c")}
    fleet = replace(
        FLEET, accounts=accounts, sites=(Site("shop.example", accounts=tuple(accounts)),)
    )
    engine, source = ScriptedEngine(TRAITS, the_survey=SURVEY), web(SHOP)
    checkup = check(engine, fleet=fleet, source=source)
    assert {one.diagnosis.health for one in checkup.targets} == {Health.OK}
    assert engine.surveys == 3
    assert source.asked == [(f"{SHOP}/robots.txt", None), (f"{SHOP}/s.xml", None)]


def test_five_thousand_targets_are_one_question_to_the_account() -> None:
    hosts = [f"s{n}.example" for n in range(5_000)]
    sites = tuple(Site(host, accounts=("gsc",)) for host in hosts)
    source = web(*(site.origin for site in sites[:-1]))
    engine, progress = ScriptedEngine(TRAITS, the_survey=SURVEY), Counted()
    checkup = check(engine, fleet=replace(FLEET, sites=sites), source=source, progress=progress)
    assert engine.surveys == 1
    assert len(source.asked) == 2 * 4_999 + 1
    assert [one.target.site.host for one in checkup.targets] == hosts
    causes = [one.diagnosis.cause for one in checkup.targets]
    assert causes == [None] * 4_999 + ["no-sitemap-line"]
    assert progress.said == [("asking accounts", 1), ("looking at sites", 5_000)]
    assert progress.steps == 5_001


# ---------------------------------------------------------------- through the crawler's eyes

CRAWLED = replace(TRAITS, crawler="Googlebot")
CHILDREN = [f"{SHOP}/{n}.xml" for n in range(100)]
INDEX = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in CHILDREN)
FORBIDDEN = Failure(status=403)


def shop_with_index(**for_crawlers: Page | Failure) -> PageTable:
    pages = {
        f"{SHOP}/robots.txt": Page(f"Sitemap: {SHOP}/s.xml".encode()),
        f"{SHOP}/s.xml": Page(f"<sitemapindex>{INDEX}</sitemapindex>".encode()),
        **{url: Page(SITEMAP) for url in CHILDREN},
    }
    seen = {f"{SHOP}/{name.removeprefix('_')}.xml": page for name, page in for_crawlers.items()}
    return PageTable(pages, for_crawlers=seen)


ONE_SHOP = replace(FLEET, sites=(FLEET.sites[0],))


def test_of_an_index_the_first_the_last_and_one_between_are_looked_at() -> None:
    source = shop_with_index()
    engine = ScriptedEngine(CRAWLED, the_survey=SURVEY)
    checkup = check(engine, source=source, fleet=ONE_SHOP)
    assert checkup.exit_code == 0
    asked = [url for url, agent in source.asked if agent is None][1:]
    assert asked == [f"{SHOP}/s.xml", CHILDREN[0], CHILDREN[49], CHILDREN[99]]
    as_crawler = {url for url, agent in source.asked if agent and "Googlebot/" in agent}
    assert as_crawler == set(asked)


def test_every_child_that_the_crawler_sees_otherwise_is_reported() -> None:
    source = shop_with_index(_0=FORBIDDEN, _99=Page(b"<html><title>Checking your browser"))
    checkup = check(ScriptedEngine(CRAWLED, the_survey=SURVEY), source=source, fleet=ONE_SHOP)
    [target] = checkup.targets
    assert target.diagnosis.cause == "children-blocked"
    assert "(2 of 3 looked at)" in target.diagnosis.message
    found = {one.where: one.message for one in checkup.findings if one.where.startswith(SHOP)}
    assert set(found) == {CHILDREN[0], CHILDREN[99]}
    assert (
        f"as ourselves: HTTP 200, {len(SITEMAP)} bytes; as Googlebot: status 403"
        in found[CHILDREN[0]]
    )
    assert "a web page was served" in found[CHILDREN[99]]


def test_what_nobody_may_read_is_no_difference() -> None:
    pages = {f"{SHOP}/robots.txt": Page(f"Sitemap: {SHOP}/s.xml".encode())}
    source = PageTable({**pages, f"{SHOP}/s.xml": FORBIDDEN})
    checkup = check(ScriptedEngine(CRAWLED, the_survey=SURVEY), source=source, fleet=ONE_SHOP)
    assert [one.diagnosis.cause for one in checkup.targets] == ["sitemap-forbidden"]
    assert not [one for one in checkup.findings if one.id == "crawler-sees-otherwise"]


# ---------------------------------------------------------------- for a terminal


def test_alike_targets_are_told_of_together() -> None:
    engine = ScriptedEngine(TRAITS, the_survey=SURVEY)
    engine.refusal = lambda action: DENIED
    lines = check_text(check_doc(check(engine)), Screen())
    assert "gsc: property-missing, 2x" in lines
    assert lines.count("    Next: add it") == 1
    assert "not ready: 2 sites, 2 targets, 2 of them failed" in lines


def test_a_report_says_what_stayed_open() -> None:
    lines = check_text(check_doc(check(ScriptedEngine(TRAITS))), Screen())
    words = "0 of them failed, 2 could not be checked to the end"
    assert f"ready: 2 sites, 2 targets, {words}" in " ".join(lines)


def test_a_report_of_what_asked_nobody_says_what_would() -> None:
    lines = check_text(check_doc(check(ScriptedEngine(TRAITS), online=False)), Screen())
    words = "engines and sites were not asked: `submitter check --online` does that"
    assert f"ready: 2 sites, 2 targets; {words}" in " ".join(lines)
    lines = check_text(check_doc(check(None, online=False)), Screen())
    assert f"not ready: 2 sites, 2 targets, 1 account failed; {words}" in " ".join(lines)
