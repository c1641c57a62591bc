"""By what rule an address redirects, so that ten thousand redirects are one finding."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from submitter.core.audit.signs import leads_to_login
from submitter.core.urls import BadUrl, normalize


def redirect_rule(url: str, final_url: str) -> str | None:
    """The id of the rule; None when both are one address."""
    try:
        before, after = urlsplit(normalize(url)), urlsplit(normalize(final_url))
    except BadUrl:
        return "redirect-to-page"
    if before == after:
        return None
    if leads_to_login(after.geturl()) and not leads_to_login(before.geturl()):
        return "redirect-to-login"
    if _is_home(after) and not _is_home(before) and _bare(before) == _bare(after):
        return "redirect-to-home"
    return _host_rule(before, after) or _scheme_rule(before, after) or _path_rule(before, after)


def _host_rule(before: SplitResult, after: SplitResult) -> str | None:
    if before.hostname == after.hostname:
        return None
    if after.hostname == f"www.{before.hostname}":
        return "redirect-www-added"
    if before.hostname == f"www.{after.hostname}":
        return "redirect-www-dropped"
    return "redirect-to-host"


def _scheme_rule(before: SplitResult, after: SplitResult) -> str | None:
    if before.scheme == after.scheme:
        return None
    return "redirect-to-https" if after.scheme == "https" else "redirect-to-http"


def _path_rule(before: SplitResult, after: SplitResult) -> str:
    if before.path != after.path:
        if f"{before.path}/" == after.path:
            return "redirect-slash-added"
        if before.path == f"{after.path}/":
            return "redirect-slash-dropped"
        if before.path.lower() == after.path.lower():
            return "redirect-case"
        return "redirect-to-page"
    return "redirect-query" if before.query != after.query else "redirect-to-host"


def _is_home(parts: SplitResult) -> bool:
    return parts.path in ("", "/") and not parts.query


def _bare(parts: SplitResult) -> str:
    return (parts.hostname or "").removeprefix("www.")
