"""Whether a row may be listed at all, by its address and by what it says of itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from submitter.core.building.leaks import RISKY, Parameters, leak
from submitter.core.building.reasons import MISSING_URL
from submitter.core.building.rows import Row
from submitter.core.sieve import BAD_ADDRESS, FOREIGN_HOST, LOC_TOO_LONG
from submitter.core.urls import MAX_CHARACTERS, BadUrl, normalize, sendable, shown
from submitter.errors import ConfigError

PARAMETER_PAGE: Final = "parameter-page"


def check_fields(names: Iterable[str], known: Collection[str] = RISKY) -> None:
    """ConfigError for a field that may keep pages out but for its case: `Draft` would hide none."""
    for name in names:
        if name not in known and (meant := name.strip().lower()) in RISKY:
            raise ConfigError.one("list", f"the field {name[:200]!r} has to be written {meant!r}")


class Address(NamedTuple):
    """Of a row: its identity, and the spelling to send; with a `fault` there is none of them."""

    identity: str
    sent: str
    fault: str = ""
    words: str = ""


class Publicity:
    """Judges rows one by one. `own` is the beginning that every address must have, empty for any;
    `longest` counts the bytes of a spelling."""

    def __init__(
        self, parameters: Parameters, *, own: str = "", longest: int = MAX_CHARACTERS
    ) -> None:
        self._parameters, self._own, self._longest = parameters, own, longest

    def address(self, row: Row) -> Address:
        url = row.get("url")
        if not isinstance(url, str) or not url.strip():
            return Address("", "", MISSING_URL, "no url")
        url = url.strip()
        try:
            return Address(normalize(url), sendable(url))
        except BadUrl as error:
            fault = LOC_TOO_LONG if error.reason == "too-long" else BAD_ADDRESS
            return Address("", "", fault, f"{shown(url)} ({error.reason})")

    def why_not(self, row: Row, address: Address) -> str:
        """The reason, as in `reasons.DROPPED`; empty: it may be listed."""
        identity, sent = address.identity, address.sent
        if reason := leak(row, identity):
            return reason
        if not identity.startswith(self._own):
            return FOREIGN_HOST
        if self._parameters.among([identity]):
            return PARAMETER_PAGE
        if len(sent) > self._longest:
            return LOC_TOO_LONG
        # encoding is proven here, escaping when the file is read back
        return "" if normalize(sent) == identity else BAD_ADDRESS
