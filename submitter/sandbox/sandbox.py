"""The whole sandbox: local engines and a sample fleet behind one port of 127.0.0.1.

Requests for a host of the fleet go to the fleet, the rest by path: `/google/…`, `/baidu/…` and so
on for each engine, and `/-/…` for the control of it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from submitter.sandbox.baidu import Baidu
from submitter.sandbox.bing import Bing
from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.control import PREFIX, Control
from submitter.sandbox.faults import Fault
from submitter.sandbox.fleet import Fleet
from submitter.sandbox.google import Google
from submitter.sandbox.indexnow import IndexNow
from submitter.sandbox.part import Part
from submitter.sandbox.server import Listener
from submitter.sandbox.seznam import Seznam
from submitter.sandbox.wire import Answer, Request, json_answer
from submitter.sandbox.yandex import Yandex


class Sandbox:
    """`with Sandbox() as sandbox:` serves until the block ends. It starts empty.

    Equal `seed` and start time give an equal fleet. `port` 0 takes a free one.
    """

    def __init__(self, *, clock: SandboxClock | None = None, seed: int = 0, port: int = 0) -> None:
        self.clock = clock or SandboxClock()
        self.fleet = Fleet(self.clock, seed=seed)
        self.google = Google(self.clock, self.fleet.fetch)
        self.baidu = Baidu(self.clock, seed=seed)
        self.indexnow = IndexNow(self.clock)
        self.bing = Bing(self.clock, self.fleet.fetch, seed=seed)
        self.yandex = Yandex(self.clock, self.fleet.fetch, seed=seed)
        self.seznam = Seznam(self.clock, seed=seed)
        engines: tuple[Part, ...] = (
            self.google,
            self.baidu,
            self.indexnow,
            self.bing,
            self.yandex,
            self.seznam,
        )
        self._engines = {engine.name: engine for engine in engines}
        self.control = Control([*self._engines.values(), self.fleet], self.clock)
        self._port = port
        self._listener: Listener | None = None

    # -- life

    def start(self) -> Self:
        if self._listener is None:
            self._listener = Listener(self._port, self._answer, self.clock)
            self.fleet.endpoint = self.base_url
            for name, engine in self._engines.items():
                engine.endpoint = f"{self.base_url}/{name}"
        return self

    def stop(self) -> None:
        """Close every connection and join every thread; harmless when it does not run."""
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def address(self) -> str:
        """`127.0.0.1:PORT`, also what `connect_to` of the fleet's hosts points at."""
        if self._listener is None:
            raise RuntimeError("the sandbox is not started")
        return f"127.0.0.1:{self._listener.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.address}"

    def write_demo(self, directory: Path, *, further: Sequence[str] = ()) -> Path:
        """Fill the fleet with samples and write an inventory for them, secrets included.

        `further` engines (`demo.FURTHER`) are told one more site. Returns the inventory's path,
        ready for `submitter -i PATH run` as long as the sandbox runs.
        """
        from submitter.sandbox.demo import write_demo

        return write_demo(self, directory, further=further)

    # -- answering

    def _answer(self, request: Request) -> tuple[Answer | None, Fault | None]:
        if request.host in self.fleet:
            return self._ask(self.fleet, request)
        if request.path.startswith(PREFIX):
            return self.control.answer(request), None
        name, _, rest = request.path.removeprefix("/").partition("/")
        engine = self._engines.get(name)
        if engine is None:
            return json_answer(404, {"error": "no such site and no such engine"}), None
        return self._ask(engine, replace(request, path=f"/{rest}"))

    def _ask(self, part: Part, request: Request) -> tuple[Answer | None, Fault | None]:
        """Let the part decide unless a fault comes first, and write it into the part's book."""
        with part.lock:
            call = part.read(request)
            fault = part.faults.strike(call.name, call.key)
            verdict = part.decide(request, call) if fault is None or fault.applied else None
            own = verdict.answer if verdict else None
            answer = fault.spoil(own, part.answers) if fault else own
            part.book.add(
                at=self.clock.now(),
                call=call.name,
                key=call.key,
                account=call.account,
                status=answer.status if answer else None,
                accepted=verdict.accepted if verdict else (),
                refused=verdict.refused if verdict else dict.fromkeys(call.items, "fault"),
                code=verdict.code if verdict else "fault",
                fault=_described(fault) if fault else "",
            )
        return answer, fault


def _described(fault: Fault) -> str:
    return f"{fault.kind} after" if fault.after else str(fault.kind)
