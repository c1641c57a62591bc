"""The real client libraries talk to the sandbox over loopback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.auth.exceptions import RefreshError
from google.oauth2 import service_account
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from submitter.sandbox import Sandbox, Section
from submitter.sandbox.google_accounts import SCOPE_READ, SCOPE_WRITE

DOMAIN = "sc-domain:fleet.test"
SITEMAP = "http://shop.fleet.test/sitemap-index.xml"


def connect(sandbox: Sandbox, scope: str = SCOPE_WRITE) -> Any:
    email = sandbox.google.add_account().email
    credentials = service_account.Credentials.from_service_account_info(  # type: ignore[no-untyped-call]
        sandbox.google.key_file(email), scopes=[scope]
    )
    return build(
        "searchconsole",
        "v1",
        credentials=credentials,
        client_options={"api_endpoint": f"{sandbox.google.endpoint}/"},
        cache_discovery=False,
    )


@pytest.fixture
def service(still: Sandbox) -> Iterator[Any]:
    still.fleet.add_site("shop", Section("pages", 12))
    still.google.grant(still.google.add_account().email, DOMAIN)
    with connect(still) as service:
        yield service


def test_the_official_client_submits_lists_and_deletes(service: Any, still: Sandbox) -> None:
    assert service.sites().list().execute() == {
        "siteEntry": [{"siteUrl": DOMAIN, "permissionLevel": "siteOwner"}]
    }
    sitemaps = service.sitemaps()
    assert not sitemaps.submit(siteUrl=DOMAIN, feedpath=SITEMAP).execute()
    still.google.advance()
    (row,) = sitemaps.list(siteUrl=DOMAIN).execute()["sitemap"]
    assert row["contents"] == [{"type": "web", "submitted": "12", "indexed": "0"}]
    assert sitemaps.get(siteUrl=DOMAIN, feedpath=SITEMAP).execute() == row
    assert not sitemaps.delete(siteUrl=DOMAIN, feedpath=SITEMAP).execute()
    assert sitemaps.list(siteUrl=DOMAIN).execute() == {}
    assert still.google.book.count(call="token") == 1


def test_an_index_address_too_long_for_a_get_still_arrives(service: Any, still: Sandbox) -> None:
    long = f"http://shop.fleet.test/{'x' * 2_100}.xml"
    service.sitemaps().submit(siteUrl=DOMAIN, feedpath=long).execute()
    assert service.sitemaps().list(siteUrl=DOMAIN, sitemapIndex=long).execute() == {}
    assert still.google.book.count(call="sitemaps.list", code="") == 1


def test_the_official_client_reads_a_refusal(service: Any) -> None:
    call = service.sitemaps().submit(siteUrl="http://shop.fleet.test/", feedpath=SITEMAP)
    with pytest.raises(HttpError, match="sufficient permission") as caught:
        call.execute()
    assert caught.value.status_code == 403


def test_the_official_client_renews_a_token_that_died(service: Any, still: Sandbox) -> None:
    service.sites().list().execute()
    still.clock.advance(4_000)
    assert "siteEntry" in service.sites().list().execute()
    assert still.google.book.count(call="token") == 2


def test_a_read_only_scope_is_refused_on_submit(service: Any, still: Sandbox) -> None:
    with connect(still, SCOPE_READ) as readonly:
        call = readonly.sitemaps().submit(siteUrl=DOMAIN, feedpath=SITEMAP)
        with pytest.raises(HttpError, match="insufficient authentication scopes"):
            call.execute()


def test_a_deleted_key_ends_in_a_refresh_error(service: Any, still: Sandbox) -> None:
    still.google.add_account().rotate_key()
    with pytest.raises(RefreshError, match="Invalid JWT Signature") as caught:
        service.sites().list().execute()
    assert caught.value.retryable is False
