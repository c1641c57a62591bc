"""A real Chromium, where there is one, and a place for its pictures."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome")
                 if (path := shutil.which(name))), None)  # fmt: skip
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PICTURES = "SUBMITTER_TEST_PICTURES"
DESKTOP, PHONE, SMALLEST = (1280, 900), (390, 844), (320, 640)


@contextmanager
def chromium() -> Iterator[Any]:
    """Skips with the reason where no browser can be driven."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    with driver.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """One page in a tab of its own, with everything it complained of or asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def visiting(
    browser: Any,
    address: str,
    *,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
    script: bool = True,
    offline: bool = False,
    calm: bool = True,
) -> Iterator[Visit]:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        java_script_enabled=script,
        offline=offline,
        reduced_motion="reduce" if calm else "no-preference",
    )
    context.set_default_timeout(20_000)
    try:
        visit = Visit(context.new_page())
        visit.page.on("console", lambda message: visit.complaints.append(message.text))
        visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.goto(address)
        yield visit
    finally:
        context.close()


def picture_folder() -> Path:
    """Where people look at pictures afterwards."""
    named = os.environ.get(PICTURES)
    folder = Path(named) if named else Path(tempfile.gettempdir()) / "submitter-test-pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def keep_picture(page: Any, name: str) -> Path:
    path = picture_folder() / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.png"
    page.screenshot(path=path)
    return path
