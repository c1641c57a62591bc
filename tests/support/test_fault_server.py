"""The fault server itself: what tests lean on has to hold."""

from __future__ import annotations

import socket

import pytest

from support import fault_server as faults
from support.fault_server import FaultServer


def talk(server: FaultServer, said: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as sock:
        sock.sendall(said)
        heard = bytearray()
        while data := sock.recv(65_536):
            heard += data
        return bytes(heard)


def ask(server: FaultServer, path: str = "/", extra: str = "") -> bytes:
    """An answer that ends, because the next line is no request."""
    return talk(server, f"GET {path} HTTP/1.1\r\nHost: x\r\n{extra}\r\nBYE\r\n".encode())


def test_answers_come_one_after_another_and_the_last_stays() -> None:
    with FaultServer() as server:
        server.on("/a", faults.status(503), faults.ok(b"yes"))
        codes = [ask(server, "/a?x=1").split()[1] for _ in range(4)]
        assert codes == [b"503", b"200", b"200", b"200"]
        assert ask(server, "/b").split()[1] == b"404"
        assert len(server.asked("/a")) == 4


def test_a_body_is_taken_with_length_or_chunks() -> None:
    with FaultServer() as server:
        server.on("/", faults.ok())
        talk(server, b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloBYE\r\n")
        chunks = b"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
        talk(server, b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"BYE\r\n")
        assert [request.body for request in server.requests] == [b"hello", b"hello"]


def test_a_reset_is_a_reset_and_no_good_end() -> None:
    with FaultServer() as server:
        server.on("/", faults.rst())
        with pytest.raises(ConnectionResetError):
            ask(server)


def test_a_greeting_meets_one_connection_before_its_request() -> None:
    with FaultServer() as server:
        server.on("/", faults.ok(b"yes"))
        server.on_accept(lambda wire: wire.send(b"hello "), lambda wire: wire.close())
        assert ask(server).startswith(b"hello HTTP/1.1 200")
        assert talk(server, b"") == b""
        assert ask(server).startswith(b"HTTP/1.1 200")


def test_json_faults_spoil_what_they_say() -> None:
    document = {"remain": 4, "success": 1}
    with FaultServer() as server:
        server.on("/missing", faults.json_missing(document, "remain"))
        server.on("/bom", faults.json_bom(document))
        server.on("/huge", faults.json_huge(100_000))
        assert ask(server, "/missing").endswith(b'{"success": 1}')
        assert b'\r\n\r\n\xef\xbb\xbf{"remain": 4' in ask(server, "/bom")
        assert len(ask(server, "/huge")) > 100_000


def test_tags_flap_or_stand_still_as_told() -> None:
    with FaultServer() as server:
        server.on("/flap", faults.etag_flap(b"same"))
        server.on("/still", faults.conditional(b"same", '"1"'))
        assert ask(server, "/flap") != ask(server, "/flap")
        assert ask(server, "/still", 'If-None-Match: "1"\r\n').split()[1] == b"304"
        assert ask(server, "/still", 'If-None-Match: "2"\r\n').split()[1] == b"200"


def test_stopping_ends_every_pause() -> None:
    with FaultServer() as server:
        server.on("/", faults.stall_body(b"0123456789", 5))
        sock = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert sock.recv(10)
    with sock:  # the server has gone although it was about to wait for long
        while sock.recv(65_536):
            pass
    assert server._wires == {}
