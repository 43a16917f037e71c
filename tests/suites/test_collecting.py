"""Published files are gathered by name and hash, from folders and zip files."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import epicene
from called_commands import invoke
from epicene.core.errors import InputError
from epicene.suites import collecting, find_suite
from epicene.suites.collecting import collect_files

PAIRS, WORDS = b"good,bad\na,b\n", b"he\nshe\n"
CONTENTS = {"pairs.csv": PAIRS, "one/words.txt": WORDS, "two/words.txt": b"il\nelle\n"}
WANTED = {path: hashlib.sha256(content).hexdigest() for path, content in CONTENTS.items()}


def folder(path: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_files_come_from_folders_and_zip_files_into_the_layout(tmp_path: Path) -> None:
    clone = folder(tmp_path / "clone", {"data/deep/pairs.csv": PAIRS, "x/words.txt": WORDS})
    archive = zipped(tmp_path / "b.zip", {"repo-main/words.txt": CONTENTS["two/words.txt"]})
    done = collect_files(WANTED, [clone, archive], tmp_path / "out")
    # Of two files with one name each goes to the place that its content belongs to.
    assert {path: (tmp_path / "out" / path).read_bytes() for path in WANTED} == CONTENTS
    assert done.found == {
        "one/words.txt": str(clone / "x" / "words.txt"),
        "pairs.csv": str(clone / "data" / "deep" / "pairs.csv"),
        "two/words.txt": f"{archive}, repo-main/words.txt",
    }
    assert (done.missing, done.changed) == ((), {})
    # Again into the same folder: nothing is in the way.
    assert collect_files(WANTED, [clone, archive], tmp_path / "out") == done


def test_a_file_that_its_repository_calls_otherwise_is_known_by_its_content(tmp_path: Path) -> None:
    """MISGENDERED calls its eleven sets `pronouns.csv`, as two other repositories call theirs."""
    contents = {"a/sets.csv": b"four\n", "a/sets_11.csv": b"eleven\n"}
    wanted = {path: hashlib.sha256(content).hexdigest() for path, content in contents.items()}
    clones = [
        folder(tmp_path / name, {"data/sets.csv": content})
        for name, content in zip("xy", contents.values(), strict=True)
    ]
    done = collect_files(wanted, clones, tmp_path / "out")
    assert not done.missing
    assert {path: (tmp_path / "out" / path).read_bytes() for path in wanted} == contents


def test_what_is_missing_or_another_version_is_listed(tmp_path: Path) -> None:
    clone = folder(
        tmp_path / "clone",
        {"pairs.csv": PAIRS + b"c,d\n", ".git/words.txt": WORDS, "words.txt": b"they\n"},
    )
    done = collect_files(WANTED, [clone], tmp_path / "out")
    assert done.missing == ("one/words.txt", "pairs.csv", "two/words.txt")
    assert done.changed == {"pairs.csv": str(clone / "pairs.csv")}
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way_is_never_written_over(tmp_path: Path) -> None:
    clone = folder(tmp_path / "clone", {"pairs.csv": PAIRS})
    out = folder(tmp_path / "out", {"pairs.csv": b"mine"})
    with pytest.raises(InputError, match=r"out/pairs\.csv is a different file"):
        collect_files(WANTED, [clone], out)
    assert (out / "pairs.csv").read_bytes() == b"mine"


@pytest.mark.parametrize(
    "name", ["../pairs.csv", "a/../../pairs.csv", "/pairs.csv", "C:\\pairs.csv", "..\\pairs.csv"]
)
def test_a_zip_file_that_leaves_its_folder_is_refused(name: str, tmp_path: Path) -> None:
    archive = zipped(tmp_path / "b.zip", {"words.txt": WORDS, name: PAIRS})
    with pytest.raises(InputError, match="would be outside its folder"):
        collect_files(WANTED, [archive], tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip"]


def test_a_file_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "MAX_BYTES", 1000)
    archive = zipped(tmp_path / "b.zip", {"pairs.csv": bytes(100_000)})
    with pytest.raises(InputError, match=r"pairs\.csv is larger than"):
        collect_files(WANTED, [archive], tmp_path / "out")
    clone = folder(tmp_path / "clone", {"pairs.csv": bytes(100_000)})
    with pytest.raises(InputError, match=r"pairs\.csv is larger than"):
        collect_files(WANTED, [clone], tmp_path / "out")


def test_damaged_and_foreign_sources_are_named(tmp_path: Path) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("pairs.csv", PAIRS)
    content = bytearray(whole.getvalue())
    content[content.index(b"good")] ^= 1  # its checksum no longer fits
    (tmp_path / "b.zip").write_bytes(content)
    (tmp_path / "notes.txt").write_text("no zip file", "utf-8")
    for name, message in (
        ("b.zip", "Could not read .*b.zip, pairs.csv: Bad CRC"),
        ("notes.txt", "is neither a folder nor a zip file"),
        ("none", ".*none does not exist; --from must be"),
    ):
        with pytest.raises(InputError, match=message):
            collect_files(WANTED, [tmp_path / name], tmp_path / "out")


@pytest.mark.parametrize("name", ["alternations", "apgc", "gramvis", "misgendering"])
def test_suites_know_their_published_files(name: str) -> None:
    suite = find_suite(name)
    assert suite.published_files
    assert all(len(sha256) == 64 for sha256 in suite.published_files.values())
    assert suite.is_published is not None
    files = [(Path(path).name, sha256) for path, sha256 in suite.published_files.items()]
    assert suite.is_published(files)
    assert not suite.is_published([(files[0][0], "0" * 64)])


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = folder(tmp_path / "clone", {"dv.json": b"[]"})
    command = ["data", "collect", "alternations", "--out", str(tmp_path / "out")]
    done = invoke([*command, "--from", str(clone)])
    assert done.exit_code != 0
    assert isinstance(done.exception, InputError)
    assert "None of the published files of alternations was found" in str(done.exception)
    # The hashes of the suite itself are those of files that are not here.
    wanted = {"dv.json": hashlib.sha256(b"[]").hexdigest(), "sv.json": "0" * 64}
    suite = replace(find_suite("alternations"), published_files=wanted)
    monkeypatch.setattr("epicene.suites.find_suite", lambda _: suite)
    done = invoke([*command, "--from", str(clone)])
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [f"dv.json: from {clone / 'dv.json'}", "sv.json: missing"]
    assert "1 of 2 published files are in" in done.stderr
    done = invoke([*command, "--from", str(clone), "--json"])
    assert json.loads(done.stdout)["missing"] == ["sv.json"]
    monkeypatch.undo()
    for arguments, message in (
        (command, "--from is missing"),
        (["data", "check", "alternations", "--from", str(clone)], "Unknown option: --from"),
        (
            ["data", "collect", "alternations", "--from", str(clone)],
            "--out is missing",
        ),
        ([*command, "--from", str(clone), "--seed", "1"], "Unknown option: --seed"),
        ([*command, "x.csv", "--from", str(clone)], "x.csv"),
    ):
        assert message in str(invoke(arguments).exception)
    with pytest.raises(
        InputError,
        match="genform has no list of published files",
    ):
        epicene.collect_data("genform", sources=clone, out=tmp_path / "out")
