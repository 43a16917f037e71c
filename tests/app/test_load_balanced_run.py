"""A run on two servers of which one dies half-way: it ends complete, nothing answered twice."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.conftest import Epicene
from epicene.models.http import model as remote
from epicene.models.http.retry import RetryPolicy

ITEMS = 40
ASKED = ITEMS + 1  # with the probe
WATCHFUL = RetryPolicy(first_wait=0.01, max_wait=0.5, check_interval=0.1, max_outage=30.0)

# A server of its own process, so that it can be killed as machines die: in the middle of replies.
# It notes every prompt that it answers, and after `most` of them answers no more.
PROGRAM = """
import json, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

path, model, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
lock, answered = threading.Lock(), 0

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.reply({"data": [{"id": model}]})

    def do_POST(self):
        global answered
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            hangs = answered >= most
            answered += not hangs
            with open(path, "a") as log:
                log.write(json.dumps({"prompt": body["prompt"], "seed": body["seed"],
                                      "answered": not hangs}) + "\\n")
        if hangs:
            time.sleep(600)
        choices = [{"index": i, "text": " and so on"} for i in range(body.get("n", 1))]
        time.sleep(0.02)
        self.reply({"model": model, "choices": choices})

    def reply(self, content):
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass

class Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

server = Http(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@dataclass
class Replica:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    log: Path
    url: str

    @property
    def asked(self) -> list[dict[str, Any]]:
        if not self.log.exists():
            return []
        *whole, _being_written = self.log.read_text().split("\n")
        return [json.loads(line) for line in whole]

    def answered(self) -> Counter[tuple[str, int]]:
        return Counter((each["prompt"], each["seed"]) for each in self.asked if each["answered"])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=60)


class Replicas:
    """Starts servers, and ends them all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Replica] = []

    def start(self, name: str, model: str = "tiny", most: int = 10**9) -> Replica:
        log = self._folder / f"{name}.log"
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(log), model, str(most)],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout
        port = int(process.stdout.readline())
        self._started.append(Replica(process, log, f"http://127.0.0.1:{port}/v1"))
        return self._started[-1]

    def end(self) -> None:
        for each in self._started:
            each.kill()
            assert each.process.stdout
            each.process.stdout.close()


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[Replicas]:
    started = Replicas(tmp_path)
    yield started
    started.end()


@pytest.fixture(autouse=True)
def _watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "RetryPolicy", lambda: WATCHFUL)


def command(*urls: str) -> list[str]:
    return [
        "run", "two-stage", "--model=writer=openai:tiny", "--model=reader=random",
        *(f"--base-url={url}" for url in urls),
        "--timeout=60", "--concurrency=4", f"--set=items={ITEMS}", "--out=run",
    ]  # fmt: skip


def servers() -> list[dict[str, Any]]:
    manifest = json.loads(Path("run/manifest.json").read_text())
    found: list[dict[str, Any]] = manifest["sessions"][-1]["notes"]["tiny"]["servers"]
    return found


def stored() -> tuple[int, int]:
    """How many answers are stored, and how many of them are failures."""
    with sqlite3.connect("run/answers.sqlite") as db:
        count, failed = db.execute("SELECT count(*), sum(failed) FROM answers").fetchone()
    return count, failed


@pytest.mark.parametrize("how", ["options", "one option", "environment"])
def test_both_are_used_however_they_are_named(
    epicene: Epicene, replicas: Replicas, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    one, other = replicas.start("one"), replicas.start("other")
    urls = [one.url, f"{other.url}*2"]
    if how == "environment":
        monkeypatch.setenv("EPICENE_BASE_URL", " ".join(urls))
        done = epicene(*command())
    else:
        done = epicene(*command(*(urls if how == "options" else [",".join(urls)])))
    assert done.code == 0, done.err
    assert [each["server"] for each in servers()] == [one.url, other.url]
    assert [each["answered"] for each in servers()] == [len(one.asked), len(other.asked)]
    assert min(len(one.asked), len(other.asked)) > 0
    assert len(one.asked) + len(other.asked) == ASKED


def test_one_dies_half_way_and_the_run_ends_complete(
    epicene: Epicene, replicas: Replicas, caplog: pytest.LogCaptureFixture
) -> None:
    """The first answers ten and is killed while it has four more in hand."""
    doomed, other = replicas.start("doomed", most=10), replicas.start("other")

    def killer() -> None:
        deadline = time.monotonic() + 60
        while len(doomed.asked) < 14 and time.monotonic() < deadline:
            time.sleep(0.01)
        doomed.kill()

    thread = threading.Thread(target=killer)
    thread.start()
    done = epicene(*command(doomed.url, other.url))
    thread.join()
    assert done.code == 0, done.err
    assert f"No requests are sent to the server {doomed.url}" in caplog.text
    count, failed = stored()
    assert failed == 0
    twice = doomed.answered() + other.answered()
    assert len(twice) == ASKED
    assert set(twice.values()) == {1}, "nothing is answered twice"
    first, second = servers()
    assert (first["answered"], first["went_away"]) == (10, 1)
    assert (second["answered"], second["went_away"]) == (ASKED - 10, 0)
    # The same command finds all of it done.
    again = epicene(*command(other.url))
    assert again.code == 0, again.err
    assert stored() == (count, 0)
    assert len(other.asked) == ASKED - 10


def test_one_with_another_model_is_refused_before_anything_is_asked(
    epicene: Epicene, replicas: Replicas
) -> None:
    right, wrong = replicas.start("right"), replicas.start("wrong", model="large")
    done = epicene(*command(right.url, wrong.url))
    assert done.code == 2
    assert f"The server {wrong.url} serves large, not tiny" in done.err
    assert not right.asked
    assert not wrong.asked
