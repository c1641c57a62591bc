"""Any sequence of looks, sends, crashes and pages named by hand leaves what the model says."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext
from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from ledger_model import Model, counts
from ledger_samples import (
    DAY,
    NOW,
    NOW_S,
    SITE,
    claim,
    kept_counts,
    open_ledger,
    page,
    pages_action,
    read,
    recount,
    settle,
    waiting,
)

from submitter.core.fleet import FirstRun
from submitter.core.looks import PageRow, TellRule
from submitter.core.states import State
from submitter.core.traits import Kind
from support import postgres

RULES = {
    "all": TellRule("all", FirstRun.ALL, 30, tells_changed=True, tells_removed=True),
    "recent": TellRule("recent", FirstRun.RECENT, 30, tells_changed=False, tells_removed=True),
    "none": TellRule("none", FirstRun.NONE, 30, tells_changed=True, tells_removed=False),
}
NAMES = [f"p/{letter}" for letter in "abcdefgh"]
MAPS = [f"{SITE}/map-{number}.xml" for number in range(4)]
LASTMODS = [None, *(NOW_S + days * 86_400 for days in (-60, -20, -1, 1, 2, 9))]

rows = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(LASTMODS)), max_size=6)
accounts = st.lists(st.sampled_from(sorted(RULES)), unique=True)
reading = st.fixed_dictionaries(
    {
        "listed": st.dictionaries(st.sampled_from(MAPS), st.tuples(rows, st.booleans())),
        "kept": st.sets(st.sampled_from(MAPS)),
        "unreadable": st.sets(st.sampled_from(MAPS)),
        "accounts": accounts,
    }
)
settled = st.sampled_from(
    [State.ACCEPTED, State.RECEIVED, State.REJECTED, State.FAILED, State.UNKNOWN, State.DEFERRED]
)


class LedgerMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.places = ExitStack()
        self.ledger = open_ledger(self.places.enter_context(self.place()))
        self.lease = self.ledger.acquire("run", "tests", ttl_s=60, now=NOW)
        self.model = Model()
        self.now = NOW
        self.turn = 0

    def place(self) -> AbstractContextManager[str]:
        return nullcontext("sqlite:///:memory:")

    def teardown(self) -> None:
        self.ledger.close()
        self.places.close()

    def _row(self, name: str, lastmod: int | None) -> PageRow:
        priority = (NAMES.index(name) + self.turn) % 3
        return page(name, lastmod, f"section-{priority} of {self.turn}", priority)

    def _begin(self, plan: dict, model: Model) -> object:
        tell = [RULES[name] for name in plan["accounts"]]
        look = self.ledger.look(self.lease, SITE, tell=tell, at=self.now, sections=str(self.turn))
        model.begin(tell, int(self.now.timestamp()))
        for url, (listed, complete) in plan["listed"].items():
            pages = [(name, self._row(name, lastmod)) for name, lastmod in listed]
            sink = look.open(url)
            for start in range(0, len(pages), 2):
                sink.add([row for _, row in pages[start : start + 2]])
            sink.close(read(str(listed), complete=complete))
            model.read(url, pages, complete=complete)
        for url in plan["kept"] - plan["listed"].keys():
            if look.remembered(url):
                look.keep(url)
                model.keep(url)
        for url in plan["unreadable"] - plan["listed"].keys() - plan["kept"]:
            look.unreadable(url, "http-503")
            model.unreadable(url)
        return look

    @rule(
        plan=reading,
        complete=st.booleans(),
        accept=st.booleans(),
        gone_after=st.integers(1, 3),
    )
    def look(self, plan: dict, complete: bool, accept: bool, gone_after: int) -> None:
        look = self._begin(plan, self.model)
        found = look.finish(gone_after=gone_after, complete=complete)
        listed, delta, baseline, new, gone = self.model.finish(
            gone_after=gone_after, complete=complete
        )
        assert (found.first, found.listed, found.delta) == (
            not self.model.accepted, listed, delta,
        )  # fmt: skip
        assert (found.baseline, found.since_baseline.new, found.since_baseline.gone) == (
            baseline, new, gone,
        )  # fmt: skip
        if accept:
            self.ledger.accept_look(self.lease, SITE)
            self.model.accept()
        self.now += DAY

    @rule(plan=reading)
    def look_that_dies(self, plan: dict) -> None:
        unread = dict(self.model.unread)
        self._begin(plan, self.model)
        self.model.unread = {
            url: since for url, since in unread.items() if url not in self.model.documents
        }
        self.now += DAY

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
          account=st.sampled_from(sorted(RULES)))  # fmt: skip
    def name_by_hand(self, names: list[str], account: str) -> None:
        named = [(name, self._row(name, None)) for name in names]
        self.ledger.adopt_pages(
            self.lease, SITE, account=account, pages=[row for _, row in named], at=self.now
        )
        self.model.adopt(account, named, int(self.now.timestamp()))

    @rule()
    def move_sections(self) -> None:
        self.turn += 1

    @precondition(lambda self: any(one.urls or one.removals for one in self.model.targets.values()))
    @rule(data=st.data(), state=settled)
    def send(self, data: st.DataObject, state: State) -> None:
        account, removal, names = self._choose(data)
        kind = Kind.REMOVAL if removal else Kind.URLS
        action = pages_action(self.ledger, names, account=account, kind=kind, now=self.now)
        attempt = claim(self.ledger, self.lease, action, at=self.now)
        self._settle_or_die(data.draw(st.booleans()), attempt, action, state)
        died = self.ledger_died
        self.model.told(account, names, State.UNKNOWN if died else state, removal=removal)

    def _choose(self, data: st.DataObject) -> tuple[str, bool, list[str]]:
        choices = [
            (account, removal, sorted(queue))
            for account, target in sorted(self.model.targets.items())
            for removal, queue in ((False, target.urls), (True, target.removals))
            if queue
        ]
        account, removal, queue = data.draw(st.sampled_from(choices))
        names = data.draw(st.lists(st.sampled_from(queue), min_size=1, unique=True))
        return account, removal, names

    def _settle_or_die(self, died: bool, attempt: int, action: object, state: State) -> None:
        self.ledger_died = died
        if not died:
            settle(self.ledger, self.lease, attempt, action, state, at=self.now)
            return
        self.now += timedelta(minutes=2)
        self.lease = self.ledger.acquire("run", "next", ttl_s=60, now=self.now)
        assert self.ledger.recover(self.lease, now=self.now, not_before={}) == 1

    @invariant()
    def what_waits_is_what_the_model_says(self) -> None:
        for account, target in self.model.targets.items():
            assert waiting(self.ledger, account, now=self.now) == self.model.order(target.urls)
            removals = waiting(self.ledger, account, Kind.REMOVAL, now=self.now)
            assert removals == self.model.order(target.removals)

    @invariant()
    def the_kept_counts_are_right(self) -> None:
        assert kept_counts(self.ledger) == recount(self.ledger)
        standings = self.ledger.page_standings(self.now)
        for account, expected in counts(self.model).items():
            standing = standings.get((SITE, account))
            assert (dict(standing.counts) if standing else {}) == expected


class ServerMachine(LedgerMachine):
    """The same on a PostgreSQL server."""

    def place(self) -> AbstractContextManager[str]:
        return postgres.database()


LedgerMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=25)
test_any_history_leaves_what_the_model_says = LedgerMachine.TestCase
ServerMachine.TestCase.settings = settings(max_examples=6, stateful_step_count=20)
test_any_history_on_a_server_leaves_what_the_model_says = ServerMachine.TestCase
