"""Reading access logs: the whole `crawlers` command beside a bare loop, in turn, as ratios of CPU.

    python scripts/benchmarks/logs.py [--lines 2000000] [--rounds 5]

Every run is a process of its own, so that CPU and memory are the whole process's; the program is
compiled before the first counts, as an installed one is. The floor splits
each line at its quotes, classifies each user agent once, and adds up bytes by bot, status and first
folder; it knows one format, no site, no page, no address, no day, and counts a line twice when it
is read twice. `report` reads the log without an inventory, `kept` into a new ledger that lists
100,000 pages, `again` once more into the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

SITE = "https://shop.example.com"
PAGES = 100_000
BOTS = {
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "66.249.66.",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)": "157.55.39.",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)": "52.230.152.",
    "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/s.html)": "116.179.32.",
    "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)": "216.73.216.",
}
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/{}.0.0.0 Safari/537.36"
BOT_SHARE = 0.22
STATUSES = (200, 200, 200, 200, 304, 301, 404, 503)
INVENTORY = """\
version: 1
name: bench
ledger: sqlite:///ledger.db
accounts: {baidu: {engine: baidu, token: env:BAIDU_TOKEN}}
sites:
  - domain: example.com
    accounts: [baidu]
    subdomains: [shop]
    sections: [{name: odd, match: "/catalogue/section-?/*"}, {name: rest, match: "/*"}]
"""


def page(number: int) -> str:
    return f"/catalogue/section-{number % 97}/product-{number}"


def write_log(path: Path, lines: int) -> None:
    """A week of a shop, in order; half of the bots' pages are among a few that they love."""
    chance = random.Random(1)  # noqa: S311  # the same log every time
    agents = list(BOTS)
    with path.open("w", encoding="ascii") as file:
        for number in range(lines):
            second = number * 7 * 86_400 // lines
            day, clock = divmod(second, 86_400)
            agent = chance.choice(agents) if chance.random() < BOT_SHARE else ""
            address = f"{BOTS[agent]}{chance.randint(1, 60)}" if agent else "198.51.100.7"
            agent = agent or CHROME.format(chance.randint(80, 140))
            loved = chance.random() < 0.5
            which = int(chance.paretovariate(0.35)) if loved else chance.randrange(PAGES)
            target = page(which % PAGES)
            if chance.random() < 0.1:
                target += f"?colour={chance.randint(0, 99)}"
            file.write(
                f"shop.example.com {address} - - [{20 + day:02}/Nov/2026:{clock // 3600:02}"
                f":{clock // 60 % 60:02}:{clock % 60:02} +0000]"
                f' "GET {target} HTTP/1.1" {chance.choice(STATUSES)} {chance.randint(0, 90_000)}'
                f' "{SITE}/" "{agent}"\n'
            )


def make_ledger(folder: Path) -> None:
    """An inventory, and a ledger that lists the shop's pages."""
    from datetime import UTC, datetime

    from submitter.core.looks import DocumentKind, PageRow, Validators
    from submitter.ledger import open_ledger
    from submitter.ports import DocumentResult

    (folder / "inventory.yaml").write_text(INVENTORY, encoding="utf-8")
    now = datetime(2026, 11, 1, tzinfo=UTC)
    ledger = open_ledger(f"sqlite:///{folder}/ledger.db")
    lease = ledger.acquire("run", "bench", ttl_s=60, now=now)
    look = ledger.look(lease, SITE, tell=(), at=now)
    for start in range(0, PAGES, 50_000):
        url = f"{SITE}/sitemap-{start}.xml"
        sink = look.open(url)
        locs = [SITE + page(number) for number in range(start, start + 50_000)]
        sink.add([PageRow(loc, loc, None, "rest", 0) for loc in locs])
        sink.close(DocumentResult(DocumentKind.URLSET, True, url, url, Validators()))
    look.finish(gone_after=1, complete=True)
    ledger.accept_look(lease, SITE)
    ledger.release(lease)
    ledger.close()


TOKENS = [agent.encode() for agent in BOTS]


def floor(log: Path) -> int:
    bots: dict[bytes, int | None] = {}
    sums: Counter[tuple[int, bytes, bytes]] = Counter()
    hits = 0
    with log.open("rb") as file:
        for line in file:
            parts = line.split(b'"')
            agent = parts[5]
            if agent not in bots:
                bots[agent] = TOKENS.index(agent) if agent in TOKENS else None
            bot = bots[agent]
            if bot is not None:
                hits += 1
                folder = parts[1].split(b"/", 3)[2]
                sums[bot, parts[2][1:4], folder] += int(parts[2][5:])
    return hits


def crawlers(log: Path, *, inventory: bool) -> int:
    import io
    from contextlib import redirect_stdout

    from submitter.cli.exits import run

    written = io.StringIO()
    os.chdir(log.parent if inventory else tempfile.mkdtemp())
    with redirect_stdout(written):
        code = run(["crawlers", str(log), "--json"])
    assert code == 0, written.getvalue()[:500]
    return int(json.loads(written.getvalue())["reading"]["bots"])


CONTESTANTS: dict[str, Callable[[Path], int]] = {
    "floor": floor,
    "report": lambda log: crawlers(log, inventory=False),
    "kept": lambda log: crawlers(log, inventory=True),
    "again": lambda log: crawlers(log, inventory=True),
}


def compiled(folder: Path) -> dict[str, str]:
    """An environment where Python keeps what it compiled, whatever the caller's says."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def measured(name: str, log: Path) -> dict[str, float]:
    """One contestant in a process of its own."""
    words = [sys.executable, "-m", "scripts.benchmarks.logs", "--contestant", name, str(log)]
    done = subprocess.run(
        words, check=True, capture_output=True, text=True, env=compiled(log.parent)
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def made_anew(folder: Path) -> None:
    """In a process of its own: memory that a parent once had is laid to its children's charge."""
    for old in folder.glob("ledger.db*"):
        old.unlink()
    words = [sys.executable, "-m", "scripts.benchmarks.logs", "--ledger", str(folder)]
    subprocess.run(words, check=True)


def compete(name: str, log: Path) -> None:
    hits = CONTESTANTS[name](log)
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime
    print(json.dumps({"hits": hits, "cpu": cpu, "mb": used.ru_maxrss / 1024}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--contestant", nargs=2)
    parser.add_argument("--ledger", type=Path)
    wish = parser.parse_args()
    if wish.ledger:
        make_ledger(wish.ledger)
        return
    if wish.contestant:
        compete(wish.contestant[0], Path(wish.contestant[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "access.log"
        write_log(log, wish.lines)
        size = log.stat().st_size / 1e6
        print(f"{wish.lines:,} lines, {size:,.0f} MB, {BOT_SHARE:.0%} of bots")
        few = folder / "few.log"
        write_log(few, 1_000)
        made_anew(folder)
        for one in CONTESTANTS:
            measured(one, few)
        rounds: list[dict[str, dict[str, float]]] = []
        for _ in range(wish.rounds):
            made_anew(folder)
            rounds.append({one: measured(one, log) for one in CONTESTANTS})
            assert len({found["hits"] for found in rounds[-1].values()}) == 1
    for one in CONTESTANTS:
        cpu = median(found[one]["cpu"] for found in rounds)
        ratio = median(found[one]["cpu"] / found["floor"]["cpu"] for found in rounds)
        memory = max(found[one]["mb"] for found in rounds)
        print(
            f"{one:8} {cpu:7.1f} s {wish.lines / cpu:10,.0f} lines/s"
            f" {ratio:6.2f} x floor {memory:6.0f} MB"
        )


if __name__ == "__main__":
    main()
