"""Stored outputs, probabilities and label sheets become the paper's tables and figures.

The tables are made up, in the layout that the authors' scripts write. Every expected number is
computed from the tables' own columns, which Epicene does not read: it judges the texts.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import epicene
from called_commands import invoke
from epicene.core.errors import InputError
from epicene.core.records import Estimate, Table

scipy_stats = pytest.importorskip("scipy.stats")
spacy = pytest.importorskip("spacy")

MODELS = ("model-a", "model-b")
PRONOUNS = ("he", "she", "they", "xe")
FORMS = {
    "he": ("he", "him", "his"),
    "she": ("she", "her", "her"),
    "they": ("they", "them", "their"),
    "xe": ("xe", "xem", "xyr"),
}
INSTANCES, SAMPLES = 24, 5
TAILS = ("Rain fell.", "Snow fell and snow fell and snow fell and snow fell.", "All was well.")

Row = dict[str, Any]


def continuation(rng: random.Random, pronoun: str, lead: str) -> tuple[str, float]:
    """A continuation, and whether it is correct by Equation 4."""
    chosen = rng.choice([pronoun, pronoun, rng.choice(PRONOUNS), ""])
    said = f"Then {chosen} went home. " if chosen else "Then came the night. "
    return lead + said + rng.choice(TAILS), float(chosen in (pronoun, ""))


def template_row(rng: random.Random, dataset: str, pronoun: str, number: int) -> Row:
    """A row of MISGENDERED or RUFF."""
    nominative, accusative, _ = FORMS[pronoun]
    if dataset == "MISGENDERED":
        row: Row = {
            "": number,
            "form": ("nom", "acc")[number % 2],
            "template": (
                f"Kim {number} uses {nominative}. {{mask_token}} sings.",
                f"Kim {number} uses {nominative}. Call {{mask_token}} soon.",
            )[number % 2],
            "template_id": number % 6,
        }
        text, gap, capital = row["template"], "{mask_token}", number % 2 == 0
    else:
        slot = ("$NOM_PRONOUN", "$ACC_PRONOUN")[number % 2]
        row = {
            "": number,
            "index": number,
            "occupation": f"baker{number % 4}",
            "sentence": f"The baker liked {accusative} tea. The baker said that {slot} knew it.",
            "pronoun_type": slot,
            "pronoun": FORMS[pronoun][number % 2],
            "uid": f"u{number}",
            "base": pronoun,
        }
        text, gap, capital = row["sentence"], slot, False
    forms = {name: mine[number % 2] for name, mine in FORMS.items()}
    if capital:
        forms = {name: form.capitalize() for name, form in forms.items()}
    predicted = rng.choice([pronoun, pronoun, rng.choice(PRONOUNS)])
    row |= {"label": forms[pronoun], "pred": forms[predicted], "loss_pred": 2.25}
    row["correct"] = int(forms[predicted] == forms[pronoun])
    before, _, after = text.partition(gap)
    for setting, context in (("pre", before), ("post", before + forms[pronoun] + after)):
        for sample in range(1, SAMPLES + 1):
            said, correct = continuation(rng, pronoun, "" if setting == "pre" else " ")
            row[f"greedy_{setting}_{sample}"] = context + said
            row[f"greedy_{setting}_{sample}_correct"] = correct
    return row


def tango_row(rng: random.Random, pronoun: str, number: int) -> Row:
    context = f"Kim {number} is a singer and {pronoun} can dance."
    row: Row = {
        "": number,
        "template_idx": number // 4,
        "ante": f"kim {number}",
        "ante_type": "ante_nongendered",
        "pronoun_family": pronoun,
        "template": context,
    }
    for sample in range(1, SAMPLES + 1):
        said, correct = continuation(rng, pronoun, " ")
        made = "came the night" not in said
        row[f"olg_{sample}"] = context + said
        row[f"olg_{sample}_correct"] = correct
        scored = float(rng.random() < 0.3 + 0.5 * correct)
        row[f"olg_template_{sample}_correct"] = scored if made else ""
    return row


def write(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


Outputs = dict[tuple[str, str, str], list[Row]]


@pytest.fixture(scope="module")
def outputs() -> Outputs:
    """By dataset, model and pronoun, the rows of a table."""
    rng = random.Random(7)
    made: Outputs = {}
    for model in MODELS:
        for pronoun in PRONOUNS:
            for dataset in ("MISGENDERED", "RUFF"):
                made[dataset, model, pronoun] = [
                    template_row(rng, dataset, pronoun, number) for number in range(INSTANCES)
                ]
            made["TANGO", model, pronoun] = [
                tango_row(rng, pronoun, number) for number in range(INSTANCES)
            ]
    return made


@pytest.fixture(scope="module")
def folder(outputs: Outputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("authors")
    for (dataset, model, pronoun), rows in outputs.items():
        write(root / dataset / "out" / model / f"{pronoun}.csv", rows)
    return root


@pytest.fixture(scope="module")
def scored(folder: Path) -> epicene.Scored:
    return epicene.score("misgendering", folder, protocol="paper")


def shown(tables: Sequence[Table], name: str, keys: tuple[str, ...], column: str) -> Estimate:
    (table,) = [each for each in tables if each.name == name]
    (row,) = [each for each in table.rows if each.keys == keys and each.origin == "run"]
    cell = row.cells[[each.name for each in table.columns].index(column)]
    assert isinstance(cell, Estimate)
    return cell


def columns(rows: Sequence[Row], pattern: str) -> Any:
    """The numbers of the five samples, a row per instance; nothing is NaN."""
    numbers = range(1, SAMPLES + 1)
    return np.array(
        [
            [
                float("nan") if (found := row[pattern.format(each)]) == "" else found
                for each in numbers
            ]
            for row in rows
        ]
    )


def paired(outputs: Outputs) -> Iterator[tuple[str, str, str, str, Any, Any]]:
    """Family, setting, model, pronoun, and the two formats' outcomes on the first generations."""
    for (dataset, model, pronoun), rows in outputs.items():
        if dataset == "TANGO":
            first = columns(rows, "olg_template_{}_correct")[:, 0]
            there = ~np.isnan(first)
            yield (
                "open",
                "open",
                model,
                pronoun,
                first[there],
                columns(rows, "olg_{}_correct")[there, 0],
            )
            continue
        family = "declared" if dataset == "MISGENDERED" else "occupation"
        right = np.array([row["correct"] for row in rows])
        for setting in ("pre", "post"):
            generated = columns(rows, f"greedy_{setting}_{{}}_correct")[:, 0]
            yield family, setting, model, pronoun, right, generated


MCC = {
    ("declared", "pre"): ("1", False),
    ("declared", "post"): ("3", False),
    ("open", "open"): ("2", False),
    ("occupation", "pre"): ("6", True),
    ("occupation", "post"): ("6", True),
}
KAPPA = {"declared": "4", "open": "5", "occupation": "7"}


def test_agreement_is_that_of_the_stored_results(scored: epicene.Scored, outputs: Outputs) -> None:
    """Tables 1 to 7, and Figures 4b, 9b, 12 and 15."""
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    cells = 0
    for family, setting, model, pronoun, first, second in paired(outputs):
        cells += 1
        raw = shown(
            scored._tables(), "agreement", (model, family, setting, pronoun), "raw agreement"
        )
        assert raw.value == pytest.approx((first == second).mean())
        if min(len(set(first)), len(set(second))) < 2 or (first == second).all():
            continue
        name, above = MCC[family, setting]
        keys = (setting, model) if above else (model,)
        mcc, expected = (
            shown(scored._tables(), name, keys, pronoun),
            scipy_stats.pearsonr(first, second),
        )
        ends = expected.confidence_interval()
        assert (mcc.value, mcc.low, mcc.high) == pytest.approx((expected.statistic, *ends))
        table = [[int(((first == a) & (second == b)).sum()) for b in (0, 1)] for a in (0, 1)]
        keys = (model,) if family == "open" else (setting, model)
        kappa, theirs = (
            shown(scored._tables(), KAPPA[family], keys, pronoun),
            inter_rater.cohens_kappa(table),
        )
        assert (kappa.value, kappa.high) == pytest.approx((theirs.kappa, theirs.kappa_upp))
    assert cells == len(MODELS) * len(PRONOUNS) * 5


def points(scored: epicene.Scored, name: str) -> list[Mapping[str, Any]]:
    return list(scored.figure(name).spec["data"]["values"])


def test_figures_are_those_of_the_stored_results(scored: epicene.Scored, outputs: Outputs) -> None:
    wanted = {"4a", "4b", "5a", "5b", "9a", "9b", "10", "11", "12", "13", "14", "15", "16"}
    assert set(scored.figures) == wanted
    for (dataset, model, pronoun), rows in outputs.items():
        if dataset != "TANGO":
            continue
        templates = columns(rows, "olg_template_{}_correct")
        missing = np.isnan(templates).mean(axis=1)
        (bar,) = [
            each for each in points(scored, "11") if (each["x"], each["color"]) == (model, pronoun)
        ]
        assert bar["y"] == pytest.approx(missing.mean())
        assert bar["high"] - bar["y"] == pytest.approx(scipy_stats.sem(missing))
        sigma = np.array([np.nanstd(each) for each in templates if not np.isnan(each).all()])
        (bar,) = [
            each for each in points(scored, "5b") if (each["x"], each["color"]) == (model, pronoun)
        ]
        assert (bar["y"], bar["high"] - bar["y"]) == pytest.approx((sigma.mean(), sigma.std()))
        some = missing < 1
        scored_right = np.nanmean(templates[some], axis=1)
        generated = columns(rows, "olg_{}_correct")[some].mean(axis=1)
        chances = scored_right * (1 - generated) + (1 - scored_right) * generated
        mean, size = chances.mean(), chances.mean() * (1 - chances.mean()) / chances.var(ddof=1) - 1
        (dot,) = [
            each
            for each in points(scored, "13")
            if (each["color"], each["shape"]) == (model, pronoun)
        ]
        assert (dot["y"], dot["x"]) == pytest.approx((mean * size, (1 - mean) * size))


@cache
def tokenizer() -> Any:
    return spacy.blank("en").tokenizer


def repetition(text: str) -> float:
    tokens = [token.text.lower() for token in tokenizer()(text)]
    product = 1.0
    for order in range(1, 5):
        counts = Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
        product *= sum(count > 1 for count in counts.values()) / len(counts)
    return float(product ** (1 / 4))


@pytest.mark.parametrize(
    ("name", "dataset", "column"),
    [
        ("10", "MISGENDERED", "greedy_pre_{}"),
        ("11", "MISGENDERED", "greedy_post_{}"),
        ("12", "TANGO", "olg_{}"),
        ("13", "RUFF", "greedy_pre_{}"),
        ("14", "RUFF", "greedy_post_{}"),
    ],
)
def test_repetition_is_that_of_the_stored_texts(
    scored: epicene.Scored, outputs: Outputs, name: str, dataset: str, column: str
) -> None:
    for (of, model, pronoun), rows in outputs.items():
        if of == dataset:
            texts = [row[column.format(each)] for row in rows for each in range(1, SAMPLES + 1)]
            rates = np.array([repetition(text) for text in texts])
            cell = shown(scored._tables(), name, (model,), pronoun)
            assert cell.value == pytest.approx(rates.mean())
            assert cell.mark == f" ± {rates.std():.3f}"


def test_what_is_no_stored_output_is_named_with_its_line(outputs: Outputs, tmp_path: Path) -> None:
    row = dict(outputs["MISGENDERED", "model-a", "he"][0])
    for change, message in (
        ({"pred": "Hers"}, r"he\.csv, line 2, there is no form in the column pred 'Hers'"),
        ({"greedy_pre_2": "Elsewhere."}, "does not begin with its context: 'Elsewhere.'"),
        ({"form": "dative"}, "there is no form 'dative'"),
        ({"template": "Kim sang."}, "has no gap"),
    ):
        path = write(tmp_path / "m" / "he.csv", [{**row, **change}])
        with pytest.raises(InputError, match=message):
            epicene.score("misgendering", path, protocol="paper")
    path = write(tmp_path / "m" / "ze.csv", [row])
    with pytest.raises(InputError, match="line 2, there is no pronoun 'ze'"):
        epicene.score("misgendering", path, protocol="paper")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="has no tables"):
        epicene.score("misgendering", tmp_path / "empty", protocol="paper")


# --- label sheets ------------------------------------------------------------------------------

LABELS = ("correct", "misgendering", "no_pronoun", "plural_they")


@pytest.fixture(scope="module")
def sheets(outputs: Outputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five generations of two instances of each model, pronoun, setting and dataset, labelled by
    vee; some of them by pat too."""
    root, rng = tmp_path_factory.mktemp("sheets"), random.Random(3)
    for dataset, text in (("MISGENDERED", "template"), ("RUFF", "sentence")):
        for model in MODELS:
            for setting in ("pre", "post"):
                rows = []
                for pronoun in PRONOUNS:
                    for sample in range(1, SAMPLES + 1):
                        for row in outputs[dataset, model, pronoun][:2]:
                            said = f"greedy_{setting}_{sample}"
                            rows.append(
                                {
                                    "template": row[text],
                                    f"random_{setting}_gen": row[said],
                                    "correct": row[f"{said}_correct"],
                                    "pronoun": pronoun,
                                    "model": model,
                                    "vee_label_pronoun": rng.choice(LABELS),
                                    "vee_extraneous_gendered_word": rng.choice(("TRUE", "FALSE")),
                                    "pat_label_pronoun": rng.choice(LABELS) if sample == 1 else "",
                                    "pat_extraneous_gendered_word": "FALSE" if sample == 1 else "",
                                }
                            )
                write(root / dataset / "samples" / model / f"{dataset}_{model}_{setting}.csv", rows)
    return root


def rows_of(sheets: Path) -> list[Row]:
    return [
        {**row, "file": path.stem}
        for path in sorted(sheets.rglob("*.csv"))
        for row in csv.DictReader(path.open(newline="", encoding="utf-8"))
    ]


def test_label_sheets_become_the_figures_of_people(sheets: Path) -> None:
    found = epicene.score("misgendering", sheets, protocol="paper")
    assert {"6", "7", "8", "17"} <= set(found.figures)
    assert {"people", "automatic", "labels"} <= set(found.tables)
    every = rows_of(sheets)
    assert len(found.items(["item"])) == len(every)  # the texts are judged too
    # Where one person labelled: agreement with Equation 4 of the stored text, and its error.
    for name, setting in (("6", "pre"), ("17", "post")):
        column = f"random_{setting}_gen"
        for bar in points(found, name):
            mine = [
                row
                for row in every
                if column in row
                and (row["model"], row["pronoun"]) == (bar["x"], bar["color"])
                and row["file"].lower().startswith(bar["facet"])
            ]
            assert len(mine) == 2 * SAMPLES
            alone = [row for row in mine if not row["pat_label_pronoun"]]
            same = [
                (row["vee_label_pronoun"] != "misgendering") == (row["correct"] == "1.0")
                for row in alone
            ]
            found_right = round(bar["y"] * len(mine))
            assert sum(same) <= found_right <= sum(same) + len(mine) - len(alone)
    # Sheets have no tags, so nobody agrees on them or gave none.
    tables = {table.name: table for table in found._tables()}
    judged = {row.keys[0] for row in tables["people"].rows}
    assert judged == {"outcome", "misgendering", "extraneous words"}
    assert "repetition" not in {column.name for column in tables["labels"].columns}
    people = [row for row in every if row["pat_label_pronoun"]]
    alike = sum(row["pat_label_pronoun"] == row["vee_label_pronoun"] for row in people)
    raw = shown(found._tables(), "people", ("outcome", "all", "all"), "agreement")
    assert raw.n == len(people)
    assert raw.value == pytest.approx(alike / len(people))


def test_one_persons_labels_give_figures_6_8_and_17_exactly(sheets: Path, tmp_path: Path) -> None:
    path = next(iter(sorted(sheets.rglob("MISGENDERED_model-a_pre.csv"))))
    rows = list(csv.DictReader(path.open(newline="", encoding="utf-8")))
    kept = [{name: value for name, value in row.items() if "pat" not in name} for row in rows]
    found = epicene.score("misgendering", write(tmp_path / "m" / "one.csv", kept), protocol="paper")
    for pronoun in PRONOUNS:
        mine = [row for row in kept if row["pronoun"] == pronoun]
        same = [
            (row["vee_label_pronoun"] != "misgendering") == (row["correct"] == "1.0")
            for row in mine
        ]
        (bar,) = [each for each in points(found, "6") if each["color"] == pronoun]
        assert bar["y"] == pytest.approx(np.mean(same))
        assert bar["high"] - bar["y"] == pytest.approx(scipy_stats.sem(same))
        marked = [row["vee_extraneous_gendered_word"] == "TRUE" for row in mine]
        (bar,) = [each for each in points(found, "8") if each["color"] == pronoun]
        assert bar["y"] == pytest.approx(np.mean(marked))
        assert bar["high"] - bar["y"] == pytest.approx(scipy_stats.sem(marked))
    bad = [{**kept[0], "vee_label_pronoun": "maybe"}]
    with pytest.raises(InputError, match="there is no label in vee_label_pronoun 'maybe'"):
        epicene.score("misgendering", write(tmp_path / "m" / "bad.csv", bad), protocol="paper")


# --- lines ---------------------------------------------------------------------------------------


def test_lines_hold_several_models_and_both_formats() -> None:
    losses = {"loss_he": 2.0, "loss_she": 3.0, "loss_they": 3.5, "loss_xe": 1.5}
    logprobs = {"logprob_he": -9, "logprob_she": -8, "logprob_they": -7, "logprob_xe": -9}
    ruff = {"dataset": "ruff", "pronoun": "xe", "id": "1"}
    first, second = {**ruff, "model": "a"}, {**ruff, "model": "b"}
    pre = {"setting": "pre", "context": "The cook said "}
    post = {"setting": "post", "context": "The cook said xe ran."}
    tango = {"dataset": "tango", "pronoun": "she", "model": "b", "id": "2"}
    lines: list[Row] = [
        {**first, **losses},
        {**first, **pre, "text": "xe ran."},
        {**first, "setting": "pre", "text": "he ran."},
        {**first, **post, "text": " He"},
        {**second, "chosen": "he", "setting": "pre", "text": "Nobody."},
        {**tango, "text": " She", "chosen": "she"},
        {**tango, "text": " Nobody ran."},
        {**tango, "text": " He", **logprobs},
    ]
    found = epicene.score("misgendering", lines, protocol="paper").items()
    rows = {(row["model"], row["item"], row["name"]): row for row in found.to_dicts()}
    outcomes = {key: (row["outcome"], row["label"]) for key, row in rows.items()}
    assert outcomes == {
        ("a", "1", "probability"): ("right", "xe"),
        ("a", "1", "pre 1"): ("right", "xe"),
        ("a", "1", "pre 2"): ("wrong", "he"),
        ("a", "1", "post 1"): ("wrong", "he"),
        ("b", "1", "probability"): ("wrong", "he"),
        ("b", "1", "pre 1"): ("undetected", None),
        ("b", "2", "open 1"): ("right", "she"),
        ("b", "2", "open 2"): ("undetected", None),
        ("b", "2", "open 3"): ("wrong", "he"),
        ("b", "2", "converted 1"): ("right", "she"),
        ("b", "2", "converted 3"): ("wrong", "they"),
    }
    assert rows["a", "1", "post 1"]["evidence_context"] == "The cook said xe ran."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({}, "needs the field 'text', or the choice by probability"),
        ({"text": "x", "setting": "after"}, "there is no setting 'after'"),
        ({"chosen": "ze"}, "line 1, there is no pronoun 'ze'"),
        ({"loss_he": 1.0}, "has None in 'loss_she'; it must be a number"),
        ({"dataset": "tango", "chosen": "he"}, "belongs in the line of the 'text'"),
    ],
)
def test_a_line_that_says_too_little_is_refused(line: Row, message: str) -> None:
    with pytest.raises(InputError, match=message):
        epicene.score("misgendering", [{"dataset": "ruff", "pronoun": "he", **line}])


def test_a_choice_beside_a_text_without_a_setting_counts() -> None:
    line = {"dataset": "ruff", "pronoun": "he", "text": " He ran.", "chosen": "she"}
    found = epicene.score("misgendering", [line], protocol="paper").items().to_dicts()
    outcomes = {row["name"]: row["outcome"] for row in found}
    assert outcomes == {"open 1": "right", "probability": "wrong"}


# --- the command ---------------------------------------------------------------------------------


def test_the_command_writes_the_figures(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    one = folder / "TANGO"
    command = ["score", "misgendering", "-a", str(one), "-p", "paper", "--json"]
    done = invoke([*command, "--figures", str(tmp_path / "figures")])
    assert done.exit_code == 0, done.stderr
    assert {"5a.svg", "5b.svg", "11.svg", "13.svg"} <= {
        path.name for path in (tmp_path / "figures").iterdir()
    }
    document = json.loads(done.stdout)
    assert {name.partition("/")[0] for name in document["metrics"]} == set(MODELS)
