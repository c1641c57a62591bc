"""What the Yandex Webmaster API's answers mean. Pure.

The verdict goes by `error_code`, never by the status: a missing right comes as 404, a spent quota
and haste both as 429. Source: https://yandex.com/dev/webmaster/doc/en/reference/errors and the
page of each method, read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import unquote

from submitter.core.calls import Check, Property, QuotaReading, Receipt
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
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    QuotaExhausted,
    Refused,
    TooFast,
)

ENGINE = "yandex"
DAY_ZONE = "Europe/Moscow"
"""The recrawl quota starts anew at midnight in Moscow. Reported by clients, read 2026-11-30."""

SCOPES = "webmaster:hostinfo and webmaster:verify"
"""Both are needed: with the first alone only the list of sites can be read. Source:
https://yandex.com/dev/webmaster/doc/ru/tasks/how-to-get-oauth, read 2026-11-30."""

WRONG_USER = "INVALID_USER_ID"

Found = Mapping[str, Mapping[str, object]]
"""Sitemap → its row in a list."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, for the meaning and the words of an error. `kind` None: a reading."""

    now: datetime
    property: str = ""
    kind: Kind | None = None


# ---------------------------------------------------------------- receipts


def receipt(response: EngineResponse, asked: Asked) -> Receipt:
    """Taken when the answer names the sitemap or the task. A 409 says that Yandex has it already:
    nothing is spent."""
    body = _mapping(json_of(response))
    code = _text(body.get("error_code"))
    if code in _ALREADY:
        message, left = _text(body.get("error_message"))[:200], _number(body.get("quota_remainder"))
        return Receipt(State.ALREADY, response.status, code, message, spent=0, quota_left=left)
    named = "sitemap_id" if asked.kind is Kind.SITEMAP else "task_id"
    if response.ok and not code and body.get(named):
        left = _number(body.get("quota_remainder"))
        return Receipt(State.ACCEPTED, response.status, message="taken", quota_left=left)
    raise error_of(response, asked)


_ALREADY = frozenset({"SITEMAP_ALREADY_ADDED", "URL_ALREADY_ADDED"})


# ---------------------------------------------------------------- readings


def user_id(response: EngineResponse, asked: Asked) -> str:
    """The owner of the token; every path begins with it. A number, at times sent as text."""
    user = _number(read(response, asked).get("user_id"))
    if user is None:
        raise error_of(response, asked)
    return str(user)


def properties(response: EngineResponse, asked: Asked) -> tuple[Property, ...]:
    """The account's sites by host id, with the address each id stands for."""
    found = (_property(row) for row in rows_of(response, "hosts", asked))
    return tuple(sorted((each for each in found if each.name), key=lambda each: each.name))


def _property(row: Mapping[str, object]) -> Property:
    verified = row.get("verified")
    return Property(
        name=_text(row.get("host_id")),
        role="verified" if verified is True else "unverified",
        may_submit=verified if isinstance(verified, bool) else None,
        url=_text(row.get("ascii_host_url")) or _text(row.get("unicode_host_url")),
    )


def quota(response: EngineResponse, asked: Asked) -> QuotaReading:
    body = read(response, asked)
    reading = QuotaReading(_number(body.get("daily_quota")), _number(body.get("quota_remainder")))
    if reading.left is None:
        raise error_of(response, asked)
    return reading


def checks(sitemaps: Sequence[str], *, property: str, added: Found, detected: Found) -> list[Check]:
    """What both lists say about these sitemaps: the files that were added by hand or API, and
    those that the robot has met. In their order and our spelling."""
    return [
        _check(added.get(sitemap, {}), detected.get(sitemap, {}), property, sitemap)
        for sitemap in sitemaps
        if sitemap in added or sitemap in detected
    ]


def find(rows: Iterable[Mapping[str, object]], sitemaps: Sequence[str]) -> Found:
    """The rows about these sitemaps; reads on only as long as one of them is missing."""
    missing = {unquote(sitemap): sitemap for sitemap in sitemaps}
    found = {}
    for row in rows:
        sitemap = missing.pop(unquote(_text(row.get("sitemap_url"))), None)
        if sitemap is not None:
            found[sitemap] = row
        if not missing:
            break
    return found


def _check(
    hand: Mapping[str, object], robot: Mapping[str, object], property: str, sitemap: str
) -> Check:
    downloaded = moment(robot.get("last_access_date"))
    kind = _text(robot.get("sitemap_type"))
    children = _number(robot.get("children_count"))
    is_index = kind == "INDEX_SITEMAP" if kind else bool(children) or None
    return Check(
        property=property,
        sitemap=sitemap,
        last_submitted=moment(hand.get("added_date")),
        last_downloaded=downloaded,
        is_pending=downloaded is None,
        is_index=is_index,
        errors=_number(robot.get("errors_count")),
        urls_submitted=_number(robot.get("urls_count")),
        kind=kind or None,
    )


def rows_of(response: EngineResponse, key: str, asked: Asked) -> list[Mapping[str, object]]:
    """The rows of a list. A list without its key is no list."""
    rows = read(response, asked).get(key)
    if not isinstance(rows, list):
        raise error_of(response, asked)
    return [row for row in rows if isinstance(row, dict)]


def read(response: EngineResponse, asked: Asked) -> Mapping[str, object]:
    body = json_of(response)
    if response.ok and isinstance(body, dict) and "error_code" not in body:
        return body
    raise error_of(response, asked)


def moment(value: object) -> datetime | None:
    """`2016-01-01T00:00:00,000+0300` as the reference writes it, or `…00.000+03:00` as clients
    saw it; UTC. None without an offset, which leaves open whose clock it was."""
    try:
        at = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return None if at.tzinfo is None else at.astimezone(UTC)


# ---------------------------------------------------------------- errors


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An error body: `{"error_code": "INVALID_URL", "error_message": "…"}`."""

    response: EngineResponse
    asked: Asked
    code: str
    body: Mapping[str, object]

    @property
    def problem(self) -> str:
        about = f" for {self.asked.property}" if self.asked.property else ""
        words = quoted(_text(self.body.get("error_message")))
        return f"{self.response.shown}: HTTP {self.response.status} {self.code}{about}{words}"

    @property
    def facts(self) -> dict[str, object]:
        return {"http_status": self.response.status, "code": self.code}


def error_of(response: EngineResponse, asked: Asked) -> EngineError:
    """The error that a refusal, or an answer that does not fit, stands for."""
    body = _mapping(json_of(response))
    code = _text(body.get("error_code"))
    if not code and response.ok:
        problem = f"{response.shown}: HTTP {response.status}, not an answer of Yandex's"
        return unreadable(ENGINE, response, problem + quoted(response.text))
    if not code:
        return error_of_status(ENGINE, response, now=asked.now)
    refusal = _Refusal(response, asked, code, body)
    if code in _CLOSING:
        return _not_authorized(refusal, *_CLOSING[code])
    return _BY_CODE.get(code, _undocumented)(refusal)


def _spent(refusal: _Refusal) -> EngineError:
    resets_at = next_day_starts(DAY_ZONE, refusal.asked.now)
    return QuotaExhausted(
        ENGINE, refusal.problem, resets_at=resets_at, quota_left=0, **refusal.facts
    )


def _too_fast(refusal: _Refusal) -> EngineError:
    wait = retry_after(refusal.response, now=refusal.asked.now)
    return TooFast(ENGINE, refusal.problem, retry_after_s=wait, **refusal.facts)


def _wrong_user(refusal: _Refusal) -> EngineError:
    """The id that was looked up is no longer the token's: it is looked up again."""
    return EngineUnavailable(ENGINE, refusal.problem, retry_after_s=0.0, **refusal.facts)


def _not_loaded(refusal: _Refusal) -> EngineError:
    """A new site: it may take weeks, so it is asked once a day, by one call."""
    tomorrow = next_day_starts(DAY_ZONE, refusal.asked.now)
    return NotReady(ENGINE, refusal.problem, not_before=tomorrow, scope="property", **refusal.facts)


def _refused(refusal: _Refusal) -> EngineError:
    return Refused(ENGINE, refusal.problem, **refusal.facts)  # type: ignore[arg-type]  # keywords


def _bad_field(refusal: _Refusal) -> EngineError:
    """The address, or something that stands in the path of every call."""
    field = refusal.body.get("field_name")
    return _refused(refusal) if field == "url" else _undocumented(refusal)


def _undocumented(refusal: _Refusal) -> EngineError:
    """A write is never repeated after a 5xx, whatever its words: it may have been carried out."""
    if refusal.response.status == 429:
        return _too_fast(refusal)
    if refusal.response.status == 503:
        wait = retry_after(refusal.response, now=refusal.asked.now)
        return EngineUnavailable(ENGINE, refusal.problem, retry_after_s=wait, **refusal.facts)
    if refusal.response.status >= 500 or refusal.response.ok:
        return unreadable(ENGINE, refusal.response, refusal.problem)
    step = "Not an answer that is known here; see webmaster.yandex.com."
    return _not_authorized(refusal, "property", "unexpected-answer", step)


_CLOSING: Mapping[str, tuple[Literal["account", "property"], str, str]] = {
    "INVALID_OAUTH_TOKEN": (
        *("account", "token-invalid"),
        "Get a new token at oauth.yandex.com; a token lives six months.",
    ),
    "ACCESS_FORBIDDEN": (
        *("account", "scope-missing"),
        f"Give the OAuth application the scopes {SCOPES}, then get a new token.",
    ),
    "HOST_NOT_VERIFIED": (
        *("property", "host-unverified"),
        "Verify the site at webmaster.yandex.com for the token's user.",
    ),
    "HOST_NOT_FOUND": (
        *("property", "host-missing"),
        "Add the site at webmaster.yandex.com for the token's user; http and https are two sites.",
    ),
    "RESOURCE_NOT_FOUND": (
        *("account", "endpoint-gone"),
        "Nothing answers at this address: correct or remove the account's `endpoint`.",
    ),
    "METHOD_NOT_ALLOWED": (
        *("account", "endpoint-gone"),
        "No such call is taken at this address: correct or remove the account's `endpoint`.",
    ),
}

_BY_CODE: Mapping[str, Callable[[_Refusal], EngineError]] = {
    "QUOTA_EXCEEDED": _spent,
    "TOO_MANY_REQUESTS_ERROR": _too_fast,
    WRONG_USER: _wrong_user,
    "HOST_NOT_LOADED": _not_loaded,
    "HOST_NOT_INDEXED": _not_loaded,
    "INVALID_URL": _refused,
    "ENTITY_VALIDATION_ERROR": _refused,
    "FIELD_VALIDATION_ERROR": _bad_field,
    "REQUEST_ENTITY_TOO_LARGE": _refused,
    "PAYLOAD_TOO_LARGE": _refused,
}


def _not_authorized(
    refusal: _Refusal, scope: Literal["account", "property"], cause: str, next_step: str
) -> NotAuthorized:
    return NotAuthorized(
        ENGINE, refusal.problem, scope=scope, cause=cause, next_step=next_step, **refusal.facts
    )


# ---------------------------------------------------------------- reading a body


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    """A count; none is below nothing. Also one that came as text."""
    if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value):
        return int(value)
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else None
