"""What a page says of itself, whatever it is made of."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_web import WORDS, page

from submitter.core.audit.facts import PageFacts, page_facts
from submitter.core.audit.fingerprint import Moved, fingerprint_of_bytes, moved
from submitter.core.audit.html import Tag, decode_page, tokens

URL = "https://shop.example/a/b"
ALL = frozenset({"a", "b", "meta", "p"})


def facts(html: str) -> PageFacts:
    return page_facts(html, url=URL)


HEADS = [
    ('<meta name="robots" content="noindex, follow">', {"noindex": True}),
    ("<META NAME='GoogleBot' CONTENT=none>", {"noindex": True}),
    ('<meta name="robots" content="index">', {"noindex": False}),
    ('<meta name="viewport" content="noindex">', {"noindex": False}),
    ('<!-- <meta name="robots" content="noindex"> -->', {"noindex": False}),
    ('<script>"<meta name=robots content=noindex>"</script>', {"noindex": False}),
    ('</head><meta name="robots" content="noindex">', {"noindex": False}),
    ('<link rel="canonical" href="/x">', {"canonicals": ("https://shop.example/x",)}),
    ('<link href=c rel="foo CANONICAL">', {"canonicals": ("https://shop.example/a/c",)}),
    (
        '<base href="https://other.example/"><link rel=canonical href=y>',
        {"canonicals": ("https://other.example/y",)},
    ),
    (
        '<link rel=canonical href="/1"><link rel=canonical href="/2">',
        {"canonicals": ("https://shop.example/1", "https://shop.example/2")},
    ),
    (
        '<link rel="alternate" hreflang="de-AT" href="/de">',
        {"alternates": (("de-at", "https://shop.example/de"),)},
    ),
    ('<link rel="alternate" type="application/rss+xml" href="/rss">', {"alternates": ()}),
    (
        '<meta http-equiv="refresh" content="0; url=/new">',
        {"refresh": "https://shop.example/new"},
    ),
    ('<meta http-equiv="refresh" content="30">', {"refresh": ""}),
    (
        '<meta property="article:modified_time" content="2026-11-01">',
        {"modified": "2026-11-01"},
    ),
    (
        '<script type="application/ld+json">{"dateModified": "2026-11-02T00:00Z"}</script>',
        {"modified": "2026-11-02T00:00Z"},
    ),
]


@pytest.mark.parametrize(("head", "expected"), HEADS)
def test_a_head_is_understood(head: str, expected: dict[str, object]) -> None:
    found = facts(page(head=head).body.decode())
    assert {name: getattr(found, name) for name in expected} == expected


def test_title_and_heading_are_decoded() -> None:
    found = facts("<title>Caf&eacute; &amp;\n Bar</title><h1>Hello <b>there</b></h1>")
    assert (found.title, found.heading) == ("Café & Bar", "Hello there")


def test_a_password_field_is_seen() -> None:
    assert facts("<form><input TYPE = 'password'></form>").has_password
    assert not facts("<form><input type=text name=password></form>").has_password


# ---------------------------------------------------------------- what moves a text


def texts(before: str, after: str) -> Moved:
    return moved(facts(before).text, facts(after).text)


def html(text: str, *, around: str = "", title: str = "T") -> str:
    return f"<title>{title}</title>{around}<main><p>{text}</p></main>"


LONG = " ".join(f"{WORDS} {word}" for word in WORDS.split())
TEXTS = [
    (html(WORDS), html(WORDS), Moved.NO),
    (html(WORDS), html(WORDS.upper()), Moved.NO),
    (html(WORDS), html(f"{WORDS} 17:45:02 2026-11-30 a8f3c"), Moved.NO),
    (html(WORDS), html(WORDS, around="<nav>another menu</nav>"), Moved.NO),
    (html(WORDS), html(WORDS, around="<script>nonce = 5</script><style>a{}</style>"), Moved.NO),
    (html(f"{WORDS} costs € 19.90"), html(f"{WORDS} costs € 17.90"), Moved.YES),
    (html(WORDS), html(WORDS[::-1]), Moved.YES),
    (html(WORDS), html(WORDS, title="Another thing with another name at all"), Moved.YES),
    (html(LONG), html(f"{LONG} tail"), Moved.NEARLY_NOT),
    (html("five"), html("six"), Moved.YES),
    (html("页面文字很多" * 5), html("别的内容完全不同啊" * 5), Moved.YES),
]


@pytest.mark.parametrize(("before", "after", "expected"), TEXTS)
def test_words_move_a_text_and_numbers_do_not(before: str, after: str, expected: Moved) -> None:
    assert texts(before, after) is expected


def test_what_is_no_page_is_equal_or_not() -> None:
    one, other = fingerprint_of_bytes(b"%PDF 1"), fingerprint_of_bytes(b"%PDF 2")
    assert (moved(one, one), moved(one, other)) == (Moved.NO, Moved.YES)
    assert moved(None, one) is moved(one, None) is Moved.UNKNOWN


# ---------------------------------------------------------------- any text at all

MARKUP = st.lists(
    st.sampled_from(
        (
            *("<", ">", "</", "<!--", "-->", "<!", "<?", '"', "'", "=", " ", "/", "a", "b", "<a "),
            *("<b>", "<script>", "</script>", "<title", "<main>", "</main>", "noindex", "é"),
            *("<meta name=robots content=", "<link rel=canonical href=", "http://[", "&#0;"),
            *("&amp", "\0", "\ud800"),
        )
    ),
    max_size=60,
).map("".join)


@given(MARKUP | st.text(max_size=200))
@settings(max_examples=150)
def test_any_text_gives_facts(text: str) -> None:
    found = facts(text)
    assert isinstance(found, PageFacts)
    assert moved(found.text, facts(text).text) is Moved.NO


@given(st.binary(max_size=300), st.none() | st.sampled_from(["utf-8", "gbk", "utf-16", "hex", "x"]))
@settings(max_examples=100)
def test_any_bytes_give_text(data: bytes, charset: str | None) -> None:
    assert isinstance(decode_page(data, charset), str)


def test_a_page_names_its_encoding() -> None:
    said = '<meta charset="windows-1251"><title>Привет</title>'
    assert facts(decode_page(said.encode("cp1251"), None)).title == "Привет"
    assert facts(decode_page(said.encode("utf-8"), "utf-8")).title == "Привет"
    assert decode_page("\ufeffx".encode("utf-16-le"), "utf-8") == "x"


class StandardTags(HTMLParser):
    """What the standard library sees; the two need not agree on broken markup."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ALL:
            self.tags.append((tag, {name: value or "" for name, value in reversed(attrs)}))


VALUES = st.text("abc &;=<>/1", max_size=6)
ATTRIBUTES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from("xyz"), VALUES).map(lambda one: f' {one[0]}="{one[1]}"'),
        st.tuples(st.sampled_from("xyz"), VALUES).map(lambda one: f"\n{one[0]} = '{one[1]}'"),
        st.sampled_from([" x=1", " y", " z=a/b"]),
    ),
    max_size=3,
).map("".join)
TAGS = st.tuples(st.sampled_from(["a", "P", "b", "div"]), ATTRIBUTES).map("<{0[0]}{0[1]}>".format)
PIECES = st.lists(st.one_of(TAGS, st.sampled_from(["text", "</a>", "<!-- <a> -->"])), max_size=6)


@given(PIECES.map("".join))
@settings(max_examples=150)
def test_good_markup_is_read_as_the_standard_library_reads_it(text: str) -> None:
    standard = StandardTags()
    standard.feed(text)
    standard.close()
    mine = [
        (one.name, {name: unescape(value) for name, value in one.attributes.items()})
        for one in tokens(text, ALL)
        if isinstance(one, Tag) and not one.closes and one.name in ALL
    ]
    assert mine == standard.tags


HOSTILE = ["<", "<a ", '<a b="', "<!--", "<script>", "<a =", "</", "<nav>", "<a b=c='", "€1,", "&"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_junk_is_at_most_some_more_steps(piece: str) -> None:
    """Counted in tokens, which bound the work: no token is looked at twice."""
    small, large = (sum(1 for _ in tokens(piece * n, ALL)) for n in (500, 1_000))
    assert large <= 2 * small + 2
    assert isinstance(facts(piece * 20_000), PageFacts)
