"""Every rule of an audit in one table: id, severity, what it means, and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final

from submitter.core.audit.document_rules import (
    DELIVERY_RULES,
    LISTING_RULES,
    SCHEMA_RULES,
    E,
    I,
    Rule,
    W,
)
from submitter.core.findings import MAX_EXAMPLES, Finding, Meaning, Severity
from submitter.core.guard import GUARD_IDS
from submitter.core.notes import READING_IDS
from submitter.core.pagereader import PAGE_IDS
from submitter.core.robots import ROBOTS_IDS
from submitter.core.trees import TREE_IDS
from submitter.core.urls import shown

REDIRECT_RULES: Final = {
    "redirect-to-login": Rule(
        E, "pages redirect to a login", "List only pages that anybody may read."
    ),
    "redirect-to-home": Rule(
        E,
        "pages redirect to the home page: engines take them for missing",
        "Take them out of the sitemap; answer 410.",
    ),
    "redirect-to-https": Rule(W, "pages redirect from http to https", "List the https addresses."),
    "redirect-to-http": Rule(
        W, "pages redirect from https to http", "Mend the redirect; list what is served."
    ),
    "redirect-www-added": Rule(
        W, "pages redirect to the host with www", "List the addresses they lead to."
    ),
    "redirect-www-dropped": Rule(
        W, "pages redirect to the host without www", "List the addresses they lead to."
    ),
    "redirect-to-host": Rule(
        W, "pages redirect to another host", "List them in that host's sitemap only."
    ),
    "redirect-slash-added": Rule(
        W, "pages redirect to the same address with a slash", "List them with the slash."
    ),
    "redirect-slash-dropped": Rule(
        W, "pages redirect to the same address without a slash", "List them without the slash."
    ),
    "redirect-case": Rule(
        W, "pages redirect to another spelling in case", "List the addresses they lead to."
    ),
    "redirect-query": Rule(
        W, "pages redirect to the same path with another query", "List the addresses they lead to."
    ),
    "redirect-to-page": Rule(
        W, "pages redirect to another page", "List only the pages they lead to."
    ),
}
"""By what rule listed pages redirect; the first that fits, from the top."""

PAGE_RULES: Final = {
    **REDIRECT_RULES,
    "page-missing": Rule(
        E, "listed pages answer 404 or 410", "Take them out of the sitemap when they go."
    ),
    "page-refused": Rule(
        E,
        "listed pages answer with another status of 400 to 499",
        "List only pages anybody may read.",
    ),
    "page-failing": Rule(E, "listed pages answer with 500 or more", "Mend the server."),
    "page-unreachable": Rule(
        E, "listed pages could not be had at all", "Look at the reason beside each."
    ),
    "page-noindex": Rule(
        E,
        "listed pages ask not to be indexed",
        "Take them out of the sitemap, or take the noindex off.",
    ),
    "page-canonical-elsewhere": Rule(
        E,
        "listed pages name another page as the canonical one",
        "List the canonical address only.",
    ),
    "page-canonical-several": Rule(
        W,
        "listed pages name several canonical addresses: engines then believe none",
        "Write one link with rel=canonical.",
    ),
    "page-disallowed": Rule(
        E,
        "robots.txt forbids crawlers to read listed pages",
        "Open them in robots.txt, or take them out of the sitemap.",
    ),
    "page-soft-404": Rule(
        E,
        "listed pages answer 200 and say that they are not there",
        "Answer 404 or 410 for what is not there, and take it out of the sitemap.",
    ),
    "page-login": Rule(
        E, "listed pages answer 200 with a login form", "List only pages that anybody may read."
    ),
    "site-soft-404": Rule(
        W,
        "an address that cannot exist answers 200",
        "Answer 404 for what is not there.",
    ),
    "hreflang-no-return": Rule(
        W,
        "pages name another language's page that does not name them back: engines ignore both",
        "Write the same set of hreflang links on every page of the set, itself included.",
    ),
    "page-not-asked": Rule(
        I,
        "pages were not fetched, because robots.txt forbids it to us or cannot be read",
        "Allow Submitter in robots.txt, and have it served, to have them looked at.",
    ),
}
"""What listed pages say of themselves."""

HONESTY_RULES: Final = {
    "lastmod-unfounded": Rule(
        E,
        "lastmod moved although neither Last-Modified, ETag nor the text did",
        "Take lastmod from the time of the last real change of the content, not of the build.",
    ),
    "lastmod-missed": Rule(
        W,
        "the text changed although lastmod did not",
        "Move lastmod when the content changes.",
    ),
    "lastmod-older-than-content": Rule(
        W,
        "the page itself names a later change than lastmod does",
        "Move lastmod when the content changes.",
    ),
    "lastmod-went-back": Rule(
        W, "lastmod is earlier than when we last saw the page", "Never date a change back."
    ),
    "lastmod-in-bulk": Rule(
        W,
        "nearly all dates of a file moved since we last looked, and little of its content did",
        "Ask what refreshed them all at once: an import, a template, a build.",
    ),
}
"""Whether the dates can be believed."""

COMPARISON_RULES: Final = {
    "not-listed": Rule(
        E, "pages of the publish list are in no sitemap", "Build the sitemaps from the list."
    ),
    "not-published": Rule(
        W, "pages in the sitemaps are not in the publish list", "Build the sitemaps from the list."
    ),
    "not-public": Rule(
        E,
        "pages in the sitemaps of which the publish list says that they must not be there",
        "Build the sitemaps from the list; look how these got in.",
    ),
    "bad-list-line": Rule(
        W,
        "lines of the publish list from which nobody can tell what is public",
        "Mend them; they were not compared.",
    ),
    "engine-counts-otherwise": Rule(
        W,
        "an engine counts another number of pages in a sitemap than we do",
        "Look whether it has read the newest one, and whether everybody is served the same.",
    ),
    "listed-not-crawled": Rule(
        I, "pages that no crawler has fetched, by our access logs", "Link to them from other pages."
    ),
    "crawled-not-listed": Rule(
        I,
        "fetches of crawlers that went to pages no sitemap lists",
        "List them, or close what should not be crawled.",
    ),
    "no-crawler-data": Rule(
        I,
        "no access logs were read, so nothing is known of what crawlers fetched",
        "Read them with `submitter crawlers`.",
    ),
}
"""Publish list, sitemap, what engines read, what crawlers fetched: held against each other."""

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        **SCHEMA_RULES,
        **LISTING_RULES,
        **DELIVERY_RULES,
        **PAGE_RULES,
        **HONESTY_RULES,
        **COMPARISON_RULES,
    }
)

AUDIT_IDS: Final = MappingProxyType(
    {id: Meaning(rule.severity, rule.text) for id, rule in RULES.items()}
)
"""Ids of findings that only an audit has, for the docs. They only grow."""

STRICTER: Final[Mapping[str, Severity]] = MappingProxyType(
    {
        "lastmod-without-zone": E,
        "nested-index": E,
        "foreign-host": E,
        "lastmod-is-now": E,
        "duplicate": W,
    }
)
"""Ids of reading that weigh more in an audit: the sitemap can be used, and is still not right."""

READING_STEPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "lastmod-without-zone": "Write Z or an offset, or the day alone.",
        "lastmod-is-now": "Take lastmod from the last real change, not from the clock.",
        "lastmod-all-equal": "Take lastmod from each page's last real change, not from the build.",
        "future-lastmod": "Look at the server's clock and zone.",
        "invalid-lastmod": "Write a day (2026-11-30) or a time with zone (2026-11-30T12:00:00Z).",
        "nested-index": "Name the sitemaps themselves in one index.",
        "foreign-host": "List pages in their own host's sitemap; look for placeholder hosts.",
        "wrong-extension-namespace": "Write the namespace exactly as the engine documents it.",
        "bare-ampersand": "Write & as &amp; in XML.",
        "no-entries": "Take empty files out of the index.",
        "too-many-entries": "Split the file: at most 50,000 addresses in one.",
        "too-many-bytes": "Split the file: at most 52,428,800 bytes in one, before compression.",
        "html-instead-of-sitemap": "Look at what the server answers without cookies.",
        "duplicate": "List each page once.",
    }
)
"""What to do about findings that reading has already."""

KNOWN_IDS: Final[frozenset[str]] = frozenset(
    chain(RULES, READING_IDS, ROBOTS_IDS, TREE_IDS, PAGE_IDS, GUARD_IDS)
)
"""Every id that an audit may give, but for the reasons of fetches that failed."""


def found(
    id: str, where: str, detail: str = "", *, count: int = 1, examples: Iterable[str] = ()
) -> Finding:
    """A finding by its rule; `detail` follows the rule's own words. Examples are addresses."""
    rule = RULES[id]
    message = f"{rule.text}: {detail}" if detail else rule.text
    texts = tuple(map(shown, examples))[:MAX_EXAMPLES]
    return Finding(id, rule.severity, where, message, count, texts)


def next_step(id: str) -> str | None:
    """What a person does about a finding; None when there is nothing to add to its words."""
    rule = RULES.get(id)
    return rule.next_step if rule else READING_STEPS.get(id)
