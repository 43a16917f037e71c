"""Plans of sweeps: which runs they make, and what is wrong with bad ones, by line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.runs.sweep.forecast import Forecaster
from epicene.runs.sweep.matrix import SweepRun, expand_plan
from epicene.runs.sweep.plan import example_plan, read_plan


def planned(tmp_path: Path, text: str, limit: int | None = None) -> tuple[SweepRun, ...]:
    """The runs of a plan."""
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return expand_plan(read_plan(path), tmp_path / "runs", limit)


def refused(tmp_path: Path, text: str) -> str:
    """What is said about a bad plan."""
    with pytest.raises(InputError) as error:
        planned(tmp_path, text)
    return str(error.value)


MODELS = '[[models]]\nspec = "random"\n[[models]]\nspec = "copy"\nlabel = "same"\n'


def test_every_model_meets_every_suite_protocol_and_language(tmp_path: Path) -> None:
    found = planned(
        tmp_path,
        MODELS
        + '[[suites]]\nname = "genform"\nprotocols = ["paper", "epicene"]\nlanguages = ["fr", "hi"]'
        + '\n[[suites]]\nname = "alternations"\n',
    )
    assert [sweep_run.title for sweep_run in found] == [
        f"{way} · {model}"
        for model in ("random", "same")
        for way in (
            "genform · paper · fr",
            "genform · paper · hi",
            "genform · epicene · fr",
            "genform · epicene · hi",
            "alternations · epicene",
        )
    ]
    assert found[1].config.languages == ("hi",)
    assert found[4].config.languages == ()
    assert found[5].config.models["model"][0].options.label == "same"


def test_what_a_suite_says_is_in_the_config(tmp_path: Path) -> None:
    (sweep_run,) = planned(
        tmp_path,
        '[[models]]\nspec = "random"\n[[suites]]\nname = "misgendering"\nlimit = 7\nseed = 3\n'
        'data = "texts.jsonl"\ncolumns = {text = "sentence"}\n[suites.settings]\nsamples = 4\n'
        'pronouns = ["he", "xe"]\n',
    )
    config = sweep_run.config
    assert config.limit == 7
    assert config.protocol.seed == 3
    assert config.source.path == Path("texts.jsonl")
    assert config.source.columns == {"text": "sentence"}
    assert config.protocol.samples == 4  # type: ignore[attr-defined]
    assert config.protocol.pronouns == ("he", "xe")  # type: ignore[attr-defined]


def test_a_trial_goes_before_the_limits_of_the_plan(tmp_path: Path) -> None:
    text = MODELS + '[[suites]]\nname = "genform"\nlimit = 50\n'
    assert [sweep_run.config.limit for sweep_run in planned(tmp_path, text, limit=2)] == [2, 2]


def test_models_behind_a_server_come_last(tmp_path: Path) -> None:
    text = '[[models]]\nspec = "openai:far"\n' + MODELS + '[[suites]]\nname = "genform"\n'
    assert [sweep_run.model for sweep_run in planned(tmp_path, text)] == [
        "random",
        "same",
        "openai:far",
    ]


def test_roles_are_shared_out(tmp_path: Path) -> None:
    found = planned(
        tmp_path,
        MODELS
        + '[[models]]\nspec = "random:9"\nlabel = "eye"\nroles = ["judges"]\n'
        + '[[suites]]\nname = "gramvis"\n[suites.roles]\njudges = ["eye", "random:4"]\n'
        + '[[suites]]\nname = "apgc"\n[suites.roles]\nmodel = ["copy"]\n',
    )
    assert [sweep_run.title for sweep_run in found] == [
        "gramvis · epicene · random",
        "apgc · epicene · random",
        "gramvis · epicene · same",
        "apgc · epicene · same",
    ], "a judge alone draws nothing"
    drawn, translated = found[0].config.models, found[1].config.models
    assert {role: [spec.name for spec in specs] for role, specs in drawn.items()} == {
        "drawer": [""],
        "judges": ["9", "4"],
    }
    assert drawn["judges"][0].options.label == "eye"
    assert {role: specs[0].kind for role, specs in translated.items()} == {
        "translator": "random",
        "model": "copy",
    }


def test_rules_leave_runs_out(tmp_path: Path) -> None:
    found = planned(
        tmp_path,
        MODELS
        + '[[suites]]\nname = "genform"\nlanguages = ["fr", "hi"]\n'
        + '[[skip]]\nmodel = "same"\nlanguage = "hi"\nwhy = "too long"\n',
    )
    assert [sweep_run.skipped for sweep_run in found] == ["", "", "", "too long"]


def test_the_example_is_a_plan(tmp_path: Path) -> None:
    found = planned(tmp_path, example_plan())
    assert {sweep_run.suite for sweep_run in found} == {"misgendering", "genform", "gramvis"}
    assert [sweep_run.skipped for sweep_run in found if sweep_run.skipped] == [
        "it is a judge there"
    ]


def test_the_plan_on_its_page_is_one(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "guides" / "sweeps.md"
    shown = page.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    found = planned(tmp_path, shown)
    assert len(found) == 2 * 2 * 3
    assert [sweep_run.title for sweep_run in found if sweep_run.skipped] == [
        "genform · paper · hi · openai:NAME",
        "genform · epicene · hi · openai:NAME",
    ]


def test_a_secret_in_a_spec_is_in_no_name(tmp_path: Path) -> None:
    spec = "openai:far?base_url=http://me:letmein@host/v1"
    text = f'[[models]]\nspec = "{spec}"\n[[suites]]\nname = "genform"\n'
    skip = f'[[skip]]\nmodel = "{spec}"\n'
    (sweep_run,) = planned(tmp_path, text + skip)
    assert "letmein" not in sweep_run.title
    assert sweep_run.skipped
    assert sweep_run.config.models["model"][0].options.base_url == "http://me:letmein@host/v1"


SUITE = '[[suites]]\nname = "genform"\n'
FAR = '[[models]]\nspec = "openai:far"\n'


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("[[models]\n", "", "is not TOML"),
        (SUITE, "plan.toml:", "missing required field `models`"),
        ("models = []\n" + SUITE, "plan.toml:", "at least one of [[models]]"),
        (MODELS, "plan.toml:", "missing required field `suites`"),
        ('[[models]]\nlabel = "a"\n' + SUITE, "line 1 ([[models]] 1)", "field `spec`"),
        (MODELS + 'sepc = "x"\n' + SUITE, "line 6 ([[models]] 2, sepc)", "did you mean 'spec'?"),
        (MODELS + "dtype = 16\n" + SUITE, "line 6 ([[models]] 2, dtype)", "got `int`"),
        ('[[models]]\nspec = "randon"\n' + SUITE, "line 2 ([[models]] 1, spec)", "'random'?"),
        ('[[models]]\nspec = "random?a=1"\n' + SUITE, "([[models]] 1, spec)", "option 'a'"),
        (MODELS + '[[models]]\nspec = "copy"\nlabel = "random"\n' + SUITE,
         "line 8 ([[models]] 3, label)", "Two models are called 'random'"),
        (FAR + 'price = "cheap"\n' + SUITE, "line 3 ([[models]] 1, price)", "'cheap' is invalid"),
        (FAR + 'price = "lost.toml"\n' + SUITE, "line 3 ([[models]] 1, price)", "lost.toml"),
        (FAR + 'base_url = "127.0.0.1:28000"\n' + SUITE, "line 3 ([[models]] 1, base_url)",
         "(OPENAI_BASE_URL or base_url) must start with http://"),
        (FAR + 'base_url = "http://a/v1 http://a/v1/"\n' + SUITE,
         "line 3 ([[models]] 1, base_url)", "http://a/v1/ is named twice"),
        (FAR + "concurrency = 0\n" + SUITE, "line 3 ([[models]] 1, concurrency)",
         "concurrency must be at least 1"),
        (FAR + "timeout = 0.0\n" + SUITE, "line 3 ([[models]] 1, timeout)", "must be more than 0"),
        (MODELS + 'price = "1/2"\n' + SUITE, "line 6 ([[models]] 2, price)", "does not take price"),
        ('[[models]]\nspec = "openai:far?price=cheap"\n' + SUITE, "line 2 ([[models]] 1, spec)",
         "'cheap' is invalid"),
        (MODELS + '[[suites]]\nname = "gramvis"\n'
         '[suites.roles]\njudges = ["openai:eye?base_url=a"]\n', "line 8 ([[suites]] 1, roles)",
         "must start with http://"),
        (MODELS + SUITE + "limit = 0\n", "line 8 ([[suites]] 1, limit)", ">= 1"),
        (MODELS + '[[suites]]\nname = "genfrom"\n', "line 7 ([[suites]] 1, name)", "'genform'?"),
        (MODELS + SUITE + 'protocols = ["papre"]\n', "([[suites]] 1, protocols)", "'paper'?"),
        (MODELS + SUITE + "protocols = []\n", "line 8 ([[suites]] 1, protocols)", "at least one"),
        (MODELS + SUITE + 'languages = ["fr", "fr"]\n', "([[suites]] 1, languages)", "twice"),
        (MODELS + SUITE + 'languages = ["xx"]\n', "line 8 ([[suites]] 1, languages)", "'xx'"),
        (MODELS + SUITE + "[suites.settings]\nnew_token = 4\n",
         "line 8 ([[suites]] 1, settings)", "'new_tokens'?"),
        (MODELS + SUITE + SUITE + '[suites.roles]\nwriter = ["copy"]\n',
         "line 10 ([[suites]] 2, roles)", "role 'writer' in the suite genform"),
        (MODELS + SUITE + '[suites.roles]\nmodel = ["copy"]\n', "roles",
         "Every role already has a model"),
        (MODELS + '[[suites]]\nname = "gramvis"\n', "([[suites]] 1, roles)", "in the role judges"),
        (MODELS + SUITE + '[[skip]]\nmodel = "rando"\n', "line 9 ([[skip]] 1, model)", "'random'?"),
        (MODELS + SUITE + "[[skip]]\n", "line 8 ([[skip]] 1)", "must name at least one"),
        (MODELS + SUITE + '[[suites]]\nname = "apgc"\nlanguages = ["ar"]\n'
         '[[skip]]\nsuite = "genform"\nlanguage = "ar"\n', "line 11 ([[skip]] 1)", "No run match"),
        (MODELS + SUITE + "[limits]\nmax_cost = -1\n", "line 9 (limits, max_cost)", ">= 0"),
        (MODELS + SUITE + "[limits]\nmax_money = 1\n", "line 9 (limits, max_money)", "'max_money'"),
        ("strikt = true\n" + MODELS + SUITE, "line 1 (strikt)", "did you mean 'strict'?"),
    ],
)  # fmt: skip
def test_errors_in_a_plan_name_their_line(tmp_path: Path, text: str, place: str, said: str) -> None:
    message = refused(tmp_path, text)
    assert "plan.toml" in message
    assert place in message
    assert said in message
    assert "--" not in message, "a plan has keys, and no options"


def test_a_missing_plan_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_plan(tmp_path / "none.toml")


def test_a_key_that_is_not_in_the_environment_is_no_mistake_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "no address at all")
    assert len(planned(tmp_path, FAR + 'price = "1/2"\n' + SUITE)) == 1


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        ('data = "nosuch.csv"', "line 5 ([[suites]] 1, data)", "There is no file nosuch.csv."),
        ('columns = {text = "x"}\ndata = "bad.csv"', "line 6 ([[suites]] 1, data)", "bad.csv"),
        ('languages = ["en"]', "line 5 ([[suites]] 1, languages)", "has no items in en"),
    ],
)
def test_errors_in_the_data_name_their_line_in_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str, place: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    text = f'[[models]]\nspec = "random"\n[[suites]]\nname = "genform"\n{data}\n'
    forecaster = Forecaster(tmp_path / "runs")
    (sweep_run,) = planned(tmp_path, text)
    with pytest.raises(InputError) as caught:
        forecaster.forecast(sweep_run)
    assert str(caught.value).startswith(f"{tmp_path / 'plan.toml'}, {place}: ")
    assert said in str(caught.value)
