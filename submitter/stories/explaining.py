"""Everything the ledger knows about one address: where it was seen, told to whom, why not.

Why something is not told is the planner's own word about what is remembered, and what the last run
found in the way; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from submitter.core import urls
from submitter.core.fleet import Fleet, Site, Target
from submitter.core.lastrun import NO_RUN, LastRun
from submitter.core.looks import SiteLook
from submitter.core.plan import judge_page, judge_sitemap
from submitter.core.planned import Skip, TargetInput, Wait
from submitter.core.records import Explanation, LogRow, PageTarget, SitemapStatus
from submitter.core.states import TOLD, State
from submitter.core.traits import OF_SITEMAPS, Kind, Traits
from submitter.planning import Memory
from submitter.ports import Ledger, LogFilter
from submitter.stories.preview import remembered_look
from submitter.stories.reasons import NOTHING, Why, of_problem, of_skip, of_state
from submitter.stories.recall import last_runs_of

PAGE, SITEMAP, UNKNOWN = "page", "sitemap", "unknown"
WAITING, NEVER = "waiting", "never"


@dataclass(frozen=True, slots=True)
class ToldTo:
    """One address at one target. `why` is empty where the engine has it."""

    site: str
    account: str
    state: str
    why: Why = NOTHING
    attempts: Sequence[LogRow] = ()
    alias: str | None = None
    """The further address of the sitemap that this is about; None: the address itself."""

    @property
    def why_not(self) -> str | None:
        return self.why.words or None

    @property
    def not_before(self) -> datetime | None:
        return self.why.until


@dataclass(frozen=True, slots=True)
class Story:
    """`documents` list the address; `pages` say more where it is a page."""

    loc: str
    kind: str
    documents: tuple[str, ...]
    pages: tuple[Explanation, ...]
    targets: tuple[ToldTo, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What stories are told from."""

    fleet: Fleet
    ledger: Ledger
    traits: Mapping[str, Traits]
    property_of: Callable[[Target], str]
    now: datetime

    def accounts(self, sites: Sequence[Site]) -> list[Standing]:
        """What the next run would be given about each target of these sites."""
        origins = {site.origin for site in sites}
        targets = [one for one in self.fleet.targets() if one.site.origin in origins]
        if not targets:
            return []
        last = last_runs_of(self.ledger, [target.key for target in targets])
        found = ((site.origin, remembered_look(site, self.ledger)) for site in sites)
        looks = {origin: look for origin, look in found if look is not None}
        inputs = Memory(self.ledger, self.now).inputs(
            targets, traits=self.traits, looks=looks, property_of=self.property_of
        )
        return [Standing.of(one, last.get(one.target.key, NO_RUN)) for one in inputs]


@dataclass(frozen=True, slots=True)
class Standing:
    """A target as the planner is given it, with what the last run found at its site."""

    given: TargetInput
    last: LastRun

    @classmethod
    def of(cls, given: TargetInput, last: LastRun) -> Standing:
        look = given.look and _with_findings(given.look, last)
        site, crawler = given.target.site.origin, given.traits.crawler
        held = given.held or last.held_by("guard", site, crawler)
        audited = given.audited or last.held_by("audit", site, crawler)
        return cls(replace(given, look=look, held=held, audited=audited), last)

    @property
    def engine(self) -> str:
        return self.given.traits.name

    def tells(self, kind: Kind) -> bool:
        return kind in self.given.traits.tells


def _with_findings(look: SiteLook, last: LastRun) -> SiteLook:
    return replace(look, findings=(*look.findings, *last.findings))


def explain(
    address: str,
    *,
    fleet: Fleet,
    ledger: Ledger,
    traits: Mapping[str, Traits],
    property_of: Callable[[Target], str],
    now: datetime,
) -> Story:
    """By any spelling of a page's or sitemap's address. Raises BadUrl."""
    known = Known(fleet, ledger, traits, property_of, now)
    pages = tuple(ledger.explain(urls.normalize(address)))
    if not pages:
        return _explain_sitemap(address, known)
    documents = tuple(dict.fromkeys(url for page in pages for url in page.documents))
    listing = {page.site for page in pages}
    sites = [site for site in fleet.sites if site.origin in listing]
    standings = {one.given.target.key: one for one in known.accounts(sites)}
    told = tuple(
        _told_page(page, one, standings.get((page.site, one.account)), now)
        for page in pages
        for one in page.targets
    )
    return Story(pages[0].loc, PAGE, documents, pages, told)


# ---------------------------------------------------------------- pages


def _told_page(
    page: Explanation, known: PageTarget, standing: Standing | None, now: datetime
) -> ToldTo:
    """`standing` None: the inventory does not name the target any more."""
    state, why = _why_page(page, known, standing, now)
    return ToldTo(page.site, known.account, state, why, known.attempts)


def _why_page(
    page: Explanation, known: PageTarget, standing: Standing | None, now: datetime
) -> tuple[str, Why]:
    engine = standing.engine if standing else ""
    last = known.attempts[-1] if known.attempts else None
    own = of_state(known.state, known.reason, known.not_before, last, engine)
    if known.state in TOLD or known.state == State.SENDING or standing is None or page.gone_at:
        return known.state, own
    if known.state == State.REJECTED:
        return known.state, own
    waits = None if known.state == NEVER else Wait(known.reason, known.not_before)
    skip = judge_page(standing.given, page.loc, waits, now=now)
    if skip is not None and skip.reason in _OWN_WORDS:
        return known.state, _named(own, skip)
    if skip is not None:
        return skip.column, of_skip(skip, standing.given, engine)
    return _met_by_last_run(standing, Kind.URLS, last, now) or (known.state, own)


_OWN_WORDS = frozenset({"not-before", "unknown", "rejected-before"})
"""Skip reasons of which the item itself remembers more."""


def _named(own: Why, skip: Skip) -> Why:
    """By the reason that a plan gives; a cause of its own says more than that it waits."""
    return own if skip.reason == "not-before" and own.reason else replace(own, reason=skip.reason)


def _met_by_last_run(
    standing: Standing, kind: Kind, call: LogRow | None, now: datetime
) -> tuple[str, Why] | None:
    """What the last run found in the way of an item that it planned and did not call about."""
    last = standing.last
    if call is not None and (call.run == last.run or last.at is None or call.sent_at > last.at):
        return None
    if problem := last.given_up(kind):
        return problem.state, of_problem(problem)
    if skip := last.put_off(kind, now):
        return skip.column, of_skip(skip, standing.given, standing.engine)
    return None


# ---------------------------------------------------------------- sitemaps


def _explain_sitemap(address: str, known: Known) -> Story:
    fleet, ledger = known.fleet, known.ledger
    statuses = ledger.statuses()
    rows = [row for row in statuses if urls.same(address, [row.sitemap])]
    parents, sites = _listed_by(address, fleet, ledger)
    others = _other_addresses(address, fleet)
    aliases = [row for row in statuses if urls.same(row.sitemap, others)]
    about = {row.site for row in (*rows, *aliases)} | {site.origin for site in sites}
    standings = {
        one.given.target.key: one
        for one in known.accounts([site for site in fleet.sites if site.origin in about])
    }
    told = [_told_sitemap(row, standings, known) for row in rows]
    keys = {(one.site, one.account) for one in told}
    told += [replace(_told_sitemap(row, standings, known), alias=row.sitemap) for row in aliases]
    untold = [(site.origin, name) for site in sites for name in site.accounts]
    told += [
        _never_told(standings[key], address, parents, known.now)
        for key in untold
        if key not in keys
    ]
    kind = SITEMAP if rows or sites else UNKNOWN
    return Story(rows[0].sitemap if rows else address, kind, tuple(parents), (), tuple(told))


def _other_addresses(address: str, fleet: Fleet) -> list[str]:
    """The aliases of a sitemap, and the sitemap whose alias it is: their history is one."""
    pairs = [pair for site in fleet.sites for pair in site.aliases.items()]
    others = [alias for sitemap, alias in pairs if urls.same(address, [sitemap])]
    return others + [sitemap for sitemap, alias in pairs if urls.same(address, [alias])]


def _listed_by(address: str, fleet: Fleet, ledger: Ledger) -> tuple[list[str], list[Site]]:
    """The indexes that list the document, and the sites in whose trees it stands."""
    parents: list[str] = []
    sites: list[Site] = []
    for site in _sites_near(address, fleet):
        documents = ledger.documents_of(site.origin)
        listing = [one.url for one in documents if urls.same(address, one.children)]
        own = (*(one.url for one in documents), *_declared(site, ledger))
        if listing or urls.same(address, own):
            sites.append(site)
            parents += listing
    return parents, sites


def _declared(site: Site, ledger: Ledger) -> Sequence[str]:
    """Also what could never be read."""
    return ledger.roots_of(site.origin) if site.sitemaps is None else site.sitemaps


def _sites_near(address: str, fleet: Fleet) -> list[Site]:
    """Sites on the document's own host or domain: documents of all are too many to read."""
    host = urls.host_of(address)
    return [site for site in fleet.sites if site.host == host or _shares_domain(site, host)]


def _shares_domain(site: Site, host: str) -> bool:
    return bool(site.domain) and (host == site.domain or host.endswith(f".{site.domain}"))


def _told_sitemap(
    row: SitemapStatus, standings: Mapping[tuple[str, str], Standing], known: Known
) -> ToldTo:
    attempts = _attempts(row, known.ledger)
    standing = standings.get((row.site, row.account))
    state, why = _why_sitemap(row, standing, attempts, known)
    return ToldTo(row.site, row.account, state, why, attempts)


def _why_sitemap(
    row: SitemapStatus, standing: Standing | None, attempts: Sequence[LogRow], known: Known
) -> tuple[str, Why]:
    account = known.fleet.accounts.get(row.account)
    engine = account.engine if account else ""
    verdict = judge_sitemap(standing.given, row.sitemap, now=known.now) if standing else None
    if row.standing is None:
        return _why_nothing_stands(attempts, verdict, standing)
    state, last = row.standing.state, attempts[-1] if attempts else None
    own = of_state(state, row.standing.reason, row.standing.not_before, last, engine)
    if standing is None or state in TOLD or state in (State.SENDING, State.REJECTED):
        return state, own
    if isinstance(verdict, Skip) and verdict.reason not in _OWN_WORDS:
        return verdict.column, of_skip(verdict, standing.given, engine)
    problem = standing.last.given_up(Kind.SITEMAP, row.sitemap)
    if problem is not None and problem.cause == row.standing.reason:
        return state, of_problem(problem)
    return state, _named(own, verdict) if isinstance(verdict, Skip) else own


def _why_nothing_stands(
    attempts: Sequence[LogRow], verdict: object, standing: Standing | None
) -> tuple[str, Why]:
    """Of a sitemap that only the engine speaks of, or that was withdrawn."""
    withdrawn = any(one.kind == Kind.WITHDRAWAL and one.state in TOLD for one in attempts[-1:])
    words = "it was withdrawn" if withdrawn else "it was not told yet"
    if standing is None or verdict is None:
        return NEVER, Why(words)
    if isinstance(verdict, Skip):
        return verdict.column, of_skip(verdict, standing.given, standing.engine)
    return WAITING, Why(f"{words}; the site still names it, so the next run tells it", "new")


def _attempts(row: SitemapStatus, ledger: Ledger) -> tuple[LogRow, ...]:
    which = LogFilter(targets=frozenset({(row.site, row.account)}))
    return tuple(
        one
        for one in ledger.log(which)
        if one.kind in OF_SITEMAPS and urls.same(one.target, [row.sitemap])
    )


def _never_told(standing: Standing, address: str, parents: Sequence[str], now: datetime) -> ToldTo:
    site, account = standing.given.target.key
    verdict = None
    roots = standing.given.look.roots if standing.given.look else ()
    declared = next((one.sitemap for one in roots if urls.same(address, [one.sitemap])), None)
    if standing.tells(Kind.SITEMAP) and (declared or not roots):
        verdict = judge_sitemap(standing.given, declared or address, now=now)
    if isinstance(verdict, Skip):
        why = of_skip(verdict, standing.given, standing.engine)
        return ToldTo(site, account, verdict.column, why)
    if verdict is not None:
        return ToldTo(site, account, WAITING, of_state(WAITING, verdict.reason, None, None))
    where = f" in its index {parents[0]}" if parents else ""
    words = f"it is read for its pages{where}; it is not told on its own"
    return ToldTo(site, account, NEVER, Why(words))
