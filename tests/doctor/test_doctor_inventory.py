"""The keys of the inventory that the doctor's rooms added."""

from __future__ import annotations

from pathlib import Path

import pytest

from submitter.core.fleet import Fleet
from submitter.errors import ConfigError
from submitter.wiring import load_fleet

INVENTORY = """\
version: 1
accounts:
  gsc: {{engine: google, credentials: adc}}
defaults:
  accounts: [gsc]
  {defaults}
sites:
  - domain: example.com
    subdomains:
      - www
      - {{host: shop, {shop}}}
"""


def load(folder: Path, defaults: str = "tags: [x]", shop: str = "tags: [y]") -> Fleet:
    path = folder / "inventory.yaml"
    path.write_text(INVENTORY.format(defaults=defaults, shop=shop), encoding="utf-8")
    return load_fleet(path)


def test_without_them_sites_are_looked_at_and_stuck_after_three_days(tmp_path: Path) -> None:
    www, _ = load(tmp_path).sites
    assert (www.prelaunch, www.stuck_after_days, www.aliases) == (True, 3, {})


def test_they_may_stand_in_defaults_and_at_a_site(tmp_path: Path) -> None:
    www, shop = load(tmp_path, "prelaunch: off", "prelaunch: on, stuck_after_days: 10").sites
    assert (www.prelaunch, www.stuck_after_days) == (False, 3)
    assert (shop.prelaunch, shop.stuck_after_days) == (True, 10)


def test_aliases_are_filled_in_for_each_host(tmp_path: Path) -> None:
    pair = 'aliases: {"https://{host}/s.xml": "https://{host}/s-{domain}.xml"}'
    www, shop = load(tmp_path, pair).sites
    assert www.aliases == {
        "https://www.example.com/s.xml": "https://www.example.com/s-example.com.xml"
    }
    assert list(shop.aliases) == ["https://shop.example.com/s.xml"]
    assert www.alias_of("https://www.example.com/s-example.com.xml") == (
        "https://www.example.com/s.xml"
    )
    assert www.alias_of("https://www.example.com/s.xml") is www.alias_of(None) is None


@pytest.mark.parametrize(
    ("shop", "problem"),
    [
        ("prelaunch: maybe", "should be 'on' or 'off'"),
        ("prelaunch: false", "should be 'on' or 'off'"),
        ("stuck_after_days: 0", "should be at least 1"),
        ("stuck_after_days: soon", "should be a whole number"),
        ("aliases: [a]", "should be a mapping"),
        ('aliases: {"https://a.example/s.xml": nonsense}', "not an absolute address"),
        ('aliases: {"https://{shop}/s.xml": "https://a.example/s.xml"}', "placeholder"),
        (
            'aliases: {"https://a.example/s.xml": "https://a.example/s.xml"}',
            "alias of itself",
        ),
        ("launch: off", "unknown key"),
    ],
)
def test_what_is_wrong_with_them_is_said_with_its_place(
    tmp_path: Path, shop: str, problem: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, shop=shop)
    [fault] = raised.value.faults
    assert problem in fault.problem
    assert (fault.line, fault.column > 1) == (11, True)
