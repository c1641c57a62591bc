"""Planning 10,000 calls: 5,000 sites with two sitemaps each, and the same with nothing to do."""

from __future__ import annotations

import statistics
import time
from datetime import UTC, datetime

from submitter.core.fleet import Account, Site, Target
from submitter.core.looks import RootLook, SiteLook
from submitter.core.plan import make_plan
from submitter.core.planned import Plan, TargetInput
from submitter.core.standing import SitemapStanding
from submitter.core.states import State
from submitter.engines import ENGINES

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SITES = 5_000
RUNS = 5


def inputs(*, told: bool) -> list[TargetInput]:
    account = Account("gsc", "google", None)
    return [_input(number, account, told=told) for number in range(SITES)]


def _input(number: int, account: Account, *, told: bool) -> TargetInput:
    site = Site(f"s{number}.example.com", domain="example.com", accounts=("gsc",))
    sitemaps = [f"{site.origin}/{name}.xml" for name in ("new", "all")]
    roots = tuple(RootLook(url, True, f"c{number}", NOW, 1_000, True) for url in sitemaps)
    standing = {
        url: SitemapStanding(url, State.ACCEPTED, f"c{number}", NOW, NOW, f"c{number}")
        for url in sitemaps
        if told
    }
    return TargetInput(
        target=Target(site, account),
        traits=ENGINES["google"].traits,
        property="sc-domain:example.com",
        look=SiteLook(site.origin, NOW, first=False, roots=roots, listed=2_000),
        sitemaps=standing,
    )


def timed(given: list[TargetInput]) -> tuple[float, Plan]:
    times = []
    for _ in range(RUNS):
        begun = time.process_time()
        plan = make_plan(given, now=NOW)
        digest = plan.digest
        times.append(time.process_time() - begun)
    assert digest == plan.digest
    return statistics.median(times), plan


def main() -> None:
    fresh, plan = timed(inputs(told=False))
    quiet, nothing = timed(inputs(told=True))
    print(f"10,000 calls to plan   {fresh * 1000:6.0f} ms CPU, {len(plan.actions)} actions")
    print(f"nothing to do          {quiet * 1000:6.0f} ms CPU, {len(nothing.skips)} skips")
    print(f"ratio                  {fresh / quiet:6.2f}")


if __name__ == "__main__":
    main()
