"""Everything of the sandbox can be steered over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from sandbox_clients import push

from submitter.sandbox import Sandbox, Section

SITE = "shop.fleet.test"


def post(still: Sandbox, order: str, /, **body: object) -> Any:
    answer = requests.post(f"{still.base_url}/-/{order}", json=body, timeout=10)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def shop(still: Sandbox) -> Sandbox:
    still.fleet.add_site("shop", Section("pages", 3))
    still.baidu.add_site(SITE, quota=10)
    return still


def test_the_overview_names_parts_commands_and_answers(shop: Sandbox) -> None:
    overview = requests.get(f"{shop.base_url}/-/", timeout=10).json()
    assert {"google", "baidu", "indexnow", "fleet"} <= set(overview["parts"])
    assert overview["parts"]["baidu"]["endpoint"] == shop.baidu.endpoint
    assert "set_quota" in overview["parts"]["baidu"]["commands"]
    assert "unavailable" in overview["parts"]["google"]["answers"]
    assert overview["now"] == "2026-11-30T12:00:00+00:00"


def test_a_book_is_read_from_a_number_on_and_forgotten(
    shop: Sandbox, http: requests.Session
) -> None:
    for name in ("a", "b"):
        push(shop, http, SITE, f"http://{SITE}/{name}")
    address = f"{shop.base_url}/-/book?part=baidu"
    entries = http.get(address, timeout=10).json()["entries"]
    assert [entry["accepted"] for entry in entries] == [[f"http://{SITE}/a"], [f"http://{SITE}/b"]]
    assert len(http.get(f"{address}&since=1", timeout=10).json()["entries"]) == 1
    assert http.delete(address, timeout=10).json() == {"entries": []}


def test_faults_are_armed_shown_and_cleared(shop: Sandbox, http: requests.Session) -> None:
    post(shop, "faults?part=baidu", kind="answer", answer="internal", times=2)
    assert push(shop, http, SITE, "*").status_code == 500
    address = f"{shop.base_url}/-/faults?part=baidu"
    (fault,) = http.get(address, timeout=10).json()["faults"]
    assert (fault["kind"], fault["answer"], fault["hits"]) == ("answer", "internal", 1)
    assert http.delete(address, timeout=10).json() == {"faults": []}
    assert push(shop, http, SITE, "*").status_code == 200


def test_the_clock_is_moved(shop: Sandbox) -> None:
    assert post(shop, "clock", advance_s=60)["now"] == "2026-11-30T12:01:00+00:00"
    past = post(shop, "clock", past_midnight_of="Asia/Shanghai")
    assert past["now"] == "2026-11-30T16:00:01+00:00"
    moved = post(shop, "clock", move_to="2026-12-01T00:00:00+08:00")
    assert moved["now"] == "2026-11-30T16:00:00+00:00"


def test_parts_are_steered_by_their_commands(shop: Sandbox) -> None:
    post(shop, "do/baidu.set_quota", site=SITE, quota=3)
    assert post(shop, "do/baidu.left", site=SITE) == {"result": 3}
    (added,) = post(shop, "do/fleet.add_pages", site="shop", count=1)["result"]
    assert added in shop.fleet.site("shop").urls()
    post(shop, "do/fleet.break_document", site="shop", path="/sitemap-pages-1.xml", how="gone")
    assert shop.fleet.fetch(f"http://{SITE}/sitemap-pages-1.xml") is None
    key = post(shop, "do/google.add_account", email="a@b.iam.gserviceaccount.com")["result"]
    assert key["client_email"] == "a@b.iam.gserviceaccount.com"
    post(shop, "do/google.grant", email=key["client_email"], site="sc-domain:fleet.test")
    assert shop.google.accounts[key["client_email"]].properties == {
        "sc-domain:fleet.test": "siteOwner"
    }
    assert post(shop, "do/google.advance") == {"result": 0}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "nothing", "", 404),
        ("GET", "book?part=altavista", "", 404),
        ("POST", "do/baidu.explode", "{}", 404),
        ("POST", "do/baidu.set_quota", '{"site": "unknown", "quota": 1}', 404),
        ("POST", "do/baidu.set_quota", '{"size": 1}', 400),
        ("POST", "faults?part=baidu", '{"kind": "explode"}', 400),
        ("POST", "faults?part=baidu", "[]", 400),
        ("POST", "faults?part=baidu", "{", 400),
        ("POST", "clock", '{"move_to": "soon"}', 400),
        ("POST", "clock", "{}", 400),
    ],
)
def test_what_is_not_understood_is_said(
    method: str, path: str, body: str, status: int, shop: Sandbox
) -> None:
    answer = requests.request(method, f"{shop.base_url}/-/{path}", data=body, timeout=10)
    assert answer.status_code == status
    assert answer.json()["error"]
