"""Works on one delivery: the same run as `submitter run`, answered with its JSON in any case."""

from __future__ import annotations

import json
import logging
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from submitter.cloud.deliveries import Delivery
from submitter.cloud.logs import logging_lines
from submitter.cloud.options import RunOptions, read_options
from submitter.core.redaction import Redactor
from submitter.errors import ConfigError, LedgerBusy, SubmitterError

if TYPE_CHECKING:
    from submitter.stories.runs import RunReport
    from submitter.wiring import Wiring

log = logging.getLogger(__name__)

MARGIN_S = 10.0
"""Kept free at the end of a function's time: for the answer, and for what the platform does."""
MAY_FORGET = "SUBMITTER_LEDGER_MAY_FORGET"
"""Set to 1, this allows a ledger in the folder for temporary files."""
RETRIED = frozenset({"busy", "ledger", "storage", "unreachable", "internal"})
"""Kinds of trouble after which the same event may succeed later."""

AT_WORK = threading.Lock()
"""A process has one log, and so one event at a time."""

Json = Mapping[str, object]


class TryAgain(SubmitterError):
    """The event was not worked on; the platform should deliver it once more. The text says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The run's JSON, or an object with `error` when there is none. `trouble` is its kind."""

    document: Json
    exit_code: int
    trouble: str = ""

    def raise_if_for_later(self) -> None:
        """Raise TryAgain where the same event may succeed later."""
        if self.trouble in RETRIED:
            error = self.document["error"]
            raise TryAgain(str(error["message"] if isinstance(error, Mapping) else error))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a platform gives a function: variables, the monotonic time at which it ends, and how
    lines of its log look."""

    environ: Mapping[str, str]
    ends_at: float
    log_fields: Mapping[str, object]
    redactor: Redactor = field(default_factory=Redactor)

    def until(self, options: RunOptions, *, now: float) -> float:
        """When everything has to be stored; an event can only make it earlier."""
        margin = min(MARGIN_S, max(0.0, self.ends_at - now) / 5)
        asked = float("inf") if options.deadline_s is None else now + options.deadline_s
        return min(self.ends_at - margin, asked)


def answer(deliver: Callable[[], Delivery], around: Surroundings) -> Answer:
    """Run what is delivered. Never raises: what went wrong is the answer.

    While this process is at work on an event, any other is told to come again.
    """
    if not AT_WORK.acquire(blocking=False):
        return _error_answer(LedgerBusy("this instance is at work on another event"), around)
    try:
        with logging_lines(around.redactor, around.log_fields):
            return _answer(deliver, around)
    finally:
        AT_WORK.release()


def _answer(deliver: Callable[[], Delivery], around: Surroundings) -> Answer:
    try:
        delivery = deliver()
        options = read_options(delivery.options)
        return _answer_run(options.run or delivery.run, options, around)
    except Exception as error:
        return _trouble(error, around)


def _answer_run(run: str, options: RunOptions, around: Surroundings) -> Answer:
    with _wired(around) as parts:
        report = _run(run, options, parts, around)
    outcome = report.summary.get("outcome")
    extra = {"run": run, "exit_code": report.exit_code, "counts": report.summary.get("counts")}
    log.info("the run %s ended: %s", run, outcome, extra=extra)
    return Answer(report.summary, report.exit_code)


def _run(run: str, options: RunOptions, parts: Wiring, around: Surroundings) -> RunReport:
    from submitter.core.choosing import select
    from submitter.kit.owners import this_owner
    from submitter.looking.reading import SoleReader
    from submitter.stories.run_request import RunRequest
    from submitter.stories.runs import run_fleet

    targets, part = select(parts.fleet, options.selection), ""
    if options.shard is not None:
        targets, part = options.shard.targets(parts.fleet.sites, targets), options.shard.part
    request = RunRequest(
        run=f"{run}-{part}" if part else run,
        fleet=parts.fleet,
        targets=targets,
        owner=f"{this_owner()} {secrets.token_hex(4)}",  # a process may work on several events
        until=around.until(options, now=time.monotonic()),
        forced=options.force,
        only_plan=options.only_plan,
        verify=options.verify,
        wait_s=options.wait_s,
        part=part,
    )
    parts.require_secrets([target.account for target in targets])
    # the memory of a function is measured for one process, so no further ones read for it
    return run_fleet(request, replace(parts.tools(), readers=SoleReader()))


@contextmanager
def _wired(around: Surroundings) -> Iterator[Wiring]:
    from submitter.cloud.inventories import fetched_inventory
    from submitter.wiring import Wiring, load_fleet

    environ = around.environ
    with tempfile.TemporaryDirectory(prefix="submitter-") as folder:
        path = fetched_inventory(environ, Path(folder))
        fleet = load_fleet(path, ledger=environ.get("SUBMITTER_LEDGER"))
        parts = Wiring(fleet, environ=environ, found_secret=around.redactor.add)
        try:
            _check_memory(parts.ledger_url, environ)
            yield parts
        finally:
            parts.close()


def _check_memory(ledger: str, environ: Mapping[str, str]) -> None:
    """A platform empties the folder for temporary files whenever it likes."""
    path = ledger.removeprefix("sqlite:///")
    if path == ledger or environ.get(MAY_FORGET) == "1":
        return
    if Path(path).is_relative_to(tempfile.gettempdir()):
        raise ConfigError.one(
            "ledger",
            "a function's temporary folder forgets; use postgresql://, s3:// or gs://"
            f" (or set {MAY_FORGET}=1)",
        )


def _trouble(error: Exception, around: Surroundings) -> Answer:
    found = _error_answer(error, around)
    if found.trouble == "internal":
        log.error("internal error", exc_info=error)
    else:
        log.error("no run: %s", error, extra={"kind": found.trouble})
    return found


def _error_answer(error: Exception, around: Surroundings) -> Answer:
    from submitter.core.troubles import trouble_of
    from submitter.render.shapes import error_doc

    found = trouble_of(error)
    document = error_doc(found.kind, found.exit_code, found.message, found.faults)
    clean = json.loads(around.redactor.redact(json.dumps(document)))
    return Answer(clean, int(found.exit_code), found.kind)
