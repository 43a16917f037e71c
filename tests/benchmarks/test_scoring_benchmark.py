"""The comparison itself, at a tiny size and without peers: what it counts, holds and refuses."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

from epicene.core.records import Score
from epicene.models import embedded
from scoring_speed import contenders, lower_bound, report, texts, weights
from scoring_speed.comparisons import SIZES
from scoring_speed.contenders import ModelSetup, Peer
from scoring_speed.measure import Contest, Results, check_scores
from scoring_speed.plain import Plain, Row


@pytest.fixture(scope="module")
def everything() -> texts.Texts:
    return texts.gather(None)


def setup(shape: weights.Shape, everything: texts.Texts, into: Path) -> ModelSetup:
    sentences = [text for request in everything.hindi for text in request.texts]
    tokenizer = embedded.fetch("smollm2")
    folder = weights.make(shape, tokenizer, sentences, "cpu", into)
    return ModelSetup(folder, shape.kind, "cpu", shape.dtype)


def run(shape: weights.Shape, everything: texts.Texts, into: Path) -> Results:
    results = Results()
    contest = Contest(setup(shape, everything, into), "")
    for comparison in SIZES["tiny"].comparisons:
        if comparison.shape == shape and comparison.name != "hindi":
            few = comparison._replace(sequences=min(comparison.sequences, 16))
            contest.run(few, getattr(everything, comparison.texts), SIZES["tiny"], results)
    contest.close()
    return results


@pytest.mark.embedded
def test_all_contenders_give_the_same_scores(everything: texts.Texts, tmp_path: Path) -> None:
    results = run(weights.LLAMA_TINY, everything, tmp_path)
    assert [race.name for race in results.races] == ["misgendered", "genform"]
    for race in results.races:
        named = [line.contender for line in race.lines]
        assert named == ["epicene", "sorted batches", "one by one"]
        assert race.ours.sequences == race.sequences > 2
        assert 0 < race.work.distinct < race.work.tokens
        assert f"{race.name} with llama-tiny in float32" in report.everything(results)
    # The same item with more candidates: what stands before the gap is read once.
    assert [point.sequences for point in results.curve] == [1, 2, 4, 8, 16]
    tokens = [point.work.tokens for point in results.curve]
    distinct = [point.work.distinct for point in results.curve]
    assert tokens[0] == distinct[0]
    assert distinct == sorted(distinct)
    assert distinct[-1] < tokens[-1] / 2


@pytest.mark.embedded
def test_all_contenders_give_the_same_scores_with_masks(
    everything: texts.Texts, tmp_path: Path
) -> None:
    (race,) = run(weights.XLMR_TINY, everything, tmp_path).races
    assert race.name == "masked hindi"
    # A row for every token that is scored.
    assert race.work.looked < race.work.distinct


class _Counted(Plain):
    """A kind and the numbers that the floor looks at."""

    def __init__(self, kind: Any) -> None:
        import torch

        self.kind = kind
        self.model = torch.nn.Module()
        self.model.base_model = torch.nn.Module()
        self.model.base_model.embed = torch.nn.Embedding(11, 3)
        self.model.base_model.layer = torch.nn.Linear(3, 5)  # 15 weights; its bias is no matrix
        sizes = {"vocab_size": 11, "hidden_size": 3, "num_hidden_layers": 2}
        self.model.config = type("", (), sizes)


def test_floor_of_a_tree() -> None:
    # Beginning 1 2 is shared; nothing is wanted at the first token.
    rows = [Row((1, 2, 3), ((1, 3), (2, 9))), Row((1, 2, 4), ((1, 4), (2, 9)))]
    work = lower_bound.least(rows, _Counted("causal"))
    assert (work.tokens, work.distinct, work.looked) == (6, 4, 3)
    # Tokens at depths 1, 2, 3 and 3 see as many; head 11 × 3; two layers 3 wide.
    assert work.flops == 2 * (4 * 15 + 3 * 33 + 2 * (1 + 2 + 3 + 3) * 6)


def test_floor_of_masked_rows() -> None:
    # Two texts that differ in the masked token only are one row.
    rows = [Row((0, 4, 7), ((1, 5),)), Row((0, 4, 7), ((1, 6),)), Row((0, 5, 4, 7), ((2, 8),))]
    work = lower_bound.least(rows, _Counted("masked"))
    assert (work.tokens, work.distinct, work.looked) == (10, 7, 2)
    assert work.flops == 2 * (7 * 15 + 2 * 33 + 2 * (9 + 16) * 6)


@pytest.mark.parametrize("wrong", [-10.002, -9.998, math.nan])
def test_other_scores_are_refused(wrong: float) -> None:
    check_scores("somebody", [-10.0005], [-10.0], "float32")
    with pytest.raises(AssertionError, match="somebody gives"):
        check_scores("somebody", [-10.0, wrong], [-10.0, -10.0], "float32")


def test_first_takes_whole_requests() -> None:
    requests = [Score(item=str(n), texts=("a", "b", "c")) for n in range(4)]
    assert texts.first(requests, 7) == requests[:2]
    assert texts.first(requests, 1) == requests[:1]
    assert texts.first(requests, 99) == requests


def test_texts_survive_the_journey(everything: texts.Texts, tmp_path: Path) -> None:
    texts.write(everything, tmp_path / texts.FILE)
    assert texts.read(tmp_path / texts.FILE) == everything
    assert {request.language for request in everything.genform[:3]} == {"ar", "fr", "hi"}
    assert {request.language for request in everything.hindi} == {"hi"}


def test_a_peer_is_asked_in_its_own_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = tmp_path / "runner.py"
    runner.write_text(
        "import json, sys\n"
        "print(json.dumps({'loaded': ' '.join(sys.argv[1:3])}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    task = json.loads(line)\n"
        "    scores = [-len(context + text) / task['batch'] for context, text in task['pairs']]\n"
        "    answer = {'seconds': 2.0, 'processor': 3.0, 'scores': scores}\n"
        "    print(json.dumps(answer), flush=True)\n"
    )
    monkeypatch.setattr(contenders, "RUNNER", runner)
    tokenizer = type("", (), {"chat_template": None})()
    peer = Peer(
        "lm-eval", ModelSetup(tmp_path, "causal", "cpu", "float32"), tokenizer, sys.executable
    )
    requests = [Score(item="1", context="ab", texts=("c", "cde"))]
    assert peer.score(requests, 2) == (2.0, 3.0, [-1.5, -2.5])
    assert peer.score(requests, 1).scores == [-3.0, -5.0]
    assert peer.version == "lm-eval causal"
    peer.close()
    runner.write_text("")
    ended = Peer(
        "lm-eval", ModelSetup(tmp_path, "causal", "cpu", "float32"), tokenizer, sys.executable
    )
    with pytest.raises(SystemExit, match="lm-eval ended early"):
        ended.wait()
    ended.close()
