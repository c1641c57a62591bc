"""Which bot a user agent names, remembered, because a log repeats a few of them all the time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from submitter.core.crawl.bots import BOTS, OTHER_BOT, Bot
from submitter.core.crawl.hits import BadLine, Hit, Understood

MOST: Final = 10_000
"""User agents remembered; then the table starts afresh, so strangers cannot fill the memory."""


class _Format(Protocol):
    def agent_of(self, line: bytes) -> bytes | None: ...
    def hit_of(self, line: bytes) -> Hit: ...


_TOKENS: Final = {token.encode(): bot for bot in BOTS for token in bot.tokens}
_named: Final = re.compile(b"|".join(map(re.escape, _TOKENS))).search
_is_some_bot: Final = re.compile(
    rb"(?<!cu)bot(?:\b|_)|crawl|spider|slurp|\+https?://|scrapy|archiver"
).search
"""How bots without an entry introduce themselves. (CUBOT makes telephones.)"""


def bot_of(agent: bytes) -> Bot | None:
    """None: says nothing of being a bot."""
    lowered = agent.lower()
    if _named(lowered):
        return next(bot for token, bot in _TOKENS.items() if token in lowered)
    return OTHER_BOT if _is_some_bot(lowered) else None


class Agents(dict[bytes, Bot | None]):
    """`agents[user_agent]` is `bot_of(user_agent)`, remembered."""

    def __missing__(self, agent: bytes) -> Bot | None:
        if len(self) >= MOST:
            self.clear()
        found = self[agent] = bot_of(agent)
        return found


def scan(
    format: _Format,
    lines: Sequence[bytes],
    start: int,
    agents: Mapping[bytes, Bot | None],
    found: list[Understood],
) -> int:
    """`lines.Format.scan` for a format that finds the user agent of a line quickly; None where the
    line needs a closer look."""
    agent_of, hit_of = format.agent_of, format.hit_of
    for at in range(start, len(lines)):
        line = lines[at]
        if line[-1:] == b"\r":  # of an end `\r\n`; it is no part of the last field
            line = line.rstrip(b"\r")
        agent = agent_of(line)
        if agent is None:
            return at
        bot = agents[agent]
        if bot is not None:
            try:
                found.append((line, bot, hit_of(line)))
            except BadLine:
                return at
    return len(lines)
