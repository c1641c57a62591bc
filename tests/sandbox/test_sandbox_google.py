"""Search Console: paths, roles, limits, and the life of a sitemap."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sandbox_clients import SearchConsole, ask_token, claims, sign

from submitter.sandbox import Role, Section
from submitter.sandbox.google_accounts import SCOPE_READ

DOMAIN = "sc-domain:fleet.test"
PREFIX = "http://shop.fleet.test/"
SITEMAP = "http://shop.fleet.test/sitemap-index.xml"


@pytest.fixture
def shop(console: SearchConsole) -> SearchConsole:
    """Signed in as owner of a Domain property that holds a shop of 30 pages in three files."""
    console.sandbox.fleet.add_site("shop", Section("pages", 30, per_document=10))
    console.sandbox.google.grant(console.account.email, DOMAIN)
    return console


# ---------------------------------------------------------------- paths


def test_a_submission_is_answered_204_with_nothing(shop: SearchConsole) -> None:
    answer = shop.submit(DOMAIN, SITEMAP)
    assert (answer.status_code, answer.content) == (204, b"")
    assert "content-length" not in answer.headers
    assert shop.sandbox.google.book.accepted("sitemaps.submit", DOMAIN) == [SITEMAP]


@pytest.mark.parametrize(
    "path",
    [
        "sc-domain%3Afleet.test/sitemaps/http://shop.fleet.test/sitemap-index.xml",
        "sc-domain:fleet.test/sitemaps/http%3A%2F%2Fshop.fleet.test%2Fsitemap-index.xml",
        "http://shop.fleet.test/sitemaps/http%3A%2F%2Fshop.fleet.test%2Fsitemap.xml",
        "sc-domain%3Afleet.test/feeds/http%3A%2F%2Fshop.fleet.test%2Fsitemap.xml",
        "sc-domain%3Afleet.test/sitemaps/",
        "",
    ],
)
def test_a_path_that_is_not_encoded_gets_the_front_ends_html(
    path: str, shop: SearchConsole
) -> None:
    answer = shop.http.put(
        f"{shop.sandbox.google.endpoint}/webmasters/v3/sites/{path}",
        headers={"Authorization": f"Bearer {shop.token}"},
        timeout=10,
    )
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert shop.sandbox.google.book.count(code="unrouted") == 1


def test_segments_are_decoded_once(shop: SearchConsole) -> None:
    odd = "http://shop.fleet.test/a%20b.xml?x=1&y=ü#f"
    assert shop.submit(DOMAIN, odd).status_code == 204
    assert [row["path"] for row in shop.rows(DOMAIN)] == [odd]


def test_a_long_get_may_come_as_a_post_that_says_so(shop: SearchConsole) -> None:
    shop.submit(DOMAIN, SITEMAP)
    shop.sandbox.google.advance()
    answer = shop.http.post(
        f"{shop.sandbox.google.endpoint}/webmasters/v3/sites/sc-domain%3Afleet.test/sitemaps",
        headers={"Authorization": f"Bearer {shop.token}", "x-http-method-override": "GET"},
        data={"sitemapIndex": SITEMAP},
        timeout=10,
    )
    assert len(answer.json()["sitemap"]) == 3


# ---------------------------------------------------------------- who may


@pytest.mark.parametrize(
    ("role", "submit", "read"),
    [
        (Role.OWNER, 204, 200),
        (Role.FULL, 204, 200),
        (Role.RESTRICTED, 403, 200),
        (Role.UNVERIFIED, 403, 403),
        (None, 403, 403),
    ],
)
def test_a_role_says_what_an_account_may(
    role: Role | None, submit: int, read: int, console: SearchConsole
) -> None:
    if role:
        console.sandbox.google.grant(console.account.email, PREFIX, role)
    assert console.submit(PREFIX, SITEMAP).status_code == submit
    assert console.call("GET", PREFIX, "sitemaps").status_code == read


def test_whether_a_full_user_may_submit_can_be_chosen(console: SearchConsole) -> None:
    console.sandbox.google.grant(console.account.email, PREFIX, Role.FULL)
    console.sandbox.google.full_may_submit = False
    assert console.submit(PREFIX, SITEMAP).status_code == 403


@pytest.mark.parametrize(
    "spelling",
    [
        "http://shop.fleet.test",
        "https://shop.fleet.test/",
        "http://www.shop.fleet.test/",
        "sc-domain:shop.fleet.test",
    ],
)
def test_a_property_spelled_otherwise_is_forbidden_and_not_missing(
    spelling: str, console: SearchConsole
) -> None:
    console.sandbox.google.grant(console.account.email, PREFIX)
    error = console.submit(spelling, SITEMAP).json()["error"]
    assert error["code"] == 403
    assert error["errors"][0]["reason"] == "forbidden"
    assert f"sufficient permission for site '{spelling}'" in error["message"]


@pytest.mark.parametrize("site", ["http://sc-domain:fleet.test", "fleet.test", "sc-domain:"])
def test_a_property_that_none_can_be_called_is_a_bad_parameter(
    site: str, console: SearchConsole
) -> None:
    error = console.submit(site, SITEMAP).json()["error"]
    assert error["code"] == 400
    assert error["errors"][0]["reason"] == "invalidParameter"
    assert error["errors"][0]["location"] == "siteUrl"


def test_a_read_only_token_lists_and_does_not_submit(shop: SearchConsole) -> None:
    assertion = sign(shop.account, claims(shop.account, scope=SCOPE_READ))
    token = ask_token(shop.sandbox, shop.http, assertion).json()["access_token"]
    assert shop.call("GET", token=token).status_code == 200
    error = shop.call("PUT", DOMAIN, "sitemaps", SITEMAP, token=token).json()["error"]
    assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    method = "google.searchconsole.v1.SitemapsService.Submit"
    assert error["details"][0]["metadata"]["method"] == method


def test_an_api_that_is_off_names_the_project_and_the_link(shop: SearchConsole) -> None:
    shop.account.api_enabled = False
    error = shop.call("GET").json()["error"]
    assert error["code"] == 403
    assert error["errors"][0]["reason"] == "accessNotConfigured"
    assert error["details"][0]["reason"] == "SERVICE_DISABLED"
    assert f"project={shop.account.project_number}" in error["message"]


def test_a_sitemap_outside_the_property_is_refused(console: SearchConsole) -> None:
    console.sandbox.google.grant(console.account.email, PREFIX)
    assert console.submit(PREFIX, "https://shop.fleet.test/sitemap.xml").status_code == 400
    assert console.submit(PREFIX, "http://www.fleet.test/sitemap.xml").status_code == 400
    assert console.sandbox.google.book.count(code="foreign-feed") == 2


def test_a_domain_property_covers_subdomains_and_both_schemes(shop: SearchConsole) -> None:
    assert shop.submit(DOMAIN, "https://a.b.fleet.test/sitemap.xml").status_code == 204
    assert shop.submit(DOMAIN, "http://fleet.test/sitemap.xml").status_code == 204
    assert shop.submit(DOMAIN, "http://otherfleet.test/sitemap.xml").status_code == 400


# ---------------------------------------------------------------- sites


def test_an_account_without_properties_lists_an_empty_object(console: SearchConsole) -> None:
    assert console.call("GET").json() == {}


def test_properties_are_listed_with_their_roles(console: SearchConsole) -> None:
    google, email = console.sandbox.google, console.account.email
    google.grant(email, DOMAIN, Role.OWNER)
    google.grant(email, PREFIX, "siteRestrictedUser")
    assert console.call("GET").json() == {
        "siteEntry": [
            {"siteUrl": DOMAIN, "permissionLevel": "siteOwner"},
            {"siteUrl": PREFIX, "permissionLevel": "siteRestrictedUser"},
        ]
    }
    google.revoke(email, DOMAIN)
    assert len(console.call("GET").json()["siteEntry"]) == 1


def test_adding_an_unproven_property_succeeds_and_gives_no_rights(
    console: SearchConsole,
) -> None:
    assert console.call("PUT", PREFIX).status_code == 204
    assert console.call("GET", PREFIX).json()["permissionLevel"] == "siteUnverifiedUser"
    assert console.submit(PREFIX, SITEMAP).status_code == 403


def test_adding_a_proven_property_makes_its_owner(console: SearchConsole) -> None:
    console.account.verified.add(PREFIX)
    assert console.call("GET").json() == {}
    console.call("PUT", PREFIX)
    assert console.call("GET", PREFIX).json()["permissionLevel"] == "siteOwner"


def test_a_property_can_be_taken_off_the_list(shop: SearchConsole) -> None:
    assert shop.call("DELETE", DOMAIN).status_code == 204
    assert shop.call("GET").json() == {}
    assert shop.call("DELETE", DOMAIN).status_code == 403


# ---------------------------------------------------------------- the life of a sitemap


def test_a_new_submission_is_pending_and_what_is_unknown_is_absent(shop: SearchConsole) -> None:
    shop.submit(DOMAIN, SITEMAP)
    assert shop.rows(DOMAIN) == [
        {
            "path": SITEMAP,
            "lastSubmitted": "2026-11-30T12:00:00.000Z",
            "isPending": True,
            "isSitemapsIndex": False,
            "warnings": "0",
            "errors": "0",
        }
    ]


def test_a_submission_is_read_after_its_age(shop: SearchConsole) -> None:
    shop.sandbox.google.sitemaps.fetch_after_s = 60.0
    shop.submit(DOMAIN, SITEMAP)
    shop.sandbox.clock.advance(59)
    assert shop.rows(DOMAIN)[0]["isPending"] is True
    shop.sandbox.clock.advance(10)
    assert shop.rows(DOMAIN) == [
        {
            "path": SITEMAP,
            "lastSubmitted": "2026-11-30T12:00:00.000Z",
            "isPending": False,
            "isSitemapsIndex": True,
            "lastDownloaded": "2026-11-30T12:01:00.000Z",
            "type": "sitemap",
            "warnings": "0",
            "errors": "0",
            "contents": [{"type": "web", "submitted": "30", "indexed": "0"}],
        }
    ]


def test_without_an_age_only_advance_reads(shop: SearchConsole) -> None:
    shop.sandbox.google.sitemaps.fetch_after_s = None
    shop.submit(DOMAIN, SITEMAP)
    shop.sandbox.clock.advance(3_000)
    assert shop.rows(DOMAIN)[0]["isPending"] is True
    assert shop.sandbox.google.advance() == 1
    assert shop.rows(DOMAIN)[0]["isPending"] is False
    assert shop.sandbox.google.advance() == 0


def test_submitting_again_makes_it_pending_and_keeps_the_last_download(
    shop: SearchConsole,
) -> None:
    shop.submit(DOMAIN, SITEMAP)
    shop.sandbox.google.advance()
    shop.sandbox.clock.advance(600)
    shop.submit(DOMAIN, SITEMAP)
    (row,) = shop.rows(DOMAIN)
    assert row["isPending"] is True
    assert row["lastSubmitted"] == "2026-11-30T12:10:00.000Z"
    assert row["lastDownloaded"] == "2026-11-30T12:00:00.000Z"
    assert shop.sandbox.google.book.more_than_once("sitemaps.submit") == {(DOMAIN, SITEMAP): 2}


def test_google_sees_what_is_wrong_with_a_sitemap(shop: SearchConsole) -> None:
    site = shop.sandbox.fleet.site("shop")
    site.extra_children.append("/lost.xml")
    site.break_document("/sitemap-pages-2.xml", "bad-xml")
    shop.submit(DOMAIN, SITEMAP)
    shop.sandbox.google.advance()
    (row,) = shop.rows(DOMAIN)
    assert row["errors"] == "2"
    assert row["contents"] == [{"type": "web", "submitted": "24", "indexed": "0"}]


@pytest.mark.parametrize(
    ("body", "type_", "errors", "pages"),
    [
        ("<urlset></urlset>", "sitemap", "1", None),
        ("http://shop.fleet.test/a\n", "urlList", "0", "1"),
        ("http://shop.fleet.test/a\nhttp://elsewhere.test/\n", "urlList", "1", "1"),
        ("<html><body>soft 404</body></html>", "notSitemap", "1", None),
        ("<urlset><url><loc>http://shop.fleet.test/a</loc></url><url>", "sitemap", "1", "1"),
        (
            "<rss><channel><item><link>http://shop.fleet.test/a</link></item></channel></rss>",
            "rssFeed",
            "0",
            "1",
        ),
        ("\x1f\x8bnot gzip", "notSitemap", "1", None),
    ],
)
def test_a_document_is_judged_by_its_content(
    body: str, type_: str, errors: str, pages: str | None, shop: SearchConsole
) -> None:
    raw = body.encode("latin-1")
    shop.sandbox.fleet.site("shop").put("/own.xml", raw)
    shop.submit(DOMAIN, "http://shop.fleet.test/own.xml")
    shop.sandbox.google.advance()
    (row,) = shop.rows(DOMAIN)
    assert (row["type"], row["errors"]) == (type_, errors)
    contents = row.get("contents")
    assert contents == ([{"type": "web", "submitted": pages, "indexed": "0"}] if pages else None)


def test_images_are_counted_apart(shop: SearchConsole) -> None:
    shop.sandbox.fleet.site("shop").put(
        "/images.xml",
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">'
        "<url><loc>http://shop.fleet.test/a</loc>"
        "<i:image><i:loc>http://cdn.test/1.png</i:loc></i:image>"
        "<i:image><i:loc>http://cdn.test/2.png</i:loc></i:image></url></urlset>",
    )
    shop.submit(DOMAIN, "http://shop.fleet.test/images.xml")
    shop.sandbox.google.advance()
    assert shop.rows(DOMAIN)[0]["contents"] == [
        {"type": "web", "submitted": "1", "indexed": "0"},
        {"type": "image", "submitted": "2", "indexed": "0"},
    ]


def test_an_index_below_an_index_is_an_error(shop: SearchConsole) -> None:
    shop.sandbox.fleet.add_site("deep", Section("pages", 4, nested=True))
    shop.submit(DOMAIN, "http://deep.fleet.test/sitemap-index.xml")
    shop.sandbox.google.advance()
    (row,) = shop.rows(DOMAIN)
    assert row["errors"] == "1"
    assert "contents" not in row


def test_the_children_of_an_index_can_be_listed(shop: SearchConsole) -> None:
    shop.sandbox.fleet.site("shop").extra_children.append("/lost.xml")
    shop.submit(DOMAIN, SITEMAP)
    query = "?sitemapIndex=http%3A%2F%2Fshop.fleet.test%2Fsitemap-index.xml"
    assert shop.call("GET", DOMAIN, "sitemaps", query=query).json() == {}
    shop.sandbox.google.advance()
    children = shop.call("GET", DOMAIN, "sitemaps", query=query).json()["sitemap"]
    assert [child["path"].rpartition("/")[2] for child in children] == [
        "sitemap-pages-1.xml",
        "sitemap-pages-2.xml",
        "sitemap-pages-3.xml",
        "lost.xml",
    ]
    assert [child["isPending"] for child in children] == [False, False, False, True]
    unknown = "?sitemapIndex=http%3A%2F%2Fshop.fleet.test%2Fother.xml"
    assert shop.call("GET", DOMAIN, "sitemaps", query=unknown).status_code == 404


@pytest.mark.parametrize("how", ["missing", "error", "closed", "unknown host", "never fetched"])
def test_what_cannot_be_fetched_stays_pending(how: str, shop: SearchConsole) -> None:
    sitemap = "http://nowhere.fleet.test/sitemap.xml" if how == "unknown host" else SITEMAP
    site = shop.sandbox.fleet.site("shop")
    match how:
        case "missing" | "error":
            site.break_document("/sitemap-index.xml", how)
        case "closed":
            site.close()
        case "never fetched":
            shop.sandbox.google.sitemaps.never_fetched.add(sitemap)
    shop.submit(DOMAIN, sitemap)
    assert shop.sandbox.google.advance() == 0
    (row,) = shop.rows(DOMAIN)
    assert row["isPending"] is True
    assert "lastDownloaded" not in row


def test_a_sitemap_never_submitted_is_not_found(shop: SearchConsole) -> None:
    assert shop.call("GET", DOMAIN, "sitemaps", SITEMAP).status_code == 404
    assert shop.call("DELETE", DOMAIN, "sitemaps", SITEMAP).status_code == 404
    shop.submit(DOMAIN, SITEMAP)
    assert shop.call("GET", DOMAIN, "sitemaps", SITEMAP).json()["path"] == SITEMAP
    assert shop.call("DELETE", DOMAIN, "sitemaps", SITEMAP).status_code == 204
    assert shop.call("GET", DOMAIN, "sitemaps").json() == {}


# ---------------------------------------------------------------- limits


def test_twenty_calls_a_second_and_not_one_more(shop: SearchConsole) -> None:
    statuses = [shop.call("GET").status_code for _ in range(21)]
    assert statuses == [200] * 20 + [429]
    shop.sandbox.clock.advance(1)
    assert shop.call("GET").status_code == 200
    assert shop.sandbox.google.book.count(code="too-fast") == 1


def test_two_hundred_calls_a_minute_and_not_one_more(shop: SearchConsole) -> None:
    for _ in range(10):
        assert {shop.call("GET").status_code for _ in range(20)} == {200}
        shop.sandbox.clock.advance(1)
    error = shop.call("GET").json()["error"]
    assert error["status"] == "RESOURCE_EXHAUSTED"
    assert "Queries per minute per user" in error["message"]
    shop.sandbox.clock.advance(50)
    assert shop.call("GET").status_code == 200


def test_a_refused_call_takes_no_place(shop: SearchConsole) -> None:
    shop.sandbox.google.set_limits(per_second=2, per_minute=None)
    assert [shop.call("GET").status_code for _ in range(5)] == [200, 200, 429, 429, 429]
    shop.sandbox.clock.advance(1)
    assert [shop.call("GET").status_code for _ in range(3)] == [200, 200, 429]


def test_limits_are_each_accounts_own(shop: SearchConsole) -> None:
    shop.sandbox.google.set_limits(per_second=1, per_minute=None)
    other = shop.sandbox.google.add_account("other@sandbox-project.iam.gserviceaccount.com")
    other._key = shop.account.private_key()
    token = ask_token(shop.sandbox, shop.http, sign(other, claims(other))).json()["access_token"]
    assert shop.call("GET").status_code == 200
    assert shop.call("GET").status_code == 429
    assert shop.call("GET", token=token).status_code == 200


def test_a_scaled_run_has_shorter_windows(shop: SearchConsole) -> None:
    shop.sandbox.google.set_limits(speed=10)
    assert [shop.call("GET").status_code for _ in range(21)][-1] == 429
    shop.sandbox.clock.advance(0.1)
    assert shop.call("GET").status_code == 200


def test_calls_from_many_threads_are_all_booked_once(shop: SearchConsole) -> None:
    shop.sandbox.google.set_limits(per_second=None, per_minute=None)
    sitemaps = [f"http://shop.fleet.test/{number}.xml" for number in range(120)]

    def submit(sitemap: str) -> int:
        return shop.submit(DOMAIN, sitemap).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(submit, sitemaps)) == {204}
    book = shop.sandbox.google.book
    assert sorted(book.accepted("sitemaps.submit")) == sorted(sitemaps)
    assert [entry.number for entry in book.entries()] == list(range(1, book.count() + 1))
    assert len(shop.rows(DOMAIN)) == 120
