"""Connections: used again where it is safe, never left open, and nobody else's business (F22, T11,
T13, T14)."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from submitter import __version__
from submitter.core.fleet import Site
from submitter.errors import FetchError
from submitter.sources.connections import MAX_IDLE, MAX_IDLE_S
from submitter.sources.web import WebSource, make_user_agent
from support import fault_server as faults
from support.fault_server import FaultServer
from support.fetching import PatientClock, make_site

BODY = b"<urlset/>"


def fetch(source: WebSource, url: str, site: Site, *, user_agent: str | None = None) -> bytes:
    with source.fetch(url, site=site, user_agent=user_agent) as fetched:
        return b"".join(fetched.chunks())


# ------------------------------------------------------------ used again


@pytest.mark.parametrize(
    "answer",
    [faults.ok(BODY), faults.chunked(BODY), faults.gzipped(BODY)],
    ids=["length", "chunked", "gzip"],
)
def test_a_connection_serves_one_document_after_another(
    answer: faults.Answer, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", answer)
    assert [fetch(source, server.url("/s.xml"), site) for _ in range(3)] == [BODY] * 3
    assert (len(server.requests), server.connections) == (3, 1)


def test_a_304_leaves_the_connection_open(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.conditional(BODY, '"a"'))
    with source.fetch(server.url("/s.xml"), site=site) as fresh:
        b"".join(fresh.chunks())
    for _ in range(2):
        with source.fetch(server.url("/s.xml"), site=site, validators=fresh.validators) as again:
            assert again.status == 304
    assert server.connections == 1


@pytest.mark.parametrize(
    "answer",
    [
        faults.until_close(BODY),
        faults.ok(BODY, connection="close"),
        faults.ok(faults.gzip.compress(BODY) + b"junk"),
    ],
    ids=["until-close", "says-close", "junk"],
)
def test_a_connection_with_anything_left_on_it_is_not_used_again(
    answer: faults.Answer, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", answer)
    assert [fetch(source, server.url("/s.xml"), site) for _ in range(2)] == [BODY] * 2
    assert server.connections == 2


def test_a_body_that_is_not_read_to_its_end_closes_the_connection(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.ok(BODY * 50_000))
    for _ in range(2):
        with source.fetch(server.url("/s.xml"), site=site) as fetched:
            next(iter(fetched.chunks()))
            assert not fetched.complete
    assert server.connections == 2


def test_a_connection_that_the_site_closed_meanwhile_is_replaced_without_a_pause(
    server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    def last(wire: faults.Wire, request: faults.Request) -> None:
        faults.ok(BODY)(wire, request)  # says nothing of closing, and closes
        wire.close()

    server.on("/s.xml", last)
    assert [fetch(source, server.url("/s.xml"), site) for _ in range(3)] == [BODY] * 3
    assert (server.connections, clock.slept) == (3, [])


def test_a_connection_is_used_again_only_at_an_address_the_name_leads_to_now(
    server: FaultServer, source: WebSource
) -> None:
    ips = ["127.0.0.1"]
    source.resolve = lambda host, port, *_: [(0, 1, 6, "", (ip, port)) for ip in ips]
    server.on("/s.xml", faults.ok(BODY))
    site = replace(
        make_site(server, allow_private=("127.0.0.0/8", "::1")), host=f"shop.example:{server.port}"
    )
    assert fetch(source, f"{site.origin}/s.xml", site) == BODY
    ips[:] = ["::1"]  # the site has moved, to where nobody listens
    with pytest.raises(FetchError) as caught:
        fetch(source, f"{site.origin}/s.xml", site)
    assert caught.value.reason.startswith("connect-")
    assert server.connections == 1


def test_two_names_at_one_address_share_no_connection(
    server: FaultServer, source: WebSource
) -> None:
    source.resolve = lambda host, port, *_: [(0, 1, 6, "", ("127.0.0.1", port))]
    server.on("/s.xml", faults.ok(BODY))
    for name in ("a.example", "b.example"):
        site = replace(make_site(server), host=f"{name}:{server.port}")
        assert fetch(source, f"{site.origin}/s.xml", site) == BODY
    assert server.connections == 2


def test_a_connection_at_rest_for_long_is_not_trusted(
    server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    server.on("/s.xml", faults.ok(BODY))
    fetch(source, server.url("/s.xml"), site)
    clock.move(MAX_IDLE_S + 1)
    fetch(source, server.url("/s.xml"), site)
    assert server.connections == 2


# ------------------------------------------------------------ never left open


FAULTY: dict[str, faults.Answer] = {
    "404": faults.status(404, BODY),
    "redirect": faults.redirect("file:///"),
    "reset": faults.rst(),
    "garbage": faults.raw(b"nonsense\r\n"),
    "flood": faults.header_flood(),
    "two-lengths": faults.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n"),
    "cut": faults.long_length(BODY),
    "bad-chunk": faults.bad_chunk(BODY),
    "bomb": faults.gzip_bomb(8_000_000),
}


@pytest.mark.parametrize("answer", FAULTY.values(), ids=FAULTY)
def test_a_fault_leaves_no_socket_behind(
    answer: faults.Answer, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", answer)
    with pytest.raises(FetchError):
        fetch(source, server.url("/s.xml"), site)
    assert source.idle._idle == []
    gc.collect()  # a socket left behind would warn, and warnings are errors


def test_close_all_closes_what_is_idle_and_the_source_can_go_on(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.ok(BODY))
    fetch(source, server.url("/s.xml"), site)
    assert len(source.idle._idle) == 1
    source.close_all()
    assert source.idle._idle == []
    assert fetch(source, server.url("/s.xml"), site) == BODY


def test_no_more_connections_rest_than_there_is_room_for(
    server: FaultServer, source: WebSource
) -> None:
    source.resolve = lambda host, port, *_: [(0, 1, 6, "", ("127.0.0.1", port))]
    server.on("/s.xml", faults.ok(BODY))
    for number in range(MAX_IDLE + 5):
        site = replace(make_site(server), host=f"s{number}.example:{server.port}")
        fetch(source, f"{site.origin}/s.xml", site)
    assert len(source.idle._idle) == MAX_IDLE


@contextmanager
def no_more_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_machine_without_file_descriptors_is_not_the_sites_fault(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    with no_more_files(), pytest.raises(FetchError) as caught:
        fetch(source, server.url("/s.xml"), site)
    assert caught.value.reason == "out-of-resources"


def test_many_threads_share_one_source(server: FaultServer, source: WebSource) -> None:
    bodies = {f"/{number}.xml": b"<urlset>%d</urlset>" % number for number in range(40)}
    for path, body in bodies.items():
        server.on(path, faults.gzipped(body))
    site = make_site(server, timeout_s=20.0)
    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(lambda path: fetch(source, server.url(path), site), bodies))
    assert seen == list(bodies.values())
    assert server.connections <= site.fetch.per_host


FORK = """
import os, sys
from submitter.kit.clock import SystemClock
from submitter.core.fleet import Site
from submitter.sources.web import WebSource

host = sys.argv[1]
site = Site(host, scheme="http", allow_private=("127.0.0.1/32",))
source = WebSource(SystemClock())

def fetch():
    with source.fetch(f"http://{host}/s.xml", site=site) as fetched:
        assert b"".join(fetched.chunks()) == b"<urlset/>"

fetch()
child = os.fork()
fetch()
fetch()
source.close_all()
if child == 0:
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_makes_connections_of_its_own(server: FaultServer) -> None:
    server.on("/s.xml", faults.ok(BODY))
    command = [sys.executable, "-W", "error", "-c", FORK, server.authority]
    done = subprocess.run(command, timeout=60, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.connections == 2
    assert len(server.requests) == 5


# ------------------------------------------------------------ who we are, and what we do not say


def test_a_request_says_who_asks_and_little_else(server: FaultServer, source: WebSource) -> None:
    server.on("/s.xml", faults.ok(BODY))
    contact = "https://example.com/bot"
    fetch(source, server.url("/s.xml?a=1"), make_site(server, contact=contact))
    (request,) = server.requests
    assert (request.method, request.target) == ("GET", "/s.xml?a=1")
    assert dict(request.headers) == {
        "host": server.authority,
        "user-agent": f"Submitter/{__version__} (+{contact})",
        "accept": "*/*",
        "accept-encoding": "gzip",
    }


@pytest.mark.parametrize(
    ("contact", "agent"),
    [
        (None, f"Submitter/{__version__}"),
        ("", f"Submitter/{__version__}"),
        ("seo@example.com", f"Submitter/{__version__} (+seo@example.com)"),
        ("a) b\r\nX-Evil: 1", f"Submitter/{__version__} (+abX-Evil:1)"),
    ],
)
def test_the_user_agent_names_a_contact(contact: str | None, agent: str) -> None:
    assert make_user_agent(contact) == agent


def test_one_fetch_may_ask_as_somebody_else(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.ok(BODY))
    fetch(source, server.url("/s.xml"), site, user_agent="Mozilla/5.0 (compatible; Bot/2.1)")
    assert server.requests[0].headers["user-agent"] == "Mozilla/5.0 (compatible; Bot/2.1)"


def test_proxies_and_passwords_of_the_environment_are_not_used(
    server: FaultServer,
    source: WebSource,
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password hunter2\n")
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HOME", str(tmp_path))
    server.on("/s.xml", faults.ok(BODY, set_cookie="session=1; Path=/"))
    assert [fetch(source, server.url("/s.xml"), site) for _ in range(2)] == [BODY] * 2
    for request in server.requests:
        assert not {"authorization", "cookie", "proxy-authorization"} & request.headers.keys()
