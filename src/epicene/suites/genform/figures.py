"""The paper's figures: sentences, gendered terms, rule × model, plural forms, model size."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from epicene.show import charts
from epicene.stats.tabulate import distinct_values, parts_by, rows_where
from epicene.suites.genform import metrics
from epicene.suites.genform.items import all_rules
from epicene.suites.genform.metrics import AnswerArrays
from epicene.suites.genform.published import published, score_of
from epicene.suites.genform.statistics import rules_in, sentence_frame_from_answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars

    from epicene.core.records import Figure, Identity
    from epicene.show.charts import Value
    from epicene.suites.genform.metrics import Outcomes

    Rows = list[dict[str, Value]]

# The paper's figures of GIoU by rule and model, by language.
HEAT_MAPS = {"fr": "5", "ar": "6", "hi": "7"}
PLURAL = "Plural Form"


def figures(results: Outcomes) -> Iterator[Figure]:
    """Figures 3 to 9, then score against size."""
    frame = metrics.generation_frame(results.frame, results.protocol)
    if not len(frame):
        return
    draws: tuple[Callable[[polars.DataFrame], Figure], ...] = (
        _by_rule,
        _by_terms,
        *(partial(_heat_map, language=language, name=name) for language, name in HEAT_MAPS.items()),
        _entities,
        _plural,
        partial(_size, results=results),
    )
    for draw in draws:
        with suppress(charts.EmptyChartError):
            yield draw(frame)


def _by_rule(frame: polars.DataFrame) -> Figure:
    sentences = sentence_frame_from_answers(frame)
    rows: Rows = [
        {
            "rule": f"{language} · {rule or '–'}",
            "sentences": float(_of_rule(part, rule)["item"].n_unique()),
        }
        for (language,), part in parts_by(sentences, "language")
        for rule in rules_in(part, language)
    ]
    return charts.bars("3", "Sentences by rule", rows, x="sentences", y="rule", unit="count")


def _by_terms(frame: polars.DataFrame) -> Figure:
    sentences = sentence_frame_from_answers(frame)
    rows: Rows = [
        {
            "gendered terms": str(number),
            "sentences": float(part.filter(part["terms"] == number)["item"].n_unique()),
            "language": language,
        }
        for number in sorted(sentences["terms"].unique().to_list())
        for (language,), part in parts_by(sentences, "language")
    ]
    return charts.bars(
        "4",
        "Sentences by number of gendered terms",
        rows,
        x="gendered terms",
        y="sentences",
        color="language",
        unit="count",
    )


def _heat_map(frame: polars.DataFrame, language: str, name: str) -> Figure:
    part = rows_where(frame, language=language)
    rows: Rows = [
        {
            "rule": rule or "–",
            "model": model,
            "GIoU": metrics.giou(AnswerArrays.of(_of_rule(mine, rule))),
        }
        for (model,), mine in parts_by(part, "model")
        for rule in rules_in(part, language)
    ]
    title = f"GIoU by rule and model, {_NAMES[language]}"
    return charts.heatmap(name, title, rows, x="model", y="rule", value="GIoU", unit="share")


_NAMES = {"fr": "French", "ar": "Arabic", "hi": "Hindi"}


def _of_rule(frame: polars.DataFrame, rule: str) -> polars.DataFrame:
    return frame.filter(frame["rule"].cast(str).fill_null("") == rule)


def _entities(frame: polars.DataFrame) -> Figure:
    """How often each of the three kinds of answer that the paper has an example of occurs."""
    frame = rows_where(frame, language="hi", family=all_rules().families["entities"])
    rows: Rows = []
    for (model,), part in parts_by(frame, "model"):
        answers = AnswerArrays.of(part).gendered
        speaker, alone = answers.right == answers.terms, answers.union == answers.terms
        kinds = {
            "speaker right, others left alone": speaker & alone,
            "speaker right, others changed": speaker & ~alone,
            "speaker wrong": ~speaker,
        }
        rows += [
            {"model": model, "answer": kind, "share of answers": answers.share(flags)}
            for kind, flags in kinds.items()
        ]
    title = "Answers to Hindi sentences that mention another person"
    note = "The answers themselves are in the item list of a report."
    return charts.bars(
        "8",
        title,
        rows,
        x="model",
        y="share of answers",
        color="answer",
        unit="share",
        notes=(note,),
    )


def _plural(frame: polars.DataFrame) -> Figure:
    part = rows_where(frame, language="ar", rule=PLURAL)
    rows: Rows = [
        {"model": model, "metric": name, "score": measure(AnswerArrays.of(mine))}
        for (model,), mine in parts_by(part, "model")
        for name, measure in (("GIoU", metrics.giou), ("SGA", metrics.sga))
    ]
    return charts.bars(
        "9",
        "GIoU and SGA on plural roles in Arabic",
        rows,
        x="model",
        y="score",
        color="metric",
        unit="share",
    )


def _size(frame: polars.DataFrame, results: Outcomes) -> Figure:
    """CGA against the number of parameters, of the paper's models and the runs'."""
    rows: Rows = []
    unknown = [
        run.model
        for run in results.runs
        if not _size_and_family(run.identities.get("model", ()))[0]
    ]
    for language in distinct_values(frame, "language"):
        rows += [
            {
                "parameters": model.billions * 1e9,
                "CGA": score_of(language, name, "CGA"),
                "family": f"{model.family} (published)",
                "language": _NAMES.get(language, language),
                "model": "",
            }
            for name, model in published().models.items()
            if model.billions is not None and language in published().scores
        ]
        for run in results.runs:
            size, family = _size_and_family(run.identities.get("model", ()))
            part = rows_where(frame, language=language, model=run.model)
            if size and len(part):
                rows.append(
                    {
                        "parameters": size,
                        "CGA": metrics.cga(AnswerArrays.of(part)),
                        "family": family or run.model,
                        "language": _NAMES.get(language, language),
                        "model": run.model,
                    }
                )
    return charts.scatter(
        "size",
        "CGA by model size and family",
        rows,
        x="parameters",
        y="CGA",
        color="family",
        label="model",
        facet="language",
        unit="share",
        log_x=True,
        notes=(
            "The published models were tested on the published sentences, the models of these "
            "runs on their own.",
            *charts.unknown_size_note(unknown),
        ),
    )


def _size_and_family(identities: tuple[Identity, ...]) -> tuple[float, str]:
    """A model's parameters and family, if given."""
    if not identities:
        return 0.0, ""
    about = identities[0].about
    return float(about.get("parameters") or 0), str(about.get("family") or "")
