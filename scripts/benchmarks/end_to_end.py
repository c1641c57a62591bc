"""From a site on loopback into the ledger: one process, all cores, and the floor of the parser.

    python -m scripts.benchmarks.end_to_end [--pages 1000000] [--rounds 3] [--only flat]

Makes an index over gzip documents of 49,000 pages and serves it from a process of its own. `flat`
reads every page and remembers none, beside a floor that fetches, inflates and parses with the
leanest handlers; and, because it takes so long, two documents beside ultimate-sitemap-parser where
that is installed. `ledger` looks at the site on a first day, on one with 1 % new, 0.5 % changed and
0.2 % gone, and on one on which all bytes are the same. Every run is a process of its own, each way
in turn. Wall times say something on a quiet machine only, so CPU times stand beside them.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import importlib.util
import json
import logging
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

from scripts.benchmarks.reading import HEAD, NAMESPACE, NOW, entry, parse_floor, peak_kb
from submitter.core.fleet import FetchRules, FirstRun, Site
from submitter.core.looks import TellRule
from submitter.kit.clock import SystemClock
from submitter.ledger import open_ledger
from submitter.looking.flatten import flatten
from submitter.looking.observe import observe
from submitter.looking.parallel.pool import ReaderPool
from submitter.looking.walk import Surroundings
from submitter.sources.web import WebSource

HOST = "shop.example.com"
PER_DOCUMENT = 49_000
INDEX, FEW = "index.xml", "few.xml"
RULE = TellRule("engine", FirstRun.RECENT, 30, tells_changed=True, tells_removed=True)


MODULE = "scripts.benchmarks.end_to_end"

# ---------------------------------------------------------------- the site


def write_site(pages: int, folder: Path, day: int) -> None:
    folder.mkdir()
    names = []
    for start in range(0, pages, PER_DOCUMENT):
        names.append(f"{start:010}.xml.gz")
        body = "".join(entries(range(start, min(pages, start + PER_DOCUMENT)), day))
        text = f"{HEAD}{body}</urlset>\n".replace("https://shop", "http://shop")
        (folder / names[-1]).write_bytes(gzip.compress(text.encode(), 6, mtime=0))
    for index, listed in ((INDEX, names), (FEW, names[:2])):
        children = "".join(f"<sitemap><loc>http://{HOST}/{name}</loc></sitemap>" for name in listed)
        text = f'<sitemapindex xmlns="{NAMESPACE}">{children}</sitemapindex>'
        (folder / index).write_text(text, encoding="ascii")


def entries(numbers: range, day: int) -> Iterator[str]:
    """The pages of one document; on the second day some are gone, changed and new."""
    for number in numbers:
        if day and number % 500 == 7:
            continue
        changed = day and number % 200 == 3
        text = entry(number)
        yield re.sub("<lastmod>[^<]*", "<lastmod>2026-11-29", text) if changed else text
        if day and number % 100 == 0:
            yield entry(number + 1_000_000_000)


def serve(folder: Path) -> None:
    """Until standard input ends."""
    documents = {f"/{path.name}": path.read_bytes() for path in folder.iterdir()}

    class Desk(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            body = documents.get(self.path.removeprefix(f"http://{HOST}"), b"")
            self.send_response_only(200 if body else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Desk) as server:
        server.daemon_threads = True
        print(server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        server.shutdown()


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """The port at which a process of its own serves the folder."""
    with subprocess.Popen(
        [sys.executable, "-m", MODULE, "--serve", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        yield int(process.stdout.readline())
        process.stdin.close()


# ---------------------------------------------------------------- ways to read it

Cost = dict[str, float]


class Calendar(SystemClock):
    """Days are counted by hand; durations are real."""

    day = 0

    def now(self) -> datetime:
        return NOW + timedelta(days=self.day)


def floor(port: int) -> int:
    """Fetch, inflate and parse, and nothing else. Gives the number of pages."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    index = b"".join(fetch(connection, f"/{INDEX}")).decode()
    paths = re.findall("<loc>http://[^/]*([^<]*)</loc>", index)
    pages = sum(parse_floor(inflate(fetch(connection, path))) for path in paths)
    connection.close()
    return pages


def fetch(connection: http.client.HTTPConnection, path: str) -> Iterator[bytes]:
    connection.request("GET", path, headers={"Host": HOST})
    with connection.getresponse() as response:
        while piece := response.read1(65_536):
            yield piece


def inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    inflater = zlib.decompressobj(31)
    for piece in pieces:
        while piece:
            yield inflater.decompress(piece, 262_144)
            piece = inflater.unconsumed_tail


def site(port: int, index: str = INDEX) -> Site:
    rules = FetchRules(connect_to={f"{HOST}:80": f"127.0.0.1:{port}"}, timeout_s=600)
    return Site(
        HOST,
        scheme="http",
        sitemaps=(f"http://{HOST}/{index}",),
        allow_private=("127.0.0.0/8",),
        fetch=rules,
    )


def run_floor(ports: list[int]) -> dict[str, Cost]:
    return {"flat": cost_of(partial(floor, ports[0]))}


def run_flat(
    ports: list[int], *, workers: int | None, index: str = INDEX, name: str = "flat"
) -> dict[str, Cost]:
    clock, readers = Calendar(), ReaderPool(workers=workers)
    source = WebSource(clock)
    around = Surroundings(source, clock, readers=readers)
    cost = cost_of(lambda: flatten(site(ports[0], index), around).listed, readers)
    source.close_all()
    return {name: cost}


def run_usp(ports: list[int]) -> dict[str, Cost]:
    """With the server as its proxy, so that it asks for the site's own addresses."""
    logging.disable(logging.WARNING)
    from usp.fetch_parse import SitemapFetcher
    from usp.web_client.requests_client import RequestsWebClient

    client = RequestsWebClient()
    client.set_proxies({"http": f"http://127.0.0.1:{ports[0]}"})

    def read() -> int:
        fetcher = SitemapFetcher(f"http://{HOST}/{FEW}", recursion_level=0, web_client=client)
        return sum(1 for _ in fetcher.sitemap().all_pages())

    return {"two documents": cost_of(read)}


def run_ledger(ports: list[int], *, workers: int | None) -> dict[str, Cost]:
    clock, readers = Calendar(), ReaderPool(workers=workers)
    source, costs = WebSource(clock), {}
    around = Surroundings(source, clock, readers=readers)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        ledger = open_ledger(f"sqlite:///{folder}/ledger.db")
        lease = ledger.acquire("run", "bench", ttl_s=1e6, now=NOW)

        def look(port: int) -> int:
            seen = observe(site(port), ledger=ledger, lease=lease, tell=[RULE], around=around)
            ledger.accept_look(lease, seen.site)
            return seen.listed

        for clock.day, name in enumerate(("first load", "next day", "same bytes")):
            costs[name] = cost_of(partial(look, ports[min(clock.day, 1)]), readers)
        ledger.close()
    source.close_all()
    return costs


def cost_of(work: Callable[[], int], readers: ReaderPool | None = None) -> Cost:
    """What it takes, up to the end of the last worker."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    wall, cpu = time.perf_counter(), cpu_s()
    pages = work()
    pids = readers.pids if readers else []
    worker_peak = max(map(peak_kb, pids), default=0)
    if readers:
        readers.stop()
    own, workers = (after - before for after, before in zip(cpu_s(), cpu, strict=True))
    return {
        "pages": pages,
        "wall_s": time.perf_counter() - wall,
        "cpu_s": own + workers,
        "own_s": own,
        "peak_mb": peak_kb() / 1024,
        "worker_peak_mb": worker_peak / 1024,
    }


def cpu_s() -> tuple[float, float]:
    """Of this process, and of those that it started and that have ended."""
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


WAYS: dict[str, dict[str, Callable[[list[int]], dict[str, Cost]]]] = {
    "flat": {
        "floor": run_floor,
        "one process": partial(run_flat, workers=0),
        "all cores": partial(run_flat, workers=None),
    },
    "peer": {
        "ours": partial(run_flat, workers=0, index=FEW, name="two documents"),
        "ultimate-sitemap-parser": run_usp,
    },
    "ledger": {
        "one process": partial(run_ledger, workers=0),
        "all cores": partial(run_ledger, workers=None),
    },
}


# ---------------------------------------------------------------- in turn, and as ratios


def compare(pages: int, rounds: int, jobs: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-site-") as place:
        for day in (0, 1):
            write_site(pages, Path(place, str(day)), day)
        with serving(Path(place, "0")) as first, serving(Path(place, "1")) as second:
            for job in jobs:
                runs = [
                    {way: measure(job, way, [first, second]) for way in WAYS[job]}
                    for _ in range(rounds)
                ]
                report(runs)


def measure(job: str, way: str, ports: list[int]) -> dict[str, Cost]:
    command = [sys.executable, "-m", MODULE, "--child", job, way, *map(str, ports)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    costs: dict[str, Cost] = json.loads(done.stdout)
    return costs


def report(runs: list[dict[str, dict[str, Cost]]]) -> None:
    """Medians; ratios are medians of the ratios to the first way in each round."""
    base, *_ = runs[0]
    for step in runs[0][base]:
        print(f"\n{step}: {runs[0][base][step]['pages']:,.0f} pages")
        for way in runs[0]:
            costs = [run[way][step] for run in runs]
            ratios = {
                key: median(run[way][step][key] / run[base][step][key] for run in runs)
                for key in ("wall_s", "cpu_s")
            }
            middle = {key: median(cost[key] for cost in costs) for key in costs[0]}
            print(
                f"  {way:23} {middle['wall_s']:6.2f} s wall ({ratios['wall_s']:.2f})"
                f" {middle['cpu_s']:6.2f} s CPU ({ratios['cpu_s']:.2f}),"
                f" {middle['own_s']:5.2f} of it the walk's"
                f" {middle['pages'] / middle['wall_s']:9,.0f} pages/s"
                f" {max(cost['peak_mb'] for cost in costs):4.0f} MB"
                f" + {max(cost['worker_peak_mb'] for cost in costs):3.0f} MB each worker"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(WAYS))
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
    elif given.child:
        job, way, *ports = given.child
        print(json.dumps(WAYS[job][way]([int(port) for port in ports])))
    else:
        compare(given.pages, given.rounds, [given.only] if given.only else installed_jobs())


def installed_jobs() -> list[str]:
    return [job for job in WAYS if job != "peer" or importlib.util.find_spec("usp")]


if __name__ == "__main__":
    main()
