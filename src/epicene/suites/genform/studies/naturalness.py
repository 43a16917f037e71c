"""The study `naturalness`: people judge and rate sentences that should not show a gender.

A study is in one language. What people read, and practice items, are in `naturalness/CODE.toml`;
the answers that it shares with the study `rewritings` are in the files of that one.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import msgspec

from epicene import languages
from epicene.core.records import Texts
from epicene.studies.design.sampling import Candidate, item_id
from epicene.studies.design.schema import (
    ChoiceQuestion,
    DiffPanel,
    NoteQuestion,
    Option,
    Study,
    StudyItem,
    TagsQuestion,
)
from epicene.suites.genform.ask import NEUTRAL, request_name
from epicene.suites.genform.items import TARGETS
from epicene.suites.genform.judge_neutral import by_neutral
from epicene.suites.genform.studies import rewritings
from epicene.suites.genform.studies.rewritings import SPEAKER, change_of, language_of, study_texts
from epicene.suites.genform.tables_neutral import NEUTRAL_RIGHT
from epicene.suites.rewriting_studies import (
    GRAMMATICAL,
    MEANING,
    PER_CELL,
    RATINGS,
    RIGHT,
    UNTOUCHED,
    YES,
    RewritingStudy,
    automatic_field,
    yes_or_no,
)
from epicene.suites.studies import HeadlineCheck, StudyKind, stratified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Judgement
    from epicene.studies.design.schema import LocalisedText
    from epicene.suites import Results
    from epicene.suites.genform.items import Gender, Pair
    from epicene.suites.genform.protocol import GenformProtocol
    from epicene.suites.studies import Material

    Rewritten = Material[Pair, GenformProtocol]

NAME = "naturalness"
NATURAL = "natural"
_REWRITINGS = RewritingStudy(
    persons=(SPEAKER,),
    facets=("change", "form"),
    reference_note=(
        "By the automatic score, a rewriting is right if no word shows the speaker's gender, "
        "something replaces every word that did, and all other words are as they were."
    ),
    rating=NATURAL,
)
_HIDDEN = (
    *("model", "source", "change", "form", "sentence"),
    *(automatic_field(name) for name in (RIGHT, SPEAKER, UNTOUCHED)),
)


def study(_protocol: GenformProtocol) -> Study:
    """The study in English alone, without items and practice."""
    return _study_of("")


def in_language_of_items(drawn: Study) -> Study:
    """The study in English and in the language of its items, with practice items in it."""
    made = _study_of(language_of(drawn))
    return msgspec.structs.replace(made, items=drawn.items, drawn=drawn.drawn)


def _texts(code: str) -> dict[str, Any]:
    return {**study_texts(rewritings.NAME, code), **study_texts(NAME, code)}


def _study_of(language: str) -> Study:
    codes = dict.fromkeys(("en", language) if language else ("en",))
    spoken = languages.get(language).name if language else "its language"

    def said(key: str) -> LocalisedText:
        return {code: _texts(code)[key].replace("{language}", spoken) for code in codes}

    def options(**keys: str) -> tuple[Option, ...]:
        return tuple(Option(id=name, key=key, label=said(name)) for name, key in keys.items())

    return Study(
        name="genform-naturalness",
        suite="genform",
        title=said("title"),
        instructions=said("instructions"),
        hidden=_HIDDEN,
        show=(DiffPanel(before="text", after="rewriting", title=said("before_and_after")),),
        questions=(
            ChoiceQuestion(
                id=GRAMMATICAL, ask=said("grammatical"), options=options(yes="1", no="2")
            ),
            ChoiceQuestion(id=SPEAKER, ask=said("speaker"), options=options(yes="3", no="4")),
            ChoiceQuestion(id=MEANING, ask=said("meaning"), options=options(yes="6", no="7")),
            TagsQuestion(id="changes", ask=said("changes"), options=options(**rewritings.TAGS)),
            ChoiceQuestion(
                id=NATURAL,
                ask=said("natural"),
                options=options(**dict(zip(RATINGS, "abcde", strict=True))),
                preference=True,
            ),
            NoteQuestion(id="notes", ask=said("notes")),
        ),
        practice=tuple(_practice(language)) if language else (),
    )


def _practice(language: str) -> Iterator[StudyItem]:
    for number, example in enumerate(study_texts(NAME, language)["practice"], start=1):
        expected = example["expected"]
        feedback = {"en": example["feedback"]["en"], language: example["feedback"]["own"]}
        yield StudyItem(
            id=item_id(NAME, "practice", language, number),
            language=language,
            fields={"text": example["before"], "rewriting": example["after"]},
            expected={**expected, "changes": tuple(expected["changes"])},
            feedback=feedback,
        )


# --- sampling --------------------------------------------------------------------------------


def candidates(material: Rewritten) -> Iterator[Candidate]:
    """Every rewriting that is not empty, by model and whether a word was to change."""
    pair, model = material.item, material.model
    for source in TARGETS:
        for written in material.answers.where(name=request_name(NEUTRAL, source)).of(Texts):
            judged = by_neutral(pair, source, written.texts[0], material.protocol)
            if judged.evidence["answer"] and written.texts[0].finish != "refused":
                yield Candidate(
                    cell=(model, pair.language, change_of(pair)),
                    unit=pair.cluster,
                    name=f"{model}/{pair.id}/{source}",
                    make=partial(_item, pair, model, source, judged),
                    judged=(pair.id, judged.name),
                    uncertain=partial(operator.ne, judged.outcome, "right"),
                )


def _item(pair: Pair, model: str, source: Gender, judged: Judgement) -> StudyItem:
    return StudyItem(
        id=item_id(NAME, model, source, pair.id),
        language=pair.language,
        group=pair.cluster,
        fields={
            "text": judged.evidence["sentence"],
            "rewriting": judged.evidence["answer"],
            "model": model,
            "source": source,
            "change": change_of(pair),
            "form": judged.label or "no form",
            "sentence": pair.id,
            **automatic_labels(judged),
        },
    )


def automatic_labels(judged: Judgement) -> dict[str, str]:
    """What the suite says of a rewriting, by the fields of the study."""
    detected = judged.outcome != "undetected"
    return {
        automatic_field(RIGHT): yes_or_no(judged.outcome == "right"),
        automatic_field(SPEAKER): yes_or_no(detected and not judged.counts["gender left"]),
        automatic_field(UNTOUCHED): yes_or_no(detected and not judged.counts["others changed"]),
    }


def checks(_results: Results[GenformProtocol]) -> Iterator[HeadlineCheck]:
    """A neutral form is right if people say that it is, question by question."""
    yield HeadlineCheck(
        headline=NEUTRAL_RIGHT,
        judgement=RIGHT,
        judged=lambda item: (
            item.fields["sentence"],
            request_name(NEUTRAL, cast("Gender", item.fields["source"])),
        ),
        value=lambda label, _automatic, _item: float(label == YES),
    )


kind = StudyKind(
    study=study,
    candidates=candidates,
    sample=stratified(PER_CELL),
    for_items=in_language_of_items,
    judge=_REWRITINGS.judge,
    automatic=_REWRITINGS.automatic,
    metrics=_REWRITINGS.metrics,
    tables=_REWRITINGS.tables,
    checks=checks,
    fits=lambda protocol: protocol.asks_neutral,
)
