"""What is kept of each kind of document, and what is said about the rest."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest
from reading_support import (
    IMAGE_NS,
    NOW,
    NS,
    URL,
    XHTML_NS,
    read,
    read_pieces,
    refusal,
    urlset,
)

from submitter.core.findings import Severity
from submitter.core.looks import DocumentKind
from submitter.core.notes import READING_IDS
from submitter.core.sitemap import ReadLimits, SitemapReader
from submitter.errors import SitemapError

A, B, C = "https://h/a", "https://h/b", "https://h/c"


def test_an_entry_carries_spelling_identity_and_date() -> None:
    entry = (
        "<url><loc> HTTPS://H/%61?x=1&amp;y=2 </loc><lastmod>2024-01-08T00:00:01Z</lastmod></url>"
    )
    (found,) = read(urlset(entry)).entries
    assert found.loc == "HTTPS://H/%61?x=1&y=2"
    assert found.identity == "https://h/a?x=1&y=2"
    assert found.lastmod == int(datetime(2024, 1, 8, 0, 0, 1, tzinfo=UTC).timestamp())
    assert found.lastmod_text == "2024-01-08T00:00:01Z"


def test_a_good_sitemap_has_no_findings() -> None:
    found = read(urlset(A, B))
    assert found.locs == [A, B]
    assert found.reading.kind is DocumentKind.URLSET
    assert found.reading.complete
    assert found.reading.entries == 2
    assert not found.reading.findings
    assert not found.reading.skipped


# ---------------------------------------------------------------- kinds (C19, C20, A18)


def test_an_index_gives_its_children() -> None:
    found = read(f"<sitemapindex {NS}><sitemap><loc>{A}</loc></sitemap></sitemapindex>")
    assert (found.reading.kind, found.locs) == (DocumentKind.INDEX, [A])


def test_rss_gives_links_and_guids_that_are_addresses() -> None:
    found = read(
        "\n<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel>"
        "<link>https://h/</link><image><link>https://h/logo</link></image>"
        "<atom:link href='https://h/rss' rel='self'/>"
        f"<item><link>{A}</link><guid>x</guid>"
        "<pubDate>Thu, 05 Jan 2017 00:00:00 GMT</pubDate></item>"
        f"<item><guid isPermaLink='false'>{B}</guid></item><item><title>none</title></item>"
        f"<item><link> </link><guid>{C}</guid><atom:link href='https://h/no'/></item>"
        "</channel></rss>"
    )
    assert (found.reading.kind, found.locs) == (DocumentKind.RSS, [A, B, C])
    assert found.reading.skipped == {"missing-loc": 1}
    assert found.entries[0].lastmod == int(datetime(2017, 1, 5, tzinfo=UTC).timestamp())


def test_rss_1_0_gives_items_only() -> None:
    found = read(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
        "xmlns='http://purl.org/rss/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
        f"<channel><link>{B}</link></channel><image><link>{C}</link></image>"
        f"<item><link>{A}</link><dc:date>2024-01-08</dc:date></item></rdf:RDF>"
    )
    assert (found.reading.kind, found.locs) == (DocumentKind.RSS, [A])
    assert found.entries[0].lastmod_text == "2024-01-08"


def test_atom_gives_the_link_that_is_the_page() -> None:
    found = read(
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://h/'/>"
        f"<entry><link rel='edit' href='{C}'/><link rel='alternate' href='{A}'/>"
        "<updated>2024-01-08T00:00:00Z</updated><content type='xhtml'>"
        f"<div xmlns='http://www.w3.org/1999/xhtml'><link href='{C}'/></div></content></entry>"
        f"<entry><link href='{B}'/><link href='{C}'/></entry>"
        "<entry><link rel='enclosure' href='https://h/x.mp3'/></entry></feed>"
    )
    assert (found.reading.kind, found.locs) == (DocumentKind.ATOM, [A, B])
    assert found.entries[0].lastmod == int(datetime(2024, 1, 8, tzinfo=UTC).timestamp())
    assert found.reading.skipped == {"missing-loc": 1}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_list_gives_the_lines_that_are_addresses(newline: str) -> None:
    lines = ["\ufeff" + A, "", "# comment", " " + B + "\t", "h/c", f"{C} 2024", '{"url":1}', C, ""]
    found = read(newline.join(lines))
    assert (found.reading.kind, found.locs) == (DocumentKind.TEXT, [A, B, C])
    assert found.reading.skipped == {"not-an-address": 4}
    assert found.finding("not-an-address").startswith(f"{URL} line 3: ")
    assert found.reading.complete


def test_the_name_and_the_type_of_a_document_do_not_count() -> None:
    assert read(urlset(A), charset="utf-8").reading.kind is DocumentKind.URLSET
    assert read(A + "\n").reading.kind is DocumentKind.TEXT


# ---------------------------------------------------------------- refused (F07, F08, C01-C04)

REFUSED = [
    ("", "empty-document"),
    (" \r\n\t" * 5000, "empty-document"),
    ("\ufeff", "empty-document"),
    ("\ufeff \n", "empty-document"),
    ("<!DOCTYPE html><html><title>Log in</title>", "html-instead-of-sitemap"),
    ("\n<!-- cache --><HTML><body>", "html-instead-of-sitemap"),
    ("<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x' 'y'><html/>", "html-instead-of-sitemap"),
    ("<!--" + "x" * 9000 + "--><html><body/></html>", "html-instead-of-sitemap"),
    ("<products><loc>https://h/a</loc></products>", "no-sitemap-root"),
    ("<URLSET></URLSET>", "no-sitemap-root"),
    ("Error: no database\n", "no-address"),
    ('{"url": "https://h/a"}\n{"url": "https://h/b"}\n', "no-address"),
    ("https://user:pw@h/\n", "no-address"),
    ("Warning: x in y.php\n<?xml version='1.0'?><urlset/>", "junk-before-xml"),
    ("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not-text"),
    ("<urlset", "document-cut"),
    (f"<urlset {NS}><url><loc>https://h/a</loc>", "document-cut"),
    (f"<urlset {NS}><url><loc>https://h/a</loc></ur></urlset>", "not-well-formed"),
    ("<urlset><url does not close</urlset>", "not-well-formed"),
]


@pytest.mark.parametrize(("document", "reason"), REFUSED)
def test_what_is_no_sitemap_is_refused_with_its_reason(document: str, reason: str) -> None:
    assert refusal(document) == reason
    assert READING_IDS[reason].severity is Severity.ERROR


def test_a_refused_page_is_named_by_its_title_with_nothing_that_moves_a_cursor() -> None:
    page = "<html><head><title>Log\x1b[2J in\n" + "x" * 100 + "</title>"
    with pytest.raises(SitemapError) as error:
        read(page)
    assert r"Log\x1b[2J in" in str(error.value)
    assert str(error.value).isprintable()
    assert "x" * 81 not in str(error.value)


def test_an_error_shows_no_query_of_the_document() -> None:
    reader = SitemapReader("https://h/s?token=secret", now=NOW)
    with pytest.raises(SitemapError) as error:
        reader.close(transport_complete=True)
    assert "secret" not in str(error.value)


ENTITIES = [
    '<!DOCTYPE urlset [<!ENTITY a "https://h/a">]>',
    '<!DOCTYPE urlset [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>',
    "<!DOCTYPE urlset [<!ELEMENT urlset ANY>]>",
    "<!DOCTYPE urlset []>",
    '<!DOCTYPE urlset SYSTEM "http://h/x.dtd" [<!ENTITY a SYSTEM "http://h/">]>',
]


@pytest.mark.parametrize("doctype", ENTITIES)
def test_a_doctype_with_declarations_is_refused(doctype: str) -> None:
    assert refusal(f"{doctype}<urlset {NS}><url><loc>{A}</loc></url></urlset>") == (
        "doctype-declarations"
    )


@pytest.mark.parametrize(
    "doctype", ["<!DOCTYPE urlset>", '<!DOCTYPE urlset SYSTEM "http://h/x.dtd">']
)
def test_a_doctype_without_declarations_is_noted_and_loads_nothing(doctype: str) -> None:
    found = read(f"{doctype}<urlset {NS}><url><loc>{A}</loc></url></urlset>")
    assert found.locs == [A]
    assert found.ids == {"doctype": 1}


def test_no_file_is_ever_opened_for_a_document(tmp_path: object) -> None:
    canary = f"{tmp_path}/canary"
    with open(canary, "w", encoding="ascii") as file:
        file.write("https://h/canary")
    entry = f"<url><loc>{A}</loc></url>"
    included = f'<url><loc><xi:include href="file://{canary}" parse="text"/></loc></url>'
    schema = f'xsi:schemaLocation="x file://{canary}"'
    traps = [
        f'<!DOCTYPE u [<!ENTITY x SYSTEM "file://{canary}">]><urlset>{entry}&x;</urlset>',
        f'<urlset xmlns:xi="http://www.w3.org/2001/XInclude">{included}{entry}</urlset>',
        f'<?xml-stylesheet href="file://{canary}"?><urlset {NS}>{entry}</urlset>',
        f'<urlset xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" {schema}>{entry}</urlset>',
        f'<!DOCTYPE urlset SYSTEM "file://{canary}"><urlset>{entry}</urlset>',
    ]
    for trap in traps:
        reason = refusal(trap)
        assert reason == "doctype-declarations" or read(trap).locs == [A]


# ---------------------------------------------------------------- broken XML (C05, C06, A6)

BROKEN = [
    ("<url><loc>https://h/c</loc>1 < 2</url>", "not-well-formed"),
    ("<url><loc>https://h/c</loc></lock></url>", "not-well-formed"),
    ("<url><loc>https://h/c<</loc></url>", "not-well-formed"),
    ("<image:image><image:loc>https://h/c</image:loc></image:image>", "not-well-formed"),
    ("<url a='1' a='2'><loc>https://h/c</loc></url>", "not-well-formed"),
    ("<url><loc>https://h/c&#0;</loc></url>", "not-well-formed"),
    ("<url><loc>https://h/c\x08</loc></url>", "not-well-formed"),
    ("<url><loc>https://h/c]]></loc></url>", "not-well-formed"),
    ("</urlset><urlset>", "not-well-formed"),
    ("</urlset>x", "not-well-formed"),
]


@pytest.mark.parametrize(("fault", "id"), BROKEN)
def test_the_whole_entries_before_a_fault_are_kept(fault: str, id: str) -> None:
    found = read(urlset(A, B, fault, "<url><loc>https://h/after</loc></url>"))
    assert found.locs == [A, B]
    assert found.ids == {id: 1}
    assert not found.reading.complete


def test_a_fault_is_placed_by_line_and_byte() -> None:
    document = urlset(A, "<url><loc>https://h/é</loc></url>", "<url></loc></url>")
    found = read(document)
    fault = document.encode().index(b"loc></url>\n</urlset>")
    assert found.finding("not-well-formed").startswith(f"{URL} line 5: ")
    assert found.finding("not-well-formed").endswith(f"mismatched tag at byte {fault}")


def test_a_bare_ampersand_is_mended_and_reported_once() -> None:
    document = urlset("https://h/?a=1&b=2", "https://h/?x&y&amp;z", B)
    found = read(document)
    assert found.locs == ["https://h/?a=1&b=2", "https://h/?x&y&z", B]
    assert found.ids == {"bare-ampersand": 2}
    assert found.finding("bare-ampersand").startswith(f"{URL} line 3: ")
    assert found.reading.findings[0].severity is Severity.ERROR
    assert found.reading.findings[0].examples == ("https://h/?...",)
    assert found.reading.complete


def test_ampersands_in_cdata_and_comments_are_no_fault() -> None:
    found = read(
        urlset("<!-- a & b &c; --><url><loc><![CDATA[https://h/?a=1&b=2&c;]]></loc></url><?p & ?>")
    )
    assert found.locs == ["https://h/?a=1&b=2&c;"]
    assert not found.reading.findings


def test_a_bare_ampersand_in_an_image_does_not_cost_the_page() -> None:
    image = "<image:image><image:loc>https://h/i?a=1&b=2</image:loc></image:image>"
    entry = f"<url><loc>{A}</loc>{image}<xhtml:link rel='alternate' href='https://h/?a&b'/></url>"
    found = read(urlset(entry, namespaces=f"{NS} {IMAGE_NS} {XHTML_NS}"))
    assert found.locs == [A]
    assert found.ids == {"bare-ampersand": 2}


@pytest.mark.parametrize("entity", ["&eacute;", "&ordm;", "&nbsp;", "&b;"])
def test_an_address_with_an_unknown_entity_is_not_used(entity: str) -> None:
    found = read(urlset(A, f"https://h/caf{entity}x", B))
    assert found.locs == [A, B]
    assert found.reading.skipped == {"undeclared-entity": 1}


# ---------------------------------------------------------------- encodings (C07, C08)

TEXT = urlset("https://h/é产品")
ENCODED = [
    (TEXT.encode("utf-8-sig"), None),
    (b"\xef\xbb\xbf \n" + TEXT.encode(), None),
    (TEXT.replace("UTF-8", "UTF-16").encode("utf-16"), None),
    (TEXT.replace("UTF-8", "UTF-16").encode("utf-16-le"), None),
    (TEXT.replace("UTF-8", "UTF-16").encode("utf-16-be"), None),
    (TEXT.replace("UTF-8", "UTF-32").encode("utf-32"), None),
    (TEXT.replace("UTF-8", "UTF-32").encode("utf-32-be"), None),
    (TEXT.replace("UTF-8", "gb2312").encode("gb18030"), None),
    (TEXT.replace("UTF-8", "GBK").encode("gb18030"), "gbk"),
    (TEXT.replace(' encoding="UTF-8"', "").encode(), None),
    (TEXT.replace(' encoding="UTF-8"', "").encode("gb18030"), "GB2312"),
    (TEXT.encode(), '"utf-8"'),
    ("https://h/é产品\n".encode("utf-16"), None),
    ("https://h/é产品\n".encode("gb18030"), "x-gbk"),
]


@pytest.mark.parametrize(("data", "charset"), ENCODED)
def test_every_encoding_gives_the_same_addresses(data: bytes, charset: str | None) -> None:
    found = read(data, charset=charset)
    assert found.locs == ["https://h/é产品"]
    assert found.entries[0].identity == "https://h/%C3%A9%E4%BA%A7%E5%93%81"
    assert set(found.ids) <= {"leading-whitespace"}


def test_latin_1_is_read_by_declaration() -> None:
    document = TEXT.replace("UTF-8", "ISO-8859-1").replace("产品", "")
    assert read(document.encode("latin-1")).locs == ["https://h/é"]


CONFLICTS = [
    # declaration, bytes, header, what is believed
    ("UTF-8", "utf-8", "iso-8859-1", "https://h/Ã©"),
    ("ISO-8859-1", "utf-8", "utf-8", "https://h/é"),
    ("UTF-16", "utf-8", None, "https://h/é"),
    ("UTF-8", "utf-16-le", None, "https://h/é"),
    ("UTF-8", "utf-16", "utf-8", "https://h/é"),
    ("UTF-8", "utf-8", "utf-16", "https://h/é"),
]


@pytest.mark.parametrize(("declared", "codec", "header", "believed"), CONFLICTS)
def test_marks_and_shape_beat_the_header_which_beats_the_declaration(
    declared: str, codec: str, header: str | None, believed: str
) -> None:
    document = urlset("https://h/é").replace("UTF-8", declared)
    found = read(document.encode(codec), charset=header)
    assert found.locs == [believed]
    if codec == "utf-8" or header:
        assert set(found.ids) == {"charset-conflict"}


@pytest.mark.parametrize("label", ["x-unknown", "unicode_escape", "idna", "utf-7", "rot13", "hex"])
def test_an_encoding_we_do_not_know_or_trust_is_not_used(label: str) -> None:
    found = read(urlset("https://h/a+AGE-"), charset=label)
    assert found.locs == ["https://h/a+AGE-"]
    assert "unknown-charset" in found.ids


def test_bytes_that_cannot_be_decoded_cost_only_the_address_they_are_in() -> None:
    document = urlset(A, "https://h/caf?", f"<url><loc>{B}</loc><title>?</title></url>")
    found = read(document.encode().replace(b"?<", b"\xe9<"))
    assert found.locs == [A, B]
    assert found.reading.skipped == {"undecodable-bytes": 1}
    assert found.ids["undecodable-bytes"] == 2
    assert found.finding("undecodable-bytes").startswith(f"{URL} line 4: ")


def test_blanks_before_the_declaration_are_noted() -> None:
    found = read("\n  " + urlset(A))
    assert found.locs == [A]
    assert found.ids == {"leading-whitespace": 1}
    assert read("\n" + urlset(A).partition("\n")[2]).ids == {}


# ---------------------------------------------------------------- namespaces (C09, C10, C11)


@pytest.mark.parametrize(
    ("namespace", "id"),
    [
        ("http://www.sitemaps.org/schemas/sitemap/0.9", None),
        ("http://www.google.com/schemas/sitemap/0.84", None),
        ("https://www.sitemaps.org/schemas/sitemap/0.9", "wrong-namespace"),
        ("http://www.google.com/schemas/sitemap/0.9", "wrong-namespace"),
        ("http://example.com/whatever", "wrong-namespace"),
        ("", "missing-namespace"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "sit:"])
def test_tags_count_by_local_name(namespace: str, id: str | None, prefix: str) -> None:
    bound = f'xmlns:{prefix[:-1]}="{namespace}"' if prefix else f'xmlns="{namespace}"'
    p = prefix if namespace else ""
    bound = bound if namespace or not prefix else ""
    found = read(f"<{p}urlset {bound}><{p}url><{p}loc>{A}</{p}loc></{p}url></{p}urlset>")
    assert found.locs == [A]
    assert found.ids == ({id: 1} if id else {})


def test_a_wrong_namespace_on_every_entry_is_one_finding() -> None:
    entries = [
        f'<url xmlns="{ns}"><loc>https://h/{n}</loc></url>'
        for n, ns in enumerate(
            ["", "http://bogus", "http://www.google.com/schemas/sitemap/0.84"] * 2
        )
    ]
    found = read(urlset(*entries))
    assert len(found.locs) == 6
    assert found.ids == {"missing-namespace": 2, "wrong-namespace": 2}


def test_addresses_of_extensions_are_never_pages() -> None:
    entry = (
        "<url><image:image><image:loc>https://h/i</image:loc><loc>https://h/odd</loc></image:image>"
        f"<loc>{A}</loc><v:video><v:player_loc>https://h/v</v:player_loc></v:video>"
        "<x:loc>https://h/x</x:loc></url>"
    )
    namespaces = (
        f'{NS} {IMAGE_NS} xmlns:x="http://example.com/x" '
        'xmlns:v="http://www.google.com/schemas/sitemap-video/1.1"'
    )
    found = read(urlset(entry, namespaces=namespaces))
    assert found.locs == [A]
    assert found.ids == {"unknown-tag": 1}


def test_a_wrong_image_namespace_is_one_root_cause() -> None:
    image = "<image:image><image:loc>https://h/i</image:loc></image:image>"
    entries = [f"<url><loc>https://h/{n}</loc>{image}</url>" for n in range(494)]
    wrong = 'xmlns:image="http://www.google.com/schemas/sitemap-image/0.9"'
    found = read(urlset(*entries, namespaces=f"{NS} {wrong}"))
    assert found.reading.entries == 494
    assert found.ids == {"wrong-extension-namespace": 494}
    assert "sitemap-image/0.9" in found.finding("wrong-extension-namespace")


def test_unknown_tags_are_ignored_wherever_they_stand() -> None:
    found = read(
        urlset(
            "<foo><url><loc>https://h/no</loc></url></foo>",
            f"<url><foo>x</foo><loc>{A}</loc><bar><loc>https://h/no</loc></bar></url>",
        )
    )
    assert found.locs == [A]
    assert found.ids == {"unknown-tag": 3}
    assert found.reading.findings[0].examples == ("<foo>", "<bar>")
    assert found.reading.findings[0].severity is Severity.INFO


# ---------------------------------------------------------------- entries (C12, C13, A9, A10)

LOCS = [
    ("<![CDATA[https://h/?a=1&b=2]]>", "https://h/?a=1&b=2"),
    ("https://h/<![CDATA[?a&b]]>x", "https://h/?a&bx"),
    ("https://<!-- no -->h/a", "https://h/a"),
    ("https://h/?a&#38;b&#x26;c&amp;d", "https://h/?a&b&c&d"),
    ("https://h/?a&#038;b&apos;&quot;&lt;&gt;", "https://h/?a&b'\"<>"),
    ("\n\t https://h/a \r\n", "https://h/a"),
    ("\u00a0\u2000https://h/a\u3000", "https://h/a"),
    ("https://h/&#x4EA7;", "https://h/产"),
    ("https://h/产🙂", "https://h/产🙂"),
    ("https://h/a&amp;amp;b", "https://h/a&amp;b"),
]


@pytest.mark.parametrize(("markup", "loc"), LOCS)
def test_an_address_is_all_of_its_text(markup: str, loc: str) -> None:
    found = read(urlset(f"<url><loc>{markup}</loc></url>"))
    assert found.locs == [loc]
    assert not found.reading.findings


SKIPPED = [
    ("<url></url>", "missing-loc"),
    ("<url/>", "missing-loc"),
    ("<url>https://h/x</url>", "missing-loc"),
    ("<url><lastmod>2024-01-08</lastmod></url>", "missing-loc"),
    ("<url><location>https://h/x</location></url>", "missing-loc"),
    ("<url><loc/></url>", "empty-loc"),
    ("<url><loc> \n </loc></url>", "empty-loc"),
    ("<url><loc><a>https://h/x</a></loc></url>", "markup-in-loc"),
    ("<url><loc>https://h/<b/>x</loc></url>", "markup-in-loc"),
    ("/relative", "relative-url"),
    ("[object Object]", "relative-url"),
    ("ftp://h/x", "bad-scheme"),
    ("https:/h/x", "one-slash"),
    ("https://h/%zz", "bad-percent"),
    ("https://h/a\nb", "control-character"),
    ("https://u:p@h/", "userinfo"),
    ("https://h/" + "x" * 2040, "too-long"),
    (" " * 70_000 + "https://h/x", "too-long"),
    (A, "duplicate"),
    ("HTTPS://H:443/%61#x", "duplicate"),
]


@pytest.mark.parametrize("way", [True, False])
@pytest.mark.parametrize(("entry", "reason"), SKIPPED)
def test_an_entry_that_is_not_used_has_one_reason(entry: str, reason: str, way: bool) -> None:
    document = urlset(A, B, entry, C)
    found = read(document, limits=ReadLimits(skim=way))
    assert found.locs == [A, B, C]
    assert found.reading.skipped == {reason: 1}
    line = document[: document.rindex(C)].count("\n")
    assert found.finding(reason).startswith(f"{URL} line {line}: ")
    assert found.reading.complete


def test_the_date_of_one_entry_never_leaks_to_the_next() -> None:
    found = read(
        urlset("<url><lastmod>2024-01-08</lastmod></url>", A, "<url><loc>https://h/b</loc></url>")
    )
    assert [entry.lastmod_text for entry in found.entries] == [None, None]


def test_two_addresses_in_one_entry_are_both_used_and_noted() -> None:
    found = read(urlset(f"<url><loc>{A}</loc><loc>{B}</loc><lastmod>2024-01-08</lastmod></url>"))
    assert found.locs == [A, B]
    assert {entry.lastmod_text for entry in found.entries} == {"2024-01-08"}
    assert found.ids == {"several-locs": 1}


def test_one_fault_in_many_entries_is_one_finding_with_five_examples() -> None:
    found = read(urlset(A, *(f"ftp://h/{n}" for n in range(1482))))
    (finding,) = found.reading.findings
    assert (finding.id, finding.count, len(finding.examples)) == ("bad-scheme", 1482, 5)


def test_examples_hold_no_query_and_nothing_that_moves_a_cursor() -> None:
    found = read(urlset(A, "ftp://h/a?token=secret", "https://h/\x7f\u202e%zz"))
    examples = [example for finding in found.reading.findings for example in finding.examples]
    assert sorted(examples) == ["ftp://h/a?...", r"https://h/\x7f\u202e%zz"]


# ---------------------------------------------------------------- duplicates and dates (C16, C26)


def dated(loc: str, date: str) -> str:
    return f"<url><loc>{loc}</loc><lastmod>{date}</lastmod></url>"


def test_the_newest_date_of_an_address_listed_twice_wins() -> None:
    found = read(
        urlset(
            dated(A, "2024-01-02"), dated(A, "2024-01-01"), dated(A, "2024-01-03"), A,
            B, dated(B, "2024-01-01"),
        )
    )  # fmt: skip
    assert [(entry.loc, entry.lastmod_text) for entry in found.entries] == [
        (A, "2024-01-02"),
        (A, "2024-01-03"),
        (B, None),
        (B, "2024-01-01"),
    ]
    assert found.reading.skipped == {"duplicate": 2}


DATES = [
    ("2024-01-08T00:00:00", "lastmod-without-zone", True),
    ("2015-10-08T07:18:53Z 2015-06-15T07:18:53Z", "invalid-lastmod", False),
    ("not-a-date", "invalid-lastmod", False),
    ("2030-01-01", "future-lastmod", False),
    ("1970-01-01T00:00:00Z", "early-lastmod", False),
    (" " * 70_000 + "2024-01-08", "invalid-lastmod", False),
]


@pytest.mark.parametrize("way", [True, False])
@pytest.mark.parametrize(("date", "id", "usable"), DATES)
def test_a_page_is_never_lost_for_its_date(date: str, id: str, usable: bool, way: bool) -> None:
    found = read(urlset(dated(A, date), dated(B, date)), limits=ReadLimits(skim=way))
    assert found.locs == [A, B]
    assert (found.entries[0].lastmod is not None) == usable
    assert found.entries[0].lastmod_text is not None or len(date) > 200
    assert found.ids[id] == 2


def test_an_empty_date_is_no_date_and_no_fault() -> None:
    found = read(urlset(dated(A, ""), dated(B, " \n")))
    assert [entry.lastmod_text for entry in found.entries] == [None, None]
    assert not found.reading.findings


@pytest.mark.parametrize(
    ("dates", "id"),
    [
        (["2026-11-30T11:59:00Z"] * 10, "lastmod-is-now"),
        (["2026-11-30T12:00:01+00:00"] * 19 + ["2024-01-08"], "lastmod-is-now"),
        (["2026-11-30"] * 10, "lastmod-is-now"),
        (["2024-01-08"] * 10, "lastmod-all-equal"),
        (["2026-11-30T11:59:00Z"] * 9, None),
        (["2026-11-30T11:59:00Z"] * 9 + ["2024-01-08"], None),
        (["2024-01-08"] * 9 + ["2024-01-07"], None),
    ],
)
def test_dates_that_all_say_the_same_are_reported(dates: list[str], id: str | None) -> None:
    found = read(urlset(*(dated(f"https://h/{n}", date) for n, date in enumerate(dates))))
    assert set(found.ids) == ({id} if id else set())
    assert found.reading.dates_lie == (id == "lastmod-is-now")


# ---------------------------------------------------------------- limits (C14, C15)


def test_exactly_as_many_entries_as_allowed_are_used_and_one_more_is_not() -> None:
    limits = ReadLimits(entries=3)
    found = read(urlset(A, B, C), limits=limits)
    assert (found.locs, found.reading.over_limit) == ([A, B, C], 0)
    assert found.reading.complete
    found = read(urlset(A, "ftp://x", B, C, A), limits=limits)
    assert (found.locs, found.reading.over_limit) == ([A, B], 2)
    assert not found.reading.complete
    assert found.ids == {"too-many-entries": 2, "bad-scheme": 1}
    assert found.reading.entries + found.reading.over_limit + 1 == 5


def test_the_limits_are_those_of_the_protocol() -> None:
    assert (ReadLimits().entries, ReadLimits().bytes) == (50_000, 52_428_800)
    entries = [f"https://h/{n}" for n in range(50_001)]
    assert read(urlset(*entries[:-1])).reading.over_limit == 0
    assert read(urlset(*entries)).reading.over_limit == 1


@pytest.mark.parametrize("document", [urlset(A, B, C), f"{A}\n{B}\n{C}\n"])
def test_exactly_as_many_bytes_as_allowed_are_read_and_one_more_is_not(document: str) -> None:
    data = document.encode()
    whole = read(data, limits=ReadLimits(bytes=len(data)))
    assert whole.reading.complete
    assert not whole.reading.findings
    cut = read(data, limits=ReadLimits(bytes=len(data) - 1))
    assert not cut.reading.complete
    assert cut.ids == {"too-many-bytes": 1}
    assert cut.locs == whole.locs[: len(cut.locs)]


# ---------------------------------------------------------------- completeness (P6, F06)


@pytest.mark.parametrize(("transport", "complete"), [(True, True), (None, True), (False, False)])
def test_the_closing_tag_decides_unless_bytes_are_known_to_be_missing(
    transport: bool | None, complete: bool
) -> None:
    assert read(urlset(A), transport=transport).reading.complete is complete
    assert read(f"{A}\n", transport=transport).reading.complete is complete


def test_a_list_that_ends_in_mid_line_is_used_whole_only_when_it_is_known_to_be_whole() -> None:
    known = read(f"{A}\n{B}", transport=True)
    assert (known.locs, known.reading.complete) == ([A, B], True)
    unknown = read(f"{A}\n{B}", transport=None)
    assert (unknown.locs, unknown.reading.complete) == ([A], False)
    assert unknown.ids == {"maybe-cut": 1}


def test_an_empty_sitemap_is_an_error_and_not_a_success() -> None:
    for document in (f"<urlset {NS}></urlset>", f"<urlset {NS}/>", urlset("ftp://h/")):
        found = read(document)
        assert found.reading.entries == 0
        assert found.ids["no-entries"] == 1


def test_a_document_cut_after_its_first_entry_says_so() -> None:
    found = read(urlset(A, B)[:-8])
    assert found.locs == [A, B]
    assert set(found.ids) == {"document-cut"}
    assert not found.reading.complete


def test_what_follows_the_closing_tag_as_a_comment_does_no_harm() -> None:
    for tail in ("<!-- cached -->", "\n<!-- cut", "<?x y?>\n", "\n\n"):
        found = read(urlset(A) + tail)
        assert found.reading.complete
        assert not found.reading.findings


# ---------------------------------------------------------------- content


def test_content_changes_with_pages_and_dates_and_with_nothing_else() -> None:
    base = read(urlset(dated(A, "2024-01-08"), B)).reading.content
    same = [
        urlset(dated("HTTPS://h:443/%61", "2024-01-08T00:00:00Z"), B),
        urlset(dated(A, "2024-01-08"), "<!-- new --><url><priority>1</priority><loc>https://h/b</loc></url>"),
    ]  # fmt: skip
    other = [
        urlset(dated(A, "2024-01-09"), B),
        urlset(B, dated(A, "2024-01-08")),
        urlset(dated(A, "2024-01-08")),
        urlset(dated(A, "2024-01-08"), B, C),
        urlset(dated(A, "2024-01-08"), dated(B, "2024-01-08")),
    ]
    assert {read(document).reading.content for document in same} == {base}
    contents = [read(document).reading.content for document in other]
    assert base not in contents
    assert len(set(contents)) == len(contents)
    assert bytes.fromhex(base)


def test_dates_that_lie_do_not_change_the_content() -> None:
    first, second = (
        read(urlset(*(dated(f"https://h/{n}", date) for n in range(20)))).reading
        for date in ("2026-11-30T11:58:00Z", "2026-11-30T11:59:00Z")
    )
    assert first.dates_lie
    assert second.dates_lie
    assert first.content == second.content


def test_gzip_is_not_this_reader_s_work() -> None:
    assert refusal(gzip.compress(urlset(A).encode())) == "not-text"


def test_every_id_has_a_severity_and_a_meaning() -> None:
    for id, (severity, text) in READING_IDS.items():
        assert id == id.lower()
        assert severity in Severity
        assert text


def test_a_reader_that_is_fed_nothing_between_pieces_does_not_mind() -> None:
    data = urlset(A).encode()
    assert read_pieces([b"", data[:30], b"", data[30:], b""]).locs == [A]


@pytest.mark.parametrize(
    ("loc", "id", "count", "examples"),
    [
        (b"https://h/caf&eacute;", "undeclared-entity", 1, ("https://h/caf&eacute;",)),
        (b"https://h/&eacute;&nbsp;", "undeclared-entity", 2, ("https://h/&eacute;&nbsp;",)),
        (b"https://h/caf\xe9/\xe8", "undecodable-bytes", 2, ("https://h/caf\ufffd/\ufffd",)),
        (b"https://h/&#65533;", "undecodable-bytes", 1, ("https://h/\ufffd",)),
    ],
)
def test_a_fault_is_counted_once_and_shown_as_the_document_has_it(
    loc: bytes, id: str, count: int, examples: tuple[str, ...]
) -> None:
    found = read(urlset(A, "https://h/x").encode().replace(b"https://h/x", loc))
    [finding] = [one for one in found.reading.findings if one.id == id]
    assert (finding.count, finding.examples) == (count, examples)
    assert found.reading.skipped == {id: 1}


def test_lines_that_are_no_addresses_are_shown_as_they_stand() -> None:
    found = read(f"{A}\n# a comment\nhttps//h/?token=c4nary\n{B}\n")
    [finding] = found.reading.findings
    assert (finding.count, finding.examples) == (2, ("# a comment", "https//h/?..."))


def test_bytes_of_a_list_that_cannot_be_decoded_are_counted_like_a_sitemaps() -> None:
    found = read(f"{A}\n".encode() + b"https://h/\xe9\xe8\n")
    assert found.locs == [A]
    assert found.ids["undecodable-bytes"] == 2
