"""What is said of an account whose secret is not there."""

from __future__ import annotations

from typing import Final

from submitter.core.findings import Finding, Severity
from submitter.core.fleet import Fleet
from submitter.errors import ConfigError, Fault, SecretUnusable

NEXT: Final = "`submitter check` looks at every account"


def fault_of_secret(fleet: Fleet, account: str, error: ConfigError) -> Fault:
    """Whose secret lacks, how many sites use it, and what to do now."""
    problem = f"{error}; used by {_sites(fleet, account)}; nothing was begun; {NEXT}"
    return Fault(f"accounts.{account}", 0, 0, problem)


def finding_of_secret(fleet: Fleet, account: str, error: ConfigError) -> Finding:
    """As a warning, where nothing needs the secret yet."""
    cause = "secret-unusable" if isinstance(error, SecretUnusable) else "secret-missing"
    message = f"{error}; a run needs it for {_sites(fleet, account)}, and begins nothing without it"
    return Finding(cause, Severity.WARNING, f"accounts.{account}", f"{message}; {NEXT}")


def _sites(fleet: Fleet, account: str) -> str:
    count = sum(account in site.accounts for site in fleet.sites)
    return "1 site" if count == 1 else f"{count:,} sites"
