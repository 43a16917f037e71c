"""Files that are nearly right are read, or refused in one sentence; never an internal error.

`make fuzz` tries many more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import epicene
from epicene.core.control_characters import escape_controls
from epicene.core.errors import EpiceneError
from epicene.runs.manifest import Manifest, read_manifest
from epicene.runs.stored_run import read_run
from epicene.runs.sweep_plan import SweepPlan, example_plan, read_plan
from epicene.studies.design.schema import Study
from epicene.studies.exchange.response_files import read_adjudications, read_responses
from epicene.studies.exchange.study_files import read_study, study_toml
from epicene.suites import DataSource, find_suite
from fuzz.damaged import damaged_bytes, damaged_json, damaged_toml
from study_examples import misgendering

STUDY = study_toml(misgendering())
ITEM = misgendering().items[0].id
ROW = {"participant": "ann", "item": ITEM, "label": "correct", "seconds": 2.5}
SHEET = f"participant,item,label,seconds\nann,{ITEM},correct,2.5\n".encode()
STARTER = Path(__file__).parent.parent.parent / "src" / "epicene" / "suites"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def read_or_refused(read: Callable[[], Any]) -> Any:
    """What is read; None where it is refused in one sentence."""
    try:
        return read()
    except EpiceneError as error:
        said = escape_controls(str(error))  # as it is shown
        assert said.strip()
        assert "\n" not in said
        return None


# --- runs ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def manifest(folder: Path) -> Any:
    epicene.run("genform", "copy", language="fr", limit=2, out=folder / "run", progress=False)
    return json.loads((folder / "run" / "manifest.json").read_bytes())


@given(data=st.data())
def test_manifests(folder: Path, manifest: Any, data: st.DataObject) -> None:
    sound = msgspec.json.encode(manifest)
    kinds = (
        st.binary(max_size=200)
        | damaged_bytes(sound)
        | damaged_json(manifest).map(msgspec.json.encode)
    )
    (folder / "run" / "manifest.json").write_bytes(data.draw(kinds))
    found = read_or_refused(lambda: read_manifest(folder / "run"))
    assert found is None or isinstance(found, Manifest)
    read_or_refused(lambda: read_run(folder / "run"))


# --- plans, studies, data ------------------------------------------------------------------------


@given(damaged_toml(example_plan()))
@example(b"skip = 1")
@example(b'[[models]]\nspec = "a"\n[[suites]]\nname = "b"\nlimit = 99999999999999999999')
def test_sweep_plans(folder: Path, data: bytes) -> None:
    path = folder / "plan.toml"
    path.write_bytes(data)
    found = read_or_refused(lambda: read_plan(path))
    assert found is None or isinstance(found, SweepPlan)


@given(damaged_toml(STUDY))
def test_studies(folder: Path, data: bytes) -> None:
    path = folder / "study.toml"
    path.write_bytes(data)
    found = read_or_refused(lambda: read_study(path))
    assert found is None or isinstance(found, Study)


@pytest.fixture(scope="module")
def study() -> Study:
    return misgendering()


@given(data=damaged_bytes(SHEET), suffix=st.sampled_from([".csv", ".tsv", ".jsonl", ".json"]))
def test_responses(folder: Path, study: Study, data: bytes, suffix: str) -> None:
    path = folder / f"responses{suffix}"
    path.write_bytes(data)
    for located in read_or_refused(lambda: read_responses(path, study)) or ():
        assert located.response.item in {item.id for item in study.items}
    read_or_refused(lambda: read_adjudications(path, study))


@given(st.lists(damaged_json(ROW), min_size=1, max_size=3))
@example([{**ROW, "seconds": float("inf")}])
@example([{**ROW, "at": "9999999-01-01"}])
@example([{**ROW, "item": ["a"]}])
def test_responses_as_records(folder: Path, study: Study, rows: list[Any]) -> None:
    path = folder / "responses.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    read_or_refused(lambda: read_responses(path, study))
    read_or_refused(lambda: read_adjudications(path, study))


DATA = {
    "alternations": "alternations/starter/hindi.jsonl",
    "apgc": "apgc/starter/sentences.jsonl",
    "genform": "genform/starter/fr.jsonl",
    "gramvis": "gramvis/starter/de.csv",
}


def data_lines(suite: str) -> bytes:
    lines = (STARTER / DATA[suite]).read_bytes().splitlines(keepends=True)
    return b"".join(lines[:3])


@pytest.mark.parametrize("name", DATA)
@given(data=st.data())
def test_data_files(folder: Path, name: str, data: st.DataObject) -> None:
    lines = data_lines(name)
    if DATA[name].endswith(".jsonl") and data.draw(st.booleans()):
        rows = [json.loads(line) for line in lines.splitlines()]
        content = b"".join(
            msgspec.json.encode(data.draw(damaged_json(row))) + b"\n" for row in rows
        )
    else:
        content = data.draw(damaged_bytes(lines))
    path = folder / Path(DATA[name]).name
    path.write_bytes(content)
    suite = find_suite(name)
    protocol = suite.protocols["epicene"]

    def read() -> list[Any]:
        items = list(suite.read(DataSource(path=path), protocol).items)
        if suite.check is not None:
            list(suite.check(items, protocol))
        return items

    for item in read_or_refused(read) or ():
        assert msgspec.convert(msgspec.to_builtins(item), type(item)) == item
