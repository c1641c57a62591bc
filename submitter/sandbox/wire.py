"""What comes in over HTTP and what goes back, as values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    """One call as received. `path` and `query` are raw: nothing is decoded before a part looks."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    body: bytes = b""
    arrived: float = 0.0
    """On the sandbox's monotonic clock."""

    def header(self, name: str) -> str:
        return self.headers.get(name, "")

    @property
    def host(self) -> str:
        """The Host header without its port, in lower case."""
        name = self.header("host").lower()
        return name if name.endswith("]") else name.rpartition(":")[0] or name

    def query_field(self, name: str) -> str:
        """A decoded field of the query, empty when it is not there.

        A POST that stands for a long GET has its query in the body.
        """
        stands_for_get = self.header("x-http-method-override").upper() == "GET"
        query = self.body.decode("utf-8", "replace") if stands_for_get else self.query
        values = parse_qs(query, keep_blank_values=True).get(name)
        return values[-1] if values else ""

    def form(self) -> dict[str, str]:
        """The body as an HTML form; the last value of a name counts."""
        fields = parse_qs(self.body.decode("utf-8", "replace"), keep_blank_values=True)
        return {name: values[-1] for name, values in fields.items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer. A long body is a `stream`, made piece by piece while it is sent."""

    status: int = 200
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    stream: Callable[[], Iterator[bytes]] | None = None

    def pieces(self) -> Iterator[bytes]:
        return self.stream() if self.stream else iter([self.body])


def json_answer(status: int, value: object, *headers: tuple[str, str]) -> Answer:
    body = json.dumps(value, ensure_ascii=False).encode()
    return Answer(status, body, "application/json; charset=UTF-8", headers)


def html_answer(status: int, title: str) -> Answer:
    page = f"<!DOCTYPE html>\n<html lang=en>\n<title>{title}</title>\n<p>{title}\n"
    return Answer(status, page.encode(), "text/html; charset=UTF-8")
