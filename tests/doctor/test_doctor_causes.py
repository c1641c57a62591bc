"""Every cause that a check can name, met for real: what it says, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from ward import HOST, KEY, ORIGIN, Ward

from submitter.core.causes import meaning_of
from submitter.sandbox import Break, Role
from submitter.stories.checkup import Diagnosis
from support.whole import EMAIL

SITEMAP = "/sitemap.xml"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True)
class Case:
    """What is done to a healthy ward, and what the doctor says then."""

    spoil: Callable[[Ward], object]
    says: str
    """A part of the message, besides what the cause means."""
    do: str
    """A part of the next step."""
    engine: str = "google"
    keys: dict[str, object] = field(default_factory=dict)
    """Of the site in the inventory."""
    exit_code: int = 4


def index_of(*paths: str) -> str:
    entries = "".join(f"<sitemap><loc>{ORIGIN}{path}</loc></sitemap>" for path in paths)
    return f'<sitemapindex xmlns="{NAMESPACE}">{entries}</sitemapindex>'


def listing(*locs: str) -> str:
    entries = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    return f'<urlset xmlns="{NAMESPACE}">{entries}</urlset>'


def google(name: str, value: object) -> Callable[[Ward], object]:
    return lambda ward: setattr(ward.world.sandbox.google.accounts[EMAIL], name, value)


def answers(engine: str, **fault: object) -> Callable[[Ward], object]:
    """The engine answers this to whatever it is asked."""

    def spoil(ward: Ward) -> None:
        part = getattr(ward.world.sandbox, engine)
        part.faults.add("answer", times=None, **fault)

    return spoil


def google_error(status: int, reason: str, **info: object) -> Callable[[Ward], object]:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, **info}]
    body = {"error": {"code": status, "message": "said Google", "details": details}}
    return answers("google", call="sites.list", status=status, body=json.dumps(body))


def bing_error(code: int, name: str) -> Callable[[Ward], object]:
    body = json.dumps({"ErrorCode": code, "Message": f"ERROR!!! {name}"})
    return answers("bing", status=400, body=body)


def token_error(text: str) -> Callable[[Ward], object]:
    body = json.dumps({"error": "invalid_grant", "error_description": text})
    return answers("google", call="token", status=400, body=body)


def account_key(account: str, **keys: object) -> Callable[[Ward], object]:
    return lambda ward: ward.world.accounts[account].update(keys)


def secret(name: str, text: str) -> Callable[[Ward], object]:
    return lambda ward: ward.world.put_secret(name, text)


def breaks(how: Break) -> Callable[[Ward], object]:
    return lambda ward: ward.shop.break_document(SITEMAP, how)


def puts(path: str, body: str | bytes) -> Callable[[Ward], object]:
    return lambda ward: ward.shop.put(path, body)


def role(name: str, of: Role | None) -> Callable[[Ward], object]:
    """The account's role on the site's own property; None: it lost the domain's as well."""

    def spoil(ward: Ward) -> None:
        if of is None:
            ward.world.sandbox.google.revoke(EMAIL, "sc-domain:whole.test")
            ward.world.sandbox.google.grant(EMAIL, name)
        else:
            ward.world.sandbox.google.grant(EMAIL, name, of)

    return spoil


ACCOUNTS = {
    "secret-missing": Case(
        account_key("google", credentials="file:nowhere.json"), "nowhere.json", "Put the secret",
        exit_code=2,
    ),
    "secret-unusable": Case(
        lambda ward: (ward.world.folder / "google.json").chmod(0o644), "chmod 600",
        "who may read it", exit_code=2,
    ),
    "configuration": Case(
        secret("google.json", "not a key"), "not JSON", "Correct the account", exit_code=2
    ),
    "key-deleted": Case(
        lambda ward: ward.world.sandbox.google.accounts[EMAIL].rotate_key(),
        "Invalid JWT Signature", "create a new one",
    ),
    "account-missing": Case(token_error("Invalid grant: account not found"), "not found", "e-mail"),
    "account-disabled": Case(
        token_error("Service account is disabled."), "disabled", "Enable the service account"
    ),
    "clock-skew": Case(
        token_error("Token must be a short-lived token (60 minutes)"), "short-lived", "clock"
    ),
    "login-expired": Case(token_error("Token has been expired or revoked."), "expired", "Log in"),
    "login-refused": Case(token_error("Something else"), "Something else", "Cloud console"),
    "token-refused": Case(
        answers("google", call="sites.list", answer="bad-token"), "HTTP 401", "Cloud console"
    ),
    "api-disabled": Case(
        google("api_enabled", False), "has not been used in project", "Enable the Google Search"
    ),
    "scope-missing": Case(
        google_error(403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT"), "HTTP 403", "auth/webmasters"
    ),
    "quota-project-denied": Case(
        google_error(403, "USER_PROJECT_DENIED"), "HTTP 403", "quota project"
    ),
    "project-unusable": Case(google_error(403, "CONSUMER_SUSPENDED"), "HTTP 403", "Cloud console"),
    "account-forbidden": Case(google_error(403, "FORBIDDEN"), "HTTP 403", "Cloud console"),
    "endpoint-gone": Case(
        answers("google", call="sites.list", status=404, body="<p>Not found"), "HTTP 404",
        "`endpoint`",
    ),
    "endpoint-redirects": Case(
        answers("google", call="sites.list", status=302), "HTTP 302", "`endpoint`"
    ),
    "engine-unavailable": Case(
        lambda ward: ward.world.sandbox.google.faults.add("reset", times=None), "google", ""
    ),
    "too-fast": Case(answers("google", call="sites.list", answer="rate"), "HTTP 429", ""),
    "api-key-invalid": Case(secret("bing", "0" * 32), "InvalidApiKey", "API access", "bing"),
    "user-blocked": Case(bing_error(6, "UserBlocked"), "UserBlocked", "support", "bing"),
    "user-unknown": Case(bing_error(10, "UserNotFound"), "UserNotFound", "new key", "bing"),
    "method-gone": Case(bing_error(16, "Deprecated"), "Deprecated", "", "bing"),
    "unexpected-answer": Case(bing_error(12, "AlreadyExists"), "AlreadyExists", "see", "bing"),
    "token-invalid": Case(secret("yandex", "y0_wrong"), "INVALID_OAUTH_TOKEN", "oauth", "yandex"),
    "credential-refused": Case(
        answers("yandex", status=403, body="<p>Forbidden"), "HTTP 403", "secret", "yandex"
    ),
}  # fmt: skip
"""The account fails, and its targets are not checked."""

TARGETS = {
    "property-missing": Case(
        role("sc-domain:elsewhere.test", None), "not among the 1", "as an owner"
    ),
    "property-spelled-differently": Case(
        lambda ward: ward.world.sandbox.google.grant(EMAIL, f"https://{HOST}/"),
        f"but 'https://{HOST}/'", "`google_property`", keys={"google_property": "host"},
    ),
    "role-restricted": Case(
        role(f"{ORIGIN}/", Role.RESTRICTED), "may look but not submit", "owner",
        keys={"google_property": "host"},
    ),
    "role-unverified": Case(
        role(f"{ORIGIN}/", Role.UNVERIFIED), "never verified", "verify it",
        keys={"google_property": "host"},
    ),
    "sitemap-outside-property": Case(
        role(f"{ORIGIN}/blog/", Role.OWNER), "lies outside it", "`google_property`",
        keys={"google_property": f"{ORIGIN}/blog/"},
    ),
    "site-missing": Case(
        lambda ward: ward.world.sandbox.bing._sites.clear(), "not among the 0", "Add the site",
        "bing",
    ),
    "site-unverified": Case(
        lambda ward: ward.world.sandbox.bing.add_site(f"{ORIGIN}/", verified=False),
        "not verified", "Verify", "bing",
    ),
    "site-spelled-differently": Case(
        lambda ward: None, f"but '{ORIGIN}/'", "`bing_site`", "bing", {"bing_site": ORIGIN}
    ),
    "host-missing": Case(
        lambda ward: ward.world.sandbox.yandex._hosts.clear(), "not among the 0", "Add the site",
        "yandex",
    ),
    "host-unverified": Case(
        lambda ward: ward.world.sandbox.yandex.add_host(ORIGIN, verified=False), "not verified",
        "Verify", "yandex",
    ),
    "site-host-differs": Case(
        lambda ward: None, "another site", "Register", "baidu", {"baidu_site": f"www.{HOST}"}
    ),
    "key-file-missing": Case(
        lambda ward: ward.shop.break_document(f"/{KEY}.txt", Break.MISSING), "404",
        "plain text file", "indexnow",
    ),
    "key-file-html": Case(
        lambda ward: ward.shop.put(f"/{KEY}.txt", "<p>shop"), "HTML", "plain text", "indexnow"
    ),
    "key-differs": Case(
        lambda ward: ward.shop.put(f"/{KEY}.txt", "another"), "instead of", "`key`", "indexnow"
    ),
    "key-file-redirects": Case(
        lambda ward: (
            ward.world.add("other").put("/key.txt", KEY),
            ward.shop.redirect(f"/{KEY}.txt", "http://other.whole.test/key.txt"),
            ward.world.entries["other"].update(accounts=["google"]),
        ),
        "redirects to the host", "redirect", "indexnow",
    ),
    "key-file-blocked": Case(
        lambda ward: ward.shop.shut_out("", f"/{KEY}.txt"), "403", "crawlers", "indexnow"
    ),
    "key-outside-scope": Case(
        account_key("indexnow", key_location="http://{host}/keys/{key}.txt"), "outside",
        "`key_location`", "indexnow",
    ),
    "host-unreachable": Case(
        lambda ward: ward.world.sandbox.fleet.faults.add("reset", key=HOST, times=None),
        "robots.txt", "server runs",
    ),
    "host-slow": Case(
        lambda ward: ward.world.sandbox.fleet.faults.add("hang", key=HOST, times=None, seconds=60),
        "robots.txt", "`fetch.timeout_s`", keys={"fetch": {"timeout_s": 0.2}},
    ),
    "host-redirects": Case(
        lambda ward: (
            ward.shop.redirect(SITEMAP, "/b.xml"), ward.shop.redirect("/b.xml", SITEMAP)
        ),
        "redirects back", "Correct the redirects",
    ),
    "host-private": Case(
        lambda ward: None, "127.0.0.1", "`allow_private`", keys={"allow_private": ["10.0.0.0/8"]}
    ),
    "redirect-leads-nowhere": Case(
        lambda ward: ward.shop.redirect(SITEMAP, "http://10.1.2.3/sitemap.xml"), "10.1.2.3",
        "Correct the redirect",
    ),
    "foreign-sitemap": Case(
        lambda ward: (
            ward.world.add("other").put("/b.xml", listing(f"{ORIGIN}/1")),
            ward.world.entries.pop("other"),
            ward.shop.redirect(SITEMAP, "http://other.whole.test/b.xml"),
            ward.world.entries["shop"].update(
                fetch={
                    "connect_to": dict.fromkeys(
                        (f"{HOST}:80", "other.whole.test:80"), ward.world.sandbox.address
                    )
                }
            ),
        ),
        "other.whole.test", "Add that host",
    ),
    "robots-unreachable": Case(
        lambda ward: ward.shop.break_document("/robots.txt", Break.ERROR), "status 500",
        "200, or with 404",
    ),
    "robots-closed": Case(lambda ward: ward.shop.close(), "to Googlebot", "Open it"),
    "sitemap-disallowed": Case(
        lambda ward: setattr(ward.shop, "robots", "User-agent: *\nDisallow: /sitemap\n"),
        "closed to Googlebot", "Allow",
    ),
    "no-sitemap-line": Case(
        puts("/robots.txt", "User-agent: *\nDisallow: /private/\n"), "robots.txt", "`Sitemap:`",
        keys={"sitemaps": "robots"},
    ),
    "sitemap-missing": Case(breaks(Break.MISSING), "status 404", "Correct the address"),
    "sitemap-forbidden": Case(
        lambda ward: ward.shop.shut_out("", SITEMAP), "status 403", "bot shield"
    ),
    "sitemap-failing": Case(breaks(Break.ERROR), "status 500", "log"),
    "sitemap-is-html": Case(breaks(Break.HTML), "web page", "login"),
    "sitemap-broken": Case(breaks(Break.CUT), "ends early", "submitter flatten"),
    "sitemap-empty": Case(puts(SITEMAP, listing()), "lists nothing", "what writes it"),
    "sitemap-too-large": Case(
        puts(SITEMAP, listing(*[f"{ORIGIN}/{n}" for n in range(999)])), "2000 bytes", "Split it",
        keys={"fetch": {"max_bytes": 2_000}},
    ),
    "children-unreachable": Case(
        puts(SITEMAP, index_of("/lost.xml")), "lost.xml", "take them out"
    ),
    "ourselves-blocked": Case(
        lambda ward: ward.shop.shut_out("submitter", SITEMAP), "status 403", "begins with Submitter"
    ),
    "crawler-blocked": Case(
        lambda ward: ward.shop.shut_out("googlebot"), "as Googlebot", "Let the crawler"
    ),
    "children-blocked": Case(
        lambda ward: (
            ward.shop.put("/a.xml", listing(f"{ORIGIN}/a")),
            ward.shop.put("/b.xml", listing(f"{ORIGIN}/b")),
            ward.shop.put(SITEMAP, index_of("/a.xml", "/b.xml")),
            ward.shop.shut_out("googlebot", "/b.xml"),
        ),
        "/b.xml: status 403 (1 of 2 looked at)", "all of them",
    ),
    "pages-blocked": Case(
        lambda ward: ward.shop.shut_out("baiduspider"), "as Baiduspider", "Let the crawler", "baidu"
    ),
}  # fmt: skip
"""The account is well, and this is the first thing in the target's way."""


def is_said(diagnosis: Diagnosis, cause: str, case: Case) -> None:
    assert diagnosis.cause == cause
    meaning = meaning_of(cause, case.engine)
    assert meaning is not None
    assert diagnosis.message.startswith(f"{meaning}: ")
    assert case.says in diagnosis.message
    if case.do:
        assert case.do in (diagnosis.next_step or "")
    else:
        assert diagnosis.next_step is None or cause == "method-gone"


@pytest.mark.parametrize("cause", ACCOUNTS)
def test_an_account_fails_with_its_cause_and_the_next_step(ward: Ward, cause: str) -> None:
    case = ACCOUNTS[cause]
    ward.admit(case.engine, **case.keys)
    case.spoil(ward)
    found = ward.examine()
    is_said(found.account.diagnosis, cause, case)
    assert found.exit_code == case.exit_code
    assert found.states() == {case.engine: "unchecked"}


@pytest.mark.parametrize("cause", TARGETS)
def test_a_target_fails_with_the_first_cause_in_its_way(ward: Ward, cause: str) -> None:
    case = TARGETS[cause]
    ward.admit(case.engine, **case.keys)
    case.spoil(ward)
    found = ward.examine()
    is_said(found.target.diagnosis, cause, case)
    assert found.exit_code == case.exit_code


def test_a_store_of_secrets_that_does_not_answer_is_named(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"ENDPOINT_URL": "http://127.0.0.1:1", "DEFAULT_REGION": "us-east-1"}
    keys = {"ACCESS_KEY_ID": "id", "SECRET_ACCESS_KEY": "key", "MAX_ATTEMPTS": "1"}
    for name, value in (settings | keys).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    ward.admit("google")
    account_key("google", credentials="aws-secret:key")(ward)
    found = ward.examine()
    case = Case(lambda ward: None, "EndpointConnectionError", "Try again")
    is_said(found.account.diagnosis, "secret-out-of-reach", case)
    assert found.exit_code == case.exit_code


def test_more_than_fifty_causes_are_met_for_real() -> None:
    assert len(ACCOUNTS) + len(TARGETS) > 50
