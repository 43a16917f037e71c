"""Folders, names of files and YAML."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError, RunError
from epicene.export.folders import (
    YamlFunction,
    as_yaml,
    check_new_folder,
    file_names,
    new_folder,
    write_text,
)

# What a card may hold: no lone surrogates, which are in no file, and none of the three line breaks
# that PyYAML folds into a space.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_yaml_reads_back_what_was_written(content: dict[str, object]) -> None:
    assert yaml.safe_load(as_yaml(content)) == content


def test_yaml_keeps_letters_and_order_and_names_functions() -> None:
    written = as_yaml({"z": "मेरी", "a": YamlFunction("judging.choice")})
    assert written == "z: मेरी\na: !function 'judging.choice'"


@given(st.lists(TEXTS, max_size=12))
def test_no_two_names_share_a_file(names: list[str]) -> None:
    stems = [stem.lower() for stem in file_names(names)]
    assert len(set(stems)) == len(stems) == len(names)
    assert not any(set(stem) & set('/\\:<>*?"| ') for stem in stems)


def test_names_that_differ_in_case_are_told_apart() -> None:
    assert file_names(["MCC by facet", "mcc: by facet", "κ", "…"]) == [
        "mcc-by-facet", "mcc-by-facet-2", "κ", "unnamed",
    ]  # fmt: skip


def test_an_export_wants_a_folder_of_its_own(tmp_path: Path) -> None:
    check_new_folder(tmp_path / "new")
    check_new_folder(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not empty"):
        check_new_folder(tmp_path)
    with pytest.raises(InputError, match="is a file"):
        check_new_folder(tmp_path / "file")


@pytest.mark.parametrize("there", [False, True])
def test_an_export_is_there_whole_or_not_at_all(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "out"
    if there:
        out.mkdir()

    def write(*names: str) -> None:
        with new_folder(out) as folder:
            for name in names:
                assert not out.exists() or not any(out.iterdir())
                if name == "fails":
                    raise OSError(errno.ENOSPC, "No space left on device")
                write_text(folder / name, [name])

    with pytest.raises(RunError, match=r"Could not write .*out: No space left on device\."):
        write("README.md", "part/one", "fails")
    assert [path.name for path in tmp_path.iterdir()] == ["out"] * there
    # As a killed one leaves it.
    write_text(tmp_path / ".out.unfinished" / "part" / "three", ["old"])
    write("README.md", "part/one", "two")
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert files == ["out", "out/README.md", "out/part", "out/part/one", "out/two"]
