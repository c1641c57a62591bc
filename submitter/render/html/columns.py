"""Columns that many tables have."""

from __future__ import annotations

from collections.abc import Callable

from submitter.core.health import TROUBLED
from submitter.render.html.table import Column

TROUBLES = ",".join(str(state) for state in TROUBLED)
"""States of a call, as a link names them."""
SITE = Column("site", "Site", "site", link="site/{site}")
ACCOUNT = Column("account", "Account", facet=True)
ENGINE = Column("engine", "Engine", "hidden", facet=True)
"""An account has one engine, so where accounts are shown it is only a choice."""
SHOWN_ENGINE = Column("engine", "Engine", facet=True)


def summing(link: str, column: str, number: str = "") -> str:
    """A link to rows of which `column` adds up to the value of `number` (or of `column`)."""
    return f"{link}&sum={column}&of={{{number or column}}}"


def own_row(table: str, *keys: str) -> Callable[[str], str]:
    """Makes the link of a number that is no sum: to the row that it stands in, by its keys."""
    named = "&".join(f"{key}={{{key}}}" for key in keys)
    return lambda column: summing(f"{table}?{named}", column)
