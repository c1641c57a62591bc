"""Names: asked once, checked as a whole, and connected to as checked (F01, S01, S03, S04, S11)."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from submitter.core.fleet import Site
from submitter.errors import FetchError
from submitter.sources.web import WebSource
from support import fault_server as faults
from support.fault_server import FaultServer
from support.fetching import PatientClock, make_site

BODY = b"<urlset/>"


class Names:
    """A name service that says what it is told, answer after answer, and counts."""

    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, *_: object) -> list[tuple[object, ...]]:
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return [(0, 1, 6, "", (ip, port)) for ip in answer]


def shop(server: FaultServer, **rules: object) -> Site:
    """A site with a name, on the server's port."""
    return replace(make_site(server, **rules), host=f"shop.example:{server.port}")  # type: ignore[arg-type]


def fetch(source: WebSource, site: Site, path: str = "/s.xml") -> bytes:
    with source.fetch(f"{site.origin}{path}", site=site) as fetched:
        return b"".join(fetched.chunks())


def refused(source: WebSource, site: Site) -> str:
    with pytest.raises(FetchError) as caught:
        fetch(source, site)
    return caught.value.reason


def test_a_name_is_asked_once_for_each_request(server: FaultServer, source: WebSource) -> None:
    source.resolve = names = Names(["127.0.0.1"])
    server.on_chain(["/s.xml", "/t.xml"], faults.ok(BODY))
    assert fetch(source, shop(server)) == BODY
    assert names.asked == ["shop.example", "shop.example"]
    assert [request.headers["host"] for request in server.requests] == [
        f"shop.example:{server.port}"
    ] * 2


def test_a_name_that_turns_private_after_the_check_gains_nothing(
    server: FaultServer, source: WebSource
) -> None:
    source.resolve = names = Names(["127.0.0.1"], ["10.0.0.1"])
    server.on("/s.xml", faults.ok(BODY))
    site = shop(server, allow_private=("127.0.0.0/8",))
    assert fetch(source, site) == BODY
    assert names.asked == ["shop.example"]  # nobody asked a second time for the connection
    assert refused(source, site) == "private-address"


@pytest.mark.parametrize(
    ("ips", "reason"),
    [
        (["127.0.0.1"], "private-address"),
        (["169.254.169.254"], "private-address"),
        (["fd00:ec2::254"], "private-address"),
        (["fe80::1%eth0"], "private-address"),
        (["10.0.0.1", "10.0.0.2"], "private-address"),
        (["8.8.8.8", "10.0.0.1"], "mixed-addresses"),
        (["10.0.0.1", "8.8.8.8"], "mixed-addresses"),
        (["2606:4700::1111", "::1"], "mixed-addresses"),
        (["2606:4700::1111", "::ffff:127.0.0.1"], "mixed-addresses"),
        ([], "dns-empty"),
    ],
)
def test_a_name_is_refused_for_any_one_of_its_addresses(
    ips: list[str], reason: str, server: FaultServer, source: WebSource
) -> None:
    source.resolve = Names(ips)
    site = replace(shop(server), allow_private=())
    assert refused(source, site) == reason
    assert server.connections == 0


@pytest.mark.parametrize(
    ("error", "reason", "times"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "dns-nxdomain", 1),
        (socket.gaierror(-5, "No address associated with hostname"), "dns-empty", 1),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), "dns-failure", 3),
        (socket.gaierror(socket.EAI_FAIL, "Non-recoverable failure"), "dns-failure", 3),
        (UnicodeError("label too long"), "bad-url", 1),
    ],
)
def test_the_name_service_fails_in_ways_that_are_told_apart(
    error: Exception, reason: str, times: int, server: FaultServer, source: WebSource
) -> None:
    source.resolve = names = Names(error)
    assert refused(source, shop(server)) == reason
    assert len(names.asked) == times


def test_a_name_service_that_hangs_is_left_waiting(server: FaultServer, source: WebSource) -> None:
    never = threading.Event()

    def hang(*_: object) -> list[tuple[object, ...]]:
        never.wait(30)
        return []

    source.resolve = hang
    assert refused(source, shop(server, timeout_s=0.2)) == "dns-timeout"
    never.set()


def test_a_failure_that_passes_is_got_over(
    server: FaultServer, source: WebSource, clock: PatientClock
) -> None:
    source.resolve = Names(socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), ["127.0.0.1"])
    server.on("/s.xml", faults.ok(BODY))
    assert fetch(source, shop(server)) == BODY
    assert len(clock.slept) == 1


def test_the_next_address_is_tried_when_the_first_does_not_answer(
    server: FaultServer, source: WebSource
) -> None:
    source.resolve = Names(["::1", "127.0.0.1"])  # the server listens at the second only
    server.on("/s.xml", faults.ok(BODY))
    assert fetch(source, shop(server, allow_private=("::1/128", "127.0.0.1/32"))) == BODY


def test_connect_to_leads_to_another_door_under_the_same_name(
    server: FaultServer, source: WebSource
) -> None:
    source.resolve = names = Names(AssertionError("an address needs no name service"))
    server.on("/s.xml", faults.ok(BODY))
    there = {"shop.example:80": f"127.0.0.1:{server.port}"}
    site = replace(make_site(server, connect_to=there), host="shop.example")
    assert fetch(source, site) == BODY
    assert server.requests[0].headers["host"] == "shop.example"
    assert names.asked == []


def test_connect_to_opens_no_private_address_by_itself(
    server: FaultServer, source: WebSource
) -> None:
    there = {"shop.example:80": f"127.0.0.1:{server.port}"}
    site = replace(make_site(server, connect_to=there), host="shop.example", allow_private=())
    assert refused(source, site) == "private-address"
    assert server.connections == 0


def test_localhost_is_private_under_every_name(server: FaultServer, source: WebSource) -> None:
    for name in ("localhost", "localhost.", "LOCALHOST"):
        url = f"http://{name}:{server.port}/"
        site = Site(f"localhost:{server.port}", scheme="http")
        with pytest.raises(FetchError) as caught, source.fetch(url, site=site):
            pytest.fail("was opened")
        assert caught.value.reason == "private-address"
