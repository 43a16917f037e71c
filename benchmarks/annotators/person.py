"""A simulated participant: enters by a link, consents, answers item after item.

Like the script of the pages, it sends an answer again, with growing pauses, until the server
confirms it. Sometimes it sends an answer twice at once, reloads the page or undoes the last answer.
Confirmed answers are recorded by the sentence shown, not by the server's numbers.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlencode

from annotators.connection import Connection, NoReplyError, Reply

PATIENCE = 20.0  # seconds, like the script of the pages
SHORTEST_PAUSE, LONGEST_PAUSE = 0.5, 4.0  # between attempts
TWICE, RELOAD, UNDO = 0.10, 0.05, 0.05  # how often, of all answers

_SHOWN = re.compile(r"Sentence ([0-9]+):")
_CSRF = re.compile(r'data-csrf="([^"]+)"')


class Timed(NamedTuple):
    """The start and end of a request."""

    began: float
    ended: float


@dataclass
class Notes:
    """What a participant has seen and been told."""

    requests: list[Timed] = field(default_factory=list)
    unanswered: list[Timed] = field(default_factory=list)
    kept: dict[int, str] = field(default_factory=dict)  # confirmed answers, by sentence number
    undone: int = 0
    faults: list[str] = field(default_factory=list)


class Annotator:
    """A participant who works until a given time."""

    def __init__(
        self, name: str, link: str, port: int, think: tuple[float, float], seed: int
    ) -> None:
        self.name = name
        self.notes = Notes()
        self._link = link
        self._think = think
        self._chance = random.Random(f"{seed}/{name}")
        self._connections = [Connection(port, PATIENCE) for _ in range(2)]
        self._headers: dict[str, str] = {}
        self._attempts = 0
        self._seen: dict[int, int] = {}  # task numbers, by sentence number

    async def work(self, until: float) -> None:
        """Enter and answer until the time is up or nothing is left."""
        try:
            await self._pause()
            work = await self._enter()
            while work["stage"] == "item" and time.perf_counter() < until:
                self._look(work)
                await self._pause()
                work = await self._step(work)
        finally:
            for connection in self._connections:
                connection.close()

    async def _enter(self) -> dict[str, Any]:
        reply = await self._insist("GET", self._link)
        self._headers = {"Cookie": reply.headers["set-cookie"].partition(";")[0]}
        page = (await self._insist("GET", "/")).body.decode()
        found = _CSRF.search(page)
        assert found is not None, page
        self._headers["X-CSRF-Token"] = found[1]
        for address in ("/consent", "/begin"):
            await self._pause()
            form = urlencode({"csrf": found[1], "agree": "yes"}).encode()
            await self._insist("POST", address, form)
            await self._insist("GET", "/")
        return self._read(await self._insist("GET", "/api/work"))

    async def _step(self, work: dict[str, Any]) -> dict[str, Any]:
        chance = self._chance.random()
        if chance < UNDO and self.notes.kept and work["answered"]:
            return await self._undo()
        if chance < UNDO + RELOAD:
            await self._reload(work)
        return await self._answer(work, twice=self._chance.random() < TWICE)

    async def _answer(self, work: dict[str, Any], *, twice: bool) -> dict[str, Any]:
        self._attempts += 1
        said = f"{self.name} {self._attempts}"
        body = {
            "number": work["number"],
            "revision": work["revision"],
            "answers": {
                "label": [self._chance.choice(("correct", "misgendering", "no-pronoun"))],
                "extraneous": [],
                "note": [said],
            },
            "seconds": 0.4,
        }
        data = json.dumps(body).encode()
        replies = await asyncio.gather(
            *(self._insist("POST", "/api/answer", data, way) for way in range(1 + twice))
        )
        found = [self._read(reply) for reply in replies]
        if [each["status"] for each in found].count("saved") > 1:
            self.notes.faults.append(f"{said} was saved twice")
        self.notes.kept[_sentence(work)] = said
        return max((each["work"] for each in found), key=_progress)

    async def _undo(self) -> dict[str, Any]:
        """Undo the last answer; the item must then be shown again."""
        last = max(self._seen[sentence] for sentence in self.notes.kept)
        reply = self._read(
            await self._insist("POST", "/api/undo", json.dumps({"number": last}).encode())
        )
        after: dict[str, Any] = reply["work"]
        if after["number"] != last:
            self.notes.faults.append(f"{self.name} could not take {last} back: {reply['status']}")
            return after
        self.notes.kept.pop(_sentence(after))
        self.notes.undone += 1
        return after

    async def _reload(self, work: dict[str, Any]) -> None:
        page = (await self._insist("GET", "/")).body.decode()
        if _sentence({"page": page}) != _sentence(work):
            self.notes.faults.append(f"{self.name} saw another item after a reload")

    def _look(self, work: dict[str, Any]) -> None:
        """Record the task number of the sentence: none may be shown a second time."""
        sentence = _sentence(work)
        if self._seen.setdefault(sentence, work["number"]) != work["number"]:
            self.notes.faults.append(f"{self.name} was given sentence {sentence} twice")
        if sentence in self.notes.kept:
            self.notes.faults.append(f"{self.name} was asked again for sentence {sentence}")

    async def _pause(self) -> None:
        await asyncio.sleep(self._chance.uniform(*self._think))

    # --- requests ------------------------------------------------------------------------------

    async def _insist(self, method: str, address: str, body: bytes = b"", way: int = 0) -> Reply:
        """Send a request until it is answered."""
        pause = SHORTEST_PAUSE
        headers = dict(self._headers)
        if body.startswith(b"{"):
            headers["Content-Type"] = "application/json"
        while True:
            began = time.perf_counter()
            try:
                reply = await self._connections[way].send(method, address, headers, body)
            except NoReplyError:
                self.notes.unanswered.append(Timed(began, time.perf_counter()))
            else:
                self.notes.requests.append(Timed(began, time.perf_counter()))
                if reply.status < 400:
                    return reply
                if reply.status not in (429, 503):
                    raise RuntimeError(f"{method} {address}: {reply.status} {reply.body!r}")
                self.notes.faults.append(f"{self.name} was told {reply.status}")
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    @staticmethod
    def _read(reply: Reply) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(reply.body)
        return read


def _sentence(work: dict[str, Any]) -> int:
    """The number in the shown sentence."""
    found = _SHOWN.search(work["page"])
    assert found is not None, work["page"]
    return int(found[1])


def _progress(work: dict[str, Any]) -> int:
    return int(work["number"] or 0)
