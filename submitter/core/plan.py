"""Decides whether, what, how much and in which order to tell. Pure: equal input, equal plan."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from submitter.core import quota
from submitter.core.calls import Action
from submitter.core.findings import Finding
from submitter.core.looks import RootLook
from submitter.core.planned import OUTSIDE, WHOLE_ACCOUNT, Plan, Skip, TargetInput, Wait
from submitter.core.reach import is_within, reach_of, within_reach
from submitter.core.standing import Allowance, Candidate, SitemapStanding
from submitter.core.states import TOLD, State
from submitter.core.traits import Kind, Traits
from submitter.core.trees import DISALLOWED, is_disallowed

GUESS = 2_000
"""Metered lane, allowance unknown: plan at most this many pages behind the first call. What is not
planned waits for the next run, which knows more."""
GUESSED_CALLS = 200
"""And at most this many calls, at engines that take few pages in one."""


def make_plan(inputs: Iterable[TargetInput], *, now: datetime, forced: bool = False) -> Plan:
    """Plan every target. `forced` tells unchanged sitemaps again and passes what the guard or an
    audit holds.

    Inputs may stream; each one's candidates are let go as soon as it is planned.
    """
    actions: list[Action] = []
    skips: list[Skip] = []
    allowances: dict[tuple[str, str], Allowance] = {}
    findings: list[Finding] = []
    for given in map(within_reach, inputs):
        for allowance in _allowances(given):  # later sites of a lane see it less what is planned
            allowances.setdefault((allowance.account, allowance.property), allowance)
        findings.extend((*given.held, *given.audited, *given.notes))
        planned, left_out = _plan_target(given, now=now, forced=forced)
        actions.extend(planned)
        skips.extend(left_out)
    return Plan(
        made_at=now,
        actions=tuple(sorted(actions, key=_lane_order)),
        skips=tuple(sorted(skips, key=_skip_order)),
        allowances=tuple(allowances[lane] for lane in sorted(allowances)),
        findings=tuple(dict.fromkeys(findings)),
    )


def _allowances(given: TargetInput) -> Iterable[Allowance]:
    if given.allowance is not None:
        yield given.allowance
    if given.fast is not None:
        yield given.fast.allowance


def _lane_order(action: Action) -> tuple[str, str, str]:
    """By account, site and kind; batches of one target keep their order (sorting is stable)."""
    return (action.account, action.site, action.kind)


def _skip_order(skip: Skip) -> tuple[str, str, str, str]:
    return (skip.site, skip.account or "", skip.kind, skip.reason)


def _plan_target(
    given: TargetInput, *, now: datetime, forced: bool
) -> tuple[list[Action], list[Skip]]:
    if given.look is None:
        return [], [_skip(given, kind, "not-looked-at", 1) for kind in _kinds(given)]
    stopped = _why_nothing(given, Kind.SITEMAP, now=now, forced=forced)
    if stopped is not None:
        return [], _left_out(given, stopped.reason, stopped.until)
    actions: list[Action] = []
    skips: list[Skip] = []
    if Kind.SITEMAP in given.traits.tells:
        for declared in given.look.roots:
            root = _stand_in(given, declared)
            verdict = _judge_sitemap(given, root, now=now, forced=forced)
            if isinstance(verdict, Skip):
                skips.append(verdict)
            else:
                actions.append(verdict)
    if Kind.URLS in given.traits.tells:
        actions += _plan_fast_pages(given)
        batches, later = _plan_pages(given, Kind.URLS, now=now)
        actions += batches
        skips += later + _known_pages(given)
    if Kind.REMOVAL in given.traits.tells:
        batches, later = _plan_pages(given, Kind.REMOVAL, now=now)
        actions += batches
        skips += later
    return actions, skips


def _why_nothing(
    given: TargetInput, kind: Kind, *, now: datetime, forced: bool = False
) -> Skip | None:
    """What keeps back all that there is of a target."""
    if given.look is None:
        return _skip(given, kind, "not-looked-at", 1)
    if given.held and not forced:
        return _skip(given, kind, "guard", 1)
    if given.audited and not forced:
        return _skip(given, kind, "audit", 1)
    if _closed_as_a_whole(given, now):
        why = quota.closed_because(given.allowance)
        return _skip(given, kind, why, 1, _reopens(given, now))
    return None


def _kinds(given: TargetInput) -> list[Kind]:
    return [kind for kind in (Kind.SITEMAP, Kind.URLS) if kind in given.traits.tells]


def _skip(
    given: TargetInput, kind: Kind, reason: str, count: int, until: datetime | None = None
) -> Skip:
    return Skip(given.target.site.origin, given.target.account.name, kind, reason, count, until)


def _closed_as_a_whole(given: TargetInput, now: datetime) -> bool:
    """An account that may not call at all until its engine's next day."""
    allowance = given.allowance
    return (
        allowance is not None
        and allowance.property == WHOLE_ACCOUNT
        and quota.is_closed(allowance, now)
    )


def _left_out(given: TargetInput, reason: str, until: datetime | None = None) -> list[Skip]:
    skips = []
    if Kind.SITEMAP in given.traits.tells and given.look is not None:
        skips.append(_skip(given, Kind.SITEMAP, reason, len(given.look.roots), until))
    waiting = given.pages.waiting.get(Kind.URLS, 0)
    if Kind.URLS in given.traits.tells:
        skips.append(_skip(given, Kind.URLS, reason, waiting, until))
        skips += [*_held_pages(given), *_known_pages(given)]
    return [skip for skip in skips if skip.count]


# ---------------------------------------------------------------- sitemaps


def judge_sitemap(given: TargetInput, sitemap: str, *, now: datetime) -> Action | Skip | None:
    """What `make_plan` decides about one sitemap; None: the site does not declare it."""
    if (stopped := _why_nothing(given, Kind.SITEMAP, now=now)) is not None:
        return stopped
    roots = given.look.roots if given.look else ()
    for root in roots:
        if root.sitemap == sitemap:
            return _judge_sitemap(given, root, now=now, forced=False)
    return None


def _stand_in(given: TargetInput, root: RootLook) -> RootLook:
    """The sitemap itself, or its alias while it is stuck: another address of the same."""
    return replace(root, sitemap=given.aliases.get(root.sitemap, root.sitemap))


def _judge_sitemap(
    given: TargetInput, root: RootLook, *, now: datetime, forced: bool
) -> Action | Skip:
    if not root.readable:
        return _skip(given, Kind.SITEMAP, "unreadable", 1)
    findings = given.look.findings if given.look else ()
    if is_disallowed(findings, root.sitemap, given.traits.crawler) and not forced:
        return _skip(given, Kind.SITEMAP, DISALLOWED, 1)
    standing = given.sitemaps.get(root.sitemap)
    if standing is None:
        return _tell(given, root, "new")
    waits = _why_wait(given, standing, root, now)
    if waits is not None:
        return waits
    if standing.state not in TOLD and standing.state is not State.REJECTED:
        return _tell(given, root, f"again after {standing.state}")
    return _tell_again(given, standing, root, now=now, forced=forced)


def _why_wait(
    given: TargetInput, standing: SitemapStanding, root: RootLook, now: datetime
) -> Skip | None:
    if standing.not_before is not None and now < standing.not_before:
        reason = "unknown" if standing.state is State.UNKNOWN else "not-before"
        return _skip(given, Kind.SITEMAP, reason, 1, standing.not_before)
    if standing.state is State.REJECTED and standing.content == root.content:
        return _skip(given, Kind.SITEMAP, "rejected-before", 1)
    return None


def _tell_again(
    given: TargetInput, standing: SitemapStanding, root: RootLook, *, now: datetime, forced: bool
) -> Action | Skip:
    account = given.target.account
    if standing.told_at is None:
        return _tell(given, root, "changed")
    again_at = standing.told_at + timedelta(seconds=account.resubmit_min_s)
    if forced:
        return _tell(given, root, "forced")
    if standing.told_content != root.content:
        if now < again_at:
            return _skip(given, Kind.SITEMAP, "too-soon", 1, again_at)
        return _tell(given, root, "changed")
    if now >= standing.told_at + timedelta(days=account.resubmit_after_days):
        return _tell(given, root, "age")
    return _skip(given, Kind.SITEMAP, "unchanged", 1)


def _tell(given: TargetInput, root: RootLook, reason: str) -> Action:
    if root.sitemap in given.aliases.values():
        reason += ", as the alias of one that is stuck"
    return Action(
        site=given.target.site.origin,
        account=given.target.account.name,
        engine=given.traits.name,
        property=given.property,
        kind=Kind.SITEMAP,
        target=root.sitemap,
        reason=reason,
        content=root.content,
    )


# ---------------------------------------------------------------- pages


def judge_page(given: TargetInput, loc: str, wait: Wait | None, *, now: datetime) -> Skip | None:
    """Why `make_plan` leaves out one page that was not told; None: it is planned. `wait` None: it
    does not wait to be told."""
    if (stopped := _why_nothing(given, Kind.URLS, now=now)) is not None:
        return stopped
    if not is_within(reach_of(given.target.account, given.target.site, given.traits))(loc):
        return _skip(given, Kind.URLS, OUTSIDE, 1)
    if wait is None:
        return _skip(given, Kind.URLS, "first-run", 1)
    if wait.not_before is not None and now < wait.not_before:
        return _skip(given, Kind.URLS, wait.held_for, 1, wait.not_before)
    fast = given.fast.candidates if given.fast else ()
    if any(page.loc == loc for page in (*fast, *given.candidates.get(Kind.URLS, ()))):
        return None
    return _skip(given, Kind.URLS, _why_later(given, now), 1, _reopens(given, now))


def pages_wanted(traits: Traits, allowance: Allowance | None, now: datetime, first: int) -> int:
    """How many pages of a lane are worth planning now; asks the ledger for no more candidates."""
    if not traits.metered or allowance is None:
        return traits.pages_per_run
    cap = traits.pages_per_run if traits.daily_cap is None else traits.daily_cap
    rest = quota.left(allowance, now)
    if rest is not None:
        return min(cap, rest)
    guess = min(GUESS, GUESSED_CALLS * traits.batch_size)
    return first + guess if quota.batch_limit(traits, allowance, now, first) else 0


def first_batch(given: TargetInput) -> int:
    """Size of a lane's first call while its allowance is unknown."""
    value = given.target.account.settings.get("first_batch", given.traits.first_batch)
    return value if isinstance(value, int) else given.traits.first_batch


def _plan_pages(
    given: TargetInput, kind: Kind, *, now: datetime
) -> tuple[list[Action], list[Skip]]:
    first = first_batch(given)
    wanted = pages_wanted(given.traits, given.allowance, now, first)
    candidates = list(given.candidates.get(kind, ()))[:wanted]
    unknown = given.traits.metered and _rest_is_unknown(given, now)
    actions = [
        _batch(given, kind, chunk, unknown=unknown)
        for chunk in _chunks(candidates, given.traits.batch_size, first if unknown else 0)
    ]
    waiting = given.pages.waiting.get(kind, 0)
    if kind is Kind.URLS and given.fast is not None:
        waiting -= len(given.fast.candidates)
    later = _held_pages(given) if kind is Kind.URLS else []
    if kind is Kind.REMOVAL:
        later = [_skip(given, kind, reason, count) for reason, count in given.unconfirmed.items()]
        waiting -= sum(given.unconfirmed.values())
    outside = given.outside.get(kind, 0)
    later.append(_skip(given, kind, OUTSIDE, outside))
    waiting -= outside
    if waiting > len(candidates):
        reason = _why_later(given, now)
        later.append(_skip(given, kind, reason, waiting - len(candidates), _reopens(given, now)))
    return actions, [skip for skip in later if skip.count]


def _plan_fast_pages(given: TargetInput) -> list[Action]:
    """Until the engine has said what the lane has left today, its first call holds one page."""
    if given.fast is None:
        return []
    in_lane = replace(given, property=given.fast.allowance.property)
    first = 1 if given.fast.allowance.reported_left is None else 0
    return [
        _batch(in_lane, Kind.URLS, chunk, unknown=False)
        for chunk in _chunks(given.fast.candidates, given.traits.batch_size, first)
    ]


def _rest_is_unknown(given: TargetInput, now: datetime) -> bool:
    return given.allowance is not None and quota.left(given.allowance, now) is None


def _reopens(given: TargetInput, now: datetime) -> datetime | None:
    if given.allowance is not None and quota.is_closed(given.allowance, now):
        return given.allowance.closed_until
    if not given.traits.metered:
        return None
    return quota.next_day_starts(given.traits.day_zone, now)


def _why_later(given: TargetInput, now: datetime) -> str:
    if given.allowance is not None and quota.is_closed(given.allowance, now):
        return quota.closed_because(given.allowance)
    return quota.QUOTA if given.traits.metered else "run-limit"


def _chunks(
    candidates: Sequence[Candidate], size: int, first: int
) -> Iterable[Sequence[Candidate]]:
    start = 0
    if first:
        yield from [candidates[:first]] if candidates else []
        start = first
    for at in range(start, len(candidates), size):
        yield candidates[at : at + size]


def _batch(given: TargetInput, kind: Kind, chunk: Sequence[Candidate], *, unknown: bool) -> Action:
    reason = chunk[0].why
    if unknown:
        reason += ", as far as today's allowance goes"
    return Action(
        site=given.target.site.origin,
        account=given.target.account.name,
        engine=given.traits.name,
        property=given.property,
        kind=kind,
        target=chunk[0].loc,
        reason=reason,
        content=_fingerprint(page.loc for page in chunk),
        pages=tuple(page.id for page in chunk),
        cost=len(chunk),
    )


def part_of(action: Action, urls: Sequence[str], begin: int, end: int) -> Action:
    """The pages `begin` to `end` of a batch as an action of their own."""
    if begin == 0 and end == len(action.pages):
        return action
    return replace(
        action,
        target=urls[begin],
        content=_fingerprint(urls[begin:end]),
        pages=action.pages[begin:end],
        cost=end - begin,
    )


def _fingerprint(locs: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for loc in locs:
        digest.update(loc.encode())
        digest.update(b"\n")
    return digest.hexdigest()[:32]


def _held_pages(given: TargetInput) -> list[Skip]:
    """Pages, and removals, that may not be told yet."""
    return [_skip(given, kind, reason, count) for (kind, reason), count in given.pages.held.items()]


def _known_pages(given: TargetInput) -> list[Skip]:
    """Pages this target will not be told, and why: they close the sum of what was found."""
    counts, listed = given.pages.counts, given.look.listed if given.look else 0
    held = sum(count for (kind, _), count in given.pages.held.items() if kind is Kind.URLS)
    waiting = given.pages.waiting.get(Kind.URLS, 0) + held
    refused = min(counts.get(State.REJECTED, 0), max(0, listed - waiting))
    told = sum(counts.get(state, 0) for state in TOLD)
    known = min(told, max(0, listed - waiting - refused))  # others were told and wait again
    skips = [
        _skip(given, Kind.URLS, "already-told", known),
        _skip(given, Kind.URLS, "rejected-before", refused),
        _skip(given, Kind.URLS, "first-run", listed - waiting - refused - known),
    ]
    return [skip for skip in skips if skip.count > 0]
