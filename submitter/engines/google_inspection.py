"""What URL Inspection says of one page: is it in Google's index, and if not, why not. Pure.

It speaks of the version in the index, never of the page as it is now.
Sources: https://developers.google.com/webmaster-tools/v1/urlInspection.index/UrlInspectionResult,
the discovery document searchconsole.v1 (revision 20260805), and reported answers named beside the
rules; read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from submitter.core.inspection import IndexState, Inspection
from submitter.core.quota import next_day_starts
from submitter.core.urls import printable
from submitter.engines import google_answers as answers
from submitter.engines._http import EngineRequest, EngineResponse, json_of, quoted, unreadable
from submitter.engines.google_answers import DAY_ZONE, ENGINE, Asked
from submitter.engines.google_calls import carried
from submitter.errors import EngineError, QuotaExhausted, TooFast

PER_DAY = 2_000
PER_MINUTE = 600
"""Pages of one property. Source: https://developers.google.com/webmaster-tools/limits, figures
read 2026-08-13. When the day begins is not said; Google's other daily quotas begin at midnight
Pacific (unsure)."""

LANGUAGE = "en-US"
"""Google translates `coverageState`; ours is its default, said aloud because we read the text."""

_INDEXED = ("submitted and indexed", "indexed")
"""How the sentences about indexed pages begin. `Indexed, though blocked by robots.txt` comes
with the verdict NEUTRAL (reported)."""

_UNKNOWN = "url is unknown to google"
"""Source: answers in several public repositories."""


def request(resource: Any, property: str, url: str) -> EngineRequest:
    """`resource` is the library's `urlInspection.index`. The POST only asks."""
    body = {"inspectionUrl": url, "siteUrl": property, "languageCode": LANGUAGE}
    return carried(resource.inspect(body=body), harmless=True)


def inspection(response: EngineResponse, url: str, asked: Asked) -> Inspection:
    """The answer's `indexStatusResult`; AMP, rich results and mobile usability are not read."""
    if not response.ok:
        raise _error(response, asked)
    found = _below(json_of(response), "inspectionResult", "indexStatusResult")
    if found is None:
        problem = f"{response.shown}: HTTP {response.status}, no inspection{quoted(response.text)}"
        raise unreadable(ENGINE, response, problem)
    return _inspection(found, url, asked.property)


def _inspection(found: Mapping[str, object], url: str, property: str) -> Inspection:
    crawled = answers.moment(found.get("lastCrawlTime"))
    reason, verdict = _text(found, "coverageState"), _word(found, "verdict")
    return Inspection(
        property=property,
        url=url,
        state=_state(reason.lower(), verdict, crawled=crawled is not None),
        reason=printable(reason),
        verdict=verdict,
        last_crawled=crawled,
        robots_txt=_word(found, "robotsTxtState"),
        indexing=_word(found, "indexingState"),
        fetch=_word(found, "pageFetchState"),
        engine_canonical=_text(found, "googleCanonical") or None,
        page_canonical=_text(found, "userCanonical") or None,
    )


def _state(reason: str, verdict: str | None, *, crawled: bool) -> IndexState:
    """By facts where there are any; only two sentences of many have to be known by heart."""
    if _UNKNOWN in reason:
        return IndexState.UNKNOWN
    if verdict == "PASS" or reason.startswith(_INDEXED):
        return IndexState.INDEXED
    if crawled:
        return IndexState.CRAWLED
    return IndexState.KNOWN if reason else IndexState.UNCLEAR


def _error(response: EngineResponse, asked: Asked) -> EngineError:
    """As everywhere at Search Console, but for a quota that names the property and no period:
    `Quota exceeded for sc-domain:example.com.` We keep to the minute ourselves, so it is the
    day's, which others who ask about this property may have spent.
    Source: https://github.com/goenning/google-indexing-script/issues/45, read 2026-11-30."""
    error = answers.error_of(response, asked)
    named = isinstance(error, TooFast) and error.retry_after_s is None
    if not named or f"Quota exceeded for {asked.property}" not in error.problem:
        return error
    return QuotaExhausted(
        ENGINE,
        error.problem,
        resets_at=next_day_starts(DAY_ZONE, asked.now),
        http_status=error.http_status,
        code=error.code,
    )


def _below(value: object, *path: str) -> Mapping[str, object] | None:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def _word(found: Mapping[str, object], name: str) -> str | None:
    """One of Google's own words; `…_UNSPECIFIED` says nothing."""
    value = _text(found, name)
    return None if not value or value.endswith("_UNSPECIFIED") else printable(value)
