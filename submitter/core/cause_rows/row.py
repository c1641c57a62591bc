"""One row of the table of causes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something is not told.

    `meaning` is one sentence without its full stop, in the words of somebody who runs a site;
    `next_step` is what a person does, empty where waiting is all there is to do. No `engines`: it
    may be met at any of them, or at the site.
    """

    id: str
    meaning: str
    next_step: str = ""
    engines: tuple[str, ...] = ()
