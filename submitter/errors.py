"""Every error of the product, named after what the caller does next.

SubmitterError
├── ConfigError(faults)                       a human edits the file (or the command line)
│   ├── SecretUnusable                        the secret is there; a human corrects it or its rights
│   └── SecretOutOfReach                      its store did not answer; try again
├── FetchError(url, reason, problem)          this document is reported; others go on
├── SitemapError(url, reason, problem)        this document is reported; others go on
├── PublishError(path, problem)               free the folder; what stood there stands
├── Undelivered(where, problem)               tell it again later; it is still to be told
├── UnsafePlan                                look at the plan again; --force REASON overrides
├── EngineError(engine, problem)
│   ├── EngineUnavailable(retry_after_s)      not taken; wait and try again in this run
│   │   └── TooFast                           slow the whole account down first
│   ├── QuotaExhausted(resets_at)             close this lane until then
│   ├── NotAuthorized(scope, cause)           close this account or property; tell a human why
│   │   └── MaybeTooFast                      but only pause it when the account worked today
│   ├── Refused                               never send the same bytes again
│   ├── NotReady(not_before, scope)           the engine is not ready for it; ask again later
│   └── OutcomeUnknown                        sent, no readable answer: the written rule decides
└── LedgerError                               stop; nothing may be sent without memory
    ├── LedgerBusy                            another run holds the ledger
    └── LeaseLost                             this run was taken for dead; it must stop writing

No message ever holds a secret, a full query string, or more than 200 characters of a body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self


class SubmitterError(Exception):
    """Base of every error that this product raises on purpose."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a file a person wrote; `line` and `column` count from 1, 0 = unknown."""

    where: str
    line: int
    column: int
    problem: str

    def __str__(self) -> str:
        place = f"{self.where}:{self.line}:{self.column}" if self.line else self.where
        return f"{place}: {self.problem}"


class ConfigError(SubmitterError):
    """A human has to edit a file, a variable or a command line. Carries all faults at once."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    @classmethod
    def one(cls, where: str, problem: str) -> Self:
        return cls([Fault(where, 0, 0, problem)])


class SecretUnusable(ConfigError):
    """Something stands where a secret's reference points, and it cannot be used as one."""


class SecretOutOfReach(ConfigError):
    """Whether a secret is there is not known: its store did not answer. Another time it may."""


class FetchError(SubmitterError):
    """A document could not be had. `reason` is a stable kebab-case code (see docs of findings);
    `redirects` counts those that came before it failed, `led_to` is where the last one led."""

    def __init__(
        self,
        url: str,
        reason: str,
        problem: str,
        *,
        http_status: int | None = None,
        retry_after_s: float | None = None,
        redirects: int = 0,
        led_to: str = "",
    ) -> None:
        self.url, self.reason, self.problem = url, reason, problem
        self.http_status, self.retry_after_s = http_status, retry_after_s
        self.redirects, self.led_to = redirects, led_to
        super().__init__(f"{url}: {problem}")


class SitemapError(SubmitterError):
    """A document was had but is no sitemap we may use. `reason` is a stable kebab-case code."""

    def __init__(self, url: str, reason: str, problem: str) -> None:
        self.url, self.reason, self.problem = url, reason, problem
        super().__init__(f"{url}: {problem}")


class PublishError(SubmitterError):
    """A folder of published files cannot be read or written. Every file there is old or new."""

    def __init__(self, path: str, problem: str) -> None:
        self.path, self.problem = path, problem
        super().__init__(f"{path}: {problem}")


class Undelivered(SubmitterError):
    """A message to people did not arrive. `where` names the host only: an address may be secret."""

    def __init__(self, where: str, problem: str) -> None:
        self.where, self.problem = where, problem
        super().__init__(f"{where}: {problem}")


class UnsafePlan(SubmitterError):
    """The plan is not the one that was agreed to, or looks like an accident; nothing was sent."""


class EngineError(SubmitterError):
    """A call to an engine did not end in a receipt.

    `code` is the engine's own code or reason, `http_status` the status that was read (None: none
    was), `quota_left` what the engine said is left today, `sent` whether bytes may have left.
    """

    def __init__(
        self,
        engine: str,
        problem: str,
        *,
        http_status: int | None = None,
        code: str | None = None,
        quota_left: int | None = None,
        sent: bool = True,
    ) -> None:
        self.engine, self.problem = engine, problem
        self.http_status, self.code, self.quota_left, self.sent = (
            http_status,
            code,
            quota_left,
            sent,
        )
        super().__init__(f"{engine}: {problem}")


class EngineUnavailable(EngineError):
    """Not taken, nothing spent: wait (`retry_after_s` if the engine said so) and try again."""

    def __init__(
        self, engine: str, problem: str, *, retry_after_s: float | None = None, **facts: object
    ) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(engine, problem, **facts)  # type: ignore[arg-type]  # same keywords


class TooFast(EngineUnavailable):
    """As above, and the engine wants fewer calls: the whole account slows down first."""


class QuotaExhausted(EngineError):
    """Nothing was taken and nothing more will be until `resets_at` (None: the lane's next day)."""

    def __init__(
        self, engine: str, problem: str, *, resets_at: datetime | None = None, **facts: object
    ) -> None:
        self.resets_at = resets_at
        super().__init__(engine, problem, **facts)  # type: ignore[arg-type]  # same keywords


class NotAuthorized(EngineError):
    """The credential, the property or the settings are wrong; nothing was spent.

    `scope` says what to close for the rest of the run; `cause` is a stable kebab-case code;
    `next_step` tells a person what to do, in words of the engine's own console.
    """

    def __init__(
        self,
        engine: str,
        problem: str,
        *,
        scope: Literal["account", "property"],
        cause: str,
        next_step: str = "",
        **facts: object,
    ) -> None:
        self.scope, self.cause, self.next_step = scope, cause, next_step
        super().__init__(engine, problem, **facts)  # type: ignore[arg-type]  # same keywords


class MaybeTooFast(NotAuthorized):
    """As above; but the engine says the same to calls that come too often, so on a day on which
    it let the account in, that is what it means."""


class Refused(EngineError):
    """The engine read the call and does not want it; the same bytes are never sent again."""


class NotReady(EngineError):
    """The engine cannot take this yet (host not loaded, key still checked); nothing spent.
    `scope` says what waits: this item, or all of its property."""

    def __init__(
        self,
        engine: str,
        problem: str,
        *,
        not_before: datetime | None = None,
        scope: Literal["item", "property"] = "item",
        **facts: object,
    ) -> None:
        self.not_before, self.scope = not_before, scope
        super().__init__(engine, problem, **facts)  # type: ignore[arg-type]  # same keywords


class OutcomeUnknown(EngineError):
    """Bytes left and no answer could be read; counts as spent until the written rule decides."""


class LedgerError(SubmitterError):
    """The memory cannot be trusted or written: stop, nothing may be sent without it."""


class LedgerBusy(LedgerError):
    """Another run holds the ledger (exit 75)."""


class LeaseLost(LedgerError):
    """Our lease ran out and somebody else took the ledger: write nothing, send nothing."""
