"""The studies `stereotype` and `category`: how people classify the English meanings of words.

A meaning that several words share is asked about once. People see the meaning alone; whether a word
diverges is computed from their answers and the word's grammatical gender.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import Column, Estimate, Judgement, Row, Table
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.agreement import fleiss, krippendorff
from epicene.studies.design.answers import choice_ids
from epicene.studies.design.sampling import Candidate, item_id, stratified_sample
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.gramvis.items import LABEL_OF_GRAMMAR, PromptItem
from epicene.suites.studies import StudyKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars

    from epicene.studies.design.sampling import SamplingOptions
    from epicene.studies.design.schema import Response, Study
    from epicene.suites.gramvis.items import Word
    from epicene.suites.gramvis.protocol import GramvisProtocol
    from epicene.suites.studies import Material, StudyResults

    Answered = StudyResults[GramvisProtocol]

# The studies, with their question and the field of a word that it is about.
STEREOTYPE, CATEGORY = "stereotype", "category"
QUESTIONS = {STEREOTYPE: "suggests", CATEGORY: "category"}

_COLUMNS = ("agreement", "κ", "α")


def read_study(name: str) -> Study:
    """The instructions and questions of a study, without items."""
    return read_study_definition(Path(__file__).with_name(f"{name}.toml"))


def meaning_key(english: str) -> str:
    """A meaning without differences of case and space."""
    return " ".join(english.casefold().split())


def meaning_item(english: str, words: Iterable[str], listed: str = "") -> StudyItem:
    """A meaning to ask about; its words, and their label in the list, are hidden."""
    return StudyItem(
        id=item_id("meaning", meaning_key(english)),
        language="en",
        fields={"meaning": english, "words": "; ".join(words), "listed": listed},
    )


def agreed_label(labels: Iterable[str], at_least: int) -> str:
    """The label that at least `at_least` people gave; empty if none."""
    (label, count), *_ = Counter(labels).most_common() or [("", 0)]
    return label if count >= at_least else ""


# --- sampling ---------------------------------------------------------------------------------


def _candidates(name: str, material: Material[PromptItem, GramvisProtocol]) -> Iterator[Candidate]:
    """Every word once; words of one meaning are one unit."""
    item = material.item
    if isinstance(item, PromptItem) and item.template == 1 and item.entry.english:
        word = item.entry
        yield Candidate((), meaning_key(word.english), word.id, partial(_item, name, word))


def _item(name: str, word: Word) -> StudyItem:
    return meaning_item(word.english, (), getattr(word, name))


def _draw(
    drawn_from: Iterable[Candidate], _protocol: GramvisProtocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """All meanings, or a sample of them, each with all its words."""
    words: dict[str, list[str]] = defaultdict(list)
    for candidate in drawn_from:
        words[candidate.unit].append(candidate.name)
    return tuple(
        msgspec.structs.replace(
            item,
            fields=item.fields | {"words": "; ".join(words[meaning_key(item.fields["meaning"])])},
        )
        for item in stratified_sample(drawn_from, wanted)
    )


# --- judging ---------------------------------------------------------------------------------


def _judge(name: str, item: StudyItem, response: Response) -> Iterator[Judgement]:
    yield _judgement(name, item, str(response.answers[QUESTIONS[name]]))


def _automatic(name: str, item: StudyItem) -> Iterator[Judgement]:
    yield _judgement(name, item, item.fields["listed"])


def _judgement(name: str, item: StudyItem, label: str) -> Judgement:
    return Judgement(item=item.id, group=item.id, language="en", name=name, label=label)


# --- tables ----------------------------------------------------------------------------------


def _tables(name: str, results: Answered) -> Iterator[Table]:
    yield _meanings_table(name, results)
    yield _agreement_table(results)


def _metrics(results: Answered) -> Mapping[str, Estimate]:
    """Agreement of people with each other and with the list."""
    labels, _ = annotator_agreement.labels_by_item(results.frame)
    pairs = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    return {
        "alpha_people": krippendorff(labels),
        "agreement_list": paired_agreement.raw(pairs, clustered=False),
    }


def _meanings_table(name: str, results: Answered) -> Table:
    """The votes on each meaning, their majority, and the label in the list."""
    study = results.study
    options = choice_ids(study.question(QUESTIONS[name]))
    said, settled = _labels_by_item(results.frame), _labels_by_item(results.adjudicated)
    rows = []
    for item in sorted(study.items, key=lambda item: meaning_key(item.fields["meaning"])):
        labels = said.get(item.id)
        if labels:
            most = agreed_label(settled[item.id], len(settled[item.id]) // 2 + 1)
            votes = [Estimate(value=labels.count(option), n=len(labels)) for option in options]
            texts = [most or "no agreement", item.fields["listed"]]
            if name == STEREOTYPE:
                texts.append("; ".join(divergent_ids(item.fields["words"].split("; "), most)))
            rows.append(Row(keys=(item.fields["meaning"],), cells=(*votes, *texts)))
    texts = ["people", "list", *(["words that diverge"] if name == STEREOTYPE else ())]
    return Table(
        name="meanings",
        title="People's judgement of each meaning",
        levels=("meaning",),
        columns=(
            *(Column(name=option, unit="count") for option in options),
            *(Column(name=text, unit="text") for text in texts),
        ),
        rows=tuple(rows),
        notes=(
            "`people` is the answer that more than half of the people asked gave, or the "
            "adjudicated answer.",
        ),
    )


def _labels_by_item(frame: polars.DataFrame) -> dict[str, list[str]]:
    import polars as pl

    labels = frame.group_by(pl.col("item").cast(pl.String)).agg(pl.col("label").cast(pl.String))
    return dict(labels.iter_rows())


def divergent_ids(words: Iterable[str], stereotype: str) -> list[str]:
    """The ids, among words of one meaning, whose grammar differs from the stereotype."""
    if stereotype not in LABEL_OF_GRAMMAR.values():
        return []
    return [word for word in words if LABEL_OF_GRAMMAR[word.rpartition("/")[2]] != stereotype]


def _agreement_table(results: Answered) -> Table:
    labels, _ = annotator_agreement.labels_by_item(results.frame)
    between = annotator_agreement.annotator_pairs(results.frame)
    pairs = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    rows = (
        Row(
            keys=("people with each other",),
            cells=(
                paired_agreement.raw(between, clustered=True),
                fleiss(labels),
                krippendorff(labels),
            ),
        ),
        Row(
            keys=("people with the list",),
            cells=(
                paired_agreement.raw(pairs, clustered=False),
                paired_agreement.kappa(pairs, clustered=False),
                paired_agreement.alpha(pairs, clustered=False),
            ),
        ),
    )
    return Table(
        name="agreement",
        title="Agreement of people with each other and with the list",
        levels=("who",),
        columns=tuple(Column(name=name, unit="number", decimals=3) for name in _COLUMNS),
        rows=rows,
        notes=(
            "Agreement is raw: between all pairs of people who judged the same meaning, or "
            "between the label that most people gave and the list's. κ is Fleiss' between "
            "people and Cohen's with the list, α Krippendorff's. Intervals are over meanings.",
        ),
    )


def study_kind(name: str) -> StudyKind[PromptItem, GramvisProtocol]:
    """One of the two studies."""
    return StudyKind(
        study=lambda _protocol: read_study(name),
        candidates=partial(_candidates, name),
        sample=_draw,
        judge=partial(_judge, name),
        automatic=partial(_automatic, name),
        metrics=_metrics,
        tables=partial(_tables, name),
        from_runs=False,
    )
