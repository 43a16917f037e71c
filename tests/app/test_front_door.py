"""`import epicene` and `epicene`: their names, what they import, and the help of every command."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import epicene as api
from app.conftest import Epicene
from app.user_script import measure
from epicene.app.commands import COMMANDS, GROUPS

HEAVY = "altair jinja2 msgspec numpy openai polars scipy spacy torch transformers typer vl_convert"


def loaded_by(code: str) -> set[str]:
    """The modules of a process that ran this."""
    code += "\nimport sys; print(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_every_name_is_defined_where_the_stub_says_and_explained() -> None:
    for name in api.__all__:
        assert name == "__version__" or getattr(api, name).__doc__, f"{name} has no docstring"
    assert {"run", "Run", "InputError", "open_model"} <= set(dir(api))
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        api.no_such_name  # type: ignore[attr-defined]  # noqa: B018


def test_packages_that_share_a_functions_name_are_both() -> None:
    assert import_module("epicene.suites").find_suite("genform").name == "genform"
    assert "genform" in api.suites()["suite"]


@pytest.mark.parametrize(
    ("code", "light"),
    [
        ("import epicene", f"{HEAVY} rich cyclopts"),
        ("from epicene.app.commands import run_command; run_command(['--help'])", HEAVY),
        ("from epicene.app.commands import run_command; run_command(['run', '--help'])", HEAVY),
    ],
)
def test_only_what_is_needed_is_imported(code: str, light: str) -> None:
    loaded = loaded_by(code)
    assert "epicene" in loaded
    # msgspec is how records are written, which some signatures name.
    assert not loaded & set(light.split()) - ({"msgspec"} if "--help" in code else set())
    assert "epicene.runs" not in loaded


def test_every_command_has_its_function_in_python() -> None:
    public = [api.function(name) for name in api.__all__ if name != "__version__"]
    for name, command in COMMANDS.items():
        module, _, function = command.function.partition(":")
        found = getattr(import_module(f"epicene.app.{module}"), function)
        of_group = getattr(api.function("annotate"), function, None)
        assert any(found is each for each in (*public, of_group)), f"{name} is not in Python"


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_every_command_explains_every_option(epicene: Epicene, name: str) -> None:
    done = epicene(*name.split(), "--help")
    assert done.code == 0, done.err
    assert f"Usage: epicene {name}" in done.out
    options = [line.strip("│ ") for line in done.out.splitlines() if line.startswith("│")]
    for line in options:
        starts = line.lstrip("* ")
        if starts.startswith("--"):
            assert len(starts.split("  ")) > 1, f"{name}: no meaning in {line!r}"
    assert "--no-json" not in done.out
    assert "--empty-" not in done.out


def test_version_and_no_arguments(epicene: Epicene) -> None:
    assert epicene("--version").out.strip() == api.__version__
    assert epicene().out == epicene("--help").out
    command = [sys.executable, "-m", "epicene", "no-such-command"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "see `epicene --help`" in done.stderr


def test_a_users_script_runs(tmp_path: Path) -> None:
    metrics = measure(tmp_path)
    assert metrics.columns == ["metric", "value", "low", "high", "n", "why", "groups"]
    assert metrics.height


def _modules() -> list[str]:
    source = Path(api.__file__).parents[1]
    paths = (source / "epicene/app").rglob("[a-z]*.py")
    return sorted(".".join(path.relative_to(source).with_suffix("").parts) for path in paths)


@pytest.mark.parametrize("name", ["epicene.suites.definition", *_modules()])
def test_the_examples_in_docstrings_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"epicene": api}
    result = doctest.testmod(
        import_module(name),
        extraglobs=names,
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
    )
    assert result.failed == 0


def test_an_error_is_one_line_in_a_notebook() -> None:
    with pytest.raises(api.InputError) as caught:
        api.run("no-such-suite")
    (line,) = caught.value._render_traceback_()
    assert line.startswith("InputError: There is no suite 'no-such-suite'")
