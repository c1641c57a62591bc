"""Reading sitemaps: ours beside the tuned floor of the parser, in turn, as ratios of CPU time.

    python scripts/benchmarks/reading.py [--pages 1000000] [--rounds 5]

Every run is a process of its own, so that CPU and memory are the whole process's. The floor is
pyexpat with the leanest handlers; it knows no encoding but four, no finding, no limit, no identity
and no date, and it believes every tag that is called loc. `careful` is ours without skimming.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from xml.parsers import expat

from submitter.core.sitemap import ReadLimits, SitemapReader

SITE = "https://shop.example.com"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{NAMESPACE}" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
    'xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
)
PAGES_A_FILE = 50_000
PIECE = 65_536
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def entry(number: int) -> str:
    """About 240 bytes on average; no two pages of one day have the same date."""
    query = f"?colour=red&amp;size={number % 9}" if number % 4 == 0 else ""
    second = number * 7 % 86_400
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    lines = [
        f"<loc>{SITE}/catalogue/section-{number % 97}/product-{number}.html{query}</loc>",
        f"<lastmod>2026-{number % 10 + 1:02}-{number % 28 + 1:02}T{clock}+00:00</lastmod>",
    ]
    if number % 4 == 1:
        image = f"{SITE}/images/{number}.jpg"
        lines.append(f"<image:image><image:loc>{image}</image:loc></image:image>")
    if number % 4 == 2:
        lines += [
            f'<xhtml:link rel="alternate" hreflang="{language}" '
            f'href="{SITE}/{language}/product-{number}.html"/>'
            for language in ("de", "fr", "zh")
        ]
    return "<url>\n" + "\n".join(lines) + "\n</url>\n"


def make_files(pages: int, folder: Path) -> None:
    for start in range(0, pages, PAGES_A_FILE):
        numbers = range(start, min(pages, start + PAGES_A_FILE))
        text = HEAD + "".join(map(entry, numbers)) + "</urlset>\n"
        (folder / f"{start:010}.xml").write_text(text, encoding="utf-8")


def pieces_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


class Tag(str):
    """A name that is told from a text by what it is, not by what it says."""


LOC, LASTMOD, URL = Tag("loc"), Tag("lastmod"), Tag("url")


def read_floor(path: Path) -> int:
    return parse_floor(pieces_of(path))


def parse_floor(pieces: Iterable[bytes]) -> int:
    """How many pages the leanest parser finds."""
    names = {f"{NAMESPACE} {tag}": tag for tag in (LOC, LASTMOD, URL)}
    parser = expat.ParserCreate(None, " ", names)
    parser.buffer_text = True
    events: list[str] = []
    parser.CharacterDataHandler = parser.EndElementHandler = events.append
    count, rest = 0, b""
    for piece in pieces:
        data = rest + piece
        cut = data.rfind(b">") + 1
        rest = data[cut:]
        parser.Parse(data[:cut])
        count += len(resolve(events))
        events.clear()
    parser.Parse(rest, True)
    return count + len(resolve(events))


def resolve(events: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    text = loc = lastmod = ""
    for event in events:
        if event is LOC:
            loc = text
        elif event is LASTMOD:
            lastmod = text
        elif event is URL:
            found.append((loc, lastmod))
            lastmod = ""
        text = event
    return found


def read_ours(path: Path, *, skim: bool = True) -> int:
    reader = SitemapReader(f"{SITE}/{path.name}", now=NOW, limits=ReadLimits(skim=skim))
    count = sum(len(reader.feed(piece)) for piece in pieces_of(path))
    rest, reading = reader.close(transport_complete=True)
    assert reading.complete
    assert not reading.findings, reading.findings
    return count + len(rest)


CONTESTANTS: dict[str, Callable[[Path], int]] = {
    "floor": read_floor,
    "ours": read_ours,
    "careful": lambda path: read_ours(path, skim=False),
}


PEER_FILES = 4
"""Peers read so many files: some take minutes for all."""


def read_with_lxml(path: Path) -> int:
    from lxml import etree

    count = 0
    for _, url in etree.iterparse(str(path), tag=f"{{{NAMESPACE}}}url"):
        found = url.findtext(f"{{{NAMESPACE}}}loc"), url.findtext(f"{{{NAMESPACE}}}lastmod")
        count += found[0] is not None
        url.clear()
        while url.getprevious() is not None:
            del url.getparent()[0]
    return count


def read_with_scrapy(path: Path) -> int:
    from scrapy.utils.sitemap import Sitemap

    return sum("loc" in entry for entry in Sitemap(path.read_bytes()))


def read_with_usp(path: Path) -> int:
    from usp.tree import sitemap_from_str

    return sum(1 for _ in sitemap_from_str(path.read_text(encoding="utf-8")).all_pages())


PEERS: dict[str, tuple[str, Callable[[Path], int]]] = {
    "lxml": ("lxml iterparse", read_with_lxml),
    "scrapy": ("scrapy Sitemap", read_with_scrapy),
    "usp": ("ultimate-sitemap-parser", read_with_usp),
}
"""Module → what it is called, and how it is asked for pages with their dates."""


def run_here(name: str, folder: Path, most: int | None = None) -> None:
    """Read the files and print what it cost this process."""
    read = CONTESTANTS[name] if name in CONTESTANTS else PEERS[name][1]
    pages = sum(read(path) for path in sorted(folder.iterdir())[:most])
    used = resource.getrusage(resource.RUSAGE_SELF)
    cost = {"pages": pages, "cpu_s": used.ru_utime + used.ru_stime, "peak_kb": peak_kb()}
    print(json.dumps(cost))


def peak_kb(process: int | str = "self") -> int:
    """Of this process alone; `ru_maxrss` would count the parent that it was forked from."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


def measure(name: str, folder: Path, most: int | None = None) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", name, str(folder)]
    command += ["--files", str(most)] if most else []
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cost: dict[str, float] = json.loads(done.stdout)
    return cost


def compare(pages: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_files(pages, folder)
        size = sum(path.stat().st_size for path in folder.iterdir())
        print(f"{pages:,} pages, {size / 1e6:.0f} MB, {rounds} rounds")
        runs = [{name: measure(name, folder) for name in CONTESTANTS} for _ in range(rounds)]
        peers = list(compare_peers(folder))
    for name in CONTESTANTS:
        costs = [costs[name] for costs in runs]
        assert all(cost["pages"] == pages for cost in costs)
        cpu = median(cost["cpu_s"] for cost in costs)
        ratio = median(costs[name]["cpu_s"] / costs["floor"]["cpu_s"] for costs in runs)
        peak = max(cost["peak_kb"] for cost in costs) / 1024
        print(
            f"{name:8} {cpu:7.2f} s CPU {pages / cpu:10,.0f} pages/s"
            f"   {ratio:5.2f} x floor   {peak:4.0f} MiB"
        )
    print("\n".join(peers))


def compare_peers(folder: Path) -> Iterator[str]:
    """Each peer that is installed, once, beside ours on the same files."""
    ours = measure("ours", folder, PEER_FILES)
    for module, (title, _) in PEERS.items():
        if find_spec(module) is None:
            yield f"{title}: not installed; scripts/bench sitemaps installs it"
            continue
        cost = measure(module, folder, PEER_FILES)
        yield (
            f"{title}: {cost['pages'] / cost['cpu_s']:,.0f} pages/s, {cost['pages']:,.0f} pages, "
            f"{cost['cpu_s'] / ours['cpu_s']:.1f} x ours, {cost['peak_kb'] / 1024:.0f} MiB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--files", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run_here(arguments.child[0], Path(arguments.child[1]), arguments.files)
    else:
        compare(arguments.pages, arguments.rounds)


if __name__ == "__main__":
    main()
