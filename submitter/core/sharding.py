"""A fleet cut into shards that are run side by side, as tasks of one platform job. Pure.

Accounts that share a site stay together: a site is looked at by one shard, and an account's limiter
and quota are in one shard's hands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from submitter.core.fleet import Site, Target

_WRITTEN = re.compile(r"(\d{1,4})/(\d{1,4})").fullmatch
_COUNTED = re.compile(r"auto(?:/(\d{1,4}))?").fullmatch

PLATFORMS: Sequence[tuple[str, str]] = (
    ("CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT"),
    ("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"),
    ("JOB_COMPLETION_INDEX", ""),
)
"""A task's number, counted from 0, and how many there are; Kubernetes does not say the latter.

Sources: https://cloud.google.com/run/docs/container-contract#jobs-env-vars,
https://docs.aws.amazon.com/batch/latest/userguide/job_env_vars.html and
https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode, read 2026-11-30."""


@dataclass(frozen=True, slots=True)
class Shard:
    """`number` counts from 1 to `total`."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    @property
    def part(self) -> str:
        """Its part of the ledger's lease."""
        return f"shard-{self.number}-of-{self.total}"

    def targets(self, sites: Iterable[Site], targets: Iterable[Target]) -> tuple[Target, ...]:
        """Those of the targets that are this shard's; perhaps none. `sites` are the whole fleet's,
        so that every shard cuts it alike, whatever is selected."""
        mine = shards(sites, self.total)[self.number - 1]
        return tuple(target for target in targets if target.account.name in mine)


def parse_shard(text: str, environ: Mapping[str, str]) -> Shard:
    """`2/5`, or `auto`: as the platform's variables say; `auto/5` where they leave out how many.
    Raises ValueError."""
    if found := _WRITTEN(text):
        return _checked(int(found[1]), int(found[2]))
    counted = _COUNTED(text)
    if counted is None:
        raise ValueError(f"{text[:40]!r} is no shard; write it like 2/5, or auto")
    for index, count in PLATFORMS:
        if index in environ:
            total = counted[1] or environ.get(count, "")
            if not total.isdecimal() or not environ[index].isdecimal():
                raise ValueError(f"{index} is set, but not how many there are; write auto/N")
            return _checked(int(environ[index]) + 1, int(total))
    raise ValueError(f"auto needs one of {', '.join(index for index, _ in PLATFORMS)}")


def _checked(number: int, total: int) -> Shard:
    if not 1 <= number <= total:
        raise ValueError(f"there is no shard {number} of {total}")
    return Shard(number, total)


def shards(sites: Iterable[Site], total: int) -> list[frozenset[str]]:
    """The accounts of each shard. The largest groups are dealt first, each to the shard that has
    the least; the same fleet is always dealt alike."""
    loads = [0] * total
    dealt: list[frozenset[str]] = [frozenset()] * total
    for accounts, size in sorted(_groups(sites), key=lambda group: (-group[1], sorted(group[0]))):
        least = loads.index(min(loads))
        loads[least] += size
        dealt[least] |= accounts
    return dealt


def _groups(sites: Iterable[Site]) -> list[tuple[frozenset[str], int]]:
    """Accounts that share sites, directly or through others, and how many targets they have."""
    groups: dict[frozenset[str], int] = {}
    for site in sites:
        joined, size = frozenset(site.accounts), len(site.accounts)
        for other in [group for group in groups if group & joined]:
            size += groups.pop(other)
            joined |= other
        if joined:
            groups[joined] = size
    return list(groups.items())
