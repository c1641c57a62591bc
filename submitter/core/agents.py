"""How the engines' crawlers introduce themselves, for looking at a site through their eyes.

Whoever only reads the name is fooled by it; a site that checks addresses is not, and shows us what
it shows to any stranger. So a difference proves that the name matters, and no difference proves
nothing about the engine's own network.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

USER_AGENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Googlebot": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "bingbot": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "Baiduspider": "Mozilla/5.0 (compatible; Baiduspider/2.0;"
        " +http://www.baidu.com/search/spider.html)",
        "YandexBot": "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
        "SeznamBot": "Mozilla/5.0 (compatible; SeznamBot/4.0;"
        " +http://napoveda.seznam.cz/seznambot-intro/)",
    }
)
"""By the token that robots.txt knows (`Traits.crawler`). Seznam's is from
https://napoveda.seznam.cz/en/seznambot-crawler, read 2026-11-30; the others are written as they are
generally known and were not looked up: treat them as unsure."""
