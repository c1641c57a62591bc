"""The sandbox over HTTP, for tests in another process or language: everything below `/-/`.

GET  /-/                     what is here
GET  /-/book?part=baidu      entries of a book; `&since=N` those after number N; DELETE forgets
GET  /-/faults?part=baidu    faults with their hits; POST {"kind": "reset", …} arms one; DELETE
POST /-/clock                {"advance_s": 60} | {"move_to": TIME} | {"past_midnight_of": ZONE}
POST /-/do/baidu.set_quota   {"site": …, "quota": …}: a part's own commands, arguments by name
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from submitter.sandbox.clock import SandboxClock
from submitter.sandbox.part import Part
from submitter.sandbox.wire import Answer, Request, json_answer

PREFIX = "/-/"


class Control:
    """Answers requests below `PREFIX`. What it cannot understand is a 400 that says why."""

    def __init__(self, parts: Sequence[Part], clock: SandboxClock) -> None:
        self._parts = {part.name: part for part in parts}
        self._clock = clock

    def answer(self, request: Request) -> Answer:
        try:
            return json_answer(200, self._result(request))
        except KeyError as error:
            return json_answer(404, {"error": f"not here: {error}"})
        except (ValueError, TypeError) as error:
            return json_answer(400, {"error": str(error)})

    def _result(self, request: Request) -> object:
        subject = request.path.removeprefix(PREFIX)
        match request.method, subject.partition("/"):
            case "GET", ("", _, _):
                return self._overview()
            case _, ("book", _, _):
                return self._book(request)
            case _, ("faults", _, _):
                return self._faults(request)
            case "POST", ("clock", _, _):
                return self._move_clock(_arguments(request))
            case "POST", ("do", _, command):
                return self._command(command, _arguments(request))
            case _:
                raise KeyError(f"{request.method} {request.path}")

    def _overview(self) -> object:
        parts = {
            part.name: {
                "endpoint": part.endpoint,
                "calls": part.book.count(),
                "commands": sorted(part.commands),
                "answers": sorted(part.answers),
            }
            for part in self._parts.values()
        }
        return {"now": self._clock.now().isoformat(), "parts": parts}

    def _book(self, request: Request) -> object:
        part = self._part(request)
        if request.method == "DELETE":
            part.book.clear()
        since = int(request.query_field("since") or 0)
        return {"entries": part.book.as_json(since=since)}

    def _faults(self, request: Request) -> object:
        part = self._part(request)
        if request.method == "DELETE":
            part.faults.clear()
        if request.method == "POST":
            rules = _arguments(request)
            part.faults.add(str(rules.pop("kind", "")), **rules)
        return {"faults": part.faults.as_json()}

    def _move_clock(self, move: Mapping[str, object]) -> object:
        match dict(move):
            case {"advance_s": int() | float() as seconds}:
                self._clock.advance(seconds)
            case {"move_to": str() as at}:
                self._clock.move_to(datetime.fromisoformat(at))
            case {"past_midnight_of": str() as zone}:
                self._clock.move_past_midnight(zone)
            case _:
                raise ValueError("one of advance_s, move_to, past_midnight_of is needed")
        return {"now": self._clock.now().isoformat()}

    def _command(self, name: str, arguments: Mapping[str, object]) -> object:
        part, _, verb = name.partition(".")
        return {"result": self._parts[part].commands[verb](**arguments)}

    def _part(self, request: Request) -> Part:
        return self._parts[request.query_field("part")]


def _arguments(request: Request) -> dict[str, object]:
    arguments = json.loads(request.body or b"{}")
    if not isinstance(arguments, dict):
        raise TypeError("a JSON object is needed")
    return arguments
