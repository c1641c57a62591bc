"""Asks engines what became of the sitemaps they were told, and records what they say."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from submitter.core.agents import USER_AGENTS
from submitter.core.calls import Check, Survey
from submitter.core.causes import cause_of, meaning_of, step_after
from submitter.core.fleet import Target
from submitter.core.sights import Sight
from submitter.core.traits import Traits
from submitter.errors import EngineError, EngineUnavailable, OutcomeUnknown
from submitter.kit.retries import OutOfTime, Retries
from submitter.looking.sighting import Eyes
from submitter.looking.stuck import stuck_sitemaps
from submitter.ports import SightBook
from submitter.sending.channels import Channel, RunContext

log = logging.getLogger(__name__)

LOOKED_AT = 200
"""Looks at stuck sitemaps in one go: they are few, or something larger is wrong."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one property said: checks recorded, or the problem that stood in the way."""

    account: str
    property: str
    sites: tuple[str, ...]
    checks: int
    problem: str = ""
    unasked: bool = False
    """True: the deadline came first."""
    cause: str | None = None
    """Of the problem, a row of the table of causes, with what that says."""
    meaning: str | None = None
    next_step: str | None = None
    sights: tuple[Sight, ...] = ()
    """What its stuck sitemaps look like to us."""


@dataclass(frozen=True, slots=True)
class _Question:
    property: str
    sitemaps: Mapping[str, tuple[str, ...]]
    """Site → its sitemaps."""


def verify(
    targets: Sequence[Target],
    *,
    channels: Mapping[str, Channel],
    surveys: Mapping[str, Survey],
    context: RunContext,
) -> list[Answer]:
    """Ask each property once for all its sitemaps, then look at those that are stuck ourselves.
    Raises LedgerError only."""
    asked = [name for name, channel in channels.items() if channel.traits.checks]
    known = _known_sitemaps(targets, context)
    answers: list[Answer] = []
    with ThreadPoolExecutor(max(1, len(asked)), thread_name_prefix="verify") as pool:
        futures = []
        for name in asked:
            mine = [target for target in targets if target.account.name == name]
            questions = _questions(mine, channels[name], surveys.get(name), known)
            futures.append(pool.submit(_ask_account, channels[name], questions, context))
        for future in futures:
            answers.extend(future.result())
    told = [target for target in targets if target.account.name in asked]
    return _with_sights(answers, told, channels, context)


def _known_sitemaps(
    targets: Sequence[Target], context: RunContext
) -> Mapping[tuple[str, str], tuple[str, ...]]:
    known: dict[tuple[str, str], list[str]] = {}
    for row in context.ledger.statuses(sorted({target.site.origin for target in targets})):
        known.setdefault((row.site, row.account), []).append(row.sitemap)
    return {key: tuple(dict.fromkeys(sitemaps)) for key, sitemaps in known.items()}


def _questions(
    targets: Iterable[Target],
    channel: Channel,
    survey: Survey | None,
    known: Mapping[tuple[str, str], tuple[str, ...]],
) -> list[_Question]:
    by_property: dict[str, dict[str, tuple[str, ...]]] = {}
    for target in targets:
        sitemaps = known.get(target.key, ())
        if sitemaps:
            name = channel.engine.property_of(target.site, survey)
            by_property.setdefault(name, {})[target.site.origin] = sitemaps
    return [_Question(name, sites) for name, sites in sorted(by_property.items())]


def _ask_account(
    channel: Channel, questions: Sequence[_Question], context: RunContext
) -> list[Answer]:
    retries = Retries(context.rules.retries, context.clock, len(questions))
    workers = max(1, min(context.rules.workers, len(questions)))
    with ThreadPoolExecutor(workers, thread_name_prefix="verify") as pool:
        return list(pool.map(lambda one: _ask(channel, one, context, retries), questions))


def _ask(channel: Channel, question: _Question, context: RunContext, retries: Retries) -> Answer:
    name, sites = channel.account.name, tuple(question.sitemaps)
    wanted = tuple(dict.fromkeys(url for urls in question.sitemaps.values() for url in urls))
    try:
        checks = retries.call(
            lambda: _ask_once(channel, question.property, wanted, context), until=context.until
        )
    except OutOfTime:
        return Answer(name, question.property, sites, 0, "no time was left", unasked=True)
    except EngineError as error:
        return _unanswered(Answer(name, question.property, sites, 0, error.problem), error)
    for site, urls in question.sitemaps.items():
        mine = [check for check in checks if check.sitemap in urls]
        context.ledger.record_checks(context.lease, site, name, mine, at=context.clock.now())
    context.progress.advance()
    return Answer(name, question.property, sites, len(checks))


def _unanswered(answer: Answer, error: EngineError) -> Answer:
    cause = cause_of(error)
    meaning = meaning_of(cause, error.engine)
    return replace(answer, cause=cause, meaning=meaning, next_step=step_after(error))


def _ask_once(
    channel: Channel, name: str, sitemaps: Sequence[str], context: RunContext
) -> list[Check]:
    if context.is_over() or not channel.permits.acquire(until=context.until):
        raise OutOfTime
    try:
        return channel.engine.checks(name, sitemaps, timeout_s=context.call_timeout_s())
    except OutcomeUnknown as lost:  # a read whose answer is lost can simply be asked again
        raise EngineUnavailable(lost.engine, lost.problem, http_status=lost.http_status) from lost


# ---------------------------------------------------------------- what we see ourselves


def _with_sights(
    answers: Sequence[Answer],
    targets: Sequence[Target],
    channels: Mapping[str, Channel],
    context: RunContext,
) -> list[Answer]:
    """Look at what is stuck as ourselves and as the crawler that does not come for it."""
    traits = {target.account.engine: channels[target.account.name].traits for target in targets}
    stuck = stuck_sitemaps(context.ledger, targets, traits, now=context.clock.now())
    looks = sorted(
        {
            (site, one.sitemap, agent)
            for (site, account), sitemaps in stuck.items()
            for one in sitemaps
            for agent in ("", channels[account].traits.crawler)
            if agent in ("", *USER_AGENTS)
        }
    )[:LOOKED_AT]
    with ThreadPoolExecutor(context.rules.workers, thread_name_prefix="stuck") as pool:
        found = pool.map(lambda look: _look(context, *look), looks)
        sights = [sight for sight in found if sight is not None]
    if sights and isinstance(context.ledger, SightBook):
        context.ledger.record_sights(context.lease, sights)
    return [_with_its_own(answer, sights, channels[answer.account].traits) for answer in answers]


def _look(context: RunContext, origin: str, sitemap: str, agent: str) -> Sight | None:
    """None: no time is left."""
    if context.is_over():
        return None
    until = None if context.until == float("inf") else context.until
    eyes = Eyes(context.sites[origin], context.source, context.clock.now(), until, agent)
    return eyes.see(sitemap, eyes.site.fetch.max_bytes)


def _with_its_own(answer: Answer, sights: Sequence[Sight], traits: Traits) -> Answer:
    mine = [one for one in sights if one.site in answer.sites]
    return replace(answer, sights=tuple(one for one in mine if one.agent in ("", traits.crawler)))
