"""Joins the parts: the only module that knows every concrete class.

Everything heavy is imported when it is needed, so that `--help` and runs without a given engine
do not pay for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import parse_qs, unquote, urlsplit

from submitter.core.calls import Survey
from submitter.core.crawl.ranges import RangeList
from submitter.core.crawl.verdicts import AskNames
from submitter.core.findings import Finding
from submitter.core.fleet import Account, Fleet, SecretRef, Target
from submitter.core.traits import Traits
from submitter.engines import ENGINES
from submitter.errors import ConfigError, SecretOutOfReach
from submitter.kit.clock import SystemClock
from submitter.kit.progress import NoProgress
from submitter.looking.reading import Readers
from submitter.ports import (
    Clock,
    CrawlIntake,
    DomainOwnership,
    Ledger,
    Permits,
    Progress,
    PublishList,
    Secret,
    Secrets,
    SitemapFolder,
    Source,
    Webhook,
)
from submitter.ports.accesslogs import AccessLogs
from submitter.sending.channels import Channel, RunRules
from submitter.stories.jobs import work_book
from submitter.stories.lacking import fault_of_secret, finding_of_secret
from submitter.stories.run_request import Tools

if TYPE_CHECKING:
    from submitter.ledger.copying import LedgerCount

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
    in, by tests and by functions that bring their own. `worker` names one of several that share
    the limits of the accounts.
    """

    def __init__(
        self,
        fleet: Fleet,
        *,
        environ: Mapping[str, str],
        progress: Progress | None = None,
        stop: threading.Event | None = None,
        signal: Callable[[], int | None] = lambda: None,
        clock: Clock | None = None,
        source: Source | None = None,
        ledger: Ledger | None = None,
        rules: RunRules | None = None,
        found_secret: Callable[[str], None] = lambda value: None,
        worker: str | None = None,
    ) -> None:
        self.fleet, self.environ = fleet, environ
        self.stop, self._signal = stop or threading.Event(), signal
        self.clock: Clock = clock or SystemClock(self.stop)
        self.progress: Progress = progress or NoProgress()
        self._given_source, self._given_ledger = source, ledger
        self._worker = worker
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

        ledger = open_ledger(self.ledger_url, is_dead=is_dead)
        self._closing.callback(ledger.close)
        ledger.bind(self.fleet.name)
        return ledger

    @property
    def ledger_url(self) -> str:
        """The address, which may hold a password and then is kept as a secret is."""
        return _ledger_address(self.fleet.ledger, self.secrets, self._found_secret)

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

    def access_logs(self, names: Sequence[str], stdin: BinaryIO) -> AccessLogs:
        """These files, and `-` for stdin. Raises ConfigError with those that cannot be read."""
        from submitter.accesslogs.files import LogFiles

        return LogFiles(names, stdin)

    def range_lists(self, files: Sequence[str]) -> Mapping[str, RangeList]:
        """Addresses that operators publish: what is shipped, and what these files hold anew."""
        from submitter.accesslogs.snapshot import load_lists

        return load_lists(files)

    def name_checks(self) -> AskNames:
        """Asks DNS about addresses, for a bounded time."""
        from submitter.accesslogs.names import NameChecks

        return NameChecks(self.clock.monotonic).ask

    @contextmanager
    def crawl_intake(self, *, kept: bool) -> Iterator[CrawlIntake]:
        """The ledger, or what takes its place for as long as the block lasts."""
        from submitter.ledger.scratch import ScratchCrawls
        from submitter.stories.crawling import book_of

        if kept:
            yield book_of(self.ledger)
            return
        with ScratchCrawls() as scratch:
            yield scratch

    def publish_list(
        self, name: str, query: str | None, stdin: BinaryIO, *, csv: bool = False
    ) -> PublishList:
        """A file, `-` for stdin, or a database with a query. Raises ConfigError."""
        from submitter.sources.publish_lists import ListFile, ListQuery

        is_database = "://" in name or name.startswith("env:")
        if is_database != (query is not None):
            problem = "a database needs --query" if is_database else "only with a database"
            raise ConfigError.one(name if is_database else "--query", problem)
        if query is None:
            return ListFile(name, stdin, csv)
        url = name
        if name.startswith("env:"):
            url = self.secrets.resolve(SecretRef("env", name.removeprefix("env:"))).reveal()
            self._found_secret(url)
        return ListQuery(name if name.startswith("env:") else name.rpartition("@")[2], url, query)

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
        """Find every secret before the first connection. Raises ConfigError with all that lack;
        SecretOutOfReach when stores that do not answer are all that stands in the way."""
        lacking = self._lacking_secrets(accounts)
        if lacking:
            kinds = {type(error) for error in lacking.values()}
            kind = SecretOutOfReach if kinds == {SecretOutOfReach} else ConfigError
            raise kind([fault_of_secret(self.fleet, *one) for one in lacking.items()])

    def missing_secrets(self, accounts: Iterable[Account]) -> list[Finding]:
        """What a run with these accounts would end with, as warnings. Stores are not asked."""
        here = [one for one in accounts if one.secret and one.secret.scheme in ("env", "file")]
        lacking = self._lacking_secrets(here)
        return [finding_of_secret(self.fleet, *one) for one in lacking.items()]

    def _lacking_secrets(self, accounts: Iterable[Account]) -> dict[str, ConfigError]:
        """Why there is no secret, by the names of accounts, in order."""
        lacking: dict[str, ConfigError] = {}
        for account in sorted(
            {one.name: one for one in accounts}.values(), key=lambda one: one.name
        ):
            if account.secret is None:
                continue
            try:
                self._found_secret(self.secrets.resolve(account.secret).reveal())
            except ConfigError as error:
                lacking[account.name] = error
        return lacking

    def channels(self, names: Iterable[str]) -> Mapping[str, Channel]:
        """Open the engines of these accounts; each is opened once."""
        return {name: self._channel(self.fleet.accounts[name]) for name in sorted(set(names))}

    def _channel(self, account: Account) -> Channel:
        if account.name not in self._channels:
            secret = self._secret(account)
            engine = ENGINES[account.engine].open(account, secret, self.clock)
            self._channels[account.name] = Channel(account, engine, self._permits(account))
        return self._channels[account.name]

    def _permits(self, account: Account) -> Permits:
        """Of this process alone, or shared by all workers on the ledger."""
        from submitter.kit.permits import AccountPermits, SharedPermits

        if self._worker is not None:
            book = work_book(self.ledger)
            return SharedPermits(
                account.limits, self.clock, book, account=account.name, worker=self._worker
            )
        since = self.clock.now() - LONGEST_WINDOW
        recent = self.ledger.recent_sends(account.name, since=since)
        return AccountPermits(account.limits, self.clock, recent=recent)

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

    def webhook(self) -> Webhook:
        """Where alerts are posted. Raises ConfigError when the inventory names no such address."""
        from submitter.engines.webhook import PostedWebhook

        named = self.fleet.webhook
        if named is None:
            raise ConfigError.one("webhook", "the inventory names none: write webhook: env:NAME")
        if "://" in named:
            address = named
        else:
            scheme, _, locator = named.partition(":")
            address = self.secrets.resolve(SecretRef(scheme, locator)).reveal()
        self._found_secret(address)
        return PostedWebhook(address)

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
            signal=self._signal,
            readers=self.readers,
        )

    @property
    def was_refused(self) -> bool:
        """Whether an engine did not let an account in, which may have another secret by now."""
        return any(channel.login.is_refused for channel in self._channels.values())

    def close(self) -> None:
        """Close what was opened here; what was handed in belongs to who did."""
        self._channels.clear()
        self._closing.close()


# ---------------------------------------------------------------- ledgers by themselves


def copy_ledger(
    source: str,
    target: str,
    *,
    environ: Mapping[str, str],
    owner: str,
    now: datetime,
    found_secret: Callable[[str], None],
) -> tuple[LedgerCount, LedgerCount]:
    """A ledger into another place; both are addresses as an inventory has them. Returns what was
    found at either end. Raises LedgerBusy, LedgerError."""
    from submitter.credentials import EnvironmentSecrets
    from submitter.kit.owners import is_dead
    from submitter.ledger.copying import copy_ledger

    secrets = EnvironmentSecrets(environ)
    old, new = (_typed_ledger(one, secrets, found_secret) for one in (source, target))
    return copy_ledger(old, new, owner=owner, now=now, is_dead=is_dead)


def count_ledger(
    address: str, *, environ: Mapping[str, str], found_secret: Callable[[str], None]
) -> LedgerCount:
    """What is in a ledger. Raises LedgerError."""
    from submitter.credentials import EnvironmentSecrets
    from submitter.kit.owners import is_dead
    from submitter.ledger.copying import count_ledger

    found = _typed_ledger(address, EnvironmentSecrets(environ), found_secret)
    return count_ledger(found, is_dead=is_dead)


def _typed_ledger(text: str, secrets: Secrets, found_secret: Callable[[str], None]) -> str:
    """As `_ledger_address`, of what was typed: everybody on the machine can read it there."""
    from submitter.inventory.addresses import check_ledger

    try:
        checked = check_ledger(text)
    except ValueError as error:
        raise ConfigError.one("ledger", str(error)) from error
    return _ledger_address(checked, secrets, found_secret)


def _ledger_address(text: str, secrets: Secrets, found_secret: Callable[[str], None]) -> str:
    """What a reference stands for. It is a secret as a whole, and so is a password in it."""
    scheme, _, locator = text.partition(":")
    found = text
    if scheme in ("env", "gcp-secret", "aws-secret"):
        found = secrets.resolve(SecretRef(scheme, locator)).reveal()
        found_secret(found)
    try:
        parts = urlsplit(found)
    except ValueError:  # its words may hold a part of the password
        problem = "the address is none; in a password, write [ and ] as %5B and %5D"
        raise ConfigError.one("ledger", problem) from None
    for password in (parts.password or "", *parse_qs(parts.query).get("password", [])):
        for spelling in {password, unquote(password)} - {""}:
            found_secret(spelling)
    return found
