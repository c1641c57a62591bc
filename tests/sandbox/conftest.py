"""Fixtures of the sandbox's own tests."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from sandbox_clients import SearchConsole, ask_token, claims, sign

from submitter.sandbox import Sandbox, SandboxClock
from submitter.sandbox.pytest_plugin import sandbox

__all__ = ["sandbox"]  # the shipped fixture, as a user's conftest would have it

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> SandboxClock:
    return SandboxClock(frozen_at=NOW)


@pytest.fixture
def still(clock: SandboxClock) -> Iterator[Sandbox]:
    """A sandbox in which time passes only when a test says so."""
    with Sandbox(clock=clock) as running:
        yield running


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.fixture(scope="session")
def rsa_key() -> rsa.RSAPrivateKey:
    """One key for all tests: making one is slow."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def console(still: Sandbox, http: requests.Session, rsa_key: rsa.RSAPrivateKey) -> SearchConsole:
    account = still.google.add_account()
    account._key = rsa_key
    token = ask_token(still, http, sign(account, claims(account))).json()["access_token"]
    return SearchConsole(still, http, account, token)
