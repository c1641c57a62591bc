"""The chapter of the reference about access logs: lines, names, bots and their addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from submitter.core.crawl.bots import BOTS, READ_ON, Bot, BotKind
from submitter.core.crawl.hits import LEFT_OUT, REJECTED, Verdict
from submitter.render.markdown import code, heading, table
from submitter.render.members import member_docs

LINES = (
    "What `crawlers` says of lines that it does not count. A line that is rejected could not be"
    " read; one that is left out was read, and a bot's."
)
TWICE = (
    "Every line counts once. It is known again by a salted hash of its bytes within its site and"
    " hour, so it does not matter how files are cut, packed, named, overlapped, ordered or read"
    " again. Equal lines count as often as they stand in one file at most; where a file holds them"
    " far apart, in no order of time, they count once. The hashes of an hour"
    " are kept for 35 days after it was read; then the hour is closed, and its numbers stay. Not"
    " known again: the same requests in another format, or after a tool rewrote them."
)
VERDICTS = "What is known of the name that a hit gives itself:"
CATALOGUE = (
    "Bots by the first token that stands in the user agent, in any letter case, as known on"
    f" {READ_ON}. Checked by: addresses that the operator publishes go first; then, with `--dns`, a"
    " name of the address that ends so and leads back to it. How sure we are of that is said as of"
    " engines' facts."
)


def crawls_chapter() -> list[str]:
    return [
        *[LINES, "", *_reasons("rejected because", REJECTED)],
        *["", *_reasons("left out because", LEFT_OUT), "", TWICE],
        *["", VERDICTS, "", *_members("verdict", Verdict)],
        *heading(3, "Bots"),
        *[CATALOGUE, "", *_members("kind", BotKind)],
        *["", *table(("bot", "kind", "of", "checked by", "sure", "source"), map(_row, BOTS))],
    ]


def _reasons(title: str, words: Mapping[str, str]) -> list[str]:
    return table(("reason", title), ((code(id), text) for id, text in words.items()))


def _members(title: str, members: type[Verdict] | type[BotKind]) -> list[str]:
    docs = member_docs(members)
    rows: Iterable[tuple[str, str]] = (
        (code(member.value), docs[name]) for name, member in members.__members__.items()
    )
    return table((title, "meaning"), rows)


def _row(bot: Bot) -> tuple[str, ...]:
    source = f"<{bot.source}>" if bot.source else ""
    return code(bot.name), bot.kind, bot.operator, _checked_by(bot), bot.sure, source


def _checked_by(bot: Bot) -> str:
    if bot.never_sent:
        return "a token for robots.txt; no crawler sends it"
    ways = [f"addresses ({', '.join(bot.files)})"] if bot.ranges else []
    ways += [f"names under {', '.join(bot.domains)}"] if bot.domains else []
    return "; ".join(ways) or "nothing"
