"""What the answers of IndexNow's engines mean. Pure.

The status goes before the body; the body of a refusal tells which of its causes it is.
Sources: https://www.indexnow.org/documentation, https://yandex.ru/support/webmaster/en/indexnow/
reference/get-url, and reports named beside the rules; read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from submitter.core.calls import Receipt
from submitter.core.states import State
from submitter.engines._http import (
    EngineResponse,
    error_of_status,
    json_of,
    quoted,
    retry_after,
    unreadable,
)
from submitter.engines.indexnow_key import ENGINE
from submitter.errors import (
    EngineError,
    EngineUnavailable,
    NotAuthorized,
    NotReady,
    Refused,
)

REPEAT_AFTER_S = 600
"""Between two posts of one page. Source: https://github.com/EdiWang/Moonglade/issues/824
(reported), read 2026-11-30. Also the wait for a new key's check, which took others two to ten
minutes."""

_STILL_CHECKED = "SiteVerificationNotCompleted"
_NO_KEY_FILE = "KeyNotFound"
_ABOUT_THE_KEY = re.compile(r"(?i)(?:invalid key|the key (?:field|must)|key must|no key)")
"""How Yandex's texts and some of Bing's begin where the key is at fault and not a page."""


@dataclass(frozen=True, slots=True)
class Posted:
    """For which host a post was, and when."""

    host: str
    now: datetime


@dataclass(frozen=True, slots=True)
class _Words:
    """A body that speaks. Bing: `{"errorCode": …, "message": …, "details": [{"target": …}]}`, with
    `code` for `errorCode` in older answers; Yandex: `{"success": false, "message": …}`."""

    success: bool | None = None
    refuse: bool = False
    code: str = ""
    message: str = ""
    targets: frozenset[str] = frozenset()

    @property
    def about_the_key(self) -> bool:
        if self.targets:
            return self.targets <= {"key", "keylocation"}
        return _ABOUT_THE_KEY.match(self.message) is not None


def receipt(response: EngineResponse, posted: Posted) -> Receipt:
    """The receipt of a post. Raises an EngineError for anything that is not one."""
    words = _words_of(response)
    if not response.ok or words.refuse:
        raise _error_of(_Refusal(response, posted, words))
    if _is_foreign(response):
        problem = f"{response.shown}: HTTP {response.status}, not an answer of IndexNow's"
        raise unreadable(ENGINE, response, problem + quoted(response.text))
    if response.status == 202:
        return Receipt(State.RECEIVED, 202, message="the key is still to be checked")
    return Receipt(State.ACCEPTED, response.status)


def _words_of(response: EngineResponse) -> _Words:
    body = json_of(response)
    if not isinstance(body, dict):
        return _Words()
    success, code = body.get("success"), body.get("errorCode") or body.get("code")
    return _Words(
        success if isinstance(success, bool) else None,
        success is False or bool(body.get("errorCode")),
        code if isinstance(code, str) else "",
        str(body.get("message") or ""),
        _targets(body.get("details")),
    )


def _targets(details: object) -> frozenset[str]:
    """The fields of the call that a refusal names, in lower case."""
    rows = details if isinstance(details, list) else []
    named = (row.get("target") for row in rows if isinstance(row, Mapping))
    return frozenset(str(name).lower() for name in named if name)


def _is_foreign(response: EngineResponse) -> bool:
    """An HTML page, or JSON that breaks off. Success has no body, or one that differs by engine."""
    text = response.text.strip()
    return text.startswith("<") or (text.startswith(("{", "[")) and json_of(response) is None)


# ---------------------------------------------------------------- errors


@dataclass(frozen=True, slots=True)
class _Refusal:
    response: EngineResponse
    posted: Posted
    words: _Words

    @property
    def problem(self) -> str:
        said = quoted(self.words.message or self.words.code or self.response.text)
        return f"{self.response.shown}: HTTP {self.response.status} for {self.posted.host}{said}"

    @property
    def facts(self) -> dict[str, object]:
        return {"http_status": self.response.status, "code": self.words.code[:100] or None}

    def closes(self, cause: str, next_step: str) -> NotAuthorized:
        """Only a person can change it, and it concerns this host alone."""
        return NotAuthorized(
            ENGINE,
            self.problem,
            scope="property",
            cause=cause,
            next_step=next_step,
            **self.facts,
        )


def _error_of(refusal: _Refusal) -> EngineError:
    status = refusal.response.status
    if status in (400, 422):
        return _bad_call(refusal)
    if status == 403:
        return _forbidden(refusal)
    if refusal.response.ok:
        return refusal.closes("unexpected-answer", "Not an answer that IndexNow documents.")
    if status >= 500 and refusal.words.success is False:
        wait = retry_after(refusal.response, now=refusal.posted.now)
        return EngineUnavailable(ENGINE, refusal.problem, retry_after_s=wait, **refusal.facts)
    return error_of_status(ENGINE, refusal.response, now=refusal.posted.now)


def _bad_call(refusal: _Refusal) -> EngineError:
    """A page that is not the host's, or not an address, has the whole post refused."""
    if refusal.words.about_the_key:
        return refusal.closes(
            "key-form",
            "The engine cannot use the key or `key_location` as it is written: compare both with"
            " https://www.indexnow.org/documentation.",
        )
    return Refused(ENGINE, refusal.problem, **refusal.facts)  # type: ignore[arg-type]  # keywords


def _forbidden(refusal: _Refusal) -> EngineError:
    """We have just read the key file ourselves, so it is there; what else can it be?

    A new key is checked first (pavois#262); a check that failed is remembered for the key's value
    (worldmonitor#6055), and also a key that another host used first was seen refused.
    """
    if _is_foreign(refusal.response):
        return _turned_away(refusal)
    code = refusal.words.code.lower()
    if code == _STILL_CHECKED.lower():
        later = refusal.posted.now + timedelta(seconds=REPEAT_AFTER_S)
        return NotReady(
            ENGINE, refusal.problem, not_before=later, scope="property", **refusal.facts
        )
    if code == _NO_KEY_FILE.lower():
        return refusal.closes(
            "key-not-found",
            "We can read the key file and the engine cannot: let its crawler past the bot shield."
            " If it is refused all the same, make a new key with `submitter indexnow key`.",
        )
    return refusal.closes(
        "key-refused",
        "The key file is right, so it is the key that the engine refuses: it was used before its"
        " file was there, or belongs to another host. Make a new one with `submitter indexnow key`;"
        " at Bing, verifying the site in Webmaster Tools helps as well.",
    )


def _turned_away(refusal: _Refusal) -> EngineError:
    """A gateway's page: this machine is not let through, whatever the host and its key."""
    return NotAuthorized(
        ENGINE,
        refusal.problem,
        scope="account",
        cause="sender-refused",
        next_step="Something before the engine turns this machine away: try another engine in"
        " `post_to`, or another way out to the internet.",
        **refusal.facts,
    )
