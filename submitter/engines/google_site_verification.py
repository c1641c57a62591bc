"""Makes a service account the owner of a domain in Search Console, without Search Console.

Its dialog has refused service accounts since April 2026 ("email not found"), and what is left is
that the account proves the domain by itself: a token of the Site Verification API in a TXT record,
then `sites.add`, because owning a domain and having it on one's list are two things.

Google itself is asked whether it sees the record; we do not look it up. Only Google's view counts,
our resolver's (cached, or split between inside and outside) does not, and the standard library
cannot read TXT records.

Sources: https://developers.google.com/site-verification/v1/webResource/getToken and …/insert,
https://developers.google.com/admin-sdk/reseller/v1/support/site_verification_api_common_errors,
the discovery document siteVerification.v1 (revision 20191119) and reports named beside the rules;
read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from submitter.core.calls import Property
from submitter.core.fleet import Account
from submitter.engines import google_answers as answers
from submitter.engines._http import EngineRequest, EngineResponse, base_url, json_of
from submitter.engines.google import BASE_URL as CONSOLE_URL
from submitter.engines.google_answers import ENGINE, SCOPE, Asked
from submitter.engines.google_calls import Builder, Caller, carried, open_caller
from submitter.engines.google_properties import DOMAIN_PREFIX
from submitter.errors import EngineError, EngineUnavailable, NotAuthorized, NotReady, Refused
from submitter.ports import Clock, Secret

BASE_URL = "https://www.googleapis.com"
API_PATH = "/siteVerification/v1"
API = "Google Site Verification API"
VERIFICATION_SCOPE = "https://www.googleapis.com/auth/siteverification"
"""A login of its own carries it beside the usual one, so that no run of the fleet may verify."""

METHOD = "DNS_TXT"
"""The reference says to use it in place of `DNS`, which has been answered by 503 for days on end.
Source: https://github.com/googleapis/google-api-python-client/issues/2598, read 2026-11-30."""

_DOMAIN = "INET_DOMAIN"

LOOK_AGAIN = timedelta(minutes=5)
"""A record that is not found yet is looked for again after so long. Our choice: Google asks for
a back-off and names no time."""

_NOT_FOUND = "verification token could not be found"


class GoogleDomains:
    """One account's domains. Implements `ports.DomainOwnership`."""

    def __init__(
        self, verification: Builder, console: Builder, caller: Caller, clock: Clock
    ) -> None:
        self._verification, self._console = verification, console
        self._caller, self._clock = caller, clock

    @property
    def principal(self) -> str:
        return self._caller.email

    def find(self, domain: str, *, timeout_s: float) -> Property | None:
        request = carried(self._console.resource("sites").list())
        response = self._caller.send(request, timeout_s=timeout_s)
        rows = answers.read_list(response, "siteEntry", self._asked())
        listed = answers.listed_properties(rows)
        return next((one for one in listed if one.name == property_of(domain)), None)

    def record(self, domain: str, *, timeout_s: float) -> str:
        body = {"site": _site(domain), "verificationMethod": METHOD}
        request = carried(self._resource().getToken(body=body), harmless=True)
        token = self._ask(request, timeout_s).get("token")
        if not isinstance(token, str) or not token:
            raise EngineUnavailable(ENGINE, f"{request.shown}: an answer without a token")
        return token

    def is_verified(self, domain: str, *, timeout_s: float) -> bool:
        rows = self._ask(carried(self._resource().list()), timeout_s).get("items")
        found = rows if isinstance(rows, list) else []
        return any(isinstance(row, dict) and row.get("site") == _site(domain) for row in found)

    def verify(self, domain: str, *, timeout_s: float) -> None:
        """The domain goes into the body, too: without it Google takes the call to be about a
        site. Source: https://github.com/googleapis/google-api-go-client/issues/430."""
        built = self._resource().insert(verificationMethod=METHOD, body={"site": _site(domain)})
        try:
            self._ask(carried(built, harmless=True), timeout_s)
        except Refused as refused:
            raise self._not_found(refused) or refused from refused

    def add(self, domain: str, *, timeout_s: float) -> None:
        built = self._console.resource("sites").add(siteUrl=property_of(domain))
        response = self._caller.send(carried(built, harmless=True), timeout_s=timeout_s)
        if not response.ok:
            raise answers.error_of(response, self._asked(property_of(domain)))

    def _resource(self) -> Any:
        return self._verification.resource("webResource")

    def _ask(self, request: EngineRequest, timeout_s: float) -> Mapping[str, object]:
        """One call of Site Verification; the answer's JSON object."""
        response = self._caller.send(request, timeout_s=timeout_s)
        body = json_of(response)
        if response.ok and isinstance(body, dict) and "error" not in body:
            return body
        raise _error(response, self._asked_to_verify())

    def _not_found(self, refused: Refused) -> NotReady | None:
        """`400: badRequest` is documented as: the token was not found, go on calling."""
        if refused.code != "badRequest" and _NOT_FOUND not in refused.problem:
            return None
        return NotReady(
            ENGINE,
            refused.problem,
            not_before=self._clock.now() + LOOK_AGAIN,
            http_status=refused.http_status,
            code=refused.code,
        )

    def _asked(self, property: str = "") -> Asked:
        return Asked(self._clock.now(), property, self.principal or "this account")

    def _asked_to_verify(self) -> Asked:
        return Asked(
            self._clock.now(),
            who=self.principal or "this account",
            api=API,
            scope=VERIFICATION_SCOPE,
        )


def open_domains(account: Account, secret: Secret | None, clock: Clock) -> GoogleDomains:
    """Open an account. Raises ConfigError when its key cannot be used; connects to nothing."""
    return GoogleDomains(
        Builder("siteVerification", "v1", base_url(account, BASE_URL) + API_PATH),
        Builder("searchconsole", "v1", base_url(account, CONSOLE_URL)),
        open_caller(account, secret, clock, scopes=(SCOPE, VERIFICATION_SCOPE)),
        clock,
    )


def property_of(domain: str) -> str:
    return f"{DOMAIN_PREFIX}{domain}"


def _site(domain: str) -> dict[str, str]:
    """A domain as Site Verification calls it: never with `sc-domain:`, which would verify a name
    that is none."""
    return {"type": _DOMAIN, "identifier": domain}


def _error(response: EngineResponse, asked: Asked) -> EngineError:
    error = answers.error_of(response, asked)
    if isinstance(error, NotAuthorized) and not error.next_step:
        error.next_step = f"Let {asked.who} use the {asked.api} in its project."
    return error
