"""What must not be listed, by what the list itself says of the page. When in doubt, it is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from submitter.core.building.reasons import UNCLEAR_FLAG, UNKNOWN_STATUS
from submitter.core.building.rows import Row
from submitter.core.urls import BadUrl, normalize

YES: Final = frozenset({"true", "yes", "y", "1", "t", "on"})
NO: Final = frozenset({"false", "no", "n", "0", "f", "off"})

PUBLISHED: Final = frozenset({"published", "publish", "public", "live", "active", "ok", "visible"})
UNPUBLISHED: Final = frozenset(
    {"draft", "private", "pending", "hidden", "unpublished", "inactive", "scheduled", "future"}
    | {"review", "archived", "trash", "auto-draft", "inherit", "password"}
)
REMOVED: Final = frozenset({"deleted", "removed", "gone"})
"""Words of content systems for the state of a page, in lower case."""

PARAMETERS: Final = (
    # campaigns and clicks
    *("utm_*", "gclid", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "ttclid"),
    *("twclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "bd_vid", "spm"),
    # sessions
    *("session", "sessionid", "session_id", "sid", "phpsessid", "jsessionid", "aspsessionid*"),
    *("cfid", "cftoken"),
    # the order of a list
    *("sort", "sortby", "sort_by", "sort-by", "order", "orderby", "order_by", "sort_order"),
)
"""Names of parameters that make another address of the same page; `*` stands for any ending."""

_NAMES: Final = re.compile(r"[?&;]([^=&;\n]+)").findall
_REMEMBERED: Final = 4_096
RISKY: Final = ("public", "draft", "status", "noindex", "redirect_to", "canonical")
"""The fields that may keep a page out."""


def leak(row: Row, identity: str) -> str:
    """Why the page must not be listed; empty = nothing speaks against it."""
    for name in RISKY:
        if name in row and (reason := _JUDGES[name](row[name], identity)):
            return reason
    return ""


def flag(value: Any) -> bool | None:
    """Yes or no, as JSON, CSV and databases write them; None = neither."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in YES else False if word in NO else None


def _public(value: Any, identity: str) -> str:
    del identity
    said = flag(value)
    return UNCLEAR_FLAG if said is None else "" if said else "private"


def _draft(value: Any, identity: str) -> str:
    del identity
    return _hiding(value, "draft")


def _noindex(value: Any, identity: str) -> str:
    del identity
    return _hiding(value, "noindex")


def _hiding(value: Any, reason: str) -> str:
    """An empty flag that hides a page hides none."""
    if value is None or value == "":
        return ""
    said = flag(value)
    return UNCLEAR_FLAG if said is None else reason if said else ""


def _status(value: Any, identity: str) -> str:
    del identity
    if value is None or value == "":
        return ""
    word = str(value).strip().lower()
    if not re.fullmatch(r"[1-5][0-9][0-9]", word):
        return _state(word)
    if word in ("404", "410"):
        return "gone"
    if word[0] == "3" and word != "304":
        return "redirect"
    return "" if word in ("200", "304") else "not-ok"


def _state(word: str) -> str:
    if word in PUBLISHED:
        return ""
    if word in REMOVED:
        return "gone"
    return "draft" if word in UNPUBLISHED else UNKNOWN_STATUS


def _redirect_to(value: Any, identity: str) -> str:
    return _elsewhere(value, identity, "redirect")


def _canonical(value: Any, identity: str) -> str:
    return _elsewhere(value, identity, "canonical-elsewhere")


def _elsewhere(value: Any, identity: str, reason: str) -> str:
    if value is None or value == "":
        return ""
    try:
        return "" if normalize(value) == identity else reason
    except (BadUrl, TypeError):
        return UNCLEAR_FLAG


_JUDGES: Final = {
    "public": _public,
    "draft": _draft,
    "status": _status,
    "noindex": _noindex,
    "redirect_to": _redirect_to,
    "canonical": _canonical,
}


class Parameters:
    """Finds addresses whose parameters make them another one of the same page."""

    def __init__(self, kept: Iterable[str] = (), further: Iterable[str] = ()) -> None:
        self._kept = frozenset(name.lower() for name in kept)
        names = (name for name in (*PARAMETERS, *further) if name.lower() not in self._kept)
        patterns = (re.escape(name.lower()).replace(r"\*", ".*") for name in names)
        self._matches = re.compile("|".join(patterns)).fullmatch
        self._known: dict[str, bool] = {}

    def among(self, identities: Sequence[str]) -> bool:
        """Whether one of these addresses (normal forms) has such a parameter."""
        asking = [one for one in identities if "?" in one or ";" in one]
        return bool(asking) and any(map(self._is_suspect, set(_NAMES("\n".join(asking)))))

    def _is_suspect(self, name: str) -> bool:
        """A name as it stands in an address; few are met again and again."""
        if name not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            bare = name.lower().partition("%5b")[0]  # sort[]=price
            self._known[name] = bare not in self._kept and self._matches(bare) is not None
        return self._known[name]
