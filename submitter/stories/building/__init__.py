"""Builds the sitemaps of a publish list: a family of files for each kind of content, what changed
lately, and one index over all.

What stands is brought up to the list, so a page stays in its file and an equal file is not
touched. Nothing can be seen of it before the whole new set was read back and found to be right.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from submitter.core.building.accounts import Account
from submitter.core.building.memory import NAME, Memory, read_memory
from submitter.core.building.orders import BuildOrder
from submitter.core.findings import Finding
from submitter.core.guard import judge
from submitter.core.looks import Delta, RootLook, SiteLook
from submitter.core.shards import Fate, split_name
from submitter.core.sieve import FOREIGN_HOST
from submitter.core.urls import printable, shown
from submitter.ports import Edition, PublishList, SitemapFolder
from submitter.stories.building.assembly import (
    Assembled,
    Assembly,
    FileTable,
    Homes,
    Remembering,
    files_in_order,
    homes_of_all,
)
from submitter.stories.building.families import Outcome
from submitter.stories.building.intake import Intake
from submitter.stories.building.reports import BUILD_IDS, Built, BuiltFile, findings_of, note
from submitter.stories.building.resuming import Resumption, Unfit, may_resume

__all__ = ["BUILD_IDS", "Built", "build"]


def build(
    wanted: PublishList,
    folder: SitemapFolder,
    order: BuildOrder,
    *,
    now: datetime,
    force: bool = False,
    strict: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> Built:
    """Bring the folder up to the list. Idempotent: the same list touches nothing.

    What looks like an accident is held unless `force`; `strict` holds a list with faulty lines.
    `advance` is called now and then. Raises PublishError, ConfigError and FetchError;
    the folder is then as it was.
    """
    with folder.edition() as edition:
        memory = read_memory(edition.read(NAME))
        if memory is not None and may_resume(memory, edition, order, wanted, now):
            run = _Run(edition, wanted, order, now, advance)
            with suppress(Unfit):
                return run.build(memory, force=force, strict=strict)
    with folder.edition() as edition:
        run = _Run(edition, wanted, order, now, advance)
        return run.build(None, force=force, strict=strict)


@dataclass(frozen=True, slots=True)
class _Run:
    """One attempt at an edition."""

    edition: Edition
    wanted: PublishList
    order: BuildOrder
    now: datetime
    advance: Callable[[], None]

    def build(self, memory: Memory | None, *, force: bool, strict: bool) -> Built:
        """Raises Unfit, with a memory."""
        intake = Intake(self.order, self.edition.pile(), self.now, memory)
        known = [one.mark for one in memory.blocks] if memory else []
        for block in self.wanted.blocks(known):
            intake.take(block)
            self.advance()
        intake.end()
        assembly = Assembly(self.edition, self.order, intake, self.now)
        homes = self._bring(assembly, intake, memory)
        assembled = assembly.finish()
        built = self._report(intake, assembled, force=force, strict=strict)
        if not built.held:
            Remembering(self.edition, self.order, intake, self.now).keep(assembled.outcome, homes)
            self.edition.publish()
        return built

    def _bring(
        self, assembly: Assembly, intake: Intake, memory: Memory | None
    ) -> Callable[[FileTable], Homes]:
        """Gives what knows the place of every entry afterwards."""
        if memory is None:
            assembly.bring_all()
            return partial(homes_of_all, intake)
        resumption = Resumption(self.edition, assembly, intake, memory, self.now)
        resumption.bring()
        return resumption.homes

    def _report(self, intake: Intake, assembled: Assembled, *, force: bool, strict: bool) -> Built:
        outcome = assembled.outcome
        account = _whole_account(intake, outcome)
        files = _built_files(self.order, assembled)
        removed = _removed(intake, outcome)
        new = outcome.new - (len(outcome.left) - len(removed))
        held = () if force else self._reasons_to_hold(account, outcome, new, len(removed))
        if strict and account.faulty:
            held = (*held, note("strict", self.wanted.name, account.faulty))
        findings = findings_of(self.order, self.wanted.name, account, files, outcome.moved)
        return Built(
            order=self.order,
            name=self.wanted.name,
            at=self.now,
            held=bool(held),
            account=account,
            read=sum(one.record.lines for one in intake.passages if one.old < 0),
            pages=account.lines - account.dropped.total(),
            new=new,
            changed=outcome.changed,
            removed=removed,
            moved=outcome.moved,
            files=files,
            index_changed=assembled.index_changed,
            findings=(*held, *findings),
        )

    def _reasons_to_hold(
        self, account: Account, outcome: Outcome, new: int, removed: int
    ) -> tuple[Finding, ...]:
        look = SiteLook(
            site=self.order.site,
            at=self.now,
            first=not outcome.known,
            roots=(RootLook(self.order.site, True, "", None, 0, False),),
            listed=account.lines - account.dropped.total(),
            foreign=account.dropped[FOREIGN_HOST],
            baseline=outcome.known,
            since_baseline=Delta(gone=removed, new=new),
        )
        return judge(look, self.order.guard)


def _whole_account(intake: Intake, outcome: Outcome) -> Account:
    """With what no file had room for, and what the dates look like as a whole."""
    account = intake.account
    account.dropped.update(outcome.left_out)
    for reason in outcome.left_out:
        for address in outcome.left_out_examples:
            account.remember(reason, 0, shown(address))
    account.left_out.update(intake.sieve.census.notes())
    unused = {*intake.sieve.unused, *(intake.memory.unused if intake.memory else ())}
    if unused:
        account.left_out["unused-field"] = len(unused)
        for name in sorted(unused):
            account.remember("unused-field", 0, printable(name))
    return account


def _removed(intake: Intake, outcome: Outcome) -> list[str]:
    """Addresses of pages that are in no family any more; not those that changed family."""
    still = intake.pile.lists([value for value, _ in outcome.left])
    return [loc for (_, loc), listed in zip(outcome.left, still, strict=True) if not listed]


def _built_files(order: BuildOrder, assembled: Assembled) -> tuple[BuiltFile, ...]:
    dates = {child.address: child.lastmod for child in assembled.children}
    standing = files_in_order(assembled.outcome)
    gone = [
        file
        for _, files in sorted(assembled.outcome.files.items())
        for file in files
        if file.fate is Fate.REMOVED
    ]
    return tuple(
        BuiltFile(
            split_name(file.name)[0],
            order.address(file.name),
            file,
            dates.get(order.address(file.name), ""),
        )
        for file in (*standing, *gone)
    )
