"""The server as people run it, in a process of its own, and a person who answers its questions."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from studies.web.page_visitors import Page


class Running:
    """A server in a process of its own."""

    def __init__(self, folder: Path, people: str, port: int) -> None:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "epicene", "annotate", "serve", folder),
                *("--people", people, "--port", str(port)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(1 + len(people.split(",")))]
        self.links = dict(line.rstrip("\n").split("\t") for line in lines)

    def stop(self, sign: int) -> int:
        self.process.send_signal(sign)
        self.process.communicate(timeout=60)
        return self.process.returncode


@contextmanager
def running(folder: Path, people: str, port: int = 0) -> Iterator[Running]:
    """Serve a study; 0 is any port that is free."""
    server = Running(folder, people, port)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop(signal.SIGKILL)


def read_as_owner(link: str, address: str) -> bytes:
    """What the owner gets at an address."""
    with urllib.request.urlopen(link, timeout=60) as reply:
        cookie = reply.headers["set-cookie"].partition(";")[0]
    base = link.partition("/enter/")[0]
    request = urllib.request.Request(base + address, headers={"Cookie": cookie})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return bytes(reply.read())


class Browser:
    """Follows a link and answers item after item, as fast as it can."""

    def __init__(self, link: str) -> None:
        base = link.partition("/enter/")[0]
        with urllib.request.urlopen(link, timeout=60) as reply:
            self._cookie = reply.headers["set-cookie"].partition(";")[0]
        self._base = base
        self.page = Page(self._send("/").decode())
        self.work: dict[str, Any] = json.loads(self._send("/api/work"))
        self.acknowledged: list[int] = []

    def _send(self, address: str, body: object = None) -> bytes:
        headers = {"Cookie": self._cookie, "Content-Type": "application/json"}
        if body is not None:
            headers["X-CSRF-Token"] = self.page.values("data-csrf")[0]
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + address, data, headers)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return bytes(reply.read())

    def answer(self) -> None:
        number = self.work["number"]
        answers = {"gender": ["male"], "category": ["power"]}
        body = {"number": number, "revision": self.work["revision"], "answers": answers}
        self.work = json.loads(self._send("/api/answer", body))["work"]
        self.acknowledged.append(number)

    def answer_until_it_dies(self) -> None:
        try:
            while self.work["stage"] == "item":
                self.answer()
        except (OSError, http.client.HTTPException):
            pass
