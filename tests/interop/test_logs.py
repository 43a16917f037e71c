"""Logs of lm-evaluation-harness and Inspect that are damaged, incomplete or of something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.core.records import Generate, Score, Text
from epicene.interop.logs import LoggedSample, _Samples

GOOD, BAD = "The dogs near the gate bark.", "The dogs near the gate barks."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two pairs."""
    file = tmp_path / "pairs.jsonl"
    rows = [{"id": "a", "good": GOOD, "bad": BAD}, {"id": "b", "good": BAD + "!", "bad": GOOD}]
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def sample(number: int = 0, good: str = GOOD, bad: str = BAD, **changes: Any) -> dict[str, Any]:
    """A sample as the harness writes it."""
    return {
        "doc_id": number,
        "doc": {"sentence_good": good, "sentence_bad": bad},
        "arguments": {
            "gen_args_0": {"arg_0": "", "arg_1": good},
            "gen_args_1": {"arg_0": "", "arg_1": bad},
        },
        "resps": [[["-10.5", "False"]], [["-12.25", "False"]]],
        "filter": "none",
        **changes,
    }


def write_samples(folder: Path, *samples: Any) -> Path:
    file = folder / "samples_blimp_2026-11-18T00-00-00.jsonl"
    file.write_text("\n".join(map(json.dumps, samples)))
    return file


def test_a_sum_is_what_it_is_and_missing_items_are_counted(data: Path, tmp_path: Path) -> None:
    # Of several filters, each sample is written once for each.
    logs = write_samples(tmp_path, sample(), sample(filter="strict"))
    scored = epicene.score("alternations", logs, data=data)
    values = {each.facets["measure"]: each.value for _, each in scored.judgements()}
    assert values["sum"] == pytest.approx(1.75)
    assert "per token" not in values
    assert values["per word"] == pytest.approx(1.75 / 6)
    assert "1 items have no answer" in " ".join(scored.notes)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"measure": "per token"}, "which the measure `per token` needs"),
        ({"first_token": "none"}, "first_token"),
    ],
)
def test_what_a_log_does_not_tell_is_refused(
    data: Path, tmp_path: Path, settings: dict[str, str], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        epicene.score(
            "alternations", write_samples(tmp_path, sample()), data=data, settings=settings
        )


@pytest.mark.parametrize(
    ("samples", "says"),
    [
        ([sample(), sample()], r"one of 1 samples \(of 2\) that match no request .* occur twice"),
        ([sample(good="Cats.", bad="Cat.")], r"one of 1 samples \(of 1\) that .*: 'Cats.'"),
        ([sample(resps=[[["nan", "False"]], [["-1", "False"]]])], "has nan as a log-prob"),
        ([sample(resps=[[["-inf", "F"]], [["-1", "False"]]])], "has -inf as a log-prob"),
        ([sample(resps=[[["3.5", "F"]], [["-1", "False"]]])], "has 3.5 as a log-prob"),
        ([sample(resps=[[[None, 0]], [[{}, 0]]])], "line 1, is not a sample"),
        ([sample(resps=[[["-1", "False"]]])], "line 1, is not a sample"),
        ([sample(arguments=7)], "line 1, is not a sample"),
        (
            [sample(arguments={"a": {"x": "1", "y": "z"}, "b": {"x": "2", "y": "z"}})],
            "line 1, is not a sample",
        ),
        ([sample(), {"doc_id": 1, "filter": "none"}], "line 2, is not a sample"),
        ([sample(), []], "line 2, is not a record with named fields"),
    ],
)
def test_samples_that_are_refused(
    data: Path, tmp_path: Path, samples: list[Any], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        epicene.score("alternations", write_samples(tmp_path, *samples), data=data)


def test_logs_of_two_models_are_two_models_and_no_run(data: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "logs" / name).mkdir(parents=True)
        write_samples(tmp_path / "logs" / name, sample())
    scored = epicene.score("alternations", tmp_path / "logs", data=data)
    assert [model for model, _ in scored.judgements()][::3] == ["one", "two"]
    with pytest.raises(InputError, match="The logs are from 2 models"):
        epicene.score("alternations", tmp_path / "logs", data=data, out=tmp_path / "run")


def test_each_request_gets_its_own_text_and_scores_are_shared() -> None:
    """Of an item that is asked the same under two names, in two tasks."""
    samples = _Samples(
        LoggedSample(name, "m", "Say it.", "i", name, written=(Text(text=name),))
        for name in ("post", "pre")
    )
    asked = [Generate(item="i", language="en", name=name, prompt="Say it.")
             for name in ("pre", "open", "post")]  # fmt: skip
    found = [samples.find("m", "i", request) for request in asked]
    assert [each and each.request for each in found] == ["pre", None, "post"]
    choice = LoggedSample("x", "m", "", "i", "a", texts=("b", "c"), logprobs=(-1.0, -2.0))
    samples = _Samples([choice])
    for name in ("a", "masked"):
        request = Score(item="i", language="en", name=name, texts=("b", "c"))
        assert samples.find("m", "i", request) is choice


# --- Inspect -------------------------------------------------------------------------------


def write_log(file: Path, samples: list[Any]) -> Path:
    """A log, written by Inspect's own library."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, write_eval_log

    spec = EvalSpec(
        created="2026-11-18T00:00:00+00:00",
        task="pairs",
        dataset=EvalDataset(),
        model="them/theirs",
        config=EvalConfig(),
    )
    write_eval_log(EvalLog(eval=spec, status="success", samples=samples), file)
    return file


def written(document: dict[str, Any], text: str, **changes: Any) -> Any:
    """A sample of an exported task that a model answered after thinking."""
    from inspect_ai.log import EvalSample
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
        ModelOutput,
    )

    output = ModelOutput.from_content("theirs", "")
    content: Any = [ContentReasoning(reasoning="hm"), ContentText(text=text)]
    output.choices[0].message = ChatMessageAssistant(content=content)
    asked = [
        ChatMessageSystem(content=document["system"]),
        ChatMessageUser(content=document["prompt"]),
    ]
    fields = {
        "id": document["id"], "epoch": 1, "input": asked, "target": "", "output": output,
        "messages": [*asked, output.choices[0].message], "metadata": document,
    }  # fmt: skip
    return EvalSample(**{**fields, **changes})


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_reasoning_is_no_answer_and_an_error_is_none(tmp_path: Path, name: str) -> None:
    from inspect_ai._util.error import EvalError

    tasks = epicene.export_data("genform", "inspect", tmp_path / "tasks", language="fr", limit=2)
    (file,) = tasks.path.glob("*.jsonl")
    first, *others = map(json.loads, file.read_text("utf-8").splitlines())
    error = EvalError(message="timeout", traceback="", traceback_ansi="")
    samples = [written(each, "Je suis là.") for each in others]
    log = write_log(tmp_path / name, [written(first, "", error=error), *samples])
    scored = epicene.score("genform", log)
    assert {each.evidence["answer"] for _, each in scored.judgements()} == {"Je suis là."}
    assert any(f"have no answer for {first['request']!r}" in note for note in scored.notes)
    changed = written({**others[0], "prompt": "Something else."}, "Je suis là.")
    with pytest.raises(InputError, match=r"match no request .*'Something else.'"):
        epicene.score("genform", write_log(tmp_path / name, [changed]))


def test_what_is_no_log(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.eval"
    file.write_bytes(b"PK")
    with pytest.raises(InputError, match="is not an Inspect log, or is damaged"):
        epicene.score("alternations", file, data=data)
    with pytest.raises(InputError, match="contains no samples"):
        epicene.score("alternations", write_log(file, []), data=data)


def test_without_inspect_the_extra_is_named(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_log(tmp_path / "log.eval", [])
    monkeypatch.setattr("epicene.core.requirements.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r'pip install "epicene\[inspect\]"'):
        epicene.score("alternations", file, data=data)
