"""The pages of the quota book that one account's lanes write on during a run. Thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from submitter.core import quota
from submitter.core.calls import Action, Outcome
from submitter.core.lanes import common_property, declared_limit
from submitter.core.standing import Allowance
from submitter.core.traits import OF_SITEMAPS
from submitter.ports import Clock
from submitter.sending.channels import Channel


class LaneBook:
    """Today's allowance of each lane, kept in step with the ledger by the runner."""

    def __init__(
        self, channel: Channel, clock: Clock, allowances: Mapping[tuple[str, str], Allowance]
    ) -> None:
        self._channel, self._clock = channel, clock
        self._pages = dict(allowances)
        self._lock = threading.Lock()

    def open(self, action: Action) -> Allowance | None:
        """Today's page of the action's lane; None where nothing is counted."""
        traits = self._channel.traits
        if not traits.metered or action.kind in OF_SITEMAPS:
            return None
        lane = (action.account, action.property)
        with self._lock:
            allowance = quota.open_allowance(
                *lane,
                traits=traits,
                stored=self._pages.get(lane),
                declared=declared_limit(self._channel.account, traits, action.property),
                now=self._clock.now(),
            )
            self._pages[lane] = allowance
        return allowance

    def keep(self, allowance: Allowance | None) -> None:
        if allowance is not None:
            with self._lock:
                self._pages[allowance.account, allowance.property] = allowance

    def was_answered_today(self) -> bool:
        """An engine gave one of the account's lanes its numbers today: it lets the account in."""
        day = quota.engine_day(self._channel.traits.day_zone, self._clock.now())
        with self._lock:
            pages = list(self._pages.values())
        mine = [page for page in pages if page.account == self._channel.account.name]
        return any(page.day == day and page.reported_left is not None for page in mine)

    def room(self, action: Action) -> int:
        """Pages that the lane's next call may hold now."""
        traits, now = self._channel.traits, self._clock.now()
        first = self._channel.account.settings.get("first_batch", traits.first_batch)
        return quota.batch_limit(traits, self.open(action), now, int(str(first)))

    def beside(self, action: Action) -> Action | None:
        """The same pages in the common lane; None where they are in it."""
        common = common_property(action.property, self._channel.traits)
        return None if common == action.property else replace(action, property=common)

    def reopens(self, action: Action) -> datetime:
        """When a lane without room has some again."""
        now, allowance = self._clock.now(), self.open(action)
        if allowance is not None and quota.is_closed(allowance, now) and allowance.closed_until:
            return allowance.closed_until
        return quota.next_day_starts(self._channel.traits.day_zone, now)

    def carry_unknown(
        self, action: Action, settled: Allowance | None, outcome: Outcome
    ) -> Allowance | None:
        """Book a lost call that crossed the engine's midnight on the new day, too: that page."""
        today = self.open(action)
        if settled is None or today is None or today.day == settled.day:
            return None
        carried = quota.carry_unknown(today, action.cost, outcome)
        if carried is today:
            return None
        self.keep(carried)
        return carried
