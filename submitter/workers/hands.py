"""What a worker does with each job. A job ends well or raises; who calls decides about again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from submitter.core.accounting import ExitCode, has_broken_documents
from submitter.core.fleet import Fleet, Target
from submitter.core.jobs import Errand, in_turn
from submitter.errors import ConfigError
from submitter.ports import Clock
from submitter.sending.channels import RunRules
from submitter.stories.jobs import lane_targets, lanes, look_at_site, send_lane
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import verify_fleet
from submitter.wiring import TRAITS, Wiring, load_fleet
from submitter.workers.queue import LOOK, SEND, VERIFY, Work
from submitter.workers.shelf import WiringShelf

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker works: its inventory, its name, and what it may be handed in tests."""

    inventory: Path
    ledger: str | None
    environ: Mapping[str, str]
    owner: str
    stop: threading.Event = field(default_factory=threading.Event)
    """Tells the worker to leave."""
    found_secret: Callable[[str], None] = lambda value: None
    rules: RunRules = RunRules()
    clock: Clock | None = None
    """By default the system's."""


class Hands:
    """Carries out jobs. Safe to use in several threads: each job has its parts alone."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._fleet: Fleet | None = None
        self._ends: set[ExitCode] = set()
        self._under_way: set[threading.Event] = set()
        self._shelf = WiringShelf(self._open_wiring)

    @property
    def fleet(self) -> Fleet:
        """The inventory as it is now; while that cannot be read, as it was. Raises ConfigError
        where none was read before."""
        with self._lock:
            version = self._version_now()
            if self._fleet is None or (version is not None and version != self._version):
                self._fleet = self._loaded(self._fleet)
                self._version = version
            return self._fleet

    def _version_now(self) -> tuple[int, int] | None:
        """None: it is not there, as when somebody is just replacing it."""
        try:
            seen = self._place.inventory.stat()
        except OSError:
            return None
        return seen.st_mtime_ns, seen.st_size

    def _loaded(self, before: Fleet | None) -> Fleet:
        try:
            return load_fleet(self._place.inventory, ledger=self._place.ledger)
        except ConfigError as error:
            if before is None:
                raise
            log.error("the inventory is used as it was before its last change: %s", error)
            return before

    def check(self) -> None:
        """Raise ConfigError or LedgerError now rather than in every job."""
        with self._parts() as parts:
            parts.tools()

    def stop(self) -> None:
        """Let the jobs under way end early. What is left of them goes back into the queue."""
        with self._lock:
            for job in self._under_way:
                job.set()

    def note(self, end: ExitCode) -> None:
        """How a job ended that a caller should hear of."""
        with self._lock:
            self._ends.add(end)

    @property
    def exit_code(self) -> ExitCode:
        """What all jobs together come to: PARTIAL where one went wrong, HELD where one held a
        site."""
        with self._lock:
            if self._ends - {ExitCode.OK, ExitCode.HELD, ExitCode.DEADLINE}:
                return ExitCode.PARTIAL
            return ExitCode.HELD if ExitCode.HELD in self._ends else ExitCode.OK

    def first_works(self, errand: Errand) -> list[Work]:
        """Every job that an errand begins with: a look at each site, and each lane's sending."""
        with self._parts() as parts:
            targets = errand.selection.select(parts.fleet.targets())
            sites = dict.fromkeys(target.site.origin for target in targets)
            names = in_turn(lanes(targets, parts.tools()))
        return [
            *(Work(LOOK, errand, name=site) for site in sites),
            *(Work(SEND, errand, lane.account, lane.name) for lane in names),
        ]

    def do(self, work: Work) -> list[Work]:
        """Carry out a job; returns the jobs that follow from it. Raises LedgerBusy, LedgerError,
        ConfigError."""
        with self._parts() as parts:
            return {LOOK: self._look, SEND: self._send, VERIFY: self._verify}[work.task](
                work, parts.fleet, parts.tools()
            )

    def _look(self, work: Work, fleet: Fleet, tools: Tools) -> list[Work]:
        of_site = [one for one in fleet.targets() if one.site.origin == work.name]
        if not of_site:
            log.warning("%s is not in the inventory any more", work.name)
            return []
        look = look_at_site(self._request(work, fleet, of_site), tools)
        if tools.stop.is_set() and (look is None or look.unfinished):
            return [work]
        if look is not None and has_broken_documents(look):
            self.note(ExitCode.PARTIAL)
        chosen = work.errand.selection.select(of_site)
        return [Work(SEND, work.errand, lane.account, lane.name) for lane in lanes(chosen, tools)]

    def _send(self, work: Work, fleet: Fleet, tools: Tools) -> list[Work]:
        in_lane = lane_targets(fleet, work.lane, tools)
        targets = work.errand.selection.select(in_lane)
        if not targets:
            return []
        report = send_lane(self._request(work, fleet, targets), tools)
        self.note(ExitCode(report.exit_code))
        log.info(
            "%s: %s", work.lock, report.summary["outcome"],
            extra={"counts": report.summary["counts"]},
        )  # fmt: skip
        following = []
        if tools.stop.is_set():
            following.append(work)
        if work.errand.verify and TRAITS[targets[0].account.engine].checks:
            following.append(Work(VERIFY, work.errand, work.account))
        return following

    def _verify(self, work: Work, fleet: Fleet, tools: Tools) -> list[Work]:
        of_account = [one for one in fleet.targets() if one.account.name == work.account]
        targets = work.errand.selection.select(of_account)
        if targets:
            verify_fleet(self._request(work, fleet, targets), tools)
        return [work] if targets and tools.stop.is_set() else []

    def _request(self, work: Work, fleet: Fleet, targets: Sequence[Target]) -> RunRequest:
        return RunRequest(
            run=work.errand.run,
            fleet=fleet,
            targets=targets,
            owner=self._place.owner,
            forced=work.errand.forced,
            part=work.lock,
        )

    @contextmanager
    def _parts(self) -> Iterator[Wiring]:
        with self._shelf.taken(self.fleet) as parts:
            self._begin(parts.stop)
            try:
                yield parts
            finally:
                with self._lock:
                    self._under_way.discard(parts.stop)

    def _open_wiring(self, fleet: Fleet) -> Wiring:
        place = self._place
        return Wiring(
            fleet,
            environ=place.environ,
            clock=place.clock,
            rules=place.rules,
            found_secret=place.found_secret,
            worker=place.owner,
        )

    def tidy(self) -> None:
        """Close what is open and no job will use any more."""
        self._shelf.tidy()

    def close(self) -> None:
        """After the last job."""
        self._shelf.close()

    def _begin(self, stop: threading.Event) -> None:
        """A job's own sign to stop: a lease that it loses is not the end of the others."""
        with self._lock:
            self._under_way.add(stop)
        if self._place.stop.is_set():
            stop.set()
