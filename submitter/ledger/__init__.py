"""The memory: what was seen, what was told to whom, and what came back.

One code for SQLite files and PostgreSQL. SQLAlchemy is loaded only when a ledger is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from submitter.ports import Ledger


def open_ledger(url: str, *, is_dead: Callable[[str], bool] = lambda owner: False) -> Ledger:
    """Open the ledger at `sqlite:///PATH` (made if there is none), `sqlite:///:memory:`,
    `postgresql://HOST/DATABASE`, `s3://BUCKET/NAME` or `gs://BUCKET/NAME`.

    `is_dead` may know that the owner of a lease has ended; then the lease is free at once.
    Raises ConfigError for an address that is none or that needs what is not installed, and
    LedgerError for a place that is foreign, damaged, read-only or not reached, on a network file
    system, or made by a newer version of this program.
    """
    from submitter.ledger.opening import open_ledger

    return open_ledger(url, is_dead=is_dead)
