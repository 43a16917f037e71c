"""The two annotation studies: review the translation, and write both forms.

Two people answer each item, and a third adjudicates where they differ. A person's answer is a
proposal: a choice, and the texts that follow from it. Two proposals are equal if their texts are,
apart from the shape of quotation marks and the width of spaces.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.languages.normalisers import normalise
from epicene.rewriting import find_rewriter, rewritable_languages
from epicene.studies.design.schema import StudyItem, restrict_languages
from epicene.studies.exchange.study_files import read_study
from epicene.suites.construction import kept_rows
from epicene.suites.genform.items import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.studies.design.schema import Response, Study
    from epicene.suites.construction import StepOutputs, StepRow
    from epicene.suites.genform.construction.generation import GenformBuild
    from epicene.suites.genform.items import Gender

ANNOTATORS_PER_ITEM = 2
FIRST, SECOND = "first", "second"


def study_of(name: str, language: str, items: Iterable[StudyItem], judgements: int) -> Study:
    """The study of that name with these items, in English and in the language of the set."""
    study = read_study(Path(__file__).parent / f"{name}.toml")
    return msgspec.structs.replace(
        restrict_languages(study, ("en", language)), items=tuple(items), judgements=judgements
    )


def one_line(text: object) -> str:
    """A person's text without line breaks and double spaces."""
    return " ".join(str(text).split())


def with_proposals(
    rows: Iterable[StepRow],
    responses: Sequence[Response],
    propose: Callable[[StepRow, Response], StepRow],
) -> Iterator[StepRow]:
    """Each row with its people's proposals (`given`), and that of more than half (`agreed`)."""
    answers = _by_item(responses)
    for row in rows:
        proposals = [
            {"person": response.participant, **propose(row, response)}
            for response in answers[row["id"]]
        ]
        (commonest, count), *_ = Counter(_key(each["texts"]) for each in proposals).most_common()
        texts = next(each["texts"] for each in proposals if _key(each["texts"]) == commonest)
        yield {**row, "given": proposals, "agreed": texts if 2 * count > len(proposals) else None}


def disagreements(rows: Iterable[StepRow]) -> list[StepRow]:
    """The rows on which people did not agree."""
    return [row for row in rows if row["agreed"] is None]


def two_proposals(row: StepRow, seed: int) -> dict[str, StepRow]:
    """The two commonest proposals, in an order that does not show who made them."""
    commonest = Counter(_key(each["texts"]) for each in row["given"]).most_common(2)
    names = [key for key, _ in commonest]
    texts = {_key(each["texts"]): each["texts"] for each in row["given"]}
    names.sort(key=lambda key: digest(seed, row["id"], key))
    return {FIRST: texts[names[0]], SECOND: texts[names[1]]}


def adjudicated(
    rows: Iterable[StepRow],
    responses: Sequence[Response],
    decide: Callable[[StepRow, Response], StepRow],
) -> Iterator[tuple[StepRow, StepRow, str]]:
    """Each row, its final texts, and who decided: both people, or a third."""
    answers = _by_item(responses)
    for row in rows:
        if row["agreed"] is not None:
            yield row, row["agreed"], "both"
        else:
            yield row, decide(row, _adjudicator_response(row, answers[row["id"]])), "third"


def _adjudicator_response(row: StepRow, responses: Sequence[Response]) -> Response:
    """The answer of somebody other than those who disagree."""
    before = [each["person"] for each in row["given"]]
    for response in responses:
        if response.participant not in before:
            return response
    raise InputError(
        f"On {row['id']} {' and '.join(before)} disagree, and one of them decided; let somebody "
        "else answer it too, then run the same command again."
    )


def _by_item(responses: Iterable[Response]) -> dict[str, list[Response]]:
    answers: dict[str, list[Response]] = defaultdict(list)
    for response in responses:
        answers[response.item].append(response)
    return answers


def _key(texts: StepRow) -> tuple[tuple[str, str], ...]:
    return tuple((name, normalise(text, ("nfc", "quotes"))) for name, text in sorted(texts.items()))


# What the third person sees if one of the two would leave the sentence out.
_LEFT_OUT = {"en": "leave it out", "fr": "l'écarter", "ar": "استبعاد الجملة", "hi": "इसे हटा दें"}


def review(outputs: StepOutputs, settings: GenformBuild) -> Study:
    """Every translation, beside its English."""
    items = (
        StudyItem(
            id=row["id"],
            language=settings.language,
            fields={"english": row["english"], "translation": row["translation"]},
        )
        for row in kept_rows(outputs["translate"])
    )
    return study_of("review", settings.language, items, ANNOTATORS_PER_ITEM)


def read_reviews(
    outputs: StepOutputs, _settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """Each translation with two people's proposals."""
    return with_proposals(kept_rows(outputs["translate"]), responses, _propose_translation)


def _propose_translation(row: StepRow, response: Response) -> StepRow:
    """The text that this person proposes; none if they would leave the sentence out."""
    choice = response.answers["verdict"]
    if choice == "drop":
        return {"choice": choice, "texts": {}}
    text = row["translation"] if choice == "good" else one_line(response.answers["text"])
    return {"choice": choice, "texts": {"text": text}}


def adjudicate_reviews(outputs: StepOutputs, settings: GenformBuild) -> Study:
    """The translations on which two people disagree, with their proposals."""
    items = []
    for row in disagreements(outputs["review"]):
        proposals = {
            name: texts.get("text", f"({_LEFT_OUT.get(settings.language, _LEFT_OUT['en'])})")
            for name, texts in two_proposals(row, settings.seed).items()
        }
        fields = {"english": row["english"], "translation": row["translation"], **proposals}
        items.append(StudyItem(id=row["id"], language=settings.language, fields=fields))
    return study_of("settle_review", settings.language, items, 1)


def read_adjudicated_reviews(
    outputs: StepOutputs, settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """Each sentence with its final translation."""

    def decide(row: StepRow, response: Response) -> StepRow:
        choice = str(response.answers["choice"])
        if choice in (FIRST, SECOND):
            return two_proposals(row, settings.seed)[choice]
        return {} if choice == "drop" else {"text": one_line(response.answers["text"])}

    for row, texts, by in adjudicated(outputs["review"], responses, decide):
        yield {
            "id": row["id"],
            "rule": row["rule"],
            "english": row["english"],
            "text": texts.get("text", ""),
            "decided": by,
            "dropped": "" if texts else "left out by people",
        }


def draft(outputs: StepOutputs, settings: GenformBuild) -> Iterator[StepRow]:
    """The language's rewriting for each gender; without a rewriter, the sentence itself."""
    rows = kept_rows(outputs["settle-review"])
    texts = [row["text"] for row in rows]
    drafts = {gender: _rewritten(texts, settings.language, gender) for gender in TARGETS}
    for index, row in enumerate(rows):
        yield {
            **{name: row[name] for name in ("id", "rule", "english", "text")},
            **{f"draft_{gender}": drafts[gender][index] for gender in TARGETS},
        }


def _rewritten(texts: list[str], language: str, gender: Gender) -> list[str]:
    if language not in rewritable_languages() or "speaker" not in find_rewriter(language).takes:
        return texts
    rewrite = find_rewriter(language).open({"speaker": gender})
    return [rewriting.text for rewriting in rewrite(texts)]


def forms(outputs: StepOutputs, settings: GenformBuild) -> Study:
    """Every sentence, with the drafts to start from."""
    shown = ("english", "text", *(f"draft_{gender}" for gender in TARGETS))
    items = (
        StudyItem(
            id=row["id"],
            language=settings.language,
            fields={name: row[name] for name in shown},
        )
        for row in outputs["draft"]
    )
    return study_of("forms", settings.language, items, ANNOTATORS_PER_ITEM)


def read_forms(
    outputs: StepOutputs, _settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """The two forms that two people wrote of each sentence."""
    return with_proposals(outputs["draft"], responses, _propose_forms)


def _propose_forms(row: StepRow, response: Response) -> StepRow:
    choice = response.answers["speaker"]
    if choice == "nothing":
        return {"choice": choice, "texts": dict.fromkeys(TARGETS, row["text"])}
    return {"choice": choice, "texts": _written(response)}


def _written(response: Response) -> StepRow:
    return {gender: one_line(response.answers[gender]) for gender in TARGETS}


def adjudicate_forms(outputs: StepOutputs, settings: GenformBuild) -> Study:
    """The sentences of which two people wrote different forms, with these forms."""
    items = []
    for row in disagreements(outputs["forms"]):
        fields = {"english": row["english"], "text": row["text"]}
        for name, texts in two_proposals(row, settings.seed).items():
            fields |= {f"{name}_{gender}": texts[gender] for gender in TARGETS}
        items.append(StudyItem(id=row["id"], language=settings.language, fields=fields))
    return study_of("settle_forms", settings.language, items, 1)


def read_adjudicated_forms(
    outputs: StepOutputs, settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """Each sentence with its final forms."""

    def decide(row: StepRow, response: Response) -> StepRow:
        choice = str(response.answers["choice"])
        if choice in (FIRST, SECOND):
            return two_proposals(row, settings.seed)[choice]
        return _written(response)

    for row, texts, by in adjudicated(outputs["forms"], responses, decide):
        yield {
            "id": row["id"],
            "language": settings.language,
            "rule": row["rule"],
            "english": row["english"],
            **{gender: texts[gender] for gender in TARGETS},
            "decided": by,
        }
