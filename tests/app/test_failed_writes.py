"""A write that fails, wherever it goes, ends with exit code 1 and says so."""

from __future__ import annotations

import errno
import io
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from app.conftest import Epicene
from epicene.app.streams import CompleteWriter

PROGRAM = "import reflexives, epicene.cli; reflexives.register(); epicene.cli.main()"
LIMIT = 40_000  # bytes of a file; a database that is open needs 32 KiB beside it
TESTS = Path(__file__).parents[1]


@pytest.fixture
def run_folder(epicene: Epicene, tmp_path: Path) -> Path:
    assert epicene("run", "reflexives", "-m", "random", "--out=run").code == 0
    return tmp_path / "run"


def start(
    *arguments: str | Path,
    stdout: int | io.BufferedWriter = subprocess.PIPE,
    stderr: int | io.BufferedWriter = subprocess.PIPE,
    unbuffered: bool = False,
    most: int | None = None,
    shell: str = "",
) -> subprocess.CompletedProcess[bytes]:
    """Run a command, with a limit on the size of what it writes, or by a line of shell."""
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        ["sh", "-c", f'"$@" {shell}', "sh", *command] if shell else command,
        stdout=stdout,
        stderr=stderr,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(TESTS), *sys.path)),
            "PYTHONUNBUFFERED": "1" if unbuffered else "",
        },
        preexec_fn=limit,
    )


FORMS = ["", "--json", "--csv", "--latex", "--markdown"]


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_tables_on_a_full_disk(form: str, unbuffered: bool, run_folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = start(
            "tables", run_folder, *filter(None, [form]), stdout=full, unbuffered=unbuffered
        )
    assert done.returncode == 1
    assert done.stderr == b"epicene: standard output: No space left on device.\n"


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_tables_that_fit_in_part(
    form: str, unbuffered: bool, run_folder: Path, tmp_path: Path
) -> None:
    """The system writes what fits and says how much that was, without an error."""
    out = tmp_path / "out"
    out.write_bytes(bytes(LIMIT - 150))
    with out.open("ab") as file:
        done = start(
            "tables",
            run_folder,
            *filter(None, [form]),
            stdout=file,
            unbuffered=unbuffered,
            most=LIMIT,
        )
    assert done.returncode == 1
    assert done.stderr == b"epicene: standard output: File too large.\n"
    assert out.stat().st_size == LIMIT


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_reader_that_ends_gets_no_message(unbuffered: bool, run_folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = start("tables", run_folder, "--json", stdout=pipe, unbuffered=unbuffered)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_closed_standard_output_is_an_error(run_folder: Path) -> None:
    done = start("tables", run_folder, "--json", shell=">&-")
    assert done.returncode == 1
    assert done.stderr == b"epicene: standard output: Bad file descriptor.\n"


@pytest.mark.parametrize("shell", ["2>&-", "2>/dev/full"])
def test_an_error_that_cannot_be_said_still_has_its_code(shell: str, run_folder: Path) -> None:
    assert start("tables", run_folder / "missing", shell=shell).returncode == 2
    assert start("tables", run_folder, shell=f"{shell} >/dev/full").returncode == 1


@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("report run --out=page.html", LIMIT),
        ("export data misgendering --to=hf --out=made", 1000),
        ("export data misgendering --to=lm-eval --out=made", 1000),
        ("data alternations build --out=made", 1000),
    ],
)
def test_files_on_a_full_disk(command: str, most: int, run_folder: Path, tmp_path: Path) -> None:
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    done = start(*command.split(), most=most)
    assert done.returncode == 1, done.stderr
    assert b"File too large" in done.stderr
    assert b"Traceback" not in done.stderr
    # Nothing is left that is only a part of what was to be written.
    after = {
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and run_folder not in path.parents and path.name != ".lock"
    }
    assert all(
        path.stat().st_size < most and not path.name.startswith(".") for path in after - before
    )


def test_built_data_that_could_not_be_written_are_not_there(
    epicene: Epicene, tmp_path: Path
) -> None:
    command = ("data", "build", "alternations", "--out=made")
    assert epicene(*command).code == 0
    for name in ("pairs.jsonl", "paradigms.csv"):
        (tmp_path / "made" / name).unlink()
    done = start(*command, most=1000)
    assert done.returncode == 1
    assert b"Could not write made/pairs.jsonl: File too large." in done.stderr
    assert not (tmp_path / "made" / "pairs.jsonl").exists()


class Meagre(io.RawIOBase):
    """A stream that writes a few bytes at a time, and after some fails."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.written = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        part = bytes(data)[: min(3, self.room)]  # type: ignore[call-overload]
        if not part:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= len(part)
        self.written += part
        return len(part)


@pytest.fixture(params=[False, True])
def unbuffered(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_short_writes_are_completed(unbuffered: bool) -> None:
    raw = Meagre(100)
    stream = io.TextIOWrapper(
        CompleteWriter(raw, "standard output", unbuffered=unbuffered),
        "utf-8",
        write_through=unbuffered,
    )
    stream.write("twelve bytes")
    stream.flush()
    stream.buffer.write(b", and more")
    if not unbuffered:
        stream.flush()
    assert raw.written == b"twelve bytes, and more"
    stream.detach()


def test_a_short_write_that_cannot_be_completed_is_an_error(unbuffered: bool) -> None:
    writer = CompleteWriter(Meagre(10), "standard output", unbuffered=unbuffered)
    stream = io.TextIOWrapper(writer, "utf-8", write_through=unbuffered)

    def write() -> None:
        stream.write("twelve bytes")
        stream.flush()

    with pytest.raises(OSError, match="No space left on device: 'standard output'"):
        write()
    assert isinstance(writer.raw, Meagre)
    writer.raw.room = 100
