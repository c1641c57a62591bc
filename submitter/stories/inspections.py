"""Asks engines about samples of the pages they were told of: indexed, or why not.

What was asked today is not asked again, and what an engine said is remembered page by page, so
that the effect of a submission can be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from submitter.asking.inspecting import DEADLINE, QUOTA, AccountAsking, book_of
from submitter.core import quota
from submitter.core.accounting import ExitCode
from submitter.core.calls import Survey
from submitter.core.fleet import Target
from submitter.core.inspection import Drawn, Group, Recalled, Sample, Sampler, recall
from submitter.ports import InspectionBook
from submitter.sending.channels import Channel, RunContext
from submitter.stories.leases import held_lease
from submitter.stories.run_request import RunRequest, Tools
from submitter.stories.runs import run_context

LOOK_BACK = timedelta(days=60)
"""What was asked so long ago is as good as never asked."""


def inspect_fleet(request: RunRequest, tools: Tools, size: int) -> list[Sample]:
    """Ask about `size` pages of each section of each property, at most; records every answer.

    Raises LedgerBusy and LedgerError; what an engine said is in the samples. Empty: no selected
    engine can be asked about pages, or none was told of any.
    """
    book = book_of(tools.ledger)
    able = {
        target.account.name
        for target in request.targets
        if tools.traits[target.account.engine].inspects_per_day is not None
    }
    channels = tools.open_channels(able)
    with held_lease(request, tools) as lease:
        context = run_context(request, tools, lease)
        targets = [target for target in request.targets if target.account.name in able]
        recalled = {name: _recall(channel, book, context) for name, channel in channels.items()}
        drawn = _draw(targets, channels, recalled, context, size)
        return _ask(drawn, channels, recalled, context)


def _ask(
    drawn: Mapping[str, Mapping[Group, Drawn]],
    channels: Mapping[str, Channel],
    recalled: Mapping[str, Recalled],
    context: RunContext,
) -> list[Sample]:
    """The accounts side by side."""
    total = sum(len(one.pages) for groups in drawn.values() for one in groups.values())
    context.progress.start("asking about pages", total)
    try:
        with ThreadPoolExecutor(max(1, len(drawn)), thread_name_prefix="inspect") as pool:
            asking = [
                pool.submit(AccountAsking(channels[name], context).ask, groups, recalled[name])
                for name, groups in drawn.items()
            ]
            return [sample for one in asking for sample in one.result()]
    finally:
        context.progress.stop()


def judge_samples(samples: Sequence[Sample]) -> ExitCode:
    """6 some pages had no time left · 5 an engine said nothing · 4 not of every page · 0 else,
    also when the day's quota is spent."""
    reasons = {reason for one in samples for reason in one.unasked}
    if DEADLINE in reasons:
        return ExitCode.DEADLINE
    if not reasons - {QUOTA}:
        return ExitCode.OK
    asked = any(one.inspections for one in samples)
    return ExitCode.PARTIAL if asked else ExitCode.NOTHING_SUCCEEDED


def _recall(channel: Channel, book: InspectionBook, context: RunContext) -> Recalled:
    now = context.clock.now()
    rows = book.inspections(channel.account.name, since=now - LOOK_BACK)
    return recall(rows, channel.traits.day_zone, now)


# ---------------------------------------------------------------- which pages


@dataclass(frozen=True, slots=True)
class _Told:
    """An account that was told sitemaps of a site, and the property it did so under."""

    account: str
    property: str
    until: float
    """Seconds since 1970 UTC; pages seen first after this were not told yet."""


def _draw(
    targets: Iterable[Target],
    channels: Mapping[str, Channel],
    recalled: Mapping[str, Recalled],
    context: RunContext,
    size: int,
) -> dict[str, dict[Group, Drawn]]:
    """By account. Every page is read once, however many accounts were told of it."""
    told = _told(targets, channels, context)
    now = context.clock.now()
    samplers = {
        name: Sampler(
            size, quota.engine_day(channel.traits.day_zone, now), recalled[name].last_asked
        )
        for name, channel in channels.items()
    }
    pages = book_of(context.ledger).listed_pages(sorted(told)) if told else ()
    for page in pages:
        for one in told[page.site]:
            if page.first_seen <= one.until:
                group = Group(one.account, one.property, page.section)
                samplers[one.account].offer(group, page)
    drawn = {name: sampler.drawn() for name, sampler in samplers.items()}
    return {name: groups for name, groups in drawn.items() if groups}


def _told(
    targets: Iterable[Target], channels: Mapping[str, Channel], context: RunContext
) -> dict[str, list[_Told]]:
    """By site. Only an accepted sitemap counts."""
    standings = context.ledger.sitemap_standings()
    surveys: Mapping[str, tuple[Survey, datetime]] = context.ledger.surveys()
    found: dict[str, list[_Told]] = {}
    for target in targets:
        times = [one.told_at for one in standings.get(target.key, {}).values() if one.told_at]
        if times:
            name = target.account.name
            survey = surveys[name][0] if name in surveys else None
            property = channels[name].engine.property_of(target.site, survey)
            told = _Told(name, property, max(times).timestamp())
            found.setdefault(target.site.origin, []).append(told)
    return found
