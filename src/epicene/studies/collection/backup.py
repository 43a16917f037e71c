"""Back up a study's folder while it is served, and restore it."""

from __future__ import annotations

import gzip
import io
import sqlite3
import tarfile
import tempfile
import zlib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core.errors import InputError, RunError
from epicene.core.files import write_atomically
from epicene.studies.collection.database import explain_errors
from epicene.studies.collection.folder import (
    RESPONSES_FILE,
    STUDY_FILE,
    StudyFolder,
    make_private_folder,
    open_study_folder,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIDE_FILES = ("-wal", "-shm")  # of the database; the copy has all that they hold


def back_up(folder: StudyFolder, out: Path) -> int:
    """Write the folder to a .tar.gz file that only its owner can read; return its size.

    The answers are those of one moment, also while people answer. Links keep working after a
    restore, as the secret behind them is in the file.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path in _files(folder.path):
            archive.add(path, path.relative_to(folder.path).as_posix())
        database = folder.path / RESPONSES_FILE
        if database.exists():
            with tempfile.TemporaryDirectory(prefix="epicene-backup-") as temporary:
                copy = Path(temporary) / RESPONSES_FILE
                _copy_database(database, copy)
                archive.add(copy, RESPONSES_FILE)
    write_atomically(out, buffer.getvalue(), private=True)
    return len(buffer.getvalue())


def _files(folder: Path) -> Iterator[Path]:
    """The files of a study but for its database."""
    database = {RESPONSES_FILE, *(RESPONSES_FILE + side for side in _SIDE_FILES)}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.name not in database:
            yield path


def _copy_database(source: Path, target: Path) -> None:
    with (
        explain_errors(source),
        closing(sqlite3.connect(source, timeout=30)) as db,
        closing(sqlite3.connect(target)) as copy,
    ):
        db.backup(copy)
        if copy.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            raise RunError(f"The copy of {source} is damaged; nothing was written.")


def restore(file: Path, out: Path) -> StudyFolder:
    """Unpack a backup into a new folder."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; choose a new folder with --out.")
    if out.exists() and any(out.iterdir()):
        raise InputError(f"{out} is not empty; choose a new folder with --out.")
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    try:
        whole = gzip.decompress(file.read_bytes())  # which checks every byte, as tarfile does not
        with tarfile.open(fileobj=io.BytesIO(whole)) as archive:
            if STUDY_FILE not in archive.getnames():
                raise InputError(f"{file} is not a backup of a study: it contains no {STUDY_FILE}.")
            make_private_folder(out)
            archive.extractall(out, filter="data")
    except (tarfile.TarError, zlib.error, OSError, EOFError) as error:
        raise InputError(f"{file} is not a backup of a study, or it is damaged.") from error
    for path in out.rglob("*"):
        if path.is_file():
            path.chmod(0o600)
    return open_study_folder(out)
