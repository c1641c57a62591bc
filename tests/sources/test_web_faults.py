"""Every fault of a site, and what the guarded client makes of it (F01-F22)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from submitter.core.findings import Finding
from submitter.core.fleet import Site
from submitter.core.looks import Validators
from submitter.errors import FetchError
from submitter.sources.web import WebSource
from support import fault_server as faults
from support.fault_server import Answer, FaultServer
from support.fetching import PatientClock, make_site

BODY = b"<urlset>" + b"<url><loc>https://shop.example/p/1</loc></url>" * 200 + b"</urlset>"
TAGGED = Validators(etag='"a"')


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one fetch."""

    body: bytes
    complete: bool
    delimited: bool
    findings: tuple[Finding, ...]
    error: FetchError | None = None

    @property
    def notes(self) -> list[str]:
        return [finding.id for finding in self.findings]

    @property
    def reason(self) -> str | None:
        return self.error.reason if self.error else None


def look(source: WebSource, url: str, site: Site, **options: object) -> Seen:
    """Fetch and read to the end; a fault in mid-body is part of what is seen."""
    with source.fetch(url, site=site, **options) as fetched:  # type: ignore[arg-type]
        body, broken = bytearray(), None
        try:
            for piece in fetched.chunks():
                body += piece
        except FetchError as error:
            broken = error
        findings = tuple(fetched.findings)
        return Seen(bytes(body), fetched.complete, fetched.delimited, findings, broken)


def refusal(source: WebSource, url: str, site: Site, **options: object) -> FetchError:
    with (
        pytest.raises(FetchError) as caught,
        source.fetch(url, site=site, **options),  # type: ignore[arg-type]
    ):
        pytest.fail("was opened")
    return caught.value


WHOLE: dict[str, Answer] = {
    "length": faults.ok(BODY),
    "chunks": faults.chunked(BODY[:100], BODY[100:]),
    "gzip": faults.gzipped(BODY),
    "gzip-until-close": faults.until_close(faults.gzip.compress(BODY)),
    "double-gzip": faults.double_gzip(BODY),
    "gzip-in-plain-headers": faults.ok(faults.gzip.compress(BODY)),
    "gzip-members": faults.ok(faults.gzip.compress(BODY[:99]) + faults.gzip.compress(BODY[99:])),
    "gzip-padded-with-zeros": faults.ok(faults.gzip.compress(BODY) + bytes(512)),
    "says-gzip-and-is-not": faults.ok(BODY, content_encoding="gzip"),
    "100-continue": faults.continue_100(BODY),
    "203": faults.status(203, BODY),
    "wrong-type": faults.wrong_type(BODY),
    "http-1.0-with-length": faults.raw(
        b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    ),
    "drip-in-time": faults.drip(BODY, size=4_000, pause_s=0.01),
    "gzip-then-junk": faults.ok(faults.gzip.compress(BODY) + b"<!-- cached in 0.2 s -->"),
    "gzip-then-junk-for-ever": faults.gzip_tail_forever(BODY),
    "a-length-below-the-body": faults.short_length(BODY + b"0123456789"),
}


@pytest.mark.parametrize("answer", WHOLE.values(), ids=WHOLE)
def test_a_body_with_a_proven_end_is_complete(
    answer: Answer, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", answer)
    seen = look(source, server.url("/s.xml"), site)
    assert (seen.body, seen.complete, seen.delimited, seen.error) == (BODY, True, True, None)


def test_what_a_site_says_with_200_is_handed_on_for_its_reader_to_judge(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/login", faults.html_200())
    server.on("/empty", faults.empty_200())
    assert look(source, server.url("/login"), site).body.startswith(b"<!doctype html>")
    empty = look(source, server.url("/empty"), site)
    assert (empty.body, empty.complete) == (b"", True)


PREFIX: dict[str, tuple[Answer, str | None, str | None]] = {
    "close-delimited": (faults.until_close(BODY), None, None),
    "close-delimited-and-cut": (faults.close_after(BODY, 5_000), None, None),
    "length-too-long": (faults.long_length(BODY), "body-cut", None),
    "chunk-cut": (faults.chunk_cut(BODY), "body-cut", None),
    "bad-chunk": (faults.bad_chunk(BODY), "body-cut", None),
    "negative-chunk": (faults.bad_chunk(BODY, b"-5"), "body-cut", None),
    "gzip-cut": (faults.gzip_cut(BODY, 80), None, "gzip-truncated"),
    "gzip-without-trailer": (faults.ok(faults.gzip.compress(BODY)[:-8]), None, "gzip-truncated"),
    "gzip-bad-checksum": (
        faults.ok(faults.gzip.compress(BODY)[:-8] + bytes(8)),
        None,
        "gzip-corrupt",
    ),
    "stalled": (faults.stall_body(BODY, 5_000), "too-slow", None),
    "dripping": (faults.drip(BODY), "too-slow", None),
}


@pytest.mark.parametrize(("answer", "reason", "note"), PREFIX.values(), ids=PREFIX)
def test_a_body_without_a_proven_end_gives_its_beginning_and_is_never_complete(
    answer: Answer, reason: str | None, note: str | None, server: FaultServer, source: WebSource
) -> None:
    server.on("/s.xml", answer)
    seen = look(source, server.url("/s.xml"), make_site(server, timeout_s=0.6))
    assert seen.body
    assert BODY.startswith(seen.body[: len(BODY)])
    assert (seen.complete, seen.reason) == (False, reason)
    assert note is None or note in seen.notes


def test_the_end_of_a_connection_says_nothing_about_the_end_of_a_body(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.until_close(BODY))
    seen = look(source, server.url("/s.xml"), site)
    assert (seen.body, seen.complete, seen.delimited) == (BODY, False, False)


REFUSED: dict[str, tuple[Answer, str]] = {
    "headers-that-drip": (faults.slow_headers(), "timeout"),
    "reset": (faults.rst(), "connect-reset"),
    "closed": (faults.raw(b""), "connect-reset"),
    "no-http": (faults.raw(b"SSH-2.0-OpenSSH_9.6\r\n"), "bad-response"),
    "http-0.9": (faults.raw(b"<urlset></urlset>\r\n\r\n"), "bad-response"),
    "http-2-in-clear": (faults.raw(b"HTTP/2 200\r\n\r\n"), "bad-response"),
    "many-headers": (faults.header_flood(), "header-flood"),
    "a-long-header": (faults.ok(BODY, x_long="a" * 70_000), "header-flood"),
    "headers-in-sum": (
        faults.ok(BODY, **{f"x_{n}": "a" * 9_000 for n in range(20)}),
        "header-flood",
    ),
    "100-continue-for-ever": (faults.continue_100(BODY, times=10_000), "header-flood"),
    "a-line-that-is-no-header": (
        faults.raw(b"HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 2\r\n\r\nhi"),
        "bad-response",
    ),
    "nul-in-a-header": (faults.ok(BODY, x_nul="a\0b"), "bad-response"),
    "two-lengths": (
        faults.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\nhi"),
        "bad-response",
    ),
    "a-length-of-letters": (faults.status(200, BODY, content_length="many"), "bad-response"),
    "a-length-with-a-sign": (faults.status(200, BODY, content_length="+5"), "bad-response"),
    "a-length-python-style": (faults.status(200, BODY, content_length="1_0"), "bad-response"),
    "odd-transfer-encoding": (
        faults.status(200, BODY, transfer_encoding="gzip, chunked"),
        "bad-response",
    ),
    "brotli": (faults.ok(BODY, content_encoding="br"), "bad-encoding"),
    "304-to-a-fresh-request": (faults.not_modified_without_etag(), "unexpected-304"),
    "103": (faults.status(103), "http-103"),
    "204": (faults.status(204), "http-204"),
    "206": (faults.status(206, BODY), "http-206"),
    "300": (faults.status(300), "http-300"),
    "302-without-location": (faults.status(302), "http-302"),
    "401": (faults.status(401), "http-401"),
    "403": (faults.status(403), "http-403"),
    "404": (faults.status(404), "http-404"),
    "410": (faults.status(410), "http-410"),
    "451": (faults.status(451), "http-451"),
    "500": (faults.status(500), "http-500"),
    "999": (faults.status(999), "http-999"),
}


@pytest.mark.parametrize(("answer", "reason"), REFUSED.values(), ids=REFUSED)
def test_an_answer_that_is_no_document_is_refused_by_its_reason(
    answer: Answer, reason: str, server: FaultServer, source: WebSource
) -> None:
    server.on("/s.xml", answer)
    error = refusal(source, server.url("/s.xml"), make_site(server, timeout_s=0.6))
    assert error.reason == reason
    assert error.http_status == (
        int(reason[5:]) if reason.startswith("http-") else error.http_status
    )


@pytest.mark.parametrize(
    ("greeting", "reason"),
    [(faults.accept_then_rst, "connect-reset"), (faults.accept_then_hang, "timeout")],
    ids=["reset", "hang"],
)
def test_a_connection_without_an_answer_is_told_apart(
    greeting: faults.Greeting, reason: str, server: FaultServer, source: WebSource
) -> None:
    server.on_accept(greeting, greeting, greeting)
    site = make_site(server, timeout_s=0.3)
    assert refusal(source, server.url("/s.xml"), site).reason == reason


def test_nobody_at_the_port_is_refused_without_a_second_try(
    source: WebSource, clock: PatientClock
) -> None:
    with FaultServer() as gone:
        site = make_site(gone)
    assert refusal(source, gone.url("/s.xml"), site).reason == "connect-refused"
    assert clock.slept == []


# ------------------------------------------------------------ sizes


@pytest.mark.parametrize(
    "pack", [faults.ok, faults.gzipped, faults.double_gzip, faults.until_close]
)
def test_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not(
    pack: object, server: FaultServer, source: WebSource
) -> None:
    site = make_site(server, max_bytes=len(BODY))
    server.on("/exact.xml", pack(BODY))  # type: ignore[operator]
    server.on("/over.xml", pack(BODY + b"\n"))  # type: ignore[operator]
    exact = look(source, server.url("/exact.xml"), site)
    over = look(source, server.url("/over.xml"), site)
    assert (exact.body, exact.reason) == (BODY, None)
    assert (over.body, over.reason, over.complete) == (BODY, "too-large", False)


def test_a_bomb_stops_at_the_limit_and_what_came_before_stays_good(
    server: FaultServer, source: WebSource
) -> None:
    server.on("/bomb.xml", faults.gzip_bomb(start=BODY))
    seen = look(source, server.url("/bomb.xml"), make_site(server, max_bytes=100_000))
    assert (len(seen.body), seen.reason) == (100_000, "too-large")
    assert seen.body.startswith(BODY)


def test_a_body_without_end_stops_at_the_limit(server: FaultServer, source: WebSource) -> None:
    server.on("/endless", faults.until_close(b"https://shop.example/\n" * 100_000))
    seen = look(source, server.url("/endless"), make_site(server, max_bytes=50_000))
    assert (len(seen.body), seen.reason) == (50_000, "too-large")


def test_trailers_without_end_stop_at_the_limit(server: FaultServer, source: WebSource) -> None:
    trailers = b"X-Trailer: aaaaaaaaaaaaaaaa\r\n" * 100_000
    start = faults.head(transfer_encoding="chunked") + b"2\r\nhi\r\n0\r\n"
    server.on("/trailers", faults.raw(start + trailers + b"\r\n"))
    seen = look(source, server.url("/trailers"), make_site(server, max_bytes=50_000))
    assert (seen.body, seen.reason, seen.complete) == (b"hi", "too-large", False)


def test_three_layers_of_gzip_are_refused(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.double_gzip(faults.gzip.compress(BODY)))
    seen = look(source, server.url("/s.xml"), site)
    assert (seen.body, seen.reason) == (b"", "gzip-nested")


def test_a_fault_of_the_body_stays_a_fault(server: FaultServer, source: WebSource) -> None:
    server.on("/s.xml", faults.ok(BODY))
    with source.fetch(server.url("/s.xml"), site=make_site(server, max_bytes=100)) as fetched:
        for _ in range(3):
            with pytest.raises(FetchError, match="more than 100 bytes"):
                b"".join(fetched.chunks())
        assert not fetched.complete


@pytest.mark.parametrize(
    "answer", [faults.ok(BODY), faults.chunked(BODY)], ids=["length", "chunks"]
)
def test_a_fetch_that_is_over_gives_nothing_that_passes_for_an_end(
    answer: Answer, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", answer)
    with source.fetch(server.url("/s.xml"), site=site) as fetched:
        pass
    with pytest.raises(FetchError, match="over"):
        b"".join(fetched.chunks())
    assert not fetched.complete


# ------------------------------------------------------------ notes


NOTED: dict[str, tuple[Answer, list[str]]] = {
    "plain": (faults.ok(BODY), []),
    "gzip": (faults.gzipped(BODY), []),
    "twice": (faults.double_gzip(BODY), ["gzip-twice"]),
    "a-lie": (faults.ok(BODY, content_encoding="gzip"), ["not-gzip"]),
    "junk": (faults.gzip_tail_forever(BODY), ["gzip-trailing-junk"]),
    "zeros": (faults.ok(faults.gzip.compress(BODY) + bytes(9)), []),
    "empty": (faults.ok(b"", content_encoding="gzip"), []),
    "cut": (faults.gzip_cut(BODY, 60), ["gzip-truncated"]),
}


@pytest.mark.parametrize(("answer", "notes"), NOTED.values(), ids=NOTED)
def test_what_was_odd_about_the_transport_is_noted(
    answer: Answer, notes: list[str], server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", answer)
    assert look(source, server.url("/s.xml"), site).notes == notes


@pytest.mark.parametrize(
    ("header", "content_type", "charset"),
    [
        ("application/xml", "application/xml", None),
        ("Text/XML; charset=GB2312", "text/xml", "gb2312"),
        ('text/plain ;charset="utf-8"', "text/plain", "utf-8"),
        ("", "", None),
        (";;;", "", None),
    ],
)
def test_the_content_type_is_taken_apart(
    header: str,
    content_type: str,
    charset: str | None,
    server: FaultServer,
    source: WebSource,
    site: Site,
) -> None:
    server.on("/s.xml", faults.ok(BODY, header))
    with source.fetch(server.url("/s.xml"), site=site) as fetched:
        assert (fetched.content_type, fetched.charset) == (content_type, charset)


# ------------------------------------------------------------ asking again


def test_validators_are_sent_and_304_is_an_answer(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.conditional(BODY, '"a"'))
    with source.fetch(server.url("/s.xml"), site=site) as fresh:
        assert b"".join(fresh.chunks()) == BODY
        known = fresh.validators
    assert known == TAGGED
    with source.fetch(server.url("/s.xml"), site=site, validators=known) as again:
        assert (again.status, b"".join(again.chunks()), again.complete) == (304, b"", True)
        assert again.validators == known


def test_a_304_that_names_no_validator_keeps_those_that_were_sent(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.not_modified_without_etag())
    known = Validators(last_modified="Mon, 30 Nov 2026 08:00:00 GMT")
    with source.fetch(server.url("/s.xml"), site=site, validators=known) as again:
        assert (again.status, again.validators) == (304, known)
    assert server.requests[0].headers["if-modified-since"] == known.last_modified


def test_empty_validators_make_no_conditional_request(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.always_304())
    error = refusal(source, server.url("/s.xml"), site, validators=Validators())
    assert error.reason == "unexpected-304"
    assert "if-none-match" not in server.requests[0].headers


def test_a_tag_is_taken_as_it_comes(server: FaultServer, source: WebSource, site: Site) -> None:
    server.on("/s.xml", faults.etag_flap(BODY))
    tags = []
    for _ in range(2):
        with source.fetch(server.url("/s.xml"), site=site, validators=TAGGED) as fetched:
            tags.append(fetched.validators.etag)
    assert tags == ['"0"', '"1"']


def test_a_validator_that_cannot_be_sent_back_is_not_kept(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.ok(BODY, etag='"' + "a" * 5_000 + '"', last_modified="\x7f"))
    server.on("/t.xml", faults.ok(BODY, etag='"' + "a" * 5_000 + '"', last_modified="\t"))
    assert refusal(source, server.url("/s.xml"), site).reason == "bad-response"
    with source.fetch(server.url("/t.xml"), site=site) as fetched:
        assert fetched.validators == Validators()
