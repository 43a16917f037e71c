"""Numbers from the paper: Tables 2, 4 and 5, sizes and results of its human studies."""

from __future__ import annotations

from typing import NamedTuple

from epicene.core.records import Estimate, Row
from epicene.suites.alternations.items import VALENCY_CLASSES, VARIANTS


class PublishedModel(NamedTuple):
    """A model of the paper: how and on what it was trained, its family, its number of parameters,
    and the amount of training text as printed in Table 4.
    """

    type: str
    languages: str
    family: str
    parameters: float | None
    tokens: str


PUBLISHED_MODELS = {
    "XLM-R base": PublishedModel("masked", "multilingual", "XLM-R", 270e6, "2.5TB"),
    "XLM-R large": PublishedModel("masked", "multilingual", "XLM-R", 550e6, "2.5TB"),
    "MuRIL": PublishedModel("masked", "multilingual", "MuRIL", 236e6, "21B"),
    "IndicBERT v2": PublishedModel("masked", "multilingual", "IndicBERT", 278e6, "20.9B"),
    # The paper gives no size.
    "HindBERT": PublishedModel("masked", "monolingual", "HindBERT", None, "1.8B"),
    "mGPT 1.3b": PublishedModel("causal", "multilingual", "mGPT", 1300e6, "46B & 442B"),
    "BLOOM 560m": PublishedModel("causal", "multilingual", "BLOOM", 560e6, "341B"),
    "BLOOM 1.1b": PublishedModel("causal", "multilingual", "BLOOM", 1100e6, "341B"),
}

# Table 2: per cent right, by variant.
TABLE_2 = {
    "XLM-R base": (67.9, 55.4, 35.7, 58.9),
    "XLM-R large": (89.3, 62.5, 53.6, 69.6),
    "MuRIL": (85.7, 76.8, 50.0, 67.9),
    "IndicBERT v2": (92.9, 91.1, 67.9, 83.9),
    "HindBERT": (98.2, 83.9, 83.9, 91.1),
    "mGPT 1.3b": (53.6, 21.4, 16.1, 30.4),
    "BLOOM 560m": (58.9, 42.9, 8.9, 42.9),
    "BLOOM 1.1b": (75.0, 58.9, 23.2, 62.5),
}
PEOPLE_ACCURACY = (99.0, 90.9, 96.4, 99.7)

# Table 5: per cent right, by variant and class of verb (intransitive, transitive, ditransitive).
TABLE_5 = {
    "XLM-R base": ((64.3, 69.6, 80), (75, 43.5, 0), (57.1, 17.4, 0), (75.0, 52.2, 0)),
    "XLM-R large": ((85.7, 91.3, 100), (82.1, 47.8, 20), (60.7, 47.8, 40), (89.3, 56.5, 20)),
    "MuRIL": ((78.6, 95.6, 80), (78.6, 78.3, 60), (53.6, 47.8, 40), (71.4, 69.6, 40)),
    "IndicBERT v2": ((92.9, 91.3, 100), (96.4, 86.9, 80), (75, 56.52, 80), (92.9, 78.3, 60)),
    "HindBERT": ((96.4, 100, 100), (92.9, 82.6, 40), (89.3, 86.9, 40), (100, 91.3, 40)),
    "mGPT 1.3b": ((42.9, 65.2, 60), (53.6, 8.7, 0), (21.4, 13.0, 0), (53.6, 8.7, 0)),
    "BLOOM 560m": ((50, 69.6, 60), (53.6, 39.1, 0), (14.3, 4.3, 0), (53.6, 39.1, 0)),
    "BLOOM 1.1b": ((71.4, 78.3, 80), (75.0, 60.9, 0), (28.6, 21.7, 0), (75.0, 60.9, 0)),
}

# Verbs of each class, which is the number of pairs in every variant.
VERBS_PER_VALENCY = dict(zip(VALENCY_CLASSES, (28, 23, 5), strict=True))

# The human studies: judgements of each pair and pairs of each variant; judgements of each gap.
JUDGEMENTS = dict(zip(VARIANTS, (15, 20, 20, 20), strict=True))
PAIRS_JUDGED = dict(zip(VARIANTS, (56, 28, 28, 28), strict=True))
CLOZE_JUDGEMENTS = 14
UNGRAMMATICAL = 0.28  # completions that the authors found ungrammatical
PREFERRED_GOLD = 0.859  # choices of the gold verb
NOT_PRINTED = Estimate(value=None, why="the paper prints no number")


def published_share(per_cent: float) -> Estimate:
    """A percentage of the paper."""
    return Estimate(value=per_cent / 100)


def parameters_in_millions(parameters: float | None) -> Estimate:
    """A model's size as a table cell."""
    if parameters is None:
        return Estimate(value=None, why="the size is not known")
    return Estimate(value=parameters / 1e6)


def published_model_rows() -> list[Row]:
    """The rows of Table 2, keyed by type, languages and model."""
    return [
        Row(
            keys=(model.type, model.languages, name),
            cells=(
                parameters_in_millions(model.parameters),
                *(published_share(value) for value in TABLE_2[name]),
            ),
            origin="published",
        )
        for name, model in PUBLISHED_MODELS.items()
    ]


def published_training_rows() -> list[Row]:
    """The rows of Table 4, keyed by type, languages and model."""
    return [
        Row(
            keys=(model.type, model.languages, name),
            cells=(model.tokens, parameters_in_millions(model.parameters)),
            origin="published",
        )
        for name, model in PUBLISHED_MODELS.items()
    ]


def published_people_row() -> Row:
    """The participants of the paper as a row of Table 2."""
    size = Estimate(value=None, why="people have no parameters")
    cells = (size, *(published_share(value) for value in PEOPLE_ACCURACY))
    return Row(keys=("people", "", "people"), cells=cells, origin="published")


def published_valency_rows() -> list[Row]:
    """The rows of Table 5, keyed by model and variant."""
    return [
        Row(
            keys=(model, variant),
            cells=tuple(published_share(value) for value in values),
            origin="published",
        )
        for model, by_variant in TABLE_5.items()
        for variant, values in zip(VARIANTS, by_variant, strict=True)
    ]
