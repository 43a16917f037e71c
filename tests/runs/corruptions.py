"""Damage a run folder at random, and check that no table changes without a word.

Whatever happens to a file, the tables are the same as before, or there is an error of one
sentence, or they say that the run is incomplete, and rest on rows that were stored. The same
command then restores the run or refuses it.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from epicene.app.commands import run_command
from epicene.core.errors import EpiceneError
from epicene.runs.integrity import verify_run
from run_folders import tables

_PAGE = 4096
_WORDS = """language,word,grammar,stereotype,category,english,chinese,genitive
DE,Wache,F,male,occupation,a guard,警卫,der Wache
DE,Star,M,female,social_status,a star,明星,des Stars
"""


# --- what can happen to a file -----------------------------------------------------------------


def _flip_a_bit(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    end = min(len(data), start + rng.randrange(1, 64))
    data[start:end] = rng.randbytes(end - start)


def _zero_a_page(data: bytearray, rng: random.Random) -> None:
    page = _some_page(data, rng)
    data[page] = bytes(len(data[page]))


def _swap_pages(data: bytearray, rng: random.Random) -> None:
    one, other = _some_page(data, rng), _some_page(data, rng)
    if len(data[one]) == len(data[other]):
        data[one], data[other] = data[other], data[one]


def _copy_a_page(data: bytearray, rng: random.Random) -> None:
    one, other = _some_page(data, rng), _some_page(data, rng)
    if len(data[one]) == len(data[other]):
        data[other] = data[one]


def _truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _append(data: bytearray, rng: random.Random) -> None:
    data += rng.randbytes(rng.randrange(1, 2 * _PAGE))


def _replace_all(data: bytearray, rng: random.Random) -> None:
    data[:] = rng.randbytes(len(data))


def _some_page(data: bytearray, rng: random.Random) -> slice:
    start = rng.randrange(0, len(data), _PAGE)
    return slice(start, start + _PAGE)


CHANGES: dict[str, Callable[[bytearray, random.Random], None]] = {
    "a flipped bit": _flip_a_bit,
    "overwritten bytes": _overwrite,
    "a zeroed page": _zero_a_page,
    "two swapped pages": _swap_pages,
    "a page copied over another": _copy_a_page,
    "truncation": _truncate,
    "appended bytes": _append,
    "random bytes throughout": _replace_all,
}
# How often each is taken: most damage is small.
_WEIGHTS = (8, 6, 3, 3, 3, 2, 2, 1)


def corrupt(folder: Path, rng: random.Random) -> str:
    """Damage one file of a run folder; which, and how."""
    files = [path for path in sorted(folder.rglob("*")) if _is_target(path)]
    kinds = sorted({_kind(path) for path in files})
    # The database is what matters most.
    kind = "answers.sqlite" if rng.random() < 0.5 else rng.choice(kinds)
    path = rng.choice([path for path in files if _kind(path) == kind])
    if rng.random() < 0.02:
        path.unlink()
        return f"{kind}: removed"
    (name,) = rng.choices(list(CHANGES), _WEIGHTS)
    data = bytearray(path.read_bytes())
    CHANGES[name](data, rng)
    path.write_bytes(data)
    return f"{kind}: {name}"


def _is_target(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0 and path.name not in (".lock",)


def _kind(path: Path) -> str:
    return "an image" if path.parent.parent.name == "images" else path.name


# --- the runs that are damaged -----------------------------------------------------------------


@dataclass(frozen=True)
class Victim:
    """A run folder, the command that made it, and what it holds."""

    name: str
    folder: Path
    command: tuple[str, ...]  # but for --out
    tables: bytes  # of the complete run


_COMMANDS = {
    "alternations": (
        *("run", "alternations", "-m", "random", "-l", "hi", "--limit=60"),
        "--set=formats=acceptability",
    ),
    "gramvis": (
        *("run", "gramvis", "--data=words.csv", "-m", "drawer=random", "-m"),
        *("judges=random:1,random:2", "--set=shots=2", "--set=mixed=false"),
    ),
}


def make_victims(folder: Path) -> list[Victim]:
    """Complete runs of two suites, and one that was killed.

    Work in `folder`: paths are relative to it.
    """
    (folder / "words.csv").write_text(_WORDS, "utf-8")
    victims = []
    for name, command in _COMMANDS.items():
        run = folder / name
        assert run_command([*command, f"--out={run}"]) == 0
        victims.append(Victim(name, run, command, tables(run)))
    killed = folder / "killed"
    _kill_halfway(victims[0].folder, killed)
    victims.append(Victim("killed", killed, victims[0].command, victims[0].tables))
    return victims


def _kill_halfway(whole: Path, killed: Path) -> None:
    """A copy as a kill leaves it: half of the answers, the last of them in a log."""
    shutil.copytree(whole, killed)
    manifest = msgspec.json.decode((killed / "manifest.json").read_bytes())
    del manifest["checksum"]
    manifest["counts"], manifest["judged"] = [], None
    manifest["sessions"][-1]["state"] = "running"
    from epicene.runs.manifest import Manifest, write_manifest

    write_manifest(killed, msgspec.convert(manifest, Manifest))
    path = killed / "answers.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        rows = db.execute("SELECT * FROM answers ORDER BY number").fetchall()
        db.execute("DELETE FROM answers")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        half = len(rows) // 2
        for first in range(0, half, 8):
            db.execute("BEGIN")
            db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", rows[first : first + 8])
            db.execute("COMMIT")
        log = Path(f"{path}-wal").read_bytes()
        data = path.read_bytes()
    path.write_bytes(data)
    Path(f"{path}-wal").write_bytes(log)


# --- the check -----------------------------------------------------------------------------------


@dataclass
class Outcomes:
    """How often each end was met, and what was wrong."""

    tables: Counter[str] = field(default_factory=Counter)
    resumed: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def try_corruption(victim: Victim, work: Path, rng: random.Random, to: Outcomes) -> None:
    """Damage a copy of a run, read it, verify it and resume it."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(victim.folder, work)
    what = f"{victim.name}: {corrupt(work, rng)}"
    before = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}
    to.tables[_end(lambda: _read(victim, work), what, to)] += 1
    _put_back(work, before)
    to.checked[_end(lambda: _verify(work), f"check, {what}", to)] += 1
    _put_back(work, before)
    to.resumed[_end(lambda: _resume(victim, work), f"resumed, {what}", to)] += 1


def _put_back(work: Path, files: dict[Path, bytes]) -> None:
    """Undo what reading has done to the logs of the database."""
    shutil.rmtree(work)
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _end(act: Callable[[], str], what: str, to: Outcomes) -> str:
    try:
        end = act()
    except EpiceneError as error:
        said = str(error)
        if "\n" in said.strip():
            to.problems.append(f"{what}: more than one line: {said}")
        return "refused"
    except Exception as error:
        to.problems.append(f"{what}: {type(error).__name__}: {error}")
        return "internal error"
    if end == "changed":
        to.problems.append(f"{what}: the tables changed without a word")
    return end


def _read(victim: Victim, work: Path) -> str:
    found = tables(work)
    if found == victim.tables:
        return "same"
    coverage = [run["coverage"] for run in msgspec.json.decode(found)["runs"]]
    whole = all(each["judged"] == each["items"] for each in coverage) and all(
        each["answered"] == each["requests"] and not each["not_begun"] for each in coverage
    )
    return "changed" if whole else "incomplete"


def _verify(work: Path) -> str:
    return "damage found" if verify_run(work).damage else "none found"


def _resume(victim: Victim, work: Path) -> str:
    code = run_command([*victim.command, f"--out={work}"])
    if code != 0:
        return f"exit code {code}"
    return "same" if tables(work) == victim.tables else "changed"
