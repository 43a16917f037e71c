"""Suites of files and sessions: named by path, found again, and never executed unasked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.core import registry
from epicene.core.records import to_json
from epicene.export.selection import select
from epicene.interop.lm_eval import write_tasks
from epicene.runs.manifest import Manifest, RunSettings, read_manifest
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.suites import DataSource, Suite, find_suite, suite_files
from epicene.suites.definition import SuiteDefinition
from export.export_samples import read_lines
from run_folders import edit_manifest
from suites.test_suite_definition import run_suite

SUITE = """
import epicene

first = epicene.suite("own_first", items=[{"id": "a", "text": "x"}])


@first.ask
def ask(item):
    return epicene.Generate(prompt=item.text, choices=["right", "wrong"])


@first.judge
def judge(item, answer):
    return answer.only == "right"
"""
SECOND = SUITE.replace("first", "second").replace("import epicene\n", "")


@pytest.fixture(autouse=True)
def _new_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No suite is known but the installed ones, and the user's list is empty."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data home"))
    monkeypatch.delenv(suite_files.SUITE_FILES, raising=False)
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in another process."""
    monkeypatch.setattr(suite_files, "_used", {})
    monkeypatch.setattr(suite_files, "_modules", {})
    monkeypatch.setattr(registry, "_added", {})


def write(path: Path, text: str = SUITE) -> str:
    path.write_text(text, "utf-8")
    return str(path)


# --- naming --------------------------------------------------------------------------------


def test_a_file_with_one_suite_needs_no_name(tmp_path: Path) -> None:
    path = write(tmp_path / "own.py")
    suite = find_suite(path)
    assert (suite.name, suite.file) == ("own_first", tmp_path / "own.py")
    assert find_suite(f"{path}:own_first") is find_suite(f"{path}:first") is suite
    assert find_suite("own_first") is suite


def test_a_file_with_several_suites_needs_a_name(tmp_path: Path) -> None:
    path = write(tmp_path / "own.py", SUITE + SECOND)
    assert find_suite(f"{path}:second").name == "own_second"
    with pytest.raises(
        epicene.InputError, match="defines the suites own_first, own_second; choose one"
    ):
        find_suite(path)
    with pytest.raises(
        epicene.InputError, match=r"There is no suite in .* called 'own_frist'; did you"
    ):
        find_suite(f"{path}:own_frist")


def test_a_file_may_import_what_is_beside_it_and_is_read_again_when_it_changes(
    tmp_path: Path,
) -> None:
    write(tmp_path / "own_words.py", "TEXTS = [{'id': 'a', 'text': 'x'}]\n")
    text = SUITE.replace("import epicene", "import epicene\nfrom own_words import TEXTS")
    path = write(
        tmp_path / "own.py", text.replace('items=[{"id": "a", "text": "x"}]', "items=TEXTS")
    )
    assert find_suite(path).version == "1"
    assert str(tmp_path) not in sys.path
    write(tmp_path / "own.py", SUITE.replace("items=", "version='2', items="))
    assert find_suite(path).version == "2"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import epicene\n\nx = (\n", r"own\.py, line 3: '\(' was never closed\."),
        ("import epicene\n1 / 0\n", r"own\.py, line 2: ZeroDivisionError: division by zero\."),
        ("import no_such_package\n", r"own\.py, line 1: ModuleNotFoundError: No module named"),
        ("import sys\nsys.exit(3)\n", r"own\.py, line 2: SystemExit: 3\."),
        ("x = 1\n", r"own\.py defines no suite; `NAME = epicene\.suite\(…\)` defines one\."),
        (SUITE.replace("own_first", "a/b"), r"own\.py, line 4: A suite cannot be named 'a/b'"),
        (SUITE.replace("own_first", "genform"), "There is already a suite named 'genform'"),
        (SUITE.replace("@first.judge", ""), r"own\.py: The suite own_first needs"),
        (SUITE + "\nfrom epicene.suites import find_suite\nfind_suite(first)\n",
         r'own\.py, line 17: a file that defines a suite is also .*`if __name__ == "__main__":`'),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_one_sentence(
    text: str, sentence: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "own.py", text)
    with pytest.raises(epicene.InputError, match=sentence) as error:
        find_suite(path)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(epicene.InputError, match=r"Could not read .*no_such\.py: No such file"):
        find_suite("no_such.py")


# --- stored runs ---------------------------------------------------------------------------


def run_file(path: str, out: Path) -> Path:
    return run_suite(find_suite(path), out).folder


def test_the_run_of_a_file_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_file(write(tmp_path / "own.py"), tmp_path / "run")
    recorded = read_manifest(folder).suite_file
    assert recorded
    assert recorded.path == str(tmp_path / "own.py")
    forget(monkeypatch)
    monkeypatch.chdir("/")
    assert len(list(RunJudgements(read_run(folder)))) == 1
    # What is scored is the file as it is now: a judge may be corrected after a run.
    write(tmp_path / "own.py", SUITE.replace('answer.only == "right"', "7"))
    assert [each.value for each in RunJudgements(read_run(folder))] == [7]


def test_a_run_folder_from_elsewhere_never_executes_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file is there, and even the name of a suite on the list; both are not enough."""
    mine = write(tmp_path / "mine.py", SUITE.replace("own_first", "mine"))
    run_file(mine, tmp_path / "own run")
    folder = run_file(write(tmp_path / "own.py"), tmp_path / "run")
    marker = tmp_path / "executed"
    hostile = f"open({str(marker)!r}, 'w')\n" + SUITE
    write(tmp_path / "hostile.py", hostile)
    write(folder / "hostile.py", hostile)
    forget(monkeypatch)
    for named in (
        "hostile.py",
        str(folder / "hostile.py"),
        str(tmp_path / "hostile.py"),
        f"{tmp_path}/../{tmp_path.name}/own.py",
        f"{mine}:{tmp_path / 'hostile.py'}",
        "",
    ):
        edit_manifest(folder, lambda fields: fields["suite_file"].update(path=named))  # noqa: B023
        monkeypatch.chdir(folder)
        with pytest.raises(epicene.InputError, match=r"`epicene --suite FILE.py …`"):
            read_run(folder)
    assert not marker.exists()
    # Listed, the same file would be executed.
    edit_manifest(
        folder, lambda fields: fields["suite_file"].update(path=str(tmp_path / "hostile.py"))
    )
    suite_files.trust(tmp_path / "hostile.py")
    read_run(folder)
    assert marker.exists()


def test_a_run_whose_file_is_gone_says_how_to_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_file(write(tmp_path / "own.py"), tmp_path / "run")
    (tmp_path / "own.py").rename(tmp_path / "moved.py")
    forget(monkeypatch)
    with pytest.raises(
        epicene.InputError,
        match=r"The suite 'own_first' was defined in .*own\.py, which does not exist; give the",
    ):
        read_run(folder)
    suite = find_suite(str(tmp_path / "moved.py"))
    assert read_run(folder, suite).suite.name == "own_first"
    other = find_suite(write(tmp_path / "other.py", SECOND.replace("\n", "\nimport epicene\n", 1)))
    with pytest.raises(
        epicene.InputError, match="is a run of the suite own_first, not of own_second"
    ):
        read_run(folder, other)


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_file_that_is_named_goes_before_the_recorded_one(
    by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_file(write(tmp_path / "own.py"), tmp_path / "run")
    write(tmp_path / "corrected.py", SUITE.replace('answer.only == "right"', "7"))
    forget(monkeypatch)
    if by == "option":
        suite_files.add_suite_files([tmp_path / "corrected.py"])
        assert "own_first" in registry.names("suites")
    else:
        monkeypatch.setenv(suite_files.SUITE_FILES, f"{tmp_path / 'corrected.py'}{os.pathsep}")
    assert [each.value for each in RunJudgements(read_run(folder))] == [7]
    assert find_suite("own_first").file == tmp_path / "corrected.py"


def test_without_a_data_folder_there_is_no_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blocked").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "blocked"))
    folder = run_file(write(tmp_path / "own.py"), tmp_path / "run")
    forget(monkeypatch)
    with pytest.raises(epicene.InputError, match="not in the list of files whose suites you ran"):
        read_run(folder)


def test_the_list_has_each_file_once(tmp_path: Path) -> None:
    path = write(tmp_path / "own.py")
    run_file(path, tmp_path / "run")
    run_file(path, tmp_path / "another")
    assert suite_files.list_path().read_text("utf-8") == f"{path}\n"


# --- sessions ------------------------------------------------------------------------------


def in_notebook() -> SuiteDefinition:
    """A definition without a file."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(SUITE, scope)
    made = scope["first"]
    assert isinstance(made, SuiteDefinition)
    return made


def test_a_suite_of_a_notebook_is_read_in_its_session_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = in_notebook()
    folder = run_suite(find_suite(made), tmp_path / "run").folder
    assert "suite_file" not in json.loads((folder / "manifest.json").read_text("utf-8"))
    assert read_run(folder).suite.name == "own_first"
    assert find_suite(in_notebook()) is not find_suite(made)  # a cell that is executed again
    forget(monkeypatch)
    with pytest.raises(
        epicene.InputError,
        match=r"There is no suite 'own_first'.*If it is your own, give .*load\(RUN, suite=",
    ):
        read_run(folder)
    assert read_run(folder, find_suite(in_notebook())).suite.name == "own_first"


def test_a_script_runs_its_own_suite_and_others_read_the_run(tmp_path: Path) -> None:
    """As the program its definition has a file; that is not executed again to read the run."""
    script = f"""{SUITE}
if __name__ == "__main__":
    import sys
    sys.path.insert(0, {str(Path(__file__).parents[1])!r})
    from pathlib import Path
    from epicene.suites import find_suite
    from epicene.runs.stored_run import read_run
    from suites.test_suite_definition import run_suite
    suite = find_suite(first)
    run_suite(suite, Path("run"))
    print(read_run(Path("run")).suite.file.name)
"""
    (tmp_path / "own.py").write_text(script, "utf-8")
    done = subprocess.run(
        [sys.executable, "own.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "own.py\n", done.stderr
    assert [each.name for each in read_run(tmp_path / "run").suite.stages] == ["ask"]


# --- installed -----------------------------------------------------------------------------


class EntryPoint:
    """A suite that another package brings."""

    def __init__(self, definition: SuiteDefinition) -> None:
        self._definition = definition

    def load(self) -> SuiteDefinition:
        return self._definition


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SuiteDefinition:
    find_suite(write(tmp_path / "package.py"))
    (module,) = (module for _, module in suite_files._modules.values())
    definition: SuiteDefinition = module.first
    found = registry.installed
    more = {"suites": {"own_first": EntryPoint(definition)}}
    monkeypatch.setattr(
        registry, "installed", lambda group: {**found(group), **more.get(group, {})}
    )
    forget(monkeypatch)
    return definition


def test_an_installed_definition_is_found_by_its_name(
    installed: SuiteDefinition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for suite in (find_suite("own_first"), find_suite(installed)):
        assert (suite.name, suite.file) == ("own_first", None)
    folder = run_suite(find_suite(installed), tmp_path / "run").folder
    assert not read_manifest(folder).suite_file
    forget(monkeypatch)
    assert read_run(folder).suite.name == "own_first"


# --- other places --------------------------------------------------------------------------


def test_generated_texts_are_judged_by_the_copy_in_exported_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite: Suite[Any, Any] = find_suite(write(tmp_path / "own.py", SUITE + SECOND) + ":first")
    selection = select(suite, suite.protocols["epicene"], DataSource())
    write_tasks(selection, tmp_path / "tasks")
    (tmp_path / "own.py").unlink()
    forget(monkeypatch)
    scope: dict[str, Any] = {"__file__": str(tmp_path / "tasks" / "judging.py")}
    exec((tmp_path / "tasks" / "judging.py").read_text("utf-8"), scope)
    (document,) = read_lines(tmp_path / "tasks" / "epicene_own_first_generate.jsonl")
    assert scope["writing"](document, ["right"]) == {"right": 1, "wrong": 0, "undetected": 0}
    assert scope["writing"](document, ["other"]) == {"right": 0, "wrong": 1, "undetected": 0}
    assert not suite_files.list_path().exists()


def test_items_of_a_list_are_not_taken_for_epicene_s(tmp_path: Path) -> None:
    suite = find_suite(write(tmp_path / "own.py"))
    selection = select(suite, suite.protocols["epicene"], DataSource())
    assert not selection.own
    assert "not Epicene's (items)" in selection.warning


def test_judgements_of_a_file_are_never_cached(tmp_path: Path) -> None:
    """They depend on what the file imports and reads, which is not known."""
    text = SUITE.replace('[{"id": "a", "text": "x"}]', '[{"text": str(n)} for n in range(3000)]')
    folder = run_file(write(tmp_path / "own.py", text), tmp_path / "run")
    assert len(list(RunJudgements(read_run(folder)))) == 3000
    assert not (folder / "judgements.cache").exists()


def test_manifests_without_a_suite_file_stay_as_they_are() -> None:
    settings = RunSettings(suite="s", suite_version="1", protocol={}, data="d", files=())
    made = Manifest(format=2, epicene="0.1.0", settings=settings, models={})
    assert b"suite_file" not in to_json(made)
