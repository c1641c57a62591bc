"""Secrets that are one plain word: keys and tokens as they are pasted from an engine's console."""

from __future__ import annotations

import logging

from submitter.core.fleet import Account
from submitter.errors import ConfigError
from submitter.ports import Secret

log = logging.getLogger(__name__)


def plain_secret(account: Account, key: str, secret: Secret | None) -> str:
    """The secret without the blanks around it, which pasting brings. `key` is its inventory key.

    Raises ConfigError when it cannot be one. Neither the error nor the log line holds any of it.
    """
    where = f"accounts.{account.name}.{key} ({account.secret})"
    written = "" if secret is None else secret.reveal()
    bare = written.strip()
    if not bare:
        raise ConfigError.one(where, "missing or empty")
    if not bare.isprintable() or not bare.isascii() or " " in bare:
        raise ConfigError.one(where, "holds blanks, line ends or letters that no key has")
    if bare != written:
        log.warning("%s: blanks around it were left out", where)
    return bare
