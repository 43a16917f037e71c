"""Images in a worker's temporary folder: there while looked at, swept when it is killed."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from epicene.runs.ray.worker import WorkerImages

HOLDING = """
import time
from epicene.runs.ray.worker import WorkerImages

images = WorkerImages()
images.unpack({"a": b"ape"})
print(images.path("a"), flush=True)
time.sleep(60)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made, here and in children."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def holder(temporary: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process that holds an image, and where."""
    with subprocess.Popen([sys.executable, "-c", HOLDING], stdout=-1, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_images_are_there_while_a_shard_looks_at_them(temporary: Path) -> None:
    images = WorkerImages()
    images.unpack({"a": b"ape"})
    images.unpack({"a": b"ape", "b": b"bee"})
    images.drop(["a"])
    assert images.path("a").read_bytes() == b"ape"
    images.drop(["a", "b"])
    assert list(temporary.iterdir()) == []
    images.unpack({"c": b"cat"})
    assert images.path("c").read_bytes() == b"cat"
    images.drop(["c"])
    assert list(temporary.iterdir()) == []


def test_what_a_killed_worker_held_is_swept_by_the_next(
    temporary: Path, holder: tuple[subprocess.Popen[str], Path]
) -> None:
    process, image = holder
    WorkerImages()  # one that is at work is left alone
    assert image.read_bytes() == b"ape"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert image.exists()
    WorkerImages()
    assert list(temporary.iterdir()) == []


def test_what_is_held_in_the_same_process_is_left_alone(temporary: Path) -> None:
    images = WorkerImages()
    images.unpack({"a": b"ape"})
    WorkerImages()
    assert images.path("a").read_bytes() == b"ape"


def test_what_others_left_in_the_temporary_folder_is_left_alone(temporary: Path) -> None:
    (temporary / "epicene-report").mkdir()
    (temporary / "epicene-report" / "page.html").write_text("x")
    (temporary / "epicene-notes.txt").write_text("x")
    WorkerImages()
    assert len(list(temporary.iterdir())) == 2


def test_a_disk_without_locks_holds_images_too(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _how: int) -> None:
        raise OSError("function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    images = WorkerImages()
    images.unpack({"a": b"ape"})
    WorkerImages()
    assert images.path("a").read_bytes() == b"ape"
    images.drop(["a"])
    assert list(temporary.iterdir()) == []
