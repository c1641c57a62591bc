"""Alarms: what a person should look at, from what the ledger remembers. Pure.

An alarm is raised by facts, never by their absence alone: a site whose logs were not read has no
fallen crawl, and an engine that was not asked has left nothing unread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import groupby
from types import MappingProxyType
from typing import Final

from submitter.core.evidence import (
    LogSpan,
    LookRow,
    LyingDates,
    RunEnd,
    SectionCrawl,
    Trouble,
    Unread,
)
from submitter.core.findings import Meaning, Severity
from submitter.core.fleet import AlertRules
from submitter.core.run_shares import RunShare
from submitter.core.swings import LEAST_PAGES, WEEK, fall_of, redating_of

LATELY_DAYS: Final = 7
BEFORE_DAYS: Final = 28
"""A week of crawls is held against the four weeks before it."""
LEAST_DAYS: Final = 3
"""Days with lines in the access log that a comparison needs on each side."""
LEAST_HITS: Final = 20
"""Hits that were to be expected; fewer come and go by chance."""
FAILING_RUNS: Final = 3

GONE: Final = frozenset({"http-404", "http-410"})

ALERT_IDS: Final[Mapping[str, Meaning]] = MappingProxyType(
    {
        "job-silent": Meaning(
            Severity.ERROR,
            "no run of ours has ended for `silent_days`, or none ever did; a `submit` by hand is a"
            " run, too, so see `site-silent` as well",
        ),
        "job-failing": Meaning(
            Severity.ERROR, "the last three runs told nothing, and all that they tried went wrong"
        ),
        "account-failing": Meaning(
            Severity.ERROR,
            "the last three runs that tried an account told nothing there, and at half of its sites"
            " or more it went wrong, while others were told",
        ),
        "site-silent": Meaning(
            Severity.WARNING, "runs end, but a site was not looked at for `silent_days`"
        ),
        "sitemap-gone": Meaning(Severity.ERROR, "a sitemap answers 404 or 410"),
        "sitemap-unreadable": Meaning(
            Severity.ERROR, "a sitemap could not be read at the last look, nor for a day"
        ),
        "sitemap-shrunk": Meaning(
            Severity.ERROR,
            "a site lists fewer pages than in the week before, by the share `shrink`; until it"
            " misses less than half of that share, `--force` accepts it, or the guard let it pass"
            " five weeks ago",
        ),
        "lastmod-refreshed": Meaning(
            Severity.WARNING,
            "the dates of a site moved in bulk, as they do not at its other looks (three or more),"
            " or say nothing since its sitemap changed",
        ),
        "sitemap-unread": Meaning(
            Severity.ERROR, "an engine has not read a sitemap for `unread_days`, in its own word"
        ),
        "section-crawl-fell": Meaning(
            Severity.WARNING,
            "a crawler reads a section of the inventory less than in the four weeks before, by"
            " `crawl_drop`; impostors do not count",
        ),
        "access-log-silent": Meaning(
            Severity.WARNING, "access logs were read, but none of the last `silent_days`"
        ),
    }
)
"""Ids of alarms, for the docs. They only grow."""

NEXT_STEPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "job-silent": "See whether the schedule still starts `submitter run`, and what it printed.",
        "job-failing": "See `submitter status`, which has what failed before a call, too, then "
        "`submitter log --state failed` and `submitter check --online`.",
        "account-failing": "See `submitter check --online --account NAME` for what stands in the "
        "way.",
        "site-silent": "See whether runs select the site and reach it before their deadline.",
        "sitemap-gone": "Serve it again, or name its new address under `sitemaps`.",
        "sitemap-unreadable": "See `submitter flatten` for what the server answers.",
        "sitemap-shrunk": "See whether the generator lost pages; `submitter explain` of one tells "
        "when it went.",
        "lastmod-refreshed": "See whether the generator writes the time of the build: lastmod "
        "moves only with a page's own text, price or stock.",
        "sitemap-unread": "See `submitter status`, and `submitter verify` for what crawlers get.",
        "section-crawl-fell": "First see whether lastmod was refreshed in bulk, then whether the "
        "section answers slowly or with errors.",
        "access-log-silent": "Read newer logs with `submitter crawlers`.",
    }
)
"""Alarm → what a person does now."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One alarm. `site` is empty for the whole fleet; `about` names the sitemap, section, account
    or run meant, `engine` the engine or crawler; both empty where there is none."""

    id: str
    severity: Severity
    site: str
    about: str
    engine: str
    since: datetime | None
    message: str
    next_step: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The same for as long as the alarm lasts, whatever its numbers."""
        return "\n".join((self.id, self.site, self.about, self.engine))


@dataclass(frozen=True, slots=True)
class AlarmFacts:
    """All that alarms are raised from. `sites` are the origins that the inventory names."""

    sites: frozenset[str]
    runs: Sequence[RunEnd] = ()
    """Newest first."""
    shares: Sequence[RunShare] = ()
    """Of the newest runs, newest first."""
    looks: Iterable[LookRow] = ()
    """Of five weeks and more, by site, oldest first."""
    troubles: Iterable[Trouble] = ()
    dates: Iterable[LyingDates] = ()
    unread: Iterable[Unread] = ()
    crawls: Iterable[SectionCrawl] = ()
    logs: Sequence[LogSpan] = ()


def alerts(facts: AlarmFacts, rules: AlertRules, now: datetime) -> list[Alert]:
    """Errors first, then by id, site and what they are about."""
    job = list(_of_job(facts, rules, now))
    found = [
        *job,
        *(() if any(one.id == "job-failing" for one in job) else _of_accounts(facts.shares)),
        *_of_looks(facts, rules, now, runs_end=not any(one.id == "job-silent" for one in job)),
        *_of_documents(facts, now),
        *_of_engines(facts.unread, rules),
        *_of_crawls(facts, rules, now),
    ]
    order = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
    return sorted(
        {one.key: one for one in found}.values(), key=lambda one: (order[one.severity], one.key)
    )


def _alert(
    id: str,
    message: str,
    *,
    site: str = "",
    about: str = "",
    engine: str = "",
    since: datetime | None = None,
    **numbers: float,
) -> Alert:
    severity = ALERT_IDS[id].severity
    return Alert(id, severity, site, about, engine, since, message, NEXT_STEPS[id], numbers)


def _days(length: timedelta) -> int:
    return length // timedelta(days=1)


# ---------------------------------------------------------------- our own job


def _of_job(facts: AlarmFacts, rules: AlertRules, now: datetime) -> Iterator[Alert]:
    runs = facts.runs
    ended = [one for one in runs if one.finished_at is not None]
    last = max((one.finished_at for one in ended if one.finished_at), default=None)
    if last is None:
        since = min((one.started_at for one in runs), default=None)
        yield _alert("job-silent", "no run has ever ended", since=since)
    elif now - last >= timedelta(days=rules.silent_days):
        days = _days(now - last)
        yield _alert("job-silent", f"no run has ended for {days} days", since=last, days=days)
    newest = ended[:FAILING_RUNS]
    if len(newest) == FAILING_RUNS and all(_failed(one, facts) for one in newest):
        message = f"the last {FAILING_RUNS} runs told nothing: all they tried went wrong"
        yield _alert("job-failing", message, since=newest[-1].started_at, runs=FAILING_RUNS)


def _failed(run: RunEnd, facts: AlarmFacts) -> bool:
    """By its own word; or every account that it tried failed whole, whatever stands at engines
    since earlier runs."""
    tried = [one for one in facts.shares if one.run == run.id and one.was_tried]
    return run.outcome == "failed" or (bool(tried) and all(one.fails_whole for one in tried))


def _of_accounts(shares: Iterable[RunShare]) -> Iterator[Alert]:
    by_account: dict[str, list[RunShare]] = {}
    for one in shares:
        if one.was_tried:
            by_account.setdefault(one.account, []).append(one)
    for account, tried in by_account.items():
        newest = tried[:FAILING_RUNS]
        if len(newest) == FAILING_RUNS and all(one.fails_whole for one in newest):
            last = newest[0]
            message = (
                f"the last {FAILING_RUNS} runs that tried this account told nothing; "
                f"in the last, it went wrong at {last.failing_sites:,} of {last.sites:,} sites"
            )
            yield _alert(
                "account-failing",
                message,
                about=account,
                engine=last.engine,
                since=newest[-1].started_at,
                runs=FAILING_RUNS,
                sites=last.sites,
                failing_sites=last.failing_sites,
            )


# ---------------------------------------------------------------- what we saw


def _of_looks(
    facts: AlarmFacts, rules: AlertRules, now: datetime, *, runs_end: bool
) -> Iterator[Alert]:
    seen = set()
    for site, rows in groupby(facts.looks, key=lambda row: row.site):
        looks = [row for row in rows if row.finished]
        if site not in facts.sites or not looks:
            continue
        seen.add(site)
        yield from _shrunk(site, looks, rules)
        yield from _refreshed(site, looks, rules, now)
        quiet = now - looks[-1].at
        if runs_end and quiet >= timedelta(days=rules.silent_days):
            message = f"not looked at for {_days(quiet)} days, although runs end"
            yield _alert("site-silent", message, site=site, since=looks[-1].at, days=_days(quiet))
    yield from _lying_dates(facts, now)


def _shrunk(site: str, looks: Sequence[LookRow], rules: AlertRules) -> Iterator[Alert]:
    fall = fall_of(looks, rules.shrink)
    if fall is not None:
        at = fall.before_at
        when = f"on {at:%Y-%m-%d}" if at else "at the last look that passed the guard"
        yield _alert(
            "sitemap-shrunk",
            f"lists {fall.listed:,} pages; there were {fall.before:,} {when}",
            site=site,
            since=fall.since,
            listed=fall.listed,
            listed_before=fall.before,
        )


def _refreshed(
    site: str, looks: Sequence[LookRow], rules: AlertRules, now: datetime
) -> Iterator[Alert]:
    found = redating_of(looks, rules.bulk_lastmod, now)
    if found is not None:
        bulk = found.look
        message = (
            f"the dates of {bulk.changed:,} of {bulk.listed:,} pages moved at once; "
            f"at a usual look {found.usual:.0%} do"
        )
        yield _alert(
            "lastmod-refreshed",
            message,
            site=site,
            since=bulk.at,
            changed=bulk.changed,
            listed=bulk.listed,
        )


def _lying_dates(facts: AlarmFacts, now: datetime) -> Iterator[Alert]:
    """Dates that are one, or the time of reading, move no page of ours: the document says so."""
    for one in facts.dates:
        if one.site in facts.sites and one.pages >= LEAST_PAGES and now - one.changed_at <= WEEK:
            message = f"its {one.pages:,} dates say nothing ({', '.join(one.ids)})"
            yield _alert(
                "lastmod-refreshed",
                message,
                site=one.site,
                about=one.document,
                since=one.changed_at,
                listed=one.pages,
            )


def _of_documents(facts: AlarmFacts, now: datetime) -> Iterator[Alert]:
    for one in facts.troubles:
        if one.site not in facts.sites:
            continue
        read = "never read by us" if one.read_at is None else f"last read {one.read_at:%Y-%m-%d}"
        if one.reason in GONE:
            message = f"answers {one.reason.removeprefix('http-')}; {read}, {one.pages:,} pages"
            id = "sitemap-gone"
        elif one.read_at is not None and now - one.read_at >= timedelta(days=1):
            message, id = f"cannot be read ({one.reason}); {read}", "sitemap-unreadable"
        else:
            continue
        yield _alert(
            id, message, site=one.site, about=one.document, since=one.read_at, pages=one.pages
        )


# ---------------------------------------------------------------- what engines did


def _of_engines(unread: Iterable[Unread], rules: AlertRules) -> Iterator[Alert]:
    """Late by the engine's own word: by when it was asked, not by now."""
    for one in unread:
        late = one.checked_at - one.since
        if late >= timedelta(days=rules.unread_days):
            what = "last read" if one.ever_read else "never read; told"
            message = f"{what} on {one.since:%Y-%m-%d}, asked on {one.checked_at:%Y-%m-%d}"
            yield _alert(
                "sitemap-unread",
                message,
                site=one.site,
                about=one.sitemap,
                engine=one.engine,
                since=one.since,
                days=_days(late),
            )


def _of_crawls(facts: AlarmFacts, rules: AlertRules, now: datetime) -> Iterator[Alert]:
    last = max((one.last_day for one in facts.logs), default=None)
    if last is not None and (silent := (now.date() - last).days) > rules.silent_days:
        message = f"the last line of an access log that was read is of {last}, {silent} days ago"
        yield _alert("access-log-silent", message, days=silent)
    crawls = [one for one in facts.crawls if one.site in facts.sites]
    young = _young(crawls)
    for one in crawls:
        yield from _fell(one, rules, young.get((one.site, one.crawler), 0.0))


def _young(crawls: Sequence[SectionCrawl]) -> dict[tuple[str, str], float]:
    """Hits a day, by site and crawler, in sections that were first crawled later than others of the
    site: the inventory may have cut them out of those."""
    days: dict[tuple[str, str], list[date]] = {}
    for one in crawls:
        if one.first_day is not None:
            days.setdefault((one.site, one.crawler), []).append(one.first_day)
    found: dict[tuple[str, str], float] = {}
    for one in crawls:
        key = one.site, one.crawler
        if one.first_day is None or not one.days_lately:
            continue
        if one.first_day >= min(days[key]) + timedelta(days=LEAST_DAYS):
            found[key] = found.get(key, 0.0) + one.lately / one.days_lately
    return found


def _fell(one: SectionCrawl, rules: AlertRules, young: float) -> Iterator[Alert]:
    """`young`: hits a day that may have been this section's before."""
    if min(one.days_lately, one.days_before) < LEAST_DAYS:
        return
    usual, now_a_day = one.before / one.days_before, one.lately / one.days_lately
    if usual * one.days_lately < LEAST_HITS or now_a_day + young > (1 - rules.crawl_drop) * usual:
        return
    name = f"section {one.section!r}" if one.section else "pages in no section"
    message = (
        f"{one.crawler} reads {name} {now_a_day:.1f} times a day; "
        f"in the four weeks before it was {usual:.1f}"
    )
    yield _alert(
        "section-crawl-fell",
        message,
        site=one.site,
        about=one.section,
        engine=one.crawler,
        hits_a_day=round(now_a_day, 2),
        hits_a_day_before=round(usual, 2),
    )
