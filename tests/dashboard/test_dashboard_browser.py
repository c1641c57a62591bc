"""The dashboard in a real Chromium: it works as a person uses it, and pictures are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import (
    DESKTOP,
    PHONE,
    SMALLEST,
    chromium,
    keep_picture,
    visiting,
)
from painted_ledger import Painted, Painting

SITE = "https://news.example.com"
SITE_VIEW = "#/site/https%3A%2F%2Fnews.example.com"
PLACES = ("home", "fleet", "lanes", "submissions", "sitemaps", "crawl", "runs")
SIDEWAYS = "document.documentElement.scrollWidth - window.innerWidth"
CONTRAST = """(selectors) => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, n) => sum + one * [0.2126, 0.7152, 0.0722][n], 0);
  const under = (made) => {
    for (let one = made; one; one = one.parentElement) {
      const found = rgb(getComputedStyle(one).backgroundColor);
      if (found[3] === 255) return found;
    }
    return [255, 255, 255, 255];
  };
  return selectors.map((selector) => {
    const made = document.querySelector(selector);
    if (!made) return [selector, 99];
    const ink = light(rgb(getComputedStyle(made).color));
    const pair = [ink, light(under(made))].sort((a, b) => b - a);
    return [selector, (pair[0] + 0.05) / (pair[1] + 0.05)];
  });
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def url(page_file: Path) -> str:
    return page_file.as_uri()


# ---------------------------------------------------------------- looks


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE, SMALLEST], ids=["desktop", "phone", "smallest"])
def test_the_page_fits_and_is_kept_as_a_picture(
    browser: Any, url: str, size: tuple[int, int], dark: bool
) -> None:
    with visiting(browser, url, size=size, dark=dark, offline=True) as visit:
        page = visit.page
        name = f"{size[0]} {'dark' if dark else 'light'}"
        for place in PLACES if size != SMALLEST else ():
            page.evaluate(f"document.getElementById('{place}').scrollIntoView()")
            keep_picture(page, f"{name} {place}")
        assert page.evaluate(SIDEWAYS) <= 0
        page.evaluate(f"location.hash = '{SITE_VIEW}'")
        page.locator("#view h2").wait_for()
        assert page.evaluate(SIDEWAYS) <= 0
        keep_picture(page, f"{name} site")
        page.evaluate("location.hash = '#/log?state=rejected'")
        page.get_by_role("heading", name="Calls").wait_for()
        assert page.evaluate(SIDEWAYS) <= 0
        keep_picture(page, f"{name} log")
        assert visit.complaints == []
        assert [one for one in visit.requests if not one.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_words_stand_out_from_what_they_stand_on(browser: Any, url: str, dark: bool) -> None:
    """At least 4.5 to 1.
    Source: https://www.w3.org/TR/WCAG22/#contrast-minimum, read 2026-11-30."""
    wanted = [
        *(f".s.t-{tone}" for tone in ("good", "mild", "wait", "odd", "bad", "none")),
        ".lead", ".as-of", "thead th", "tbody td", "tbody a", ".nil", ".k-cell time", "nav a",
        ".tile b", ".tile span", "footer", ".axis", "details summary", "button",
    ]  # fmt: skip
    with visiting(browser, url, dark=dark) as visit:
        found = dict(visit.page.evaluate(CONTRAST, wanted))
    assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}


def test_a_person_may_turn_the_theme(browser: Any, url: str) -> None:
    with visiting(browser, url) as visit:
        page = visit.page
        colour = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(colour)
        page.get_by_role("button", name="Theme: auto").click()
        page.get_by_role("button", name="Theme: light").click()
        assert page.evaluate(colour) != light
        page.reload()
        assert page.evaluate(colour) != light


# ---------------------------------------------------------------- use


def test_the_matrix_is_found_in_sorted_and_paged(browser: Any, url: str) -> None:
    with visiting(browser, url) as visit:
        fleet = visit.page.locator("#fleet")
        rows = fleet.locator("tbody tr")
        assert rows.count() == 24
        assert "failing" in rows.first.inner_text()
        fleet.get_by_role("searchbox").fill("news")
        assert rows.count() == 2
        fleet.get_by_role("searchbox").fill("")
        fleet.get_by_label("State").select_option("late")
        assert rows.count() == 6
        fleet.get_by_label("State").select_option("")
        fleet.get_by_role("button", name="Pages").click()
        heading = fleet.get_by_role("columnheader", name="Pages")
        assert heading.get_attribute("aria-sort") == "descending"
        numbers = fleet.locator("tbody td.k-count").all_inner_texts()
        assert [int(one.replace(",", "")) for one in numbers] == sorted(
            (int(one.replace(",", "")) for one in numbers), reverse=True
        )


def test_every_number_of_a_cause_leads_to_its_rows(browser: Any, url: str) -> None:
    with visiting(browser, url) as visit:
        page = visit.page
        causes = page.locator("[data-table=causes] tbody tr")
        for place in range(causes.count()):
            number = causes.nth(place).locator("td.k-count a").first
            expected = int(number.inner_text().replace(",", ""))
            number.click()
            page.get_by_role("heading", name="Calls").wait_for()
            status = page.locator("#view [role=status]").inner_text()
            here = int(status.partition(" of ")[2].replace(",", "") or 0)
            note = page.locator("#view .note").inner_text()
            assert here == expected or f"{here} of {expected} rows are here" in note
            assert "submitter log" in note
            page.get_by_role("link", name="Back to the whole fleet").click()


@pytest.mark.parametrize("place", range(4))
def test_a_counter_leads_to_what_it_counts(browser: Any, url: str, place: int) -> None:
    with visiting(browser, url) as visit:
        page = visit.page
        tile = page.locator(".tile a").nth(place)
        wanted = tile.locator("b").inner_text().partition(" ")[0].replace(",", "")
        tile.click()
        page.locator("#view h2").wait_for()
        status = page.locator("#view [role=status]").inner_text()
        rows = int(status.partition(" of ")[2].replace(",", ""))
        if "waiting" in page.url:
            cells = page.locator("#view tbody td[data-label=Waiting]").all_inner_texts()
            assert sum(int(one.replace(",", "")) for one in cells) == int(wanted)
        else:
            assert rows == int(wanted)


def test_a_site_shows_the_engines_own_words(browser: Any, url: str) -> None:
    with visiting(browser, url) as visit:
        page = visit.page
        page.locator("#fleet").get_by_role("link", name="jobs.example.com", exact=True).click()
        page.locator("#view h2").wait_for()
        assert page.evaluate("document.activeElement.tagName") == "H2"
        assert "jobs.example.com" in page.title()
        words = page.locator("#view").inner_text()
        assert "User does not have sufficient permission" in words
        assert "submitter log --site https://jobs.example.com" in words
        page.go_back()
        page.locator("#fleet").wait_for()
        assert page.locator("#view").is_hidden()


def test_a_keyboard_reaches_everything(browser: Any, url: str) -> None:
    with visiting(browser, url) as visit:
        page = visit.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('.tile') !== null")
        style = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(style) == "solid"
        page.locator("#fleet").get_by_role("button", name="google").focus()
        page.keyboard.press("Enter")
        head = page.locator("#fleet").get_by_role("columnheader", name="google")
        assert head.get_attribute("aria-sort") == "ascending"


def test_a_screen_reader_is_told_tables_states_and_times(browser: Any, url: str) -> None:
    with visiting(browser, url) as visit:
        tree = visit.page.locator("#fleet").aria_snapshot()
        assert 'table "Sites and engines"' in tree
        assert 'rowheader "docs1.example.com"' in tree
        assert "28 days: 28 failed" in tree
        assert visit.page.get_by_role("img", name="Calls by day and state").count() == 1
        times = visit.page.locator("#fleet time").first
        assert str(times.get_attribute("title")).endswith("Z")
        assert visit.page.locator("html").get_attribute("lang") == "en"
        for table in visit.page.locator("main table").all():
            assert table.locator("caption").text_content()


def test_tables_keep_their_roles_on_a_phone(browser: Any, url: str) -> None:
    with visiting(browser, url, size=PHONE) as visit:
        tree = visit.page.locator("#fleet").aria_snapshot()
        assert 'rowheader "docs1.example.com"' in tree
        visit.page.locator("#fleet").get_by_label("Sort by").select_option(label="Pages")
        assert visit.page.locator("#fleet tbody tr").count() == 10


def test_without_a_script_the_first_rows_and_the_rest_are_named(browser: Any, url: str) -> None:
    with visiting(browser, url, script=False) as visit:
        page = visit.page
        assert page.locator("#fleet tbody tr").count() == 24
        assert "failing" in page.locator("#fleet tbody tr").first.inner_text()
        assert "more rows need a script" in page.locator("#sitemaps").inner_text()
        keep_picture(page, "1280 light without script")


def test_hostile_words_run_nowhere(browser: Any, url: str) -> None:
    with visiting(browser, url) as visit:
        page = visit.page
        page.on("dialog", lambda dialog: visit.complaints.append("a dialog opened"))
        page.evaluate("location.hash = '#/log?state=rejected'")
        page.get_by_role("heading", name="Calls").wait_for()
        assert "<script>alert('x')</script>" in page.locator("#view").inner_text()
        assert page.locator("#view script").count() == 0
        page.evaluate("location.hash = '#/site/%3Cimg%20src=x%20onerror=alert(1)%3E'")
        page.wait_for_function("document.title.includes('<img')")
        assert page.locator("#view img").count() == 0
        page.evaluate("location.hash = '#/site/%E0%A4%A'")
        page.locator("#fleet").wait_for()
        assert visit.complaints == []


def test_a_csv_is_saved_of_what_is_chosen(browser: Any, url: str, tmp_path: Path) -> None:
    with visiting(browser, url) as visit:
        fleet = visit.page.locator("#fleet")
        fleet.get_by_role("searchbox").fill("news")
        with visit.page.expect_download() as saved:
            fleet.get_by_role("button", name="CSV").click()
        saved.value.save_as(tmp_path / "fleet.csv")
    lines = (tmp_path / "fleet.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("site,pages,looked,google")
    assert len(lines) == 3


# ---------------------------------------------------------------- live, and large


def test_the_live_page_leads_to_pages_of_the_server(browser: Any, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.page
        page.locator("#fleet").get_by_role("link", name="jobs.example.com", exact=True).click()
        page.wait_for_url("**/site/**")
        assert "sufficient permission" in page.locator("main").inner_text()
        keep_picture(page, "1280 light live site")
        page.get_by_role("link", name="All calls of this site").click()
        page.wait_for_url("**/log?**")
        assert "180 calls" in page.locator("main").inner_text()
        keep_picture(page, "1280 light live log")
        page.get_by_role("link", name="Back to the whole fleet").click()
        page.locator("#fleet").wait_for()
        assert visit.complaints == []
        assert all(one.startswith((address, "data:")) for one in visit.requests)


def test_a_large_fleet_is_drawn_a_page_at_a_time(browser: Any, tmp_path: Path) -> None:
    ledger, fleet = Painting(sites=1_000, days=2, crawls=False).paint(tmp_path / "l.db")
    try:
        large = Painted(ledger, fleet, Painting.now).page()
    finally:
        ledger.close()
    file = tmp_path / "large.html"
    file.write_text(large, encoding="utf-8")
    with visiting(browser, file.as_uri()) as visit:
        fleet_rows = visit.page.locator("#fleet tbody tr")
        assert fleet_rows.count() == 25
        assert visit.page.evaluate("document.querySelectorAll('*').length") < 20_000
        visit.page.locator("#fleet").get_by_role("button", name="Next").click()
        assert "26–50 of 1,000" in visit.page.locator("#fleet [role=status]").inner_text()
        visit.page.locator("#fleet").get_by_role("searchbox").fill("forum77.example")
        assert fleet_rows.count() == 1
