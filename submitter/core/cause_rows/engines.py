"""What engines can have against a call: what any of them may have, then one after the other."""

from __future__ import annotations

from typing import Final

from submitter.core.cause_rows.row import Cause

ANY_ENGINE_ROWS: Final = (
    Cause(
        "endpoint-redirects",
        "The engine's address sends us on to another one, and no secret is sent after a redirect",
        "Correct the account's `endpoint`.",
    ),
    Cause(
        "endpoint-gone",
        "Nothing takes calls at the engine's address",
        "Correct or remove the account's `endpoint`.",
    ),
    Cause(
        "credential-refused",
        "The engine does not accept the account's secret",
        "Compare the secret with the one in the engine's console.",
    ),
    Cause(
        "unexpected-answer",
        "The engine answered something that nobody has documented",
        "See the engine's console; if that says nothing either, report the answer.",
    ),
    Cause("quota-spent", "The engine takes no more until its next day begins"),
    Cause("too-fast", "The engine wants fewer calls; they are slowed down by themselves"),
    Cause("engine-unavailable", "The engine did not answer, or not now; the next run tries again"),
    Cause(
        "answer-lost",
        "The call was sent and its answer could not be read, so nobody knows whether it was taken;"
        " the engine's written rule decides when it is told again",
    ),
    Cause("not-ready", "The engine cannot take this yet; it is told again later"),
    Cause(
        "refused",
        "The engine read it and does not want it; the same is never sent again",
        "See what the engine says about it; it is told again once it has changed.",
    ),
    Cause(
        "bad-address",
        "The engine does not take this for an address",
        "Correct the address in the sitemap.",
        ("bing", "indexnow", "yandex"),
    ),
)

_BAIDU: Final = ("baidu",)
BAIDU_ROWS: Final = (
    Cause(
        "token-invalid",
        "Baidu does not accept the token, or pushes came too often",
        "Compare the token with the one at ziyuan.baidu.com (普通收录); if it worked today, wait.",
        _BAIDU,
    ),
    Cause(
        "site-not-verified",
        "Baidu does not know this site for the token's account",
        "Verify it at ziyuan.baidu.com, and set `baidu_site` exactly as it is registered there.",
        _BAIDU,
    ),
    Cause(
        "site-form",
        "Baidu does not know the site in this form",
        "Set the site's `baidu_site` exactly as it is registered at ziyuan.baidu.com.",
        _BAIDU,
    ),
    Cause(
        "site-host-differs",
        "Its pages lie at the www twin of the site, which is another site for Baidu",
        "Register the host of the pages at ziyuan.baidu.com, or list them under the other one.",
        _BAIDU,
    ),
)

_BING: Final = ("bing",)
BING_ROWS: Final = (
    Cause(
        "api-key-invalid",
        "Bing does not know the API key",
        "Compare it with the one at bing.com/webmasters (Settings › API access).",
        _BING,
    ),
    Cause(
        "user-blocked",
        "Bing has blocked the user of the API key",
        "Ask Bing's support.",
        _BING,
    ),
    Cause(
        "user-unknown",
        "The user of the API key does not exist any more",
        "Make a new key at bing.com/webmasters (Settings › API access).",
        _BING,
    ),
    Cause(
        "method-gone",
        "Bing no longer offers this call",
        "Look for a newer version of this program.",
        _BING,
    ),
    Cause(
        "site-missing",
        "The user of the API key does not have this site at Bing",
        "Add the site at bing.com/webmasters and verify it.",
        _BING,
    ),
    Cause(
        "site-spelled-differently",
        "The user has this site in another form, and the form must match to the letter",
        "Set the site's `bing_site` to the form that the account has, or remove it.",
        _BING,
    ),
    Cause(
        "site-unverified",
        "The site was added at Bing and never verified",
        "Verify it at bing.com/webmasters.",
        _BING,
    ),
    Cause(
        "site-forbidden",
        "The user of the API key may not submit to this site",
        "Ask the site's owner at Bing for that right.",
        _BING,
    ),
    Cause(
        "site-settling",
        "Bing does not know the site well yet, as in the first minutes after it was verified",
        engines=_BING,
    ),
)

_YANDEX: Final = ("yandex",)
YANDEX_ROWS: Final = (
    Cause(
        "token-invalid",
        "Yandex does not accept the token; a token lives six months",
        "Get a new one at oauth.yandex.com.",
        _YANDEX,
    ),
    Cause(
        "scope-missing",
        "The token may list sites and not more: its OAuth application lacks a right",
        "Give the application webmaster:hostinfo and webmaster:verify, then get a new token.",
        _YANDEX,
    ),
    Cause(
        "host-missing",
        "The token's user does not have this site at Yandex; http and https are two sites there",
        "Add it at webmaster.yandex.com and verify it.",
        _YANDEX,
    ),
    Cause(
        "host-unverified",
        "The site was added at Yandex and never verified",
        "Verify it at webmaster.yandex.com for the token's user.",
        _YANDEX,
    ),
    Cause(
        "site-not-loaded",
        "The engine has not taken in the new site yet, which may last for weeks; it is asked once"
        " a day",
        engines=("seznam", "yandex"),
    ),
)

_SEZNAM: Final = ("seznam",)
SEZNAM_ROWS: Final = (
    Cause(
        "key-invalid",
        "Seznam does not know the site's key",
        "Compare it with the one at reporter.seznam.cz/wm (API).",
        _SEZNAM,
    ),
    Cause(
        "key-read-only",
        "The key may not write, or is another site's",
        "Make a key that may write, for this very site, at reporter.seznam.cz/wm.",
        _SEZNAM,
    ),
    Cause(
        "not-a-page",
        "Seznam takes pages only, and this is none (a sitemap, robots.txt)",
        "Take it out of the sitemap.",
        _SEZNAM,
    ),
)

_INDEXNOW: Final = ("indexnow",)
INDEXNOW_ROWS: Final = (
    Cause(
        "key-file-missing",
        "The file that proves the key is not at the site",
        "Put it there; `submitter indexnow key` makes both. Nothing is posted before.",
        _INDEXNOW,
    ),
    Cause(
        "key-file-html",
        "In place of the key file the site serves a web page",
        "Serve a plain text file there, past the application and the bot shield.",
        _INDEXNOW,
    ),
    Cause(
        "key-differs",
        "The file at the site holds something else than the key",
        "Put the key into the file, or point the account's `key` at what is there.",
        _INDEXNOW,
    ),
    Cause(
        "key-file-redirects",
        "The key file is served by another host, and speaks for that one",
        "Serve it without a redirect, or list the site under the other host.",
        _INDEXNOW,
    ),
    Cause(
        "key-file-blocked",
        "The site shuts out whoever asks for the key file, crawlers too",
        "Let crawlers read this one address.",
        _INDEXNOW,
    ),
    Cause(
        "key-file-unreachable",
        "The key file cannot be fetched, so the engines cannot fetch it either",
        "See to the site's name, certificate and redirects.",
        _INDEXNOW,
    ),
    Cause(
        "key-outside-scope",
        "The key file speaks for other pages than these: for its own host and directory only",
        "Put it at the root of the host and leave `key_location` out.",
        _INDEXNOW,
    ),
    Cause(
        "key-file-unread",
        "The key file was not read yet, so nothing is posted",
        "Run it again; if it stays so, report it as a fault of this program.",
        _INDEXNOW,
    ),
    Cause(
        "key-form",
        "The engine cannot use the key or `key_location` as it is written",
        "Compare both with https://www.indexnow.org/documentation.",
        _INDEXNOW,
    ),
    Cause(
        "key-not-found",
        "We can read the key file and the engine cannot",
        "Let its crawler past the bot shield; if that does not help, make a new key.",
        _INDEXNOW,
    ),
    Cause(
        "key-refused",
        "The engine refuses the key itself: it was used too early, or for another host",
        "Make a new key with `submitter indexnow key`.",
        _INDEXNOW,
    ),
    Cause("key-being-checked", "The engine is still checking the new key", engines=_INDEXNOW),
    Cause(
        "sender-refused",
        "Something before the engine turns this machine away",
        "Try another engine in `post_to`, or another way out to the internet.",
        _INDEXNOW,
    ),
    Cause(
        "page-of-another-host",
        "A page in the post is not one of the host it was posted for",
        "List only pages of its own host in the site's sitemap.",
        _INDEXNOW,
    ),
)
