"""Each shape of the report is sound whatever strangers wrote into what it is about."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from audit_support import MAP, S, audit, web
from hypothesis import given, settings
from hypothesis import strategies as st

from submitter.core.audit.outcome import SiteAudit
from submitter.core.audit.switches import baseline_of, split_known
from submitter.core.findings import Finding, Severity
from submitter.render.audit_documents import AuditDoc, audit_doc
from submitter.render.audit_junit import audit_junit
from submitter.render.audit_sarif import audit_sarif
from submitter.render.audit_text import audit_markdown, audit_text
from submitter.render.screen import Screen
from submitter.stories.auditing import AuditReport

PLAIN = Screen(80, colour=False)


def report(*findings: Finding, known: tuple[Finding, ...] = ()) -> AuditReport:
    source = web("a", "b")
    source.change(f"{S}/a", status=404)
    seen: SiteAudit = replace(audit(source), findings=(*findings, *known))
    new, old = split_known(seen.every_finding(), baseline_of(known))
    return AuditReport((seen,), new, old, Severity.ERROR, ("https://left.example",))


def shape(*findings: Finding, known: tuple[Finding, ...] = ()) -> AuditDoc:
    return audit_doc(report(*findings, known=known), exit_code=4)


MISSING = Finding("page-missing", Severity.ERROR, S, "gone", 3, (f"{S}/a",))
ORDER = Finding("xsd-order", Severity.WARNING, f"{MAP} line 12", "order")


def test_the_document_adds_up() -> None:
    document = shape(MISSING, known=(ORDER,))
    assert document["summary"] == {
        "errors": 1,
        "warnings": 1,
        "infos": 0,
        "known": 1,
        "switched_off": 0,
    }
    assert document["sites"][0]["checked"] == 2
    assert [one["known"] for one in document["findings"]] == [False, True]
    assert document["findings"][0]["next_step"] == "Take them out of the sitemap when they go."
    assert document["unaudited"] == ["https://left.example"]


def test_text_groups_findings_with_what_to_do() -> None:
    lines = "\n".join(audit_text(shape(MISSING, known=(ORDER,)), PLAIN))
    assert "error: page-missing, 3x" in lines
    assert "Next: Take them out of the sitemap when they go." in lines
    assert "warning: xsd-order, 1x (known)" in lines
    assert "1 document, 2 distinct pages, 1 error, 1 warning, 0 remarks, 1 known" in lines
    assert all(len(line) <= 80 for line in lines.splitlines())


def test_sarif_has_what_the_standard_requires() -> None:
    sarif: Any = json.loads(json.dumps(audit_sarif(shape(MISSING, known=(ORDER,)))))
    assert sarif["version"] == "2.1.0"
    (run,) = sarif["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    results = run["results"]
    assert {one["ruleId"] for one in results} == rules
    assert [(one["level"], one["baselineState"]) for one in results] == [
        ("error", "new"),
        ("warning", "unchanged"),
    ]
    place = results[1]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": MAP}, "region": {"startLine": 12}}
    assert all(one["message"]["text"] for one in results)


def test_a_result_keeps_its_fingerprint_when_its_line_moves() -> None:
    def prints(line: int) -> list[str]:
        finding = replace(ORDER, where=f"{MAP} line {line}")
        sarif: Any = audit_sarif(shape(finding))
        return [
            one["partialFingerprints"]["findingPlace/v1"] for one in sarif["runs"][0]["results"]
        ]

    assert prints(1) == prints(99)


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 1), ("info", 1)])
def test_junit_fails_for_what_is_new_and_bad_enough(fail_on: str, failures: int) -> None:
    text = "\n".join(audit_junit(shape(MISSING, known=(ORDER,)), fail_on=fail_on))
    root = ElementTree.fromstring(text)  # noqa: S314 # made by us
    assert root.get("failures") == str(failures)
    assert len(root.findall(".//failure")) == failures
    assert len(root.findall(".//testcase")) == int(root.get("tests", "")) == 2


def test_a_site_in_good_order_is_a_case_that_passes() -> None:
    clean = AuditReport((audit(web("a")),), (), (), Severity.ERROR)
    text = "\n".join(audit_junit(audit_doc(clean, exit_code=0), fail_on="error"))
    (case,) = ElementTree.fromstring(text).findall(".//testcase")  # noqa: S314 # made by us
    assert (case.get("classname"), case.get("name"), list(case)) == (S, "audit", [])


NASTY = ["<b>&\"'", "]]>", "`code`", "|cell|", "[a](javascript:x)", "\x1b[31m", "\u202e", "\n# top"]
NASTY += ["\ud800", "\0", "<!--", "<img src=x>", "https://[", " line 7", "=cmd()"]
texts = st.lists(st.sampled_from(NASTY) | st.text(max_size=5), max_size=4).map(" ".join)
nasty = st.builds(
    Finding,
    st.sampled_from(["page-missing", "http-500", "x"]),
    st.sampled_from(Severity),
    texts,
    texts,
    st.integers(1, 9),
    st.lists(texts, max_size=2).map(tuple),
)
GOOD = report()


@given(nasty)
@settings(max_examples=60)
def test_foreign_text_breaks_no_shape(finding: Finding) -> None:
    seen = replace(GOOD.audits[0], findings=(finding,))
    document = audit_doc(replace(GOOD, audits=(seen,), new=(finding,)), exit_code=4)
    junit = "\n".join(audit_junit(document, fail_on="info"))
    assert len(ElementTree.fromstring(junit).findall(".//testcase")) == 1  # noqa: S314
    json.dumps(audit_sarif(document)).encode()
    for lines in (audit_text(document, PLAIN), audit_markdown(document)):
        assert all(line.isprintable() for line in lines)
    (row,) = [line for line in audit_markdown(document) if f"`{finding.id}`" in line]
    assert len(re.findall(r"(?<!\\)\|", row)) == 7
    assert "<img" not in re.sub(r"`[^`]*`", "", row)
