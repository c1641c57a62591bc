"""The part of `flatten` that writes files for Baidu while the tree is read."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from submitter.cli.options import Command
from submitter.core.accounting import ExitCode
from submitter.core.findings import Severity
from submitter.errors import ConfigError

if TYPE_CHECKING:
    from submitter.cli.invocation import Invocation
    from submitter.cli.places import Place
    from submitter.core.fleet import Fleet
    from submitter.core.looks import SiteLook
    from submitter.looking.flatten import Keep
    from submitter.looking.removals import Confirmation
    from submitter.render.manual_documents import BaiduDoc
    from submitter.stories.baidu_files import BaiduFiles
    from submitter.wiring import Wiring

DEAD_ASKED = 500
"""Gone pages asked for themselves in one call: those that went last."""


@dataclass(frozen=True, slots=True)
class BaiduOptions:
    """What the command line says about the files."""

    folder: Path
    base_url: str
    dead: bool
    force: bool


@dataclass(frozen=True, slots=True)
class DeadLinks:
    """`files` None: the site stopped answering, and they stand as they were."""

    asked: Confirmation
    files: BaiduFiles | None


@dataclass(frozen=True, slots=True)
class BaiduReport:
    """What became of the folder."""

    folder: str
    files: BaiduFiles
    dead: DeadLinks | None
    remembered: bool

    @property
    def exit_code(self) -> ExitCode:
        written = [self.files, *([self.dead.files] if self.dead and self.dead.files else [])]
        if any(one.held for one in written):
            return ExitCode.HELD
        findings = [finding for one in written for finding in one.findings]
        broken = any(finding.severity is Severity.ERROR for finding in findings)
        return ExitCode.PARTIAL if broken else ExitCode.OK

    def document(self) -> BaiduDoc:
        from submitter.render.manual_report import baidu_doc, dead_links_doc

        dead = dead_links_doc(self.dead.asked, self.dead.files) if self.dead else None
        return baidu_doc(
            self.files, folder=self.folder, remembered=self.remembered, dead_links=dead
        )


def baidu_options(command: Command) -> Command:
    """`options`, None without --baidu, which the others need."""

    @functools.wraps(command)
    def with_options(
        *args: Any, folder: Path | None, base_url: str, dead: bool, force: bool, **kwargs: Any
    ) -> int:
        lone = {"--base-url": base_url, "--dead": dead, "--force": force}
        if folder is None and any(lone.values()):
            names = ", ".join(name for name, given in lone.items() if given)
            raise click.UsageError(f"{names}: only with --baidu DIR")
        options = None if folder is None else BaiduOptions(folder, base_url, dead, force)
        return command(*args, options=options, **kwargs)

    decorated: Command = with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS = (
    click.option(
        "--baidu",
        "folder",
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        help="Write the pages into flat files for Baidu.",
    ),
    click.option(
        "--base-url", metavar="URL", default="", help="Where DIR is seen; default: the root."
    ),
    click.option(
        "--dead", is_flag=True, help="Also write files of pages that left and answer 404 or 410."
    ),
    click.option("--force", is_flag=True, help="Write even what looks like an accident."),
)


def with_ledger(fleet: Fleet, invocation: Invocation) -> Fleet:
    """Without an inventory, --ledger alone says where the memory is."""
    if fleet.ledger or invocation.ledger is None:
        return fleet
    return replace(fleet, ledger=invocation.ledger)


def write_files(
    options: BaiduOptions, place: Place, parts: Wiring, walk: Callable[[Keep], SiteLook]
) -> tuple[SiteLook, BaiduReport]:
    """Walk the tree into the folder, which is ours alone until the end, then call the dead dead.
    Raises ConfigError, LedgerError, PublishError."""
    from submitter.looking.flatten import rows_of
    from submitter.stories.baidu_files import BaiduWriting, Order
    from submitter.stories.manual import ForgetfulBook, book_of

    remembered = bool(parts.fleet.ledger)
    if options.dead and not remembered:
        problem = "needs a ledger that knows which pages left the site: name an inventory"
        raise ConfigError.one("--dead", problem)
    order = Order.of(place.site, options.base_url)
    book = book_of(parts.ledger) if remembered else ForgetfulBook()
    with parts.sitemap_folder(options.folder).edition() as edition:
        writing = BaiduWriting(edition, order, book)
        look = walk(lambda document, pages: writing.add(rows_of(pages)))
        now = parts.clock.now()
        files = writing.finish(complete=is_whole(look), now=now, force=options.force)
    dead = _write_dead_links(options, place, parts) if options.dead else None
    return look, BaiduReport(str(options.folder), files, dead, remembered)


def is_whole(look: SiteLook) -> bool:
    """Every document there is was read to its end, so that a page not in it is gone."""
    read = bool(look.readings) and all(reading.complete for reading in look.readings)
    return read and not look.unfinished and all(root.readable for root in look.roots)


def _write_dead_links(options: BaiduOptions, place: Place, parts: Wiring) -> DeadLinks:
    """Ask the pages that left for themselves, and list those that are gone. Where the site stops
    answering, the files stand: the whole list would be lost for a bad day."""
    from submitter.core.checklist import Form
    from submitter.looking.removals import confirm_gone
    from submitter.stories.baidu_files import Order, write_baidu_files
    from submitter.stories.manual import book_of

    book, site = book_of(parts.ledger), place.site
    gone = book.gone_pages(site.origin, limit=DEAD_ASKED)
    asked = confirm_gone(site, gone, source=place.source, until=None, limit=DEAD_ASKED)
    answered = asked.confirmed or asked.still_there
    if asked.unasked or (asked.unreachable and not answered):
        return DeadLinks(asked, None)
    order = Order.of(site, options.base_url, form=Form.DEAD_LINKS)
    rows = [(page.loc, None) for page in asked.confirmed]
    folder = parts.sitemap_folder(options.folder)
    return DeadLinks(asked, write_baidu_files(rows, folder, order, book, now=parts.clock.now()))
