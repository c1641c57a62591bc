"""Building sitemap files: ours beside a plain loop, in turn, as ratios of CPU time.

    python scripts/benchmarks/building.py [--pages 1000000] [--rounds 5]

Every run is a process of its own, so that CPU and memory are the whole process's. The plain loop
escapes every field and counts to 50,000; it knows no byte limit, no identity of pages, no
stability, and does not read back what it wrote.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from xml.sax.saxutils import escape

from submitter.core.shards import BAIDU, Family
from submitter.core.sieve import PageSieve
from submitter.publish import SitemapDirectory
from submitter.publish.writing import ShardWriting

SITE = "https://shop.example.com"
FAMILY = Family("baidu", BAIDU)
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'


def rows(pages: int, changed: int = -1) -> Iterator[tuple[str, str]]:
    """The same list every time, but for the date of one page."""
    for number in range(pages):
        query = f"?colour=red&size={number % 9}" if number % 4 == 0 else ""
        month, day = (11, 30) if number == changed else (number % 12 + 1, number % 28 + 1)
        loc = f"{SITE}/catalogue/section-{number % 97}/product-{number}{query}"
        yield loc, f"2026-{month:02}-{day:02}"


def only_the_list(pages: int, folder: Path) -> None:
    del folder
    for _ in rows(pages):
        pass


def plain_loop(pages: int, folder: Path) -> None:
    number, count, file = 0, BAIDU.max_pages, None
    for loc, lastmod in rows(pages):
        if count == BAIDU.max_pages:
            if file:
                file.write("</urlset>\n")
                file.close()
            number, count = number + 1, 0
            file = (folder / f"plain-{number}.xml").open("w", encoding="utf-8")
            file.write(HEAD)
        assert file is not None
        file.write(f"<url><loc>{escape(loc)}</loc><lastmod>{escape(lastmod)}</lastmod></url>\n")
        count += 1
    if file:
        file.write("</urlset>\n")
        file.close()


def first_build(pages: int, folder: Path) -> None:
    build(pages, folder, expected=-(-pages // BAIDU.max_pages))


def unproven(pages: int, folder: Path) -> None:
    """The first build without its read-back: what the writing alone costs."""
    ShardWriting.check = lambda self, chunks: None  # type: ignore[method-assign]
    first_build(pages, folder / "unproven")


def nothing_changed(pages: int, folder: Path) -> None:
    build(pages, folder, expected=0)


def one_changed(pages: int, folder: Path) -> None:
    build(pages, folder, changed=pages // 2, expected=1)


def build(pages: int, folder: Path, *, changed: int = -1, expected: int) -> None:
    """The work of the builder, with the number of files that it must touch."""
    sieve = PageSieve(SITE, BAIDU)
    with SitemapDirectory(folder).edition() as edition:
        draft = edition.draft(FAMILY)
        draft.add(sieve.sift(rows(pages, changed)))
        change = draft.finish()
        edition.publish()
    touched = sum(file.fate != "kept" for file in change.files)
    assert touched == expected, f"{touched} files touched, not {expected}"
    assert sum(file.pages for file in change.files) == pages


CONTENDERS: dict[str, Callable[[int, Path], None]] = {
    "the list alone": only_the_list,
    "plain loop": plain_loop,
    "ours, first build": first_build,
    "ours, first build, not read back": unproven,
    "ours, nothing changed": nothing_changed,
    "ours, one page changed": one_changed,
}
REFERENCE = "plain loop"


def run_in_child(name: str, pages: int, folder: Path) -> tuple[float, float]:
    """CPU seconds and peak MB of a process that does this and nothing else."""
    command = [sys.executable, __file__, "--pages", str(pages), "--only", name, str(folder)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    cpu, peak = json.loads(answer.stdout)
    return cpu, peak


def measure(name: str, pages: int, folder: Path) -> None:
    CONTENDERS[name](pages, folder)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))


def compare(pages: int, rounds: int) -> None:
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for name in CONTENDERS:
                seen[name].append(run_in_child(name, pages, Path(folder)))
    print(f"{pages:,} pages, median of {rounds} rounds, each contender in turn\n")
    print("| builder | CPU s | pages/s | CPU over the plain loop | peak MB |")
    print("|---|---|---|---|---|")
    for name, figures in seen.items():
        pairs = zip(figures, seen[REFERENCE], strict=True)
        ratio = median(ours[0] / theirs[0] for ours, theirs in pairs)
        cpu, peak = median(one[0] for one in figures), max(one[1] for one in figures)
        print(f"| {name} | {cpu:.1f} | {pages / cpu:,.0f} | {ratio:.2f} | {peak:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        measure(given.only[0], given.pages, Path(given.only[1]))
    else:
        compare(given.pages, given.rounds)


if __name__ == "__main__":
    main()
