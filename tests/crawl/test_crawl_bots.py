"""Bots are told apart by name, and names are checked by addresses and by DNS."""

from __future__ import annotations

from datetime import date
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submitter.accesslogs.snapshot import load_lists
from submitter.core.crawl.agents import Agents, bot_of
from submitter.core.crawl.bots import BOTS, BY_FILE, BY_NAME, OTHER_BOT, BotKind
from submitter.core.crawl.hits import Verdict
from submitter.core.crawl.ranges import (
    Address,
    RangeList,
    Ranges,
    address_of,
    is_hidden,
    published_list,
)
from submitter.core.crawl.verdicts import Judge, NameProof, proves
from submitter.errors import ConfigError

AGENTS = {
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "Googlebot",
    "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like"
    " Gecko) Chrome/130.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1;"
    " +http://www.google.com/bot.html)": "Googlebot",
    "Googlebot-Image/1.0": "Googlebot-Image",
    "Googlebot-Video/1.0": "Googlebot-Video",
    "Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)": "Google-InspectionTool",
    "GoogleOther-Image/1.0": "GoogleOther",
    "AdsBot-Google (+http://www.google.com/adsbot.html)": "AdsBot-Google",
    "Mediapartners-Google": "Mediapartners-Google",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)": "bingbot",
    "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)": (
        "Baiduspider"
    ),
    "Mozilla/5.0 (compatible; Baiduspider-render/2.0; +http://www.baidu.com/x)": "Baiduspider",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)": "YandexBot",
    "Mozilla/5.0 (compatible; YandexImages/3.0; +http://yandex.com/bots)": "YandexBot",
    "Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0); 360Spider": "360Spider",
    "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)": "Sogou",
    "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider;"
    " spider-feedback@bytedance.com)": "Bytespider",
    "Mozilla/5.0 (compatible; SeznamBot/4.0; +https://o-seznam.cz/)": "SeznamBot",
    "Mozilla/5.0 (compatible; Yeti/1.1; +https://naver.me/spd)": "Yeti",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2;"
    " +https://openai.com/gptbot)": "GPTBot",
    "Mozilla/5.0 (compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)": "OAI-SearchBot",
    "Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)": "ChatGPT-User",
    "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)": "ClaudeBot",
    "Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)": "Claude-User",
    "Mozilla/5.0 (compatible; Claude-SearchBot/1.0; +x)": "Claude-SearchBot",
    "Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)": (
        "PerplexityBot"
    ),
    "Mozilla/5.0 (compatible; Perplexity-User/1.0)": "Perplexity-User",
    "Mozilla/5.0 (Macintosh) Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)": (
        "Applebot"
    ),
    "Mozilla/5.0 (compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)": (
        "Amazonbot"
    ),
    "meta-externalagent/1.1 (+https://developers.facebook.com/docs/x)": "Meta-ExternalAgent",
    "Meta-ExternalAgent/1.1": "Meta-ExternalAgent",
    "META-EXTERNALFETCHER/1.1": "Meta-ExternalFetcher",
    "facebookexternalhit/1.1 (+http://www.facebook.com/x)": "FacebookExternalHit",
    "Google-Extended": "Google-Extended",
    "CCBot/2.0 (https://commoncrawl.org/faq/)": "CCBot",
    "SomeNewBot/1.0 (+https://new.example/bot)": "(other bots)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)": "(other bots)",
    "my-crawler": "(other bots)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36": None,
    "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/83.0": None,
    "curl/8.5.0": None,
    "-": None,
    "": None,
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_user_agent_names_a_bot_or_nobody(agent: str) -> None:
    for spelling in (agent, agent.upper(), agent.lower()):
        bot = bot_of(spelling.encode())
        assert (bot.name if bot else None) == AGENTS[agent]


def test_every_entry_of_the_catalogue_is_found_by_each_of_its_tokens() -> None:
    for bot in BOTS:
        for token in bot.tokens:
            assert bot_of(f"x ({token}/1.0)".encode()) is bot
            assert token == token.lower()
        assert bot.operator
        assert bot.sure in ("documented", "known", "reported", "unsure")
        assert bot.sure == "unsure" or bot.source.startswith("https://")


def test_every_list_of_the_snapshot_is_somebodys() -> None:
    lists = load_lists()
    wanted = {bot.ranges for bot in BOTS}
    assert lists.keys() <= wanted
    assert all(one.ranges.size for one in lists.values())
    assert {BY_FILE[file].ranges for file in ("googlebot.json", "gptbot.json")} <= lists.keys()
    for name in ("Googlebot", "bingbot", "GPTBot", "ClaudeBot"):
        made_on = lists[str(BY_NAME[name].ranges)].made_on
        assert made_on is not None
        assert date(2026, 1, 1) < made_on < date(2026, 12, 1)


def test_the_kinds_say_what_a_bot_reads_for() -> None:
    kinds = {name: BY_NAME[name].kind for name in ("Googlebot", "GPTBot", "ChatGPT-User")}
    assert kinds == {
        "Googlebot": BotKind.SEARCH,
        "GPTBot": BotKind.AI,
        "ChatGPT-User": BotKind.AI_USER,
    }
    assert OTHER_BOT.kind is BotKind.OTHER


def test_user_agents_are_remembered_within_bounds() -> None:
    agents = Agents()
    for number in range(25_000):
        assert agents[b"Googlebot/%d" % number] is BY_NAME["Googlebot"]
    assert len(agents) <= 10_000


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("66.249.66.1", "66.249.66.1"),
        ("66.249.66.1:4711", "66.249.66.1"),
        ("2001:4860:4801:10::1", "2001:4860:4801:10::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("::ffff:66.249.66.1", "66.249.66.1"),
        ("fe80::1%eth0", "fe80::1"),
        ("crawl.example.com", None),
        ("66.249.66", None),
        ("-", None),
        ("", None),
        ("\xff", None),
    ],
)
def test_an_address_is_read_as_logs_write_it(text: str, address: str | None) -> None:
    found = address_of(text.encode("latin-1"))
    assert found == (ip_address(address) if address else None)


@given(
    st.lists(st.ip_addresses(network="10.0.0.0/20"), max_size=20),
    st.ip_addresses(network="10.0.0.0/20"),
    st.integers(22, 32),
)
def test_ranges_hold_what_their_networks_hold(
    starts: list[Address], address: Address, length: int
) -> None:
    networks = [ip_network(f"{start}/{length}", strict=False) for start in starts]
    ranges = Ranges([str(one) for one in networks] + ["2001:db8::/32"])
    assert (address in ranges) is any(address in one for one in networks)
    assert ip_address("2001:db8::1") in ranges


def test_an_address_inside_a_network_is_a_proxys() -> None:
    hidden = ("10.1.2.3", "192.168.0.1", "127.0.0.1", "100.64.0.1", "::1", "fd00::1")
    assert all(is_hidden(ip_address(one)) for one in hidden)
    assert not is_hidden(ip_address("66.249.66.1"))


PUBLISHED = {
    "creationTime": "2026-11-29T22:00:00.000000",
    "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}, {"ipv6Prefix": "2001:db8::/64"}],
}


@pytest.mark.parametrize(
    ("given", "bot", "document", "name"),
    [
        ("lists/googlebot.json", "", PUBLISHED, "googlebot"),
        ("new.json", "gptBOT", PUBLISHED, "gptbot"),
        ("amazonbot.json", "", {"amazonbot": PUBLISHED}, "amazonbot"),
        ("x.json", "PerplexityBot", {"prefixes": ["192.0.2.1"]}, "perplexitybot"),
    ],
)
def test_a_published_file_is_read_as_it_is(
    given: str, bot: str, document: object, name: str
) -> None:
    found = published_list(given, bot, document)
    assert found.name == name
    assert ip_address("192.0.2.1") in found.ranges
    assert found.made_on == (date(2026, 11, 29) if "x.json" not in given else None)


@pytest.mark.parametrize(
    ("given", "bot", "document"),
    [
        ("unknown.json", "", PUBLISHED),
        ("googlebot.json", "360Spider", PUBLISHED),
        ("googlebot.json", "", {"prefixes": []}),
        ("googlebot.json", "", {"prefixes": [{"ipv4Prefix": "300.0.0.0/8"}]}),
        ("googlebot.json", "", []),
    ],
)
def test_a_file_that_is_no_list_is_refused(given: str, bot: str, document: object) -> None:
    with pytest.raises(ConfigError, match=given):
        published_list(given, bot, document)


# ---------------------------------------------------------------- verdicts

DAY = (date(2026, 11, 29) - date(1970, 1, 1)).days
FRESH = RangeList("googlebot", Ranges(["66.249.66.0/27"]), date(2026, 11, 1), "x")
OLD = RangeList("googlebot", Ranges(["66.249.66.0/27"]), date(2024, 11, 1), "x")
UNDATED = RangeList("googlebot", Ranges(["66.249.66.0/27"]), None, "x")
CONFIRMED, OTHER, UNKNOWN = NameProof.CONFIRMED, NameProof.OTHER, NameProof.UNKNOWN
INSIDE, OUTSIDE = "66.249.66.1", "8.8.4.4"


@pytest.mark.parametrize(
    ("bot", "address", "published", "said", "verdict"),
    [
        ("Googlebot", INSIDE, FRESH, None, "verified"),
        ("Googlebot", INSIDE, FRESH, OTHER, "verified"),  # addresses go before names
        ("Googlebot", INSIDE, OLD, None, "verified"),
        ("Googlebot", OUTSIDE, FRESH, None, "contradicted"),
        ("Googlebot", OUTSIDE, FRESH, CONFIRMED, "verified"),
        ("Googlebot", OUTSIDE, FRESH, UNKNOWN, "contradicted"),
        ("Googlebot", OUTSIDE, OLD, None, "claimed"),
        ("Googlebot", OUTSIDE, UNDATED, None, "claimed"),
        ("Googlebot", OUTSIDE, OLD, OTHER, "contradicted"),
        ("Googlebot", OUTSIDE, None, None, "claimed"),
        ("Googlebot", OUTSIDE, None, UNKNOWN, "claimed"),
        ("Googlebot", OUTSIDE, None, CONFIRMED, "verified"),
        ("Googlebot", OUTSIDE, None, OTHER, "contradicted"),
        ("Googlebot", "203.0.113.7", OLD, None, "contradicted"),  # nobody's address
        ("Googlebot", "10.0.0.1", FRESH, None, "unverifiable"),
        ("Googlebot", "proxy.internal", FRESH, None, "unverifiable"),
        ("Googlebot", f"{OUTSIDE},{INSIDE}", FRESH, OTHER, "unverifiable"),  # a proxy's, or made up
        ("Googlebot", f"{INSIDE},{OUTSIDE}", FRESH, None, "verified"),
        ("Google-Extended", f"{OUTSIDE},{INSIDE}", FRESH, None, "contradicted"),
        ("360Spider", OUTSIDE, None, OTHER, "unverifiable"),
        ("Baiduspider", OUTSIDE, None, CONFIRMED, "verified"),
        ("Google-Extended", INSIDE, FRESH, CONFIRMED, "contradicted"),
        ("ClaudeBot", OUTSIDE, None, CONFIRMED, "claimed"),  # names prove nothing of it
        ("(other bots)", OUTSIDE, None, None, "unverifiable"),
    ],
)
def test_a_name_is_believed_as_far_as_it_is_proven(
    bot: str,
    address: str,
    published: RangeList | None,
    said: NameProof | None,
    verdict: str,
) -> None:
    lists = {published.name: published} if published else {}
    judge = Judge(lists, None if said is None else lambda address, domains: said)
    for _ in range(2):
        assert judge.verdict(BY_NAME[bot], address.encode(), DAY) == verdict


def test_a_list_grows_old_by_the_day_of_the_hit() -> None:
    judge = Judge({"googlebot": FRESH})
    bot = BY_NAME["Googlebot"]
    verdicts = [judge.verdict(bot, b"8.8.4.4", DAY + days) for days in (0, 300, 400)]
    assert verdicts == [Verdict.CONTRADICTED, Verdict.CONTRADICTED, Verdict.CLAIMED]


def test_a_name_counts_when_it_is_the_operators_and_leads_back() -> None:
    address = ip_address("66.249.66.1")
    names = {
        "right": ("crawl-66-249-66-1.googlebot.com.", (address,)),
        "forged": ("crawl-66-249-66-1.googlebot.com", (ip_address("66.249.66.2"),)),
        "elsewhere": ("ec2-1.compute.amazonaws.com", (address,)),
        "only ends alike": ("notgooglebot.com", (address,)),
    }
    said = {
        how: proves(
            address, ("googlebot.com",), lambda _, n=name: (n,), lambda _, found=back: found
        )
        for how, (name, back) in names.items()
    }
    assert said.pop("right") is CONFIRMED
    assert set(said.values()) == {OTHER}
