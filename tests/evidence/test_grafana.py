"""The dashboard for Grafana: what it asks is answered by a ledger, in both kinds of database."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from evidence_samples import DAY, HOUR, MAP, NOW, SITE, History

from submitter.core.standing import Allowance
from submitter.core.states import State
from submitter.ledger.ledger import SqlLedger
from submitter.ledger.views import NAMES

CONFIG = Path(__file__).resolve().parent.parent.parent / "config"
DASHBOARD: Mapping[str, Any] = json.loads(
    (CONFIG / "grafana-dashboard.json").read_text(encoding="utf-8")
)
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
VARIABLES = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
QUERIES = {title: panel["targets"][0]["rawSql"] for title, panel in PANELS.items()} | {
    f"variable {name}": one["query"] for name, one in VARIABLES.items() if name != "datasource"
}
START = NOW - 10 * DAY
EVERY = "'%'"


def filled(sql: str, *, site: str = EVERY, engine: str = EVERY) -> str:
    """As Grafana does it. Source: https://grafana.com/docs/grafana/latest/dashboards/variables/,
    read 2026-11-30: a custom value for all is put in as it is, others are formatted."""
    values = {
        "$__from": str(int((NOW - 30 * DAY).timestamp() * 1000)),
        "$__to": str(int((NOW + HOUR).timestamp() * 1000)),
        "${site:sqlstring}": site,
        "${engine:sqlstring}": engine,
    }
    for name, value in values.items():
        sql = sql.replace(name, value)
    assert "$" not in sql, sql
    return sql


@pytest.fixture
def told(ledger: SqlLedger, history: History) -> SqlLedger:
    """A site with something in every view."""
    history.run(START)
    history.run(START + 10 * DAY, "partial", 4)
    history.look(["new/a", "help/b"], START)
    history.tell_sitemap(START + HOUR)
    history.tell_sitemap(START + DAY, State.FAILED, "two")
    history.check(START + 2 * DAY, START + DAY)
    history.tell_pages(["new/a"], START + HOUR)
    history.tell_pages(["help/b"], START + 2 * HOUR, State.REJECTED)
    history.crawl("Googlebot", {"new/a": START + 3 * HOUR, "help/b": START + 2 * DAY})
    history.hits("Googlebot", "help", START + 2 * DAY, 0, impostors=60)
    allowance = Allowance("baidu", SITE, NOW.date(), limit=10, spent=4)
    ledger.save_allowance(history.lease, allowance)
    return ledger


def answers(ledger: SqlLedger, sql: str) -> Sequence[Mapping[str, Any]]:
    with ledger._database.reading() as tx:
        escaped = sql.replace("%", "%%") if "postgres" in tx.connection.dialect.name else sql
        return [dict(row._mapping) for row in tx.connection.exec_driver_sql(escaped)]


@pytest.mark.parametrize("name", QUERIES)
def test_every_question_is_answered(told: SqlLedger, name: str) -> None:
    rows = answers(told, filled(QUERIES[name]))
    assert rows
    assert any(value is not None for row in rows for value in row.values())


def test_what_panels_show_is_so(told: SqlLedger) -> None:
    def one(title: str, **variables: str) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for row in answers(told, filled(QUERIES[title], **variables))]

    midnight = int(START.timestamp()) // 86_400 * 86_400
    assert one("Calls that went wrong") == [(2,)]
    assert one("Calls that went wrong", engine="'baidu'") == [(1,)]
    assert one("Calls that went wrong", site="'https://nowhere.example'") == [(0,)]
    assert one("Hours since a run ended") == [(0,)]
    assert sorted(one("Calls by day and state")) == [
        (midnight, "accepted", 2),
        (midnight, "rejected", 1),
        (midnight + 86_400, "failed", 1),
    ]
    seconds = one("Seconds a call by day and engine")
    assert sorted((at, engine, float(took)) for at, engine, took in seconds) == [
        (midnight, "baidu", 0.0),
        (midnight, "google", 0.0),
        (midnight + 86_400, "google", 0.0),
    ]
    assert one("Pages found by day") == [(midnight, 2, 0, 0)]
    assert sorted(one("Crawls of search engines by day and section")) == [
        (midnight, "new", 0),
        (midnight + 2 * 86_400, "help", 0),
    ]
    assert sorted(one("Crawls by day and crawler")) == [
        (midnight, "Googlebot", 1),
        (midnight + 2 * 86_400, "Googlebot", 1),
    ]
    assert one("variable site") == [(SITE,)]
    assert one("variable engine") == [("baidu",), ("google",)]
    [sitemap] = one("Sitemaps")
    assert sitemap[:3] == (SITE, "gsc", MAP)


def test_fast_calls_take_their_part_of_a_second(ledger: SqlLedger, history: History) -> None:
    """Also where a second ends meanwhile."""
    for begun in (timedelta(0), timedelta(seconds=0.9)):
        history.tell_sitemap(START + begun, content=str(begun), took=timedelta(seconds=0.2))
    [(_, _, took)] = [
        row.values() for row in answers(ledger, filled(QUERIES["Seconds a call by day and engine"]))
    ]
    assert float(took) == 0.2


def test_only_promised_views_are_read() -> None:
    for sql in QUERIES.values():
        read = set(re.findall(r"(?:FROM|JOIN) (\w+)", sql))
        assert read
        assert read <= set(NAMES)
    assert {name for sql in QUERIES.values() for name in NAMES if name in sql} == set(NAMES)


def test_the_dashboard_can_be_imported_anywhere() -> None:
    assert DASHBOARD["id"] is None
    assert DASHBOARD["uid"]
    sources = [panel["datasource"]["uid"] for panel in PANELS.values()]
    sources += [panel["targets"][0]["datasource"]["uid"] for panel in PANELS.values()]
    assert set(sources) == {"${datasource}"}
    assert VARIABLES["datasource"]["type"] == "datasource"
    assert len(PANELS) == len(DASHBOARD["panels"])
    assert all(panel["description"].endswith(".") for panel in PANELS.values())
    assert len({panel["id"] for panel in PANELS.values()}) == len(PANELS)


def test_series_have_a_time_and_panels_do_not_overlap() -> None:
    cells: set[tuple[int, int]] = set()
    for panel in PANELS.values():
        if panel["type"] == "timeseries":
            assert 'AS "time"' in panel["targets"][0]["rawSql"]
            assert panel["targets"][0]["format"] == "time_series"
        at = panel["gridPos"]
        own = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & own
        assert at["x"] + at["w"] <= 24
        cells |= own


def test_the_provisioning_example_fits_the_dashboard() -> None:
    folder = CONFIG / "grafana-provisioning"
    [source] = yaml.safe_load((folder / "datasources" / "submitter.yaml").read_text())[
        "datasources"
    ]
    assert source["type"] == VARIABLES["datasource"]["query"]
    assert "password" not in source["jsonData"]
    granted = (folder / "datasources" / "submitter.yaml").read_text()
    assert all(name in granted for name in NAMES)
    [provider] = yaml.safe_load((folder / "dashboards" / "submitter.yaml").read_text())["providers"]
    assert provider["type"] == "file"


def test_a_day_is_the_same_in_words_and_in_seconds(told: SqlLedger) -> None:
    for view in ("v_page_daily", "v_crawl_daily"):
        for row in answers(told, f"SELECT day, day_epoch FROM {view}"):  # noqa: S608
            midnight = NOW.replace(year=1970, month=1, day=1, hour=0) + timedelta(
                seconds=row["day_epoch"]
            )
            assert midnight.date().isoformat() == str(row["day"])
