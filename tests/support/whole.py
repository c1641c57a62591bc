"""A whole fleet over the sandbox: sites, engines, an inventory on disk, and runs over all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import yaml
from cryptography.hazmat.primitives.asymmetric import rsa

from submitter.core.fleet import Fleet, Target
from submitter.core.records import LogRow, RunRow
from submitter.kit.owners import this_owner
from submitter.ledger import open_ledger
from submitter.ports import Ledger, LogFilter
from submitter.sandbox import Sandbox, SandboxClock, Section
from submitter.sandbox.fleet_site import FleetSite
from submitter.sending.channels import RunRules
from submitter.stories.explaining import Story, explain
from submitter.stories.preview import Preview, preview
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import RunReport, run_fleet
from submitter.wiring import TRAITS, Wiring, load_fleet

START = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
"""Six in the evening in Shanghai, two at night in California: no midnight is near."""

SHANGHAI = ZoneInfo("Asia/Shanghai")
DOMAIN = "whole.test"
EMAIL = "submitter@sandbox-project.iam.gserviceaccount.com"
NOTHING: Mapping[str, Any] = MappingProxyType({})
IMPATIENT = RunRules(call_timeout_s=3.0)
"""For runs in which an engine hangs; a healthy one is faster on the busiest machine."""


class SandboxTime:
    """`ports.Clock` of the sandbox's own time: both sides agree, and a sleep costs nothing."""

    def __init__(self, clock: SandboxClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return self._clock.now()

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def sleep(self, seconds: float) -> None:
        self._clock.advance(max(seconds, 0.0))


def explained(address: str, parts: Wiring) -> Story:
    """The story of an address, as `submitter explain` tells it."""
    surveys = {name: survey for name, (survey, _) in parts.ledger.surveys().items()}
    return explain(
        address,
        fleet=parts.fleet,
        ledger=parts.ledger,
        traits=TRAITS,
        property_of=lambda target: parts.property_of(target, surveys.get(target.account.name)),
        now=parts.clock.now(),
    )


@dataclass(frozen=True)
class Ran:
    """One run: its report, and the calls that it made."""

    report: RunReport
    calls: list[LogRow]

    @property
    def summary(self) -> Any:
        return self.report.summary

    @property
    def exit_code(self) -> int:
        return self.report.exit_code

    def counts(self, kind: str, site: str = "", account: str = "") -> dict[str, int]:
        """What was counted in `sitemaps` or `pages`, without the zeros; of one target or of all."""
        places = [self.target(site, account)] if site else [self.summary]
        return {name: n for place in places for name, n in place["counts"][kind].items() if n}

    def target(self, site: str, account: str) -> Any:
        [found] = [
            one
            for one in self.summary["targets"]
            if (one["site"], one["account"]) == (site, account)
        ]
        return found

    def findings(self, site: str) -> set[str]:
        targets = [one for one in self.summary["targets"] if one["site"] == site]
        return {finding["id"] for target in targets for finding in target["findings"]}

    def skips(self, site: str) -> dict[str, int]:
        return {one["reason"]: one["count"] for one in self.summary["skips"] if one["site"] == site}


@dataclass
class World:
    """Sites of one domain, a Google account that owns it, a Baidu token, and a ledger on disk.

    Sites are added with what stands of them in the inventory; nothing is told before `run`.
    """

    sandbox: Sandbox
    folder: Path
    accounts: dict[str, dict[str, object]] = field(default_factory=dict)
    entries: dict[str, dict[str, object]] = field(default_factory=dict)
    ledger_url: str = "sqlite:///ledger.db"
    """As it stands in the inventory."""
    quotas: dict[tuple[str, date], int] = field(default_factory=dict)
    """(Baidu's site, its day) → pages granted from that day on."""
    runs: int = 0
    _read: tuple[str, Fleet] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        account = self.sandbox.google.add_account(EMAIL)
        account._key = one_key()
        self.sandbox.google.set_limits(None, None)
        self.sandbox.google.grant(EMAIL, f"sc-domain:{DOMAIN}")
        self.put_secret("google.json", json.dumps(self.sandbox.google.key_file(EMAIL)))
        self.put_secret("baidu.token", self.sandbox.baidu.token)
        google, baidu = self.sandbox.google.endpoint, self.sandbox.baidu.endpoint
        self.accounts = {
            "google": {"engine": "google", "credentials": "file:google.json", "endpoint": google},
            "baidu": {"engine": "baidu", "token": "file:baidu.token", "endpoint": baidu},
        }

    # -- what is there

    @property
    def clock(self) -> SandboxClock:
        return self.sandbox.clock

    @property
    def ledger_path(self) -> Path:
        return self.folder / "ledger.db"

    def put_secret(self, name: str, text: str) -> None:
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")

    def add(
        self,
        name: str,
        pages: int = 5,
        *,
        quota: int | None = None,
        property: str = "domain",
        **keys: object,
    ) -> FleetSite:
        """A site with one flat sitemap, told to Google; with a `quota`, to Baidu as well.
        `property` `host` is a property of its own. `keys` stand in the inventory as they are."""
        section = Section("pages", pages, "/{word}-{n}", file="/sitemap.xml")
        site = self.sandbox.fleet.add_site(f"{name}.{DOMAIN}", section, index=None)
        accounts = ["google"]
        if property == "host":
            self.sandbox.google.grant(EMAIL, f"{site.origin}/")
        if quota is not None:
            self.grant(site.host, quota)
            accounts.append("baidu")
        self.entries[name] = {
            "host": site.host,
            "accounts": accounts,
            "google_property": property,
        } | keys
        return site

    def grant(self, site: str, quota: int) -> None:
        """What Baidu takes from a site a day, from today on. Not to be changed within a day."""
        if site in self.sandbox.baidu._sites:
            self.sandbox.baidu.set_quota(site, quota)
        else:
            self.sandbox.baidu.add_site(site, quota)
        self.quotas[site, engine_day(self.clock.now())] = quota

    def quota_of(self, site: str, day: date) -> int:
        since = max(at for name, at in self.quotas if name == site and at <= day)
        return self.quotas[site, since]

    def only(self, *names: str) -> list[Target]:
        """Targets of these accounts."""
        return [one for one in self.fleet().targets() if one.account.name in names]

    def write(self) -> Path:
        peers = {f"{entry['host']}:80": self.sandbox.address for entry in self.entries.values()}
        document = {
            "version": 1,
            "name": "whole",
            "ledger": self.ledger_url,
            "accounts": self.accounts,
            "defaults": {"scheme": "http", "sitemaps": ["http://{host}/sitemap.xml"]},
            "fetch": {"connect_to": peers},
            "sites": [
                {
                    "domain": DOMAIN,
                    "allow_private": ["127.0.0.0/8"],
                    "subdomains": list(self.entries.values()),
                }
            ],
        }
        path = self.folder / "inventory.yaml"
        path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
        return path

    def fleet(self) -> Fleet:
        """As the inventory has it; read anew when that has changed."""
        path = self.write()
        text = path.read_text(encoding="utf-8")
        if self._read is None or self._read[0] != text:
            self._read = text, load_fleet(path)
        return self._read[1]

    # -- running

    @contextmanager
    def wired(self, **parts: Any) -> Iterator[Wiring]:
        """Everything as a run of its own would open it; `parts` go to `Wiring`."""
        given: dict[str, Any] = {"clock": SandboxTime(self.clock)} | parts
        wiring = Wiring(self.fleet(), environ={}, **given)
        try:
            yield wiring
        finally:
            wiring.close()

    def run(
        self,
        *,
        targets: Sequence[Target] | None = None,
        adapt: Callable[[Tools], Tools] = lambda tools: tools,
        parts: Mapping[str, Any] = NOTHING,
        **request: Any,
    ) -> Ran:
        """A run as the command makes it. `parts` go to `Wiring`; `adapt` may put other tools in
        place of those it makes."""
        self.runs += 1
        with self.wired(**parts) as wiring:
            named = {"run": f"run-{self.runs}"} | request
            asked = self.request(wiring.fleet, targets, **named)
            report = run_fleet(asked, adapt(wiring.tools()))
            calls = list(wiring.ledger.log(LogFilter(run=asked.run)))
        return Ran(report, calls)

    def plan(self, *, ahead: timedelta | None = None, **request: Any) -> Preview:
        """What a run would send now, or so much later."""
        at = None if ahead is None else self.clock.now() + ahead
        with self.wired() as wiring:
            asked = self.request(wiring.fleet, None, **request)
            return preview(asked, wiring.tools(), at=at)

    def request(self, fleet: Fleet, targets: Sequence[Target] | None, **more: Any) -> RunRequest:
        given = {"run": "unnamed", "owner": this_owner()} | more
        return RunRequest(fleet=fleet, targets=targets or fleet.targets(), **given)

    def next_day(self, zone: str = "Asia/Shanghai") -> None:
        self.clock.move_past_midnight(zone)

    # -- reading back

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        in_folder = self.ledger_url.startswith("sqlite")
        ledger = open_ledger(f"sqlite:///{self.ledger_path}" if in_folder else self.ledger_url)
        try:
            yield ledger
        finally:
            ledger.close()

    def log(self) -> list[LogRow]:
        with self.ledger() as ledger:
            return list(ledger.log(LogFilter()))

    def run_rows(self) -> list[RunRow]:
        with self.ledger() as ledger:
            return ledger.runs(limit=1_000)

    def sitemap_states(self) -> dict[str, str]:
        """Sitemap → its state at Google."""
        with self.ledger() as ledger:
            return {
                sitemap: str(standing.state)
                for standings in ledger.sitemap_standings().values()
                for sitemap, standing in standings.items()
            }

    def page_states(self) -> dict[str, str]:
        """Page → how its last call at Baidu ended; pages of no call are missing."""
        with self.ledger() as ledger:
            return {row.loc: row.state for row in ledger.page_log(LogFilter())}


@contextmanager
def world(folder: Path, *, start: datetime = START) -> Iterator[World]:
    """An empty world whose time stands still until it is moved."""
    with Sandbox(clock=SandboxClock(frozen_at=start)) as sandbox:
        made = World(sandbox, folder)
        yield made
        for path in folder.glob("ledger.db*"):
            stored = path.read_bytes()
            for secret in (sandbox.baidu.token, *sandbox.google.tokens._tokens):
                assert secret.encode() not in stored, "a secret was stored"


@lru_cache(maxsize=1)
def one_key() -> rsa.RSAPrivateKey:
    """One key for every world: making one is slow."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def engine_day(at: datetime) -> date:
    """Baidu's."""
    return at.astimezone(SHANGHAI).date()
