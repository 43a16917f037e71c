"""What a model or a judge of another package returns is checked before it counts."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from msgspec.structs import replace

import two_stage
from epicene.core.errors import InputError, RunError
from epicene.core.records import Judgement, TextScore
from epicene.results.external_answers import read_external_answers
from epicene.runs.frames import judgement_frame
from epicene.suites import DataSource, RunInfo, choose_protocol, find_suite
from runs.conftest import Runner

INFO = RunInfo(run="r", model="m", protocol="p", identities={})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_table_is_made_of_a_judgement_that_is_not_finite(bad: float) -> None:
    sound = Judgement(item="a", value=0.5, counts={"words": 3.0})
    for judgement, column in (
        (Judgement(item="b", name="open", value=bad), "value"),
        (Judgement(item="b", name="open", counts={"words": bad}), "words"),
    ):
        with pytest.raises(
            RunError, match=rf"^The {column} of the item 'b', judgement 'open' is {bad};"
        ):
            judgement_frame([sound, judgement], INFO)
    assert len(judgement_frame([sound, Judgement(item="c")], INFO)) == 2


def test_an_answer_that_is_not_finite_is_stored_as_failed_and_asked_again(
    do_run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """msgspec writes NaN as null, which reads as not scored."""

    def broken(text: str, noise: int) -> TextScore:
        return replace(own(text, noise), logprobs=(math.nan, -1.0))

    own = two_stage._scored
    monkeypatch.setattr(two_stage, "_scored", broken)
    _, manifest = do_run()
    assert manifest.state == "incomplete"
    counts = {count.model: (count.answered, count.failed) for count in manifest.counts}
    assert counts == {"scripted-w": (60, 0), "scripted-a": (0, 180), "scripted-b": (0, 180)}
    reason = "the model's answer contains a number that is not finite: texts[0].logprobs[0] = nan"
    assert manifest.counts[1].reasons == (reason,)
    monkeypatch.setattr(two_stage, "_scored", own)
    _, manifest = do_run()
    assert manifest.state == "complete"


def test_an_external_answer_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    """Python's JSON has NaN, so a file may hold it."""
    text = {"starts": [0], "ends": [1], "words": 1, "characters": 1, "logprobs": [math.nan]}
    answer = {"kind": "scores", "method": "other", "texts": [text]}
    suite = find_suite("reflexives")
    protocol = choose_protocol(suite, "epicene", {}, None)
    item = next(iter(suite.read(DataSource(), protocol).items))
    path = tmp_path / "answers.jsonl"
    row = {"id": item.id, "name": "probability", "answer": answer}
    path.write_text(json.dumps(row) + "\n", "utf-8")
    with pytest.raises(InputError, match=r"line 1.*not finite: texts\[0\].logprobs\[0\] = nan"):
        read_external_answers(suite, path, suite.read(DataSource(), protocol), protocol)
