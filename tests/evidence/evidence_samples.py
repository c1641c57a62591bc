"""A ledger with a history, told in a few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from submitter.core.calls import Action, Check, Outcome
from submitter.core.crawl.places import Group
from submitter.core.crawl.tally import Batch, DayKey, Visit
from submitter.core.findings import Finding
from submitter.core.fleet import Account, FirstRun, Fleet, Section, Site
from submitter.core.looks import DocumentKind, PageRow, RootLook, TellRule, Validators
from submitter.core.states import State
from submitter.core.traits import Kind
from submitter.ledger.ledger import SqlLedger
from submitter.ports import DocumentResult, Lease

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SITE = "https://shop.example.com"
MAP = f"{SITE}/sitemap.xml"
FLEET = Fleet(
    "fleet",
    "",
    {
        "gsc": Account("gsc", "google", None),
        "baidu": Account("baidu", "baidu", None),
    },
    (
        Site(
            "shop.example.com",
            sitemaps=(MAP,),
            accounts=("gsc", "baidu"),
            sections=(Section("new", "/new/*"),),
        ),
    ),
)


class History:
    """Writes what happened, in any order of calls, under one lease."""

    def __init__(self, ledger: SqlLedger, site: str = SITE) -> None:
        self.ledger, self.site = ledger, site
        self.lease: Lease = ledger.acquire("run", site, ttl_s=1e9, now=NOW - 400 * DAY)

    @property
    def sitemap(self) -> str:
        return f"{self.site}/sitemap.xml"

    def look(
        self,
        names: Sequence[str] | Mapping[str, int | None],
        at: datetime,
        *,
        findings: Sequence[Finding] = (),
        passes: bool = True,
    ) -> None:
        """The sitemap lists these pages; `section/rest` names a page's section. `passes` the
        guard: False: it held the site."""
        rule = TellRule("baidu", FirstRun.ALL, 30, tells_changed=True, tells_removed=False)
        look = self.ledger.look(self.lease, self.site, tell=[rule], at=at)
        dates = names if isinstance(names, Mapping) else dict.fromkeys(names)
        sink = look.open(self.sitemap)
        sink.add([self._row(name, date) for name, date in dates.items()])
        content = str(sorted(dates.items()))
        sink.close(
            DocumentResult(
                DocumentKind.URLSET, True, content, content, Validators(), findings=tuple(findings)
            )
        )
        look.finish(gone_after=1, complete=True)
        if passes:
            self.ledger.accept_look(self.lease, self.site)
        root = RootLook(self.sitemap, True, content, at, len(dates), False)
        self.ledger.record_roots(self.lease, self.site, [root])

    def _row(self, name: str, lastmod: int | None) -> PageRow:
        address = f"{self.site}/{name}"
        return PageRow(address, address, lastmod, name.rpartition("/")[0])

    def miss(self, at: datetime, reason: str) -> None:
        """A look at which the sitemap could not be read."""
        look = self.ledger.look(self.lease, self.site, tell=[], at=at)
        look.unreadable(self.sitemap, reason)
        look.finish(gone_after=1, complete=False)

    def tell_pages(self, names: Sequence[str], at: datetime, state: State = State.ACCEPTED) -> None:
        found = self.ledger.candidates(self.site, "baidu", Kind.URLS, now=at, limit=1_000)
        ids = {one.loc.removeprefix(f"{self.site}/"): one.id for one in found}
        self._call(
            Action(
                self.site, "baidu", "baidu", self.site, Kind.URLS, self.site, "new", "pages",
                pages=tuple(ids[name] for name in names), cost=len(names),
            ),
            at,
            state,
        )  # fmt: skip

    def tell_sitemap(
        self,
        at: datetime,
        state: State = State.ACCEPTED,
        content: str = "one",
        sitemap: str | None = None,
        took: timedelta = timedelta(0),
    ) -> None:
        self._call(
            Action(
                self.site, "gsc", "google", f"{self.site}/", Kind.SITEMAP,
                sitemap or self.sitemap, "new", content,
            ),
            at,
            state,
            took,
        )  # fmt: skip

    def _call(
        self, action: Action, at: datetime, state: State, took: timedelta = timedelta(0)
    ) -> None:
        attempt = self.ledger.claim(self.lease, action, run="r1", number=1, at=at, allowance=None)
        taken = (action.size or 1) if state is State.ACCEPTED else 0
        outcome = Outcome(state=state, rest=state, accepted=taken)
        self.ledger.settle(self.lease, attempt, action, outcome, at=at + took, allowance=None)

    def check(self, at: datetime, downloaded: datetime | None) -> None:
        """What Google says of the sitemap."""
        said = Check(f"{self.site}/", self.sitemap, None, downloaded, False, False, 0, 0, 3)
        self.ledger.record_checks(self.lease, self.site, "gsc", [said], at=at)

    def crawl(self, bot: str, reads: Mapping[str, datetime]) -> None:
        """Each page once, by this bot."""
        batch = Batch(self.site, {"": 1})
        for name, at in reads.items():
            second, section = int(at.timestamp()), name.rpartition("/")[0]
            row = DayKey(second // 86_400, section, bot)
            batch.days.setdefault(row, Counter()).update(hits=1, verified=1, ok=1)
            batch.spans[row] = (second, second)
            key = self.ledger.page_key(f"{self.site}/{name}")
            visit = Visit(1, second, second, (second // 86_400,), self._listed(section))
            batch.visits.setdefault(bot, {})[key] = visit
        hours = {int(at.timestamp()) // 3_600 for at in reads.values()}
        batch.lines = {hour: [hour] for hour in hours}  # type: ignore[dict-item]
        self.ledger.record_crawls(self.lease, [batch], at=max(reads.values()))

    @staticmethod
    def _listed(section: str) -> Group:
        """A ledger asks it only for its section."""
        return Group(None, section, is_listed=True, has_parameters=False)  # type: ignore[arg-type]

    def logs(self, first: datetime, last: datetime) -> None:
        """Access logs were read from then to then; in them, strangers."""
        self.crawl("CCBot", {"stranger": first, "other": last})

    def hits(self, bot: str, section: str, day: datetime, hits: int, *, impostors: int = 0) -> None:
        """So many hits on a day, of which no page is remembered, and so many of impostors."""
        second, every = int(day.timestamp()), hits + impostors
        row = DayKey(second // 86_400, section, bot)
        batch = Batch(self.site, {section: 1})
        batch.days[row] = Counter(hits=every, verified=hits, contradicted=impostors, ok=every)
        batch.lines = {second // 3_600: [row.day]}  # type: ignore[dict-item]
        self.ledger.record_crawls(self.lease, [batch], at=day)

    def run(
        self,
        at: datetime,
        outcome: str = "ok",
        exit_code: int = 0,
        *,
        ends: bool = True,
        forced: str | None = None,
        summary: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        name = f"run-{at:%Y%m%dT%H%M}"
        self.ledger.start_run(name, inventory_sha256="", at=at, forced=forced)
        if ends:
            self.ledger.finish_run(
                name, at=at + MINUTE, outcome=outcome, exit_code=exit_code, summary=dict(summary)
            )
