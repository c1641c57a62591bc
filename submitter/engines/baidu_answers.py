"""What Baidu's answers to a push mean. Pure.

The body goes before the status: errors come under 200, too, and one text under several statuses.
Sources: https://www.iaaak.com/2312.html and https://briline.net/wiki/post/id/3730 (tables copied
from Baidu's help), and reports named beside the rules; read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, unquote

from submitter.core.calls import Receipt
from submitter.core.quota import next_day_starts
from submitter.core.states import State
from submitter.core.urls import BadUrl, normalize, sendable
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
    MaybeTooFast,
    NotAuthorized,
    QuotaExhausted,
    Refused,
)

ENGINE = "baidu"
DAY_ZONE = "Asia/Shanghai"
"""Runs just after Beijing midnight find a fresh quota; no official text. Reported, 2026-11-30."""

THROTTLE_WAITS_S = (3.0, 8.0, 20.0)
"""Waits that got past 505 `please retry later`, first to third in a row. Reported, 2026-11-30."""

_LISTS = ("not_same_site", "not_valid")


@dataclass(frozen=True, slots=True)
class Pushed:
    """What was pushed. `throttled` counts the 505s of this site just before, in a row."""

    site: str
    urls: Sequence[str]
    now: datetime
    throttled: int = 0
    fast: bool = False
    """Into the fast lane (`type=daily`)."""


def line_of(url: str) -> str:
    """An address as a line: percent-encoded where it is not yet, so `%E4` stays `%E4`."""
    try:
        return sendable(url)
    except BadUrl:  # Baidu lists it as not valid; leaving it out would break the sums
        return quote(url, safe="%/?&=:@;+,~!$'()*", errors="replace")


def receipt(response: EngineResponse, pushed: Pushed) -> Receipt:
    """The counts of a push. Raises an EngineError for anything that is not one."""
    body = json_of(response)
    if not isinstance(body, dict):
        raise _no_json(response, pushed)
    if body.get("error") or ("message" in body and "success" not in body):
        raise _error_of(response, body, pushed)
    success = _number(body.get("success"))
    if not response.ok or success is None or not 0 <= success <= len(pushed.urls):
        raise _no_push(response, pushed)
    return _counted(response, body, pushed, success)


def _counted(
    response: EngineResponse, body: Mapping[str, object], pushed: Pushed, success: int
) -> Receipt:
    """Addresses in a list are rejected, the others accepted as far as `success` reaches."""
    rejected = _rejected(body, pushed.urls)
    unaccounted = max(0, len(pushed.urls) - success - len(rejected))
    if pushed.fast:
        return _counted_fast(response, body, pushed, success, rejected)
    remain = _number(body.get("remain"))
    none_taken = State.UNKNOWN if unaccounted else State.REJECTED
    return Receipt(
        State.ACCEPTED if success else none_taken,
        response.status,
        message=f"success {success} of {len(pushed.urls)}, remain {_shown(remain)}",
        rejected=rejected,
        unaccounted=unaccounted,
        spent=success,
        quota_left=None if remain is None else max(0, remain),
    )


def _counted_fast(
    response: EngineResponse,
    body: Mapping[str, object],
    pushed: Pushed,
    success: int,
    rejected: dict[str, str],
) -> Receipt:
    """What the fast lane took. An answer without its counts is one to a common push: the site has
    no fast lane, so none of it is left, and the common quota has paid. `remain` is always that
    of the common lane."""
    fast = _number(body.get("success_daily"))
    remain, common = _number(body.get("remain_daily")), _number(body.get("remain"))
    taken = max(success, fast or 0)
    unaccounted = max(0, len(pushed.urls) - taken - len(rejected))
    none_taken = State.UNKNOWN if unaccounted else State.REJECTED
    said = f"success_daily {_shown(fast)}, remain_daily {_shown(remain)}, remain {_shown(common)}"
    return Receipt(
        State.ACCEPTED if taken else none_taken,
        response.status,
        message=f"success {success} of {len(pushed.urls)}, {said}",
        rejected=rejected,
        unaccounted=unaccounted,
        spent=fast or 0,
        quota_left=max(0, remain or 0),
        common_spent=taken + unaccounted if fast is None else taken - fast,
        common_left=None if common is None else max(0, common),
    )


def _rejected(body: Mapping[str, object], urls: Sequence[str]) -> dict[str, str]:
    """Address as sent → name of the list. Baidu may give an address back in another spelling."""
    listed = [(name, entry) for name in _LISTS for entry in _texts(body.get(name))]
    if not listed:
        return {}
    sent: dict[str, list[str]] = {}
    for url in urls:
        for form in {url, *_forms(line_of(url))}:
            sent.setdefault(form, []).append(url)
    return {
        url: name
        for name, entry in listed
        for url in next((sent[form] for form in _forms(entry) if form in sent), ())
    }


def _forms(address: str) -> Iterator[str]:
    """An address in the forms that two spellings of it may meet in, closest first."""
    address = address.strip()
    yield address
    with suppress(BadUrl):
        yield normalize(address)
    yield unquote(address)


# ---------------------------------------------------------------- errors


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An error object: `{"error": 400, "message": "over quota"}`."""

    response: EngineResponse
    pushed: Pushed
    text: str
    number: int
    remain: int | None

    @property
    def problem(self) -> str:
        return f"{self.response.shown}: HTTP {self.response.status}{quoted(self.text)}"

    @property
    def facts(self) -> dict[str, object]:
        return {
            "http_status": self.response.status,
            "code": self.text[:100] or str(self.number),
            "quota_left": self.remain,
        }


def _over_quota(refusal: _Refusal) -> EngineError:
    """The batch was refused whole: the day is spent, or less is left than was pushed."""
    resets_at = next_day_starts(DAY_ZONE, refusal.pushed.now)
    return QuotaExhausted(ENGINE, refusal.problem, resets_at=resets_at, **refusal.facts)


def _bad_token(refusal: _Refusal) -> EngineError:
    """Also the answer to pushes that come too often. Source: https://www.iaaak.com/2312.html,
    read 2026-11-30."""
    return MaybeTooFast(
        ENGINE,
        refusal.problem,
        scope="account",
        cause="token-invalid",
        next_step="Compare the token with the one at ziyuan.baidu.com (普通收录). Pushes that come"
        " too often get the same answer: if the token worked today, wait.",
        **refusal.facts,
    )


def _site_not_verified(refusal: _Refusal) -> EngineError:
    return NotAuthorized(
        ENGINE,
        f"{refusal.problem} for site={refusal.pushed.site}",
        scope="property",
        cause="site-not-verified",
        next_step="Verify the site at ziyuan.baidu.com for this token's account, and set the site's"
        " `baidu_site` exactly as it is registered there.",
        **refusal.facts,
    )


def _site_form(refusal: _Refusal) -> EngineError:
    bare = refusal.pushed.site.rpartition("//")[2].rstrip("/")
    other = f" Often the bare host works: {bare}." if bare != refusal.pushed.site else ""
    return NotAuthorized(
        ENGINE,
        f"{refusal.problem} for site={refusal.pushed.site}",
        scope="property",
        cause="site-form",
        next_step="Set the site's `baidu_site` exactly as it is registered at ziyuan.baidu.com."
        + other,
        **refusal.facts,
    )


def _throttled(refusal: _Refusal) -> EngineError:
    step = min(refusal.pushed.throttled, len(THROTTLE_WAITS_S) - 1)
    wait = retry_after(refusal.response, now=refusal.pushed.now)
    return EngineUnavailable(
        ENGINE,
        refusal.problem,
        retry_after_s=THROTTLE_WAITS_S[step] if wait is None else wait,
        **refusal.facts,
    )


def _hiccup(refusal: _Refusal) -> EngineError:
    wait = retry_after(refusal.response, now=refusal.pushed.now)
    return EngineUnavailable(ENGINE, refusal.problem, retry_after_s=wait, **refusal.facts)


def _refused(refusal: _Refusal) -> EngineError:
    return Refused(ENGINE, refusal.problem, **refusal.facts)  # type: ignore[arg-type]  # keywords


def _no_such_path(refusal: _Refusal) -> EngineError:
    return NotAuthorized(
        ENGINE,
        refusal.problem,
        scope="account",
        cause="endpoint-gone",
        next_step="No push is taken at this address: correct or remove the account's `endpoint`.",
        **refusal.facts,
    )


def _undocumented(refusal: _Refusal) -> EngineError:
    """Not taken, for a reason nobody has written down: a later run may try."""
    return NotAuthorized(
        ENGINE,
        refusal.problem,
        scope="property",
        cause="unexpected-answer",
        next_step="Not an answer that Baidu documents; see its console.",
        **refusal.facts,
    )


_BY_TEXT: tuple[tuple[str, Callable[[_Refusal], EngineError]], ...] = (
    ("over quota", _over_quota),
    ("token is not valid", _bad_token),
    ("site init fail", _site_form),
    ("site sid is empty", _hiccup),
    ("site error", _site_not_verified),
    ("only 2000 urls", _refused),
    ("empty content", _refused),
    ("please retry later", _throttled),
    ("please try later", _hiccup),
    ("not found", _no_such_path),
)
"""By a part of the message; the last resort is the number. `site init fail` is the answer to an
encoded or wrongly formed site, `site sid is empty` a hiccup mostly met from abroad (reported)."""

_BY_NUMBER: Mapping[int, Callable[[_Refusal], EngineError]] = {
    401: _bad_token,
    404: _no_such_path,
    429: _hiccup,
    500: _hiccup,
    503: _hiccup,
    505: _throttled,
}


def _error_of(response: EngineResponse, body: Mapping[str, object], pushed: Pushed) -> EngineError:
    text = " ".join(str(body.get("message") or "").split())
    number = _number(body.get("error")) or response.status
    remain = _number(body.get("remain_daily" if pushed.fast else "remain"))
    refusal = _Refusal(response, pushed, text, number, remain)
    for part, error in _BY_TEXT:
        if part in text.lower():
            return error(refusal)
    return _BY_NUMBER.get(number, _undocumented)(refusal)


def _no_json(response: EngineResponse, pushed: Pushed) -> EngineError:
    """A gateway's page, or nothing."""
    if response.ok:
        return _no_push(response, pushed)
    return error_of_status(ENGINE, response, now=pushed.now)


def _no_push(response: EngineResponse, pushed: Pushed) -> EngineError:
    problem = f"{response.shown}: HTTP {response.status}, not an answer to {len(pushed.urls)} pages"
    return unreadable(ENGINE, response, problem + quoted(response.text))


def _number(value: object) -> int | None:
    """An integer, also one that came as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,12}\s*", value):
        return int(value)
    return None


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _shown(number: int | None) -> str:
    return "not said" if number is None else str(number)
