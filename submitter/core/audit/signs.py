"""Signs that a page is not what its status says: a login, or a page that says it is not there."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from submitter.core.audit.facts import PageFacts
from submitter.core.audit.fingerprint import Fingerprint, Moved, moved

FEW_WORDS: Final = 200
"""An article about errors has more; a page that is one has not."""

_LOGIN_PATH: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:log-?in|sign-?in|sso|auth|authorize|wp-login|anmelden|einloggen|connexion"
    r"|acceder|entrar)(?:[/_.?-]|$)"
).search
_LOGIN_WORDS: Final = re.compile(
    r"(?i)\b(?:log ?in|sign ?in|anmelden|einloggen|connexion|se connecter|iniciar sesi[oó]n"
    r"|accedi|zaloguj|вход|войти)\b|登录|登入|ログイン|로그인"
).search
_MISSING_WORDS: Final = re.compile(
    r"(?i)\b404\b|\b(?:page|file|product|article|item)s? (?:was |is |could |can)?"
    r"(?:not|n't|no longer) (?:be )?(?:found|available|exist)|\bnot found\b"
    r"|\bno longer (?:exists|available)\b|\bdoes(?:n't| not) exist\b"
    r"|\bnicht (?:gefunden|mehr verf[uü]gbar)\b|\bintrouvable\b"
    r"|\bno (?:se )?(?:ha )?encontrad[oa]\b|\bn[aã]o (?:foi )?encontrad[oa]\b|\bnon trovat[oa]\b"
    r"|\bnie (?:została )?znalezion|\bне найдена?\b|页面不存在|找不到|不存在|見つかりません"
    r"|찾을 수 없"
).search


def leads_to_login(url: str) -> bool:
    return bool(_LOGIN_PATH(urlsplit(url).path))


def is_login(facts: PageFacts) -> bool:
    """A password is asked for and hardly anything else is said."""
    said = f"{facts.title} {facts.heading}"
    return facts.has_password and facts.text.words < FEW_WORDS and bool(_LOGIN_WORDS(said))


def says_missing(facts: PageFacts, nowhere: Fingerprint | None) -> bool:
    """`nowhere` is the text of an address of the site that cannot exist, if it answered 200."""
    if nowhere is not None and moved(nowhere, facts.text) in (Moved.NO, Moved.NEARLY_NOT):
        return True
    said = f"{facts.title} {facts.heading}"
    return facts.text.words < FEW_WORDS and bool(_MISSING_WORDS(said))
