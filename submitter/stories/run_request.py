"""What a run is asked for, and the doors it goes through."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from submitter.core.calls import Survey
from submitter.core.fleet import Fleet, Target
from submitter.core.traits import Traits
from submitter.looking.reading import Readers, SoleReader
from submitter.ports import Clock, Ledger, Progress, Source
from submitter.sending.channels import Channel, RunRules


@dataclass(frozen=True, slots=True)
class Tools:
    """The doors a run goes through. `open_channels` opens engines only for accounts in use."""

    ledger: Ledger
    source: Source
    clock: Clock
    traits: Mapping[str, Traits]
    open_channels: Callable[[Iterable[str]], Mapping[str, Channel]]
    property_of: Callable[[Target, Survey | None], str]
    progress: Progress
    rules: RunRules = RunRules()
    stop: threading.Event = field(default_factory=threading.Event)
    signal: Callable[[], int | None] = lambda: None
    """The number of the signal that set `stop`; None: no signal did."""
    readers: Readers = field(default_factory=SoleReader)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to do. `until` is a monotonic time; `forced` the operator's reason, stored."""

    run: str
    fleet: Fleet
    targets: Sequence[Target]
    owner: str
    until: float = float("inf")
    forced: str | None = None
    only_plan: str | None = None
    verify: bool = True
    wait_s: float = 0.0
    partial: bool = False
    """True: the targets' sites name some of their sitemaps only (a one-off submission)."""
    part: str = ""
    """Of the ledger's lease, when others work on the rest of the fleet at the same time."""
