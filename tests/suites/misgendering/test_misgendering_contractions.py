"""A model in the role `contractions` reads he's as he is or he has, as GPT-2 does in the paper."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.core.records import Score, Scores, Text, Texts, TextScore
from epicene.rewriting.english import pipelines
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.misgendering.ask import ask_contractions, ask_converted
from epicene.suites.misgendering.items import PUBLISHED_SETS, Instance
from epicene.suites.misgendering.judge import judge, scored_texts
from epicene.suites.misgendering.protocol import PROTOCOLS

PAPER = PROTOCOLS["paper"]
CONTEXT = Instance(
    id="1", dataset="tango", pronoun="he", before="Kim is a singer.", sets=PUBLISHED_SETS["tango"]
)
GENERATED = AnsweredRequest(
    "ask",
    "model",
    "m",
    "open",
    Texts(texts=(Text(text=" He's been on tour."), Text(text=" Kim sings to him."))),
)


@pytest.fixture(autouse=True)
def _pipeline() -> None:
    if not pipelines.installed():
        reason = f"needs a spaCy pipeline; get it with `{pipelines.GET_ONE}`"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def scores(*means: float) -> Scores:
    """Texts of two tokens with these mean log-probabilities; the first token has none."""
    return Scores(
        texts=tuple(
            TextScore(logprobs=(None, mean), starts=(0, 1), ends=(1, 2), words=2, characters=9)
            for mean in means
        ),
        method="causal",
    )


def asked(answers: Answers) -> dict[str, tuple[str, ...]]:
    requests = ask_converted(CONTEXT, answers, PAPER)
    return {each.name: each.texts for each in requests if isinstance(each, Score)}


def test_both_readings_are_scored_without_a_beginning() -> None:
    (request,) = ask_contractions(CONTEXT, Answers([GENERATED]), PAPER)
    assert isinstance(request, Score)
    assert request.name == "contraction 1"  # the second continuation has none
    assert request.texts == (" They've been on tour.", " They're been on tour.")
    assert request.first_token == "none"


@pytest.mark.parametrize(
    ("means", "they"),
    [
        ((-1.0, -2.0), "They've been"),
        ((-2.0, -1.0), "They're been"),
        (None, "They've been"),  # our rule
    ],
)
def test_the_likelier_reading_is_converted(means: tuple[float, float] | None, they: str) -> None:
    answers = [GENERATED]
    if means:
        read = scores(*means)
        answers.append(AnsweredRequest("contractions", "contractions", "g", "contraction 1", read))
    requests = asked(Answers(answers))
    assert requests["converted 1"][0] == f"Kim is a singer. {they} on tour."
    # Of the candidates he is the likeliest; the readings themselves are no judgement.
    judged = scores(-3.0, -1.0, -2.0, -4.0)
    answers.append(AnsweredRequest("convert", "model", "m", "converted 1", judged))
    found = {each.name: each for each in judge(CONTEXT, Answers(answers), PAPER)}
    assert set(found) == {"open 1", "open 2", "converted 1"}
    assert found["converted 1"].outcome == "right"
    texts = [each.text for each in scored_texts(CONTEXT, Answers(answers), PAPER)]
    assert texts == list(requests["converted 1"])


def run(out: Path, contractions: str, protocol: str = "paper") -> epicene.Run:
    return epicene.run(
        "misgendering",
        "ngram",
        protocol=protocol,
        settings={"pronouns": "he,she,they,xe", "samples": 1, "contractions": contractions},
        limit=4,
        out=out,
        progress=False,
    )


def test_a_setting_names_the_model(tmp_path: Path) -> None:
    done = run(tmp_path / "model", "random")
    assert done.complete
    assert [each.label for each in done.manifest.models["contractions"]] == ["random"]
    assert done.manifest.settings.stages == ("ask", "contractions", "convert")
    by_rule = run(tmp_path / "rule", "rule")
    assert set(by_rule.manifest.models) == {"model"}
    assert by_rule.manifest.settings.stages == ("ask", "convert")


def test_a_model_that_cannot_score_is_refused_before_anything_is_generated(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="asks its contractions to score, which copy cannot"):
        run(tmp_path / "run", "copy")
    assert not (tmp_path / "run").exists()


def test_other_protocols_read_contractions_by_their_own_rules(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not use the role contractions"):
        run(tmp_path / "run", "random", "epicene")
