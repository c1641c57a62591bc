"""Amazon S3 and what speaks its language, through boto3.

Conditions: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html, read
2026-11-30: `If-Match` and `If-None-Match: *` are answered with 412 when they do not hold, and with
409 when another write was under way.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from submitter.objects.address import ObjectAddress
from submitter.objects.errors import Busy, Missing, ObjectError, Overtaken
from submitter.objects.stored import Head

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 20
CHUNK = 1 << 20
MARK = "submitter"

MISSING = frozenset({"NoSuchKey", "NotFound", "404"})
FAILED_CONDITION = frozenset({"PreconditionFailed", "412"})
LATER = frozenset({"ConditionalRequestConflict", "OperationAborted", "SlowDown", "409", "503"})
"""Source: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, read 2026-11-30."""
RIGHTS = (
    "; the role needs s3:GetObject and s3:PutObject for it, and s3:ListBucket, without which an"
    " object that is not there looks like this, too"
)


class S3Store:
    """Implements `stored.Store`. Who we are is boto3's business: variables, role, profile."""

    def __init__(self, address: ObjectAddress) -> None:
        self._address = address
        self._place = {"Bucket": address.bucket, "Key": address.key}
        self._client = _client(address)

    def fetch(self, into: Path, *, max_bytes: int) -> str | None:
        try:
            with self._translated():
                found = self._client.get_object(**self._place)
                self._check_size(found["ContentLength"], max_bytes)
                with into.open("wb") as file:
                    for chunk in found["Body"].iter_chunks(CHUNK):
                        file.write(chunk)
                return str(found["ETag"])
        except Missing:
            return None

    def head(self) -> Head | None:
        try:
            with self._translated():
                found = self._client.head_object(**self._place)
                return Head(str(found["ETag"]), str(found["Metadata"].get(MARK, "")))
        except Missing:
            return None

    def put(self, body: Path, *, expected: str | None, mark: str) -> str:
        condition = {"IfNoneMatch": "*"} if expected is None else {"IfMatch": expected}
        try:
            with self._translated(), body.open("rb") as file:
                stored = self._client.put_object(
                    **self._place, **condition, Body=file, Metadata={MARK: mark}
                )
                return str(stored["ETag"])
        except Missing as missing:
            raise Overtaken(str(self._address), "somebody else deleted it") from missing

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """boto3's errors as our own."""
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
        from urllib3.exceptions import HTTPError

        try:
            yield
        except ClientError as error:
            raise self._error(_code(error.response)) from error
        except (BotoCoreError, HTTPClientError, HTTPError) as error:
            raise ObjectError(
                str(self._address), f"S3 could not be asked ({type(error).__name__})"
            ) from error

    def _error(self, code: str) -> ObjectError:
        where = str(self._address)
        if code in MISSING:
            return Missing(where, "there is no such object")
        if code in FAILED_CONDITION:
            return Overtaken(where, "somebody else replaced it")
        if code in LATER:
            return Busy(where, f"the store is busy ({code})")
        rights = RIGHTS if code in ("AccessDenied", "403") else ""
        return ObjectError(where, f"S3 answered {code[:100]!r}{rights}")

    def _check_size(self, size: int, max_bytes: int) -> None:
        if size > max_bytes:
            problem = f"its {size:,} bytes are more than {max_bytes:,}"
            raise ObjectError(str(self._address), problem)


def _code(response: Mapping[str, Any]) -> str:
    return str(response.get("Error", {}).get("Code", ""))


def _client(address: ObjectAddress) -> Any:
    try:
        boto3 = importlib.import_module("boto3")
        config = importlib.import_module("botocore.config").Config
    except ImportError:
        problem = "needs the package boto3; run: pip install 'submitter[aws]'"
        raise ObjectError(str(address), problem) from None
    settings = config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=READ_TIMEOUT_S,
        retries={"mode": "standard", "max_attempts": 3},
    )
    session = boto3.session.Session(region_name=address.region)
    return session.client("s3", endpoint_url=address.endpoint, config=settings)
