"""What one step adds to the kept numbers of a site, its look and its targets.

The guard's baseline is a look number: a page is in it when it was first listed no later and was
not gone by then. So the numbers since the baseline follow from a page's own row whenever it moves,
and no row is touched to move the baseline.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy import bindparam, update

from submitter.ledger.database import Transaction
from submitter.ledger.schema import look, site
from submitter.ledger.waiting import Tally, store_tally

OF_SITE = update(site).where(site.c.id == bindparam("of_site"))
OF_LOOK = update(look).where(
    look.c.site_id == bindparam("of_site"), look.c.number == bindparam("of_number")
)


@dataclass(slots=True)
class Counts:
    """Changes, to be stored in the transaction that made them."""

    baseline_look: int
    site: Counter[str] = field(default_factory=Counter)
    look: Counter[str] = field(default_factory=Counter)
    kept: Tally = field(default_factory=Counter)

    def appeared(self, pages: int) -> None:
        """Pages that the site never listed before."""
        self.site.update(listed=pages, known=pages, new_since=pages)
        self.look["new"] += pages

    def changed(self, pages: int) -> None:
        self.site["changed_since"] += pages
        self.look["changed"] += pages

    def found(self, pages: int) -> None:
        """Missing pages that are listed again, before they were gone."""
        self.site["listed"] += pages

    def lost(self, pages: int) -> None:
        """Pages that are in none of the documents read so far."""
        self.site["listed"] -= pages

    def went(self, first_look: int) -> None:
        """A missing page is gone."""
        self.site["known"] -= 1
        self.look["gone"] += 1
        if first_look > self.baseline_look:
            self.site["new_since"] -= 1
        else:
            self.site["gone_since"] += 1

    def returned(self, first_look: int, gone_look: int) -> None:
        """A gone page is listed again: neither new nor gone, whenever it went."""
        self.site.update(listed=1, known=1)
        if first_look > self.baseline_look:
            self.site["new_since"] += 1
        elif gone_look > self.baseline_look:
            self.site["gone_since"] -= 1
        else:
            self.site["baseline"] += 1

    def store(self, tx: Transaction, site_id: int, look_number: int) -> None:
        if changes := {name: site.c[name] + more for name, more in self.site.items() if more}:
            tx.execute(OF_SITE.values(changes), of_site=site_id)
        if changes := {name: look.c[name] + more for name, more in self.look.items() if more}:
            tx.execute(OF_LOOK.values(changes), of_site=site_id, of_number=look_number)
        store_tally(tx, self.kept)
