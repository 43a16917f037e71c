"""Every published figure of the Arabic Parallel Gender Corpus that its public files allow."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import pytest

from epicene.core.records import Estimate, Generate, Text, Texts
from epicene.languages.normalisers import normalise
from epicene.suites import AnsweredRequest, Answers, DataSource
from epicene.suites.apgc.ask import ask_post_editing
from epicene.suites.apgc.corpus_files import m2_lines, read_tokens, write_folder
from epicene.suites.apgc.data import read, read_folder
from epicene.suites.apgc.external_answers import read_answers
from epicene.suites.apgc.items import (
    TARGETS,
    Sentence,
    SentenceLabel,
    five_way_labels,
    parse_word_label,
    word_labels,
)
from epicene.suites.apgc.judge import judge
from epicene.suites.apgc.m2 import gold_edits
from epicene.suites.apgc.metrics import all_metrics
from epicene.suites.apgc.protocol import FOLDED, PROTOCOLS, ApgcProtocol, Task
from epicene.suites.apgc.statistics import reinflection_table, statistics
from epicene.suites.apgc.tables import tables
from runs.frames import results_of

pytestmark = pytest.mark.published(
    "the Arabic Parallel Gender Corpus 2.1 and systems' outputs in apgc/",
    "the repository on the card of the suite apgc",
)

GOLD_SHA256 = "61d915c0f1f298b15e10fb3537ae9f3eb3dde565e267c5ab95640a77cf758f47"


@cache
def corpus(folder: Path, split: str) -> list[Sentence]:
    return read_folder(folder, split)[0]


def paper(task: Task) -> ApgcProtocol:
    from msgspec.structs import replace

    return replace(PROTOCOLS["paper"], tasks=(task,))


# --- the corpus ----------------------------------------------------------------------------

TABLE_3 = {  # BB FB MB BF BM FF FM MF MM, original then balanced
    "train": (
        [26443, 825, 1368, 3719, 8766, 46, 104, 85, 216],
        [26443, 2193, 2193, 12485, 12485, 451, 451, 451, 451],
    ),
    "dev": (
        [3173, 87, 176, 412, 956, 9, 7, 12, 25],
        [3173, 263, 263, 1368, 1368, 53, 53, 53, 53],
    ),
}
TABLE_4 = {  # B 1F 1M 2F 2M
    "train": ([282801, 1103, 1912, 4872, 11979], [385693, 3527, 3527, 17388, 17388]),
    "dev": ([33102, 120, 244, 553, 1266], [44629, 427, 427, 1887, 1887]),
}


@pytest.mark.parametrize("split", ["train", "dev"])
def test_tables_3_and_4(published_data: Path, split: str) -> None:
    made = {table.name: table for table in statistics(corpus(published_data / "apgc/v2.1", split))}
    for name, expected in (("3", TABLE_3[split]), ("4", TABLE_4[split])):
        rows = made[name].rows[:-1]
        assert [row.cells[0].value for row in rows] == expected[0]  # type: ignore[union-attr]
        assert [row.cells[2].value for row in rows] == expected[1]  # type: ignore[union-attr]


def test_forms_of_the_same_word_and_other_words(published_data: Path) -> None:
    """The paper counts 96.9 and 3.1 per cent over all splits, by an analyser."""
    folder = published_data / "apgc/v2.1"
    both = [each for split in ("train", "dev") for each in corpus(folder, split) if each.original]
    same, other = reinflection_table(both).rows
    assert [cell.value for cell in (same.cells[0], other.cells[0])] == [21357, 694]  # type: ignore[union-attr]
    assert round(same.cells[1].value, 3) == 0.969  # type: ignore[union-attr, arg-type]


def test_word_labels_follow_from_the_forms(published_data: Path) -> None:
    """The extended rule has no mismatch in the five files; the five-way rule has four."""
    folder = published_data / "apgc/v2.1"
    five_way = 0
    for sentence in corpus(folder, "dev"):
        derived = five_way_labels(sentence.who, sentence.targets)
        given = [label.five_way for label in sentence.word_labels]
        five_way += sum(one != two for one, two in zip(derived, given, strict=True))
        assert word_labels(sentence.who, sentence.targets) == sentence.word_labels
    assert five_way == 4
    for target in TARGETS:
        read_in = read_tokens(folder / f"dev.ar.{target}.tokens")
        for tokens, sentence in zip(read_in, corpus(folder, "dev"), strict=True):
            who = sentence.who
            first = target[0] if who.first in "MF" else who.first
            second = target[1] if who.second in "MF" else who.second
            extended = word_labels(SentenceLabel(first, second), sentence.targets)
            assert extended == [parse_word_label(label, "") for label in tokens.labels]


def test_the_gold_edits_of_dev_to_the_byte(published_data: Path) -> None:
    folder = published_data / "apgc/v2.1"
    rows = []
    for target in TARGETS:
        for sentence in corpus(folder, "dev"):
            source, wanted = (
                normalise(text, FOLDED).split()
                for text in (sentence.text, sentence.targets[target])
            )
            rows.append((source, gold_edits(source, wanted)))
    written = "".join(m2_lines(rows)).encode()
    (path,) = (folder / "m2").iterdir()
    assert written == path.read_bytes()
    assert hashlib.sha256(written).hexdigest() == GOLD_SHA256
    assert sum(len(edits) for _, edits in rows) == 8536


def test_dev_is_written_as_it_was_published(published_data: Path, tmp_path: Path) -> None:
    """Tokens, the joint files with their labels, and the gold edits: every file, to the byte."""
    folder = published_data / "apgc/v2.1"
    write_folder(tmp_path, "dev", corpus(folder, "dev"))
    published = [
        path.relative_to(folder)
        for path in sorted(folder.rglob("dev.*"))
        if path.parent.name != "google_MT"
    ]
    assert len(published) == 5 + 5 + 1
    for path in published:
        assert (tmp_path / path).read_bytes() == (folder / path).read_bytes(), path


# --- systems -------------------------------------------------------------------------------

# P, R, F0.5, accuracy and BLEU as logged; edits that are right, made and wanted as recomputed.
SYSTEMS = {
    "do_nothing/do_nothing.inf": (1.0, 0.0, 0.0, 0.9457120099221568, 89.36, 0, 0),
    "CorpusR/CorpusR.inf": (0.8822, 0.7122, 0.8420, 0.9835367220215526, 96.54, 6079, 6891),
    "MorphR/MorphR.inf": (0.8448, 0.7529, 0.8247, 0.9856620082739241, 96.96, 6427, 7608),
    "NeuralR/NeuralR.inf": (0.8462, 0.7332, 0.8209, 0.9841107726436844, 96.75, 6259, 7397),
    "CorpusR_MorphR/CorpusR_MorphR.inf": (
        0.8859, 0.8584, 0.8802, 0.9908257801081031, 97.96, 7327, 8271,
    ),
    "CorpusR_MorphR_NeuralR/CorpusR_MorphR_NeuralR.inf": (
        0.8846, 0.8674, 0.8811, 0.9911433771607375, 98.04, 7404, 8370,
    ),
    "CorpusR_MorphR_NeuralR_aug_GID_aug/CorpusR_MorphR_NeuralR_aug_GID_aug.inf": (
        0.8867, 0.8684, 0.8830, 0.9913385671858923, 98.05, 7413, 8360,
    ),
    "joint/dev.joint+morph.beam": (
        0.7897, 0.7984, 0.7914, 0.9779102940907998, 96.17, 6815, 8630,
    ),
}  # fmt: skip


@pytest.mark.parametrize("system", SYSTEMS)
def test_systems_score_as_logged(published_data: Path, system: str) -> None:
    protocol = paper("rewriting")
    folder = published_data / "apgc"
    dataset = read(DataSource(path=folder / "v2.1"), protocol)
    answered = read_answers(folder / "outputs" / system, dataset, protocol)
    made = all_metrics(
        results_of((j for item, given in answered for j in judge(item, given, protocol)), protocol)
    )
    *shares, accuracy, bleu, correct, proposed = SYSTEMS[system]
    assert [round(made[name].value or 0, 4) for name in ("P", "R", "F0.5")] == shares
    assert made["accuracy"].value == pytest.approx(accuracy, abs=1e-12)
    assert round(made["BLEU"].value or 0, 2) == bleu
    assert (made["correct"].value, made["proposed"].value) == (correct, proposed)
    assert made["gold"].value == 8536
    # No system writes anything around its sentences, so nothing of them is taken away.
    assert made["rewriting_cleaned"].value == 0


# --- translation ---------------------------------------------------------------------------

GOOGLE = {  # sentences, BLEU against MM FM MF FF and all
    "ALL": [6647, 13.75, 13.3, 11.67, 11.26, 13.88],
    "BB": [3173, 13.44, 13.44, 13.44, 13.44, 13.44],
    "ALL-BB": [3474, 14.01, 13.19, 10.15, 9.37, 14.25],
    "BM BF": [2736, 13.95, 13.95, 9.25, 9.25, 14.12],
    "MB FB": [526, 14.9, 11.12, 14.9, 11.12, 15.1],
    "MM FM MF FF": [212, 12.79, 9.42, 8.74, 6.94, 13.81],
}
AS_WRITTEN = [11.9, 11.49, 10.2, 9.84, 12.03]


def test_google_translate_on_dev(published_data: Path) -> None:
    protocol = paper("translation")
    folder = published_data / "apgc/v2.1"
    dataset = read(DataSource(path=folder), protocol)
    path = folder / "google_MT/dev.google.ar.tokens"
    judgements = (
        judgement
        for item, given in read_answers(path, dataset, protocol)
        for judgement in judge(item, given, protocol)
    )
    made = {table.name: table for table in tables(results_of(judgements, protocol))}
    rows = {row.keys[0]: row.cells for row in made["5"].rows if row.origin == "run"}
    for group, expected in GOOGLE.items():
        assert [round(cell.value, 2) for cell in rows[group][:6]] == expected  # type: ignore[union-attr, arg-type]
    written = next(row.cells for row in made["5 as written"].rows if row.keys[0] == "ALL")
    assert [round(cell.value, 2) for cell in written[1:6]] == AS_WRITTEN  # type: ignore[union-attr, arg-type]
    gap = rows["ALL-BB"][6]
    assert not isinstance(gap, str)
    assert gap.low is not None
    assert gap.low > 0


POST_EDITING = {"MM": 13.75, "FM": 13.30, "MF": 11.67, "FF": 11.26}  # before the rewriting


def test_post_editing_begins_where_google_ends(published_data: Path) -> None:
    """Handing the translations back gains nothing, and the published row begins with the same."""
    protocol = paper("post-editing")
    dataset = read(DataSource(path=published_data / "apgc/v2.1"), protocol)
    judgements = (
        judgement
        for sentence in dataset.items
        for judgement in judge(
            sentence,
            Answers(
                AnsweredRequest(
                    "", "model", "copy", each.name, Texts(texts=(Text(text=each.source),))
                )
                for each in ask_post_editing(sentence, Answers(), protocol)
                if isinstance(each, Generate)
            ),
            protocol,
        )
    )
    (table,) = tables(results_of(judgements, protocol))
    for row in table.rows:
        before, after, gain, *_ = row.cells
        target = row.keys[0].removeprefix("Google Translate 2021, dev: ")
        assert isinstance(before, Estimate)
        assert round(before.value or 0, 2) == POST_EDITING[target]
        if row.origin == "run":
            assert after == before
            assert isinstance(gain, Estimate)
            assert (gain.value, gain.n) == (0, 6647)
