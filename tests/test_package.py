"""The wheel and the sdist: what is in them, and that the installed wheel works on its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import yaml

import epicene
from installed_packages import link, required_packages

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAME = f"epicene-{epicene.__version__}"


def run(*command: str | Path, cwd: Path, status: int = 0) -> str:
    """Run a command that must end with this exit code; its output and errors."""
    environment = {**os.environ, "PYTHONPATH": "", "PIP_NO_INDEX": "1"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def build(kind: str, source: Path, out: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", out, cwd=source)
    (made,) = out.iterdir()
    return made


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def test_the_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert PROJECT["version"] == epicene.__version__ == citation["version"]
    assert f"\n## {epicene.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    source = ROOT / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "epicene").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in contents(wheel) if not name.startswith(f"{NAME}.dist-info/")}
    assert packed == expected


def test_the_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build("wheel", tmp_path / NAME, tmp_path / "wheel")
    assert contents(again) == contents(wheel)


def test_an_exact_version_is_in_the_constraints_only(wheel: Path) -> None:
    metadata = message_from_string(contents(wheel)[f"{NAME}.dist-info/METADATA"].decode())
    needed = [
        each for each in metadata.get_all("Requires-Dist", []) if "extra == 'dev'" not in each
    ]
    assert needed
    assert [each for each in needed if "==" in each.partition(";")[0]] == []
    assert [each for each in needed if ">=" not in each.partition(";")[0]] == []


def test_the_demo_runs_from_the_wheel_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    """In an environment with the wheel, what it requires without extras, and nothing else."""
    folder = tmp_path / "empty"
    folder.mkdir()
    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=tmp_path)
    python = environment / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--quiet", "--no-deps", wheel, cwd=folder)
    (site,) = environment.glob("lib/python3.*/site-packages")
    for package in required_packages(PROJECT["dependencies"]).values():
        link(package, site)
    found = "import epicene, importlib.util as u; print(epicene.__file__, u.find_spec('torch'))"
    assert run(python, "-c", found, cwd=folder).split() == [f"{site}/epicene/__init__.py", "None"]
    shown = run(environment / "bin" / "epicene", "demo", "--limit", "1", cwd=folder, status=1)
    assert [path.name for path in folder.iterdir()] == ["demo"]
    assert (folder / "demo" / "report.html").stat().st_size > 100_000
    lines = [line for line in shown.splitlines() if line.startswith("Not measured: ")]
    assert len(lines) == 3
    assert all("smollm2" in line and "epicene[hf]" in line for line in lines)
