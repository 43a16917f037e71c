"""Plans of sweeps: which runs they make, in which folders, and what is said about bad ones."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.runs.sweep_plan import SweepRun, example_plan, expand_plan, read_plan

MODELS = '[[models]]\nspec = "random"\n[[models]]\nspec = "copy"\nlabel = "same"\n'
SUITE = '[[suites]]\nname = "genform"\n'


def planned(tmp_path: Path, text: str, limit: int | None = None) -> list[SweepRun]:
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return expand_plan(read_plan(path), path, Path("out"), limit=limit)


def test_every_model_meets_every_suite_protocol_and_language(tmp_path: Path) -> None:
    suites = (
        SUITE + 'protocols = ["paper", "epicene"]\nlanguages = ["fr", "hi"]\n'
        '[[suites]]\nname = "alternations"\n[[suites]]\nname = "alternations"\nlimit = 3\n'
    )
    runs = planned(tmp_path, '[[models]]\nspec = "openai:far"\n' + MODELS + suites)
    ways = [
        f"genform · {way}" for way in ("paper · fr", "paper · hi", "epicene · fr", "epicene · hi")
    ]
    ways += ["alternations · epicene"] * 2
    names = ("random", "same", "openai:far")  # models behind a server come last
    assert [run.title for run in runs] == [f"{way} · {name}" for name in names for way in ways]
    assert [str(run.folder) for run in runs[6:12]] == [
        "out/runs/genform-paper-fr-same",
        "out/runs/genform-paper-hi-same",
        "out/runs/genform-epicene-fr-same",
        "out/runs/genform-epicene-hi-same",
        "out/runs/alternations-epicene-same",
        "out/runs/alternations-2-epicene-same",
    ]
    assert [run.config.languages for run in runs[:2]] == [("fr",), ("hi",)]
    assert [run.config.limit for run in runs[4:6]] == [None, 3]
    assert runs[7].config.models["model"][0].options.label == "same"


def test_no_two_models_share_a_folder(tmp_path: Path) -> None:
    specs = ("random:a", "random:a?label=b", "openai:x?base_url=http://me:letmein@h/v1")
    models = "".join(f'[[models]]\nspec = "{spec}"\n' for spec in specs)
    folders = [run.folder.name for run in planned(tmp_path, models + SUITE)]
    assert len(set(folders)) == 3
    assert folders[2] == "genform-epicene-openai-x"
    assert not any("letmein" in run.title for run in planned(tmp_path, models + SUITE))


def test_what_a_suite_says_is_in_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("texts.jsonl").touch()
    (run,) = planned(
        tmp_path,
        '[[models]]\nspec = "random"\n[[suites]]\nname = "misgendering"\nlimit = 7\nseed = 3\n'
        'data = "texts.jsonl"\ncolumns = {text = "sentence"}\n[suites.settings]\nsamples = 4\n'
        'pronouns = ["he", "xe"]\n',
    )
    config = run.config
    assert (config.limit, config.protocol.seed) == (7, 3)
    assert config.source.path == Path("texts.jsonl")
    assert config.source.columns == {"text": "sentence"}
    settings = msgspec.to_builtins(config.protocol)
    assert (settings["samples"], settings["pronouns"]) == (4, ("he", "xe"))


def test_a_trial_has_its_own_limit_and_folder(tmp_path: Path) -> None:
    runs = planned(tmp_path, MODELS + SUITE + "limit = 50\n", limit=2)
    assert [run.config.limit for run in runs] == [2, 2]
    assert {str(run.folder.parent) for run in runs} == {"out/limit-2"}


def test_roles_are_shared_out(tmp_path: Path) -> None:
    runs = planned(
        tmp_path,
        MODELS
        + '[[models]]\nspec = "random:9"\nlabel = "eye"\nroles = ["judges"]\n'
        + '[[suites]]\nname = "gramvis"\n[suites.roles]\njudges = ["eye", "random:4"]\n'
        + '[[suites]]\nname = "apgc"\n[suites.roles]\nmodel = ["copy"]\n',
    )
    assert [run.title for run in runs] == [
        f"{suite} · epicene · {name}"
        for name in ("random", "same")
        for suite in ("gramvis", "apgc")
    ], "a judge alone draws nothing"
    models = [run.config.models for run in runs[:2]]
    assert [
        {role: [spec.name for spec in specs] for role, specs in each.items()} for each in models
    ] == [
        {"drawer": [""], "judges": ["9", "4"]},
        {"translator": [""], "model": [""]},
    ]


def test_rules_leave_runs_out(tmp_path: Path) -> None:
    skip = '[[skip]]\nmodel = "same"\nlanguage = "hi"\nwhy = "too long"\n'
    runs = planned(tmp_path, MODELS + SUITE + 'languages = ["fr", "hi"]\n' + skip)
    assert [run.skipped for run in runs] == ["", "", "", "too long"]


def test_the_plans_that_are_shown_are_plans(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "guides" / "sweeps.md"
    shown = page.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    assert len(planned(tmp_path, shown)) == 2 * 2 * 3
    runs = planned(tmp_path, example_plan())
    assert {run.suite for run in runs} == {"misgendering", "genform", "gramvis"}
    assert [run.skipped for run in runs if run.skipped] == ["it is a judge there"]


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("[[models]\n", "", "is not TOML"),
        (SUITE, ":", "missing required field `models`"),
        ("models = []\n" + SUITE, ":", "at least one of [[models]]"),
        ('[[models]]\nlabel = "a"\n' + SUITE, "([[models]] 1)", "field `spec`"),
        (MODELS + 'sepc = "x"\n' + SUITE, "([[models]] 2, sepc)", "did you mean 'spec'?"),
        (MODELS + "dtype = 16\n" + SUITE, "([[models]] 2, dtype)", "got `int`"),
        ('[[models]]\nspec = "randon"\n' + SUITE, "([[models]] 1, spec)", "'random'?"),
        (MODELS + 'price = "1/2"\n' + SUITE, "([[models]] 2, price)", "does not take price"),
        (MODELS + MODELS + SUITE, ":", "Two models are called 'random'"),
        (MODELS + SUITE + "limit = 0\n", "([[suites]] 1, limit)", ">= 1"),
        (MODELS + SUITE + SUITE, "([[suites]] 2, name)", "twice"),
        (MODELS + SUITE + 'data = "none"\n', "([[suites]] 1, data)", "no file or folder 'none'"),
        (MODELS + '[[suites]]\nname = "genfrom"\n', "([[suites]] 1, name)", "'genform'?"),
        (MODELS + SUITE + 'protocols = ["papre"]\n', "([[suites]] 1, protocols)", "'paper'?"),
        (MODELS + SUITE + 'languages = ["fr", "fr"]\n', "([[suites]] 1, languages)", "twice"),
        (MODELS + SUITE + 'languages = ["xx"]\n', "([[suites]] 1, languages)", "'xx'"),
        (MODELS + SUITE + "[suites.settings]\nnew_token = 4\n", "1, settings)", "'new_tokens'?"),
        (MODELS + SUITE + '[suites.roles]\nwriter = ["copy"]\n', "1, roles)", "role 'writer'"),
        (MODELS + SUITE + '[suites.roles]\nmodel = ["copy"]\n', "1, roles)", "Every role already"),
        (MODELS + '[[suites]]\nname = "gramvis"\n', "1, roles)", "in the role judges"),
        (MODELS + SUITE + '[[skip]]\nmodel = "rando"\n', "([[skip]] 1)", "'random'?"),
        (MODELS + SUITE + "[[skip]]\n", "([[skip]] 1)", "must name a model"),
        (MODELS + SUITE + '[[suites]]\nname = "apgc"\nlanguages = ["ar"]\n'
         '[[skip]]\nsuite = "genform"\nlanguage = "ar"\n', "([[skip]] 1)", "No run match"),
        ("max_cost = -1\n" + MODELS + SUITE, "(max_cost)", ">= 0"),
        ("max_cots = 1\n" + MODELS + SUITE, "(max_cots)", "did you mean 'max_cost'?"),
    ],
)  # fmt: skip
def test_errors_in_a_plan_name_the_key(tmp_path: Path, text: str, place: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        planned(tmp_path, text)
    message = str(error.value)
    assert "plan.toml" in message
    assert place in message
    assert said in message
