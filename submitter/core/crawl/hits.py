"""One line of a log that was understood, and why others were not."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from submitter.core.crawl.bots import Bot


class Hit(NamedTuple):
    """One request. `at` in whole seconds since 1970 UTC; `size` in bytes, 0 where unknown."""

    host: bytes
    """As the line names it, with or without a port; empty where it does not."""
    address: bytes
    """Of whoever asked; two, parted by a comma, where it may be either: see `ranges.asker_of`."""
    at: int
    target: bytes
    """Path and query, or a whole address, as asked for."""
    status: int
    size: int
    agent: bytes


Understood = tuple[bytes, Bot, Hit]
"""A line, the bot that it names, and what stands in it."""


class BadLine(ValueError):
    """The line is no request in a format that we know. `reason` is a key of REJECTED."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


REJECTED: Final = {
    "unknown-format": "fits none of the formats; give its mask with --mask",
    "not-the-mask": "does not fit the mask that was given",
    "bad-quotes": "a quoted field does not end, or words follow it without a blank",
    "bad-time": "the time cannot be read",
    "bad-status": "no HTTP status where one belongs",
    "bad-request": "the request line is not METHOD TARGET PROTOCOL",
    "bad-json": "begins like a JSON object and is none",
    "json-over-lines": "part of JSON that goes over several lines; give one object a line",
    "json-fields": "a JSON object without a time, a request or a status",
    "too-few-fields": "fewer fields than its #Fields line names",
    "no-fields-line": "looks like W3C format, but no #Fields line came before it",
    "too-long": "longer than 65,536 bytes",
}
"""Why a line is rejected."""

LEFT_OUT: Final = {
    "unknown-host": "its host is none of the sites that are asked for: those of the inventory, or"
    " the ones that --site and --tag select",
    "no-host": "it names no host, and more than one site is meant; give --site",
    "too-many-hosts": "there are too many hosts in a log read without an inventory",
    "before-since": "older than --since",
    "time-ahead": "its time is more than a day ahead of now, or before 2000",
    "closed-hour": "its hour was read too long ago to tell old lines from new ones",
}
"""Why a bot's line is understood and not counted."""


class Verdict(StrEnum):
    """What is known of the name that a hit gives itself."""

    CLAIMED = "claimed"
    """It could be checked, and nothing decided it: no list, or an old one, and no word of DNS."""
    VERIFIED = "verified"
    """From an address that the bot's operator publishes, or whose name and address agree."""
    CONTRADICTED = "contradicted"
    """From an address that is not the operator's: somebody else uses the name."""
    UNVERIFIABLE = "unverifiable"
    """Its operator publishes no way to check, or the address in the log is a proxy's or
    may be one's."""
