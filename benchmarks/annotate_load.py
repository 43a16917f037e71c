"""Load test of the annotation pages: many participants at once, and a server that is killed.

    python benchmarks/annotate_load.py [--people 200] [--seconds 60] [--kills 2]

`epicene annotate serve` runs in one process, the participants in another, on the same cores. Each
enters by a personal link, consents, reads the instructions and answers item after item, thinking
0.5 to 1.5 s before each (`--think`); 10 % of the answers are sent twice at once, 5 % are undone,
and before 5 % the page is reloaded. All are confirmed before the end. Then the same with the server
killed (SIGKILL) and restarted `--kills` times; requests during an outage do not count in the times.
The exit code is 1 if a judgement was lost or stored twice, or anybody saw what they should not.
Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotators.audit import Audit, audit, study
from annotators.connection import Connection, NoReplyError
from annotators.person import Annotator, Timed
from annotators.process import Server
from epicene.studies.collection.folder import create_study_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

JUDGEMENTS = 3  # of an item


@dataclass(frozen=True)
class Measured:
    """The results of one round."""

    milliseconds: list[float]  # of each request outside the outages, the shortest first
    left_out: int
    unanswered: int  # outside the outages
    seconds: float
    judgements: int
    undone: int
    outages: list[float]
    server_share: float  # of one core
    people_share: float
    memory: float  # of the server in the end, MiB
    load: float
    audit: Audit
    faults: list[str]

    @property
    def is_sound(self) -> bool:
        """Whether nothing was lost, stored twice or shown wrongly."""
        return not any(self.audit) and not self.faults

    def at(self, share: float) -> float:
        """The quantile of the response times in milliseconds."""
        return self.milliseconds[max(1, math.ceil(share * len(self.milliseconds))) - 1]


async def _kill_and_restart(server: Server, times: Sequence[float]) -> None:
    """Kill and restart the server at each time; an outage ends with the first answer."""
    for at in times:
        await asyncio.sleep(max(0.0, at - time.perf_counter()))
        died = server.kill()
        await asyncio.to_thread(server.start)
        await _first_answer(server.port)
        server.outages.append((died, time.perf_counter()))


async def _first_answer(port: int) -> None:
    connection = Connection(port, patience=5)
    try:
        while True:
            try:
                await connection.send("GET", "/nothing", {})
            except NoReplyError:
                await asyncio.sleep(0.05)
            else:
                return
    finally:
        connection.close()


async def _load(
    server: Server, *, seconds: float, kills: int, think: tuple[float, float], seed: int
) -> tuple[dict[str, Annotator], float]:
    """Let all participants work; return them and the seconds it took."""
    people = {
        name: Annotator(name, link, server.port, think, seed)
        for name, link in server.links.items()
        if name != "(owner)"
    }
    began = time.perf_counter()
    deaths = [began + seconds * (kill + 1) / (kills + 1) for kill in range(kills)]
    await asyncio.gather(
        _kill_and_restart(server, deaths),
        *(person.work(began + seconds) for person in people.values()),
    )
    return people, time.perf_counter() - began


def measure(
    folder: Path,
    *,
    people: int,
    seconds: float,
    kills: int = 0,
    think: tuple[float, float] = (0.5, 1.5),
    items: int | None = None,
    seed: int = 1,
) -> Measured:
    """One round in a new folder; by default with more items than can be answered."""
    plenty = 2 + int(people * seconds / (sum(think) / 2) / JUDGEMENTS)
    made = create_study_folder(
        folder, study(items or max(plenty, int(seconds / think[0])), JUDGEMENTS)
    )
    server = Server(folder, people)
    try:
        server.start()
        asyncio.run(_first_answer(server.port))
        starting, own = server.processor_time(), time.process_time()
        workers, took = asyncio.run(
            _load(server, seconds=seconds, kills=kills, think=think, seed=seed)
        )
        spent, own = server.processor_time() - starting, time.process_time() - own
        load, memory = os.getloadavg()[0], server.resident()
    finally:
        server.stop()
    heard = {name: person.notes for name, person in workers.items()}
    requests = [each for notes in heard.values() for each in notes.requests]
    inside = [each for each in requests if not _in_outage(each, server.outages)]
    unanswered = [each for notes in heard.values() for each in notes.unanswered]
    return Measured(
        milliseconds=sorted(1000 * (each.ended - each.began) for each in inside),
        left_out=len(requests) - len(inside),
        unanswered=sum(not _in_outage(each, server.outages) for each in unanswered),
        seconds=took,
        judgements=sum(len(notes.kept) for notes in heard.values()),
        undone=sum(notes.undone for notes in heard.values()),
        outages=[ended - began for began, ended in server.outages],
        server_share=spent / took,
        people_share=own / took,
        memory=memory,
        load=load,
        audit=audit(made.study, heard, made.responses()),
        faults=[fault for notes in heard.values() for fault in notes.faults],
    )


def _in_outage(request: Timed, outages: Iterable[tuple[float, float]]) -> bool:
    return any(request.began < ended and died < request.ended for died, ended in outages)


def rows(measured: Measured) -> list[tuple[str, str]]:
    """The results of a round as a table."""
    outages = ", ".join(f"{each:.1f} s" for each in measured.outages)
    return [
        ("requests", f"{len(measured.milliseconds):,}"),
        ("requests a second", f"{len(measured.milliseconds) / measured.seconds:.0f}"),
        *((f"{name} (ms)", f"{measured.at(share):.0f}") for name, share in _SHARES),
        ("server, of one core", f"{100 * measured.server_share:.0f} %"),
        ("people, of one core", f"{100 * measured.people_share:.0f} %"),
        ("server, memory", f"{measured.memory:.0f} MiB"),
        ("outages", f"{outages or 'none'}; {measured.left_out} requests left out"),
        ("unanswered besides", str(measured.unanswered)),
        ("judgements kept (taken back)", f"{measured.judgements:,} ({measured.undone})"),
        ("lost", str(measured.audit.lost)),
        ("double", str(measured.audit.double)),
        ("stored and never confirmed", str(measured.audit.strange)),
        ("more than an item is to get", str(measured.audit.over)),
        ("other faults", str(len(measured.faults))),
        ("load average", f"{measured.load:.1f} on {os.cpu_count()} cores"),
    ]


_SHARES = (("median", 0.5), ("95 %", 0.95), ("99 %", 0.99), ("longest", 1.0))


def main() -> None:
    """Measure without and with kills, and print both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument(
        "--think", type=float, nargs=2, default=(0.5, 1.5), metavar=("LEAST", "MOST")
    )
    given = parser.parse_args()
    sound = True
    for kills in dict.fromkeys((0, given.kills)):
        with tempfile.TemporaryDirectory() as folder:
            measured = measure(
                Path(folder) / "study",
                people=given.people,
                seconds=given.seconds,
                kills=kills,
                think=tuple(given.think),
            )
        print(f"\n{given.people} people for {given.seconds:g} s, the server killed {kills} times")
        for name, value in rows(measured):
            print(f"  {name:<30}{value}")
        for fault in measured.faults[:10]:
            print(f"  {fault}")
        sound = sound and measured.is_sound
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
