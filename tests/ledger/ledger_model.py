"""What a ledger must know, as plain dictionaries and sets: slow, simple, and easy to believe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ledger_samples import DAY_S

from submitter.core.fleet import FirstRun
from submitter.core.looks import Delta, PageRow, TellRule
from submitter.core.states import TOLD, State

HEARD = TOLD | {State.SENDING, State.UNKNOWN}
AGAIN = {State.FAILED, State.DEFERRED, State.UNKNOWN}


@dataclass
class ModelPage:
    """`place` is hand, listed, missing or gone."""

    order: int
    lastmod: int | None
    priority: int
    place: str
    first_seen: int
    missed: int = 0
    new_in: int = 0
    changed_in: int = 0
    went: bool = False
    went_before_baseline: bool = False


@dataclass
class ModelTarget:
    """What waits for an account, and how each page was last told."""

    seeded: int | None = None
    told_by: int | None = None
    urls: set[str] = field(default_factory=set)
    removals: set[str] = field(default_factory=set)
    parked: set[str] = field(default_factory=set)
    last: dict[str, tuple[State, bool]] = field(default_factory=dict)

    def heard(self, name: str, *, of_removal: bool) -> bool:
        state, removal = self.last.get(name, (State.PLANNED, False))
        return state in HEARD and removal is of_removal


class Model:
    def __init__(self) -> None:
        self.pages: dict[str, ModelPage] = {}
        self.documents: dict[str, dict[str, int | None]] = {}
        self.unread: dict[str, int] = {}
        self.targets: dict[str, ModelTarget] = {}
        self.look = self.last_look = 0
        self.baseline: set[str] = set()
        self.accepted = False
        self.delta = [0, 0, 0]

    # ------------------------------------------------------------ a look

    def begin(self, rules: Sequence[TellRule], at_s: int) -> None:
        self.look += 1
        self.rules, self.at_s, self.delta = rules, at_s, [0, 0, 0]
        self.mentioned: set[str] = set()
        for rule in rules:
            target = self.targets.setdefault(rule.account, ModelTarget())
            if (target.told_by or 0) < self.last_look:
                self._catch_up(target, rule)
            target.told_by = self.look
        self.last_look = self.look

    def _catch_up(self, target: ModelTarget, rule: TellRule) -> None:
        told_by = target.told_by or 0
        for name, page in self.pages.items():
            if page.place not in ("listed", "missing"):
                continue
            came = page.new_in > told_by and name not in target.last
            if target.seeded is None:
                came = came and self._is_of_first_run(rule, page.lastmod)
            changed = target.told_by is not None and rule.tells_changed
            if came or (changed and page.changed_in > told_by):
                target.urls.add(name)

    def read(self, url: str, rows: Sequence[tuple[str, PageRow]], *, complete: bool) -> None:
        self.mentioned.add(url)
        before = self.documents.get(url, {})
        unread_since = self.unread.pop(url, None)
        now: dict[str, int | None] = {}
        newest: dict[str, PageRow] = {}
        for name, row in rows:
            if name not in now or (row.lastmod or 0) > (now[name] or 0):
                now[name], newest[name] = row.lastmod, row
        for name, row in newest.items():
            self._list(name, row, unread_since)
        if complete:
            for name in before.keys() - now.keys():
                if self.pages[name].place == "listed":
                    self.pages[name].place, self.pages[name].missed = "missing", 0
            self.documents[url] = now
        else:
            self.documents[url] = {**before, **now}

    def _list(self, name: str, row: PageRow, unread_since: int | None) -> None:
        page = self.pages.get(name)
        if page is None:
            page = self.pages[name] = ModelPage(
                len(self.pages), row.lastmod, row.priority, "listed", self.at_s, new_in=self.look
            )
            self._tell_new(name, page, unread_since, skip_told=False)
            self.delta[0] += 1
            return
        before = page.first_seen if page.lastmod is None else page.lastmod
        newer = row.lastmod is not None and row.lastmod > before
        if row.lastmod is not None and (newer or page.lastmod is None):
            page.lastmod = row.lastmod
        page.priority = row.priority
        if page.place == "hand" and not page.went:
            page.new_in, page.first_seen = self.look, self.at_s
            self._tell_new(name, page, unread_since, skip_told=True)
            self.delta[0] += 1
        elif newer and self.look not in (page.new_in, page.changed_in):
            page.changed_in = self.look
            self.delta[1] += 1
            for rule in self.rules:
                if rule.tells_changed:
                    self.targets[rule.account].urls.add(name)
        if page.went:
            self._return(name, page)
        page.place, page.missed, page.went = "listed", 0, False

    def _tell_new(
        self, name: str, page: ModelPage, unread_since: int | None, *, skip_told: bool
    ) -> None:
        for rule in self.rules:
            target = self.targets[rule.account]
            in_first_run = target.seeded is None or (
                unread_since is not None and unread_since <= target.seeded
            )
            if in_first_run and not self._is_of_first_run(rule, page.lastmod):
                continue
            if not (skip_told and name in target.last):
                target.urls.add(name)

    def _is_of_first_run(self, rule: TellRule, lastmod: int | None) -> bool:
        if rule.first_run is FirstRun.RECENT:
            return lastmod is not None and lastmod >= self.at_s - rule.recent_days * DAY_S
        return rule.first_run is FirstRun.ALL

    def _return(self, name: str, page: ModelPage) -> None:
        if page.went_before_baseline:
            self.baseline.add(name)
        if page.place == "gone":
            self._unpark(name)

    def _unpark(self, name: str) -> None:
        for target in self.targets.values():
            if name in target.parked:
                target.parked.remove(name)
                target.urls.add(name)
            target.removals.discard(name)
            if target.heard(name, of_removal=True):
                target.urls.add(name)

    def keep(self, url: str) -> None:
        self.mentioned.add(url)

    def unreadable(self, url: str) -> None:
        self.mentioned.add(url)
        if url not in self.documents:
            self.unread.setdefault(url, self.look)

    def finish(self, *, gone_after: int, complete: bool) -> tuple[int, Delta, int, int, int]:
        """Listed, delta, baseline, new since, gone since."""
        if complete:
            self._drop_unmentioned()
        listed = {name for document in self.documents.values() for name in document}
        for name, page in self.pages.items():
            if page.place == "missing":
                self._look_for(name, page, listed, gone_after if complete else None)
        for rule in self.rules if complete else ():
            target = self.targets[rule.account]
            target.seeded = self.look if target.seeded is None else target.seeded
        known = self._known()
        return (
            len(listed),
            Delta(*self.delta),
            len(self.baseline),
            len(known - self.baseline),
            len(self.baseline - known),
        )

    def _drop_unmentioned(self) -> None:
        for url in self.documents.keys() - self.mentioned:
            for name in self.documents.pop(url):
                if self.pages[name].place == "listed":
                    self.pages[name].place, self.pages[name].missed = "missing", 0
        for url in self.unread.keys() - self.mentioned:
            del self.unread[url]

    def _look_for(
        self, name: str, page: ModelPage, listed: set[str], gone_after: int | None
    ) -> None:
        """A missing page is listed elsewhere, or was missed once more (by a complete look)."""
        if name in listed:
            page.place, page.missed = "listed", 0
        elif gone_after is not None:
            page.missed += 1
            if page.missed >= gone_after:
                self._go(name, page)

    def _go(self, name: str, page: ModelPage) -> None:
        page.place, page.went, page.went_before_baseline = "gone", True, False
        self.delta[2] += 1
        for target in self.targets.values():
            if name in target.urls:
                target.urls.remove(name)
                target.parked.add(name)
        for rule in self.rules:
            if rule.tells_removed and self.targets[rule.account].heard(name, of_removal=False):
                self.targets[rule.account].removals.add(name)

    def accept(self) -> None:
        self.baseline = self._known()
        self.accepted = True
        for page in self.pages.values():
            page.went_before_baseline = page.went

    def _known(self) -> set[str]:
        return {name for name, page in self.pages.items() if page.place in ("listed", "missing")}

    # ------------------------------------------------------------ by hand, and telling

    def adopt(self, account: str, rows: Iterable[tuple[str, PageRow]], at_s: int) -> None:
        self.look += 1
        target = self.targets.setdefault(account, ModelTarget())
        for name, row in rows:
            page = self.pages.get(name)
            if page is None:
                self.pages[name] = ModelPage(
                    len(self.pages), row.lastmod, row.priority, "hand", at_s
                )
                target.urls.add(name)
                continue
            if page.place == "gone":
                page.place = "hand"
                self._unpark(name)
            if name not in target.last:
                target.urls.add(name)

    def told(self, account: str, names: Iterable[str], state: State, *, removal: bool) -> None:
        target = self.targets[account]
        queue = target.removals if removal else target.urls
        for name in names:
            target.last[name] = state, removal
            if state not in AGAIN:
                queue.discard(name)

    def order(self, names: Iterable[str]) -> list[str]:
        """In sending order."""

        def place(name: str) -> tuple[int, float, int]:
            page = self.pages[name]
            age = -page.lastmod if page.lastmod is not None else float("inf")
            return -page.priority, age, page.order

        return sorted(names, key=place)


def counts(model: Model) -> Mapping[str, dict[State, int]]:
    """By account: pages that are not gone, by the state in which they were last told."""
    found: dict[str, dict[State, int]] = {}
    for account, target in model.targets.items():
        found[account] = {}
        for name, (state, removal) in target.last.items():
            if not removal and model.pages[name].place != "gone":
                found[account][state] = found[account].get(state, 0) + 1
    return found
