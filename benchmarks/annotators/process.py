"""`epicene annotate serve` in a process of its own, which can be killed and restarted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server of a study that keeps its port when it is restarted."""

    def __init__(self, study: Path, people: int) -> None:
        self._study = study
        self._people = [f"p{number:03}" for number in range(1, people + 1)]
        self._process: subprocess.Popen[str] | None = None
        self._spent = 0.0
        self.port = 0
        self.outages: list[tuple[float, float]] = []
        self.links: dict[str, str] = {}  # addresses by person

    def start(self) -> None:
        """Start, and return when it accepts connections."""
        command = Path(sys.executable).with_name("epicene")
        self._process = subprocess.Popen(
            [
                *(command, "annotate", "serve", self._study, "--port", str(self.port)),
                *("--people", ",".join(self._people)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        lines = [self._process.stdout.readline() for _ in range(1 + len(self._people))]
        if not lines[-1]:
            raise RuntimeError(f"The server did not start. {self._process.communicate()[1]}")
        for line in lines:
            who, link = line.rstrip("\n").split("\t")
            base, _, token = link.partition("/enter/")
            self.links[who] = f"/enter/{token}"
            self.port = int(base.rpartition(":")[2])

    def kill(self) -> float:
        """Kill the process, and return the time."""
        assert self._process is not None
        self._spent += self._of_process()
        at = time.perf_counter()
        self._process.kill()
        self._reap()
        return at

    def stop(self) -> None:
        """Stop the process cleanly if it is running."""
        if self._process is not None and self._process.poll() is None:
            self._spent += self._of_process()
            self._process.send_signal(signal.SIGTERM)
            self._reap()

    def _reap(self) -> None:
        assert self._process is not None
        self._process.communicate(timeout=60)

    def processor_time(self) -> float:
        """CPU seconds of all processes so far, including start-up."""
        return self._spent + self._of_process()

    def resident(self) -> float:
        """Resident memory of the process in MiB."""
        assert self._process is not None
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def _of_process(self) -> float:
        """CPU seconds of the current process."""
        if self._process is None or self._process.poll() is not None:
            return 0.0
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
