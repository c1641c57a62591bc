"""Visits the chosen pages of one site, as many at once as politeness lets, and adds them up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Final

from submitter.core.audit.fingerprint import Fingerprint, Moved, moved
from submitter.core.audit.honesty import Honesty, PageMemory, Verdict, judge_date
from submitter.core.audit.pages import Tally
from submitter.core.audit.sampling import Pick
from submitter.core.fleet import Site
from submitter.looking.audit.page import Found, PageEyes
from submitter.looking.walk import Surroundings
from submitter.ports import AuditBook

BATCH: Final = 200
"""Pages whose memory is read, and stored, at a time: what a killed audit does again at most."""
AHEAD: Final = 3
"""Pages waiting in line for each that is being fetched, so that no connection stands idle."""
MOST_ALTERNATES: Final = 50
"""Pages fetched only to see whether they name their other languages."""
MOST_ASKED_TWICE: Final = 50
"""Pages fetched a second time to see whether their text stands still at all."""
NOWHERE: Final = "/submitter-audit-7c0e8d2f-nowhere"


@dataclass(slots=True)
class Visits:
    """What came of it. `unfinished`: the deadline came first."""

    tally: Tally
    honesty: Honesty = field(default_factory=Honesty)
    unfinished: bool = False


class PageRound:
    """One round through the chosen pages of a site.

    `book` None: nothing is remembered, so no date can be judged by what moved. `since` is when the
    audit began: pages seen from then on are not looked at again, by whichever part of it.
    """

    def __init__(
        self,
        site: Site,
        eyes: PageEyes,
        around: Surroundings,
        *,
        book: AuditBook | None,
        since: datetime,
        save: Callable[[Visits, Sequence[PageMemory]], None] = lambda visits, pages: None,
        advance: Callable[[], None] = lambda: None,
    ) -> None:
        self._site, self._eyes, self._around = site, eyes, around
        self._book, self._since = book, since
        self._save, self._advance = save, advance
        self._asked_twice = 0
        self._taken: set[int] = set()
        """Keys of pages that were looked at, where no book remembers them."""
        self._nowhere: Fingerprint | None = None

    def visit(self, picks: Iterable[Pick], visits: Visits) -> None:
        with ThreadPoolExecutor(self._eyes.parallel, thread_name_prefix="page") as pool:
            self._look_nowhere(visits)
            self._visit_all(pool, picks, visits)
            if not visits.unfinished:
                self._visit_alternates(pool, visits)
        visits.tally.judge_alternates()

    def _look_nowhere(self, visits: Visits) -> None:
        url = self._site.origin + NOWHERE
        found = self._eyes.look(url, url)
        sight = found.sight
        if sight.status == 200 and not sight.reason and sight.final_url == url:
            self._nowhere = found.text
            visits.tally.count("site-soft-404", example=url)

    def _visit_all(self, pool: ThreadPoolExecutor, picks: Iterable[Pick], visits: Visits) -> None:
        seen: list[PageMemory] = []
        work = self._with_memories(iter(picks))
        for (pick, before), found in self._ahead(pool, work, visits):
            if found.sight.reason == "deadline":  # our own: it says nothing of the page
                visits.unfinished = True
                continue
            seen.append(self._take(pick, before, found, visits))
            self._advance()
            if len(seen) >= BATCH:
                self._store(seen, visits)
        self._store(seen, visits)

    def _with_memories(self, picks: Iterator[Pick]) -> Iterator[tuple[Pick, PageMemory | None]]:
        while batch := list(islice(picks, BATCH)):
            known = self._memories(batch)
            for pick in {pick.key: pick for pick in reversed(batch)}.values():
                before = known.get(pick.key)
                if pick.key not in self._taken and (before is None or before.at < self._since):
                    yield pick, before
            if self._book is None:
                self._taken.update(pick.key for pick in batch)

    def _memories(self, batch: list[Pick]) -> dict[int, PageMemory]:
        if self._book is None:
            return {}
        return dict(self._book.page_memories(self._site.origin, [pick.key for pick in batch]))

    def _ahead(
        self,
        pool: ThreadPoolExecutor,
        work: Iterator[tuple[Pick, PageMemory | None]],
        visits: Visits,
    ) -> Iterator[tuple[tuple[Pick, PageMemory | None], Found]]:
        """In order, with enough in line that every connection always has a page to fetch."""
        line: deque[tuple[tuple[Pick, PageMemory | None], Future[Found]]] = deque()
        for item in work:
            if self._out_of_time():
                visits.unfinished = True
                break
            line.append((item, pool.submit(self._eyes.look, item[0].loc, item[0].identity)))
            if len(line) >= self._eyes.parallel * AHEAD:
                first, future = line.popleft()
                yield first, future.result()
        for first, future in line:
            if visits.unfinished and future.cancel():
                continue
            yield first, future.result()

    def _out_of_time(self) -> bool:
        until = self._around.until
        late = until is not None and self._around.clock.monotonic() >= until
        return late or self._around.stopped()

    # ------------------------------------------------------------ one page

    def _take(
        self, pick: Pick, before: PageMemory | None, found: Found, visits: Visits
    ) -> PageMemory:
        visits.tally.add(found.sight, self._nowhere)
        now = self._around.clock.now()
        after = PageMemory(pick.key, now, pick.lastmod, found.validators, found.text)
        if found.sight.reason or not found.sight.asked:
            return replace(before, at=now) if before else PageMemory(pick.key, now)
        facts = found.sight.facts
        verdict = judge_date(before, after, modified=facts.modified if facts else "")
        if verdict is Verdict.MISSED and self._never_stands_still(pick, found):
            verdict = Verdict.UNKNOWN
        visits.honesty.add(
            verdict, url=pick.loc, document=pick.document, before=before, after=after
        )
        return after

    def _never_stands_still(self, pick: Pick, found: Found) -> bool:
        """Whether the text is another one at each look: then its movement says nothing."""
        if self._asked_twice >= MOST_ASKED_TWICE:
            return True
        self._asked_twice += 1
        again = self._eyes.look(pick.loc, pick.identity)
        return moved(found.text, again.text) is not Moved.NO

    def _store(self, seen: list[PageMemory], visits: Visits) -> None:
        if self._book is not None and seen:
            self._save(visits, seen)
        seen.clear()

    # ------------------------------------------------------------ other languages

    def _visit_alternates(self, pool: ThreadPoolExecutor, visits: Visits) -> None:
        ours = f"{self._site.origin}/"
        named = [
            url for url in visits.tally.unseen_alternates(MOST_ALTERNATES) if url.startswith(ours)
        ]
        for url, found in zip(named, pool.map(self._eyes.look, named, named), strict=True):
            visits.tally.see_alternate(url, found.sight.facts)
