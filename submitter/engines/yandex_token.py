"""How long a Yandex token still lives, by the day the inventory says it was issued on. Pure."""

from __future__ import annotations

import re
from datetime import date, timedelta

from submitter.core.findings import Finding, Meaning, Severity
from submitter.core.fleet import Account
from submitter.errors import ConfigError

TOKEN_LIFE = timedelta(days=182)
"""Six months. Source: https://yandex.com/dev/webmaster/doc/ru/tasks/how-to-get-oauth,
read 2026-11-30."""
TOKEN_WARNING = timedelta(days=30)
TOKEN_IDS = {
    "token-ends": Meaning(
        Severity.WARNING, "the last month of the token's six has begun; an error when they are over"
    )
}
"""Ids of findings about tokens, for the docs. They only grow."""


def issued_on(account: Account) -> date | None:
    """The day the inventory says the token was issued on. Raises ConfigError."""
    written = account.settings.get("token_issued")
    if written is None:
        return None
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", str(written)):
            raise ValueError
        return date.fromisoformat(str(written))
    except ValueError:
        where = f"accounts.{account.name}.token_issued"
        raise ConfigError.one(where, f"not a day (YYYY-MM-DD): {str(written)[:40]!r}") from None


def token_age(account: Account, today: date) -> Finding | None:
    """A warning in the last month of the token's six, an error after them."""
    issued = issued_on(account)
    left = None if issued is None else issued + TOKEN_LIFE - today
    if left is None or left > TOKEN_WARNING:
        return None
    over = left <= timedelta()
    message = f"issued on {issued}: " + (
        "its six months are over" if over else f"about {left.days} days are left of its six months"
    )
    return Finding(
        "token-ends",
        Severity.ERROR if over else Severity.WARNING,
        f"accounts.{account.name}.token",
        f"{message}; get a new one at oauth.yandex.com and set `token_issued`",
    )
