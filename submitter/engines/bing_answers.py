"""What the Bing Webmaster API's answers mean. Pure.

The body goes before the status: errors are 400, but were seen under 200, too, and a body was seen
that is a JSON string with the JSON inside. Sources: https://learn.microsoft.com/en-us/dotnet/api/
microsoft.bing.webmaster.api.interfaces (fields), .../apierrorcode (codes), and bodies quoted in
public repositories; read 2026-11-30.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from urllib.parse import unquote

from submitter.core.calls import Check, Property, QuotaReading, Receipt, Survey
from submitter.core.quota import next_day_starts
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.engines._http import (
    EngineResponse,
    error_of_status,
    json_of,
    quoted,
    retry_after,
    unreadable,
)
from submitter.engines.bing_sites import check_site
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    OutcomeUnknown,
    QuotaExhausted,
    Refused,
    TooFast,
)

ENGINE = "bing"
DAY_ZONE = "UTC"
"""The quota starts anew at midnight GMT. Source:
https://www.drupal.org/project/bing_indexing_api, read 2026-11-30; reported."""

COOL_DOWN_S = 7_200.0
"""ThrottleUser holds for the whole account and was seen to last more than an hour; it names no
end, so twice that. Reported 2026-08-06, read 2026-11-30."""

SETTLING_S = 900.0
"""For some minutes after a site's verification SubmitFeed answers InvalidParameter. Reported,
read 2026-11-30."""

_CODES = dict(
    enumerate(
        (
            *("None", "InternalError", "UnknownError", "InvalidApiKey", "ThrottleUser"),
            *("ThrottleHost", "UserBlocked", "InvalidUrl", "InvalidParameter", "TooManySites"),
            *("UserNotFound", "NotFound", "AlreadyExists", "NotAllowed", "NotAuthorized"),
            *("UnexpectedState", "Deprecated"),
        )
    )
)
"""Source: https://learn.microsoft.com/en-us/dotnet/api/
microsoft.bing.webmaster.api.interfaces.apierrorcode, read 2026-11-30."""

OVER_QUOTA = "over quota"
"""What such a refusal is called here: the number that comes with it is another from day to day."""

_LEFT_TODAY = re.compile(r"quota remaining for today\s*:\s*(\d{1,9})", re.IGNORECASE)
_OVER_QUOTA = re.compile(
    r"exceeded your \w+ url submission quota(?:\s*:\s*(\d{1,9}))?", re.IGNORECASE
)
"""Two texts for one thing, under code 2 or 8: what is left, and what the day has in all."""

_NEVER_BEFORE = datetime(2000, 1, 1, tzinfo=UTC)
"""Bing writes "never" as year 1 (`-62135568000000`) or 1601 (`-11644473600000`)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, for the meaning and the words of an error. `kind` None: a reading."""

    now: datetime
    property: str = ""
    kind: Kind | None = None
    pages: int = 0
    survey: Survey | None = None


# ---------------------------------------------------------------- receipts and readings


def receipt(response: EngineResponse, asked: Asked) -> Receipt:
    """`{"d":null}` is Bing's yes. An empty body is none: the call may not have arrived."""
    body = _body(response)
    refusal = _refusal_in(response, body, asked)
    if refusal is None:
        if response.ok and isinstance(body, dict) and body.get("d", "") is None:
            return Receipt(State.ACCEPTED, response.status, message="taken")
        raise _no_answer(response, asked)
    if refusal.name == "AlreadyExists" and asked.kind is Kind.SITEMAP:
        return Receipt(State.ALREADY, response.status, refusal.code, refusal.text[:200])
    raise _error_of(refusal)


def properties(response: EngineResponse, asked: Asked) -> tuple[Property, ...]:
    """The account's sites by name. Their verification codes are left where they are."""
    rows = _rows(_read(response, asked))
    found = (
        Property(url, "verified" if row.get("IsVerified") is True else "unverified", _flag(row))
        for row in rows
        if isinstance(url := row.get("Url"), str) and url
    )
    return tuple(sorted(found, key=lambda each: each.name))


def _flag(row: Mapping[str, object]) -> bool | None:
    verified = row.get("IsVerified")
    return verified if isinstance(verified, bool) else None


def checks(response: EngineResponse, sitemaps: Sequence[str], asked: Asked) -> list[Check]:
    """What the feed list says about these sitemaps, in their order and our spelling."""
    found = {unquote(str(row.get("Url"))): row for row in _rows(_read(response, asked))}
    return [
        _check(found[unquote(sitemap)], property=asked.property, sitemap=sitemap)
        for sitemap in sitemaps
        if unquote(sitemap) in found
    ]


def _check(row: Mapping[str, object], *, property: str, sitemap: str) -> Check:
    """Bing counts no errors: a status that speaks of one is one. What was never crawled has no
    pages that anybody counted."""
    kind, status = str(row.get("Type") or ""), str(row.get("Status") or "").lower()
    crawled = moment(row.get("LastCrawled"))
    return Check(
        property=property,
        sitemap=sitemap,
        last_submitted=moment(row.get("Submitted")),
        last_downloaded=crawled,
        is_pending=crawled is None or status in ("pending", "processing", "submitted"),
        is_index=True if "index" in kind.lower() else None,
        errors=1 if re.search("error|fail", status) else None,
        urls_submitted=None if crawled is None else _number(row.get("UrlCount")),
        kind=kind or None,
    )


def quota(response: EngineResponse, asked: Asked) -> QuotaReading:
    """`DailyQuota` is the day's limit to some clients and what is left of it to others: read as a
    limit it is never too much. A month that has less left goes before."""
    value = _read(response, asked)
    body = value if isinstance(value, dict) else {}
    daily, monthly = _number(body.get("DailyQuota")), _number(body.get("MonthlyQuota"))
    numbers = [max(0, number) for number in (daily, monthly) if number is not None]
    if daily is None:
        raise _no_answer(response, asked)
    return QuotaReading(limit=min(numbers))


def _read(response: EngineResponse, asked: Asked) -> object:
    """What stands under `d` in the answer to a reading."""
    body = _body(response)
    refusal = _refusal_in(response, body, asked)
    if refusal is not None:
        raise _error_of(refusal)
    if response.ok and isinstance(body, dict) and "d" in body:
        return body["d"]
    raise _no_answer(response, asked)


def moment(value: object) -> datetime | None:
    """`/Date(1316156400000-0700)/`: milliseconds of UTC; the offset is only where it was written.
    None for what Bing writes when there was none."""
    found = re.fullmatch(r"/Date\((-?\d{1,15})(?:[+-]\d{4})?\)/", str(value))
    if not found:
        return None
    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=int(found[1]))
    except OverflowError:
        return None
    return at if at >= _NEVER_BEFORE else None


# ---------------------------------------------------------------- errors


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An error body: `{"ErrorCode":14,"Message":"ERROR!!! NotAuthorized"}`."""

    response: EngineResponse
    asked: Asked
    name: str
    code: str
    text: str

    @property
    def problem(self) -> str:
        about = f" for site {self.asked.property}" if self.asked.property else ""
        return f"{self.response.shown}: HTTP {self.response.status}{about}{quoted(self.text)}"

    @property
    def facts(self) -> dict[str, object]:
        return {"http_status": self.response.status, "code": self.code}


def _refusal_in(response: EngineResponse, body: object, asked: Asked) -> _Refusal | None:
    """The error in a body, None when there is none of Bing's."""
    if isinstance(body, dict) and isinstance(body.get("d"), dict):
        body = body["d"]
    if not isinstance(body, dict):
        return None
    number, text = _number(body.get("ErrorCode")), str(body.get("Message") or "")
    if not number and not (_LEFT_TODAY.search(text) or _OVER_QUOTA.search(text)):
        return None
    name = _name_in(text) or _CODES.get(number or 0, "")
    return _Refusal(response, asked, name, name or str(number or ""), text)


def _name_in(text: str) -> str:
    """The message begins with the code's name; where both differ it says more than the number."""
    first = re.match(r"(?:ERROR!+)?\s*(\w+)", text)
    return first[1] if first and first[1] in _CODES.values() else ""


def _error_of(refusal: _Refusal) -> EngineError:
    exhausted = _quota_error(refusal)
    if exhausted is not None:
        return exhausted
    if refusal.name in _CLOSING:
        return _not_authorized(refusal, *_CLOSING[refusal.name])
    return _BY_NAME.get(refusal.name, _undocumented)(refusal)


def _quota_error(refusal: _Refusal) -> EngineError | None:
    """The batch was refused whole. When part of it would fit, the lane stays open for that."""
    asked, left = refusal.asked, _left_in(refusal)
    if left is None:
        return None
    smaller_fits = 0 < left < asked.pages
    resets_at = asked.now if smaller_fits else next_day_starts(DAY_ZONE, asked.now)
    return QuotaExhausted(
        ENGINE,
        refusal.problem,
        resets_at=resets_at,
        quota_left=left,
        http_status=refusal.response.status,
        code=OVER_QUOTA,
    )


def _left_in(refusal: _Refusal) -> int | None:
    """What is left by the first text; by the second at most the day's whole quota, and that only
    if the batch was larger. None: neither text."""
    if found := _LEFT_TODAY.search(refusal.text):
        return int(found[1])
    if found := _OVER_QUOTA.search(refusal.text):
        limit = int(found[1] or 0)
        return limit if limit < refusal.asked.pages else 0
    return None


def _throttled(refusal: _Refusal) -> EngineError:
    """The whole account, and not for seconds."""
    named = retry_after(refusal.response, now=refusal.asked.now)
    return TooFast(
        ENGINE,
        refusal.problem,
        retry_after_s=COOL_DOWN_S if named is None else named,
        **refusal.facts,
    )


def _site_throttled(refusal: _Refusal) -> EngineError:
    """This site only, so all of it waits; how long is not known. No quota is spent."""
    later = refusal.asked.now + timedelta(seconds=COOL_DOWN_S)
    return NotReady(ENGINE, refusal.problem, not_before=later, scope="property", **refusal.facts)


def _hiccup(refusal: _Refusal) -> EngineError:
    """Bing does not know what went wrong: pages may have been taken, and cost quota twice."""
    if refusal.asked.kind is Kind.URLS:
        return OutcomeUnknown(ENGINE, refusal.problem, **refusal.facts)  # type: ignore[arg-type]  # keywords
    wait = retry_after(refusal.response, now=refusal.asked.now)
    return EngineUnavailable(ENGINE, refusal.problem, retry_after_s=wait, **refusal.facts)


def _refused(refusal: _Refusal) -> EngineError:
    """Of a batch, the one address at fault is not named."""
    return Refused(ENGINE, refusal.problem, **refusal.facts)  # type: ignore[arg-type]  # keywords


def _invalid_parameter(refusal: _Refusal) -> EngineError:
    """The site may be too new, so nothing is given up for it; but a batch may hold one address
    that Bing will never take, so it is worth a search."""
    if refusal.asked.pages > 1:
        return _refused(refusal)
    later = refusal.asked.now + timedelta(seconds=SETTLING_S)
    return NotReady(ENGINE, refusal.problem, not_before=later, scope="item", **refusal.facts)


def _not_yours(refusal: _Refusal) -> EngineError:
    """Explained by what the account's own list of sites shows."""
    survey = refusal.asked.survey
    if survey is None or not refusal.asked.property:
        step = "See at bing.com/webmasters whether the site is verified for the key's user."
        return _not_authorized(refusal, "property", "site-forbidden", step)
    try:
        check_site(refusal.asked.property, survey)
    except NotAuthorized as error:
        return _not_authorized(refusal, "property", error.cause, error.next_step)
    step = "The key's list shows the site as verified: see whether the user may still submit to it."
    return _not_authorized(refusal, "property", "site-forbidden", step)


def _undocumented(refusal: _Refusal) -> EngineError:
    """Not taken, for a reason nobody has written down: a later run may try."""
    step = "Not an answer that Bing documents; see bing.com/webmasters."
    return _not_authorized(refusal, "property", "unexpected-answer", step)


_CLOSING: Mapping[str, tuple[Literal["account", "property"], str, str]] = {
    "InvalidApiKey": (
        *("account", "api-key-invalid"),
        "Compare the key with the one at bing.com/webmasters (Settings › API access).",
    ),
    "UserBlocked": ("account", "user-blocked", "Bing has blocked the key's user: ask its support."),
    "UserNotFound": ("account", "user-unknown", "The key's user is gone: make a new key."),
    "Deprecated": ("account", "method-gone", "Bing no longer offers this method."),
    "NotFound": ("property", "site-missing", "Add the site at bing.com/webmasters."),
    "NotAllowed": (
        *("property", "site-forbidden"),
        "The key's user may not submit to this site: ask its owner for that right.",
    ),
}

_BY_NAME: Mapping[str, Callable[[_Refusal], EngineError]] = {
    "InternalError": _hiccup,
    "UnknownError": _hiccup,
    "ThrottleUser": _throttled,
    "ThrottleHost": _site_throttled,
    "InvalidUrl": _refused,
    "InvalidParameter": _invalid_parameter,
    "NotAuthorized": _not_yours,
}


def _not_authorized(
    refusal: _Refusal, scope: Literal["account", "property"], cause: str, next_step: str
) -> NotAuthorized:
    return NotAuthorized(
        ENGINE, refusal.problem, scope=scope, cause=cause, next_step=next_step, **refusal.facts
    )


def _no_answer(response: EngineResponse, asked: Asked) -> EngineError:
    """Nothing of Bing's: a gateway's page, an empty body, another shape."""
    if not response.ok:
        return error_of_status(ENGINE, response, now=asked.now)
    problem = f"{response.shown}: HTTP {response.status}, not an answer of Bing's"
    return unreadable(ENGINE, response, problem + quoted(response.text))


# ---------------------------------------------------------------- reading a body


def _body(response: EngineResponse) -> object:
    """The JSON, also when it comes as a string of JSON."""
    body = json_of(response)
    if not isinstance(body, str):
        return body
    try:
        inner: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return inner


def _rows(value: object) -> list[Mapping[str, object]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _number(value: object) -> int | None:
    """An integer, also one that came as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,12}\s*", value):
        return int(value)
    return None
