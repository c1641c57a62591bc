"""A local Google: token endpoint, `sites`, `sitemaps` and URL Inspection of the Search Console
API, and Site Verification.

Every path is matched raw: `siteUrl` and `feedpath` are one percent-encoded segment each, and bare
slashes or colons get the front end's HTML 404.
Source of paths, fields and errors: https://developers.google.com/webmaster-tools/v1/sitemaps, the
discovery document searchconsole.v1 (revision 20260805), and reported answers, read 2026-11-30.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from submitter.sandbox import google_errors, google_verification
from submitter.sandbox.book import Book
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.faults import Faults
from submitter.sandbox.google_accounts import (
    AUDIENCE,
    SCOPE_READ,
    SCOPE_WRITE,
    GoogleAccount,
    Role,
    TokenDesk,
)
from submitter.sandbox.google_errors import CONSOLE
from submitter.sandbox.google_inspection import InspectionDesk
from submitter.sandbox.google_reading import Fetch
from submitter.sandbox.google_sitemaps import SitemapTable, covers
from submitter.sandbox.google_verification import VerificationDesk
from submitter.sandbox.part import Call, Verdict
from submitter.sandbox.windows import SlidingWindows, Window
from submitter.sandbox.wire import Answer, Request, json_answer

LIMITS: tuple[Window, ...] = (
    Window(20, 1.0, "Queries per second per user"),
    Window(200, 60.0, "Queries per minute per user"),
)
"""Sitemaps and sites. Source: https://developers.google.com/webmaster-tools/limits, 2026-08-13."""

_ROUTES = {
    (0, "GET"): "sites.list",
    (1, "GET"): "sites.get",
    (1, "PUT"): "sites.add",
    (1, "DELETE"): "sites.delete",
    (2, "GET"): "sitemaps.list",
    (3, "GET"): "sitemaps.get",
    (3, "PUT"): "sitemaps.submit",
    (3, "DELETE"): "sitemaps.delete",
}
"""(segments after `webmasters/v3/sites`, method) → call."""

_WRITES = frozenset({"sites.add", "sites.delete", "sitemaps.submit", "sitemaps.delete"})
_METHODS = {
    "sites": "google.searchconsole.v1.SitesService",
    "sitemaps": "google.searchconsole.v1.SitemapsService",
    "urlInspection": "google.searchconsole.v1.UrlInspectionService",
    "verification": "google.siteverification.v1.SiteVerificationService",
}
"""What errors about a scope call the services; the last two are guesses."""


class _Denied(Exception):
    """The call ends with this answer."""

    def __init__(self, code: str, answer: Answer) -> None:
        self.code, self.answer = code, answer
        super().__init__(code)


class Google:
    """Search Console as service accounts see it.

    `full_may_submit` decides the one question on which sources disagree. `sitemaps` holds what was
    submitted and says when it is read, `inspection` where pages stand, `verification` what Google
    finds in the DNS. `tokens.skew_s` plays a client whose clock is wrong.
    """

    name = "google"

    def __init__(self, clock: SandboxClock, fetch: Fetch) -> None:
        self.endpoint = ""
        self.lock = threading.RLock()
        self.book = Book()
        self.answers: Mapping[str, Answer] = google_errors.named_answers()
        self.faults = Faults(frozenset(self.answers))
        self.accounts: dict[str, GoogleAccount] = {}
        self.tokens = TokenDesk(self.accounts)
        self.sitemaps = SitemapTable(clock, fetch)
        self.inspection = InspectionDesk(clock, self.sitemaps)
        self.verification = VerificationDesk()
        self.limits = LIMITS
        self.full_may_submit = True
        self.commands: Mapping[str, Callable[..., object]] = {
            "add_account": lambda email: self.key_file(self.add_account(email).email),
            "grant": self.grant,
            "revoke": self.revoke,
            "advance": self.advance,
            "set_limits": self.set_limits,
            "set_index": self.set_index,
            "put_txt": self.put_txt,
        }
        self._clock = clock
        self._windows: dict[str, SlidingWindows] = {}

    # -- for tests and tools

    def add_account(
        self, email: str = "submitter@sandbox-project.iam.gserviceaccount.com"
    ) -> GoogleAccount:
        """A service account that sees no property yet; the same one when it exists already."""
        with self.lock:
            return self.accounts.setdefault(email, GoogleAccount(email))

    def grant(self, email: str, site: str, role: Role | str = Role.OWNER) -> None:
        """Put a property on the account's list, spelled exactly as given."""
        with self.lock:
            self.accounts[email].properties[site] = Role(role)

    def revoke(self, email: str, site: str) -> None:
        with self.lock:
            self.accounts[email].properties.pop(site, None)

    def key_file(self, email: str) -> dict[str, str]:
        """The account's key as JSON; its `token_uri` is this sandbox, so it must be started."""
        return self.accounts[email].key_file(f"{self.endpoint}/token")

    def advance(self) -> int:
        """Google comes by now: everything pending is read. Returns how many were."""
        with self.lock:
            return self.sitemaps.advance()

    def set_limits(
        self, per_second: int | None = 20, per_minute: int | None = 200, *, speed: float = 1.0
    ) -> None:
        """Other limits for every account, from now on with empty windows; None = no limit.

        `speed` 100 makes a second ten milliseconds long, for runs that must not take minutes.
        """
        asked = zip((per_second, per_minute), LIMITS, strict=True)
        with self.lock:
            self.limits = tuple(
                Window(calls, known.seconds / speed, known.name)
                for calls, known in asked
                if calls is not None
            )
            self._windows.clear()

    def set_index(self, pages: str, state: str) -> None:
        """Where pages stand from now on; see `InspectionDesk.set_index`."""
        with self.lock:
            self.inspection.set_index(pages, state)

    def put_txt(self, domain: str, text: str) -> None:
        """Put a TXT record where Google looks for it."""
        with self.lock:
            self.verification.put_txt(domain, text)

    # -- the part

    def read(self, request: Request) -> Call:
        if request.path == "/token":
            issuer = self.tokens.issuer(request.form())
            return Call("token" if request.method == "POST" else "unrouted", account=issuer)
        token = self.tokens.token(request.header("authorization"))
        email = token.account.email if token else ""
        other = self.verification.read(request) or self.inspection.read(request)
        if other is not None:
            return replace(other, account=email)
        segments = _segments(request.path)
        name = _ROUTES.get((len(segments), _method(request))) if segments is not None else None
        if segments is None or name is None:
            return Call("unrouted", key=request.path)
        return Call(name, segments[0] if segments else "", email, tuple(segments[2:]))

    def decide(self, request: Request, call: Call) -> Verdict:
        if call.name == "unrouted":
            return Verdict(google_errors.not_routed(), code="unrouted")
        if call.name == "token":
            return self._trade(request)
        try:
            account = self._admit(request, call)
            answer = self._perform(request, call, account)
        except _Denied as denied:
            refused = dict.fromkeys(call.items, denied.code)
            return Verdict(denied.answer, refused=refused, code=denied.code)
        return Verdict(answer, accepted=call.items)

    def _trade(self, request: Request) -> Verdict:
        answer, code = self.tokens.trade(
            request.form(),
            audiences=frozenset({AUDIENCE, f"{self.endpoint}/token"}),
            now=self._clock.outside(),
            monotonic=self._clock.monotonic(),
        )
        return Verdict(answer, code=code)

    def _admit(self, request: Request, call: Call) -> GoogleAccount:
        """Who is it, may it use the API at all, and is it slow enough."""
        authorization = request.header("authorization")
        token = self.tokens.token(authorization)
        if token is None and not authorization:
            raise _Denied("not-signed-in", google_errors.not_signed_in())
        alive = token is not None and self._clock.monotonic() < token.dies_at
        if token is None or not alive or not token.account.enabled:
            raise _Denied("bad-token", google_errors.bad_token())
        account, api = token.account, _api(call.name)
        enabled = account.api_enabled if api is CONSOLE else account.verification_enabled
        if not enabled:
            raise _Denied("api-disabled", google_errors.api_disabled(account.project_number, api))
        if not token.scopes & _scopes(call.name):
            raise _Denied("scope-missing", google_errors.scope_missing(_rpc(call.name), api))
        if call.name.startswith(("sites", "sitemaps")):
            self._take_place(account, request.arrived)
        return account

    def _take_place(self, account: GoogleAccount, at: float) -> None:
        windows = self._windows.setdefault(account.email, SlidingWindows(self.limits))
        if full := windows.take(at):
            answer = google_errors.too_fast(account.project_number, full.name)
            raise _Denied("too-fast", answer)

    def _perform(self, request: Request, call: Call, account: GoogleAccount) -> Answer:
        if call.name.startswith("verification"):
            return _or_denied(*self.verification.answer(request, call, account))
        if call.name == "urlInspection.inspect":
            may = account.properties.get(call.key, Role.UNVERIFIED) is not Role.UNVERIFIED
            return _or_denied(*self.inspection.answer(request, call, may=may))
        if call.name == "sites.list":
            rows = [_site_entry(site, role) for site, role in account.properties.items()]
            return json_answer(200, {"siteEntry": rows} if rows else {})
        if not _is_site_url(call.key):
            raise _Denied("bad-site-url", google_errors.bad_site_url(call.key))
        if call.name == "sites.add":
            return self._add_site(account, call.key)
        role = account.properties.get(call.key)
        if role is None:
            raise _Denied("forbidden", google_errors.forbidden(call.key))
        if call.name == "sites.get":
            return json_answer(200, _site_entry(call.key, role))
        if call.name == "sites.delete":
            del account.properties[call.key]
            return Answer(204)
        if not self._may(role, call.name):
            raise _Denied("forbidden", google_errors.forbidden(call.key))
        return self._on_sitemaps(request, call)

    def _may(self, role: Role, name: str) -> bool:
        match role:
            case Role.OWNER:
                return True
            case Role.FULL:
                return self.full_may_submit or name not in _WRITES
            case Role.RESTRICTED:
                return name not in _WRITES
            case Role.UNVERIFIED:
                return False

    def _add_site(self, account: GoogleAccount, site: str) -> Answer:
        if site in account.verified:
            account.properties[site] = Role.OWNER
        account.properties.setdefault(site, Role.UNVERIFIED)
        return Answer(204)

    def _on_sitemaps(self, request: Request, call: Call) -> Answer:
        if call.name == "sitemaps.list":
            return self._list_sitemaps(request, call.key)
        feed = call.items[0]
        if call.name == "sitemaps.submit":
            if not covers(call.key, feed):
                raise _Denied("foreign-feed", google_errors.foreign_feed(feed, call.key))
            self.sitemaps.submit(call.key, feed)
            return Answer(204)
        if call.name == "sitemaps.delete":
            known = self.sitemaps.delete(call.key, feed)
            return self._found(Answer(204) if known else None, feed)
        row = self.sitemaps.row(call.key, feed)
        return self._found(json_answer(200, row) if row else None, feed)

    def _list_sitemaps(self, request: Request, site: str) -> Answer:
        index = request.query_field("sitemapIndex")
        if not index:
            rows: list[dict[str, object]] | None = self.sitemaps.rows(site)
        else:
            rows = self.sitemaps.children(site, index)
        answer = json_answer(200, {"sitemap": rows} if rows else {}) if rows is not None else None
        return self._found(answer, index)

    def _found(self, answer: Answer | None, what: str) -> Answer:
        if answer is None:
            raise _Denied("not-found", google_errors.not_found(what))
        return answer


def _or_denied(answer: Answer, code: str) -> Answer:
    if code:
        raise _Denied(code, answer)
    return answer


def _api(name: str) -> google_errors.Api:
    return google_verification.API if name.startswith("verification") else CONSOLE


def _scopes(name: str) -> frozenset[str]:
    """One of these is needed."""
    if name == "verification.list":
        return frozenset({google_verification.SCOPE})
    if name.startswith("verification"):
        return frozenset({google_verification.SCOPE, google_verification.SCOPE_VERIFY_ONLY})
    return frozenset({SCOPE_WRITE} if name in _WRITES else {SCOPE_WRITE, SCOPE_READ})


def _segments(path: str) -> list[str] | None:
    """Decoded segments after `webmasters/v3/sites`; None when the front end has no such path.

    A bare colon is routed for some callers and not for others, so it is not routed here.
    """
    parts = path.split("/")
    if parts[:4] != ["", "webmasters", "v3", "sites"] or len(parts) > 7:
        return None
    rest = parts[4:]
    if not all(rest) or any(":" in part for part in rest) or rest[1:2] not in ([], ["sitemaps"]):
        return None
    return [unquote(part) for part in rest]


def _method(request: Request) -> str:
    """The client library sends a GET whose address is too long as a POST that says so."""
    return request.header("x-http-method-override").upper() or request.method


def _is_site_url(site: str) -> bool:
    """A form Search Console knows, whether or not anybody has such a property."""
    if site.startswith("sc-domain:"):
        domain = site.removeprefix("sc-domain:")
        return bool(domain) and not set(domain) & set("/: ")
    try:
        parts = urlsplit(site)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _site_entry(site: str, role: Role) -> dict[str, str]:
    return {"siteUrl": site, "permissionLevel": role.value}


def _rpc(name: str) -> str:
    resource, _, verb = name.partition(".")
    return f"{_METHODS[resource]}.{verb.title()}"
