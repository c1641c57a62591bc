"""Columns that many tables have."""

from __future__ import annotations

from submitter.core.health import TROUBLED
from submitter.render.html.table import Column

TROUBLES = ",".join(str(state) for state in TROUBLED)
"""States of a call, as a link names them."""
SITE = Column("site", "Site", "site", link="site/{site}")
ACCOUNT = Column("account", "Account", facet=True)
ENGINE = Column("engine", "Engine", "hidden", facet=True)
"""An account has one engine, so where accounts are shown it is only a choice."""
SHOWN_ENGINE = Column("engine", "Engine", facet=True)
