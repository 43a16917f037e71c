"""Files that are nearly right are read, or refused in one sentence; never an internal error.

`--hypothesis-profile=fuzz` tries many more.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from epicene.runs.checked_tables import row_checksum
from hypothesis import example, given
from hypothesis import strategies as st

from epicene.core.control_characters import escape_controls
from epicene.core.errors import EpiceneError
from epicene.core.records import digest
from epicene.runs.integrity import verify_run
from epicene.runs.manifest import Manifest, read_manifest
from epicene.runs.stored_run import read_run
from epicene.runs.summary import summarise
from epicene.runs.sweep_plan import SweepPlan, example_plan, read_plan
from epicene.studies.design.schema import Study
from epicene.studies.exchange.response_files import read_adjudications, read_responses
from epicene.studies.exchange.study_files import read_study
from epicene.suites import DataSource, find_suite
from fuzz.damaged import JSON_VALUES, damaged_bytes, damaged_json, damaged_toml

FIXTURES = Path(__file__).parent.parent / "compat" / "fixtures"
STUDY = (FIXTURES / "studies" / "labels" / "study.toml").read_text("utf-8")
SHEET = (FIXTURES / "sheets" / "ann.csv").read_bytes()
RUN = FIXTURES / "answered" / "apgc-tagger"
MANIFEST = json.loads((RUN / "manifest.json").read_bytes())
STARTER = Path(__file__).parent.parent.parent / "src" / "epicene" / "suites"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    shutil.copytree(RUN, folder / "run")
    return folder


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


def with_checksum(manifest: Any) -> bytes:
    if isinstance(manifest, dict):
        manifest = {**manifest, "format": 2}
        manifest.pop("checksum", None)
        manifest["checksum"] = digest(manifest).hex()
    return msgspec.json.encode(manifest)


@given(st.binary(max_size=200) | damaged_bytes(msgspec.json.encode(MANIFEST)))
@example(b'{"a\xe1')
@example(b"[" * 100_000)
@example(b'{"format": 1e999}')
def test_manifests_of_any_bytes(folder: Path, data: bytes) -> None:
    (folder / "run" / "manifest.json").write_bytes(data)
    found = read_or_refused(lambda: read_manifest(folder / "run"))
    assert found is None or isinstance(found, Manifest)


@given(damaged_json(MANIFEST))
def test_manifests_of_any_values(folder: Path, manifest: Any) -> None:
    """Also those with a checksum that fits, as another program could write them."""
    (folder / "run" / "manifest.json").write_bytes(with_checksum(manifest))
    run = read_or_refused(lambda: read_run(folder / "run"))
    if run is not None:
        assert msgspec.convert(msgspec.to_builtins(run.manifest), Manifest) == run.manifest


def put_answers(run: Path, answer: bytes) -> None:
    with closing(sqlite3.connect(run / "answers.sqlite")) as db, db:
        db.create_function("row_checksum", -1, row_checksum)
        columns = {row[1] for row in db.execute("PRAGMA table_info(answers)")}
        first = "place = (SELECT min(place) FROM answers)"
        db.execute(f"UPDATE answers SET answer = ? WHERE {first}", (answer,))
        if "checksum" in columns:
            db.execute(
                "UPDATE answers SET checksum = row_checksum(place, name, key, failed, answer)"
            )


@given(st.binary(max_size=60) | JSON_VALUES.map(msgspec.json.encode))
@example(b'{"kind":"texts","texts":[{"text":"\xe1"}]}')
@example(b'{"kind":"images","images":[{"sha256":"../../x"}]}')
@example(b'{"kind":"texts","texts":[]}')
def test_stores_with_any_answer(folder: Path, answer: bytes) -> None:
    run = folder / "stored"
    if not run.exists():
        shutil.copytree(RUN, run)
    put_answers(run, answer)
    read_or_refused(lambda: summarise([read_run(run)]))
    verify_run(run)


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
    return read_study(FIXTURES / "studies" / "labels" / "study.toml")


@given(data=damaged_bytes(SHEET), suffix=st.sampled_from([".csv", ".tsv", ".jsonl", ".json"]))
def test_responses(folder: Path, study: Study, data: bytes, suffix: str) -> None:
    path = folder / f"responses{suffix}"
    path.write_bytes(data)
    for located in read_or_refused(lambda: read_responses(path, study)) or ():
        assert located.response.item in {item.id for item in study.items}
    read_or_refused(lambda: read_adjudications(path, study))


ROW = {"participant": "ann", "item": "i9dee2ec43cc2", "outcome": "correct", "seconds": 2.5}


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
