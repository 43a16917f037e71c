"""`epicene compare` says what it compares, and what is missing from it."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from rich.cells import cell_len

from cli.conftest import Epicene
from cli.test_commands import TWO_STAGE


@pytest.mark.parametrize("more", [(), ("--agreement",)])
def test_it_says_what_a_run_lacks_as_tables_does(epicene: Epicene, more: tuple[str, ...]) -> None:
    epicene(*TWO_STAGE, "--out=whole")
    broken = epicene(
        *TWO_STAGE[:2], "--model=writer=scripted:v-failing", TWO_STAGE[3], "--out=broken"
    )
    assert broken.code == 1
    (told,) = [line for line in epicene("tables", "broken").err.splitlines() if "judged" in line]
    assert told.startswith("scripted-v: ")
    assert told.endswith("run the same command again to resume.")
    assert told in epicene("compare", "whole", "broken", *more).err.splitlines()
    assert "judged" not in epicene("compare", "whole", "whole", *more).err


def test_it_counts_changes_as_the_page_does(epicene: Epicene) -> None:
    for seed in (1, 2):
        epicene("run", "misgendering", f"--model=random:{seed}", "--limit=2", f"--out=run-{seed}")
    found = epicene("compare", "run-1", "run-2", "--json", "--items").json
    entries = [
        {
            (entry["item"], entry["name"]): entry["outcome"]
            for entry in epicene("tables", run, "--json", "--items").json["items"]
            if entry["outcome"] is not None
        }
        for run in ("run-1", "run-2")
    ]
    shared = entries[0].keys() & entries[1].keys()
    changed = sum(entries[0][key] != entries[1][key] for key in shared)
    assert len(found["items"]) == changed > 0
    told = epicene("compare", "run-1", "run-2").err
    assert (
        f"The outcome differs in {changed} of the {len(shared)} judgements that have an outcome "
        "in both runs." in told
    )


def test_the_command_that_a_run_names_can_be_pasted(epicene: Epicene) -> None:
    folder = "odd & <x>#"
    told = epicene(*TWO_STAGE, f"--out={folder}").err
    command = told.partition("`")[2].partition("`")[0]
    assert shlex.split(command) == ["epicene", "tables", folder]
    assert Path(folder).is_dir()
    plain = epicene(*TWO_STAGE, "--out=plain").err
    assert "The run is in plain; `epicene tables plain` prints all its tables." in plain


def test_nothing_is_cut_in_a_terminal_of_80_columns(epicene: Epicene) -> None:
    """Version 520b741 printed `-38…` and `[66…` here."""
    for seed in ("1", "2"):
        options = ("--limit", "4", "--set", "samples=1", "--set", "pronouns=he,she")
        model = f"random:{seed}?label=guesser-{seed}"
        epicene("run", "misgendering", "-m", model, *options, "-o", seed)
    shown = in_terminal("compare", "1", "2", columns=80)
    assert "…" not in shown
    assert max(map(cell_len, shown.splitlines())) <= 80
    changes = epicene("compare", "1", "2").out
    # Numbers may be folded, but every digit of them is there.
    assert sorted(re.findall(r"\d", shown)) == sorted(re.findall(r"\d", changes))


def in_terminal(*arguments: str, columns: int) -> str:
    """What a command prints on a terminal."""
    leader, follower = pty.openpty()
    code = "from epicene.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=follower,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(columns), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(follower)
    shown = b""
    with suppress(OSError):  # at the end of a terminal there is no end of file
        while part := os.read(leader, 65536):
            shown += part
    os.close(leader)
    assert process.wait() == 0
    return re.sub(r"\x1b\[[0-9;]*m|\r", "", shown.decode())
