"""What an engine needs at a site itself, seen to once in a run."""

from __future__ import annotations

import threading

from submitter.errors import EngineError
from submitter.sending.channels import Channel, RunContext


class Preparations:
    """Of one account's sites. Thread-safe."""

    def __init__(self, channel: Channel, context: RunContext) -> None:
        self._channel, self._context = channel, context
        self._known: dict[str, EngineError | None] = {}
        self._lock = threading.Lock()

    def see_to(self, origin: str) -> None:
        """Raises the EngineError that stands in the way, the same one each time."""
        with self._lock:
            known = origin in self._known
        if not known:
            problem = self._once(origin)
            with self._lock:
                self._known[origin] = problem
        if (problem := self._known[origin]) is not None:
            raise problem

    def _once(self, origin: str) -> EngineError | None:
        context = self._context
        until = None if context.until == float("inf") else context.until
        try:
            self._channel.engine.prepare(context.sites[origin], context.source, until=until)
        except EngineError as problem:
            return problem
        return None
