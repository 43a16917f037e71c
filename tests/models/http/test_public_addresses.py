"""Images are fetched from public addresses and the provider's own server, and from nowhere else."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from epicene.core.files import ImageFolder
from epicene.core.records import Draw, Failed, Images
from epicene.models import sample_seed
from epicene.models.http.public_addresses import (
    PublicTransport,
    check_name,
    find_proxy,
    host_of,
    is_public,
)
from epicene.models.images import UnusableImageError
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
        "ff02::1", "fec0::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "192.0.2.1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "8.8.8.8"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def why_not(answer: Any) -> str:
    """Why the only image of an answer was not kept."""
    assert isinstance(answer, Images), answer
    (image,) = answer.images
    assert not image.sha256
    return image.refused


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
    assert "neither a public address" in why_not(answer)
    assert "hunter2" not in why_not(answer)


@pytest.mark.parametrize("url", PRIVATE)
@pytest.mark.parametrize("variable", ["https_proxy", "ftp_proxy"])
def test_a_proxy_for_other_addresses_opens_no_way_to_private_ones(
    url: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a proxy for https alone, http://127.1/ was fetched unchecked."""
    monkeypatch.setenv(variable, "http://proxy.example:3128")
    test_an_image_on_another_private_server_is_not_fetched(url, tmp_path)


def test_images_come_through_the_proxy_that_checks_were_made_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(lambda _: Reply(picture(), headers={"Content-Type": "image/png"})) as proxy:
        monkeypatch.setenv("http_proxy", proxy.root.removeprefix("http://"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        answer, _ = drawn_from("http://images.example/1.png", tmp_path)
        private, _ = drawn_from("http://0x7f.0.0.1/secret", tmp_path)
    assert answer.images[0].sha256
    assert [each.path for each in proxy.asked] == ["http://images.example/1.png"]
    assert "neither a public address" in why_not(private)


def test_an_image_that_is_not_fetched_leaves_the_others(tmp_path: Path) -> None:
    """The whole request failed, and the images that had come were paid for in vain."""
    places = ["/1.png", "http://127.0.0.2/", "/circle", "/file", "/gone", "/forbidden", "/br"]
    replies = {
        "/circle": Reply(b"", 302, {"Location": "/circle"}),
        "/file": Reply(b"", 302, {"Location": "file:///etc/passwd"}),
        "/gone": Reply(SECRET, 404),
        "/forbidden": Reply(SECRET, 403),
        "/br": Reply(picture(), headers={"Content-Encoding": "br"}),
    }

    def script(asked: Asked) -> Reply:
        if not asked.path.endswith("/images/generations"):
            return replies.get(asked.path, Reply(picture()))
        place = places[seeds.index(asked.body["seed"])]
        return Reply({"data": [{"url": place if "//" in place else server.root + place}]})

    seeds = [sample_seed(0, index) for index in range(len(places))]
    with Server(script) as server:
        request = Draw(item="1", prompt="a nurse", shots=len(places))
        (answer,) = answers(model(server, FAST_RETRIES), request, files=ImageFolder(tmp_path))
    assert isinstance(answer, Images)
    assert answer.images[0].sha256
    words = ["neither a public", "in a loop", "not a web address", "HTTP 404", "HTTP 403", "'br'"]
    for image, each in zip(answer.images[1:], words, strict=True):
        assert each in image.refused
    posts = [each for each in server.asked if each.path.endswith("/images/generations")]
    assert len(posts) == len(places), "another attempt would end likewise, and be paid"


def test_a_redirect_to_a_private_server_is_not_followed(tmp_path: Path) -> None:
    with Server(lambda _: Reply(picture())) as internal:
        answer, _ = drawn_from(
            "{root}/image",
            tmp_path,
            lambda _: Reply(b"", 302, {"Location": f"{internal.root}/secret"}),
        )
        assert not internal.asked
    assert "neither a public address" in why_not(answer)


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://h.example/x", "gopher://h/x", "//"])
def test_only_web_addresses_are_fetched(place: str, tmp_path: Path) -> None:
    answer, _ = drawn_from(place, tmp_path)
    assert why_not(answer).startswith("the image's address is not a web address")
    redirected, _ = drawn_from(
        "{root}/image", tmp_path, lambda _: Reply(b"", 302, {"Location": place})
    )
    expected = "in a loop" if place == "//" else "redirects to something that is not a web address"
    assert expected in why_not(redirected)


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
    assert "loop" in why_not(answer)
    assert len(asked) < 10


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 500])
def test_what_an_image_server_says_of_an_error_is_not_quoted(status: int, tmp_path: Path) -> None:
    answer, _ = drawn_from("{root}/image", tmp_path, lambda _: Reply({"detail": SECRET}, status))
    # 401 and 402 are no reason to end the run; after a 500 the next session may ask again.
    reason = answer.reason if isinstance(answer, Failed) else why_not(answer)
    assert isinstance(answer, Failed) == (status == 500)
    assert "hunter2" not in reason
    assert f"HTTP {status}" in reason


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
            with pytest.raises(UnusableImageError, match="neither a public address"):
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
            with pytest.raises(httpx.ConnectError, match=r"nobody\.example is unknown"):
                await client.get("http://nobody.example/")

    asyncio.run(fetch())


def test_behind_a_proxy_names_are_all_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert find_proxy("http://outside.example/x") == "http://proxy.example:3128"
    assert not find_proxy("https://outside.example/x")
    assert not find_proxy("http://inside.example:8000/x")
    monkeypatch.setenv("all_proxy", "other.example:3128")
    assert find_proxy("https://outside.example/x") == "http://other.example:3128"
    for host in ("outside.example", "outside.example.", "1.1.1.1", "7.example"):
        check_name(host)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "localhost.", "printer", "printer.", "db.internal", "10.0.0.1",
        "::1", "10.0.0.1.", "127.1", "0x7f.0.0.1", "0177.0.0.1", "0x7f.1.", "2130706433",
    ],
)  # fmt: skip
def test_names_that_are_not_public(host: str) -> None:
    with pytest.raises(UnusableImageError, match="neither a public address"):
        check_name(host)


def test_host_of() -> None:
    assert host_of("https://Me:pw@H.example/v1") == ("h.example", 443)
    assert host_of("http://[::1]:8000/v1") == ("::1", 8000)
