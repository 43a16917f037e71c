"""Gender in translation on the published files: counts, metrics, judge, against plain code."""

from __future__ import annotations

import ast
import csv
import re
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.core.data_files import sha256_of
from epicene.core.records import Text, Texts
from epicene.suites import AnsweredRequest, Answers, DataSource, find_suite
from epicene.suites.data_origin import data_origin
from epicene.suites.translation.data import read
from epicene.suites.translation.items import Sentence
from epicene.suites.translation.judge import judge
from epicene.suites.translation.protocol import PROTOCOLS
from epicene.suites.translation.published import LOGS, published_cells

pytestmark = pytest.mark.published(
    "WinoMT and GATE in mt-gender/, MT-GenEval in mt-geneval/",
    "the repositories on the card of the suite translation",
)

OURS = PROTOCOLS["epicene"]
LANGUAGES = ("ar", "de", "es", "fr", "hi", "it", "pt", "ru")


def sentences(path: Path) -> list[Sentence]:
    return list(read(DataSource(path=path), OURS).items)


@pytest.fixture(scope="module")
def geneval(published_data: Path) -> list[Sentence]:
    return sentences(published_data / "mt-geneval" / "dev")


def answer(text: str) -> Answers:
    given = Texts(texts=(Text(text=text),))
    return Answers([AnsweredRequest("translation", "model", "m", "translation", given)])


# --- counts ----------------------------------------------------------------------------------


def test_winomt_is_read_whole(published_data: Path) -> None:
    folder = published_data / "mt-gender" / "winomt"
    with (folder / "en.txt").open(encoding="utf-8") as file:
        plain = Counter(line.split("\t")[0] for line in file)
    found = [each for each in sentences(folder) if each.language == "es" and not each.human]
    names = {"masculine": "male", "feminine": "female", "neutral": "neutral"}
    assert Counter(names[each.gender] for each in found if each.gender) == plain
    assert len(found) == sum(plain.values()) == 3888
    # WinoBias has 3,168 sentences, half of them with the usual gender of the role.
    kinds = Counter(each.stereotype for each in found[:3168])
    assert kinds == {"pro": 1584, "anti": 1584}


def test_mt_geneval_is_read_whole(published_data: Path, geneval: list[Sentence]) -> None:
    folder = published_data / "mt-geneval" / "dev"
    found = Counter((each.language, each.gender) for each in geneval)
    for code in LANGUAGES:
        for gender in ("masculine", "feminine"):
            path = folder / f"geneval-sentences-{gender}-dev.en_{code}.en"
            with path.open(encoding="utf-8") as file:
                assert found[code, gender] == sum(1 for _ in file) == 1200
    assert sum(found.values()) == 2 * 1200 * len(LANGUAGES)


def test_gate_is_read_whole(published_data: Path) -> None:
    folder = published_data / "mt-gender" / "gate"
    found = Counter(each.language for each in sentences(folder))
    for code in ("es", "fr"):
        with (folder / f"{code.upper()}_2_variants.tsv").open(encoding="utf-8", newline="") as file:
            assert found[code] == len(list(csv.DictReader(file, delimiter="\t")))
    assert all(each.is_open for each in sentences(folder))


@pytest.mark.parametrize("path", ["mt-gender/winomt", "mt-geneval/dev"])
def test_public_files_are_known_by_their_bytes(published_data: Path, path: str) -> None:
    suite = find_suite("translation")
    dataset = suite.read(DataSource(path=published_data / path), OURS)
    files = [(file.name, sha256_of(file)) for file in dataset.files]
    assert data_origin(suite, dataset.name, files) == "published"
    assert data_origin(suite, dataset.name, [(files[0][0], "0" * 64), *files[1:]]) == "own"


# --- MT-GenEval: its own accuracy --------------------------------------------------------------


def plain_accuracy(hypotheses: list[str], right: list[str], wrong: list[str]) -> float:
    """The published measure, in a few lines: no word that only the wrong reference has."""

    def cut(text: str) -> set[str]:
        return set(re.sub(f"[{re.escape(string.punctuation)}]", " ", text.lower()).split())

    good = [
        not (cut(one) & (cut(bad) - cut(ok)))
        for one, ok, bad in zip(hypotheses, right, wrong, strict=True)
    ]
    return sum(good) / len(good)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_published_accuracy_is_that_of_plain_code(
    published_data: Path, geneval: list[Sentence], code: str
) -> None:
    """The hypotheses are references of both genders in turn, and every third one is empty."""
    folder = published_data / "mt-geneval" / "dev"
    lines = {
        gender: (folder / f"geneval-sentences-{gender}-dev.en_{code}.{code}")
        .read_text(encoding="utf-8")
        .splitlines()
        for gender in ("feminine", "masculine")
    }
    hypotheses = [
        ("", feminine, masculine)[number % 3]
        for number, (feminine, masculine) in enumerate(zip(*lines.values(), strict=True))
    ]
    expected = plain_accuracy(hypotheses, lines["feminine"], lines["masculine"])
    mine = [each for each in geneval if (each.language, each.gender) == (code, "feminine")]
    ours, paper = Counter[Any](), Counter[Any]()
    for sentence, text in zip(mine, hypotheses, strict=True):
        found = {each.name: each.outcome for each in judge(sentence, answer(text), OURS)}
        paper[found["gender (as published)"]] += 1
        ours[bool(text), found.get("gender")] += 1
    assert paper["right"] / paper.total() == pytest.approx(expected, abs=1e-12)
    assert paper["right"] > 400  # the empty ones alone
    assert ours[False, "right"] == ours[False, "wrong"] == 0


def test_the_references_themselves_are_right(geneval: list[Sentence]) -> None:
    outcomes: Counter[Any] = Counter()
    for sentence in geneval[::10]:
        for which in ("right", "wrong"):
            for each in judge(sentence, answer(sentence.references[which]), OURS):
                if each.name == "gender":
                    outcomes[sentence.language, which, each.outcome] += 1
    assert set(outcomes) == {
        (code, which, which) for code in LANGUAGES for which in ("right", "wrong")
    }


def test_the_alternatives_of_gate_are_recognised(published_data: Path) -> None:
    found: Counter[tuple[str, Any]] = Counter()
    for sentence in sentences(published_data / "mt-gender" / "gate"):
        for name, text in sentence.references.items():
            found.update((name, each.label) for each in judge(sentence, answer(text), OURS))
    assert found.keys() == {("f", "feminine"), ("m", "masculine")}
    assert found["f", "feminine"] == found["m", "masculine"] == 218  # of 248; 30 cannot be told


# --- WinoMT: the judge and the published logs --------------------------------------------------


@pytest.mark.parametrize(("code", "annotated"), [("es", 99), ("fr", 73)])
def test_the_judge_agrees_with_people(published_data: Path, code: str, annotated: int) -> None:
    """At least 90 %, a person that is not found counted as disagreement."""
    outcomes = Counter(
        each.outcome
        for sentence in sentences(published_data / "mt-gender" / "winomt")
        if sentence.human and sentence.language == code
        for each in judge(sentence, Answers(), OURS)
        if each.name == "judge"
    )
    assert outcomes.total() == annotated
    assert outcomes["right"] / annotated >= 0.9


def plain_log(path: Path) -> tuple[float, Counter[tuple[str, str]]]:
    """The accuracy that a log prints, and its table of wanted and found genders."""
    text = path.read_text(encoding="utf-8")
    names = {"male": "masculine", "female": "feminine", "neutral": "neutral", "unknown": "unknown"}
    table = text[text.rindex("defaultdict(<function evaluate_bias.<locals>.<lambda> at") :]
    counts: Counter[tuple[str, str]] = Counter()
    wanted = ""
    for name, value in re.findall(r"<GENDER\.(\w+): \d>: (defaultdict|\d+)", table):
        if value == "defaultdict":
            wanted = names[name]
        else:
            counts[wanted, names[name]] = ast.literal_eval(value)
    (printed,) = re.findall(r"acc = ([\d.]+)%", text)
    return float(printed), counts


@pytest.mark.parametrize("code", LOGS)
def test_the_published_row_is_that_of_the_logs(published_data: Path, code: str) -> None:
    path = published_data / "mt-gender" / "winomt" / "logs" / "google" / f"{code}.log"
    printed, counts = plain_log(path)
    assert counts.total() == 3888
    for gender, (right, wanted, found) in LOGS[code].items():
        assert right == counts[gender, gender]
        assert wanted == sum(n for (each, _), n in counts.items() if each == gender)
        assert found == sum(n for (_, each), n in counts.items() if each == gender)
    assert round(100 * (published_cells(code)["accuracy"].value or 0), 1) == printed


@pytest.mark.filterwarnings("ignore:.*left out, a copy of")
def test_by_the_noun_the_accuracy_is_near_the_published_one(published_data: Path) -> None:
    """The same translations by another judge: WinoMT's aligns words and asks a tagger."""
    folder = published_data / "mt-gender" / "winomt"
    answers = folder / "translations" / "google"
    result = epicene.score("translation", answers, data=folder, protocol="paper")
    metrics = {row["metric"]: row for row in result.metrics().to_dicts()}
    for code, distance in {"es": 0.01, "fr": 0.03, "de": 0.06}.items():
        found = metrics[f"WinoMT {code} accuracy"]
        assert found["n"] == 3886  # two were translated with another pronoun
        assert found["value"] == pytest.approx(
            published_cells(code)["accuracy"].value, abs=distance
        )
