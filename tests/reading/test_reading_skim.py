"""The short way reads regular entries and leaves everything that only looks regular."""

from __future__ import annotations

import pytest
from reading_support import IMAGE_NS, NS, XHTML_NS, outcome, urlset

from submitter.core.sitemap import ReadLimits
from submitter.core.skim import Skimmer, is_regular

SPACES = f"{NS} {IMAGE_NS} {XHTML_NS}"

REGULAR = [
    "<url><loc>https://h/a</loc></url>",
    "<url>\n\t<loc> https://h/a </loc>\n<lastmod>2024-01-08</lastmod>\n</url>\n",
    "<url><loc>https://h/?a=1&amp;b=2&#38;c&#x26;d</loc></url>",
    "<url><loc>https://h/é</loc><priority>0.5</priority><changefreq>daily</changefreq></url>",
    "<url><loc>https://h/a</loc><changefreq>daily</changefreq><lastmod>2024</lastmod></url>",
    "<url><loc>https://h/a</loc><image:image><image:loc>https://h/i</image:loc></image:image></url>",
    "<url><loc>https://h/a</loc><image:image/><image:image>text</image:image></url>",
    '<url><loc>https://h/a</loc><xhtml:link rel="alternate" hreflang="de" href="https://h/"/></url>',
    '<url><loc>https://h/a</loc><xhtml:link rel="canonical" href="/" hreflang="x" /></url>',
    "<url><loc>https://h/a</loc><image:a><image:b><image:c>></image:c></image:b></image:a></url>",
    '<url><loc>https://h/a</loc><image:a allow_embed="yes" autoplay="x"/><image:a b="c"/></url>',
]

ONLY_LOOKS_REGULAR = [
    "<url><loc>https://h/b</loc><image:image></image:other></url>",
    "<url><loc>https://h/b</loc><image:image><image:loc></image:image></image:loc></url>",
    "<url><loc>https://h/b</loc><other:image>x</other:image></url>",
    "<url><loc>https://h/b</loc><image:image><loc>https://h/c</loc></image:image></url>",
    '<url><loc>https://h/b</loc><xhtml:link rel="a" rel="b"/></url>',
    '<url><loc>https://h/b</loc><xhtml:link hreflang="a" href="b" hreflang="c"/></url>',
    '<url><loc>https://h/b</loc><xhtml:link rel="a<b"/></url>',
    '<url><loc>https://h/b</loc><xhtml:link rel="a>b" rel="c"/></url>',
    '<url><loc>https://h/b</loc><xhtml:link xmlns="http://www.w3.org/2000/xmlns/"/></url>',
    '<url><loc>https://h/b</loc><xhtml:link x:y="z"/></url>',
    '<url><loc>https://h/b</loc><xhtml:link rel="&undeclared;"/></url>',
    '<url><loc>https://h/b</loc><xhtml:link rel="a"href="b"/></url>',
    "<url><loc>https://h/b]]></loc></url>",
    "<url><loc>https://h/b</loc><priority>]]></priority></url>",
    "<url><loc>https://h/b&#0;</loc></url>",
    "<url><loc>https://h/b&#31;</loc></url>",
    "<url><loc>https://h/b&#xD800;</loc></url>",
    "<url><loc>https://h/b&#x110000;</loc></url>",
    "<url><loc>https://h/b&nbsp;</loc></url>",
    "<url><loc>https://h/b&c</loc></url>",
    "<url><loc>https://h/b</loc><priority>a & b</priority></url>",
    "<url><loc>https://h/b\x0b</loc></url>",
    "<url><loc>https://h/b</loc><priority>\x1f</priority></url>",
    "<url><loc>https://h/b\ufffe</loc></url>",
    "<url><loc>https://h/b</loc><priority>\uffff</priority></url>",
    "<url><loc>https://h/b</loc></url ><url><loc>https://h/c</loc></url>",
    "<url><loc>https://h/b</loc><loc>https://h/c</loc></url>",
    "<url><loc>https://h/b</loc><lastmod>2024</lastmod><lastmod>2025</lastmod></url>",
    "<url>\u00a0<loc>https://h/b</loc></url>",
    "<url><loc><b/>https://h/b</loc></url>",
    "text<url><loc>https://h/b</loc></url>",
    "<!-- <url><loc>https://h/b</loc></url> -->",
    "<![CDATA[<url><loc>https://h/b</loc></url>]]>",
    "<?pi <url><loc>https://h/b</loc></url> ?>",
    "<foo><url><loc>https://h/b</loc></url></foo>",
    "<url xmlns='http://bogus'><loc>https://h/b</loc></url>",
]


@pytest.mark.parametrize("entry", REGULAR)
def test_what_generators_write_is_regular(entry: str) -> None:
    skimmer = Skimmer("url", {"image", "xhtml"})
    text = entry * 3
    assert is_regular(text)
    locs, dates, end = skimmer.skim(text, 0)
    assert (len(locs), len(dates), end) == (3, 3, len(text))


@pytest.mark.parametrize("entry", [*REGULAR, *ONLY_LOOKS_REGULAR])
def test_both_ways_say_the_same_of_every_entry(entry: str) -> None:
    document = urlset("https://h/1", entry, "https://h/2", namespaces=SPACES).encode()
    short, careful = (outcome([document], limits=ReadLimits(skim=skim)) for skim in (True, False))
    assert short == careful


@pytest.mark.parametrize("entry", ONLY_LOOKS_REGULAR)
def test_what_only_looks_regular_is_left_to_the_parser(entry: str) -> None:
    skimmer = Skimmer("url", {"image", "xhtml"})
    if is_regular(entry):
        locs, _, end = skimmer.skim(entry, 0)
        assert end < len(entry)
        assert len(locs) == entry[:end].count("</url>")


FILLERS = [
    "<image:a>",
    "<image:a/>",
    "<image:a></image:a>",
    "<image:a> </image:a>\n",
    "<image:a>x</image:a>",
    "<image:a><image:b>x</image:b></image:a>",
    "<image:a><image:b><image:c/></image:b></image:a>",
    '<xhtml:link rel="x"',
    '<xhtml:link rel="x" hreflang="y" href="z"/>',
    '<xhtml:link other="x" />',
    "<priority>1</priority>",
    "<lastmod>",
    " ",
    "x",
]


@pytest.mark.parametrize("filler", FILLERS)
def test_an_entry_that_turns_out_irregular_is_given_up_in_time(filler: str) -> None:
    """Were there two ways to match a filler, this would not end before the sun burns out."""
    text = "<url><loc>https://h/</loc>" + filler * (100_000 // len(filler)) + "</urlx>"
    assert Skimmer("url", {"image", "xhtml"}).skim(text, 0) == ([], [], 0)
