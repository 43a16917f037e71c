"""Logs of lm-evaluation-harness and Inspect that are damaged, hostile or of something else."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import epicene
from called_commands import invoke
from epicene.core import data_files
from epicene.core.errors import InputError
from epicene.runs.logs import inspect_ai

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


def refusal(data: Path, logs: Path, *options: str) -> str:
    """What the command says, in one sentence and with exit status 2."""
    arguments = ["score", "alternations", "--data", str(data), "--answers", str(logs), *options]
    done = invoke(arguments)
    assert isinstance(done.exception, InputError), done.stderr
    said = str(done.exception)
    assert said.endswith((".", "?"))
    assert "\n" not in said
    return said


def test_a_sum_is_what_it_is_and_missing_items_are_counted(data: Path, tmp_path: Path) -> None:
    logs = write_samples(tmp_path, sample())
    scored = epicene.score("alternations", logs, data=data)
    values = {each.facets["measure"]: each.value for _, each in scored.judgements()}
    assert values["sum"] == pytest.approx(1.75)
    assert "per token" not in values
    assert values["per word"] == pytest.approx(1.75 / 6)
    assert "1 items have no answer" in " ".join(scored.notes)
    with pytest.raises(InputError, match="which the measure `per token` needs"):
        epicene.score("alternations", logs, data=data, settings={"measure": "per token"})
    with pytest.raises(InputError, match="first_token"):
        epicene.score("alternations", logs, data=data, settings={"first_token": "none"})


def test_filters_repeat_a_sample_and_are_read_once(data: Path, tmp_path: Path) -> None:
    logs = write_samples(tmp_path, sample(), sample(filter="strict"))
    assert epicene.score("alternations", logs, data=data).summary.runs[0].metrics["accuracy"].n == 1


@pytest.mark.parametrize(
    ("samples", "says"),
    [
        ([sample(), sample()], "line 2, repeats the sample 0 of the task"),
        ([sample(), sample(filter="b", resps=[])], "repeats the sample 0 of the task"),
        ([sample(), sample(1)], r"1 of the 2 samples .* or they occur twice \(doc_id 1"),
        ([sample(good="Cats.", bad="Cat.")], "None of the 1 samples .*doc_id 0: 'Cats.'"),
        ([sample(resps=[[["nan", "False"]], [["-1", "False"]]])], "has nan as a log-prob"),
        ([sample(resps=[[["-inf", "F"]], [["-1", "False"]]])], "has -inf as a log-prob"),
        ([sample(resps=[[["3.5", "F"]], [["-1", "False"]]])], "has 3.5 as a log-prob"),
        ([sample(resps=[[[None, 0]], [[{}, 0]]])], "has None as a log-probability"),
        ([sample(resps=[[["-1", "False"]]])], "does not have one answer per request"),
        ([sample(resps="x")], "does not have one answer per request"),
        ([sample(arguments=7)], "neither choices between texts nor texts to generate"),
        ([sample(arguments={"a": {"arg_0": "x"}})], "neither choices between texts"),
        (
            [sample(arguments={"a": {"x": "1", "y": "z"}, "b": {"x": "2", "y": "z"}})],
            "after several contexts",
        ),
        ([sample(), {"doc_id": 1}], "line 2, is a sample .* neither"),
        ([sample(), []], "line 2, is not a record with named fields"),
    ],
)
def test_samples_that_are_refused(
    data: Path, tmp_path: Path, samples: list[Any], says: str
) -> None:
    logs = write_samples(tmp_path, *samples)
    with pytest.raises(InputError, match=says):
        epicene.score("alternations", logs, data=data)
    refusal(data, logs)


def test_a_truncated_and_an_endless_line(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = write_samples(tmp_path, sample(), sample(1))
    logs.write_bytes(logs.read_bytes()[:-40])
    assert "line 2, is not JSON" in refusal(data, logs)
    monkeypatch.setattr(data_files, "MAX_LINE_BYTES", 10_000)
    logs = write_samples(tmp_path, sample(), sample(1, doc={"text": "x" * 20_000}))
    assert "line 2, is longer than" in refusal(data, logs)


# --- Inspect -------------------------------------------------------------------------------

HEADER = {"version": 2, "status": "success", "eval": {"task": "pairs", "model": "them/theirs"}}


def choice(letter: str | None, number: int = 1, **changes: Any) -> dict[str, Any]:
    """A multiple choice, as Inspect logs it."""
    return {
        "id": number,
        "epoch": 1,
        "input": "Which sentence is acceptable?",
        "choices": [BAD, GOOD],
        "output": {"choices": [{"message": {"role": "assistant", "content": f"{letter}"}}]},
        "scores": {"choice": {"value": "C", "answer": letter}},
        **changes,
    }


def write_log(
    file: Path,
    *samples: dict[str, Any],
    header: Any = HEADER,
    names: Callable[[int], str] = "samples/{}_epoch_1.json".format,
    compression: int = zipfile.ZIP_DEFLATED,
) -> Path:
    with zipfile.ZipFile(file, "w", compression) as archive:
        if header is not None:
            archive.writestr("header.json", json.dumps(header))
        for number, each in enumerate(samples):
            archive.writestr(names(number), json.dumps(each))
    return file


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
@pytest.mark.parametrize(
    ("letter", "outcome"), [("B", "right"), ("A", "wrong"), (None, "undetected")]
)
def test_a_multiple_choice_of_their_own(
    data: Path, tmp_path: Path, name: str, letter: str | None, outcome: str
) -> None:
    file = tmp_path / name
    if name.endswith("json"):
        file.write_text(json.dumps({**HEADER, "samples": [choice(letter)]}))
    else:
        write_log(file, choice(letter))
    scored = epicene.score("alternations", file, data=data)
    assert [(model, each.outcome) for model, each in scored.judgements()] == [
        ("them/theirs", outcome)
    ]


def test_what_is_no_log(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.eval"
    file.write_bytes(b"")
    assert "is not an Inspect log, or is damaged" in refusal(data, file)
    write_log(file, choice("A"))
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert "is not an Inspect log, or is damaged" in refusal(data, file)
    write_log(file, choice("A"), header=None)
    assert "not an Inspect log: it has no header.json" in refusal(data, file)
    write_log(file)
    assert "contains no sample" in refusal(data, file)
    write_log(file, choice("A"), header=[1])
    assert "is not a record with named fields" in refusal(data, file)
    write_log(file, choice("A"), choice("A"))
    assert "repeats the sample '1', epoch 1" in refusal(data, file)
    write_log(file, choice("A"), choice("B", epoch=2))
    assert "is a multiple choice with 2 epochs" in refusal(data, file)
    write_log(file, choice("A", choices=["One.", "Two."]))
    assert "None of the 1 samples" in refusal(data, file)


@pytest.mark.parametrize("name", ["../evil.json", "samples/../../evil.json", "/evil.json"])
def test_names_outside_the_archive(data: Path, tmp_path: Path, name: str) -> None:
    file = write_log(tmp_path / "log.eval", choice("A"), names=lambda _: name)
    assert "outside the archive" in refusal(data, file)
    assert not (tmp_path.parent / "evil.json").exists()


def test_zip_bombs(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_ai, "MAX_DOCUMENT_BYTES", 100_000)
    file = write_log(tmp_path / "log.eval", choice("A", padding="x" * 200_000))
    assert file.stat().st_size < 5_000
    assert "MiB when unpacked" in refusal(data, file)
    # One that lies about its size is unpacked no further than the limit.
    with zipfile.ZipFile(file) as archive:
        true_size = archive.infolist()[-1].file_size
    lying = file.read_bytes().replace(true_size.to_bytes(4, "little"), (9).to_bytes(4, "little"))
    file.write_bytes(lying)
    assert "damaged" in refusal(data, file)


def test_zstandard_as_inspect_writes_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zstandard = pytest.importorskip("zstandard")
    stored = write_log(tmp_path / "log.eval", choice("B"), compression=zipfile.ZIP_STORED)

    def packed(padding: int = 0, *, spoil: bool = False) -> Path:
        """The same log with the sample in Zstandard."""
        text = json.dumps(choice("B", padding="x" * padding)).encode()
        data = zstandard.ZstdCompressor().compress(text)
        write_log(stored, compression=zipfile.ZIP_STORED)
        with zipfile.ZipFile(stored, "a") as archive:
            archive.writestr("samples/1_epoch_1.json", data[:-4] if spoil else data)
            entry = archive.infolist()[-1]
            entry.compress_type = 93
            entry.CRC, entry.file_size = zlib.crc32(text), 9 if padding else len(text)
        return stored

    assert len(list(epicene.score("alternations", packed(), data=data).judgements())) == 1
    assert "damaged" in refusal(data, packed(spoil=True))
    monkeypatch.setattr(inspect_ai, "MAX_DOCUMENT_BYTES", 100_000)
    assert "MiB when unpacked" in refusal(data, packed(200_000))
    monkeypatch.setattr("epicene.core.requirements.find_spec", lambda _: None)
    assert 'pip install "epicene[inspect]"' in refusal(data, packed())


def test_json_logs_have_a_limit(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps({**HEADER, "samples": [choice("A")]}))
    monkeypatch.setattr(inspect_ai, "MAX_DOCUMENT_BYTES", 100)
    assert "inspect log convert --to eval" in refusal(data, file)


def test_samples_that_failed_have_no_answer(tmp_path: Path) -> None:
    """Epochs are several texts, in their order; a sample with an error is one without an answer."""
    first = epicene.export_data("genform", "inspect", tmp_path / "tasks", language="fr", limit=2)
    (documents,) = first.path.glob("*.jsonl")
    logged = [
        {
            "id": each["id"],
            "epoch": 1,
            "input": [
                {"role": "system", "content": each["system"]},
                {"role": "user", "content": "attachment://1"},
            ],
            "attachments": {"1": each["prompt"]},
            "metadata": {"item": each["item"], "request": each["request"]},
            "output": {
                "choices": [
                    {
                        "message": {
                            "content": [
                                {"type": "reasoning", "reasoning": "hm"},
                                {"type": "text", "text": "Je suis là."},
                            ]
                        },
                        "stop_reason": "max_tokens",
                    }
                ]
            },
            **({"error": {"message": "timeout"}} if number == 1 else {}),
        }
        for number, each in enumerate(map(json.loads, documents.read_text().splitlines()))
    ]
    file = write_log(tmp_path / "log.eval", *logged)
    scored = epicene.score("genform", file)
    assert any("have no answer for 'generation feminine'" in note for note in scored.notes)
    assert {each.evidence["answer"] for _, each in scored.judgements()} == {"Je suis là."}
    logged[0]["input"][1]["content"] = "Something else."
    write_log(file, *logged)
    with pytest.raises(InputError, match="its text differs"):
        epicene.score("genform", file)
