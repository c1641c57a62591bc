"""No token, key or assertion leaves a run by accident, however it ends and however loud it is."""

from __future__ import annotations

import base64
import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from submitter.cli.exits import run as type_command
from submitter.errors import ConfigError
from submitter.render.screen import Screen
from submitter.render.text_run import run_text
from support.certificates import Authority
from support.fault_server import FaultServer, Request, Wire, redirect, status
from support.secret_watch import SecretWatch, raise_beside, spellings
from support.whole import EMAIL, IMPATIENT, Ran, World, one_key

TOKEN = "Canary+baidu/4711=?&9f3e"  # every letter that some encoding changes
GOOGLE_PATHS = "/google/webmasters/v3/sites"


@pytest.fixture
def shop(fleet: World) -> World:
    """One site at both engines, with secrets that are found wherever they turn up."""
    fleet.put_secret("baidu.token", TOKEN)
    fleet.add("shop", pages=6, quota=4)
    fleet.sandbox.baidu.add_site("shop.whole.test", 4, token=quote(TOKEN, safe=""))
    return fleet


@pytest.fixture
def watch(shop: World) -> SecretWatch:
    pem = shop.sandbox.google.accounts[EMAIL].key_file("")["private_key"].splitlines()
    lines = {f"line {number} of the key": line for number, line in enumerate(pem[1:-2], 1)}
    return SecretWatch({"the token": TOKEN} | lines)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def run_and_hear(world: World, watch: SecretWatch, capfd: pytest.CaptureFixture[str]) -> Ran:
    """A run with everything that comes out of it: streams, logs, errors, report, ledger."""
    with watch.listening():
        ran = world.run(adapt=watch.overhearing, parts={"rules": IMPATIENT})
    out, err = capfd.readouterr()
    watch.hear("stdout", out)
    watch.hear("stderr", err)
    watch.hear("report", json.dumps(ran.summary) + repr(ran.report))
    watch.hear("text", "".join(run_text(ran.summary, world.clock.now(), Screen(80))))
    watch.hear_files("ledger", world.folder.glob("ledger.db*"))
    tokens = world.sandbox.google.tokens._tokens
    watch.secrets |= {f"access token {number}": one for number, one in enumerate(tokens)}
    return ran


# ---------------------------------------------------------------- however a run ends


def go_well(world: World, server: FaultServer) -> None:
    del world, server


def both_at(world: World, address: str) -> None:
    """Both engines are somewhere else; Google's tokens still come from the sandbox."""
    for name in ("google", "baidu"):
        world.accounts[name]["endpoint"] = f"{address}/{name}"


def refuse_connections(world: World, server: FaultServer) -> None:
    del server
    both_at(world, "http://127.0.0.1:1")


def speak_no_tls(world: World, server: FaultServer) -> None:
    del server
    both_at(world, f"https://{world.sandbox.address}")


def redirect_elsewhere(world: World, server: FaultServer) -> None:
    both_at(world, server.url())
    for path in ("/google/webmasters/v3/sites", "/baidu/urls"):
        server.on(path, redirect("http://127.0.0.1:1/stolen"))


def echo(wire: Wire, request: Request, code: int, kind: str) -> None:
    """An error page that repeats what it was sent, as such pages do."""
    said = f"<p>{request.target}<p>{dict(request.headers)}<p>{TOKEN}<p>{request.body[:200]!r}"
    status(code, said.encode(), content_type=kind)(wire, request)


def repeat_everything(code: int, kind: str = "text/html") -> Callable[[World, FaultServer], None]:
    def spoil(world: World, server: FaultServer) -> None:
        both_at(world, server.url())
        for path in ("/google/webmasters/v3/sites", "/baidu/urls"):
            server.on(path, lambda wire, request: echo(wire, request, code, kind))

    return spoil


def repeat_in_json(code: int, spelling: str) -> Callable[[World, FaultServer], None]:
    """Baidu's own form of an error, with the token in its words."""

    def spoil(world: World, server: FaultServer) -> None:
        world.accounts["baidu"]["endpoint"] = server.url("/baidu")
        message = f"token {spellings(TOKEN)[spelling]} is odd"
        server.on("/baidu/urls", status(code, f'{{"error":{code},"message":"{message}"}}'.encode()))

    return spoil


ECHOES = ["raw", "percent", "lower percent", "form", "json with slashes", "html"]
"""Spellings in which a server may well give a token back."""


def strike(part: str, **fault: Any) -> Callable[[World, FaultServer], None]:
    def spoil(world: World, server: FaultServer) -> None:
        del server
        getattr(world.sandbox, part).faults.add(**fault, times=None)

    return spoil


def strike_both(**fault: Any) -> Callable[[World, FaultServer], None]:
    def spoil(world: World, server: FaultServer) -> None:
        strike("google", **fault)(world, server)
        strike("baidu", **fault)(world, server)

    return spoil


def delete_key(world: World, server: FaultServer) -> None:
    del server
    world.sandbox.google.accounts[EMAIL].rotate_key()


ENDS: dict[str, Callable[[World, FaultServer], None]] = {
    "success": go_well,
    "refused": refuse_connections,
    "no-tls": speak_no_tls,
    "redirect": redirect_elsewhere,
    "reset": strike_both(kind="reset"),
    "lost": strike_both(kind="reset", after=True),
    "hang": strike_both(kind="hang", seconds=600, call="push"),
    "cut": strike_both(kind="cut", at=3),
    "garbage": strike_both(kind="garbage"),
    "401": strike_both(kind="answer", status=401, body='{"error": 401, "message": "no"}'),
    "403": strike_both(kind="answer", status=403),
    "503": strike_both(kind="answer", status=503),
    "echo-200": repeat_everything(200),
    "echo-400": repeat_everything(400),
    "echo-401": repeat_everything(401),
    "echo-500": repeat_everything(500),
    "echo-503": repeat_everything(503, "text/plain"),
    **{f"json-{name}": repeat_in_json(400, name) for name in ECHOES},
    "no-token": strike("google", kind="reset", call="token"),
    "deleted-key": delete_key,
}


@pytest.mark.parametrize("end", ENDS)
def test_no_secret_leaves_a_run(
    shop: World,
    watch: SecretWatch,
    server: FaultServer,
    capfd: pytest.CaptureFixture[str],
    end: str,
) -> None:
    ENDS[end](shop, server)
    ran = run_and_hear(shop, watch, capfd)
    assert watch.leaks() == []
    assert (ran.exit_code == 0) is (end == "success")
    assert {"log", "report", "ledger"} <= watch.heard.keys(), "there was something to hear"
    if end != "success":
        assert "traceback" in watch.heard


def test_no_secret_leaves_over_a_certificate_that_nobody_trusts(
    shop: World, watch: SecretWatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "certificates"
    folder.mkdir()
    with FaultServer(tls=Authority(folder).tls("127.0.0.1")) as server:
        both_at(shop, server.url())
        ran = run_and_hear(shop, watch, capfd)
        assert server.requests == [], "not a byte of a call left"
    assert ran.exit_code == 5
    assert watch.leaks() == []


def test_a_redirect_never_carries_a_secret_along(
    shop: World, server: FaultServer, watch: SecretWatch, capfd: pytest.CaptureFixture[str]
) -> None:
    both_at(shop, server.url())
    for path in ("/google/webmasters/v3/sites", "/baidu/urls"):
        server.on(path, redirect(server.url("/elsewhere")))
    run_and_hear(shop, watch, capfd)
    assert server.asked("/elsewhere") == []


# ---------------------------------------------------------------- secrets that are none


BROKEN_KEYS: dict[str, Callable[[dict[str, str]], str]] = {
    "cut": lambda key: json.dumps(key | {"private_key": key["private_key"][:400]}),
    "no-pem": lambda key: json.dumps(key | {"private_key": key["private_key"].split("\n")[3]}),
    "no-json": lambda key: json.dumps(key)[:-5],
    "foreign": lambda key: json.dumps(key | {"token_uri": "https://thief.test/token"}),
    "no-mail": lambda key: json.dumps({name: key[name] for name in key if name != "client_email"}),
    "bare-pem": lambda key: key["private_key"],
}


@pytest.mark.parametrize("how", BROKEN_KEYS)
def test_a_key_that_cannot_be_used_is_not_shown(
    shop: World, watch: SecretWatch, capfd: pytest.CaptureFixture[str], how: str
) -> None:
    key = shop.sandbox.google.key_file(EMAIL)
    shop.put_secret("google.json", BROKEN_KEYS[how](key))
    try:
        run_and_hear(shop, watch, capfd)
    except ConfigError as error:
        watch.hear_error(error)
    assert watch.heard
    assert watch.leaks() == []


@pytest.mark.parametrize("token", [f"{TOKEN}\n{TOKEN}", f"{TOKEN} {TOKEN}", f"{TOKEN}\u4e2d"])
def test_a_token_that_cannot_be_one_is_not_shown(
    shop: World, watch: SecretWatch, capfd: pytest.CaptureFixture[str], token: str
) -> None:
    shop.put_secret("baidu.token", token)
    with pytest.raises(ConfigError) as refused:
        run_and_hear(shop, watch, capfd)
    watch.hear_error(refused.value)
    assert watch.leaks() == []


def test_a_token_in_the_inventory_is_refused_unseen(
    shop: World, watch: SecretWatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shop.accounts["baidu"]["token"] = TOKEN
    code = type_command(["-i", str(shop.write()), "check"])
    assert code == 2
    for name, text in zip(("stdout", "stderr"), capfd.readouterr(), strict=True):
        watch.hear(name, text)
    assert "token" in "".join(watch.heard["stderr"])
    assert watch.leaks() == []


# ---------------------------------------------------------------- the command line


def test_no_command_shows_a_secret_however_loud_it_is(
    shop: World, watch: SecretWatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One after the other over one ledger, as loud as can be, first with good secrets and then
    with a wrong token and a deleted key."""
    inventory = str(shop.write())
    page = next(shop.sandbox.fleet.site("shop.whole.test").urls())
    commands = [
        *(["plan"], ["run"], ["verify"], ["status"], ["log"], ["log", "--pages"]),
        *(["explain", page], ["check", "--online"], ["schema"]),
    ]
    for _ in range(2):
        for command in commands:
            for more in ([], ["--json"]):
                style = ["--log-format", "json"] if more else []
                code = type_command(["-i", inventory, "-vv", *style, *command, *more])
                assert code in (0, 2, 4, 5), command
                for name, text in zip(("stdout", "stderr"), capfd.readouterr(), strict=True):
                    watch.hear(f"{name} of {command[0]}", text)
        shop.sandbox.google.accounts[EMAIL].rotate_key()
        shop.put_secret("baidu.token", f"{TOKEN}x")
    shop.sandbox.google.accounts[EMAIL]._key = one_key()
    watch.hear_files("ledger", shop.folder.glob("ledger.db*"))
    tokens = shop.sandbox.google.tokens._tokens
    watch.secrets |= {f"access token {number}": one for number, one in enumerate(tokens)}
    assert watch.leaks() == []
    assert len(watch.heard["stderr of run"]) == 4


# ---------------------------------------------------------------- the watch itself


def plant_in_log(text: str, world: World) -> None:
    del world
    logging.getLogger("some.library").debug("GET /urls/%s", text)


def plant_in_extra(text: str, world: World) -> None:
    del world
    logging.getLogger("submitter.engines.baidu").info("pushed", extra={"body": text})


def plant_on_stderr(text: str, world: World) -> None:
    del world
    sys.stderr.write(text)


def plant_as_warning(text: str, world: World) -> None:
    del world
    warnings.warn(text, stacklevel=1)


def plant_in_ledger(text: str, world: World) -> None:
    with world.ledger() as ledger:
        ledger.start_run("leak", inventory_sha256=text, at=world.clock.now())


def plant_in_a_frame(text: str, world: World) -> None:
    del world
    try:
        raise_beside(text)
    except ValueError:
        logging.getLogger("submitter.sending.runner").exception("something else")


def plant_in_a_chain(text: str, world: World) -> None:
    del world
    try:
        try:
            raise KeyError(text)
        except KeyError:
            raise ValueError("no word of it") from None
    except ValueError:
        logging.getLogger("submitter.sending.runner").exception("something else")


PLANTS = [
    *(plant_in_log, plant_in_extra, plant_on_stderr, plant_as_warning),
    *(plant_in_ledger, plant_in_a_frame, plant_in_a_chain),
]


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_leak_is_found_wherever_it_is(
    shop: World,
    watch: SecretWatch,
    capfd: pytest.CaptureFixture[str],
    plant: Callable[[str, World], None],
) -> None:
    with watch.listening():
        plant(f"token={TOKEN}", shop)
    watch.hear("streams", "".join(capfd.readouterr()))
    watch.hear_files("ledger", shop.folder.glob("ledger.db*"))
    assert watch.leaks() != []


@pytest.fixture
def ear() -> SecretWatch:
    return SecretWatch({"the token": TOKEN})


@pytest.mark.parametrize("spelling", spellings(TOKEN))
def test_a_planted_leak_is_found_in_every_spelling(ear: SecretWatch, spelling: str) -> None:
    ear.hear("log", f'{{"url": "x?token={spellings(TOKEN)[spelling]}&y"}}')
    assert any(leak.startswith("the token in log") for leak in ear.leaks())


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_a_planted_leak_is_found_inside_base64(ear: SecretWatch, before: str) -> None:
    ear.hear("log", base64.b64encode(f"{before}{TOKEN} and more".encode()).decode())
    assert ear.leaks() != []


def test_a_planted_assertion_is_found(ear: SecretWatch) -> None:
    ear.hear("log", f"assertion=eyJ{'x' * 30}.eyJ{'y' * 30}.z")
    assert ear.leaks() == ["an assertion in log"]


def test_nothing_is_found_where_nothing_is(ear: SecretWatch) -> None:
    ear.hear("log", "GET /urls?site=shop.whole.test&token=***")
    assert ear.leaks() == []
