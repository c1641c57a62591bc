"""Joins the parts: the only module that knows every concrete class.

Everything heavy is imported when it is needed, so that `--help` and runs without a given engine
do not pay for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from submitter.core.calls import Survey
from submitter.core.findings import Finding
from submitter.core.fleet import Account, Fleet, SecretRef, Target
from submitter.core.traits import Traits
from submitter.engines import ENGINES
from submitter.errors import ConfigError, Fault
from submitter.kit.clock import SystemClock
from submitter.kit.progress import NoProgress
from submitter.looking.reading import Readers
from submitter.ports import (
    Clock,
    DomainOwnership,
    Ledger,
    Progress,
    Secret,
    Secrets,
    SitemapFolder,
    Source,
)
from submitter.sending.channels import Channel, RunRules
from submitter.stories.runs import Tools

TRAITS: Mapping[str, Traits] = {name: kind.traits for name, kind in ENGINES.items()}
"""What every engine can be told, by name."""

LONGEST_WINDOW = timedelta(minutes=2)
"""Calls that an earlier process made so long ago cannot count in any limiter's window."""


def load_fleet(path: Path, *, ledger: str | None = None) -> Fleet:
    """Read an inventory. Raises ConfigError with all its faults at once."""
    from submitter.inventory.load import load_inventory

    return load_inventory(path, engines=TRAITS, ledger=ledger)


class Wiring:
    """One fleet with everything it needs, opened on first use.

    `environ` is where `env:` secrets are looked up; `clock`, `source` and `ledger` may be handed
    in, by tests and by functions that bring their own.
    """

    def __init__(
        self,
        fleet: Fleet,
        *,
        environ: Mapping[str, str],
        progress: Progress | None = None,
        stop: threading.Event | None = None,
        clock: Clock | None = None,
        source: Source | None = None,
        ledger: Ledger | None = None,
        rules: RunRules | None = None,
        found_secret: Callable[[str], None] = lambda value: None,
    ) -> None:
        self.fleet, self.environ = fleet, environ
        self.stop = stop or threading.Event()
        self.clock: Clock = clock or SystemClock(self.stop)
        self.progress: Progress = progress or NoProgress()
        self._given_source, self._given_ledger = source, ledger
        self._rules, self._found_secret = rules or RunRules(), found_secret
        self._channels: dict[str, Channel] = {}
        self._closing = ExitStack()

    @cached_property
    def ledger(self) -> Ledger:
        """The memory, bound to this inventory's name. Raises LedgerError."""
        if self._given_ledger is not None:
            return self._given_ledger
        from submitter.kit.owners import is_dead
        from submitter.ledger import open_ledger

        ledger = open_ledger(self._ledger_url(), is_dead=is_dead)
        self._closing.callback(ledger.close)
        ledger.bind(self.fleet.name)
        return ledger

    def _ledger_url(self) -> str:
        """The address, which may hold a password and then is kept as a secret is."""
        scheme, _, locator = self.fleet.ledger.partition(":")
        if scheme not in ("env", "gcp-secret", "aws-secret"):
            return self.fleet.ledger
        found = self.secrets.resolve(SecretRef(scheme, locator)).reveal()
        self._found_secret(found)
        return found

    @cached_property
    def source(self) -> Source:
        if self._given_source is not None:
            return self._given_source
        from submitter.sources.web import WebSource

        web = WebSource(self.clock)
        self._closing.callback(web.close_all)
        return web

    @cached_property
    def readers(self) -> Readers:
        """Whoever reads documents for walks: this process, and others when there is much to read.
        They use the source, so it is opened before and closed after them."""
        from submitter.looking.parallel.pool import ReaderPool

        _ = self.source
        pool = ReaderPool()
        self._closing.callback(pool.stop)
        return pool

    def files(self, names: Collection[str], stdin: BinaryIO) -> Source:
        """These files, and `-` for stdin; every other address goes to `source`."""
        from submitter.sources.files import FileSource

        return FileSource(names, web=self.source, stdin=stdin)

    def sitemap_folder(self, folder: Path) -> SitemapFolder:
        """Where files for engines are published; made when it is first written to."""
        from submitter.publish import SitemapDirectory

        return SitemapDirectory(folder)

    @cached_property
    def secrets(self) -> Secrets:
        from submitter.credentials import EnvironmentSecrets

        return EnvironmentSecrets(self.environ)

    def _secret(self, account: Account) -> Secret | None:
        """Found, and made known to whoever keeps secrets out of texts."""
        if account.secret is None or account.secret.scheme == "adc":
            return None
        secret = self.secrets.resolve(account.secret)
        self._found_secret(secret.reveal())
        return secret

    def require_secrets(self, accounts: Iterable[Account]) -> None:
        """Find every secret before the first connection. Raises ConfigError with all that lack."""
        faults: list[Fault] = []
        for ref in {account.secret for account in accounts if account.secret is not None}:
            try:
                self._found_secret(self.secrets.resolve(ref).reveal())
            except ConfigError as error:
                faults += error.faults
        if faults:
            raise ConfigError(sorted(faults, key=str))

    def channels(self, names: Iterable[str]) -> Mapping[str, Channel]:
        """Open the engines of these accounts; each is opened once."""
        return {name: self._channel(self.fleet.accounts[name]) for name in sorted(set(names))}

    def _channel(self, account: Account) -> Channel:
        from submitter.kit.permits import AccountPermits

        if account.name not in self._channels:
            secret = self._secret(account)
            engine = ENGINES[account.engine].open(account, secret, self.clock)
            since = self.clock.now() - LONGEST_WINDOW
            recent = self.ledger.recent_sends(account.name, since=since)
            permits = AccountPermits(account.limits, self.clock, recent=recent)
            self._channels[account.name] = Channel(account, engine, permits)
        return self._channels[account.name]

    def domains(self, name: str) -> DomainOwnership:
        """Open an account to prove domains. Raises ConfigError where its engine offers nothing."""
        account = self.fleet.accounts[name]
        open_domains = ENGINES[account.engine].domains
        if open_domains is None:
            problem = f"{account.engine} has no way to prove a domain for an account"
            raise ConfigError.one(f"accounts.{name}", problem)
        return open_domains(account, self._secret(account), self.clock)

    def property_of(self, target: Target, survey: Survey | None) -> str:
        """The engine's name for a target's site, without opening the engine."""
        return ENGINES[target.account.engine].property_of(target.site, survey)

    def warnings(self, account: Account, today: date) -> list[Finding]:
        """What is known to be wrong with an account, or soon will be, without asking anybody."""
        try:
            found = ENGINES[account.engine].warn(account, today)
        except ConfigError:
            return []  # opening the account says so
        return [] if found is None else [found]

    def tools(self) -> Tools:
        """Everything a run needs."""
        return Tools(
            ledger=self.ledger,
            source=self.source,
            clock=self.clock,
            traits=TRAITS,
            open_channels=self.channels,
            property_of=self.property_of,
            progress=self.progress,
            rules=self._rules,
            stop=self.stop,
            readers=self.readers,
        )

    def close(self) -> None:
        """Close what was opened here; what was handed in belongs to who did."""
        self._closing.close()
