"""From the account to the site and back: the steps of one target, in the order of a call's way.

Each step says what stands in the way, or nothing. The first that speaks ends the walk: what comes
after it cannot be judged before it is mended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from submitter.core.agents import USER_AGENTS
from submitter.core.calls import Action, QuotaReading
from submitter.core.fleet import Site, Target
from submitter.core.looks import Validators
from submitter.core.robots import Robots
from submitter.core.sights import HOST_CAUSES, Sight, cause_of_sight
from submitter.core.traits import Kind, Traits
from submitter.core.urls import shown
from submitter.errors import EngineError, FetchError, QuotaExhausted
from submitter.ports import Fetched, QuotaReader, Source
from submitter.sending.channels import Channel
from submitter.stories.checkup import AccountCheck, Diagnosis, Health, diagnosis_of, failed
from submitter.stories.doctor.accounts import CALL_TIMEOUT_S
from submitter.stories.doctor.visits import SiteVisit


@dataclass(frozen=True, slots=True)
class Patient:
    """One target with all that its steps look at. `name` is the engine's own for the site;
    `notes` gather what is well."""

    target: Target
    name: str
    account: AccountCheck
    channel: Channel
    visit: SiteVisit
    source: Source
    notes: list[str] = field(default_factory=list)

    @property
    def traits(self) -> Traits:
        return self.channel.traits

    @property
    def tells_sitemaps(self) -> bool:
        return Kind.SITEMAP in self.traits.tells

    def action(self, kind: Kind, address: str) -> Action:
        """A call as it would be made, to ask whether it may be."""
        account = self.target.account
        return Action(
            site=self.target.site.origin,
            account=account.name,
            engine=account.engine,
            property=self.name,
            kind=kind,
            target=address,
            reason="check",
            content="",
        )


Step = Callable[[Patient], Diagnosis | None]


def diagnose(patient: Patient) -> Diagnosis:
    """Walk until something stands in the way. Where the account itself cannot be asked, nothing
    that was seen to be well proves that it may call."""
    for step in STEPS:
        found = step(patient)
        if found is not None:
            return found
    notes = "; ".join(patient.notes)
    if patient.account.survey is None:
        words = "whether the account is let in shows with the first call"
        return Diagnosis(Health.UNCHECKED, f"{notes}; {words}" if notes else words)
    return Diagnosis(Health.OK, notes or "may be told")


# ---------------------------------------------------------------- the property


def check_property(patient: Patient) -> Diagnosis | None:
    """The name of the property, the role on it, and whether it covers the sitemap. At an engine
    that takes pages only, a page has to be known first."""
    if not patient.tells_sitemaps:
        return None
    declared = patient.visit.site.sitemaps or (f"{patient.visit.site.origin}/sitemap.xml",)
    return _preflight(patient, Kind.SITEMAP, declared[0])


def check_page_form(patient: Patient) -> Diagnosis | None:
    """Whether pages of the site can be told at all. Where only some can, a run leaves the others
    out and says so."""
    pages = () if patient.tells_sitemaps else patient.visit.some_pages()
    faults = [fault for page in pages if (fault := _preflight(patient, Kind.URLS, page))]
    if faults and len(faults) == len(pages):
        return faults[0]
    if faults:
        some = f"{len(faults)} of {len(pages)} pages looked at cannot be told"
        patient.notes.append(f"{some}: {faults[0].message}")
    return None


def _preflight(patient: Patient, kind: Kind, address: str) -> Diagnosis | None:
    try:
        patient.channel.engine.preflight(patient.action(kind, address), patient.account.survey)
    except EngineError as error:
        return diagnosis_of(error)
    return None


# ---------------------------------------------------------------- the site


def check_robots(patient: Patient) -> Diagnosis | None:
    """A robots.txt that fails closes the site (RFC 9309 section 2.3.1.4, read 2026-11-30)."""
    robots, where = patient.visit.robots, f"{patient.visit.site.origin}/robots.txt"
    if isinstance(robots, FetchError):
        cause = cause_of_sight(robots.reason, where, robots.led_to)
        cause = cause if cause in HOST_CAUSES else "robots-unreachable"
        return failed(cause, f"{robots.url}: {robots.problem}")
    crawler = patient.traits.crawler
    if robots.closes_site(crawler):
        return failed("robots-closed", f"{where} closes it to {crawler}")
    if not patient.visit.declared:
        return failed("no-sitemap-line", where)
    return _closed_sitemap(patient, robots) if patient.tells_sitemaps else None


def _closed_sitemap(patient: Patient, robots: Robots) -> Diagnosis | None:
    crawler = patient.traits.crawler
    for root in patient.visit.declared:
        if not robots.allows(crawler, root):
            return failed("sitemap-disallowed", f"{shown(root)} is closed to {crawler}")
    return None


def check_sitemaps(patient: Patient) -> Diagnosis | None:
    """Every declared sitemap, and a sample of what an index lists, as ourselves."""
    visit, roots = patient.visit, patient.visit.declared
    broken = [seen for root in roots if not (seen := visit.look(root)).readable]
    if broken:
        return _unreadable(patient, broken, len(roots))
    children = [visit.look(child) for root in roots for child in visit.children(root)]
    lost = [seen for seen in children if not seen.readable]
    if lost:
        return failed("children-unreachable", _of_several(lost, len(children), "looked at"))
    patient.notes.append(f"{len(roots)} sitemap{'s' * (len(roots) > 1)} read")
    return None


def _unreadable(patient: Patient, broken: Sequence[Sight], total: int) -> Diagnosis:
    """Perhaps only for us: then the engine would get it, and we never plan to tell it."""
    first, crawler = broken[0], patient.traits.crawler
    cause = cause_of_sight(first.reason, first.url, first.led_to)
    if patient.tells_sitemaps and crawler in USER_AGENTS and cause not in HOST_CAUSES:
        both = patient.visit.compare(first.url, crawler, patient.visit.look)
        cause = "ourselves-blocked" if both.differ else cause
    return failed(cause, _of_several(broken, total))


def check_crawler(patient: Patient) -> Diagnosis | None:
    """The same in the crawler's name: what it has to fetch, which is a page where the engine is
    told pages. Only what we can read ourselves is compared."""
    crawler, visit = patient.traits.crawler, patient.visit
    if crawler not in USER_AGENTS:
        return None
    if not patient.tells_sitemaps:
        pages = [page for page in (visit.first_page(),) if page]
        return _blocked(patient, pages, visit.look_at_page, "pages-blocked")
    roots = visit.declared
    children = [child for root in roots for child in visit.children(root)]
    found = _blocked(patient, roots, visit.look, "crawler-blocked")
    found = found or _blocked(patient, children, visit.look, "children-blocked")
    if found is None:
        patient.notes.append(f"{crawler} is shown the same")
    return found


def _blocked(
    patient: Patient, urls: Sequence[str], look: Callable[[str, str], Sight], cause: str
) -> Diagnosis | None:
    pairs = [patient.visit.compare(url, patient.traits.crawler, look) for url in urls]
    shut_out = [both.theirs for both in pairs if both.ours.readable and not both.theirs.readable]
    if not shut_out:
        return None
    seen = f"as {patient.traits.crawler}: {_of_several(shut_out, len(urls), 'looked at')}"
    return failed(cause, seen)


def _of_several(wrong: Sequence[Sight], total: int, how: str = "named") -> str:
    count = f" ({len(wrong)} of {total} {how})" if total > 1 else ""
    return f"{shown(wrong[0].url)}: {wrong[0].words}{count}"


# ---------------------------------------------------------------- the engine again


def check_key_file(patient: Patient) -> Diagnosis | None:
    """What the engine needs at the site itself."""
    watched = _Watched(patient.source)
    try:
        patient.channel.engine.prepare(patient.target.site, watched, until=None)
    except EngineError as error:
        return diagnosis_of(error)
    if watched.asked:
        patient.notes.append("the key file is there and right")
    return None


class _Watched:
    """A source that knows whether it was asked: most engines need nothing at the site."""

    def __init__(self, source: Source) -> None:
        self._source, self.asked = source, False

    def fetch(
        self,
        url: str,
        *,
        site: Site,
        validators: Validators | None = None,
        until: float | None = None,
        user_agent: str | None = None,
    ) -> AbstractContextManager[Fetched]:
        """See `ports.Source`."""
        self.asked = True
        return self._source.fetch(
            url, site=site, validators=validators, until=until, user_agent=user_agent
        )


def check_quota(patient: Patient) -> Diagnosis | None:
    """What is left today, where reading it spends nothing. A spent day is no fault."""
    engine = patient.channel.engine
    if not (patient.traits.quota_readable and isinstance(engine, QuotaReader)):
        return None
    if not patient.channel.permits.acquire(until=float("inf")):
        return None
    try:
        reading = engine.read_quota(patient.name, timeout_s=CALL_TIMEOUT_S)
    except QuotaExhausted as error:
        patient.notes.append(f"today's quota is spent: {error.problem}")
    except EngineError as error:
        return diagnosis_of(error)
    else:
        patient.notes.extend(_quota_words(reading))
    return None


def _quota_words(reading: QuotaReading) -> Iterator[str]:
    if reading.left is not None:
        of = "" if reading.limit is None else f" of {reading.limit:,}"
        yield f"{reading.left:,}{of} pages left today"
    elif reading.limit is not None:
        yield f"a quota of {reading.limit:,} pages"


STEPS: tuple[Step, ...] = (
    check_property,
    check_robots,
    check_sitemaps,
    check_crawler,
    check_page_form,
    check_key_file,
    check_quota,
)
