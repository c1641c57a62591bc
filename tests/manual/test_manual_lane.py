"""What is handed in by hand, as a person types it: files for Baidu, lists, and ticks on them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from submitter.cli.exits import run
from submitter.core.checklist import Item
from submitter.core.consoles import CONSOLES, MANUAL
from submitter.ledger import open_ledger
from submitter.ports import ManualBook
from submitter.sandbox import Sandbox
from submitter.sandbox.pytest_plugin import sandbox

__all__ = ["sandbox"]

SHOP = "http://shop.fleet.test"
INDEX, FIRST = f"{SHOP}/sitemap-index.xml", f"{SHOP}/baidu-1.xml"
SITE = "https://example.com"
MIDNIGHT_IN_CHINA = datetime(2026, 11, 30, 16, tzinfo=UTC)
PATIENCE_S = 60
URLSET = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True)
class Answer:
    """How a call ended."""

    exit_code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        return json.loads(self.stdout)


Call = Callable[..., Answer]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SUBMITTER_INVENTORY", "SUBMITTER_LEDGER", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def submitter(*argv: object) -> Answer:
        code = run([str(word) for word in argv])
        written = capsys.readouterr()
        return Answer(int(code), written.out, written.err)

    return submitter


@pytest.fixture
def demo(call: Call, sandbox: Sandbox, tmp_path: Path) -> Call:
    """The sandbox's own inventory; the files go to `files`."""
    path = sandbox.write_demo(tmp_path / "demo")
    return lambda *argv: call("-i", path, *argv)


def write_inventory(*lines: str) -> None:
    text = (
        "version: 1\nledger: sqlite:///ledger.db\nsites:\n  - domain: example.com\n"
        '    sitemaps: ["https://{host}/sitemap.xml"]\n'
    )
    Path("inventory.yaml").write_text(text + "".join(f"    {line}\n" for line in lines))


def save(*items: Item) -> None:
    """Put these onto the lists, as a look at the files would."""
    ledger = open_ledger("sqlite:///ledger.db")
    ledger.bind("inventory")
    assert isinstance(ledger, ManualBook)
    ledger.save(items)
    ledger.close()


def files(count: int, at: datetime, engine: str = "baidu") -> list[Item]:
    return [Item(engine, SITE, f"{SITE}/baidu-{n}.xml", at, at) for n in range(1, count + 1)]


def contents(folder: str = "files") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def addresses(items: list[dict[str, Any]]) -> list[str]:
    return [item["address"] for item in items]


# ---------------------------------------------------------------- files


def test_a_tree_becomes_flat_files_and_a_second_time_nothing_is_written(demo: Call) -> None:
    first = demo("flatten", INDEX, "--baidu", "files", "--json")
    assert first.exit_code == 0
    baidu = first.json()["baidu"]
    assert [file["fate"] for file in baidu["files"]] == ["new"]
    assert baidu["rows"] == baidu["pages"] + sum(baidu["dropped"].values()) == 58
    assert addresses(baidu["manual"]["hand_in"]) == [FIRST]
    assert demo("manual", "done", FIRST).exit_code == 0
    before = contents()
    again = demo("flatten", INDEX, "--baidu", "files", "--json").json()["baidu"]
    assert [file["fate"] for file in again["files"]] == ["kept"]
    assert again["manual"]["hand_in"] == []
    assert contents() == before


def test_the_document_of_the_tree_only_grows(demo: Call) -> None:
    plain = demo("flatten", INDEX, "--json").json()
    with_files = demo("flatten", INDEX, "--baidu", "files", "--json").json()
    assert with_files.keys() - plain.keys() == {"baidu"}
    both = demo("flatten", INDEX, "--baidu", "files", "--pages", "--json").json()
    assert len(both["rows"]) == both["baidu"]["rows"]


def test_a_date_is_written_as_the_site_spells_it(call: Call) -> None:
    dates = {"a": "2026-11-20", "b": "2026-11-20T10:00:00+08:00"}
    entries = "".join(
        f"<url><loc>{SITE}/{name}</loc><lastmod>{date}</lastmod></url>"
        for name, date in dates.items()
    )
    Path("s.xml").write_text(f'<urlset xmlns="{URLSET}">{entries}</urlset>')
    assert call("flatten", "s.xml", "--baidu", "files").exit_code == 0
    text = contents()["baidu-1.xml"].decode()
    assert all(f"<lastmod>{date}</lastmod>" in text for date in dates.values())


def test_a_tree_read_in_part_takes_no_page_away(demo: Call, sandbox: Sandbox) -> None:
    first = demo("flatten", INDEX, "--baidu", "files", "--json").json()
    before = contents()
    child = next(one["url"] for one in first["documents"] if one["kind"] == "urlset")
    sandbox.fleet.site("shop").break_document(child.removeprefix(SHOP), "missing")
    answer = demo("flatten", INDEX, "--baidu", "files", "--json")
    assert answer.exit_code == 4
    assert answer.json()["baidu"]["delta"]["kept"] > 0
    assert contents() == before


def test_what_looks_like_an_accident_is_held_unless_forced(demo: Call, sandbox: Sandbox) -> None:
    demo("flatten", INDEX, "--baidu", "files")
    before = contents()
    sandbox.fleet.site("shop").remove_pages(19, "products")
    held = demo("flatten", INDEX, "--baidu", "files", "--json")
    assert (held.exit_code, held.json()["baidu"]["held"]) == (3, True)
    assert contents() == before
    assert demo("flatten", INDEX, "--baidu", "files", "--force").exit_code == 0
    assert contents() != before


def test_without_a_ledger_the_list_is_forgotten_and_that_is_said(call: Call) -> None:
    Path("s.txt").write_text(f"{SITE}/a\n")
    answer = call("flatten", "s.txt", "--baidu", "files")
    assert "not remembered" in " ".join(answer.stdout.split())
    assert call("flatten", "s.txt", "--baidu", "files", "--json").json()["baidu"]["remembered"] is (
        False
    )


def test_a_folder_that_cannot_be_written_is_a_trouble_of_storage(call: Call) -> None:
    Path("s.txt").write_text(f"{SITE}/a\n")
    Path("files").mkdir()
    Path("files/baidu-1.xml").write_text("not ours")
    assert call("flatten", "s.txt", "--baidu", "files").exit_code == 8


@pytest.mark.parametrize("option", [("--dead",), ("--force",), ("--base-url", SITE)])
def test_options_of_the_files_need_a_folder(call: Call, option: tuple[str, ...]) -> None:
    assert call("flatten", f"{SITE}/s.xml", *option).exit_code == 2


def test_pages_that_left_and_answer_404_are_called_dead(demo: Call, sandbox: Sandbox) -> None:
    demo("run", "--site", "shop.*")
    gone = sandbox.fleet.site("shop").remove_pages(3, "products")
    demo("run", "--site", "shop.*")
    answer = demo("flatten", INDEX, "--baidu", "files", "--dead", "--json").json()["baidu"]
    assert answer["dead_links"]["confirmed"] == len(gone) == 3
    text = contents()["silian-1.xml"].decode()
    assert all(f"<loc>{loc}</loc>" in text for loc in gone)
    lists = demo("manual", "--engine", "baidu", "--json").json()["lists"]
    assert [item["form"] for item in lists[0]["hand_in"]] == ["sitemap", "dead-links"]


def test_dead_links_stand_while_the_site_does_not_answer(demo: Call, sandbox: Sandbox) -> None:
    demo("run", "--site", "shop.*")
    site = sandbox.fleet.site("shop")
    gone = site.remove_pages(2, "products")
    demo("run", "--site", "shop.*")
    demo("flatten", INDEX, "--baidu", "files", "--dead")
    before = contents()["silian-1.xml"]
    for path in (loc.removeprefix(SHOP) for loc in gone):
        site.put(path, "a page")
        site.break_document(path, "error")
    answer = demo("flatten", INDEX, "--baidu", "files", "--dead", "--json").json()["baidu"]
    assert (answer["dead_links"]["unreachable"], answer["dead_links"]["files"]) == (2, None)
    assert contents()["silian-1.xml"] == before


# ---------------------------------------------------------------- lists and ticks


def test_a_tick_is_remembered_by_other_processes(call: Call) -> None:
    write_inventory()
    save(*files(2, MIDNIGHT_IN_CHINA))
    words = [sys.executable, "-m", "submitter", "manual", "done", f"{SITE}/baidu-1.xml"]
    subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE_S)
    (one,) = call("manual", "--json").json()["lists"]
    assert addresses(one["hand_in"]) == [f"{SITE}/baidu-2.xml"]
    assert addresses(one["handed_in"]) == [f"{SITE}/baidu-1.xml"]
    assert call("manual", "done", f"{SITE}/baidu-1.xml", "--json").json() == {"changed": []}
    call("manual", "undo", f"{SITE}/baidu-1.xml")
    (one,) = call("manual", "--json").json()["lists"]
    assert len(one["hand_in"]) == 2


def test_a_day_takes_ten_and_the_rest_waits(call: Call) -> None:
    write_inventory()
    save(*files(12, datetime.now(UTC) - timedelta(days=3)))
    (one,) = call("manual", "--json").json()["lists"]
    assert (len(one["hand_in"]), one["waiting"], one["per_day"]) == (10, 2, 10)
    call("manual", "done", *addresses(one["hand_in"]))
    (one,) = call("manual", "--json").json()["lists"]
    assert (one["hand_in"], one["waiting"], one["handed_in_today"]) == ([], 2, 10)


def test_a_site_may_have_figures_of_its_own(call: Call) -> None:
    write_inventory("baidu_files: 5", "baidu_files_per_day: 3")
    save(*files(7, datetime.now(UTC) - timedelta(days=3)))
    (one,) = call("manual", "--json").json()["lists"]
    shown = (len(one["hand_in"]), one["waiting"], one["per_day"], one["in_all"])
    assert shown == (3, 2, 3, 5)
    assert one["over_limit"] == 2


def test_what_was_taken_out_is_no_longer_in_the_console(call: Call) -> None:
    write_inventory()
    save(*files(1, MIDNIGHT_IN_CHINA))
    address = f"{SITE}/baidu-1.xml"
    call("manual", "done", address)
    (changed,) = call("manual", "withdrawn", address, "--json").json()["changed"]
    assert changed["withdrawn_at"] is not None
    (one,) = call("manual", "--json").json()["lists"]
    assert one["handed_in"] == one["hand_in"] == []


def test_an_address_on_no_list_or_on_several_is_not_guessed(call: Call) -> None:
    write_inventory()
    for engine in ("baidu", "toutiao"):
        save(*files(1, MIDNIGHT_IN_CHINA, engine))
    address = f"{SITE}/baidu-1.xml"
    assert call("manual", "done", f"{SITE}/nowhere.xml").exit_code == 2
    assert "--engine" in call("manual", "done", address).stderr
    assert call("manual", "done", address, "--engine", "baidu").exit_code == 0
    assert call("manual", "--engine", "bing").exit_code == 7


# ---------------------------------------------------------------- other consoles


def test_a_console_that_takes_indexes_is_given_what_the_site_declares(call: Call) -> None:
    write_inventory("manual: [sogou, toutiao]")
    by_engine = {one["engine"]: one for one in call("manual", "--json").json()["lists"]}
    assert addresses(by_engine["sogou"]["hand_in"]) == [f"{SITE}/sitemap.xml"]
    assert by_engine["toutiao"]["hand_in"] == []
    assert [one["id"] for one in by_engine["toutiao"]["findings"]] == ["flat-files-needed"]


def test_any_other_console_is_given_the_flat_files(call: Call) -> None:
    write_inventory("manual: [toutiao]")
    save(*files(2, MIDNIGHT_IN_CHINA))
    (_, toutiao) = call("manual", "--json").json()["lists"]
    assert addresses(toutiao["hand_in"]) == [f"{SITE}/baidu-1.xml", f"{SITE}/baidu-2.xml"]
    call("manual", "done", f"{SITE}/baidu-1.xml", "--engine", "toutiao")
    (baidu, toutiao) = call("manual", "--json").json()["lists"]
    assert (len(baidu["hand_in"]), len(toutiao["hand_in"])) == (2, 1)


def test_a_file_that_changed_since_is_said_to_have_changed(call: Call) -> None:
    write_inventory("manual: [toutiao]")
    save(*files(1, MIDNIGHT_IN_CHINA))
    call("manual", "--json")
    call("manual", "done", f"{SITE}/baidu-1.xml", "--engine", "toutiao")
    save(*files(1, datetime.now(UTC) + timedelta(hours=1)))
    (_, toutiao) = call("manual", "--json").json()["lists"]
    assert [item["changed_since"] for item in toutiao["handed_in"]] == [True]


def test_a_console_nobody_knows_is_refused_with_its_line(call: Call) -> None:
    write_inventory("manual: [sougou]")
    answer = call("manual")
    assert answer.exit_code == 2
    assert "inventory.yaml:6" in answer.stderr
    assert "'sogou'" in answer.stderr


@pytest.mark.parametrize("name", [*MANUAL, "baidu"])
def test_every_console_says_where_its_rules_come_from(name: str) -> None:
    console = CONSOLES[name]
    assert console.source.startswith("http")
    assert datetime.fromisoformat(console.read_on)
    assert console.limits.per_day > 0
