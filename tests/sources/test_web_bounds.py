"""Whatever a site sends, the client ends in time and memory, with our own errors only (P7)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submitter.errors import FetchError
from submitter.sources.web import WebSource
from support import fault_server as faults
from support.fault_server import FaultServer
from support.fetching import PatientClock, make_site

BODY = b"<urlset>" + b"<url/>" * 100 + b"</urlset>"
GOOD = faults.head(content_type="text/xml; charset=utf-8", transfer_encoding="chunked")
GOOD += b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)


@st.composite
def damaged_answers(draw: st.DrawFn) -> bytes:
    """A good answer with a few bytes replaced, dropped or put in."""
    answer = bytearray(GOOD)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(answer)))
        answer[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=4))
    return bytes(answer)


HEADER_TEXT = st.text(st.characters(max_codepoint=255), max_size=60)


@st.composite
def odd_headers(draw: st.DrawFn) -> bytes:
    name = draw(st.sampled_from(["Content-Type", "ETag", "Content-Encoding", "Connection", "Date"]))
    line = f"{name}: {draw(HEADER_TEXT)}\r\n".encode("latin-1")
    return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + line + b"\r\nhi"


@pytest.fixture(scope="module")
def odd_server() -> object:
    with FaultServer() as server:
        yield server


@settings(max_examples=150)
@given(answer=damaged_answers() | odd_headers() | st.binary(max_size=200))
def test_whatever_comes_back_only_our_errors_come_out(
    odd_server: FaultServer, answer: bytes
) -> None:
    odd_server.on("/s.xml", faults.raw(answer))
    source = WebSource(PatientClock())
    body = b""
    try:
        with source.fetch(odd_server.url("/s.xml"), site=make_site(odd_server)) as fetched:
            body = b"".join(fetched.chunks())
            assert all(finding.message for finding in fetched.findings)
    except FetchError as error:
        assert error.reason  # noqa: PT017 - either end is right, each with its own promise
    finally:
        source.close_all()
    assert len(body) <= len(answer)


HOSTILE = {
    "/bomb": (faults.gzip_bomb(1_000_000_000), "too-large"),
    "/bomb-in-gzip": (faults.double_gzip(faults.gzip.compress(bytes(1_000_000))), "gzip-nested"),
    "/endless": (faults.until_close(b"x" * 12_000_000), "too-large"),
    "/members": (faults.ok(faults.gzip.compress(b"") * 200_000), "gzip-members"),
    "/headers": (faults.header_flood(50_000), "header-flood"),
    "/chunk-line": (
        faults.raw(faults.head(transfer_encoding="chunked") + b"1" * 12_000_000),
        "body-cut",
    ),
    "/tail": (faults.gzip_tail_forever(BODY), None),
}
CLIENT = """
import json, resource, sys
from submitter.kit.clock import SystemClock
from submitter.core.fleet import FetchRules, Site
from submitter.errors import FetchError
from submitter.sources.web import WebSource

limit = 128 * 1024 * 1024
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
host, *paths = sys.argv[1:]
RULES = FetchRules(timeout_s=60, max_bytes=8_000_000)
site = Site(host, scheme="http", allow_private=("127.0.0.1/32",), fetch=RULES)
source, seen = WebSource(SystemClock()), {}
for path in paths:
    try:
        with source.fetch(f"http://{host}{path}", site=site) as fetched:
            for piece in fetched.chunks():
                pass
            seen[path] = None
    except FetchError as error:
        seen[path] = error.reason
source.close_all()
print(json.dumps(seen))
"""


def test_hostile_answers_stay_inside_a_small_machine(server: FaultServer) -> None:
    """Run under an address-space limit; the time limit is a watchdog only."""
    for path, (answer, _) in HOSTILE.items():
        server.on(path, answer)
    command = [sys.executable, "-W", "error", "-c", CLIENT, server.authority, *HOSTILE]
    done = subprocess.run(command, timeout=240, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {path: reason for path, (_, reason) in HOSTILE.items()}
