"""How fast answers are written, from the first to the last of millions, and planned over again.

    python benchmarks/store.py [ANSWERS]      (default 5,000,000, which take 3 GB of disk)

Written: the plan of the suite `reflexives` of the tests over made-up subjects, cut into a run's
batches and committed batch by batch, as a run commits them; only the store's own time counts.
Planned: what the same command does when everything is answered, in a process of its own: every
request is built anew and held against what is stored. On Linux.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core.records import Answer, Scores, Text, Texts, TextScore, verb
from epicene.models import BatchLimit, ModelOptions
from epicene.models.reference import open_random
from epicene.runs.execute import make_batches
from epicene.runs.plan import PlanReader, survey_section
from epicene.runs.store import AnswerStore, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

import reflexives  # noqa: E402 - from the tests
from reflexives import Sentence  # noqa: E402

STAGE = reflexives.suite.stages[0]
PROTOCOL = reflexives.suite.protocols["epicene"]
POINTS = 20  # of the curve

# Answers of the size that a language model gives: two texts of twelve tokens, a sentence written.
_TEXT = TextScore(
    logprobs=tuple(-0.12345 * (n + 1) for n in range(12)),
    starts=tuple(range(0, 48, 4)),
    ends=tuple(range(4, 52, 4)),
    words=10,
    characters=48,
)
ANSWERS: dict[str, Answer] = {
    "score": Scores(texts=(_TEXT, _TEXT), method="causal", conditioned_on="<|endoftext|>"),
    "generate": Texts(texts=(Text(text=" herself on the stairs.", tokens=6),), temperature=0.0),
}


class Stopwatch:
    """Seconds inside `with`, in all and since the last lap."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._began = self._lap = self.total = 0.0

    def __enter__(self) -> None:
        self._began = self._now()

    def __exit__(self, *_: object) -> None:
        self.total += self._now() - self._began

    def lap(self) -> float:
        """Seconds since the last one."""
        lap, self._lap = self.total - self._lap, self.total
        return lap


def main() -> None:
    """Write and print the curve; plan and print one line."""
    if sys.argv[1:2] == ["plan"]:
        plan(Path(sys.argv[2]))
        return
    answers = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.sqlite"
        write(path, answers)
        subprocess.run([sys.executable, __file__, "plan", str(path)], check=True)


def write(path: Path, answers: int) -> None:
    """Store items and answers, printing the rate in each part."""
    store = AnswerStore(path, create=True)
    store.put_items(_items(answers // 2), "made-up subjects")
    items = path.stat().st_size
    section = _section(store)
    written, clock, processor = 0, Stopwatch(time.perf_counter), Stopwatch(time.process_time)
    print("      rows   answers/s   by processor")
    for rows in _batches(store, section):
        due = answers * (written * POINTS // answers + 1) // POINTS
        with clock, processor:
            store.put(rows)
        written += len(rows)
        if written >= due:
            part = answers / POINTS
            print(f"{written:10,} {part / clock.lap():11,.0f} {part / processor.lap():14,.0f}")
    store.close()
    size = path.stat().st_size
    print(
        f"{written:,} answers written in {clock.total:.0f} s, {written / clock.total:,.0f}/s (by "
        f"processor {written / processor.total:,.0f}/s); store "
        f"{size / 2**20:,.0f} MiB, {(size - items) / written:.0f} bytes an answer"
    )


def plan(path: Path) -> None:
    """Walk the whole plan over the stored answers."""
    store = AnswerStore(path)
    section = _section(store)
    began, worked = time.perf_counter(), time.process_time()
    progress = survey_section(_reader(store), store, STAGE, section)
    took, worked = time.perf_counter() - began, time.process_time() - worked
    assert progress.done == progress.total, progress
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{progress.total:,} stored answers planned over in {took:.1f} s ({worked:.1f} s of "
        f"processor time), peak {peak:.0f} MiB"
    )


def _items(count: int) -> Iterator[Sentence]:
    for number in range(count):
        male = number % 2 == 0
        yield Sentence(
            id=f"subject-{number}",
            group=f"group-{number // 4}",
            language="en",
            before=f"Subject number {number} hurt ",
            reflexive="himself" if male else "herself",
            after=" on the stairs.",
            gender="masculine" if male else "feminine",
        )


def _batches(
    store: AnswerStore, section: Section
) -> Iterator[list[tuple[int, str, bytes, Answer]]]:
    reader = _reader(store)
    for first, end in reader.windows():
        planned, _ = reader.window(STAGE, section, first, end)
        for batch in make_batches(planned, BatchLimit()):
            yield [(p.request_id, p.request.name, p.key, ANSWERS[verb(p.request)]) for p in batch]


def _reader(store: AnswerStore) -> PlanReader:
    return PlanReader(store, reflexives.suite, PROTOCOL)


def _section(store: AnswerStore) -> Section:
    identity = open_random("", ModelOptions()).identity
    return store.section(STAGE.name, STAGE.role, identity)


if __name__ == "__main__":
    main()
