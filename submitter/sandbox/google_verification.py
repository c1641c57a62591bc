"""The Site Verification API, and the DNS as Google sees it.

Source of paths and fields: the discovery document siteVerification.v1 (revision 20191119); of
errors: https://developers.google.com/admin-sdk/reseller/v1/support/site_verification_api_common_errors
and reported answers; read 2026-11-30.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass

from submitter.sandbox import google_errors
from submitter.sandbox.google_accounts import GoogleAccount
from submitter.sandbox.part import Call
from submitter.sandbox.wire import Answer, Request, json_answer

PATH = "/siteVerification/v1/"
SCOPE = "https://www.googleapis.com/auth/siteverification"
SCOPE_VERIFY_ONLY = f"{SCOPE}.verify_only"
API = google_errors.Api("Google Site Verification API", "siteverification.googleapis.com")

_ROUTES = {
    ("token", "POST"): "verification.token",
    ("webResource", "POST"): "verification.insert",
    ("webResource", "GET"): "verification.list",
}
_METHODS = {
    "INET_DOMAIN": frozenset({"DNS", "DNS_TXT", "DNS_CNAME"}),
    "SITE": frozenset({"FILE", "META", "ANALYTICS", "TAG_MANAGER"}),
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which site, and how it is to be proven."""

    type: str
    identifier: str
    method: str

    def as_json(self) -> dict[str, str]:
        return {"type": self.type, "identifier": self.identifier}


class VerificationDesk:
    """Gives out tokens and looks for them in `dns`: domain → texts of its TXT records. Guarded by
    the part's lock.

    A token is an account's own and stays the same. Google takes any identifier, also one that is
    no domain, and will never find anything there.
    """

    def __init__(self) -> None:
        self.dns: dict[str, list[str]] = {}

    def put_txt(self, domain: str, text: str) -> None:
        """Add a TXT record beside those that are there."""
        self.dns.setdefault(domain, []).append(text)

    def read(self, request: Request) -> Call | None:
        """The call, or None when the path is not Site Verification's."""
        if not request.path.startswith(PATH):
            return None
        name = _ROUTES.get((request.path.removeprefix(PATH), request.method), "unrouted")
        return Call(name, _asked(request).identifier)

    def answer(self, request: Request, call: Call, account: GoogleAccount) -> tuple[Answer, str]:
        """The answer, and the error's code or nothing."""
        if call.name == "verification.list":
            items = [_resource(account, _domain(name)) for name in sorted(account.verified)]
            return json_answer(200, {"items": items} if items else {}), ""
        asked = _asked(request)
        if asked.method not in _METHODS.get(asked.type, ()):
            return google_errors.unfit_method(asked.method, asked.type), "unfit-method"
        if call.name == "verification.token":
            token = token_of(account.email, asked.identifier)
            return json_answer(200, {"method": asked.method, "token": token}), ""
        return self._insert(asked, account)

    def _insert(self, asked: _Asked, account: GoogleAccount) -> tuple[Answer, str]:
        if asked.method == "DNS":
            return google_errors.verification_broken(), "backend-error"
        if token_of(account.email, asked.identifier) not in self.dns.get(asked.identifier, ()):
            return google_errors.token_not_found(), "token-not-found"
        account.verified.add(f"sc-domain:{asked.identifier}")
        return json_answer(200, _resource(account, asked.as_json())), ""


def token_of(email: str, identifier: str) -> str:
    """The text of the record: looks like Google's, the same whenever it is asked for."""
    digest = hashlib.sha256(f"{email} {identifier}".encode()).digest()
    return "google-site-verification=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _asked(request: Request) -> _Asked:
    """Without a body, `insert` takes the call to be about a site."""
    try:
        body = json.loads(request.body or b"{}")
    except ValueError:
        body = {}
    body = body if isinstance(body, dict) else {}
    site = body.get("site")
    site = site if isinstance(site, dict) else {}
    method = request.query_field("verificationMethod") or body.get("verificationMethod", "")
    return _Asked(str(site.get("type", "SITE")), str(site.get("identifier", "")), str(method))


def _domain(name: str) -> dict[str, str]:
    return {"type": "INET_DOMAIN", "identifier": name.removeprefix("sc-domain:")}


def _resource(account: GoogleAccount, site: dict[str, str]) -> dict[str, object]:
    return {"id": f"dns://{site['identifier']}", "site": site, "owners": [account.email]}
