"""Every format is found line by line, and odd lines are understood or rejected with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import pytest
from crawl_samples import CHROME
from hypothesis import given
from hypothesis import strategies as st

from submitter.core.crawl.bots import Bot
from submitter.core.crawl.hits import REJECTED, BadLine, Hit, Understood
from submitter.core.crawl.lines import LONGEST, LineReader
from submitter.core.crawl.quoted import QuotedFormat, tokens_of, unescaped
from submitter.core.crawl.times import Times, moment
from submitter.errors import ConfigError

AT = 1_796_032_800  # 2026-11-30T10:00:00Z
CLF = "30/Nov/2026:10:00:00 +0000"
AGENT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
ALB = (
    "https 2026-11-30T10:00:00.186641Z app/lb/50dc6c495c0c9188 157.55.39.1:2817 10.0.0.1:80 0.086"
    ' 0.048 0.037 200 200 0 57 "GET https://shop.example.com:443/p/1?a=b HTTP/1.1" "{agent}"'
    ' ECDHE-RSA TLSv1.2 arn:aws:x "Root=1-58337281" "shop.example.com" "arn" 1'
    ' 2026-11-30T09:59:59.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"'
)
ELB = (
    "2026-11-30T10:00:00.945958Z lb 157.55.39.1:2817 10.0.0.1:80 0.000073 0.001048 0.000057"
    ' 200 200 0 57 "GET http://shop.example.com:80/p/1?a=b HTTP/1.1" "{agent}" - -'
)
CLOUDFRONT = "\t".join(
    [
        *("2026-11-30", "10:00:00", "LAX1", "57", "157.55.39.1", "GET"),
        *("d111.cloudfront.net", "/p/1", "200", "-", "{agent}", "a=b", "-", "Hit", "SOX4x"),
        *("shop.example.com", "https", "23", "0.001", "-", "TLSv1.3", "AES", "Hit", "HTTP/2.0"),
    ]
)
IIS_FIELDS = (
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip"
    " cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes time-taken"
)
IIS = (
    "2026-11-30 10:00:00 10.0.0.1 GET /p/1 a=b 443 - 157.55.39.1 {agent} - shop.example.com 200 0 0"
    " 57 15"
)
CADDY = {
    "level": "info",
    "ts": AT + 0.52,
    "logger": "http.log.access.log0",
    "msg": "handled request",
    "request": {
        "remote_ip": "157.55.39.1",
        "client_ip": "157.55.39.1",
        "proto": "HTTP/2.0",
        "method": "GET",
        "host": "shop.example.com",
        "uri": "/p/1?a=b",
        "headers": {"User-Agent": [AGENT], "Accept": ["*/*"]},
    },
    "bytes_read": 0,
    "duration": 0.0009,
    "size": 57,
    "status": 200,
}
NGINX_JSON = {
    "time_iso8601": "2026-11-30T11:00:00+01:00",
    "remote_addr": "157.55.39.1",
    "host": "shop.example.com",
    "request": "GET /p/1?a=b HTTP/1.1",
    "status": "200",
    "body_bytes_sent": "57",
    "http_user_agent": AGENT,
}
NGINX_PARTS = {
    "msec": "1796032800.123",
    "remote_addr": "157.55.39.1",
    "http_host": "shop.example.com",
    "request_method": "GET",
    "uri": "/p/1",
    "args": "a=b",
    "status": 200,
    "bytes_sent": 57,
    "user_agent": AGENT,
}
CLOUDFLARE = {
    "ClientIP": "157.55.39.1",
    "ClientRequestHost": "shop.example.com",
    "ClientRequestMethod": "GET",
    "ClientRequestURI": "/p/1?a=b",
    "ClientRequestUserAgent": AGENT,
    "EdgeResponseStatus": 200,
    "EdgeResponseBytes": 57,
    "EdgeStartTimestamp": AT * 10**9,
}
GOOGLE = {
    "insertId": "x",
    "httpRequest": {
        "requestMethod": "GET",
        "requestUrl": "https://shop.example.com/p/1?a=b",
        "status": 200,
        "responseSize": "57",
        "userAgent": AGENT,
        "remoteIp": "157.55.39.1",
    },
    "timestamp": "2026-11-30T10:00:00.123456Z",
}

COMBINED = f'157.55.39.1 - - [{CLF}] "GET /p/1?a=b HTTP/1.1" 200 57 "-" "{AGENT}"'
WAYS: dict[str, Sequence[str]] = {
    "combined": [COMBINED],
    "combined with more fields": [f'{COMBINED} "10.1.1.1" 0.123 "-" 7'],
    "virtual host first": [f"shop.example.com {COMBINED}"],
    "virtual host with port": [f"shop.example.com:443 {COMBINED}"],
    "virtual host second": [COMBINED.replace("- -", "shop.example.com -", 1)],
    "a user with a blank": [COMBINED.replace("- -", "- john doe", 1)],
    "another zone": [COMBINED.replace("10:00:00 +0000", "12:00:00 +0200")],
    "a date in ISO form": [COMBINED.replace(CLF, "2026-11-30T10:00:00Z")],
    "a date in words": [COMBINED.replace(CLF, "November 30, 2026T10:00:00 +0000")],
    "carriage returns": [COMBINED + "\r"],
    "a mark before the first": ["\ufeff" + COMBINED],
    "nginx JSON": [json.dumps(NGINX_JSON)],
    "nginx JSON behind blanks": ["  " + json.dumps(NGINX_JSON)],
    "nginx JSON in parts": [json.dumps(NGINX_PARTS)],
    "Caddy": [json.dumps(CADDY)],
    "Cloudflare": [json.dumps(CLOUDFLARE)],
    "Cloudflare with times in words": [
        json.dumps({**CLOUDFLARE, "EdgeStartTimestamp": "2026-11-30T10:00:00Z"})
    ],
    "Google's balancer": [json.dumps(GOOGLE)],
    "ALB": [ALB.format(agent=AGENT)],
    "classic ELB": [ELB.format(agent=AGENT)],
    "CloudFront": ["#Version: 1.0", CLOUDFRONT.format(agent=AGENT.replace(" ", "%20"))],
    "IIS": ["#Software: IIS", IIS_FIELDS, IIS.format(agent=AGENT.replace(" ", "+"))],
}


def read(lines: Sequence[str], mask: str | None = None) -> tuple[LineReader, list[Hit]]:
    reader = LineReader(mask)
    found = reader.read([line.encode("utf-8", "surrogateescape") for line in lines])
    return reader, [hit for _, _, hit in found]


@pytest.mark.parametrize("way", [ALB, ELB])
def test_a_balancer_names_an_ipv6_client_in_brackets(way: str) -> None:
    line = way.format(agent=AGENT).replace("157.55.39.1:2817", "[2001:db8::1]:2817")
    _, (hit,) = read([line])
    assert (hit.address, hit.status, hit.size) == (b"2001:db8::1", 200, 57)


@pytest.mark.parametrize("host", ["", "shop.example.com "])
@pytest.mark.parametrize("proxies", ["10.0.0.1", "10.0.0.1, 10.0.0.2"])
def test_the_client_is_the_one_forwarded_address_outside(host: str, proxies: str) -> None:
    line = host + COMBINED.replace("157.55.39.1", f"157.55.39.1, {proxies}", 1)
    _, (hit,) = read([line])
    assert (hit.host, hit.address) == (host.strip().encode(), b"157.55.39.1")


@pytest.mark.parametrize("host", ["", "shop.example.com "])
def test_of_several_forwarded_addresses_outside_none_is_believed(host: str) -> None:
    """The first may be what the client sent itself, the last a proxy."""
    line = host + COMBINED.replace("157.55.39.1", "157.55.39.1, 203.0.113.9, 10.0.0.1", 1)
    _, (hit,) = read([line])
    assert (hit.host, hit.address) == (host.strip().encode(), b"")


def test_a_time_in_another_form_behind_one_bracket_more_is_read_as_it_is() -> None:
    line = '10.0.0.1 - - [anonymous] [{}.123] "GET / HTTP/1.1" 200 5 "-" "bingbot"'
    _, hits = read([line.format(1_700_000_000), line.format(1_700_001_200)])
    assert [hit.at for hit in hits] == [1_700_000_000, 1_700_001_200]


def test_a_bad_time_is_bad_whatever_stood_before_it() -> None:
    bad = COMBINED.replace("10:00:00", "10:00x00")
    assert [len(read(lines)[1]) for lines in ([bad], [COMBINED, bad])] == [0, 1]


@pytest.mark.parametrize(
    ("was", "now", "reason"),
    [
        ("200 57", "2000 57", "bad-status"),
        ("200 57", "20", "bad-status"),
        ("30/Nov", "31/Nov", "bad-time"),
        ("10:00:00", "25:00:00", "bad-time"),
    ],
)
@pytest.mark.parametrize("agent", [AGENT, CHROME])
@pytest.mark.parametrize("is_common", [False, True])
def test_a_line_that_cannot_be_is_rejected_whoever_asked(
    was: str, now: str, reason: str, agent: str, is_common: bool
) -> None:
    line = COMBINED.replace(AGENT, agent)
    good = line.partition(' "-"')[0] if is_common else line
    reader, _ = read([good, good.replace(was, now), good])
    assert reader.reading.rejected == {reason: 1}
    assert reader.reading.lines == 3


@pytest.mark.parametrize("zone", ["+9900", "-1500", "+0060"])
def test_a_zone_of_no_place_makes_a_time_bad(zone: str) -> None:
    reader, _ = read([COMBINED.replace("+0000", zone)])
    assert reader.reading.rejected == {"bad-time": 1}


@pytest.mark.parametrize("way", WAYS)
def test_a_format_is_found_and_read_whole(way: str) -> None:
    reader, (hit,) = read(WAYS[way])
    path = hit.target.partition(b"example.com")[2].removeprefix(b":443").removeprefix(b":80")
    assert (path or hit.target) == b"/p/1?a=b"
    assert (hit.at, hit.address, hit.status, hit.size) == (AT, b"157.55.39.1", 200, 57)
    assert b"bingbot" in hit.agent
    assert reader.reading.lines == reader.reading.bots == 1
    assert hit.host.partition(b":")[0] in (b"", b"shop.example.com")


def test_formats_may_follow_each_other_in_one_file() -> None:
    lines = [one for way in WAYS.values() for one in way] * 3
    reader, hits = read(lines)
    assert len(hits) == 3 * len(WAYS)
    assert reader.reading.rejected == {}
    assert sum(reader.reading.formats.values()) == reader.reading.lines == 3 * len(WAYS)


def test_lines_of_others_are_counted_and_blank_ones_are_not() -> None:
    reader, hits = read([COMBINED.replace(AGENT, CHROME), "", "  ", "# a comment", COMBINED])
    found = reader.reading
    assert (found.lines, found.others, found.bots, len(hits)) == (2, 1, 1, 1)


def test_common_format_names_no_bot() -> None:
    reader, hits = read([f'157.55.39.1 - - [{CLF}] "GET / HTTP/1.1" 200 57'])
    assert (reader.reading.others, hits) == (1, [])


@pytest.mark.parametrize(
    ("line", "target", "agent"),
    [
        (COMBINED.replace(AGENT, 'x \\"quoted\\" Googlebot/2.1'), b"/p/1?a=b", b'x "quoted" Goo'),
        (COMBINED.replace(AGENT, "x \\x22quoted\\x22 Googlebot"), b"/p/1?a=b", None),
        (COMBINED.replace("/p/1?a=b", "/p/\\xd0\\xbf"), b"/p/\xd0\xbf", None),
        (COMBINED.replace("/p/1?a=b", '/p/\\"x\\"'), b'/p/"x"', None),
        (COMBINED.replace("/p/1?a=b", "/p/a b"), b"/p/a b", None),
        (COMBINED.replace("GET /p/1?a=b HTTP/1.1", "GET /p/1"), b"/p/1", None),
        (COMBINED.replace('"-"', '"https://x.test/\\"a\\""'), b"/p/1?a=b", None),
        (COMBINED.replace(" 200 57 ", " 200 - "), b"/p/1?a=b", None),
    ],
)
def test_escapes_and_oddities_are_read(line: str, target: bytes, agent: bytes | None) -> None:
    _, (hit,) = read([line])
    assert hit.target == target
    assert agent is None or agent in hit.agent


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Error line 1", "unknown-format"),
        ("[Fri Feb 01 22:03:08.318615 2019] [authz_core:debug] [pid 9] x", "unknown-format"),
        (COMBINED.replace("30/Nov", "31/Nov"), "bad-time"),
        (COMBINED.replace("Nov", "Foo"), "bad-time"),
        (COMBINED.replace(" 200 ", " 2x0 "), "bad-status"),
        (COMBINED.replace("GET /p/1?a=b HTTP/1.1", "\\x16\\x03\\x01"), "bad-request"),
        (COMBINED.replace("GET /p/1?a=b HTTP/1.1", "OPTIONS * HTTP/1.1"), "bad-request"),
        (COMBINED[:-1], "bad-quotes"),
        ('{"a": 1', "bad-json"),
        ('{"status": 200}', "json-fields"),
        ("{", "json-over-lines"),
        ('  "status": 200,', "json-over-lines"),
        ("},", "json-over-lines"),
        (IIS.format(agent="bingbot"), "no-fields-line"),
        ("2026-11-30\t10:00:00\tLAX1", "too-few-fields"),
        ("x" * (LONGEST + 1), "too-long"),
        (CLOUDFRONT.format(agent="bingbot").replace("\t200\t", "\t-\t"), "bad-status"),
        (ALB.format(agent="bingbot")[:150], "bad-quotes"),
    ],
)
def test_a_line_that_cannot_be_read_has_a_reason(line: str, reason: str) -> None:
    reader, hits = read([line])
    assert hits == []
    assert dict(reader.reading.rejected) == {reason: 1}
    assert reason in REJECTED


def test_examples_are_few_short_and_hold_no_query() -> None:
    reader, _ = read([f"Error /a?token=secret {'x' * 500}"] * 10)
    (examples,) = reader.reading.examples.values()
    assert len(examples) == 3
    assert all(len(one) < 130 and "secret" not in one for one in examples)


@pytest.mark.parametrize(
    "line",
    [
        '"' * 10_000,
        '\\"' * 5_000,
        'x [ "' * 2_000,
        '["' * 5_000,
        f"1.2.3.4 - - [{CLF}] " + '"' * 10_000,
        f'1.2.3.4 - - [{CLF}] "' + "\\" * 9_999,
        '{"user_agent":"' * 600,
        '{"ua":' + '"\\"ua\\":' * 1_000,
        "https 2026-11-30T10:00:00Z " + '"' * 10_000,
        "2026-11-30\t10:00:00\t" * 500,
        "[" * 10_000,
        "{" * 60_000,
    ],
)
def test_hostile_lines_are_rejected_and_read_once(line: str) -> None:
    """No step may look at a character more than a few times: a thousand of these take no while."""
    reader, hits = read([line] * 100)
    assert hits == []
    assert reader.reading.rejected.total() == 100


def test_a_new_file_forgets_the_fields_of_the_last() -> None:
    reader = LineReader()
    line = IIS.format(agent="bingbot").encode()
    assert len(reader.read([IIS_FIELDS.encode(), line])) == 1
    reader.begin_file()
    assert reader.read([line]) == []
    assert dict(reader.reading.rejected) == {"no-fields-line": 1}


# ---------------------------------------------------------------- masks

NGINX_MASK = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'
    ' "$http_referer" "$http_user_agent" "$host" $request_time'
)
MASKS = {
    NGINX_MASK: f'{COMBINED} "shop.example.com" 0.004',
    '%v %h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"': f"shop.example.com {COMBINED}",
    "$msec|$host|$remote_addr|$request_uri|$status|$bytes_sent|$http_user_agent": (
        f"{AT}.5|shop.example.com|157.55.39.1|/p/1?a=b|200|57|{AGENT}"
    ),
    "$time_iso8601 ${remote_addr} $uri?$args $status $body_bytes_sent $http_user_agent": (
        f"2026-11-30T10:00:00+00:00 157.55.39.1 /p/1?a=b 200 57 {AGENT}"
    ),
    '%a "%U" "%q" %s %O %t %{User-Agent}i': f'157.55.39.1 "/p/1" "?a=b" 200 57 [{CLF}] {AGENT}',
    r"(?P<time>\S+) (?P<address>\S+) (?P<target>\S+) (?P<status>\d+) (?P<size>\d+) (?P<agent>.*)": (
        f"2026-11-30T10:00:00Z 157.55.39.1 /p/1?a=b 200 57 {AGENT}"
    ),
}


@pytest.mark.parametrize("mask", MASKS)
def test_a_mask_reads_what_it_describes(mask: str) -> None:
    reader, (hit,) = read([MASKS[mask], "something else"], mask)
    assert hit == Hit(hit.host, b"157.55.39.1", AT, b"/p/1?a=b", 200, 57, AGENT.encode())
    assert dict(reader.reading.rejected) == {"not-the-mask": 1}


FORWARDED = [
    ("10.0.0.7", "157.55.39.1, 10.0.0.9", "157.55.39.1"),
    ("10.0.0.7", "-", "10.0.0.7"),
    ("10.0.0.7", "157.55.39.1, 203.0.113.9", "10.0.0.7"),
    ("10.0.0.7", "unknown, 157.55.39.1", "157.55.39.1"),
    ("10.0.0.7", "unknown", "10.0.0.7"),
    ("10.0.0.7", "157.55.39.1:4711", "157.55.39.1:4711"),
    ("203.0.113.9", "157.55.39.1", "203.0.113.9,157.55.39.1"),
    ("203.0.113.9", "10.0.0.9, 203.0.113.9", "203.0.113.9"),
    ("157.55.39.1", "10.0.0.9", "157.55.39.1"),
]
"""What a server saw and was told, and who asked then: anybody may send the header with a bot's
address; a proxy adds the sender's to it."""


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"), [*FORWARDED, ("unix:", "157.55.39.1", "157.55.39.1")]
)
def test_a_json_line_names_the_client_behind_a_proxy_of_ones_own(
    peer: str, forwarded: str, client: str
) -> None:
    line = {**NGINX_JSON, "remote_addr": peer, "http_x_forwarded_for": forwarded}
    _, (hit,) = read([json.dumps(line)])
    assert hit.address == client.encode()


@pytest.mark.parametrize(("peer", "forwarded", "client"), FORWARDED)
def test_a_mask_may_take_the_address_that_a_proxy_forwards(
    peer: str, forwarded: str, client: str
) -> None:
    mask = (
        '$remote_addr [$time_local] "$request" $status "$http_user_agent" "$http_x_forwarded_for"'
    )
    line = f'{peer} [{CLF}] "GET / HTTP/1.1" 200 "bingbot" "{forwarded}"'
    _, (hit,) = read([line], mask)
    assert hit.address == client.encode()


@pytest.mark.parametrize("referer", ["-", 'https://a.test/?q=\\"x\\"'])
@pytest.mark.parametrize(("peer", "forwarded", "client"), FORWARDED)
def test_the_field_behind_the_user_agent_may_be_the_forwarded_address(
    peer: str, forwarded: str, client: str, referer: str
) -> None:
    """nginx's `main` format; read quickly, and carefully where a quote is escaped."""
    line = f'{peer} - - [{CLF}] "GET / HTTP/1.1" 200 5 "{referer}" "bingbot" "{forwarded}"'
    _, (hit,) = read([line])
    assert (hit.address, hit.agent) == (client.encode(), b"bingbot")


@pytest.mark.parametrize("field", ["0.005", "-", "HIT", "shop.example.com", "157.55.39.1 x", ""])
def test_another_field_behind_the_user_agent_is_left_alone(field: str) -> None:
    line = f'10.0.0.7 - - [{CLF}] "GET / HTTP/1.1" 200 5 "-" "bingbot" "{field}"'
    _, (hit,) = read([line])
    assert hit.address == b"10.0.0.7"


@pytest.mark.parametrize(
    ("mask", "problem"),
    [
        ("no variables", "neither"),
        ("$remote_addr $status", "names no time"),
        ("$time_local $request", "names no status"),
        ("$time_local $status", "names no request"),
        ("$time_local$status $request", "nothing parts"),
        ("(?P<time>", "is no regex"),
    ],
)
def test_a_mask_that_cannot_be_one_is_refused(mask: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        LineReader(mask)


# ---------------------------------------------------------------- times


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("10/Oct/2000:13:55:36 -0700", 971_211_336),
        ("10/Oct/2000:13:55:36.123 -0700", 971_211_336),
        ("30/Nov/2026:10:00:00 +0000", AT),
        ("30/Nov/2026:10:00:00", AT),
        ("30/Nov/2026:10:00:00 +05:30", AT - 19_800),
        ("31/Dec/2016:23:59:60 +0000", 1_483_228_800),
        ("2026-11-30T10:00:00Z", AT),
        ("2026-11-30T10:00:00.999999+00:00", AT),
        ("2026-11-30T10:00:00,5", AT),
        ("2026-11-30 10:00:00", AT),
        ("November 30, 2026T10:00:00 +0000", AT),
        (str(AT), AT),
        (f"{AT}.25", AT),
        (f"{AT}123", AT),
        (f"{AT}123456789", AT),
    ],
)
def test_times_are_read_to_the_second(text: str, at: int) -> None:
    times = Times()
    assert [times.read(text.encode()) for _ in range(3)] == [at] * 3
    assert moment(text.encode()) == at


@given(
    st.lists(
        st.builds(
            lambda hour, minute, second, zone: (
                f"30/Nov/2026:{hour:02}:{minute:02}:{second:02} {zone}"
            ),
            st.integers(0, 23),
            st.integers(0, 2),
            st.integers(0, 60),
            st.sampled_from(["+0000", "-0130", "+0200"]),
        ),
        max_size=30,
    )
)
def test_remembering_minutes_changes_no_time(texts: list[str]) -> None:
    times = Times()
    for text in texts:
        assert times.read(text.encode()) == moment(text.encode())


@pytest.mark.parametrize("text", ["", "-", "32/Nov/2026:10:00:00 +0000", "12345", "x" * 300, "²²"])
def test_what_is_no_time_is_said(text: str) -> None:
    with pytest.raises(BadLine, match="bad-time"):
        Times().read(text.encode())


# ---------------------------------------------------------------- laws

FIELD = st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"").replace(b"\r", b""))


def escaped(field: bytes) -> bytes:
    """As Apache writes it."""
    return b"".join(
        b"\\" + bytes([one])
        if one in b'"\\'
        else bytes([one])
        if 32 <= one < 127
        else b"\\x%02x" % one
        for one in field
    )


@given(FIELD)
def test_what_was_escaped_is_had_back(field: bytes) -> None:
    assert unescaped(escaped(field)) == field
    (token,) = tokens_of(b'"' + escaped(field) + b'"')
    assert token == ("q", escaped(field))


@given(FIELD, FIELD, st.integers(100, 599), st.integers(0, 10**12))
def test_the_quick_way_and_the_careful_way_agree(
    referer: bytes, agent: bytes, status: int, size: int
) -> None:
    agent = b"bingbot " + agent
    head = b'1.2.3.4 - - [30/Nov/2026:10:00:00 +0000] "GET /p HTTP/1.1"'
    line = b'%b %d %d "%b" "%b"' % (head, status, size, escaped(referer), escaped(agent))
    careful = QuotedFormat(Times()).hit_of(line)
    (found,) = LineReader().read([line])
    assert careful == Hit(b"", b"1.2.3.4", AT, b"/p", status, size, agent)
    quick = found[2]
    assert agent in (quick.agent, unescaped(quick.agent))  # the careful way has unescaped it
    assert quick._replace(agent=agent) == careful


def moments(pattern: str) -> st.SearchStrategy[bytes]:
    fields = (st.just(9), st.integers(0, 1), st.integers(0, 61), st.integers(0, 61))
    return st.tuples(*fields, st.sampled_from(["", " +0000", " -0230", ".5 +0000"])).map(
        lambda found: pattern.format(*found).encode()
    )


@given(
    st.lists(
        st.one_of(
            moments("{:02}/Nov/2026:{:02}:{:02}:{:02}{}"),
            moments("{}/Nov/2026:{:02}:{:02}:{:02}{}"),
            moments("2026-11-{:02}T{:02}:{:02}:{:02}"),
            st.binary(max_size=30),
        ),
        max_size=20,
    )
)
def test_what_was_read_before_changes_no_time(texts: list[bytes]) -> None:
    times = Times()
    for one in texts:
        assert _or_reason(times.read, one) == _or_reason(moment, one)


def _or_reason(read: Callable[[bytes], int], one: bytes) -> int | str:
    try:
        return read(one)
    except BadLine as problem:
        return problem.reason


class Careful(QuotedFormat):
    """Every line needs a closer look."""

    def scan(
        self,
        lines: Sequence[bytes],
        start: int,
        agents: Mapping[bytes, Bot | None],
        found: list[Understood],
    ) -> int:
        return start


def careful_reader() -> LineReader:
    reader = LineReader()
    reader._formats = (Careful(Times()), *reader._formats[1:])
    reader._likely = reader._formats[0]
    return reader


REQUESTS = (
    *(b"GET /p HTTP/1.1", b"GET /a b HTTP/1.0", b"-", b"", b"GET /\\x22 HTTP/1.1", b"\\x16\\x03"),
    *(b"HEAD https://shop.example.com/q?a=1 HTTP/2.0", b'GET /\\"p HTTP/1.1', b"GET /"),
)
ENDS = (
    *(b"", b' "-" "bingbot"', b' "-" "Chrome"', b' "-" "bingbot" "-"', b' "r" "Chrome" 0.01'),
    *(b' "-" "say \\"bingbot\\""', b' "a\\"b" "Chrome" "c"', b' "-" "bing', b' "-" ""'),
)
LINE = st.builds(
    lambda host, clock, request, numbers, end: (
        b'%b - - [29/Nov/2026:%b +0000] "%b" %b%b' % (host, clock, request, numbers, end)
    ),
    st.sampled_from([b"1.2.3.4", b"shop.example.com 1.2.3.4", b"1.2.3.4 shop.example.com"]),
    st.builds(lambda *found: b"%02d:%02d:%02d" % found, *[st.integers(0, 23)] * 3),
    st.sampled_from(REQUESTS),
    st.sampled_from([b"200 12", b"304 -", b"404 0", b"abc 5", b"599 99999999999999999999"]),
    st.sampled_from(ENDS),
)


@given(st.lists(st.one_of(LINE, st.just(b"garbage"), st.just(b"")), max_size=20))
def test_a_log_read_quickly_counts_as_one_read_carefully(lines: list[bytes]) -> None:
    quick, careful = LineReader(), careful_reader()
    found = [(line, bot, _bare(hit)) for line, bot, hit in quick.read(lines)]
    assert found == [(line, bot, _bare(hit)) for line, bot, hit in careful.read(lines)]
    assert quick.reading == careful.reading


def _bare(hit: Hit) -> Hit:
    return hit._replace(agent=unescaped(hit.agent))


@given(st.lists(st.one_of(st.binary(max_size=80), st.just(COMBINED.encode())), max_size=20))
def test_no_line_breaks_the_reader_and_all_are_counted(lines: list[bytes]) -> None:
    reader = LineReader()
    lines = [line.replace(b"\n", b" ") for line in lines]
    found = reader.read(lines)
    counted = reader.reading
    assert counted.lines == counted.bots + counted.others + counted.rejected.total()
    assert counted.bots == len(found) >= lines.count(COMBINED.encode())
