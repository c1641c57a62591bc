"""Everything the ledger knows about one address: where it was seen, told to whom, why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from submitter.core import urls
from submitter.core.causes import meaning_of, next_step_of
from submitter.core.fleet import Fleet, Site, Target
from submitter.core.planned import OUTSIDE
from submitter.core.reach import is_within, reach_of
from submitter.core.records import Explanation, LogRow, PageTarget, SitemapStatus
from submitter.core.states import TOLD, State
from submitter.core.summary import timestamp
from submitter.core.traits import OF_SITEMAPS, Kind, Traits
from submitter.ports import Ledger, LogFilter

PAGE, SITEMAP, UNKNOWN = "page", "sitemap", "unknown"


@dataclass(frozen=True, slots=True)
class ToldTo:
    """One address at one target. `why_not` None: the engine has it."""

    site: str
    account: str
    state: str
    why_not: str | None
    not_before: datetime | None
    attempts: Sequence[LogRow] = ()
    alias: str | None = None
    """The further address of the sitemap that this is about; None: the address itself."""


@dataclass(frozen=True, slots=True)
class Story:
    """`documents` list the address; `pages` say more where it is a page."""

    loc: str
    kind: str
    documents: tuple[str, ...]
    pages: tuple[Explanation, ...]
    targets: tuple[ToldTo, ...]


def explain(address: str, *, fleet: Fleet, ledger: Ledger, traits: Mapping[str, Traits]) -> Story:
    """By any spelling of a page's or sitemap's address. Raises BadUrl."""
    pages = tuple(ledger.explain(urls.normalize(address)))
    if pages:
        documents = tuple(dict.fromkeys(url for page in pages for url in page.documents))
        targets = {target.key: target for target in fleet.targets()}
        told = tuple(
            _told_page(page, one, targets.get((page.site, one.account)), traits)
            for page in pages
            for one in page.targets
        )
        return Story(pages[0].loc, PAGE, documents, pages, told)
    return _explain_sitemap(address, fleet, ledger)


def _told_page(
    page: Explanation, known: PageTarget, target: Target | None, traits: Mapping[str, Traits]
) -> ToldTo:
    """`target` None: the inventory does not name it any more."""
    engine = target.account.engine if target else ""
    last = known.attempts[-1] if known.attempts else None
    state, reason = known.state, known.reason
    if state in _UNTOLD and target and not _may_tell(target, page.loc, traits[engine]):
        state, reason = "never", OUTSIDE
    return ToldTo(
        site=page.site,
        account=known.account,
        state=state,
        why_not=why_not(state, reason, known.not_before, last, engine),
        not_before=known.not_before,
        attempts=known.attempts,
    )


def _may_tell(target: Target, loc: str, traits: Traits) -> bool:
    return is_within(reach_of(target.account, target.site, traits))(loc)


def why_not(
    state: str,
    reason: str,
    not_before: datetime | None,
    last: LogRow | None,
    engine: str = "",
) -> str | None:
    """Why an engine does not have it yet, in words; None when it has it. `reason` may be a cause:
    then no call was begun, and `last` is about something else."""
    if state in TOLD:
        return None
    words = [_STATE_WORDS.get(state, state)]
    if meaning := meaning_of(reason, engine):
        words = ["it is not told"] if state == "never" else words
        words += [meaning, next_step_of(reason, engine) or ""]
    else:
        words += [reason, *_last_words(last, reason)]
    if not_before is not None:
        words.append(f"not before {timestamp(not_before)}")
    return "; ".join(word for word in words if word)


def _last_words(last: LogRow | None, reason: str) -> list[str]:
    """What became of the last call: what it means, what was said, what to do."""
    if last is None:
        return []
    said = f"the engine said: {last.message}" if last.message not in ("", reason) else ""
    step = last.next_step or next_step_of(last.cause, last.engine)
    return [meaning_of(last.cause, last.engine) or "", said, step or ""]


_STATE_WORDS = {
    State.SENDING: "a call is under way, or its run died",
    State.REJECTED: "the engine does not want it; the same is never sent again",
    State.DEFERRED: "it waits",
    State.UNKNOWN: "it was sent and no answer could be read",
    State.FAILED: "the call was not carried out; the next run tries again",
    "waiting": "it waits for its turn",
    "never": "no rule tells it",
}
_UNTOLD = ("waiting", "never", State.DEFERRED)


# ---------------------------------------------------------------- sitemaps


def _explain_sitemap(address: str, fleet: Fleet, ledger: Ledger) -> Story:
    statuses = ledger.statuses()
    rows = [row for row in statuses if urls.same(address, [row.sitemap])]
    parents, sites = _listed_by(address, fleet, ledger)
    told = [_told_sitemap(row, fleet, ledger) for row in rows]
    keys = {(one.site, one.account) for one in told}
    others = _other_addresses(address, fleet)
    told += [
        replace(_told_sitemap(row, fleet, ledger), alias=row.sitemap)
        for row in statuses
        if urls.same(row.sitemap, others)
    ]
    for site in sites:
        untold = [name for name in site.accounts if (site.origin, name) not in keys]
        told += [_left_to_parent(site, name, parents) for name in untold]
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
        if listing or any(urls.same(address, [one.url]) for one in documents):
            sites.append(site)
            parents += listing
    return parents, sites


def _sites_near(address: str, fleet: Fleet) -> list[Site]:
    """Sites on the document's own host or domain: documents of all are too many to read."""
    host = urls.host_of(address)
    return [site for site in fleet.sites if site.host == host or _shares_domain(site, host)]


def _shares_domain(site: Site, host: str) -> bool:
    return bool(site.domain) and (host == site.domain or host.endswith(f".{site.domain}"))


def _told_sitemap(row: SitemapStatus, fleet: Fleet, ledger: Ledger) -> ToldTo:
    attempts = _attempts(row, ledger)
    standing = row.standing
    if standing is None:
        why = "it was withdrawn" if _was_withdrawn(attempts) else "it was not told yet"
        return ToldTo(row.site, row.account, "never", why, None, attempts)
    last = attempts[-1] if attempts else None
    account = fleet.accounts.get(row.account)
    engine = account.engine if account else ""
    return ToldTo(
        site=row.site,
        account=row.account,
        state=standing.state,
        why_not=why_not(standing.state, standing.reason, standing.not_before, last, engine),
        not_before=standing.not_before,
        attempts=attempts,
    )


def _was_withdrawn(attempts: Sequence[LogRow]) -> bool:
    return any(one.kind == Kind.WITHDRAWAL and one.state in TOLD for one in attempts[-1:])


def _attempts(row: SitemapStatus, ledger: Ledger) -> tuple[LogRow, ...]:
    which = LogFilter(targets=frozenset({(row.site, row.account)}))
    return tuple(
        one
        for one in ledger.log(which)
        if one.kind in OF_SITEMAPS and urls.same(one.target, [row.sitemap])
    )


def _left_to_parent(site: Site, account: str, parents: Sequence[str]) -> ToldTo:
    where = f" in its index {parents[0]}" if parents else ""
    reason = f"it is read for its pages{where}; it is not told on its own"
    return ToldTo(site.origin, account, "never", reason, None)
