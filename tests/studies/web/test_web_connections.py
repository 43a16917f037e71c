"""What no browser says: raw bytes, slowly, without end, or none at all."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import repeat
from pathlib import Path

import pytest
import uvicorn

from annotators.process import Server
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User
from epicene.studies.web import server as web_server
from epicene.studies.web.middleware import RateLimiter
from epicene.studies.web.server import uvicorn_config
from studies.web.page_visitors import PNG, ServedStudy, served, with_pictures
from study_examples import image, misgendering


class Wire:
    """A server in this process that is spoken to byte by byte."""

    def __init__(self, site: ServedStudy, port: int) -> None:
        self.site = site
        self._port = port

    def call(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port), timeout=60)

    def ask(self, data: bytes) -> bytes:
        """All that comes back until the server hangs up."""
        with closing(self.call()) as line:
            line.sendall(data)
            return heard(line)

    def get(self, address: str, cookie: str = "") -> tuple[int, bytes]:
        head = f"GET {address} HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        return status(reply := self.ask(head.encode("latin-1"))), reply

    def cookie(self, user: User) -> str:
        visitor = self.site.visitor()
        visitor.enter(user)
        ((name, value),) = visitor.client.cookies.items()
        return f"{name}={value}"

    def works(self) -> bool:
        code, reply = self.get("/", self.cookie(User("person", "ann")))
        return code == 200 and b'data-stage="item"' in reply


def heard(line: socket.socket) -> bytes:
    found = b""
    with suppress(ConnectionError):
        while part := line.recv(65536):
            found += part
    return found


def status(reply: bytes) -> int:
    """What a reply says, 0 where the server hung up without one."""
    return int(reply.split(b" ", 2)[1]) if reply else 0


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RateLimiter, "allow", lambda *_: True)  # tested elsewhere
        patch.setattr(web_server, "REQUEST_TIMEOUT", 1.0)
        with (
            served(image(), tmp_path_factory.mktemp("wire") / "s") as site,
            socket.create_server(("127.0.0.1", 0)) as listening,
        ):
            config = uvicorn_config(site.app)
            config.lifespan = "off"  # it was started already
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, args=([listening],))
            thread.start()
            try:
                yield Wire(site, listening.getsockname()[1])
            finally:
                server.should_exit = True
                thread.join()


# --- addresses -----------------------------------------------------------------------------------

TRICKS = (
    "..", ".", "../study.toml", "..%2fstudy.toml", "%2e%2e/study.toml", "%2e%2e%2fstudy.toml",
    "%252e%252e%252fstudy.toml", "..\\study.toml", "..%5cstudy.toml", "%00", "a%00.png",
    "/etc/passwd", "%2fetc%2fpasswd", "....//study.toml", "access.key", "responses.sqlite",
    "%ff%fe", "..;/study.toml", "C:\\study.toml", "%c0%ae%c0%ae/study.toml", "a" * 5000, "*",
    "{name}", "%20", "%0d%0aSet-Cookie:x=y", "\xe9", "../owner", "../../owner", "x/../../owner",
)  # fmt: skip
PLACES = ("/image/", "/static/", "/static/x/", "/enter/", "/owner/image/", "/owner/export.")
NO_OWNER = (
    "/owner", "//owner", "/owner/", "/%6fwner", "/./owner", "/x/../owner", "/static/../owner",
    "/enter/../owner", "http://evil.example/owner", "/owner?x=/static/", "/owner#/static/",
    "/api/owner/progress", "//api/owner/progress", "/api/%6fwner/progress", "/API/owner/progress",
)  # fmt: skip
KEPT_SECRET = (b"Traceback", b"sqlite", b"picture = ", b"/tmp/", b"root:", b"data-wanted")


@pytest.mark.parametrize("role", ["person", "owner"])
def test_paths_lead_nowhere_else(role: str, wire: Wire) -> None:
    cookie = wire.cookie(User("owner") if role == "owner" else User("person", "ann"))
    for place in PLACES:
        for trick in TRICKS:
            code, reply = wire.get(place + trick, cookie)
            assert code in (400, 404, 422), place + trick
            assert not any(secret in reply for secret in KEPT_SECRET)
            assert b"set-cookie" not in reply.lower()
    assert wire.works()


def test_a_person_finds_no_way_round_to_the_owner(wire: Wire) -> None:
    cookie = wire.cookie(User("person", "ann"))
    for address in NO_OWNER:
        code, reply = wire.get(address, cookie)
        assert code in (400, 404), address
        assert not any(secret in reply for secret in KEPT_SECRET)
    assert wire.get("/owner", wire.cookie(User("owner")))[0] == 200


def test_a_picture_is_for_whom_it_was_given_to(wire: Wire) -> None:
    name = next(iter(wire.site.folder.study.items)).fields["picture"]
    code, reply = wire.get(f"/image/{name}", wire.cookie(User("person", "ann")))
    assert (code, reply.partition(b"\r\n\r\n")[2]) == (200, PNG)
    # The one item is given to one person.
    assert wire.get(f"/image/{name}", wire.cookie(User("person", "bob")))[0] == 404
    assert wire.get(f"/owner/image/{name}", wire.cookie(User("person", "ann")))[0] == 404


# --- requests that are none ----------------------------------------------------------------------

START = b"POST /answer HTTP/1.1\r\nHost: x\r\n"
NONE = {
    "nothing readable": b"\x00\x01\x02\xff\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no address": b"GET\r\n\r\n",
    "an old version": b"GET /\r\n\r\n",
    "a version to come": b"GET / HTTP/9.9\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "no host at all": b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
    "a broken address": b"GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "bytes in the address": b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "a zero in a header": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n",
    "a header of blanks": b"GET / HTTP/1.1\r\nHost: x\r\n : x\r\n\r\n",
    "two lengths": START + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello",
    "length and pieces": START
    + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "pieces of no size": START + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "a length below zero": START + b"Content-Length: -5\r\n\r\nhello",
    "a length beyond all": START + b"Content-Length: " + b"9" * 40 + b"\r\n\r\nhello",
    "another encoding": START + b"Transfer-Encoding: gzip, x\r\nConnection: close\r\n\r\n",
    "half a request": b"GET / HTTP/1.1\r\nHost: x\r\nCook",
}


@pytest.mark.parametrize("what", NONE)
def test_what_is_no_request(what: str, wire: Wire) -> None:
    reply = wire.ask(NONE[what])
    assert status(reply) in (0, 400, 404, 413)
    assert not any(secret in reply for secret in KEPT_SECRET)
    assert wire.works()


HOSTS = (b"[", b"a b", b"", b"]:[", b"[::1", b"x:y:z", b"\xff\xfe", b"//", b"x" * 5000)


@pytest.mark.parametrize("host", HOSTS)
def test_whatever_the_request_calls_us_is_not_looked_at(host: bytes, wire: Wire) -> None:
    link = f"/enter/{wire.site.signer.token(User('person', 'ann'))}".encode()
    cookie = wire.cookie(User("person", "ann")).encode()
    owner = wire.cookie(User("owner")).encode()
    end = b" HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n"
    for address, sent, expected in (
        (b"/nothing", b"", 404),
        (link, b"", 200),
        (b"/enter/x", b"", 404),
        (b"/static/x/pages.css", b"", 404),
        (b"/", cookie, 200),
        (b"/api/work", cookie, 200),
        (b"/image/x", cookie, 404),
        (b"/nothing", cookie, 404),
        (b"/owner", owner, 200),
        (b"/owner/image/x", owner, 404),
        (b"/owner/items?start=x", owner, 422),
    ):
        reply = wire.ask(b"GET " + address + end + b"Cookie: " + sent + b"\r\n\r\n")
        assert status(reply) == expected, address
        assert b"content-security-policy" in reply
        assert not any(secret in reply for secret in KEPT_SECRET[:-1])
    assert wire.works()


def test_there_is_no_socket(wire: Wire) -> None:
    with closing(wire.call()) as line:
        line.sendall(
            b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        assert status(line.recv(65536)) == 404


def test_each_of_several_requests_is_looked_at(wire: Wire) -> None:
    """The second on a connection is not in the first one's name."""
    cookie = wire.cookie(User("person", "ann")).encode()
    reply = wire.ask(
        b"GET /api/work HTTP/1.1\r\nHost: x\r\nCookie: " + cookie + b"\r\n\r\n"
        b"GET /api/work HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    found = [int(part.split(b" ", 1)[0]) for part in reply.split(b"HTTP/1.1 ")[1:]]
    assert found == [200, 404]


# --- without end ---------------------------------------------------------------------------------

PIECE = b"x" * 50_000
ENDLESS = {
    "an address": (b"GET /", repeat(PIECE), 400),
    "a header": (b"GET / HTTP/1.1\r\nA: ", repeat(PIECE), 400),
    "headers": (b"GET / HTTP/1.1\r\n", repeat(b"A: b\r\n" * 5000), 400),
    "a name of a header": (b"GET / HTTP/1.1\r\n", repeat(PIECE), 400),
    "a body": (b"", repeat(b"c350\r\n" + PIECE + b"\r\n"), 413),
    "tiny pieces": (b"", repeat(b"1\r\nx\r\n" * 5000), 400),
    "notes on pieces": (b"", repeat(b"1;" + PIECE + b"\r\nx\r\n"), 400),
    "headers after the body": (b"", (b"0\r\n", *repeat(b"A: b\r\n" * 5000, 400)), 400),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_what_has_no_end_gets_one(what: str, wire: Wire) -> None:
    start, pieces, expected = ENDLESS[what]
    cookie = wire.cookie(User("person", "ann")).encode()
    if not start:
        start = START + b"Cookie: " + cookie + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    said = len(start)
    with closing(wire.call()) as line:
        line.sendall(start)
        with suppress(ConnectionError):
            for piece in pieces:
                line.sendall(piece)
                said += len(piece)
                assert said < 20_000_000, "The server goes on listening."
        reply = b""
        with suppress(ConnectionError):
            reply = heard(line)
    # Whoever goes on talking may find the line cut before they hear why.
    assert status(reply) in (0, expected)
    assert wire.works()


def test_a_body_that_says_its_length_is_refused_before_it_comes(wire: Wire) -> None:
    cookie = wire.cookie(User("person", "ann")).encode()
    for address in (b"/answer", b"/api/answer"):
        head = b"POST " + address + b" HTTP/1.1\r\nHost: x\r\nCookie: " + cookie
        assert status(wire.ask(head + b"\r\nContent-Length: 10000000\r\n\r\n")) == 413


# --- slowly --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"", 0),
        (b"G", 0),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA", 0),
        (b"POST /answer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\ncs", 404),
    ],
)
def test_who_says_little_is_not_waited_for(said: bytes, expected: int, wire: Wire) -> None:
    assert status(wire.ask(said)) == expected  # the line's own limit is long after the server's


@pytest.mark.parametrize("address", ["/answer", "/api/answer"])
def test_a_body_in_drops_is_not_waited_for(
    address: str, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    cookie = wire.cookie(User("person", "ann"))
    head = f"POST {address} HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nContent-Length: 1000\r\n\r\n"
    with closing(wire.call()) as line, suppress(ConnectionError):
        line.sendall(head.encode())
        line.settimeout(0.1)
        for _ in range(600):
            line.sendall(b"x")
            with suppress(TimeoutError):
                assert line.recv(65536) == b""
                break
        else:
            pytest.fail("The server goes on waiting.")
    assert wire.works()
    assert caplog.records == []


def test_many_who_say_nothing_keep_nobody_out(wire: Wire) -> None:
    lines = []
    try:
        for _ in range(200):
            lines.append(wire.call())
            lines[-1].sendall(b"GET / HTTP/1.1\r\nHost")
        assert wire.works()
        assert [heard(line) for line in lines] == [b""] * 200
    finally:
        for line in lines:
            line.close()


def test_a_kept_connection_may_rest(wire: Wire) -> None:
    """Between requests a person reads; that is not slowness."""
    request = b"GET /api/work HTTP/1.1\r\nHost: x\r\n\r\n"
    with closing(wire.call()) as line:
        for _ in range(2):
            line.sendall(request)
            assert line.recv(65536).startswith(b"HTTP/1.1 404")
            time.sleep(1.5)


# --- memory --------------------------------------------------------------------------------------


def test_ten_megabytes_are_not_held(tmp_path: Path) -> None:
    study = with_pictures(misgendering(), tmp_path / "s")
    create_study_folder(tmp_path / "s", study)
    server = Server(tmp_path / "s", people=1)
    server.start()
    try:
        with closing(_entered(server)) as line:
            cookie = line.recv(65536).lower().partition(b"set-cookie: ")[2].partition(b";")[0]
        before = server.resident()
        for _ in range(5):
            for kind in (b"Content-Length: 10000000", b"Transfer-Encoding: chunked"):
                with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
                    line.sendall(START + b"Cookie: " + cookie + b"\r\n" + kind + b"\r\n\r\n")
                    piece = PIECE if b"Length" in kind else b"c350\r\n" + PIECE + b"\r\n"
                    with suppress(ConnectionError):
                        for _ in range(200):
                            line.sendall(piece)
        assert server.resident() - before < 10
    finally:
        server.stop()


def _entered(server: Server) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    line.sendall(f"GET {server.links['p001']} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return line
