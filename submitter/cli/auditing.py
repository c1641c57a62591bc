"""Options of `submitter audit`, and what its results are printed as."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from submitter.cli.listing import LIST_OPTIONS, PARAMETER_OPTIONS
from submitter.cli.options import Command, WrittenFile
from submitter.cli.output import screen_of_stdout, write_json, write_lines
from submitter.errors import ConfigError, PublishError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submitter.core.audit.switches import Baseline
    from submitter.core.fleet import Fleet, Site
    from submitter.core.selection import Selection
    from submitter.looking.audit.listing import PageChoice
    from submitter.stories.auditing import AuditReport

FORMATS = ("text", "json", "markdown", "sarif", "junit")
SEVERITIES = ("error", "warning", "info")
_SAMPLE = re.compile(r"sample(?::([1-9][0-9]{0,5}))?").fullmatch


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What the command line says about the audit, as it was written."""

    pages: PageChoice
    resume: bool
    listed: ListWords
    baseline: Path | None
    write_baseline: Path | None
    fail_on: str
    form: str


@dataclass(frozen=True, slots=True)
class ListWords:
    """A publish list, as `build` takes it; without a name there is none."""

    name: str | None
    query: str | None
    csv: bool
    kept: tuple[str, ...]
    dropped: tuple[str, ...]


def read_choice(ctx: click.Context, param: click.Parameter, text: str) -> PageChoice:
    from submitter.looking.audit.listing import DEFAULT_SAMPLE, PageChoice, Scope

    if text in ("none", "all"):
        return PageChoice(Scope(text))
    found = _SAMPLE(text)
    if found is None:
        problem = f"{text[:200]!r} is none of sample, sample:N, all and none"
        raise click.BadParameter(problem, ctx=ctx, param=param)
    return PageChoice(size=int(found[1] or DEFAULT_SAMPLE))


_OPTIONS = (
    click.option(
        "--pages",
        metavar="sample:N|all|none",
        default="sample:100",
        show_default=True,
        callback=read_choice,
        help="Which pages to look at: N of each site, always the same ones; all; none.",
    ),
    click.option("--resume", is_flag=True, help="Go on with the audit that was stopped."),
    click.option(
        "--list",
        "list_name",
        metavar="LIST",
        help="A publish list, as `build` takes it, to hold against the sitemaps.",
    ),
    *LIST_OPTIONS,
    *PARAMETER_OPTIONS,
    click.option(
        "--baseline",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Findings that are known; they decide nothing.",
    ),
    click.option(
        "--write-baseline",
        metavar="FILE",
        type=WrittenFile(),
        help="Write what is found now down as known.",
    ),
    click.option(
        "--fail-on",
        type=click.Choice(SEVERITIES),
        default="error",
        show_default=True,
        help="Exit with 4 for new findings as bad as this.",
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="What to print.",
    ),
)


def audit_options(command: Command) -> Command:
    """`options`; `--json` is `--format json`."""

    @functools.wraps(command)
    def with_options(
        *args: Any,
        pages: PageChoice,
        resume: bool,
        list_name: str | None,
        query: str | None,
        csv: bool,
        kept: tuple[str, ...],
        dropped: tuple[str, ...],
        baseline: Path | None,
        write_baseline: Path | None,
        fail_on: str,
        form: str,
        as_json: bool,
        **kwargs: Any,
    ) -> int:
        shape = "json" if as_json else form
        listed = ListWords(list_name, query, csv, kept, dropped)
        if list_name is None and (query or csv or kept or dropped):
            raise click.UsageError("nothing is said of a list without --list")
        options = AuditOptions(pages, resume, listed, baseline, write_baseline, fail_on, shape)
        return command(*args, options=options, **kwargs)

    decorated: Command = with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


# ---------------------------------------------------------------- files


def read_known(path: Path | None) -> Baseline:
    from submitter.render.audit_baseline import read_baseline

    if path is None:
        return {}
    with _reading("--baseline", path):
        text = path.read_text(encoding="utf-8")
    return read_baseline(str(path), text)


@contextmanager
def _reading(option: str, path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not in UTF-8"
        raise ConfigError.one(option, f"{str(path)!r} cannot be read: {why}") from error


def write_known(path: Path, report: AuditReport) -> None:
    """Raises PublishError."""
    from submitter.core.audit.switches import baseline_of
    from submitter.render.audit_baseline import baseline_text

    text = baseline_text(baseline_of((*report.new, *report.known)))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PublishError(str(path), f"cannot be written: {error.strerror}") from error


# ---------------------------------------------------------------- sites, and what is printed


def sites_of(fleet: Fleet, selection: Selection) -> tuple[Site, ...]:
    """The sites selected; an audit needs no account, so sites without one count, too. NoMatch."""
    from submitter.core.choosing import NoMatch, explain_no_match
    from submitter.core.fleet import Account, Target

    nobody = Account("", "", None)
    targets = (*fleet.targets(), *(Target(one, nobody) for one in fleet.sites if not one.accounts))
    wanted = {target.site.origin for target in selection.select(targets)}
    sites = tuple(site for site in fleet.sites if site.origin in wanted)
    if not sites:
        raise NoMatch(explain_no_match(fleet, selection))
    return sites


def print_report(
    report: AuditReport, form: str, *, exit_code: int, environ: Mapping[str, str]
) -> None:
    from submitter.render.audit_documents import audit_doc

    document = audit_doc(report, exit_code=exit_code)
    match form:
        case "json":
            write_json(document)
        case "sarif":
            from submitter.render.audit_sarif import audit_sarif

            write_json(audit_sarif(document))
        case "junit":
            from submitter.render.audit_junit import audit_junit

            write_lines(audit_junit(document, fail_on=str(report.fail_on)))
        case "markdown":
            from submitter.render.audit_text import audit_markdown

            write_lines(audit_markdown(document))
        case _:
            from submitter.render.audit_text import audit_text

            write_lines(audit_text(document, screen_of_stdout(environ)))
