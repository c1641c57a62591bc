"""Shared by the tests of sources: a server that misbehaves, and a client to meet it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from submitter.core.fleet import Site
from submitter.sources.web import WebSource
from support.fault_server import FaultServer
from support.fetching import PatientClock, make_site


@pytest.fixture
def clock() -> PatientClock:
    return PatientClock()


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
def source(clock: PatientClock) -> Iterator[WebSource]:
    web = WebSource(clock)
    yield web
    web.close_all()


@pytest.fixture
def site(server: FaultServer) -> Site:
    return make_site(server)
