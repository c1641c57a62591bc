"""The rows of the table of causes. Ids only grow.

Facts about an engine stand with their sources in that engine's own files.
"""

from __future__ import annotations

from typing import Final

from submitter.core.cause_rows.engines import (
    ANY_ENGINE_ROWS,
    BAIDU_ROWS,
    BING_ROWS,
    INDEXNOW_ROWS,
    SEZNAM_ROWS,
    YANDEX_ROWS,
)
from submitter.core.cause_rows.google import GOOGLE_ROWS
from submitter.core.cause_rows.row import Cause
from submitter.core.cause_rows.sites import LATER_ROWS, SETUP_ROWS, SITE_ROWS

ROWS: Final[tuple[Cause, ...]] = (
    *SETUP_ROWS,
    *SITE_ROWS,
    *ANY_ENGINE_ROWS,
    *GOOGLE_ROWS,
    *BAIDU_ROWS,
    *BING_ROWS,
    *YANDEX_ROWS,
    *SEZNAM_ROWS,
    *INDEXNOW_ROWS,
    *LATER_ROWS,
)
"""Every cause, each id once for an engine."""
