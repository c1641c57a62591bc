"""`submitter flatten`: a sitemap tree, read and listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from submitter.cli.baidu import BaiduOptions, baidu_options, with_ledger, write_files
from submitter.cli.invocation import Invocation, now
from submitter.cli.options import json_option, reach_options
from submitter.cli.output import screen_of_stdout, tell, write, write_json, write_lines
from submitter.cli.places import find_place, fleet_if_any, read_extra
from submitter.core.accounting import ExitCode

if TYPE_CHECKING:
    from submitter.cli.baidu import BaiduReport
    from submitter.cli.places import Place
    from submitter.core.looks import PageRow, SiteLook
    from submitter.looking.flatten import Keep
    from submitter.looking.walk import Surroundings
    from submitter.render.manual_documents import BaiduDoc
    from submitter.wiring import Wiring

HELP = """Read a sitemap tree and list what is in it.

Its documents, its pages, and what is wrong with them. Takes an address, a file, or - for stdin. An
address without a path stands for the sitemaps that its robots.txt names. No inventory is needed;
where there is one, its fetch settings and those of the site apply. Exits 4 when a document has
errors, 5 when nothing could be read.

With --baidu the pages go into files inside Baidu's limits, whose names never change, and the
addresses to hand in today are listed; `submitter manual done` ticks them off. What looks like an
accident is held (3). Without an inventory or --ledger nothing is remembered.
"""


@click.command(help=HELP)
@click.argument("address", metavar="URL|FILE|-")
@click.option("--pages", is_flag=True, help="List every page with its lastmod and document.")
@reach_options
@baidu_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    address: str,
    pages: bool,
    allow_private: tuple[str, ...],
    connect_to: tuple[str, ...],
    options: BaiduOptions | None,
    as_json: bool,
) -> int:
    from submitter.looking.flatten import judge_flat
    from submitter.looking.walk import Surroundings

    extra = read_extra(allow_private, connect_to)
    fleet = with_ledger(fleet_if_any(invocation), invocation)
    writer = _JsonWriter() if as_json else _TextWriter(invocation)
    with (
        invocation.working(fleet) as (parts, stopped),
        find_place(address, parts, extra) as place,
    ):
        around = Surroundings(
            source=place.source,
            clock=parts.clock,
            fleet_hosts=frozenset(site.host for site in fleet.sites),
            stopped=parts.stop.is_set,
            readers=parts.readers,
        )
        keep = writer.keep(place.name_of) if pages else None
        look, baidu = _walk(place, around, keep, options, parts)
    code = max(judge_flat(look), baidu.exit_code if baidu else ExitCode.OK)
    invocation.exit_code = stopped.exit_code(code)
    writer.finish(place.named(look), baidu.document() if baidu else None, with_pages=pages)
    return invocation.exit_code


def _walk(
    place: Place,
    around: Surroundings,
    keep: Keep | None,
    options: BaiduOptions | None,
    parts: Wiring,
) -> tuple[SiteLook, BaiduReport | None]:
    from submitter.looking.flatten import flatten, keep_both

    if options is None:
        return flatten(place.site, around, keep=keep), None

    def walk(also: Keep) -> SiteLook:
        return flatten(place.site, around, keep=keep_both(keep, also))

    return write_files(options, place, parts, walk)


class _JsonWriter:
    """One object; with pages it begins with their rows, written as they are read."""

    def __init__(self) -> None:
        from submitter.render.json_text import JsonArray

        self._rows = JsonArray(write)

    def keep(self, name_of: Callable[[str], str]) -> Keep:
        from submitter.render.shapes import page_docs

        write('{"rows": ')

        def keep(document: str, pages: Sequence[PageRow]) -> None:
            for page in page_docs(name_of(document), pages):
                self._rows.add(page)

        return keep

    def finish(self, look: SiteLook, baidu: BaiduDoc | None, *, with_pages: bool) -> None:
        from submitter.render.json_text import json_members
        from submitter.render.shapes import flatten_doc

        document: dict[str, object] = {**flatten_doc(look)}
        if baidu is not None:
            document["baidu"] = baidu
        if with_pages:
            self._rows.end()
            write(json_members(document))
        else:
            write_json(document)


class _TextWriter:
    """A report; with pages those are the result, and the report is a word about it."""

    def __init__(self, invocation: Invocation) -> None:
        self._screen = screen_of_stdout(invocation.environ)

    def keep(self, name_of: Callable[[str], str]) -> Keep:
        from submitter.render.shapes import page_docs
        from submitter.render.text_flatten import page_line

        def keep(document: str, pages: Sequence[PageRow]) -> None:
            write_lines(page_line(page) for page in page_docs(name_of(document), pages))

        return keep

    def finish(self, look: SiteLook, baidu: BaiduDoc | None, *, with_pages: bool) -> None:
        from submitter.render.manual_report import baidu_text
        from submitter.render.shapes import flatten_doc
        from submitter.render.text_flatten import flatten_text

        lines = flatten_text(flatten_doc(look), self._screen)
        if baidu is not None:
            lines += baidu_text(baidu, now(), self._screen)
        if with_pages:
            tell("\n".join(lines))
        else:
            write_lines(lines)
