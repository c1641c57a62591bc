"""Local documents: only those the operator named, read with the same care."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest

from submitter.core.fleet import FetchRules, Site
from submitter.errors import FetchError
from submitter.ports import Fetched
from submitter.sources.files import FileSource
from submitter.sources.web import WebSource
from support import fault_server as faults
from support.fault_server import FaultServer

BODY = b"<urlset>" + b" " * 1_000 + b"</urlset>"
SITE = Site("shop.example", fetch=FetchRules(max_bytes=len(BODY)))


def local(source: WebSource, *names: str, stdin: bytes = b"") -> FileSource:
    return FileSource(names, web=source, stdin=io.BytesIO(stdin))


def read(fetched: Fetched) -> tuple[bytes, bool, bool]:
    body = b"".join(fetched.chunks())
    return body, fetched.complete, fetched.delimited


@pytest.mark.parametrize(
    "data",
    [BODY, gzip.compress(BODY), gzip.compress(gzip.compress(BODY))],
    ids=["plain", "gzip", "gzip twice"],
)
def test_a_named_file_is_read_and_inflated(data: bytes, tmp_path: Path, source: WebSource) -> None:
    name = str(tmp_path / "sitemap.xml")
    Path(name).write_bytes(data)
    with local(source, name).fetch(name, site=SITE) as fetched:
        assert (fetched.url, fetched.final_url, fetched.status) == (name, name, 200)
        assert read(fetched) == (BODY, True, True)


@pytest.mark.parametrize(
    ("data", "proven"), [(BODY, False), (gzip.compress(BODY), True)], ids=["plain", "gzip"]
)
def test_a_pipe_proves_its_end_only_if_it_is_gzip(
    data: bytes, proven: bool, source: WebSource
) -> None:
    with local(source, "-", stdin=data).fetch("-", site=SITE) as fetched:
        assert read(fetched) == (BODY, proven, proven)


def test_a_cut_file_is_not_complete(tmp_path: Path, source: WebSource) -> None:
    name = str(tmp_path / "cut.xml.gz")
    Path(name).write_bytes(gzip.compress(os.urandom(500))[:-4])
    with local(source, name).fetch(name, site=SITE) as fetched:
        body, complete, _ = read(fetched)
    assert (len(body), complete) == (500, False)
    assert [finding.id for finding in fetched.findings] == ["gzip-truncated"]


def test_the_limits_of_the_site_hold(tmp_path: Path, source: WebSource) -> None:
    name = str(tmp_path / "big.xml")
    Path(name).write_bytes(BODY + b"\n")
    with (
        pytest.raises(FetchError) as caught,
        local(source, name).fetch(name, site=SITE) as fetched,
    ):
        read(fetched)
    assert caught.value.reason == "too-large"


@pytest.mark.parametrize("name", ["missing.xml", "."])
def test_a_file_that_cannot_be_read_is_told(name: str, tmp_path: Path, source: WebSource) -> None:
    path = str(tmp_path / name)
    with (
        pytest.raises(FetchError) as caught,
        local(source, path).fetch(path, site=SITE),
    ):
        pytest.fail("was opened")
    assert caught.value.reason == "file-unreadable"


@pytest.mark.parametrize("asked", ["{}/secret.txt", "file://{}/secret.txt", "secret.txt", "-"])
def test_a_document_never_names_a_file(asked: str, tmp_path: Path, source: WebSource) -> None:
    (tmp_path / "secret.txt").write_text("c4nary")
    named = str(tmp_path / "index.xml")
    with (
        pytest.raises(FetchError) as caught,
        local(source, named, stdin=b"c4nary").fetch(asked.format(tmp_path), site=SITE),
    ):
        pytest.fail("was opened")
    assert caught.value.reason in {"bad-url", "bad-scheme"}


def test_an_address_in_a_local_index_goes_through_the_guarded_client(
    tmp_path: Path, server: FaultServer, source: WebSource, site: Site
) -> None:
    server.on("/child.xml", faults.ok(BODY))
    files = local(source, str(tmp_path / "index.xml"))
    with files.fetch(server.url("/child.xml"), site=site) as fetched:
        assert read(fetched) == (BODY, True, True)
