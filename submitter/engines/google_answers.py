"""What Search Console's answers mean. Pure.

Three layers may stand in one error body, and each may be missing: `error.status` (canonical),
`error.errors[].reason` (legacy) and `error.details[]` with an ErrorInfo `reason`. The verdict goes
by reasons before status, because quota and rate come as 403 as well as 429.
Sources: https://developers.google.com/search/apis/indexing-api/v3/core-errors (legacy reasons),
https://developers.google.com/webmaster-tools/v1/sitemaps (fields) and bodies in public issues
named beside the rules; read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from submitter.core.calls import Check, Property, Receipt
from submitter.core.quota import next_day_starts
from submitter.core.states import State
from submitter.engines._http import (
    EngineResponse,
    error_of_status,
    json_of,
    quoted,
    retry_after,
    unreadable,
)
from submitter.engines.google_properties import camel_case, property_with
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    QuotaExhausted,
    Refused,
    TooFast,
)

ENGINE = "google"
SCOPE = "https://www.googleapis.com/auth/webmasters"
"""The write scope. Source: the discovery document searchconsole.v1, revision 20260805."""
DAY_ZONE = "America/Los_Angeles"
"""Daily quotas start anew at midnight Pacific. Source:
https://developers.google.com/search/apis/indexing-api/v3/quota-pricing, read 2026-11-30."""

MINUTE_RETRY_S = 20.0
"""A limit by the minute without Retry-After: a few tries so far apart outlast the minute."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, for the words of an error. No `property`: about the account as a whole."""

    now: datetime
    property: str = ""
    who: str = "this account"
    api: str = "Google Search Console API"
    scope: str = SCOPE


@dataclass(frozen=True, slots=True)
class _Words:
    """An error body, its layers joined. `reasons` are folded: no case, no underscores."""

    status: int = 200
    """`error.code`: counts where an error comes under a 2xx."""
    reasons: tuple[str, ...] = ()
    code: str | None = None
    message: str = ""
    locations: frozenset[str] = frozenset()
    limit: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    retry_delay_s: float | None = None

    def has(self, *reasons: str) -> bool:
        return any(reason in self.reasons for reason in reasons)


# ---------------------------------------------------------------- receipts


def receipt(response: EngineResponse, asked: Asked, message: str = "queued") -> Receipt:
    """Accepted means queued: Google promises neither to read the sitemap nor when."""
    body = json_of(response)
    if response.ok and (not response.body.strip() or _is_fine(body)):
        return Receipt(State.ACCEPTED, response.status, message=message)
    raise error_of(response, asked)


def read_list(response: EngineResponse, key: str, asked: Asked) -> list[Mapping[str, object]]:
    """The rows of a list; Google leaves an empty list out altogether."""
    body = json_of(response)
    if not (response.ok and _is_fine(body)):
        raise error_of(response, asked)
    return [row for row in _rows(_mapping(body).get(key)) if row]


def listed_properties(rows: Sequence[Mapping[str, object]]) -> tuple[Property, ...]:
    """The account's properties, by name."""
    found = (
        property_with(_text(row.get("siteUrl")), _text(row.get("permissionLevel"))) for row in rows
    )
    return tuple(sorted((each for each in found if each.name), key=lambda each: each.name))


def check_of(row: Mapping[str, object], *, property: str, sitemap: str) -> Check:
    """A `WmxSitemap`. Counts come as strings; what Google left out stays None; `indexed` is a
    dead field and not read. Only `lastDownloaded` proves that Google was there."""
    return Check(
        property=property,
        sitemap=sitemap,
        last_submitted=moment(row.get("lastSubmitted")),
        last_downloaded=moment(row.get("lastDownloaded")),
        is_pending=_flag(row.get("isPending")),
        is_index=_flag(row.get("isSitemapsIndex")),
        errors=_count(row.get("errors")),
        warnings=_count(row.get("warnings")),
        urls_submitted=_web_pages(_rows(row.get("contents"))),
        kind=camel_case(_text(row.get("type"))) or None,
    )


def _web_pages(contents: Sequence[Mapping[str, object]]) -> int | None:
    counts = [_count(row.get("submitted")) for row in contents if _is_web(row)]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _is_web(row: Mapping[str, object]) -> bool:
    return _text(row.get("type")).lower() == "web"


# ---------------------------------------------------------------- errors


def error_of(response: EngineResponse, asked: Asked) -> EngineError:
    """The error that a refusal, or an answer that does not fit, stands for."""
    words = _words_of(response)
    if response.ok and words is not None:
        response = replace(response, status=words.status)
    if response.ok:
        problem = f"{response.shown}: HTTP {response.status}, not Google's{quoted(response.text)}"
        return unreadable(ENGINE, response, problem)
    if words is None or response.status < 400:
        return error_of_status(ENGINE, response, now=asked.now)
    return (
        _setup_error(response, words, asked)
        or _quota_error(response, words, asked)
        or _access_error(response, words, asked)
        or _server_error(response, words, asked)
        or _refusal(response, words)
    )


def _setup_error(response: EngineResponse, words: _Words, asked: Asked) -> EngineError | None:
    """Faults of the account or its project: every other call would end the same way."""
    for reasons, cause, next_step in _SETUP:
        if words.has(*reasons):
            project = _project(words)
            step = next_step.format(project=project, api=asked.api, scope=asked.scope)
            return _not_authorized(response, words, "account", cause, step)
    return None


_SETUP = (
    (
        ("accessnotconfigured", "servicedisabled"),
        "api-disabled",
        "Enable the {api} in the project{project}, then wait some minutes.",
    ),
    (
        ("accesstokenscopeinsufficient", "insufficientpermissions"),
        "scope-missing",
        "The login lacks the scope {scope}; log in again with it.",
    ),
    (
        ("userprojectdenied",),
        "quota-project-denied",
        "Remove the quota project from the credentials, or let them use it.",
    ),
    (
        ("consumerinvalid", "consumersuspended", "billingdisabled", "accountstateinvalid"),
        "project-unusable",
        "Google has closed the project{project} or its account; see the Cloud console.",
    ),
)
"""Source: google_workspace_mcp#126, search-console-mcp#113, read 2026-11-30."""


def _quota_error(response: EngineResponse, words: _Words, asked: Asked) -> EngineError | None:
    """By the minute it passes while we wait; by the day it ends the day. 429 says neither."""
    rate = words.has("ratelimitexceeded", "userratelimitexceeded", "resourceexhausted")
    quota = words.has("quotaexceeded", "dailylimitexceeded")
    if not (rate or quota or response.status == 429):
        return None
    period = _period(words)
    if period == "day" or (quota and period != "minute"):
        return QuotaExhausted(
            ENGINE,
            _problem(response, words),
            resets_at=next_day_starts(DAY_ZONE, asked.now),
            http_status=response.status,
            code=words.code,
        )
    otherwise = MINUTE_RETRY_S if period == "minute" else None
    return _unavailable(response, words, asked, otherwise, kind=TooFast)


def _period(words: _Words) -> str:
    """What the limit that was hit counts by: `day`, `minute`, or nothing said."""
    text = f"{words.message} {words.limit}".lower()
    if words.has("dailylimitexceeded") or re.search(r"per ?day|daily|1/d/", text):
        return "day"
    return "minute" if re.search(r"per ?(?:\d+ ?)?(?:minute|second)|1/min", text) else ""


def _access_error(response: EngineResponse, words: _Words, asked: Asked) -> EngineError | None:
    status = response.status
    if status == 401:
        return _not_authorized(
            response,
            words,
            "account",
            "token-refused",
            "A fresh token was refused, too: check the account in the Cloud console.",
        )
    if not asked.property:
        return (
            _not_authorized(response, words, "account", "account-forbidden", "")
            if status in (403, 404)
            else None
        )
    step = (
        f"In Search Console make {asked.who} an owner of {asked.property!r} (Settings › Users and"
        " permissions); the property's name must match to the letter."
    )
    if status == 403:
        return _not_authorized(response, words, "property", "property-forbidden", step)
    if status == 404:
        return _not_authorized(response, words, "property", "property-missing", step)
    if status == 400 and "siteUrl" in words.locations:
        return _not_authorized(response, words, "property", "property-invalid", step)
    return None


def _server_error(response: EngineResponse, words: _Words, asked: Asked) -> EngineError | None:
    """A 5xx in Google's own words was not carried out; a gateway's 502 or 504 says nothing."""
    if response.status in (502, 504):
        return unreadable(ENGINE, response, _problem(response, words))
    if response.status >= 500 or response.status == 408:
        return _unavailable(response, words, asked, None)
    return None


def _refusal(response: EngineResponse, words: _Words) -> EngineError:
    return Refused(ENGINE, _problem(response, words), http_status=response.status, code=words.code)


def _unavailable(
    response: EngineResponse,
    words: _Words,
    asked: Asked,
    otherwise: float | None,
    *,
    kind: type[EngineUnavailable] = EngineUnavailable,
) -> EngineUnavailable:
    named = retry_after(response, now=asked.now)
    waits = (named, words.retry_delay_s, otherwise)
    return kind(
        ENGINE,
        _problem(response, words),
        retry_after_s=next((wait for wait in waits if wait is not None), None),
        http_status=response.status,
        code=words.code,
    )


def _not_authorized(
    response: EngineResponse,
    words: _Words,
    scope: Literal["account", "property"],
    cause: str,
    next_step: str,
) -> NotAuthorized:
    return NotAuthorized(
        ENGINE,
        _problem(response, words),
        scope=scope,
        cause=cause,
        next_step=next_step,
        http_status=response.status,
        code=words.code,
    )


def _problem(response: EngineResponse, words: _Words) -> str:
    return f"{response.shown}: HTTP {response.status}{quoted(words.message)}"


def _project(words: _Words) -> str:
    consumer = words.metadata.get("consumer", "").removeprefix("projects/")
    found = re.search(r"project[ =](\d+)", words.message)
    number = consumer or (found[1] if found else "")
    return f" {number}" if re.fullmatch(r"[\w-]{1,64}", number) else ""


# ---------------------------------------------------------------- reading a body


def _words_of(response: EngineResponse) -> _Words | None:
    """The error in a body, None when there is none of Google's form."""
    body = json_of(response)
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    error = _mapping(body).get("error")
    if isinstance(error, str):
        message = _text(_mapping(body).get("error_description")) or error
        return _Words(reasons=(_folded(error),), code=error, message=message)
    return _joined(_mapping(error)) if isinstance(error, dict) else None


def _joined(error: Mapping[str, object]) -> _Words:
    legacy, details = _rows(error.get("errors")), _rows(error.get("details"))
    named = [
        *(_text(row.get("reason")) for row in legacy),
        *(_text(row.get("reason")) for row in details),
        _text(error.get("status")),
    ]
    reasons = [reason for reason in named if reason]
    metadata = {
        key: _text(value) for row in details for key, value in _mapping(row.get("metadata")).items()
    }
    status = error.get("code")
    return _Words(
        status=status if isinstance(status, int) else 200,
        reasons=tuple(_folded(reason) for reason in reasons),
        code=reasons[0] if reasons else None,
        message=_text(error.get("message")) or next(_messages(legacy), ""),
        locations=frozenset(_text(row.get("location")) for row in legacy),
        limit=f"{metadata.get('quota_limit', '')} {metadata.get('quota_unit', '')}",
        metadata=metadata,
        retry_delay_s=next(_delays(details), None),
    )


def _messages(rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    return (text for row in rows if (text := _text(row.get("message"))))


def _delays(details: Sequence[Mapping[str, object]]) -> Iterator[float]:
    """`RetryInfo.retryDelay`, a duration such as `30s`."""
    for row in details:
        if found := re.fullmatch(r"(\d{1,6}(?:\.\d{1,9})?)s", _text(row.get("retryDelay"))):
            yield float(found[1])


def _is_fine(body: object) -> bool:
    return isinstance(body, dict) and "error" not in body


def _folded(reason: str) -> str:
    return reason.replace("_", "").lower()


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _rows(value: object) -> list[Mapping[str, object]]:
    return [_mapping(row) for row in value] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    """An int64, which JSON carries as a string."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value) else None


def moment(value: object) -> datetime | None:
    """RFC 3339, or a bare date as the field's description has it; UTC."""
    try:
        at = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
