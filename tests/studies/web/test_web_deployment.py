"""A study behind real proxies with the settings in deploy/."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import epicene
from epicene.studies.collection.folder import create_study_folder
from studies.web.page_visitors import Page
from study_examples import misgendering

HOST = "study.example.org"
DEPLOY = Path(__file__).parents[3] / "deploy"


# --- nginx -----------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def nginx(folder: Path, behind: int) -> Iterator[int]:
    """Nginx with the settings that we ship, a certificate of its own, and free ports."""
    plain, tls = free_port(), free_port()
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=study.example.org"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )
    settings = (DEPLOY / "nginx.conf").read_text("utf-8")
    live = "/etc/letsencrypt/live/study.example.org"
    for ours, theirs in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{tls} ssl;",
        "127.0.0.1:8765": f"127.0.0.1:{behind}",
        f"{live}/fullchain.pem": str(folder / "cert.pem"),
        f"{live}/privkey.pem": str(folder / "key.pem"),
    }.items():
        assert ours in settings
        settings = settings.replace(ours, theirs)
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/errors;\n"
        f"events {{}}\nhttp {{\n{paths}{settings}\n}}\n",
        "utf-8",
    )
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", tls)) == 0:
                    break
            time.sleep(0.05)
        yield tls
    finally:
        process.terminate()
        process.wait(20)


# --- Caddy -----------------------------------------------------------------------------------


@contextmanager
def caddy(folder: Path, behind: int) -> Iterator[int]:
    """Caddy with the settings that we ship, a certificate by its own CA, and free ports."""
    plain, tls = free_port(), free_port()
    site = (DEPLOY / "Caddyfile").read_text("utf-8")
    assert "reverse_proxy study:8765\n" in site
    site = site.replace("study:8765\n", f"127.0.0.1:{behind}\n\ttls internal\n")
    assert "\n{\n" in site  # the global options
    options = (
        f"\tadmin off\n\tskip_install_trust\n\tstorage file_system {folder}\n"
        f"\thttp_port {plain}\n\thttps_port {tls}\n"
    )
    (folder / "Caddyfile").write_text(site.replace("\n{\n", "\n{\n" + options, 1), "utf-8")
    process = subprocess.Popen(
        ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"],
        env=os.environ | {"STUDY_HOST": HOST, "XDG_CONFIG_HOME": str(folder)},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield tls
    finally:
        process.terminate()
        process.wait(20)


# --- a study behind each of them --------------------------------------------------------------


@contextmanager
def serving(folder: Path, port: int) -> Iterator[dict[str, str]]:
    """The links of a study that `annotate serve` serves at the address of a proxy."""
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "epicene", "annotate", "serve", folder),
            *("--people", "ann", "--port", str(port), "--url", f"https://{HOST}"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    try:
        yield dict(server.stdout.readline().rstrip("\n").split("\t") for _ in range(2))
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


def answer_over_tls(
    client: httpx.Client, link: str, folder: Path, refused: tuple[int, ...] = (413,)
) -> None:
    """Follow a link, answer an item, and be refused with too large a form."""
    assert link.startswith(f"https://{HOST}/enter/")
    reply = client.get(link.removeprefix(f"https://{HOST}"))
    assert reply.status_code == 200
    assert "secure" in reply.headers["set-cookie"].lower()
    assert "max-age" in reply.headers["strict-transport-security"]
    page = Page(client.get("/").text)
    form = {
        "csrf": page.chosen["csrf"][-1],
        "number": page.chosen["number"][-1],
        "revision": page.chosen["revision"][-1],
        "answer.label": "correct",
    }
    assert client.post("/answer", data=form).status_code == 303
    assert len(epicene.Study(folder).answers()) == 1
    assert client.post("/answer", content=b"x" * 2_000_000).status_code in refused
    assert len(epicene.Study(folder).answers()) == 1


@pytest.mark.skipif(
    not (shutil.which("nginx") and shutil.which("openssl")),
    reason="needs nginx and openssl; get them with `apt-get install nginx openssl`",
)
def test_behind_nginx_with_tls(tmp_path: Path) -> None:
    create_study_folder(tmp_path / "s", misgendering())
    (tmp_path / "nginx").mkdir()
    port = free_port()
    with (
        serving(tmp_path / "s", port) as links,
        nginx(tmp_path / "nginx", port) as tls,
        httpx.Client(
            base_url=f"https://127.0.0.1:{tls}", headers={"host": HOST}, verify=False
        ) as client,
    ):
        answer_over_tls(client, links["ann"], tmp_path / "s")
        many = [client.get("/static/x/y").status_code for _ in range(300)]
        assert 503 in many  # the proxy's limit of requests


@pytest.mark.skipif(
    not shutil.which("caddy"), reason="needs Caddy; get it with `apt-get install caddy`"
)
def test_behind_caddy_with_a_certificate_that_is_checked(tmp_path: Path) -> None:
    create_study_folder(tmp_path / "s", misgendering())
    (tmp_path / "caddy").mkdir()
    port = free_port()
    with serving(tmp_path / "s", port) as links, caddy(tmp_path / "caddy", port) as tls:
        issued = tmp_path / "caddy/certificates/local" / HOST / f"{HOST}.crt"
        root = tmp_path / "caddy/pki/authorities/local/root.crt"
        deadline = time.monotonic() + 60
        while not (issued.exists() and root.exists()) and time.monotonic() < deadline:
            time.sleep(0.05)
        trusted = ssl.create_default_context(cafile=str(root))
        with CheckedHost(
            base_url=f"https://127.0.0.1:{tls}", headers={"host": HOST}, verify=trusted
        ) as client:
            while not _answers(client) and time.monotonic() < deadline:
                time.sleep(0.05)  # the certificate is written before it is used
            # 502 if Caddy has begun to forward the body when the limit is reached.
            answer_over_tls(client, links["ann"], tmp_path / "s", refused=(413, 502))


def _answers(client: httpx.Client) -> bool:
    try:
        client.get("/health")
    except httpx.ConnectError:
        return False
    return True


class CheckedHost(httpx.Client):
    """A client that reaches the host at this machine, and checks the certificate for its name."""

    def build_request(self, *arguments: Any, **more: Any) -> httpx.Request:
        request = super().build_request(*arguments, **more)
        request.extensions["sni_hostname"] = HOST
        return request
