"""An object in a bucket is replaced only by whoever saw its newest version; in both stores."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from submitter.objects import ObjectAddress, ObjectError, Overtaken, open_object
from submitter.objects.errors import Busy
from submitter.objects.gcs import GcsStore
from submitter.objects.stored import TRIES, StoredObject
from support.gcs_store import GcsFake

LIMIT = 1 << 20


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft"
    path.write_bytes(b"first")
    return path


def read(url: str, folder: Path) -> bytes | None:
    copy = folder / "copy"
    return copy.read_bytes() if open_object(url).fetch(copy, max_bytes=LIMIT) else None


def patient(gcs: GcsFake, waits: list[float]) -> StoredObject:
    """At the fake; its waits are noted and cost nothing."""
    address = ObjectAddress.parse(gcs.url())
    return StoredObject(address, GcsStore(address), sleep=waits.append)


# ---------------------------------------------------------------- both stores


def test_what_was_put_is_read(bucket_url: str, tmp_path: Path, draft: Path) -> None:
    assert read(bucket_url, tmp_path) is None
    one = open_object(bucket_url)
    one.replace(draft)
    assert read(bucket_url, tmp_path) == b"first"
    draft.write_bytes(b"second")
    one.replace(draft)
    assert read(bucket_url, tmp_path) == b"second"
    assert one.is_current()


def test_of_two_that_make_it_one_is_overtaken(bucket_url: str, tmp_path: Path, draft: Path) -> None:
    one, other = open_object(bucket_url), open_object(bucket_url)
    one.replace(draft)
    draft.write_bytes(b"other")
    with pytest.raises(Overtaken):
        other.replace(draft)
    assert read(bucket_url, tmp_path) == b"first"
    assert not other.is_current()


def test_of_two_that_replace_it_one_is_overtaken(
    bucket_url: str, tmp_path: Path, draft: Path
) -> None:
    open_object(bucket_url).replace(draft)
    one, other = open_object(bucket_url), open_object(bucket_url)
    for each in (one, other):
        each.fetch(tmp_path / "copy", max_bytes=LIMIT)
    draft.write_bytes(b"one")
    one.replace(draft)
    draft.write_bytes(b"other")
    for _ in range(2):
        with pytest.raises(Overtaken):
            other.replace(draft)
    assert read(bucket_url, tmp_path) == b"one"
    other.fetch(tmp_path / "copy", max_bytes=LIMIT)
    other.replace(draft)
    assert read(bucket_url, tmp_path) == b"other"


def test_no_update_is_lost_between_many_writers(bucket_url: str, tmp_path: Path) -> None:
    """Each adds three lines to what it finds, and begins anew whenever it is overtaken."""

    def add(name: str) -> None:
        path = tmp_path / name
        for number in range(3):
            for _ in range(60):
                one = open_object(bucket_url)
                if not one.fetch(path, max_bytes=LIMIT):
                    path.write_bytes(b"")
                with path.open("ab") as file:
                    file.write(f"{name}{number}\n".encode())
                try:
                    one.replace(path)
                except (Overtaken, Busy):
                    continue
                break

    threads = [threading.Thread(target=add, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = read(bucket_url, tmp_path)
    assert found is not None
    assert sorted(found.decode().split()) == ["a0", "a1", "a2", "b0", "b1", "b2"]


def test_an_object_that_is_too_large_is_refused(
    bucket_url: str, tmp_path: Path, draft: Path
) -> None:
    one = open_object(bucket_url)
    one.replace(draft)
    with pytest.raises(ObjectError, match="more than 4"):
        one.fetch(tmp_path / "copy", max_bytes=4)


@pytest.mark.parametrize(
    "url", ["s3://no-such-bucket-at-all/x", "gs://bucket-of-tests/x?endpoint=http://127.0.0.1:1"]
)
def test_a_store_that_cannot_serve_says_so(s3: str, tmp_path: Path, draft: Path, url: str) -> None:
    with pytest.raises(ObjectError, match=url.partition("?")[0]):
        open_object(url).replace(draft)


# ---------------------------------------------------------------- odd moments


def test_an_answer_that_was_lost_is_asked_for(gcs: GcsFake, tmp_path: Path, draft: Path) -> None:
    one = patient(gcs, [])
    one.replace(draft)
    draft.write_bytes(b"second")
    gcs.script = ["lost"]
    one.replace(draft)
    assert gcs.kept().body == b"second"
    draft.write_bytes(b"third")
    one.replace(draft)
    assert gcs.kept().body == b"third"


def test_a_store_that_is_busy_is_asked_later(gcs: GcsFake, draft: Path) -> None:
    waits: list[float] = []
    one = patient(gcs, waits)
    gcs.script = [429, 503]
    one.replace(draft)
    assert gcs.puts == [429, 503, 200]
    assert waits == [1.0, 2.0]


def test_a_store_that_stays_busy_is_left(gcs: GcsFake, draft: Path) -> None:
    waits: list[float] = []
    gcs.script = [429] * 100
    with pytest.raises(Busy):
        patient(gcs, waits).replace(draft)
    assert gcs.puts == [429] * TRIES
    assert waits == [1.0, 2.0, 4.0, 8.0, 8.0]


def test_a_lost_try_that_arrives_late_is_still_ours(gcs: GcsFake, draft: Path) -> None:
    """The store did it and answered 503 each time: the next replacement builds on it."""
    one = patient(gcs, [])
    one.replace(draft)
    draft.write_bytes(b"late")
    gcs.script = ["lost", 403]
    one.replace(draft)
    draft.write_bytes(b"third")
    with pytest.raises(ObjectError, match="403; the identity needs the role"):
        one.replace(draft)
    one.replace(draft)
    assert gcs.kept().body == b"third"


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("s3://my-bucket/a/ledger.db", ObjectAddress("s3", "my-bucket", "a/ledger.db")),
        ("gs://my.bucket/l.db", ObjectAddress("gs", "my.bucket", "l.db")),
        (
            "s3://my-bucket/l.db?region=eu-west-1&endpoint=http://localhost:9000/",
            ObjectAddress("s3", "my-bucket", "l.db", "http://localhost:9000", "eu-west-1"),
        ),
        (
            "s3://my-bucket/l.db?endpoint=https://minio.example&trust_endpoint=true",
            ObjectAddress("s3", "my-bucket", "l.db", "https://minio.example"),
        ),
    ],
)
def test_an_address_is_read(text: str, address: ObjectAddress) -> None:
    assert ObjectAddress.parse(text) == address
    assert str(address) == text.partition("?")[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("https://my-bucket/l.db", "an object is"),
        ("s3://B/l.db", "no name of a bucket"),
        ("s3://user:secret@my-bucket/l.db", "no name of a bucket"),
        ("s3://my-bucket", "no key"),
        ("s3://my-bucket/", "no key"),
        ("s3://my-bucket/a/", "no key"),
        ("s3://my-bucket/a b", "no key"),
        ("s3://my-bucket/a#b", "no key"),
        ("s3://my-bucket/a?acl=public", "no such option"),
        ("s3://my-bucket/a?endpoint=https://elsewhere.example", "would receive our signature"),
        ("s3://my-bucket/a?endpoint=ftp://127.0.0.1", "an endpoint is an address"),
        ("s3://my-bucket/a?endpoint=http://u:p@127.0.0.1", "an endpoint is an address"),
    ],
)
def test_an_address_that_is_none_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ObjectAddress.parse(text)
