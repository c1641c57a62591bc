"""Certificates: each fault has its name, and none is overlooked (F02)."""

from __future__ import annotations

import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from submitter.core.fleet import Site
from submitter.errors import ConfigError, FetchError
from submitter.sources.web import WebSource
from support import fault_server as faults
from support.certificates import Authority
from support.fault_server import FaultServer, Wire
from support.fetching import PatientClock, make_site

BODY = b"<urlset/>"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def shop(server: FaultServer, ca_file: str | None) -> Site:
    """A site whose name stands in the certificate; connect_to leads to the server."""
    there = {"shop.example:443": f"127.0.0.1:{server.port}"}
    return replace(make_site(server, connect_to=there, ca_file=ca_file), host="shop.example")


def reason(source: WebSource, tls: ssl.SSLContext, ca_file: str | None) -> str:
    with FaultServer(tls=tls) as server:
        with (
            pytest.raises(FetchError) as caught,
            source.fetch("https://shop.example/s.xml", site=shop(server, ca_file)),
        ):
            pytest.fail("was opened")
        assert server.requests == []
        return caught.value.reason


def test_a_certificate_of_a_trusted_authority_opens_the_site(
    authority: Authority, source: WebSource
) -> None:
    with FaultServer(tls=authority.tls("shop.example")) as server:
        server.on("/s.xml", faults.ok(BODY))
        site = shop(server, str(authority.ca_file))
        with source.fetch("https://shop.example/s.xml", site=site) as fetched:
            assert b"".join(fetched.chunks()) == BODY
        assert server.requests[0].headers["host"] == "shop.example"


def test_a_certificate_may_be_for_an_ip(authority: Authority, source: WebSource) -> None:
    with FaultServer(tls=authority.tls("127.0.0.1")) as server:
        server.on("/s.xml", faults.ok(BODY))
        site = make_site(server, ca_file=str(authority.ca_file))
        with source.fetch(server.url("/s.xml"), site=site) as fetched:
            assert b"".join(fetched.chunks()) == BODY


def test_an_expired_certificate_is_named(authority: Authority, source: WebSource) -> None:
    tls = authority.tls_expired("shop.example")
    assert reason(source, tls, str(authority.ca_file)) == "tls-expired"


def test_a_certificate_of_tomorrow_is_named(authority: Authority, source: WebSource) -> None:
    tls = authority.tls("shop.example", days=(2, 30))
    assert reason(source, tls, str(authority.ca_file)) == "tls-not-yet-valid"


def test_a_certificate_for_another_host_is_named(authority: Authority, source: WebSource) -> None:
    assert reason(source, authority.tls_wrong_host(), str(authority.ca_file)) == "tls-wrong-host"


def test_an_authority_nobody_trusts_is_named(authority: Authority, source: WebSource) -> None:
    assert reason(source, authority.tls("shop.example"), None) == "tls-unknown-ca"


def test_environment_variables_make_nobody_trustworthy(
    authority: Authority, source: WebSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.setenv(name, str(authority.ca_file))
    assert reason(source, authority.tls("shop.example"), None) == "tls-unknown-ca"


def test_a_fault_of_a_certificate_is_not_tried_again(
    authority: Authority, source: WebSource, clock: PatientClock
) -> None:
    reason(source, authority.tls_expired("shop.example"), str(authority.ca_file))
    assert clock.slept == []


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (bytes.fromhex("15030100020246"), "tls-old-version"),  # alert: protocol version
        (bytes.fromhex("15030100020228"), "tls-failure"),  # alert: handshake failure
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "tls-failure"),
        (b"", "connect-reset"),
    ],
)
def test_a_server_that_does_not_shake_hands_is_told_apart(
    said: bytes, reason: str, server: FaultServer, source: WebSource
) -> None:
    def greet(wire: Wire) -> None:
        wire.send(said)
        wire.close()

    server.on_accept(greet, greet, greet)
    with (
        pytest.raises(FetchError) as caught,
        source.fetch("https://shop.example/s.xml", site=shop(server, None)),
    ):
        pytest.fail("was opened")
    assert caught.value.reason == reason
    assert server.requests == []


def test_a_handshake_that_hangs_is_left(server: FaultServer, source: WebSource) -> None:
    server.on_accept(faults.accept_then_hang)
    there = {"shop.example:443": f"127.0.0.1:{server.port}"}
    site = replace(make_site(server, connect_to=there, timeout_s=0.3), host="shop.example")
    with (
        pytest.raises(FetchError) as caught,
        source.fetch("https://shop.example/s.xml", site=site),
    ):
        pytest.fail("was opened")
    assert caught.value.reason == "connect-timeout"


def test_a_redirect_from_https_to_http_is_followed_and_reported(
    authority: Authority, server: FaultServer, source: WebSource
) -> None:
    server.on("/s.xml", faults.ok(BODY))
    with FaultServer(tls=authority.tls("127.0.0.1")) as safe:
        safe.on("/s.xml", faults.redirect(server.url("/s.xml")))
        site = make_site(safe, ca_file=str(authority.ca_file), ports=(server.port,))
        with source.fetch(safe.url("/s.xml"), site=site) as fetched:
            assert b"".join(fetched.chunks()) == BODY
            assert [finding.id for finding in fetched.findings] == ["redirect-to-http"]


@pytest.mark.parametrize("text", ["", "no certificate", None])
def test_a_ca_file_without_certificates_is_a_fault_of_the_inventory(
    text: str | None, tmp_path: Path, server: FaultServer, source: WebSource
) -> None:
    ca_file = tmp_path / "ca.pem"
    if text is not None:
        ca_file.write_text(text)
    with (
        pytest.raises(ConfigError, match=r"ca\.pem"),
        source.fetch("https://shop.example/", site=shop(server, str(ca_file))),
    ):
        pytest.fail("was opened")
