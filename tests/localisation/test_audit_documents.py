"""Audits as JSON, CSV and SARIF."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from epicene.localisation.audit.files import FileAudit
from epicene.localisation.audit.findings import PROBLEMS
from localisation.audit_samples import HOSTILE, STRINGS, write_strings, written

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "audit.schema.json").read_text("utf-8")
)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    english = {f"other.{n}": f"{each} He left." for n, each in enumerate((HOSTILE, "=1+1"))}
    return [
        write_strings(tmp_path / "fr.json", STRINGS),
        write_strings(tmp_path / "en.json", english),
    ]


def test_json_is_as_the_schema_says(files: list[Path]) -> None:
    document = json.loads(written(FileAudit(files, fail_on=["mixed"]), "json"))
    jsonschema.validate(document, SCHEMA)
    first = document["findings"][0]
    assert (first["key"], first["line"], first["people"]) == (
        "account.ready",
        2,
        {"listener": "masculine"},
    )
    (word,) = first["words"]
    assert first["text"][word["start"] : word["end"]] == word["text"] == "prêt"
    assert [each["failed"] for each in document["findings"]][2] == ["mixed"]
    assert document["summary"]["total"]["strings"] == 7
    assert document["findings"][-1]["text"] == "=1+1 He left."


def test_json_of_nothing_is_whole(tmp_path: Path) -> None:
    path = write_strings(tmp_path / "fr.json", {"a": "Bonjour !"})
    jsonschema.validate(json.loads(written(FileAudit([path]), "json")), SCHEMA)


def test_the_schema_refuses_another_document(files: list[Path]) -> None:
    document = json.loads(written(FileAudit(files), "json"))
    del document["findings"][0]["words"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


def test_csv_has_a_row_for_each_person(files: list[Path]) -> None:
    rows = list(csv.DictReader(io.StringIO(written(FileAudit(files), "csv"))))
    assert [(row["key"], row["whose"], row["gender"]) for row in rows[:4]] == [
        ("account.ready", "listener", "masculine"),
        ("account.welcome", "listener", "both"),
        ("mail.mixed", "speaker", "mixed"),
        ("team.admins", "", ""),
    ]
    assert rows[1]["feminine"] == "Vous êtes inscrite."
    assert rows[3]["undecided"] == "administrateur"


def test_no_cell_is_a_formula(files: list[Path]) -> None:
    rows = list(csv.DictReader(io.StringIO(written(FileAudit(files), "csv"))))
    assert rows[-1]["text"] == "'=1+1 He left."


def sarif(files: list[Path], **options: Any) -> dict[str, Any]:
    document = json.loads(written(FileAudit(files, **options), "sarif"))
    assert isinstance(document, dict)
    return document


def test_sarif_has_the_structure_of_2_1_0(files: list[Path]) -> None:
    document = sarif(files)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert {f"problem-{kind}" for kind in PROBLEMS} < {rule["id"] for rule in rules}
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"note", "warning"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        assert location["physicalLocation"]["region"]["startLine"] > 0
    fingerprints = [each["partialFingerprints"]["epicene/v1"] for each in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)


def test_what_matches_a_rule_is_an_error_in_sarif(files: list[Path]) -> None:
    results = sarif(files, fail_on=["mixed"])["runs"][0]["results"]
    errors = {result["ruleId"] for result in results if result["level"] == "error"}
    assert errors == {"speaker-mixed", "problem-mixed"}


def test_a_path_is_a_valid_address_in_sarif(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_strings(Path("mes textes_fr.json"), {"a": "Je suis prêt."})
    (result,) = sarif([Path("mes textes_fr.json")])["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "mes%20textes_fr.json"
