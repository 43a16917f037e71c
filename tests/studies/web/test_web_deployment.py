"""Several studies in one process, and a study behind a real nginx with the settings in deploy/."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from epicene.api.studies import load_study, serve_studies
from epicene.core.errors import InputError
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User, load_signer
from epicene.studies.web.app import make_app
from epicene.studies.web.several import StudiesByHost
from studies.web.page_visitors import Page
from study_examples import misgendering, stereotype

DEPLOY = Path(__file__).parents[3] / "deploy"


def test_several_studies_in_one_process(tmp_path: Path) -> None:
    folders = {
        "one.example.org": create_study_folder(tmp_path / "one", misgendering()),
        "two.example.org": create_study_folder(tmp_path / "two", stereotype()),
    }
    app = StudiesByHost({host: make_app(folder) for host, folder in folders.items()})
    with TestClient(app) as started:
        tokens = {
            host: load_signer(folder.path).token(User("owner")) for host, folder in folders.items()
        }
        for host, token in tokens.items():
            for other in tokens:
                reply = started.get(f"/enter/{token}", headers={"host": other})
                assert reply.status_code == (200 if host == other else 404)
        assert started.get("/", headers={"host": "evil.example.org"}).status_code == 404


@pytest.mark.parametrize(
    ("urls", "problem"),
    [
        (["https://one.example.org"], "as many different addresses"),
        (["https://one.example.org", "https://one.example.org"], "as many different addresses"),
        (["https://one.example.org", "http://two.example.org"], "both http:// and https://"),
    ],
)
def test_each_study_wants_an_address(tmp_path: Path, urls: list[str], problem: str) -> None:
    for name in ("one", "two"):
        create_study_folder(tmp_path / name, misgendering())
    studies = [load_study(tmp_path / name) for name in ("one", "two")]
    with pytest.raises(InputError, match=problem):
        serve_studies(studies, urls)


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


@pytest.mark.skipif(
    not (shutil.which("nginx") and shutil.which("openssl")),
    reason="wants nginx and openssl; get them with `apt-get install nginx openssl`",
)
def test_behind_nginx_with_tls(tmp_path: Path) -> None:
    create_study_folder(tmp_path / "s", misgendering())
    port = free_port()
    server = subprocess.Popen(
        [
            *(Path(sys.executable).with_name("epicene"), "annotate", "serve", tmp_path / "s"),
            *("--people", "ann", "--port", str(port), "--url", "https://study.example.org"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    links = dict(server.stdout.readline().rstrip("\n").split("\t") for _ in range(2))
    assert links["ann"].startswith("https://study.example.org/enter/")
    (tmp_path / "nginx").mkdir()
    try:
        with nginx(tmp_path / "nginx", port) as tls, _browser(tls) as client:
            address = links["ann"].removeprefix("https://study.example.org")
            reply = client.get(address)
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
            assert len(load_study(tmp_path / "s").answers()) == 1
            too_large = client.post("/answer", content=b"x" * 2_000_000)
            assert too_large.status_code == 413
            many = [client.get("/static/x/y").status_code for _ in range(300)]
            assert 503 in many  # the proxy's limit of requests
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


@contextmanager
def _browser(port: int) -> Iterator[httpx.Client]:
    """A client that takes the host name for this machine, and its own certificate."""
    with httpx.Client(
        base_url=f"https://127.0.0.1:{port}",
        headers={"host": "study.example.org"},
        verify=False,
    ) as client:
        yield client
