"""Patients of the doctor: a world with every engine, one healthy site, and a way to examine it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from submitter.core.findings import Finding
from submitter.sandbox.fleet_site import FleetSite
from submitter.stories.checkup import AccountCheck, Checkup, Health, TargetCheck
from submitter.stories.doctor.rounds import Doors, check_fleet
from support.whole import World

KEY = "abcd1234efgh5678"
HOST = "shop.whole.test"
ORIGIN = f"http://{HOST}"


@dataclass
class Ward:
    """`shop` is a healthy site at the engines that a test admits it to."""

    world: World
    shop: FleetSite

    def admit(self, *engines: str, **keys: object) -> None:
        """Tell the shop to these engines, where everything is as it should be."""
        for engine in engines:
            getattr(self, f"_at_{engine}")()
        self.world.entries["shop"] |= {"accounts": list(engines), **keys}

    def _at_google(self) -> None:
        """The world's account owns the domain."""

    def _at_baidu(self) -> None:
        self.world.grant(HOST, 9)

    def _at_bing(self) -> None:
        self.world.sandbox.bing.add_site(f"{ORIGIN}/")
        self._account("bing", "api_key", self.world.sandbox.bing.key)

    def _at_yandex(self) -> None:
        self.world.sandbox.yandex.add_host(ORIGIN)
        self._account("yandex", "token", self.world.sandbox.yandex.token)

    def _at_seznam(self) -> None:
        self._account("seznam", "key", self.world.sandbox.seznam.add_site(HOST))

    def _at_indexnow(self) -> None:
        self.shop.put(f"/{KEY}.txt", KEY, "text/plain")
        self._account("indexnow", "key", KEY)

    def _account(self, engine: str, name: str, secret: str) -> None:
        self.world.put_secret(engine, secret)
        endpoint = f"{self.world.sandbox.base_url}/{engine}"
        self.world.accounts[engine] = {
            "engine": engine,
            name: f"file:{engine}",
            "endpoint": endpoint,
        }

    def examine(self, *, online: bool = True) -> Examination:
        with self.world.wired() as parts:
            doors = Doors(
                open_channels=parts.channels,
                property_of=parts.property_of,
                source=parts.source,
                clock=parts.clock,
                progress=parts.progress,
                warn=lambda account: parts.warnings(account, parts.clock.now().date()),
            )
            fleet = parts.fleet
            return Examination(check_fleet(fleet, fleet.targets(), doors, online=online))


@dataclass(frozen=True)
class Examination:
    """What the doctor says."""

    checkup: Checkup

    @property
    def exit_code(self) -> int:
        return int(self.checkup.exit_code)

    @property
    def account(self) -> AccountCheck:
        """The one account that failed."""
        [found] = [one for one in self.checkup.accounts if one.diagnosis.health is Health.FAILED]
        return found

    @property
    def target(self) -> TargetCheck:
        """The one target that failed."""
        [found] = [one for one in self.checkup.targets if one.diagnosis.health is Health.FAILED]
        return found

    def states(self) -> Mapping[str, str]:
        return {one.target.account.name: str(one.diagnosis.health) for one in self.checkup.targets}

    def messages(self) -> Mapping[str, str]:
        return {one.target.account.name: one.diagnosis.message for one in self.checkup.targets}

    def findings(self, id: str) -> list[Finding]:
        return [one for one in self.checkup.findings if one.id == id]
