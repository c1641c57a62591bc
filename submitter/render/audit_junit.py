"""An audit as JUnit XML, for build servers: one suite a site, one case a finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from submitter.core.plain import plain
from submitter.render.audit_documents import AuditDoc, AuditFindingDoc

_RANKS: Final = {"info": 0, "warning": 1, "error": 2}


def audit_junit(audit: AuditDoc, *, fail_on: str) -> Iterator[str]:
    """Lines of the document. What is new and as bad as `fail_on` is a failure; what is known, or
    not as bad, is a case that was skipped with its words."""
    suites = _suites(audit)
    total = sum(len(cases) for cases in suites.values())
    failed = sum(_fails(one, fail_on) for cases in suites.values() for one in cases)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="submitter audit" tests="{total}" failures="{failed}" errors="0">'
    for site, cases in suites.items():
        yield from _suite_lines(site, cases, fail_on)
    yield "</testsuites>"


def _suites(audit: AuditDoc) -> dict[str, list[AuditFindingDoc]]:
    """Findings by site; those of no site, if any, under the first."""
    suites: dict[str, list[AuditFindingDoc]] = {one["site"]: [] for one in audit["sites"]}
    for document in audit["documents"]:
        suites.setdefault(document["site"], []).extend(document["audit_findings"])
    for finding in audit["findings"]:
        suites.setdefault(_site_of(finding, suites), []).append(finding)
    return suites


def _site_of(finding: AuditFindingDoc, sites: Iterable[str]) -> str:
    where = finding["where"]
    names = list(sites)
    mine = [site for site in names if where == site or where.startswith(f"{site}/")]
    return mine[0] if mine else names[0] if names else where


def _suite_lines(site: str, cases: list[AuditFindingDoc], fail_on: str) -> Iterator[str]:
    failed = sum(_fails(one, fail_on) for one in cases)
    skipped = len(cases) - failed
    tests = len(cases) or 1
    yield (
        f"  <testsuite name={_attribute(site)} tests={_attribute(str(tests))}"
        f' failures="{failed}" errors="0" skipped="{skipped}">'
    )
    if not cases:
        yield f'    <testcase classname={_attribute(site)} name="audit"/>'
    for one in cases:
        yield from _case_lines(one, fail_on)
    yield "  </testsuite>"


def _case_lines(one: AuditFindingDoc, fail_on: str) -> Iterator[str]:
    name, where = _attribute(one["id"]), _attribute(one["where"].partition(" line ")[0])
    said = _attribute(f"{one['message']} ({one['count']:,}x)")
    yield f"    <testcase classname={where} name={name}>"
    if _fails(one, fail_on):
        body = "\n".join([*one["examples"], *filter(None, [one["next_step"]])])
        kind = _attribute(one["severity"])
        yield f"      <failure type={kind} message={said}>{_text(body)}</failure>"
    else:
        yield f"      <skipped message={said}/>"
    yield "    </testcase>"


def _fails(one: AuditFindingDoc, fail_on: str) -> bool:
    return not one["known"] and _RANKS[one["severity"]] >= _RANKS[fail_on]


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _text(text: str) -> str:
    return escape("\n".join(map(_xml, text.split("\n"))))


def _xml(text: str) -> str:
    """Only characters that XML may hold."""
    return plain(text)
