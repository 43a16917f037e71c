"""The worked examples of the documentation run as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.conftest import Epicene, epicene  # noqa: F401
from epicene.core import registry
from epicene.suites import suite_files
from suites.suite_examples import examples, write_examples

MODELS = {
    "reflexive_pairs.py": ("-m", "random"),
    "pronoun_quiz.py": ("-m", "random"),
    "open_questions.py": ("-m", "random", "-m", "judge=random"),
}


def test_every_example_is_run_and_short() -> None:
    files = {name: text for name, text in examples().items() if name.endswith(".py")}
    assert files.keys() == MODELS.keys()
    for text in files.values():
        assert 15 <= len(text.splitlines()) <= 40


@pytest.mark.parametrize("name", MODELS)
def test_an_example_runs(name: str, epicene: Epicene, tmp_path: Path) -> None:  # noqa: F811
    write_examples(tmp_path)
    done = epicene("run", name, *MODELS[name], "--out", "run", "--json")
    assert done.code == 0, done.err
    accuracy = done.json["metrics"]["accuracy"]
    assert (
        accuracy["n"]
        == {"reflexive_pairs.py": 4, "pronoun_quiz.py": 2, "open_questions.py": 4}[name]
    )
    assert epicene("report", "run", "--out", "report.html").code == 0
    listed = epicene("suites", name)
    assert listed.code == 0, listed.err
    assert {"score", "generate"} & set(listed.out.replace(".", " ").split())


def test_the_example_with_a_metric_has_it(epicene: Epicene, tmp_path: Path) -> None:  # noqa: F811
    write_examples(tmp_path)
    done = epicene("run", "pronoun_quiz.py", "-m", "random", "--out", "run", "--json")
    assert 0 <= done.json["metrics"]["first_option"]["value"] <= 1


def test_the_example_with_settings_takes_them(epicene: Epicene, tmp_path: Path) -> None:  # noqa: F811
    write_examples(tmp_path)
    models = MODELS["open_questions.py"]
    done = epicene(
        "run", "open_questions.py", *models, "--set", "samples=5", "--out", "r", "--json"
    )
    assert done.json["metrics"]["accuracy"]["n"] == 10


def test_the_file_of_a_run_from_elsewhere_is_named_by_an_option(
    epicene: Epicene,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_examples(tmp_path)
    assert epicene("run", "reflexive_pairs.py", "-m", "random", "--out", "run").code == 0
    (tmp_path / "reflexive_pairs.py").rename(tmp_path / "moved.py")
    monkeypatch.setattr(suite_files, "_used", {})
    monkeypatch.setattr(suite_files, "_modules", {})
    monkeypatch.setattr(registry, "_added", dict(registry._added))
    done = epicene("tables", "run")
    assert done.code == 2
    assert (
        "which does not exist; give the file that defines it, `epicene --suite FILE.py" in done.err
    )
    assert epicene("--suite", "moved.py", "tables", "run").code == 0
    assert "Reflexive pronouns" in epicene("--suite", "moved.py", "suites").out


@pytest.mark.embedded
def test_an_example_on_a_language_model(epicene: Epicene, tmp_path: Path) -> None:  # noqa: F811
    write_examples(tmp_path)
    done = epicene("run", "reflexive_pairs.py", "-m", "smollm2", "--out", "run", "--json")
    assert done.code == 0, done.err
    assert done.json["metrics"]["accuracy"]["value"] == 1
