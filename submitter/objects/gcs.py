"""Google Cloud Storage, through google-auth and its XML interface.

Headers: https://cloud.google.com/storage/docs/xml-api/reference-headers
(x-goog-if-generation-match, x-goog-generation, x-goog-meta-), read 2026-11-30: a condition that
does not hold is answered with 412; generation 0 stands for "there is none".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests

from submitter.objects.address import ObjectAddress
from submitter.objects.errors import Busy, ObjectError, Overtaken
from submitter.objects.stored import Head

ENDPOINT = "https://storage.googleapis.com"
SCOPE = "https://www.googleapis.com/auth/devstorage.read_write"
TIMEOUTS_S = (5.0, 20.0)
CHUNK = 1 << 20
GENERATION = "x-goog-generation"
MARK = "x-goog-meta-submitter"

LATER = frozenset({408, 429, 500, 502, 503, 504})
"""Source: https://cloud.google.com/storage/docs/retry-strategy, read 2026-11-30. Of a
replacement these may come after it has been done; the mark tells."""


class GcsStore:
    """Implements `stored.Store`. Who we are is google-auth's business: the machine's identity."""

    def __init__(self, address: ObjectAddress) -> None:
        self._address = address
        self._url = f"{address.endpoint or ENDPOINT}/{address.bucket}/{address.key}"
        self._session = _session(address)

    def fetch(self, into: Path, *, max_bytes: int) -> str | None:
        with self._asked("GET") as response:
            if response.status_code == HTTPStatus.NOT_FOUND:
                return None
            self._check(response)
            with into.open("wb") as file:
                size = 0
                for chunk in response.iter_content(CHUNK):
                    size += len(chunk)
                    if size > max_bytes:
                        raise ObjectError(
                            str(self._address), f"it has more than {max_bytes:,} bytes"
                        )
                    file.write(chunk)
            return self._generation(response)

    def head(self) -> Head | None:
        with self._asked("HEAD") as response:
            if response.status_code == HTTPStatus.NOT_FOUND:
                return None
            self._check(response)
            return Head(self._generation(response), response.headers.get(MARK, ""))

    def put(self, body: Path, *, expected: str | None, mark: str) -> str:
        headers = {"x-goog-if-generation-match": expected or "0", MARK: mark}
        with (
            body.open("rb") as file,
            self._asked("PUT", data=file, headers=headers) as response,
        ):
            self._check(response)
            return self._generation(response)

    @contextmanager
    def _asked(self, method: str, **more: Any) -> Iterator[requests.Response]:
        """One request, its body still to be read."""
        from google.auth.exceptions import GoogleAuthError

        try:
            with self._session.request(
                method, self._url, timeout=TIMEOUTS_S, allow_redirects=False, stream=True, **more
            ) as response:
                yield response
        except (GoogleAuthError, requests.RequestException) as error:
            problem = f"Cloud Storage could not be asked ({type(error).__name__})"
            raise ObjectError(str(self._address), problem) from error

    def _check(self, response: requests.Response) -> None:
        where, status = str(self._address), response.status_code
        if status == HTTPStatus.OK:
            return
        if status == HTTPStatus.PRECONDITION_FAILED:
            raise Overtaken(where, "somebody else replaced it")
        if status in LATER:
            raise Busy(where, f"the store is busy ({status})")
        raise ObjectError(where, f"Cloud Storage answered {status}{_hint(status)}")

    def _generation(self, response: requests.Response) -> str:
        found = response.headers.get(GENERATION)
        if not found:
            raise ObjectError(str(self._address), f"the answer has no {GENERATION}")
        return found


def _session(address: ObjectAddress) -> requests.Session:
    """One that knows who we are; a stand-in on this machine is not told."""
    session = _authorized(address) if address.endpoint is None else requests.Session()
    session.trust_env = False
    return session


def _authorized(address: ObjectAddress) -> requests.Session:
    import google.auth
    from google.auth.exceptions import GoogleAuthError
    from google.auth.transport.requests import AuthorizedSession

    try:
        credentials, _ = google.auth.default(scopes=[SCOPE])
    except GoogleAuthError as error:
        raise ObjectError(str(address), "this machine has no Google identity") from error
    session: requests.Session = AuthorizedSession(  # type: ignore[no-untyped-call]  # google-auth has no types
        credentials,
        refresh_status_codes=(),  # it would repeat a request whose file has been read already
    )
    return session


def _hint(status: int) -> str:
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "; the identity needs the role roles/storage.objectUser on the bucket"
    return ""
