"""The JSON documents of `run` and `plan`: they only grow; absent = null; times are RFC 3339 UTC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from submitter.core import quota
from submitter.core.accounting import Counts, Done, Verdict, columns_of
from submitter.core.calls import Action
from submitter.core.causes import meaning_of
from submitter.core.findings import Finding
from submitter.core.fleet import Target
from submitter.core.looks import SiteLook
from submitter.core.planned import Plan, Skip
from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.core.traits import Kind, Traits

Json = dict[str, object]


def timestamp(at: datetime | None) -> str | None:
    """RFC 3339 in UTC with `Z`, whole seconds."""
    if at is None:
        return None
    return at.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def finding_json(finding: Finding) -> Json:
    return {
        "id": finding.id,
        "severity": str(finding.severity),
        "where": finding.where,
        "message": finding.message,
        "count": finding.count,
        "examples": list(finding.examples),
    }


def allowance_json(allowance: Allowance | None, traits: Traits, now: datetime) -> Json | None:
    if allowance is None:
        return None
    today = quota.engine_day(traits.day_zone, now)
    fresh = allowance if allowance.day >= today else Allowance("", "", today)
    return {
        "account": allowance.account,
        "property": allowance.property,
        "day": fresh.day.isoformat(),
        "limit": fresh.limit,
        "spent": fresh.spent,
        "left": quota.left(fresh, now),
        "resets_at": timestamp(quota.next_day_starts(traits.day_zone, now)),
    }


# ---------------------------------------------------------------- plan


def action_json(action: Action) -> Json:
    return {
        "action": action.key,
        "site": action.site,
        "account": action.account,
        "engine": action.engine,
        "property": action.property,
        "kind": str(action.kind),
        "target": action.target,
        "pages": action.size,
        "reason": action.reason,
        "cost": action.cost,
    }


def skip_json(skip: Skip) -> Json:
    return {
        "site": skip.site,
        "account": skip.account,
        "kind": str(skip.kind),
        "reason": skip.reason,
        "count": skip.count,
        "until": timestamp(skip.until),
    }


def plan_json(
    plan: Plan, *, traits_of: Mapping[str, Traits], findings: Sequence[Finding] = ()
) -> Json:
    """`traits_of` maps account name → traits."""
    return {
        "digest": plan.digest,
        "made_at": timestamp(plan.made_at),
        "actions": [action_json(action) for action in plan.actions],
        "skips": [skip_json(skip) for skip in plan.skips],
        "allowances": [
            allowance_json(one, traits_of[one.account], plan.made_at) for one in plan.allowances
        ],
        "findings": [finding_json(one) for one in (*plan.findings, *findings)],
    }


# ---------------------------------------------------------------- run


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Everything a run's report is made from."""

    run: str
    started_at: datetime
    finished_at: datetime
    plan: Plan
    done: Sequence[Done]
    looks: Mapping[str, SiteLook]
    targets: Sequence[Target]
    traits: Mapping[str, Traits]
    allowances: Mapping[tuple[str, str], Allowance]
    verdict: Verdict
    properties: Mapping[tuple[str, str], str]
    partial: bool = False


def run_json(facts: RunFacts) -> Json:
    total, by_target = _count(facts)
    return {
        "run": facts.run,
        "started_at": timestamp(facts.started_at),
        "finished_at": timestamp(facts.finished_at),
        "outcome": str(facts.verdict.outcome),
        "exit_code": int(facts.verdict.exit_code),
        "partial": facts.partial,
        "digest": facts.plan.digest,
        "counts": total.as_json(),
        "targets": [_target_json(facts, target, by_target) for target in facts.targets],
        "skips": [skip_json(skip) for skip in (*facts.plan.skips, *_put_off(facts.done))],
        "problems": _problems(facts.done),
    }


def _count(facts: RunFacts) -> tuple[Counts, dict[tuple[str, str], Counts]]:
    total, by_target = Counts(), {target.key: Counts() for target in facts.targets}
    for done in facts.done:
        total.add_done(done)
        by_target[done.action.site, done.action.account].add_done(done)
    for skip in facts.plan.skips:
        total.add_skip(skip)
        if skip.account is not None:
            by_target[skip.site, skip.account].add_skip(skip)
    return total, by_target


def _target_json(
    facts: RunFacts, target: Target, by_target: Mapping[tuple[str, str], Counts]
) -> Json:
    look = facts.looks.get(target.site.origin)
    traits = facts.traits[target.account.engine]
    name = facts.properties.get(target.key, "")
    allowance = facts.allowances.get((target.account.name, name))
    delta = look.delta if look else None
    return {
        "site": target.site.origin,
        "account": target.account.name,
        "engine": target.account.engine,
        "property": name,
        "documents": look.documents if look else 0,
        "pages": look.listed if look else 0,
        "delta": {
            "new": delta.new if delta else 0,
            "changed": delta.changed if delta else 0,
            "gone": delta.gone if delta else 0,
        },
        "counts": by_target[target.key].as_json(),
        "allowance": (
            allowance_json(allowance, traits, facts.finished_at) if traits.metered else None
        ),
        "findings": [finding_json(one) for one in findings_of(look, facts.plan.findings)],
    }


def findings_of(look: SiteLook | None, held: Iterable[Finding]) -> list[Finding]:
    """Everything wrong at one site: what the look found, its documents, and the guard."""
    if look is None:
        return []
    of_documents = [one for reading in look.readings for one in reading.findings]
    of_guard = [one for one in held if one.where == look.site]
    return [*of_guard, *look.findings, *of_documents]


def _put_off(done: Iterable[Done]) -> list[Skip]:
    """What was planned and turned out to have to wait, by reason, like what the plan left out."""
    counts: Counter[tuple[str, str, Kind, str, datetime | None]] = Counter()
    for one in done:
        count = columns_of(one).get(State.DEFERRED, 0)
        if count:
            action, outcome = one.action, one.outcome
            reason = outcome.code or "not-before"
            counts[action.site, action.account, action.kind, reason, outcome.not_before] += count
    return [
        Skip(site, account, kind, reason, count, until)
        for (site, account, kind, reason, until), count in counts.items()
    ]


def _is_problem(done: Done) -> bool:
    return done.outcome.rest in {State.REJECTED, State.UNKNOWN, State.FAILED} or bool(
        done.outcome.rejected
    )


def _problems(done: Iterable[Done]) -> list[Json]:
    """What was called stands for itself; what one closed door left out is told once, with the
    sum of its pages."""
    groups: dict[tuple[object, ...], list[Done]] = {}
    for number, one in enumerate(done):
        if _is_problem(one):
            groups.setdefault((number,) if one.called else _door(one), []).append(one)
    return [_problem_json(group) for group in groups.values()]


def _door(done: Done) -> tuple[object, ...]:
    action, outcome = done.action, done.outcome
    where = (action.site, action.account, action.property, action.kind)
    return (*where, outcome.state, outcome.cause, outcome.code, outcome.message)


def _problem_json(alike: Sequence[Done]) -> Json:
    done, outcome = alike[0], alike[0].outcome
    return {
        **action_json(done.action),
        "pages": sum(one.action.size for one in alike),
        "cost": sum(one.action.cost for one in alike),
        "count": len(alike),
        "calls": sum(one.called for one in alike),
        "state": outcome.state,
        "http_status": outcome.http_status,
        "code": outcome.code,
        "message": outcome.message,
        "cause": outcome.cause,
        "meaning": meaning_of(outcome.cause, done.action.engine),
        "next_step": outcome.next_step,
        "rejected": len(outcome.rejected),
    }
