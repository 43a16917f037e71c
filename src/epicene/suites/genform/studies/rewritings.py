"""The study `rewritings`: people judge sentences that a model rewrote for another speaker.

A study is in one language. What people read, and practice items, are in `rewritings/CODE.toml`.
"""

from __future__ import annotations

import operator
import tomllib
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from epicene import languages
from epicene.core.errors import InputError
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
    TextPanel,
)
from epicene.suites.genform.ask import GENERATION, request_name
from epicene.suites.genform.gendered_terms import TermCounts
from epicene.suites.genform.items import TARGETS
from epicene.suites.genform.judge import by_generation
from epicene.suites.genform.metrics import TERMS_RIGHT
from epicene.suites.rewriting_studies import (
    GRAMMATICAL,
    MEANING,
    NO,
    NONE,
    PER_CELL,
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

NAME = "rewritings"
SPEAKER = "speaker"
_REWRITINGS = RewritingStudy(
    persons=(SPEAKER,),
    facets=("target", "change"),
    reference_note=(
        "By the automatic score, a rewriting is right if its words are those of the "
        "reference; spelling variants are treated as in the protocol of the run."
    ),
)

# --- what people see -------------------------------------------------------------------------

TAGS = {"spelling": "s", "words": "w", "order": "o", "others": "t"}
_HIDDEN = (
    *("model", "target", "change", "reference", "sentence"),
    *(automatic_field(name) for name in (RIGHT, SPEAKER, UNTOUCHED)),
)


@cache
def study_texts(name: str, code: str) -> dict[str, Any]:
    """What people read in a study, in one language, with its practice items."""
    folder = Path(__file__).parent / name
    path = folder / f"{code}.toml"
    if not path.is_file():
        there = sorted(each.stem for each in folder.glob("*.toml") if each.stem != "en")
        raise InputError(
            f"There is no study of {name} in {languages.get(code).name}; there is one for "
            f"{', '.join(there)}."
        )
    return tomllib.loads(path.read_text(encoding="utf-8"))


def study(_protocol: GenformProtocol) -> Study:
    """The study in English alone, without items and practice."""
    return _study_of("")


def in_language_of_items(drawn: Study) -> Study:
    """The study in English and in the language of its items, with practice items in it."""
    made = _study_of(language_of(drawn))
    return msgspec.structs.replace(made, items=drawn.items, drawn=drawn.drawn)


def language_of(drawn: Study) -> str:
    """The one language of a study's items."""
    found = sorted({item.language for item in drawn.items})
    if len(found) > 1:
        raise InputError(
            f"The runs have sentences in {', '.join(found)}, but people judge those of one "
            f"language: choose it, for example with --language {found[0]}."
        )
    return found[0]


def _study_of(language: str) -> Study:
    codes = ("en", language) if language else ("en",)
    spoken = languages.get(language).name if language else "its language"

    def said(key: str) -> LocalisedText:
        return {code: study_texts(NAME, code)[key].replace("{language}", spoken) for code in codes}

    def options(**keys: str) -> tuple[Option, ...]:
        return tuple(Option(id=name, key=key, label=said(name)) for name, key in keys.items())

    return Study(
        name="genform-rewritings",
        suite="genform",
        title=said("title"),
        instructions=said("instructions"),
        hidden=_HIDDEN,
        show=(
            TextPanel(field="people", title=said("rewritten_for")),
            DiffPanel(before="text", after="rewriting", title=said("before_and_after")),
        ),
        questions=(
            ChoiceQuestion(
                id=GRAMMATICAL, ask=said("grammatical"), options=options(yes="1", no="2")
            ),
            ChoiceQuestion(
                id=SPEAKER, ask=said("speaker"), options=options(yes="3", no="4", none="5")
            ),
            ChoiceQuestion(id=MEANING, ask=said("meaning"), options=options(yes="6", no="7")),
            TagsQuestion(id="changes", ask=said("changes"), options=options(**TAGS)),
            NoteQuestion(id="notes", ask=said("notes")),
        ),
        practice=tuple(_practice(language)) if language else (),
    )


def _practice(language: str) -> Iterator[StudyItem]:
    for number, example in enumerate(study_texts(NAME, language).get("practice", ()), start=1):
        expected = example["expected"]
        yield StudyItem(
            id=item_id(NAME, "practice", language, number),
            language=language,
            fields={
                "people": _person(language, example["target"]),
                "text": example["before"],
                "rewriting": example["after"],
            },
            expected={**expected, "changes": tuple(expected["changes"])},
            feedback={"en": example["feedback"]["en"], language: example["feedback"]["own"]},
        )


def _person(language: str, target: str) -> str:
    return str(study_texts(NAME, language)["man" if target == "masculine" else "woman"])


# --- sampling --------------------------------------------------------------------------------


def candidates(material: Rewritten) -> Iterator[Candidate]:
    """Every rewriting that is not empty, by model, target and whether a word was to change."""
    pair, model = material.item, material.model
    for target in TARGETS:
        for written in material.answers.where(name=request_name(GENERATION, target)).of(Texts):
            judged = by_generation(pair, target, written.texts[0], material.protocol)
            if judged.evidence["answer"] and written.texts[0].finish != "refused":
                yield Candidate(
                    cell=(model, pair.language, target, change_of(pair)),
                    unit=pair.cluster,
                    name=f"{model}/{pair.id}/{target}",
                    make=partial(_item, pair, model, target, judged, material.protocol),
                    judged=(pair.id, judged.name),
                    uncertain=partial(operator.ne, judged.outcome, "right"),
                )


def change_of(pair: Pair) -> str:
    return "to leave" if pair.is_neutral else "to change"


def _item(
    pair: Pair, model: str, target: Gender, judged: Judgement, protocol: GenformProtocol
) -> StudyItem:
    return StudyItem(
        id=item_id(NAME, model, target, pair.id),
        language=pair.language,
        group=pair.cluster,
        fields={
            "people": _person(pair.language, target),
            "text": judged.evidence["counterfactual"],
            "rewriting": judged.evidence["answer"],
            "model": model,
            "target": target,
            "change": change_of(pair),
            "reference": judged.evidence["reference"],
            "sentence": pair.id,
            **automatic_labels(judged, target, protocol),
        },
    )


def automatic_labels(
    judged: Judgement, target: Gender, protocol: GenformProtocol
) -> dict[str, str]:
    """What the suite says of a rewriting, by the fields of the study.

    The gender is right if gendered terms are right and none is of the other gender; nothing else is
    changed if GIoU counts no other word.
    """
    ignored = protocol.spelling == "ignored"
    terms = TermCounts.of(judged.counts, protocol.words, ignored=ignored)
    return {
        automatic_field(RIGHT): yes_or_no(judged.outcome == "right"),
        automatic_field(SPEAKER): (YES if judged.label == target else NO) if terms.terms else NONE,
        automatic_field(UNTOUCHED): yes_or_no(terms.union == terms.terms),
    }


def checks(_results: Results[GenformProtocol]) -> Iterator[HeadlineCheck]:
    """A sentence's gendered terms are right if people judge that it fits the speaker; a sentence
    that no longer shows a gender does not."""
    yield HeadlineCheck(
        headline=TERMS_RIGHT,
        judgement=SPEAKER,
        judged=lambda item: (
            item.fields["sentence"],
            request_name(GENERATION, cast("Gender", item.fields["target"])),
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
    fits=lambda protocol: GENERATION in protocol.formats and bool(protocol.genders),
)
