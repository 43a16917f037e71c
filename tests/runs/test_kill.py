"""Killed at any moment, a run goes on where it was, and its tables do not show it."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from golden.recording import same
from models.hf.tiny_causal import llama, save, smollm2_like
from run_folders import tables
from runs.conftest import computed
from runs.killable_runs import ForkServer, stored

KILLS = 20
ITEMS = 30
# What each command would import: seconds, of which twenty commands are killed.
MODULES = (
    "accelerate",
    "epicene.app.run",
    "epicene.models.hf.causal",
    "epicene.show.run_report",
    "epicene.show.terminal",
    "epicene.runs.run",
    "polars",
    "scipy.stats",
    "transformers.generation.continuous_batching",
    "transformers.models.llama.modeling_llama",
)


@pytest.fixture
def fork_server(tmp_path: Path) -> Iterator[ForkServer]:
    """A fork_server that notes computed requests in computed.log."""
    process = ForkServer(tmp_path / "computed.log", tmp_path / "errors.log", *MODULES)
    yield process
    process.close()


def test_twenty_kills_change_nothing(tmp_path: Path, fork_server: ForkServer) -> None:
    writer, reader = tmp_path / "tiny-writer", tmp_path / "tiny-reader"
    save(writer, llama(seed=1), smollm2_like())
    save(reader, llama(seed=2), smollm2_like())
    models = [
        f"--model=writer=noted:{writer}?label=w",
        f"--model=reader=scripted:a-slow?label=a,noted:{reader}?label=b",
    ]
    settings = ["--batch-size=4", "--set=samples=2", f"--set=items={ITEMS}"]
    command = ["run", "two-stage", *models, *settings, "--out"]
    started = time.monotonic()
    assert fork_server.run([*command, str(tmp_path / "whole")]) == 0
    duration = time.monotonic() - started
    expected = tables(tmp_path / "whole")

    rng = random.Random(20)
    log = tmp_path / "computed.log"
    kills = rounds = 0
    while kills < KILLS:
        folder = tmp_path / f"round-{rounds}"
        rounds += 1
        code = -signal.SIGKILL
        while code != 0:
            before, noted = stored(folder), len(computed(log))
            # Short enough that many moments of one run are hit, long enough to make headway.
            wait = rng.uniform(0.1, 0.6) * duration if kills < KILLS else None
            code = fork_server.run([*command, str(folder)], kill_after=wait)
            kills += code == -signal.SIGKILL
            again = before & set(computed(log)[noted:])
            assert not again, f"answered before, computed again: {sorted(again)[:3]}"
        # A batch that was in flight at two kills is sent in parts: its last digits may differ.
        assert same(json.loads(tables(folder)), json.loads(expected))
        with sqlite3.connect(folder / "answers.sqlite") as db:
            rows, keys = db.execute("SELECT count(*), count(DISTINCT key) FROM answers").fetchone()
        assert rows == keys == ITEMS + ITEMS * 2 * 2
