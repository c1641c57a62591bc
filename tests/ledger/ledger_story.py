"""One short story of a ledger: two looks with sends in between. Told again after a death, it ends
the same way. Every send is written into a book beside the ledger, as an engine would keep it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from ledger_samples import (
    MAP,
    NOW,
    NOW_S,
    OTHER_MAP,
    SITE,
    allowance,
    claim,
    kept_counts,
    look_at,
    page,
    pages_action,
    recount,
    rule,
    settle,
    sitemap_action,
    waiting,
)

from submitter.core.states import TOLD, State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ports import Lease, LogFilter

FIRST_DAY = {
    MAP: [page("a", NOW_S), page("b"), page("c")],
    OTHER_MAP: [page("d", NOW_S), page("e"), page("c")],
}
NEXT_DAY = {
    MAP: [page("a", NOW_S + 9), page("c"), page("d", NOW_S)],
    OTHER_MAP: [page("e"), page("f")],
}
RULES = [rule(removed=True)]
Attempted = Callable[[Callable[[], object]], object]


def straight(step: Callable[[], object]) -> object:
    return step()


class Story:
    def __init__(
        self,
        ledger: SqlLedger,
        book: Path,
        *,
        now: datetime = NOW,
        attempted: Attempted = straight,
    ) -> None:
        """`attempted` runs each step; a step that failed may be run again."""
        self.ledger, self.book, self.now, self.attempted = ledger, book, now, attempted
        self.next_day = book.with_name("next-day")

    def tell(self) -> None:
        self._step(self._begin)
        if not self.next_day.exists():
            self._step(lambda: self._look(FIRST_DAY))
            self._send_all(Kind.URLS)
            if not self._step(self._sitemap_is_told):
                self._send_sitemap()
            self.next_day.touch()
        self._step(lambda: self._look(NEXT_DAY))
        self._send_all(Kind.URLS)
        self._send_all(Kind.REMOVAL)
        self._step(lambda: self.ledger.release(self.lease))

    def _step(self, step: Callable[[], object]) -> object:
        return self.attempted(step)

    def _begin(self) -> None:
        self.lease: Lease = self.ledger.acquire("run", str(self.now), ttl_s=60, now=self.now)
        self.ledger.recover(self.lease, now=self.now, not_before={})

    def _look(self, listed: dict) -> None:
        look_at(self.ledger, self.lease, listed, tell=RULES, at=self.now)

    def _send_all(self, kind: Kind) -> None:
        while self._step(lambda: waiting(self.ledger, kind=kind, now=self.now)):
            self._step(lambda: self._plan(kind))
            self._send()

    def _plan(self, kind: Kind) -> None:
        names = waiting(self.ledger, kind=kind, now=self.now)[:2]
        self.action = pages_action(self.ledger, names, kind=kind, now=self.now)

    def _sitemap_is_told(self) -> bool:
        known = self.ledger.sitemap_standings().get((SITE, "gsc"), {}).get(MAP)
        return known is not None and known.state in TOLD

    def _send_sitemap(self) -> None:
        self.action = sitemap_action()
        self._send()

    def _send(self) -> None:
        action, booked = self.action, allowance(self.action.cost)
        attempt = self._step(
            lambda: claim(self.ledger, self.lease, action, at=self.now, allowance=booked)
        )
        assert isinstance(attempt, int)
        urls = self._step(lambda: self.ledger.urls(SITE, action.pages))
        with self.book.open("a", encoding="utf-8") as book:
            book.writelines(f"{action.kind} {url}\n" for url in urls or [action.target])
        self._step(
            lambda: settle(self.ledger, self.lease, attempt, action, at=self.now, allowance=booked)
        )


def told(book: Path) -> Counter[str]:
    """How often the engine heard of each thing."""
    return Counter(book.read_text(encoding="utf-8").splitlines()) if book.exists() else Counter()


def check_whole(ledger: SqlLedger) -> None:
    """What holds at every moment between two steps."""
    assert kept_counts(ledger) == recount(ledger)
    with ledger._database.reading() as tx:
        ask = tx.connection.exec_driver_sql
        if tx.connection.dialect.name == "sqlite":
            assert ask("PRAGMA integrity_check").scalar() == "ok"
            assert ask("PRAGMA foreign_key_check").all() == []
        listed = ask("SELECT count(*) FROM page WHERE place = 1").scalar()
        known = ask("SELECT count(*) FROM page WHERE place IN (1, 2)").scalar()
        site = ask("SELECT listed, known FROM site").first()
        assert site is None or tuple(site) == (listed, known)
        assert (
            ask("SELECT count(*) FROM page").scalar()
            == ask("SELECT count(*) FROM page_key").scalar()
        )


def check_honest(ledger: SqlLedger, book: Path) -> None:
    """Nothing counts as accepted that the engine did not hear of, and nothing that it heard of is
    unknown to us."""
    heard = told(book)
    for row in ledger.page_log(LogFilter(states=("accepted",))):
        assert any(line.endswith(f" {row.loc}") for line in heard)
    remembered = {
        row.loc for row in ledger.page_log(LogFilter(states=("accepted", "sending", "unknown")))
    }
    pages = {line.split(" ")[1] for line in heard if not line.startswith("sitemap")}
    assert pages <= remembered


def check_ended(ledger: SqlLedger, book: Path, *, deaths: int) -> None:
    """The end of the story: everything told, once, or once more for each call that was lost."""
    assert waiting(ledger) == waiting(ledger, kind=Kind.REMOVAL) == []
    heard = told(book)
    expected = {f"urls {SITE}/{name}" for name in "abcdef"} | {f"removal {SITE}/b"}
    assert expected | {f"sitemap {MAP}"} == heard.keys()
    lost = list(ledger.log(LogFilter(states=("unknown",))))
    assert len(lost) <= deaths
    again = sum(heard.values()) - sum(2 if line == f"urls {SITE}/a" else 1 for line in heard)
    assert again <= sum(max(row.urls, 1) for row in lost)
    states = {row.loc: row.state for row in ledger.page_log(LogFilter())}
    assert set(states.values()) == {State.ACCEPTED.value}


LATER = timedelta(hours=1)
