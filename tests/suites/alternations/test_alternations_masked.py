"""Hindi pairs scored by masked models, against a slow computation of its own.

The words have several tokens each, cut between a letter and its marks and inside letters.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import cast

import msgspec
import pytest

from epicene.core.records import Masking, Scores
from epicene.models import ImageStore, parse_spec
from epicene.models.hf import checkpoint
from epicene.models.hf.masked import HfMasked
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol
from epicene.suites.alternations import suite
from epicene.suites.alternations.ask import ask_scores
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.judge import BY_VERB, judge
from epicene.suites.alternations.metrics import model_type
from epicene.suites.alternations.protocol import PROTOCOLS
from models.hf.scoring.test_hf_masked_score import MASKINGS, slow_logprobs, slow_words
from models.hf.tiny_masked import loaded, model_and_tokenizer
from runs.conftest import Silent

# Of the letters that the tiny vocabularies know.
PAIR = Pair(id="1", language="hi", good="लड़की ने किताबें पढ़ीं है", bad="लड़की ने किताबें पढ़ता है")
OURS = msgspec.structs.replace(PROTOCOLS["epicene"], maskings=MASKINGS)
FAMILIES = ("bert", "xlm-roberta", "roberta")


def answered(family: str) -> Answers:
    """What a tiny model answers to all that is asked of the pair, as one batch."""
    requests = list(ask_scores(PAIR, Answers(), OURS))
    batch = list(enumerate(requests))
    model = HfMasked(loaded(family))
    found = dict(
        pair for part in model.answer(iter([batch]), cast("ImageStore", None)) for pair in part
    )
    return Answers(
        AnsweredRequest("acceptability", "model", family, request.name, found[place])
        for place, request in batch
    )


def slow_score(family: str, text: str, masking: Masking) -> list[float]:
    of_tokens = slow_words(model_and_tokenizer(family)[1], text, text.split())
    return slow_logprobs(family, text, of_tokens, masking)


@pytest.mark.parametrize("masking", MASKINGS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_pair_is_scored_and_judged_as_by_definition(family: str, masking: Masking) -> None:
    answers = answered(family)
    expected = [slow_score(family, text, masking) for text in (PAIR.good, PAIR.bad)]
    scores = answers.where(name=f"acceptability {masking}").only(Scores)
    for text, logprobs in zip(scores.texts, expected, strict=True):
        assert list(text.logprobs) == pytest.approx(logprobs, abs=1e-4)
        assert text.words == 5
    judged = {
        (each.facets["method"].split(" ")[0], each.facets["measure"]): each
        for each in judge(PAIR, answers, OURS)
    }
    margin = sum(expected[0]) - sum(expected[1])
    found = judged[masking, "sum"]
    assert found.value == pytest.approx(margin, abs=2e-4)
    assert found.outcome == ("right" if margin > 0 else "wrong")
    per_token = sum(expected[0]) / len(expected[0]) - sum(expected[1]) / len(expected[1])
    assert judged[masking, "per token"].value == pytest.approx(per_token, abs=1e-4)


def test_words_of_the_test_are_of_several_tokens() -> None:
    for family in FAMILIES:
        tokenizer = model_and_tokenizer(family)[1]
        for text in (PAIR.good, PAIR.bad):
            words = slow_words(tokenizer, text, text.split())
            assert max(words.count(word) for word in words) >= 3
            assert tokenizer.unk_token_id not in tokenizer(text)["input_ids"]


def test_a_masked_model_runs_through_both_formats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "hash_cache_folder", lambda: tmp_path)
    for part in model_and_tokenizer("xlm-roberta"):
        part.save_pretrained(tmp_path / "model")
    row = {"id": "1", "sentence_good": PAIR.good, "sentence_bad": PAIR.bad}
    data = tmp_path / "sv.json"
    data.write_text(json.dumps([row]), "utf-8")
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", {"masks": "3", "top": "4"}, None),
        models={"model": [parse_spec(f"hf:{tmp_path / 'model'}?device=cpu")]},
        source=DataSource(path=data),
        under=tmp_path / "runs",
    )
    folder, manifest = run(order, Silent())
    assert manifest.state == "complete"
    summary = summarise([read_run(folder)])
    assert model_type(summary.results, "model") == "masked"
    (cloze,) = [table for table in summary.tables if table.name == "cloze"]
    # A masked model sees what follows, so there is one ranking.
    assert {row.keys[:3] for row in cloze.rows} == {("cloze", "model", BY_VERB)}
    (judged,) = [each for each in RunJudgements(read_run(folder)) if each.name == "cloze"]
    completions = judged.evidence["completions"].split(" / ")
    assert 1 <= len(completions) <= 4
    for text in completions:  # a word of its own, not a continuation of the one before
        assert judged.evidence["answer"].startswith("लड़की ने किताबें ")
        assert not unicodedata.category(text[0]).startswith("M")
