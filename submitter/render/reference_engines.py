"""The engines' chapter of the reference, and the engines' table of the README: from `Traits`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from submitter.core.consoles import Console
from submitter.core.fleet import Limits
from submitter.core.traits import Fact, Kind, Option, Traits, UnknownRule
from submitter.render.markdown import NOTHING, code, codes, heading, table

_WORDS = {
    Kind.SITEMAP: "sitemaps",
    Kind.URLS: "pages",
    Kind.REMOVAL: "removals",
    Kind.WITHDRAWAL: "withdrawals",
}
_CAPABILITIES = (
    "engine",
    "tells",
    "pages in one call",
    "calls at most",
    "pages a day",
    "its day begins at midnight in",
    "a call whose answer was lost",
    "asked later about",
    "removals",
    "options",
)
_CONFIDENCE = (
    "`documented`: the engine says so. `code`: programs that work rely on it. `reported`: users saw"
    " it. `unsure`: sources disagree or are silent, so it is a guess with a safe default."
)

_BY_HAND = (
    "Sitemaps that a person hands in at a console, since the engine has no interface for them;"
    " `submitter manual` keeps the list."
)
_CONSOLE = ("engine", "form", "takes", "a file at most", "addresses", "source", "read")


def readme_engines(engines: Mapping[str, Traits]) -> list[str]:
    """What can be told to whom, in one glance."""
    titles = ("engine", "sitemaps", "pages", "removals", "a day's quota", "asked later about")
    return table(titles, map(_glance, engines.values()))


def _glance(traits: Traits) -> list[str]:
    return [
        f"{code(traits.name)} {traits.title}",
        _yes(Kind.SITEMAP in traits.tells),
        f"yes, {_at_once(traits)} a call" if Kind.URLS in traits.tells else NOTHING,
        _yes(Kind.REMOVAL in traits.tells),
        f"by site, {traits.day_zone}" if traits.metered else NOTHING,
        _asked_later(traits),
    ]


def engines_chapter(engines: Mapping[str, Traits], consoles: Mapping[str, Console]) -> list[str]:
    lines = table(_CAPABILITIES, map(_capabilities, engines.values()))
    lines += ["", _CONFIDENCE]
    for traits in engines.values():
        lines += _engine(traits)
    lines += [*heading(3, "By hand"), _BY_HAND, ""]
    return lines + table(_CONSOLE, map(_console, consoles.values()))


# ---------------------------------------------------------------- one row


def _capabilities(traits: Traits) -> list[str]:
    options = (*traits.options, *traits.site_options)
    return [
        code(traits.name),
        ", ".join(word for kind, word in _WORDS.items() if kind in traits.tells),
        _at_once(traits) if Kind.URLS in traits.tells else NOTHING,
        _limits(traits.limits),
        _day(traits),
        traits.day_zone,
        _lost(traits),
        _asked_later(traits),
        "pages that answer 404 or 410" if Kind.REMOVAL in traits.tells else NOTHING,
        codes(option.name for option in options),
    ]


def _yes(value: bool) -> str:
    return "yes" if value else NOTHING


def _at_once(traits: Traits) -> str:
    size = f"{traits.batch_size:,}"
    return size if traits.batch_bytes is None else f"{size}, {traits.batch_bytes:,} bytes"


def _limits(limits: Limits) -> str:
    return _known(((limits.per_second, "a second"), (limits.per_minute, "a minute")))


def _day(traits: Traits) -> str:
    """How a lane's allowance becomes known."""
    if not traits.metered:
        return NOTHING
    known = "asked before the first call" if traits.quota_readable else "learned from answers"
    if traits.daily_cap is None:
        return f"metered, {known}"
    return f"metered, {known}; {traits.daily_cap:,} at most"


def _lost(traits: Traits) -> str:
    if traits.unknown_rule is UnknownRule.REPEAT_LATER:
        wait = traits.repeat_after_s
        return f"the next run repeats it{f', not before {wait:,} s' if wait else ''}"
    harmless = " and ".join(_WORDS[kind] for kind in sorted(traits.repeatable))
    others = f"; {harmless}: the next run repeats it" if harmless else ""
    return f"counts as spent, not before the engine's next day{others}"


def _asked_later(traits: Traits) -> str:
    asked = ["sitemaps"] if traits.checks else []
    if traits.inspects_per_day is not None:
        asked.append(f"{traits.inspects_per_day:,} pages a day")
    return ", ".join(asked) or NOTHING


# ---------------------------------------------------------------- one engine


def _engine(traits: Traits) -> list[str]:
    lines = heading(3, f"{traits.name}: {traits.title}")
    lines += [f"robots.txt knows its crawler as {code(traits.crawler)}. {_what_is_told(traits)}"]
    lines += _block(table(("option", "of", "default", "meaning"), _options(traits)))
    return lines + _block(table(("fact", "confidence", "source", "read"), map(_fact, traits.facts)))


def _what_is_told(traits: Traits) -> str:
    if Kind.URLS not in traits.tells:
        return "Pages are not told."
    if traits.tells_changed:
        return "New and changed pages are told."
    return "A page is told once in its life, changed or not, unless an option says otherwise."


def _options(traits: Traits) -> Iterable[list[str]]:
    for owner, options in (("account", traits.options), ("site", traits.site_options)):
        for option in options:
            yield [code(option.name), owner, _default(option), option.doc]


def _default(option: Option) -> str:
    if option.default is None:
        return "must be given" if option.required else NOTHING
    word = str(option.default).lower() if isinstance(option.default, bool) else option.default
    others = [choice for choice in option.choices if choice != option.default]
    return code(word) + (f", or {codes(others)}" if others else "")


def _fact(fact: Fact) -> list[str]:
    return [fact.text, fact.confidence, f"<{fact.source}>", fact.read_on]


def _block(lines: list[str]) -> list[str]:
    return ["", *lines] if lines else []


# ---------------------------------------------------------------- one console


def _console(console: Console) -> list[str]:
    per_file = (
        (console.max_pages, "pages"),
        (console.max_bytes, "bytes"),
        (console.max_loc_bytes, "bytes an address"),
    )
    in_form = ((console.per_day, "a day"), (console.in_all, "in all"))
    return [
        code(console.name),
        console.where,
        codes(sorted(console.kinds)),
        _known(per_file),
        _known(in_form),
        f"<{console.source}>",
        console.read_on,
    ]


def _known(figures: Iterable[tuple[float | None, str]]) -> str:
    """The figures that there are, with their units."""
    return ", ".join(f"{_plain(figure)} {unit}" for figure, unit in figures if figure) or NOTHING


def _plain(figure: float) -> str:
    """`20`, `0.5`, `10,485,759`."""
    return f"{int(figure):,}" if figure == int(figure) else f"{figure:g}"
