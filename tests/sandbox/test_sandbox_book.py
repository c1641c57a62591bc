"""The book that tests compare the ledger with."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from submitter.sandbox import Book, Entry

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def add(book: Book, *accepted: str, key: str = "shop", **rest: object) -> Entry:
    facts = {"call": "push", "account": "a", "status": 200} | rest
    return book.add(at=NOW, key=key, accepted=accepted, **facts)  # type: ignore[arg-type]


def test_entries_are_numbered_in_the_order_they_came() -> None:
    book = Book()
    assert [add(book, page).number for page in ("/a", "/b", "/c")] == [1, 2, 3]
    assert book.accepted() == ["/a", "/b", "/c"]
    assert [entry.number for entry in book.entries(since=1)] == [2, 3]


def test_a_page_taken_again_at_the_same_site_is_a_repeat() -> None:
    book = Book()
    assert add(book, "/a", "/b").repeats == ()
    assert add(book, "/b", "/c").repeats == ("/b",)
    assert add(book, "/b", key="www").repeats == ()
    assert book.more_than_once("push") == {("shop", "/b"): 2}


def test_a_page_twice_in_one_batch_is_a_repeat_of_itself() -> None:
    assert add(Book(), "/a", "/a").repeats == ("/a",)


def test_entries_are_found_by_call_and_key_and_counted_by_code() -> None:
    book = Book()
    add(book, "/a")
    add(book, key="www", code="over-quota")
    add(book, call="token", key="")
    assert [entry.key for entry in book.entries("push")] == ["shop", "www"]
    assert book.accepted("push", "shop") == ["/a"]
    assert (book.count(), book.count(code="over-quota"), book.count(call="token")) == (3, 1, 1)


def test_a_book_with_a_limit_keeps_the_newest() -> None:
    book = Book(limit=2)
    for page in ("/a", "/b", "/c"):
        add(book, page)
    assert book.accepted() == ["/b", "/c"]


def test_a_cleared_book_remembers_no_repeats_but_goes_on_counting() -> None:
    book = Book()
    add(book, "/a")
    book.clear()
    assert add(book, "/a") == book.entries()[0]
    assert book.entries()[0].number == 2
    assert book.entries()[0].repeats == ()


def test_a_book_can_be_written_as_json() -> None:
    book = Book()
    add(book, "/a", refused={"/b": "not_valid"})
    (entry,) = json.loads(json.dumps(book.as_json()))
    assert entry["accepted"] == ["/a"]
    assert entry["refused"] == {"/b": "not_valid"}
    assert entry["at"] == "2026-11-30T00:00:00+00:00"
