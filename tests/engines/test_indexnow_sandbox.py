"""The real client against the sandbox's IndexNow, over loopback: nothing burns a key, and what was
told stands in the engine's book."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import product

import pytest
from engine_rows import plain_account, spellings

from submitter.core.calls import Call, Receipt
from submitter.core.fleet import FetchRules, Site, Target
from submitter.core.looks import SiteLook
from submitter.core.plan import make_plan
from submitter.core.planned import TargetInput
from submitter.core.secrets import MaskedSecret
from submitter.core.standing import Candidate, PageStanding
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.engines._http import Transport
from submitter.engines.indexnow import TRAITS, IndexNow, Settings, open_indexnow, property_of
from submitter.engines.indexnow_key import Key
from submitter.errors import EngineError, EngineUnavailable, NotAuthorized, NotReady, OutcomeUnknown
from submitter.sandbox import Break, Sandbox, SandboxClock
from submitter.sandbox.fleet_site import FleetSite
from submitter.sources.web import WebSource
from support.fetching import PatientClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
KEY = "0f1e2d3c4b5a6978-canary"
FILE = f"/{KEY}.txt"


@dataclass
class World:
    """A sandbox, an account that posts to it, and a source that reads its fleet."""

    sandbox: Sandbox
    source: WebSource
    engine: IndexNow
    sites: dict[str, FleetSite] = field(default_factory=dict)

    def site(self, name: str = "shop") -> FleetSite:
        if name not in self.sites:
            self.sites[name] = self.sandbox.fleet.add_site(name)
        return self.sites[name]

    def as_configured(self, name: str = "shop") -> Site:
        host = self.site(name).host
        rules = FetchRules(connect_to={f"{host}:80": self.sandbox.address}, timeout_s=10.0)
        return Site(host, "http", allow_private=("127.0.0.0/8",), fetch=rules)

    def serve(self, name: str = "shop", body: str = KEY) -> None:
        self.site(name).put(FILE, body, "text/plain")

    def run(self, calls: list[Call], name: str = "shop") -> list[Receipt]:
        """A lane, as a run walks it: the key file first, then call by call."""
        self.engine.prepare(self.as_configured(name), self.source, until=None)
        return [self.engine.send(call, timeout_s=10) for call in calls]

    def calls(self, *paths: str, name: str = "shop", kind: Kind = Kind.URLS) -> list[Call]:
        """What the planner makes of these pages."""
        return planned(self.as_configured(name), paths, kind)

    def told(self, engine: str | None = None) -> list[str]:
        return self.sandbox.indexnow.book.accepted(engine)

    def posts(self) -> int:
        return self.sandbox.indexnow.book.count()


@pytest.fixture
def world() -> Iterator[World]:
    clock = PatientClock()
    source = WebSource(clock)
    with Sandbox(clock=SandboxClock(frozen_at=NOW)) as sandbox:
        account = plain_account("indexnow", sandbox.indexnow.endpoint)
        yield World(sandbox, source, open_indexnow(account, MaskedSecret(KEY), clock))
        source.close_all()


def family(world: World) -> IndexNow:
    """As the account, with the sandbox's three engines one in the place of the other."""
    bases = tuple(world.sandbox.indexnow.base(name) for name in ("hub", "bing", "yandex"))
    return IndexNow(Settings(Key(KEY), bases), PatientClock(), Transport("indexnow"))


def planned(site: Site, paths: tuple[str, ...], kind: Kind = Kind.URLS) -> list[Call]:
    pages = [
        Candidate(number, f"{site.origin}{path}" if path[:1] == "/" else path, "new")
        for number, path in enumerate(paths)
    ]
    given = TargetInput(
        target=Target(site, plain_account("indexnow")),
        traits=TRAITS,
        property=property_of(site, None),
        look=SiteLook(site.origin, NOW, first=False, listed=len(pages)),
        pages=PageStanding(waiting={kind: len(pages)}),
        candidates={kind: pages},
    )
    by_id = {page.id: page.loc for page in pages}
    plan = make_plan([given], now=NOW)
    return [Call(one, tuple(by_id[number] for number in one.pages)) for one in plan.actions]


# ---------------------------------------------------------------- conformance


def test_10_001_pages_are_two_posts(world: World) -> None:
    world.serve()
    world.run(world.calls(*(f"/{number}" for number in range(10_001))))
    entries = world.sandbox.indexnow.book.entries()
    assert [len(entry.accepted) for entry in entries] == [10_000, 1]
    assert len(set(world.told())) == 10_001


def test_two_hosts_are_two_posts(world: World) -> None:
    for name in ("shop", "www"):
        world.serve(name)
        world.run(world.calls("/1", "/2", name=name), name)
    entries = world.sandbox.indexnow.book.entries()
    assert [entry.key for entry in entries] == ["shop.fleet.test", "www.fleet.test"]
    assert [len(entry.accepted) for entry in entries] == [2, 2]


def test_fragments_go_and_letters_are_encoded(world: World) -> None:
    world.serve()
    world.run(world.calls("/a#part", "/新"))
    origin = world.site().origin
    assert world.told() == [f"{origin}/a", f"{origin}/%E6%96%B0"]


def test_a_host_in_letters_is_told_as_punycode(world: World) -> None:
    name = "xn--bcher-kva.test"
    world.serve(name)
    world.run(world.calls("http://bücher.test/ä", name=name), name)
    assert world.told() == [f"http://{name}/%C3%A4"]


def test_pages_that_went_are_told_like_others(world: World) -> None:
    world.serve()
    (got,) = world.run(world.calls("/gone", kind=Kind.REMOVAL))
    assert got.state is State.RECEIVED
    assert world.told() == [f"{world.site().origin}/gone"]


def test_the_first_post_is_received_and_the_next_accepted(world: World) -> None:
    world.serve()
    states = [world.run(world.calls(f"/{n}"))[0].state for n in (1, 2)]
    assert states == [State.RECEIVED, State.ACCEPTED]


# ---------------------------------------------------------------- keys are not burned

FILES: dict[str, Callable[[FleetSite], None]] = {
    "none": lambda site: None,
    "another key": lambda site: site.put(FILE, "something-else", "text/plain"),
    "HTML": lambda site: site.put(FILE, f"<!doctype html>{KEY}", "text/html"),
    "cut": lambda site: site.put(FILE, KEY[:-1], "text/plain"),
    "elsewhere": lambda site: site.redirect(FILE, f"http://www.fleet.test{FILE}"),
    "shut out": lambda site: _broken(site, Break.FORBIDDEN),
    "error": lambda site: _broken(site, Break.ERROR),
    "gone": lambda site: _broken(site, Break.GONE),
    "right": lambda site: site.put(FILE, f"{KEY}\n", "text/plain"),
}


def _broken(site: FleetSite, how: Break) -> None:
    site.put(FILE, KEY, "text/plain")
    site.break_document(FILE, how)


@pytest.mark.parametrize(("before", "after"), list(product(sorted(FILES), repeat=2)))
def test_our_client_never_burns_a_key(world: World, before: str, after: str) -> None:
    """Two runs, whatever stands at the address in each: a post is made exactly when it is right."""
    world.serve("www")
    for state in (before, after):
        posts = world.posts()
        world.site().mend(FILE)
        FILES[state](world.site())
        with suppress(NotAuthorized, NotReady):
            world.run(world.calls(f"/{posts}"))
        assert world.posts() - posts == (state == "right")
    assert world.sandbox.indexnow.burned() == []


def test_a_client_without_the_check_would_burn_it(world: World) -> None:
    """The test above could fail: the sandbox does remember."""
    careless = family(world)
    site = world.as_configured()
    careless._prepared.add((site.origin, site.host))
    with pytest.raises(NotAuthorized) as caught:
        careless.send(world.calls("/1")[0], timeout_s=10)
    assert caught.value.cause == "key-not-found"
    world.serve()
    with pytest.raises(NotAuthorized) as caught:
        careless.send(world.calls("/1")[0], timeout_s=10)
    assert caught.value.cause == "key-refused"
    assert world.sandbox.indexnow.burned() == [("hub", world.site().host)]


def test_a_new_keys_check_is_waited_for(world: World) -> None:
    world.serve()
    world.sandbox.indexnow.set_check_s(300)
    with pytest.raises(NotReady) as caught:
        world.run(world.calls("/1"))
    assert caught.value.code == "SiteVerificationNotCompleted"
    world.sandbox.clock.advance(600)
    assert world.run(world.calls("/1"))[0].state is State.RECEIVED


# ---------------------------------------------------------------- one post per family


def test_a_busy_hub_is_stood_in_for_and_no_page_is_told_twice(world: World) -> None:
    world.serve()
    world.sandbox.indexnow.set_throttle("hub", 1, 3600.0)
    engine = family(world)
    engine.prepare(world.as_configured(), world.source, until=None)
    first, second = (world.calls(f"/{number}")[0] for number in (1, 2))
    engine.send(first, timeout_s=10)
    with pytest.raises(EngineUnavailable) as caught:
        engine.send(second, timeout_s=10)
    assert caught.value.retry_after_s == 0.0
    engine.send(second, timeout_s=10)
    assert (world.told("hub"), world.told("bing")) == ([first.urls[0]], [second.urls[0]])
    assert world.sandbox.indexnow.hasty() == {}


def test_a_lost_answer_is_not_made_good_elsewhere(world: World) -> None:
    world.serve()
    world.sandbox.indexnow.faults.add("reset", after=True, call="hub")
    engine = family(world)
    engine.prepare(world.as_configured(), world.source, until=None)
    first, second = (world.calls(f"/{number}")[0] for number in (1, 2))
    with pytest.raises(OutcomeUnknown):
        engine.send(first, timeout_s=10)
    engine.send(second, timeout_s=10)
    assert (world.told("hub"), world.told("bing")) == ([first.urls[0]], [second.urls[0]])


def test_a_burned_key_is_not_carried_to_the_next_engine(world: World) -> None:
    world.serve()
    world.sandbox.indexnow.faults.add("answer", answer="forbidden", call="hub", times=2)
    engine = family(world)
    engine.prepare(world.as_configured(), world.source, until=None)
    for _ in range(2):
        with pytest.raises(NotAuthorized):
            engine.send(world.calls("/1")[0], timeout_s=10)
    assert {entry.call for entry in world.sandbox.indexnow.book.entries()} == {"hub"}


def test_one_bad_page_has_its_batch_refused_and_only_that(world: World) -> None:
    world.serve()
    bad = f"{world.site().origin}/2"
    world.sandbox.indexnow.refuse(bad)
    (call,) = world.calls("/1", "/2")
    with pytest.raises(EngineError) as caught:
        world.run([call])
    assert (type(caught.value).__name__, caught.value.http_status) == ("Refused", 422)
    good = Call(replace(call.action, pages=call.action.pages[:1]), call.urls[:1])
    assert world.run([good])[0].state is State.RECEIVED


# ---------------------------------------------------------------- the key itself


def test_the_key_is_posted_and_fetched_and_shown_nowhere(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """The sandbox takes no post without it; its own log is the only one that may name the file."""
    caplog.set_level("DEBUG")
    world.serve()
    (got,) = world.run(world.calls("/1"))
    assert got.state is State.RECEIVED
    ours = [one.getMessage() for one in caplog.records if "sandbox" not in one.name]
    assert ours, "the libraries' own lines were not captured"
    shown = "\n".join([*ours, repr(got), repr(world.engine), repr(vars(world.engine))])
    assert not [form for form in spellings(KEY) if form in shown]
