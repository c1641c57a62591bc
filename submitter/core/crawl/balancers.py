"""AWS load balancers: ALB with its leading type, and classic ELB.

Source: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html
(as generally known, not read anew). `client` is `address:port`, the request holds a whole address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from submitter.core.crawl.agents import scan
from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import BadLine, Hit, Understood
from submitter.core.crawl.quoted import size_of, status_of, target_of, tokens_of, unescaped
from submitter.core.crawl.times import Times

_ALB: Final = re.compile(rb"(?:https?|h2|grpcs|wss?) \d{4}-\d\d-\d\dT[^ ]+ ").match
_ELB: Final = re.compile(rb"\d{4}-\d\d-\d\dT[^ ]+ ").match
_ALB_WORDS, _ELB_WORDS = 12, 11


class BalancerFormat:
    """Both kinds; they differ by the first word."""

    name = "load balancer"

    def __init__(self, times: Times) -> None:
        self._times = times

    def scan(
        self,
        lines: Sequence[bytes],
        start: int,
        agents: Mapping[bytes, Bot | None],
        found: list[Understood],
    ) -> int:
        return scan(self, lines, start, agents, found)

    def agent_of(self, line: bytes) -> bytes | None:
        if b'\\"' in line or not (_ALB(line) or _ELB(line)):
            return None
        parts = line.split(b'"')
        return parts[3] if len(parts) >= 5 and parts[2] == b" " else None

    def looks(self, line: bytes) -> bool:
        return bool(_ALB(line) or _ELB(line))

    def hit_of(self, line: bytes) -> Hit:
        head, quote, rest = line.partition(b'"')
        words, tokens = head.split(), tokens_of(quote + rest)
        if len(words) not in (_ALB_WORDS, _ELB_WORDS) or len(tokens) < 2:
            raise BadLine("unknown-format")
        if len(words) == _ALB_WORDS:
            del words[0]
        return Hit(
            b"",
            words[2].rpartition(b":")[0].strip(b"[]"),
            self._times.read(words[0]),
            target_of(unescaped(tokens[0][1])),
            status_of(words[7]),
            size_of(words[10]),
            unescaped(tokens[1][1]),
        )
