"""What a run did for each of its accounts, out of the report that the ledger keeps of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from submitter.core.states import TOLD, WRONG


@dataclass(frozen=True, slots=True)
class RunShare:
    """An account's part of a run: pages and sitemaps that were told and that went wrong, also
    without a call; at how many of its selected sites something did."""

    run: str
    started_at: datetime
    account: str
    engine: str
    told: int = 0
    wrong: int = 0
    failing_sites: int = 0
    sites: int = 0

    @property
    def was_tried(self) -> bool:
        return self.told + self.wrong > 0

    @property
    def fails_whole(self) -> bool:
        """Nothing was told, and no few sites are to blame: a quiet night at which one of many
        sites is out of order is none of the account's doing."""
        return self.wrong > 0 and not self.told and 2 * self.failing_sites >= self.sites

    def with_target(self, told: int, wrong: int) -> RunShare:
        return replace(
            self,
            told=self.told + told,
            wrong=self.wrong + wrong,
            failing_sites=self.failing_sites + bool(wrong),
            sites=self.sites + 1,
        )


def shares_of(run: str, started_at: datetime, report: Mapping[str, Any]) -> list[RunShare]:
    """By account; `report` is the JSON of the run (see `core.summary`). None of a run that was
    refused: it has no targets."""
    shares: dict[str, RunShare] = {}
    for target in report.get("targets", ()):
        name = target["account"]
        share = shares.get(name) or RunShare(run, started_at, name, target["engine"])
        counts = target["counts"].values()
        told = sum(side.get(state, 0) for side in counts for state in TOLD)
        wrong = sum(side.get(state, 0) for side in counts for state in WRONG)
        shares[name] = share.with_target(told, wrong)
    return list(shares.values())
