"""The bots we tell apart, and how each can be told from somebody who uses its name.

A name in a log is a claim. An operator lets it be checked by addresses that it publishes, by the
names that its addresses have in DNS, by both, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class BotKind(StrEnum):
    SEARCH = "search"
    """Reads for a search engine's index."""
    AI = "ai"
    """Reads for models or for the index of an answer engine."""
    AI_USER = "ai-user"
    """Reads one page because a person asked an answer engine."""
    TOOL = "tool"
    """Reads for advertising, previews or tests."""
    OTHER = "other"
    """Calls itself a bot and is none of the above."""


@dataclass(frozen=True, slots=True, eq=False)
class Bot:
    """One name. `tokens` are looked for in the user agent, in lower case.

    `ranges` names a list of published addresses; `files` what the operator calls its file of them;
    `domains` where the names of its addresses end (None of both: it cannot be checked).
    `sure` as `core.traits.Fact`: of the way to check it.
    """

    name: str
    kind: BotKind
    operator: str
    tokens: tuple[str, ...]
    ranges: str | None = None
    files: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    source: str = ""
    sure: str = "unsure"
    never_sent: bool = False
    """A token for robots.txt that no crawler sends as its name."""

    @property
    def can_be_checked(self) -> bool:
        return bool(self.ranges or self.domains or self.never_sent)


READ_ON: Final = "2026-11-30"
"""When the list below was put together. What is newer is counted as `OTHER_BOT`."""

_GOOGLE: Final = "https://developers.google.com/search/docs/crawling-indexing/verifying-googlebot"
_GOOGLE_LIST: Final = ("googlebot.json", "common-crawlers.json")
_OPENAI: Final = "https://platform.openai.com/docs/bots"
_YANDEX: Final = "https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html"
_META: Final = "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"


def _google(name: str, *tokens: str, kind: BotKind = BotKind.SEARCH) -> Bot:
    return Bot(
        name,
        kind,
        "Google",
        tokens,
        ranges="googlebot",
        files=_GOOGLE_LIST,
        domains=("googlebot.com", "google.com"),
        source=_GOOGLE,
        sure="documented",
    )


def _special(name: str, *tokens: str) -> Bot:
    """Google's bots that call from other addresses, of which no list is in our snapshot."""
    return Bot(
        name,
        BotKind.TOOL,
        "Google",
        tokens,
        ranges="google-special",
        files=("special-crawlers.json",),
        domains=("google.com", "googleusercontent.com"),
        source=_GOOGLE,
        sure="documented",
    )


def _openai(name: str, kind: BotKind, ranges: str, *files: str) -> Bot:
    return Bot(
        name,
        kind,
        "OpenAI",
        (name.lower(),),
        ranges=ranges,
        files=files,
        source=_OPENAI,
        sure="documented",
    )


def _meta(name: str, kind: BotKind, *tokens: str) -> Bot:
    return Bot(name, kind, "Meta", tokens, source=_META)


BOTS: Final[tuple[Bot, ...]] = (
    Bot(
        "Google-Extended",
        BotKind.AI,
        "Google",
        ("google-extended",),
        source="https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers",
        sure="documented",
        never_sent=True,
    ),
    Bot(
        "Applebot-Extended",
        BotKind.AI,
        "Apple",
        ("applebot-extended",),
        source="https://support.apple.com/en-us/119829",
        sure="documented",
        never_sent=True,
    ),
    _google("Googlebot-Image", "googlebot-image"),
    _google("Googlebot-Video", "googlebot-video"),
    _google("Googlebot-News", "googlebot-news"),
    _google("Google-InspectionTool", "google-inspectiontool", kind=BotKind.TOOL),
    _google("Storebot-Google", "storebot-google"),
    _google("GoogleOther", "googleother", kind=BotKind.AI),
    _google("Google-CloudVertexBot", "google-cloudvertexbot", kind=BotKind.AI),
    _special("AdsBot-Google", "adsbot-google"),
    _special("Mediapartners-Google", "mediapartners-google"),
    _special("APIs-Google", "apis-google"),
    _google("Googlebot", "googlebot"),
    Bot(
        "bingbot",
        BotKind.SEARCH,
        "Microsoft",
        ("bingbot",),
        ranges="bingbot",
        files=("bingbot.json",),
        domains=("search.msn.com",),
        source="https://www.bing.com/webmasters/help/how-to-verify-bingbot-3905dc26",
        sure="documented",
    ),
    Bot(
        "AdIdxBot",
        BotKind.TOOL,
        "Microsoft",
        ("adidxbot",),
        domains=("search.msn.com",),
        source="https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
        sure="documented",
    ),
    Bot(
        "BingPreview",
        BotKind.TOOL,
        "Microsoft",
        ("bingpreview",),
        domains=("search.msn.com",),
        source="https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
        sure="known",
    ),
    Bot(
        "Baiduspider",
        BotKind.SEARCH,
        "Baidu",
        ("baiduspider",),
        domains=("baidu.com", "baidu.jp"),
        source="https://ziyuan.baidu.com/college/articleinfo?id=30",
        sure="known",
    ),
    Bot(
        "YandexBot",
        BotKind.SEARCH,
        "Yandex",
        (
            "yandex.com/bots",
            "yandexbot",
            "yandeximages",
            "yandexmobilebot",
            "yandexrenderresources",
        ),
        domains=("yandex.ru", "yandex.net", "yandex.com"),
        source=_YANDEX,
        sure="documented",
    ),
    Bot("360Spider", BotKind.SEARCH, "360", ("360spider", "haosouspider")),
    Bot(
        "Sogou",
        BotKind.SEARCH,
        "Sogou",
        ("sogou web spider", "sogou inst spider", "sogou pic spider", "sogou news", "sogou spider"),
        domains=("sogou.com",),
        source="https://help.sogou.com/spider.html",
    ),
    Bot("YisouSpider", BotKind.SEARCH, "Shenma", ("yisouspider",)),
    Bot("ToutiaoSpider", BotKind.SEARCH, "ByteDance", ("toutiaospider",)),
    Bot("Bytespider", BotKind.AI, "ByteDance", ("bytespider",)),
    Bot(
        "SeznamBot",
        BotKind.SEARCH,
        "Seznam",
        ("seznambot",),
        domains=("seznam.cz",),
        source="https://napoveda.seznam.cz/en/seznambot-crawler/",
        sure="known",
    ),
    Bot(
        "Yeti",
        BotKind.SEARCH,
        "Naver",
        ("yeti/", "naver.me/spd"),
        domains=("naver.com",),
        source="https://searchadvisor.naver.com/guide/seo-basic-firewall",
        sure="known",
    ),
    Bot("PetalBot", BotKind.SEARCH, "Huawei", ("petalbot",), domains=("petalsearch.com",)),
    Bot("DuckDuckBot", BotKind.SEARCH, "DuckDuckGo", ("duckduckbot",)),
    Bot("DuckAssistBot", BotKind.AI_USER, "DuckDuckGo", ("duckassistbot",)),
    _openai("OAI-SearchBot", BotKind.AI, "oai-searchbot", "searchbot.json"),
    _openai("ChatGPT-User", BotKind.AI_USER, "chatgpt-user", "chatgpt-user.json"),
    _openai("GPTBot", BotKind.AI, "gptbot", "gptbot.json"),
    Bot(
        "ClaudeBot",
        BotKind.AI,
        "Anthropic",
        ("claudebot",),
        ranges="claudebot",
        files=("claudebot.json", "bots.json"),
        source="https://claude.com/crawling/bots.json",
        sure="reported",
    ),
    Bot("Claude-User", BotKind.AI_USER, "Anthropic", ("claude-user",)),
    Bot("Claude-SearchBot", BotKind.AI, "Anthropic", ("claude-searchbot",)),
    Bot("anthropic-ai", BotKind.AI, "Anthropic", ("anthropic-ai", "claude-web")),
    Bot(
        "PerplexityBot",
        BotKind.AI,
        "Perplexity",
        ("perplexitybot",),
        ranges="perplexitybot",
        files=("perplexitybot.json",),
        source="https://docs.perplexity.ai/guides/bots",
        sure="documented",
    ),
    Bot(
        "Perplexity-User",
        BotKind.AI_USER,
        "Perplexity",
        ("perplexity-user",),
        ranges="perplexity-user",
        files=("perplexity-user.json",),
        source="https://docs.perplexity.ai/guides/bots",
        sure="documented",
    ),
    Bot(
        "Applebot",
        BotKind.SEARCH,
        "Apple",
        ("applebot",),
        ranges="applebot",
        files=("applebot.json",),
        domains=("applebot.apple.com",),
        source="https://support.apple.com/en-us/119829",
        sure="documented",
    ),
    Bot(
        "Amazonbot",
        BotKind.AI,
        "Amazon",
        ("amazonbot", "amzn-searchbot"),
        ranges="amazonbot",
        files=("amazonbot.json",),
        domains=("crawl.amazonbot.amazon",),
        source="https://developer.amazon.com/amazonbot",
        sure="documented",
    ),
    _meta("Meta-ExternalAgent", BotKind.AI, "meta-externalagent"),
    _meta("Meta-ExternalFetcher", BotKind.AI_USER, "meta-externalfetcher"),
    _meta("Meta-WebIndexer", BotKind.AI, "meta-webindexer"),
    _meta("FacebookBot", BotKind.AI, "facebookbot"),
    _meta("FacebookExternalHit", BotKind.TOOL, "facebookexternalhit", "facebookcatalog"),
    Bot("CCBot", BotKind.AI, "Common Crawl", ("ccbot",)),
    Bot("MistralAI-User", BotKind.AI_USER, "Mistral", ("mistralai-user",)),
    Bot("cohere-ai", BotKind.AI, "Cohere", ("cohere-ai", "cohere-training-data-crawler")),
)
"""The first whose token stands in a user agent gives it its name, so narrow names come first.

Sources stand with the bots; those that are `unsure` or without a source are written as they are
generally known."""

OTHER_BOT: Final = Bot("(other bots)", BotKind.OTHER, "", ())
"""Says that it is a bot and has no entry here."""

BY_NAME: Final = {bot.name: bot for bot in (*BOTS, OTHER_BOT)}
BY_FILE: Final = {file: bot for bot in BOTS for file in bot.files}
