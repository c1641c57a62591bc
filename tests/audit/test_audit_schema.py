"""What the protocol's schema says, against a schema written down here in our words."""

from __future__ import annotations

import random

import pytest
from paper_web import NAMESPACE, entry, index, urlset

from submitter.core.audit.schema import SchemaCheck
from submitter.core.findings import Severity

LOC = "https://shop.example/1"


def found(text: str | bytes, *, piece: int = 17) -> dict[str, int]:
    check = SchemaCheck("u")
    data = text.encode() if isinstance(text, str) else text
    for at in range(0, len(data), piece):
        check.feed(data[at : at + piece])
    return {one.id: one.count for one in check.findings()}


def url(inner: str) -> str:
    return urlset(f"<url>{inner}</url>")


RULES: list[tuple[str, dict[str, int]]] = [
    (urlset(entry(LOC, "2026-11-30"), entry(LOC)), {}),
    (url(f"<loc>{LOC}</loc><priority>0.5</priority><x:y xmlns:x='urn:x'><x:z/></x:y>"), {}),
    (url(f"<lastmod>2026-11-30</lastmod><loc>{LOC}</loc>"), {"xsd-order": 1}),
    (url(f"<loc>{LOC}</loc><x:y xmlns:x='urn:x'/><priority>1</priority>"), {"xsd-order": 1}),
    (url(f"<loc>{LOC}</loc><loc>{LOC}</loc>"), {"xsd-repeated-element": 1}),
    (url(f"<loc>{LOC}</loc><image>x</image>"), {"xsd-unknown-element": 1}),
    (url(f"<loc a='1'>{LOC}</loc>"), {"xsd-unknown-element": 1}),
    (url(f"<loc><b>{LOC}</b></loc>"), {"xsd-unknown-element": 1, "xsd-loc-length": 1}),
    (url("<lastmod>2026-11-30</lastmod>"), {"xsd-missing-loc": 1}),
    (url("<loc>http://a.b/</loc>"), {"xsd-loc-length": 1}),
    (url(f"<loc>{LOC}{'x' * 2_100}</loc>"), {"xsd-loc-length": 1}),
    (url(f"<loc>{LOC}</loc><changefreq>Daily</changefreq>"), {"xsd-changefreq": 1}),
    (url(f"<loc>{LOC}</loc><priority>NaN</priority>"), {"xsd-priority": 1}),
    (url(f"<loc>{LOC}</loc><priority>1.1</priority>"), {"xsd-priority": 1}),
    (url(f"<loc>{LOC}</loc><lastmod>2026</lastmod>"), {"xsd-lastmod": 1}),
    (url(f"<loc>{LOC}</loc><lastmod>2026-02-30</lastmod>"), {"xsd-lastmod": 1}),
    (url(f"<loc>{LOC}</loc> stray "), {"xsd-text": 1}),
    (urlset(entry(LOC), "<link/>"), {"xsd-unknown-element": 1}),
    (index((LOC, "2026-11-30")), {}),
    (index((LOC, "")).replace("</sitemap>", "<priority>1</priority></sitemap>", 1),
     {"xsd-unknown-element": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), RULES)
@pytest.mark.parametrize("piece", [1, 10_000])
def test_each_rule_is_said_once(text: str, expected: dict[str, int], piece: int) -> None:
    assert found(text, piece=piece) == expected


def test_a_rule_says_its_line_and_its_root_cause_once() -> None:
    check = SchemaCheck("u")
    check.feed(urlset(*["\n<url><x/></url>"] * 1_000).encode())
    unknown, missing = check.findings()
    assert (unknown.id, unknown.count, unknown.where) == ("xsd-unknown-element", 1_000, "u line 2")
    assert (missing.id, missing.severity) == ("xsd-missing-loc", Severity.ERROR)


def test_a_prefix_is_as_good_as_none() -> None:
    text = f'<s:urlset xmlns:s="{NAMESPACE}"><s:url><s:loc>{LOC}</s:loc></s:url></s:urlset>'
    assert found(text) == {}


NONE_OF_ITS_BUSINESS = [
    b"",
    b"<html>",
    b"<urlset><url/></urlset>",
    b'<!DOCTYPE x [<!ENTITY a "b">]><urlset/>',
    urlset(entry(LOC)).encode()[:-30],
    b"<rss/>",
    b"\x1f\x8b\x00",
]


@pytest.mark.parametrize("data", NONE_OF_ITS_BUSINESS)
def test_what_the_reader_judges_is_left_to_it(data: bytes) -> None:
    assert found(data) == {}


def test_an_encoding_that_cannot_be_checked_is_said() -> None:
    text = f'<?xml version="1.0" encoding="gb18030"?>{urlset(entry(LOC))}'
    assert found(text) == {"xsd-not-checked": 1}


def test_it_stops_where_nesting_has_no_end() -> None:
    check = SchemaCheck("u")
    check.feed(url("<loc>" + "<a>" * 100_000).encode())
    assert [one.id for one in check.findings()] == ["xsd-unknown-element"]


def test_an_index_is_remembered_with_its_dates() -> None:
    check = SchemaCheck("u")
    check.feed(index((LOC, " 2026-11-30 "), (f"{LOC}?b", "")).encode())
    assert check.children == [(LOC, "2026-11-30"), (f"{LOC}?b", "")]


# ---------------------------------------------------------------- against a schema of its own

IN_OUR_WORDS = f"""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="{NAMESPACE}"
    targetNamespace="{NAMESPACE}" elementFormDefault="qualified">
  <xs:element name="urlset"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
    <xs:element name="url" maxOccurs="unbounded"><xs:complexType><xs:sequence>
      <xs:element name="loc"><xs:simpleType><xs:restriction base="xs:anyURI">
        <xs:minLength value="12"/><xs:maxLength value="2048"/>
      </xs:restriction></xs:simpleType></xs:element>
      <xs:element name="lastmod" minOccurs="0"><xs:simpleType>
        <xs:union memberTypes="xs:date xs:dateTime"/></xs:simpleType></xs:element>
      <xs:element name="changefreq" minOccurs="0"><xs:simpleType>
        <xs:restriction base="xs:string"><xs:enumeration value="always"/>
        <xs:enumeration value="daily"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="priority" minOccurs="0"><xs:simpleType>
        <xs:restriction base="xs:decimal"><xs:minInclusive value="0"/>
        <xs:maxInclusive value="1"/></xs:restriction></xs:simpleType></xs:element>
      <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
"""
FIELDS = [
    f"<loc>{LOC}</loc>",
    f"<loc>{LOC}</loc>",
    "<loc>http://a/</loc>",
    "<lastmod>2026-11-30</lastmod>",
    "<lastmod>2026-11-30T12:00:00+01:00</lastmod>",
    "<lastmod>2026-11-30T12:00Z</lastmod>",
    "<lastmod>2026-11</lastmod>",
    "<lastmod>2026-13-01</lastmod>",
    "<changefreq>daily</changefreq>",
    "<changefreq>often</changefreq>",
    "<priority>0.5</priority>",
    "<priority>+1.0</priority>",
    "<priority>5e-1</priority>",
    "<e:image xmlns:e='urn:e'><e:loc>x</e:loc></e:image>",
    "<unknown/>",
    "stray",
]


def test_it_says_what_a_schema_validator_says() -> None:
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed (extra: bench)")
    schema = etree.XMLSchema(etree.fromstring(IN_OUR_WORDS))
    dice = random.Random(7)  # noqa: S311 # no secret
    valid = 0
    for _ in range(1_500):
        text = url("".join(sorted(dice.sample(FIELDS, dice.randint(1, 4)), key=FIELDS.index)))
        if dice.random() < 0.5:
            text = url("".join(dice.sample(FIELDS, dice.randint(1, 4))))
        is_valid = schema.validate(etree.fromstring(text))
        valid += is_valid
        assert (found(text, piece=10_000) == {}) == is_valid, text
    assert valid > 50
