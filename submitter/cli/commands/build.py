"""`submitter build`: the sitemaps of a publish list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from submitter.cli.building import OrderWords, order_options, read_order
from submitter.cli.invocation import Invocation, now
from submitter.cli.listing import LIST_OPTIONS, open_list
from submitter.cli.options import WrittenFile, json_option, moment_ago, reach_options
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.core.accounting import ExitCode
from submitter.core.findings import Severity
from submitter.errors import PublishError

if TYPE_CHECKING:
    from submitter.cli.places import Extra
    from submitter.core.building.orders import BuildOrder
    from submitter.ports import PublishList
    from submitter.stories.building.live import LiveLook
    from submitter.stories.building.reports import Built
    from submitter.wiring import Wiring

HELP = """Build the sitemaps of a publish list.

LIST has one line a page: a file of JSON lines or CSV (packed or not), - for stdin, or a database
(sqlite:///FILE, postgresql://..., env:NAME) with --query. Fields: url; lastmod (a day, a time with
zone, Unix seconds); type; public; draft; status; noindex; redirect_to; canonical; published; id;
alternates; images; videos; news. Others are for --family.

Each type has its own files, NAME-1.xml and so on; what changed lately stands in delta-1.xml as
well; one index names them all. A page stays in its file, an equal file is not touched, and what
must not be listed is not: each line dropped is counted with its reason. Exits 4 when lines have
faults, 3 when it looks like an accident and nothing was touched.
"""


@click.command(help=HELP)
@click.argument("wanted", metavar="LIST")
@click.option(
    "--out",
    "folder",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the files.",
)
@order_options
@LIST_OPTIONS[0]
@LIST_OPTIONS[1]
@click.option("--at", "at", metavar="TIME", help="As if it were this moment; default: now.")
@click.option(
    "--removed",
    metavar="FILE",
    type=WrittenFile(),
    help="Write the addresses of pages that are in no file any more.",
)
@click.option("--strict", is_flag=True, help="Touch nothing when a line has a fault.")
@click.option("--force", is_flag=True, help="Build even what looks like an accident.")
@click.option("--check-live", is_flag=True, help="Look at the files through the web server, too.")
@reach_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    wanted: str,
    folder: Path,
    words: OrderWords,
    query: str | None,
    csv: bool,
    at: str | None,
    removed: Path | None,
    strict: bool,
    force: bool,
    check_live: bool,
    allow_private: tuple[str, ...],
    connect_to: tuple[str, ...],
    as_json: bool,
) -> int:
    from submitter.cli.places import fleet_if_any, read_extra

    extra = read_extra(allow_private, connect_to)
    fleet = fleet_if_any(invocation)
    order = read_order(words, fleet)
    moment = moment_ago(at) if at else now()
    with invocation.working(fleet) as (parts, stopped):
        source = open_list(wanted, query, parts, csv=csv)
        built = _build(source, folder, order, parts, now=moment, force=force, strict=strict)
        live = _look_live(built, folder, parts, extra) if check_live and not built.held else None
    if removed is not None and not built.held:
        _write_removed(removed, built)
    invocation.exit_code = stopped.exit_code(_exit_code(built, live))
    _write(built, live, folder, invocation, as_json=as_json)
    return invocation.exit_code


def _build(
    source: PublishList, folder: Path, order: BuildOrder, parts: Wiring, **how: Any
) -> Built:
    from submitter.stories.building import build

    parts.progress.start("Blocks of the list", None)
    target = parts.sitemap_folder(folder)
    built = build(source, target, order, advance=parts.progress.advance, **how)
    parts.progress.stop()
    return built


def _write(
    built: Built, live: LiveLook | None, folder: Path, invocation: Invocation, *, as_json: bool
) -> None:
    from submitter.render.build_report import build_doc, build_text

    document = build_doc(built, live)
    if as_json:
        write_json(document)
    else:
        write_lines(build_text(document, str(folder), screen_of_stdout(invocation.environ)))


def _look_live(built: Built, folder: Path, parts: Wiring, extra: Extra) -> LiveLook:
    from submitter.cli.places import find_place
    from submitter.stories.building.live import look_live

    with (
        find_place(built.order.folder_url, parts, extra) as place,
        parts.sitemap_folder(folder).edition() as edition,
    ):
        return look_live(built, place.site, place.source, edition.read)


def _write_removed(path: Path, built: Built) -> None:
    try:
        path.write_text("".join(f"{loc}\n" for loc in built.removed), encoding="utf-8")
    except OSError as error:
        raise PublishError(str(path), error.strerror or "cannot be written") from error


def _exit_code(built: Built, live: LiveLook | None) -> ExitCode:
    if built.held:
        return ExitCode.HELD
    findings = [*built.findings, *(live.findings if live else ())]
    broken = any(finding.severity is Severity.ERROR for finding in findings)
    return ExitCode.PARTIAL if broken else ExitCode.OK
