"""Building sitemaps from a publish list: ours beside a plain loop, in turn, as ratios of CPU time.

    python -m scripts.benchmarks.building [--pages 1000000] [--rounds 5]

The list is JSON lines with address, date, type and a flag. Every run is a process of its own, so
that CPU and memory are the whole process's. The plain loop reads each line, escapes every field and
counts to 50,000; it knows no byte limit, no identity of pages, no types, no leaks, no delta, no
stability, and does not read back what it wrote. Modules come compiled, as they are installed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from xml.sax.saxutils import escape

from scripts.benchmarks.logs import compiled

SITE = "https://shop.example.com"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MAX_PAGES = 50_000
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'


def write_list(path: Path, pages: int, *, changed: int = -1, further: int = 0) -> None:
    """The same list every time, but for the date of one page and pages at the end."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(pages + further):
            query = f"?colour=red&size={number % 9}" if number % 4 == 0 else ""
            days = 0.1 if number in (changed, pages) else 3 + number % 900
            row = {
                "url": f"{SITE}/catalogue/section-{number % 97}/product-{number}{query}",
                "lastmod": (NOW - timedelta(days=days, seconds=number % 80_000)).isoformat(),
                "type": "news" if number % 50 == 0 else "products",
                "public": True,
            }
            file.write(json.dumps(row) + "\n")


# ---------------------------------------------------------------- the contenders


def only_the_list(lists: Path, folder: Path) -> None:
    del folder
    with (lists / "first.jsonl").open(encoding="utf-8") as file:
        for line in file:
            json.loads(line)


def plain_loop(lists: Path, folder: Path) -> None:
    number, count, file = 0, MAX_PAGES, None
    for line in (lists / "first.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        if count == MAX_PAGES:
            if file:
                file.write("</urlset>\n")
                file.close()
            number, count = number + 1, 0
            file = (folder / f"plain-{number}.xml").open("w", encoding="utf-8")
            file.write(HEAD)
        assert file is not None
        loc, lastmod = escape(row["url"]), escape(row["lastmod"])
        file.write(f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod></url>\n")
        count += 1
    if file:
        file.write("</urlset>\n")
        file.close()


def first_build(lists: Path, folder: Path) -> None:
    build(lists / "first.jsonl", folder / "ours")


def unproven(lists: Path, folder: Path) -> None:
    """The first build without its read-back: what the writing alone costs."""
    from submitter.publish.writing import ShardWriting

    ShardWriting.check = lambda self, chunks: None  # type: ignore[method-assign] # what it costs
    build(lists / "first.jsonl", folder / "unproven")


def plainly(lists: Path, folder: Path) -> None:
    """Without the extra `fast`: JSON as the standard library reads it."""
    sys.modules["msgspec"] = None  # type: ignore[assignment] # so it is not found
    build(lists / "first.jsonl", folder / "plainly")


def nothing_changed(lists: Path, folder: Path) -> None:
    build(lists / "first.jsonl", folder / "ours", expected=0)


def one_changed(lists: Path, folder: Path) -> None:
    build(lists / "changed.jsonl", folder / "ours", expected=2)  # and the delta


def one_new(lists: Path, folder: Path) -> None:
    build(lists / "new.jsonl", folder / "ours", expected=2)


def nothing_remembered(lists: Path, folder: Path) -> None:
    """As after a change of the options: every line is read, and no file is written."""
    (folder / "ours" / ".sitemap-build").unlink()
    build(lists / "new.jsonl", folder / "ours", expected=0)


def build(path: Path, folder: Path, *, expected: int | None = None) -> None:
    """What the command does, with the number of files that it must touch."""
    from submitter.core.building.orders import BuildOrder
    from submitter.publish import SitemapDirectory
    from submitter.sources.publish_lists import ListFile
    from submitter.stories import building

    wanted = ListFile(str(path), sys.stdin.buffer)
    order = BuildOrder(f"{SITE}/")
    built = building.build(wanted, SitemapDirectory(folder), order, now=NOW)
    touched = sum(one.file.fate != "kept" for one in built.files)
    assert not built.held
    assert expected is None or touched == expected, f"{touched} files touched, not {expected}"


CONTENDERS: dict[str, Callable[[Path, Path], None]] = {
    "reading the list line by line": only_the_list,
    "plain loop": plain_loop,
    "ours, first build": first_build,
    "ours, first build, not read back": unproven,
    "ours, first build, without msgspec": plainly,
    "ours, nothing changed": nothing_changed,
    "ours, one page changed": one_changed,
    "ours, one page more": one_new,
    "ours, nothing changed or remembered": nothing_remembered,
}
REFERENCE = "plain loop"
FIRST = "ours, first build"


# ---------------------------------------------------------------- measuring


def run_in_child(name: str, lists: Path, folder: Path) -> tuple[float, float]:
    """CPU seconds and peak MB of a process that does this and nothing else."""
    command = [sys.executable, "-m", "scripts.benchmarks.building", "--only", name]
    answer = subprocess.run(
        [*command, str(lists), str(folder)],
        check=True,
        capture_output=True,
        text=True,
        env=compiled(lists),
    )
    cpu, peak = json.loads(answer.stdout)
    return cpu, peak


def measure(name: str, lists: Path, folder: Path) -> None:
    CONTENDERS[name](lists, folder)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))


def compare(pages: int, rounds: int) -> None:
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
    with tempfile.TemporaryDirectory() as place:
        lists = Path(place)
        write_list(lists / "first.jsonl", pages)
        write_list(lists / "changed.jsonl", pages, changed=pages // 2)
        write_list(lists / "new.jsonl", pages, changed=pages // 2, further=1)
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                for name in CONTENDERS:
                    seen[name].append(run_in_child(name, lists, Path(folder)))
    print(f"{pages:,} pages, median of {rounds} rounds, each contender in turn\n")
    print(
        "| builder | CPU s | pages/s | CPU over the plain loop | over our first build | peak MB |"
    )
    print("|---|---|---|---|---|---|")
    for name, figures in seen.items():
        cpu, peak = median(one[0] for one in figures), max(one[1] for one in figures)
        ratios = " | ".join(f"{ratio(figures, seen[other]):.2f}" for other in (REFERENCE, FIRST))
        print(f"| {name} | {cpu:.1f} | {pages / cpu:,.0f} | {ratios} | {peak:.0f} |")


def ratio(ours: list[tuple[float, float]], theirs: list[tuple[float, float]]) -> float:
    return median(one[0] / other[0] for one, other in zip(ours, theirs, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--only", nargs=3, metavar=("NAME", "LISTS", "FOLDER"), help=argparse.SUPPRESS
    )
    given = parser.parse_args()
    if given.only:
        name, lists, folder = given.only
        measure(name, Path(lists), Path(folder))
    else:
        compare(given.pages, given.rounds)


if __name__ == "__main__":
    main()
