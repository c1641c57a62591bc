"""Which targets a command is about: several of one kind = or, different kinds = and."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from submitter.core.fleet import Target

FORCED_WITHOUT_SELECTION: Final = (
    "forcing passes the guard and tells sitemaps again that stand unchanged, so it has to be said"
    " for which sites or accounts: add --site, --engine, --account or --tag (--site '*': all)"
)
"""What is wrong with a reason to force where nothing is selected."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Empty = everything. A site glob matches the host or the whole origin."""

    sites: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        return not (self.sites or self.engines or self.accounts or self.tags)

    def select(self, targets: Iterable[Target]) -> tuple[Target, ...]:
        return tuple(target for target in targets if self.matches(target))

    def matches(self, target: Target) -> bool:
        site, account = target.site, target.account
        return (
            (not self.sites or any(_site_matches(glob, target) for glob in self.sites))
            and (not self.engines or account.engine in self.engines)
            and (not self.accounts or account.name in self.accounts)
            and (not self.tags or bool(site.tags.intersection(self.tags)))
        )


def _site_matches(glob: str, target: Target) -> bool:
    glob = glob.lower().rstrip("/")
    return fnmatchcase(target.site.host, glob) or fnmatchcase(target.site.origin, glob)
