"""Retries that are kind and finite, and hosts that are not pressed (F15, P7, P12)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from submitter.core.fleet import Site
from submitter.errors import FetchError
from submitter.sources.deadlines import Deadline
from submitter.sources.politeness import FIRST_GAP_S, LONGEST_GAP_S, REMEMBERED_HOSTS, Pacer
from submitter.sources.web import MAX_TRIES, WebSource
from support import fault_server as faults
from support.fault_server import FaultServer, Request, Wire
from support.fetching import PatientClock, make_site

BODY = b"<urlset/>"
DATE = "Mon, 30 Nov 2026 12:00:00 GMT"


def fetch(source: WebSource, url: str, site: Site, *, until: float | None = None) -> bytes:
    with source.fetch(url, site=site, until=until) as fetched:
        return b"".join(fetched.chunks())


def refusal(source: WebSource, url: str, site: Site, *, until: float | None = None) -> FetchError:
    with pytest.raises(FetchError) as caught:
        fetch(source, url, site, until=until)
    return caught.value


# ------------------------------------------------------------ trying again


@pytest.mark.parametrize("code", [429, 502, 503, 504])
def test_a_passing_fault_is_tried_again(
    code: int, server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    server.on("/s.xml", faults.status(code), faults.ok(BODY))
    assert fetch(source, server.url("/s.xml"), site) == BODY
    assert len(clock.slept) == 1


def test_a_reset_is_tried_again(server: FaultServer, source: WebSource, site: Site) -> None:
    server.on("/s.xml", faults.rst(), faults.rst(), faults.ok(BODY))
    assert fetch(source, server.url("/s.xml"), site) == BODY


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 451, 500, 501])
def test_an_answer_that_stands_is_not_asked_for_twice(
    code: int, server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    server.on("/s.xml", faults.status(code), faults.ok(BODY))
    assert refusal(source, server.url("/s.xml"), site).http_status == code
    assert (len(server.requests), clock.slept) == (1, [])


def test_tries_are_counted(server: FaultServer, source: WebSource) -> None:
    server.on("/s.xml", faults.status(503))
    site = make_site(server, timeout_s=60.0)
    assert refusal(source, server.url("/s.xml"), site).reason == "http-503"
    assert len(server.requests) == MAX_TRIES


def test_a_body_that_breaks_off_is_not_fetched_again_behind_the_readers_back(
    server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/s.xml", faults.long_length(BODY))
    assert refusal(source, server.url("/s.xml"), site).reason == "body-cut"
    assert len(server.requests) == 1


# ------------------------------------------------------------ Retry-After


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize(
    ("value", "at_least"),
    [
        ("2", 2.0),
        ("Mon, 30 Nov 2026 12:00:03 GMT", 3.0),
        ("Monday, 30-Nov-26 12:00:03 GMT", 3.0),
        ("Mon Nov 30 12:00:03 2026", 3.0),
        ("0", FIRST_GAP_S),
        ("Mon, 30 Nov 2026 11:00:00 GMT", FIRST_GAP_S),
        ("-5", FIRST_GAP_S),
        ("1.5", FIRST_GAP_S),
        ("soon", FIRST_GAP_S),
    ],
)
def test_retry_after_is_obeyed_inside_the_time_there_is(
    value: str,
    at_least: float,
    code: int,
    server: FaultServer,
    source: WebSource,
    clock: PatientClock,
    site: Site,
) -> None:
    server.on("/s.xml", faults.retry_after(value, code, date=DATE), faults.ok(BODY))
    assert fetch(source, server.url("/s.xml"), site) == BODY
    assert at_least <= sum(clock.slept) < 4.5


@pytest.mark.parametrize("value", ["60", "1000000000", "Mon, 30 Nov 2026 13:00:00 GMT"])
def test_a_wait_that_does_not_fit_is_handed_on_and_not_slept(
    value: str, server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    server.on("/s.xml", faults.retry_after(value, date=DATE), faults.ok(BODY))
    error = refusal(source, server.url("/s.xml"), site)
    assert (error.reason, error.http_status) == ("http-429", 429)
    assert error.retry_after_s is not None
    assert error.retry_after_s >= 60
    assert (len(server.requests), clock.slept) == (1, [])


def test_a_host_that_asked_for_peace_gets_it_from_the_next_document_too(
    server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    server.on("/a.xml", faults.retry_after("60"))
    server.on("/b.xml", faults.ok(BODY))
    refusal(source, server.url("/a.xml"), site)
    error = refusal(source, server.url("/b.xml"), site)
    assert error.reason == "host-paused"
    assert error.retry_after_s == pytest.approx(60, abs=30)
    assert server.asked("/b.xml") == []
    clock.move(61)
    assert fetch(source, server.url("/b.xml"), site) == BODY


# ------------------------------------------------------------ time


def test_the_runs_deadline_is_not_blamed_on_the_site(
    server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    server.on("/slow.xml", faults.slow_headers())
    server.on("/drip.xml", faults.drip(BODY * 100))
    for path in ("/slow.xml", "/drip.xml"):
        until = clock.monotonic() + 0.2
        assert refusal(source, server.url(path), site, until=until).reason == "deadline"


def test_nothing_starts_after_the_deadline(
    server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    until = clock.monotonic() - 1
    assert refusal(source, server.url("/s.xml"), site, until=until).reason == "deadline"
    assert server.requests == []


def test_a_slow_reader_does_not_make_the_site_slow(
    server: FaultServer, source: WebSource, clock: PatientClock, site: Site
) -> None:
    body = BODY * 100_000
    server.on("/s.xml", faults.ok(body))
    seen = 0
    with source.fetch(server.url("/s.xml"), site=site) as fetched:
        for piece in fetched.chunks():
            seen += len(piece)
            clock.move(100)
    assert seen == len(body)


# ------------------------------------------------------------ one host


def test_a_host_never_sees_more_connections_than_it_may(
    server: FaultServer, source: WebSource
) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def answer(wire: Wire, request: Request) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        wire.pause(0.02)
        with lock:
            now -= 1
        faults.ok(BODY)(wire, request)

    server.on("/s.xml", answer)
    site = make_site(server, per_host=2, timeout_s=20.0)
    with ThreadPoolExecutor(8) as pool:
        bodies = list(pool.map(lambda _: fetch(source, server.url("/s.xml"), site), range(16)))
    assert bodies == [BODY] * 16
    assert most <= 2
    assert server.connections <= 2


def test_a_place_that_never_comes_free_is_given_up(server: FaultServer, source: WebSource) -> None:
    server.on("/s.xml", faults.ok(BODY))
    site = make_site(server, per_host=1, timeout_s=0.2)
    with source.fetch(server.url("/s.xml"), site=site):
        assert refusal(source, server.url("/s.xml"), site).reason == "host-busy"
    assert fetch(source, server.url("/s.xml"), site) == BODY


def test_a_place_is_given_back_whatever_happens(server: FaultServer, source: WebSource) -> None:
    server.on("/404.xml", faults.status(404))
    server.on("/cut.xml", faults.long_length(BODY))
    server.on("/s.xml", faults.ok(BODY))
    site = make_site(server, per_host=1, timeout_s=1.0)
    for path in ("/404.xml", "/cut.xml"):
        refusal(source, server.url(path), site)
    with pytest.raises(KeyError), source.fetch(server.url("/s.xml"), site=site):
        raise KeyError("the reader fails")
    assert fetch(source, server.url("/s.xml"), site) == BODY


class StillClock(PatientClock):
    """Stands still but for sleep."""

    def monotonic(self) -> float:
        return self._ahead


@pytest.fixture
def still() -> StillClock:
    return StillClock()


def waits(pacer: Pacer, clock: StillClock, host: str, times: int) -> list[float]:
    """How long each of some requests, one after another, has to wait."""
    clock.slept.clear()
    before, spent = 0.0, []
    for _ in range(times):
        deadline = Deadline(clock, f"https://{host}/", limit_s=1_000, until=None)
        pacer.enter(host, parallel=4, deadline=deadline)()
        spent.append(sum(clock.slept) - before)
        before = sum(clock.slept)
    return spent


def test_the_gap_doubles_with_each_refusal_up_to_a_limit(still: StillClock) -> None:
    pacer = Pacer(still)
    pauses = [pacer.slow_down("shop.example", None) for _ in range(8)]
    assert pauses == [1, 2, 4, 8, 16, 30, 30, 30]
    assert waits(pacer, still, "shop.example", 3) == [LONGEST_GAP_S] * 3


def test_the_gap_closes_again_with_good_answers(still: StillClock) -> None:
    pacer = Pacer(still)
    pacer.slow_down("shop.example", None)
    gaps = []
    for _ in range(4):
        gaps += waits(pacer, still, "shop.example", 1)
        pacer.speed_up("shop.example")
    assert gaps == [1.0, 1.0, 0.5, 0.25]
    waits(pacer, still, "shop.example", 1)
    assert waits(pacer, still, "shop.example", 2) == [0.0, 0.0]


def test_one_host_does_not_pay_for_another(still: StillClock) -> None:
    pacer = Pacer(still)
    pacer.slow_down("shop.example", 100)
    assert waits(pacer, still, "other.example", 2) == [0.0, 0.0]


def test_hosts_at_rest_are_forgotten_when_there_are_too_many(still: StillClock) -> None:
    pacer = Pacer(still)
    pacer.slow_down("sick.example", 100)
    for number in range(REMEMBERED_HOSTS + 10):
        waits(pacer, still, f"host-{number}.example", 1)
    assert len(pacer._hosts) <= REMEMBERED_HOSTS + 2
    assert waits(pacer, still, "sick.example", 1) == [100.0]
