"""The body of one document: raw bytes in, inflated bytes out, and whether its end was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from submitter.core.findings import Finding
from submitter.errors import FetchError
from submitter.sources.inflate import Peeler


class Body:
    """Pulls raw bytes with `read` (empty at the end) until the document is over."""

    def __init__(self, where: str, read: Callable[[], bytes], *, max_bytes: int) -> None:
        self._read = read
        self._peeler = Peeler(where, max_bytes=max_bytes)
        self._fault: FetchError | None = None
        self.ended = False
        self.empty = True

    @property
    def gzip(self) -> bool:
        return self._peeler.gzip

    @property
    def whole(self) -> bool:
        """Read to the end, and every gzip layer to its trailer."""
        return self.ended and self._peeler.proven

    @property
    def has_tail(self) -> bool:
        """Something follows the gzip data that was not read."""
        return self._peeler.over

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self._peeler.findings()

    def chunks(self) -> Iterator[bytes]:
        """What is left of the body. Raises FetchError, and the same again if asked again."""
        if self._fault is not None:
            raise self._fault
        try:
            yield from self._pump()
        except FetchError as error:
            self._fault = error
            raise

    def _pump(self) -> Iterator[bytes]:
        while not self.ended:
            data = b"" if self._peeler.over else self._read()
            for piece in self._peeler.feed(data) if data else self._peeler.finish():
                self.empty = False
                yield piece
            self.ended = not data
