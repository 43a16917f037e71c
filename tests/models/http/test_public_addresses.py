"""Images are fetched from public addresses and the provider's own server, and from nowhere else."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from epicene.core.files import ImageFolder
from epicene.core.records import Draw, Failed, Images
from epicene.models import UnanswerableError
from epicene.models.http import public_addresses
from epicene.models.http.public_addresses import PublicTransport, check_name, host_of, is_public
from models.http.local_server import FAST_RETRIES, Asked, Reply, Server
from models.model_answers import answers
from models.openai.openai_server import model
from models.sample_images import picture

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "the internal server says hunter2"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fd00::1",
        "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "192.0.2.1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "8.8.8.8"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


def drawn_from(url: str, tmp_path: Path, images: Any = None) -> tuple[Any, list[Asked]]:
    """The answer to a draw whose image is at this address; `{root}` is the API's own server."""

    def script(asked: Asked) -> Reply:
        if asked.path.endswith("/images/generations"):
            return Reply({"data": [{"url": url.format(root=server.root)}]})
        reply: Reply = images(asked)
        return reply

    with Server(script) as server:
        served = model(server, FAST_RETRIES)
        (answer,) = answers(served, Draw(item="1", prompt="a nurse"), files=ImageFolder(tmp_path))
    return answer, server.asked


PRIVATE = [
    "http://127.0.0.1:{port}/secret",
    "http://localhost:{port}/secret",
    "http://127.1:{port}/secret",
    "http://2130706433:{port}/secret",
    "http://[::ffff:127.0.0.1]:{port}/secret",
    "http://me:pw@127.0.0.1:{port}/secret",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_an_image_on_another_private_server_is_not_fetched(url: str, tmp_path: Path) -> None:
    with Server(lambda _: Reply(SECRET, 403)) as internal:
        port = internal.root.rpartition(":")[2]
        answer, _ = drawn_from(url.format(port=port), tmp_path)
        assert not internal.asked
    assert isinstance(answer, Failed)
    assert "not a public address" in answer.reason
    assert "hunter2" not in answer.reason


def test_a_redirect_to_a_private_server_is_not_followed(tmp_path: Path) -> None:
    with Server(lambda _: Reply(picture())) as internal:
        answer, _ = drawn_from(
            "{root}/image",
            tmp_path,
            lambda _: Reply(b"", 302, {"Location": f"{internal.root}/secret"}),
        )
        assert not internal.asked
    assert isinstance(answer, Failed)
    assert "not a public address" in answer.reason


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://h.example/x", "gopher://h/x", "//"])
def test_only_web_addresses_are_fetched(place: str, tmp_path: Path) -> None:
    answer, _ = drawn_from(place, tmp_path)
    assert isinstance(answer, Images)
    assert answer.images[0].refused.startswith("the image's address is no web address")
    redirected, _ = drawn_from(
        "{root}/image", tmp_path, lambda _: Reply(b"", 302, {"Location": place})
    )
    assert isinstance(redirected, Failed)


def test_the_own_server_is_asked_and_its_own_redirects_are_followed(tmp_path: Path) -> None:
    def images(asked: Asked) -> Reply:
        if asked.path == "/image":
            return Reply(b"", 302, {"Location": "/there.png"})
        return Reply(picture(), headers={"Content-Type": "image/png"})

    answer, asked = drawn_from("{root}/image", tmp_path, images)
    assert isinstance(answer, Images)
    assert answer.images[0].sha256
    assert [each.path for each in asked][-2:] == ["/image", "/there.png"]


def test_redirects_in_a_circle_end(tmp_path: Path) -> None:
    answer, asked = drawn_from("{root}/a", tmp_path, lambda _: Reply(b"", 307, {"Location": "/a"}))
    assert isinstance(answer, Failed)
    assert "circle" in answer.reason
    assert len(asked) < 10


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 500])
def test_what_an_image_server_says_of_an_error_is_not_quoted(status: int, tmp_path: Path) -> None:
    answer, _ = drawn_from("{root}/image", tmp_path, lambda _: Reply({"detail": SECRET}, status))
    assert isinstance(answer, Failed), "401 and 402 are no reason to end the run"
    assert "hunter2" not in answer.reason
    assert f"HTTP {status}" in answer.reason


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that means a public address at first and a private one then cannot get through."""
    asked: list[httpx.Request] = []
    resolved = [["93.184.216.34"], ["127.0.0.1"]]

    async def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, port)) for address in resolved.pop(0)]

    async def send(self: object, request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200)

    async def fetch() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)
        async with httpx.AsyncClient(transport=PublicTransport(())) as client:
            assert (await client.get("https://rebind.example/x?y=1")).status_code == 200
            with pytest.raises(UnanswerableError, match="not a public address"):
                await client.get("https://rebind.example/x")

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", send)
    asyncio.run(fetch())
    (request,) = asked
    assert str(request.url) == "https://93.184.216.34/x?y=1"
    assert request.headers["Host"] == "rebind.example"
    assert request.extensions["sni_hostname"] == "rebind.example"


def test_a_name_that_nobody_knows_is_a_failed_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    async def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        raise socket.gaierror("no such name")

    async def fetch() -> None:
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
        async with httpx.AsyncClient(transport=PublicTransport(())) as client:
            with pytest.raises(httpx.ConnectError, match=r"nobody\.example is not known"):
                await client.get("http://nobody.example/")

    asyncio.run(fetch())


def test_behind_a_proxy_names_are_all_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert public_addresses.uses_proxy("outside.example")
    assert not public_addresses.uses_proxy("inside.example")
    check_name("outside.example")
    check_name("1.1.1.1")
    for host in ("127.0.0.1", "localhost", "printer", "db.internal", "10.0.0.1", "::1"):
        with pytest.raises(UnanswerableError, match="not a public address"):
            check_name(host)


def test_host_of() -> None:
    assert host_of("https://Me:pw@H.example/v1") == ("h.example", 443)
    assert host_of("http://[::1]:8000/v1") == ("::1", 8000)
