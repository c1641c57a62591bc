"""What a run makes of an audit, as each site's inventory says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from audit_support import S

from submitter.core.accounting import ExitCode, judge_run
from submitter.core.audit.holding import word_of_audit
from submitter.core.audit.rules import found
from submitter.core.audit.stored import StoredAudit
from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Account, AuditRule, OnRun, Site, Target
from submitter.core.looks import DocumentKind, DocumentReading, RootLook, SiteLook
from submitter.core.plan import make_plan
from submitter.core.planned import TargetInput
from submitter.engines import ENGINES
from support.twins import NOON

MISSING = found("page-missing", S, count=7)
ZONELESS = Finding("lastmod-without-zone", Severity.WARNING, f"{S}/m.xml line 3", "m")
LOOK = SiteLook(S, NOON, first=False, roots=(RootLook(f"{S}/m.xml", True, "c", NOON, 3, False),))
SITE = Site("shop.example", audit=AuditRule(on_run=OnRun.REFUSE))


def stored(*findings: Finding) -> StoredAudit:
    return StoredAudit(S, NOON, NOON, "none", findings=findings)


def look(*findings: Finding) -> SiteLook:
    document = DocumentReading(f"{S}/m.xml", f"{S}/m.xml", 0, DocumentKind.URLSET, 200)
    return replace(LOOK, readings=(replace(document, findings=findings),))


def test_errors_of_the_last_audit_and_of_this_look_hold_the_site() -> None:
    word = word_of_audit(SITE, look(ZONELESS), stored(MISSING))
    (held,) = word.holds
    assert (held.id, held.severity, held.where) == ("audit-errors", Severity.ERROR, S)
    assert "page-missing (7), lastmod-without-zone (1)" in held.message
    assert word.notes == ()


def test_what_reading_found_at_the_last_audit_is_judged_by_this_look() -> None:
    assert word_of_audit(SITE, look(), stored(ZONELESS)).holds == ()


def test_a_site_that_only_warns_is_told() -> None:
    site = replace(SITE, audit=AuditRule(on_run=OnRun.WARN))
    word = word_of_audit(site, LOOK, stored(MISSING))
    assert word.holds == ()
    assert [str(one.severity) for one in word.notes] == ["warning"]


@pytest.mark.parametrize(
    "rule",
    [
        AuditRule(),
        AuditRule(on_run=OnRun.REFUSE, off=frozenset({"page-missing"})),
        AuditRule(on_run=OnRun.REFUSE, warnings=frozenset({"page-missing"})),
    ],
)
def test_what_is_off_or_no_error_here_holds_nothing(rule: AuditRule) -> None:
    word = word_of_audit(replace(SITE, audit=rule), LOOK, stored(MISSING))
    assert (word.holds, word.notes) == ((), ())


def test_without_an_audit_or_a_look_nothing_is_held() -> None:
    assert word_of_audit(SITE, LOOK, None).holds == ()
    assert word_of_audit(SITE, None, stored(MISSING)).holds == ()


def test_a_held_site_is_skipped_by_its_own_reason_and_force_lets_it_through() -> None:
    account = Account("gsc", "google", None)
    word = word_of_audit(SITE, LOOK, stored(MISSING))
    given = TargetInput(
        Target(SITE, account), ENGINES["google"].traits, S, LOOK, audited=word.holds
    )
    plan = make_plan([given], now=NOON)
    assert [(skip.reason, skip.count) for skip in plan.skips] == [("audit", 1)]
    assert plan.actions == ()
    assert plan.findings == word.holds
    assert judge_run(plan, [], [LOOK]).exit_code is ExitCode.HELD
    forced = make_plan([given], now=NOON, forced=True)
    assert len(forced.actions) == 1
    assert judge_run(forced, [], [LOOK], forced=True).exit_code is ExitCode.OK
