"""What the ledger knows, gathered for people: the log, the status, one address."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from submitter.core.fleet import Account, Fleet, Site, Target
from submitter.core.lastrun import Key, LastRun, last_runs
from submitter.core.records import LogRow, PageLogRow, SitemapStatus
from submitter.core.selection import Selection
from submitter.core.traits import Kind
from submitter.ports import Ledger, LogFilter

RUNS_BACK = (1, 4, 12)
"""So many runs back is looked for what was last said of a target, further back only where some
target is not in those: the report of a large fleet is long. What is further back than the last is
not found, as where a fleet is divided into more parts than that."""


def last_runs_of(ledger: Ledger, targets: Collection[Key]) -> dict[Key, LastRun]:
    """What the newest run that had a target said of it, where a run did not long ago; as far as no
    later call, by a worker or by hand, has shown that what stood in the way does not any more."""
    found: dict[Key, LastRun] = {}
    for limit in RUNS_BACK:
        runs = ledger.runs(limit=limit)
        found = last_runs(runs)
        if found.keys() >= set(targets) or len(runs) < limit:
            break
    return _still_so(ledger, {key: found[key] for key in targets if key in found})


def _still_so(ledger: Ledger, last: dict[Key, LastRun]) -> dict[Key, LastRun]:
    stopped = {key: said.at for key, said in last.items() if said.problems and said.at}
    if not stopped:
        return last
    since = LogFilter(since=min(stopped.values()), targets=frozenset(stopped))
    for row in ledger.log(since):
        key = row.site, row.account
        if row.sent_at is not None and row.sent_at > stopped[key]:
            last[key] = last[key].without(Kind(row.kind))
    return last


class Chosen:
    """A selection over what is remembered, sites that the inventory does not name included."""

    def __init__(self, fleet: Fleet, selection: Selection) -> None:
        self._fleet, self._selection = fleet, selection
        self._targets = {target.key: target for target in fleet.targets()}
        self._verdicts: dict[tuple[str, str], bool] = {}

    def includes(self, target: Target) -> bool:
        if target.key not in self._verdicts:
            self._verdicts[target.key] = self._selection.matches(target)
        return self._verdicts[target.key]

    def target(self, site: str, account: str, engine: str = "") -> Target:
        """The inventory's target of that name, or one made from what is remembered."""
        known = self._targets.get((site, account))
        if known is not None:
            return known
        scheme, _, host = site.partition("://")
        there = self._fleet.accounts.get(account) or Account(account, engine, None)
        return Target(Site(host, scheme), there)

    def log(self, ledger: Ledger, which: LogFilter) -> Iterator[LogRow]:
        """Oldest first, streamed."""
        for row in ledger.log(which):
            if self.includes(self.target(row.site, row.account, row.engine)):
                yield row

    def page_log(self, ledger: Ledger, which: LogFilter) -> Iterator[PageLogRow]:
        for row in ledger.page_log(which):
            if self.includes(self.target(row.site, row.account, row.engine)):
                yield row

    def statuses(self, ledger: Ledger) -> list[StatusLine]:
        """Every sitemap declared or remembered, in inventory order; then what was told by hand.

        Remembered accounts that the inventory does not have any more are left out.
        """
        known: dict[tuple[str, str], list[SitemapStatus]] = {}
        for row in ledger.statuses():
            if row.account in self._fleet.accounts:
                known.setdefault((row.site, row.account), []).append(row)
        keys = dict.fromkeys((*self._targets, *sorted(known)))
        targets = [self.target(*key) for key in keys]
        return [
            line
            for target in targets
            if self.includes(target)
            for line in status_lines(target, known.get(target.key, []))
        ]


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One sitemap at one target; `known` None: nothing is remembered of it."""

    target: Target
    sitemap: str | None
    known: SitemapStatus | None = None


def status_lines(target: Target, known: Iterable[SitemapStatus]) -> list[StatusLine]:
    """What is known, then what is declared and not known yet. Never empty."""
    lines = [StatusLine(target, row.sitemap, row) for row in known]
    seen = {line.sitemap for line in lines}
    declared = target.site.sitemaps or ()
    lines += [StatusLine(target, sitemap) for sitemap in declared if sitemap not in seen]
    return lines or [StatusLine(target, None)]
