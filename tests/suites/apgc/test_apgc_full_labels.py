"""Identification by the paper's 16 labels, with N and !: asked, judged and tabulated."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from epicene.core.errors import InputError
from epicene.core.records import Estimate, Generate, Judgement, Table, Text, Texts
from epicene.suites import (
    AnsweredRequest,
    Answers,
    DataSource,
    Results,
    choose_protocol,
    find_suite,
)
from epicene.suites.apgc.ask import ask_labels
from epicene.suites.apgc.corpus_files import write_lines
from epicene.suites.apgc.data import read
from epicene.suites.apgc.external_answers import read_answers
from epicene.suites.apgc.judge import judge
from epicene.suites.apgc.metrics import all_metrics, headline_metrics
from epicene.suites.apgc.protocol import PROTOCOLS, ApgcProtocol
from epicene.suites.apgc.tables import tables
from runs.frames import results_of
from suites.apgc.corpus_folder import sentences, write_tokens_folder

PROTOCOL = replace(PROTOCOLS["epicene"], tasks=("identification",), labels=("sentence",))

# The true label of each of six sentences, and an answer.
ANSWERS = (
    ("NN", "NN"),
    ("F!N", "FN"),
    ("M!N", "M!B"),
    ("BM", "BM"),
    ("BF!", "bf!"),
    ("BM!", "```\nBF!\n```"),
)


def judged() -> Results[ApgcProtocol]:
    made: list[Judgement] = []
    for number, (truth, answer) in enumerate(ANSWERS):
        sentence = replace(sentences()[0], id=str(number), group=str(number), label=truth)
        (request,) = ask_labels(sentence, Answers(), PROTOCOL)
        given = Answers(
            [AnsweredRequest("", "model", "x", request.name, Texts(texts=(Text(text=answer),)))]
        )
        made += judge(sentence, given, PROTOCOL)
    return results_of(made, PROTOCOL)


def cells(table: Table, *keys: str) -> list[float | None]:
    (row,) = (row for row in table.rows if row.keys == keys)
    return [cell.value if isinstance(cell, Estimate) else None for cell in row.cells]


def test_labels_are_scored_with_and_without_marks() -> None:
    results = judged()
    metrics = {name: each.value for name, each in all_metrics(results).items()}
    assert metrics == {
        "identification_label_accuracy": pytest.approx(3 / 6),
        "identification_label_macro_F1": pytest.approx((1 + 1 + 2 / 3) / 6),
        "identification_label_accuracy_with_marks": pytest.approx(2 / 6),
        "identification_label_undetected": pytest.approx(1 / 6),
        "identification_label_cleaned": pytest.approx(1 / 6),
    }
    assert len(headline_metrics(results)) == 3


def test_the_table_by_label_and_by_person() -> None:
    (table,) = tables(judged())
    assert table.name == "identification with N and !"
    assert cells(table, "sentence", "all (macro)")[3:] == [pytest.approx(3 / 6), 1 / 6]
    assert cells(table, "sentence", "with !")[3] == pytest.approx(2 / 6)
    assert cells(table, "sentence", "with B for N")[3] == pytest.approx(4 / 6)
    assert cells(table, "sentence", "FN")[:3] == [1, 1, 1]
    assert cells(table, "sentence", "BM")[:3] == [1, 0.5, pytest.approx(2 / 3)]
    assert cells(table, "speaker", "B")[:2] == [1, pytest.approx(2 / 3)]
    assert cells(table, "speaker", "!")[:2] == [1, 0.5]
    assert cells(table, "listener", "N")[:2] == [1, pytest.approx(2 / 3)]
    assert cells(table, "listener", "F")[:2] == [0, 0]
    assert cells(table, "listener", "!")[:2] == [1, 0.5]


@pytest.mark.parametrize("wording", ["ar", "en"])
def test_what_is_asked(wording: str) -> None:
    settings = {"labels": "words,sentence", "wording": wording}
    protocol = choose_protocol(find_suite("apgc"), "epicene", settings, None)
    words, label = ask_labels(sentences()[0], Answers(), protocol)  # type: ignore[arg-type]
    assert isinstance(label, Generate)
    assert isinstance(words, Generate)
    assert len(label.choices) == len(set(label.choices)) == 49
    assert {each.replace("!", "") for each in label.choices} >= {"NN", "FM", "BN"}
    assert label.prompt != words.prompt
    assert not label.source
    without = next(iter(ask_labels(sentences()[0], Answers(), PROTOCOLS["epicene"])))
    assert without.name == words.name == "identification"


def test_data_without_such_labels_is_refused(tmp_path: Path) -> None:
    folder = write_tokens_folder(tmp_path)
    with pytest.raises(InputError, match=r"No sentence of .* has a label with N or !"):
        read(DataSource(path=folder), PROTOCOL)
    rewriting = replace(PROTOCOL, tasks=("rewriting",))
    assert list(read(DataSource(path=folder), rewriting).items)


def test_no_kind_of_label() -> None:
    with pytest.raises(InputError, match="must be words, sentence"):
        ApgcProtocol(name="x", about="", labels=())


def test_answers_from_a_file(tmp_path: Path) -> None:
    dataset = read(DataSource(), PROTOCOL)
    path = tmp_path / "labels.txt"
    write_lines(path, [each.label for each in dataset.items])
    judgements = [
        judgement
        for sentence, given in read_answers(path, dataset, PROTOCOL)
        for judgement in judge(sentence, given, PROTOCOL)
    ]
    assert [each.outcome for each in judgements] == ["right"] * 595
    both = replace(PROTOCOL, labels=("words", "sentence"))
    with pytest.raises(InputError, match="--set labels=words or --set labels=sentence"):
        list(read_answers(path, dataset, both))
