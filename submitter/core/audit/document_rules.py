"""The rules of an audit about documents: their schema, what they list, how they are served."""

from __future__ import annotations

from typing import Final, NamedTuple

from submitter.core.findings import Severity

E, W, I = Severity.ERROR, Severity.WARNING, Severity.INFO  # noqa: E741 # read beside each other


class Rule(NamedTuple):
    """What a finding stands for, and what a person does now."""

    severity: Severity
    text: str
    next_step: str


SCHEMA_RULES: Final = {
    "xsd-order": Rule(
        W,
        "elements of an entry are not in the order loc, lastmod, changefreq, priority, extensions",
        "Have the generator write them in this order.",
    ),
    "xsd-repeated-element": Rule(
        W, "an element stands twice in one entry", "Write one of each in an entry."
    ),
    "xsd-unknown-element": Rule(
        W,
        "an element or attribute that the protocol's schema does not have there",
        "Leave it out, or write it in the namespace of the extension that it belongs to.",
    ),
    "xsd-missing-loc": Rule(E, "an entry has no loc", "Write an address into each entry."),
    "xsd-loc-length": Rule(
        W,
        "an address shorter than 12 or longer than 2,048 characters, which the schema refuses",
        "Write whole addresses; shorten those that are too long.",
    ),
    "xsd-changefreq": Rule(
        W,
        "a changefreq besides always, hourly, daily, weekly, monthly, yearly and never",
        "Leave changefreq out; Google does not read it.",
    ),
    "xsd-priority": Rule(
        W,
        "a priority that is no number from 0.0 to 1.0",
        "Leave priority out; Google does not read it.",
    ),
    "xsd-lastmod": Rule(
        I,
        "a date that is right by the protocol's words and not by its schema",
        "Write a whole day, or a time with seconds and zone.",
    ),
    "xsd-text": Rule(
        W, "text stands between the elements", "Write nothing between the elements but blanks."
    ),
    "xsd-not-checked": Rule(
        I,
        "the schema was not checked, because of the document's encoding",
        "Write sitemaps in UTF-8; the protocol asks for it.",
    ),
}
"""What the schema of sitemaps.org says and reading does not mind.
Source: https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd and siteindex.xsd, in our words
from copies that describe them, read 2026-11-30."""

LISTING_RULES: Final = {
    "outside-folder": Rule(
        W,
        "pages outside the sitemap's own folder, which robots.txt does not vouch for",
        "Move the sitemap to the root, or name it in robots.txt.",
    ),
    "tracking-parameter": Rule(
        W,
        "pages with a session or campaign parameter in their address",
        "List each page once, by its canonical address.",
    ),
    "duplicate-across-files": Rule(
        W, "pages listed in more than one file", "List each page in one file."
    ),
    "lastmod-contradiction": Rule(
        W,
        "pages whose files disagree about their lastmod",
        "List each page in one file, with the date of its last real change.",
    ),
    "near-limit": Rule(
        I,
        "a file with more than 90 % of what the protocol allows",
        "Split it before entries fall off its end.",
    ),
    "index-lastmod-older": Rule(
        W,
        "an index dates a sitemap earlier than its newest page, so that it may not be fetched",
        "Date each child with the newest change inside it.",
    ),
    "index-lastmod-newer": Rule(
        W,
        "an index dates sitemaps more than a day later than any page in them",
        "Date each child with the newest change inside it, not with the time of the build.",
    ),
    "hreflang-not-returned": Rule(
        W,
        "alternates in sitemaps that the page they name, listed as well, does not return: engines"
        " ignore both",
        "Write the same set of xhtml:link in the entry of every page of the set.",
    ),
    "hreflang-not-listed": Rule(
        W,
        "alternates in sitemaps that name pages of the site which no sitemap lists",
        "List every language's page, each with the whole set.",
    ),
    "hreflang-no-self": Rule(
        W,
        "entries whose alternates do not name the page itself",
        "Write the page's own language into its set, too.",
    ),
    "hreflang-no-default": Rule(
        I,
        "entries whose alternates name no x-default",
        "Name the page for everybody else as x-default, where there is one.",
    ),
    "hreflang-repeated": Rule(
        W,
        "entries that name one language, or x-default, with several addresses",
        "Name each language once.",
    ),
    "hreflang-bad-language": Rule(
        E,
        "alternates in sitemaps whose hreflang is no language, or names no region that there is:"
        " engines ignore them",
        "Write ISO 639-1, such as en, with a region of ISO 3166-1, such as en-GB, or x-default.",
    ),
    "hreflang-bad-address": Rule(
        E,
        "alternates in sitemaps without a whole address",
        "Write each href with its scheme and host.",
    ),
    "hreflang-not-judged": Rule(
        I,
        "whether alternates in sitemaps are returned was not judged",
        "Mend what keeps the sitemaps from being read whole.",
    ),
}
"""What the documents say together."""

DELIVERY_RULES: Final = {
    "wrong-content-type": Rule(
        W,
        "served with a Content-Type that is none of a sitemap",
        "Serve XML as application/xml, lists as text/plain, gzip as application/gzip.",
    ),
    "sitemap-robots-tag": Rule(
        I,
        "X-Robots-Tag speaks of the sitemap: it keeps the file out of results, not its pages",
        "Nothing, when that is meant.",
    ),
    "cached-too-long": Rule(
        W,
        "Cache-Control lets caches keep the sitemap for more than a day: engines may read a stale"
        " one",
        "Let caches keep it for minutes, or have them ask again.",
    ),
    "no-validators": Rule(
        W,
        "neither ETag nor Last-Modified: it is sent whole each time",
        "Have the server send one of them.",
    ),
    "conditional-ignored": Rule(
        W,
        "the server sends validators and answers 200 with the same bytes when asked by them",
        "Have it answer 304 to If-None-Match and If-Modified-Since.",
    ),
    "etag-unstable": Rule(
        W,
        "the ETag changed although the bytes did not",
        "Make the ETag from the content, the same on every node.",
    ),
    "slow-answer": Rule(
        W,
        "the answer took more than two seconds to begin",
        "Serve the sitemap as a file, not as a query.",
    ),
    "not-declared": Rule(
        W,
        "robots.txt does not name the sitemap",
        "Add a line `Sitemap: ADDRESS` to robots.txt.",
    ),
    "declared-elsewhere": Rule(
        I,
        "robots.txt names sitemaps that were not audited",
        "Name them in the inventory, or take them out of robots.txt.",
    ),
    "sitemap-disallowed": Rule(
        E,
        "robots.txt forbids a crawler to read the sitemap",
        "Allow the sitemap's address in robots.txt.",
    ),
    "shown-otherwise": Rule(
        W,
        "a crawler's name is answered otherwise than we are",
        "Look for rules by user agent in the server, the firewall and the CDN.",
    ),
}
"""How the documents are served."""
