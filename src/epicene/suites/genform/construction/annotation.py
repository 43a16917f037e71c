"""The two annotation studies: review the translation, and write both forms.

Two people answer each item, and a third adjudicates where they differ. A person's answer is a
proposal: a choice, and the texts that follow from it. Two proposals are equal if their texts are,
apart from the shape of quotation marks and the width of spaces.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.languages.normalisers import normalise
from epicene.rewriting import find_rewriter, rewritable_languages
from epicene.studies.design.answers import responses_by_item
from epicene.studies.design.schema import StudyItem, restrict_languages
from epicene.studies.exchange.study_files import read_study
from epicene.suites.construction import kept_rows
from epicene.suites.genform.construction.generation import sentence_of
from epicene.suites.genform.items import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.studies.design.schema import Response, Study
    from epicene.suites.construction import StepOutputs, StepRow
    from epicene.suites.genform.construction.generation import GenformBuild
    from epicene.suites.genform.items import Gender

ANNOTATORS_PER_ITEM = 2
FIRST, SECOND = "first", "second"


def study_of(
    name: str, language: str, shown: Iterable[tuple[StepRow, StepRow]], judgements: int
) -> Study:
    """The study of that name, in English and in the language of the set, which items have.

    `shown` are rows, each with the fields that are shown of it.
    """
    study = read_study(Path(__file__).parent / f"{name}.toml")
    return msgspec.structs.replace(
        restrict_languages(study, ("en", language)),
        items=tuple(
            StudyItem(id=row["id"], language=language, fields=fields) for row, fields in shown
        ),
        practice=tuple(_practice(name, language)),
        judgements=judgements,
    )


def _practice(study: str, language: str) -> Iterator[StudyItem]:
    """The practice items of a study in a language; none where we have written none."""
    content = Path(__file__).with_name("practice.toml").read_text(encoding="utf-8")
    there = [each for each in tomllib.loads(content)[study] if each["language"] == language]
    for number, each in enumerate(there, start=1):
        yield StudyItem(id=f"practice-{number}", **each)


def select_fields(row: StepRow, *names: str) -> StepRow:
    """The row with these fields only."""
    return {name: row[name] for name in names}


def one_line(text: object) -> str:
    """A person's text without line breaks and double spaces."""
    return " ".join(str(text).split())


def with_proposals(
    rows: Iterable[StepRow],
    responses: Sequence[Response],
    propose: Callable[[StepRow, Response], StepRow],
) -> Iterator[StepRow]:
    """Each row with its people's proposals (`given`), and that of more than half (`agreed`)."""
    answers = responses_by_item(responses)
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
    """The two most common proposals, in an order that does not show who made them."""
    commonest = Counter(_key(each["texts"]) for each in row["given"]).most_common(2)
    names = [key for key, _ in commonest]
    texts = {_key(each["texts"]): each["texts"] for each in row["given"]}
    names.sort(key=lambda key: digest(seed, row["id"], key))
    return {FIRST: texts[names[0]], SECOND: texts[names[1]]}


def adjudicated(
    rows: Iterable[StepRow],
    responses: Sequence[Response],
    seed: int,
    written: Callable[[Response], StepRow],
) -> Iterator[tuple[StepRow, StepRow, str]]:
    """Each row, its final texts, and who decided: both people, or a third.

    The third person chooses one of the two proposals or gives their own text, as `written` reads
    it.
    """
    answers = responses_by_item(responses)
    for row in rows:
        if row["agreed"] is not None:
            yield row, row["agreed"], "both"
            continue
        response = _adjudicator_response(row, answers[row["id"]])
        proposal = two_proposals(row, seed).get(str(response.answers["choice"]))
        yield row, written(response) if proposal is None else proposal, "third"


def _adjudicator_response(row: StepRow, responses: Sequence[Response]) -> Response:
    """The answer of somebody other than those who disagree."""
    before = [each["person"] for each in row["given"]]
    for response in responses:
        if response.participant not in before:
            return response
    raise InputError(
        f"{' and '.join(before)} disagree on {row['id']}, and one of them also decided it; "
        "have somebody else answer it too, then run the same command again."
    )


def _key(texts: StepRow) -> tuple[tuple[str, str], ...]:
    return tuple((name, normalise(text, ("nfc", "quotes"))) for name, text in sorted(texts.items()))


# What the third person sees if one of the two would leave the sentence out.
_LEFT_OUT = {"en": "leave it out", "fr": "l'écarter", "ar": "استبعاد الجملة", "hi": "इसे हटा दें"}


def review(outputs: StepOutputs, settings: GenformBuild) -> Study:
    """Every translation, next to its English."""
    shown = (
        (row, select_fields(row, "english", "translation"))
        for row in kept_rows(outputs["translate"])
    )
    return study_of("review", settings.language, shown, ANNOTATORS_PER_ITEM)


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
    left_out = f"({_LEFT_OUT.get(settings.language, _LEFT_OUT['en'])})"
    shown = []
    for row in disagreements(outputs["review"]):
        fields = select_fields(row, "english", "translation")
        for name, texts in two_proposals(row, settings.seed).items():
            fields[name] = texts.get("text", left_out)
        shown.append((row, fields))
    return study_of("settle_review", settings.language, shown, 1)


def read_adjudicated_reviews(
    outputs: StepOutputs, settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """Each sentence with its final translation. If there are several, one is kept: the first that
    people left unchanged, otherwise the first that they corrected."""
    rows = list(adjudicated(outputs["review"], responses, settings.seed, _written_translation))
    kept: dict[str, str] = {}
    for as_it_came in (True, False):
        for row, texts, _ in rows:
            if texts and (texts["text"] == row["translation"]) == as_it_came:
                kept.setdefault(sentence_of(row), row["id"])
    for row, texts, by in rows:
        other = kept.get(sentence_of(row), row["id"]) != row["id"]
        reason = "another translation was kept" if other else ""
        yield {
            **select_fields(row, "id", "rule", "english"),
            "text": texts.get("text", ""),
            "decided": by,
            "dropped": reason if texts else "left out by people",
        }


def _written_translation(response: Response) -> StepRow:
    if response.answers["choice"] == "drop":
        return {}
    return {"text": one_line(response.answers["text"])}


def draft(outputs: StepOutputs, settings: GenformBuild) -> Iterator[StepRow]:
    """The language's rewriting for each gender; without a rewriter, the sentence itself."""
    rows = kept_rows(outputs["settle-review"])
    texts = [row["text"] for row in rows]
    drafts = {gender: _rewritten(texts, settings.language, gender) for gender in TARGETS}
    for index, row in enumerate(rows):
        yield {
            **select_fields(row, "id", "rule", "english", "text"),
            **{f"draft_{gender}": drafts[gender][index] for gender in TARGETS},
        }


def _rewritten(texts: list[str], language: str, gender: Gender) -> list[str]:
    if language not in rewritable_languages() or "speaker" not in find_rewriter(language).takes:
        return texts
    rewrite = find_rewriter(language).open({"speaker": gender})
    return [rewriting.text for rewriting in rewrite(texts)]


def forms(outputs: StepOutputs, settings: GenformBuild) -> Study:
    """Every sentence, with the drafts to start from."""
    drafts = [f"draft_{gender}" for gender in TARGETS]
    shown = ((row, select_fields(row, "english", "text", *drafts)) for row in outputs["draft"])
    return study_of("forms", settings.language, shown, ANNOTATORS_PER_ITEM)


def read_forms(
    outputs: StepOutputs, _settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """The two forms that two people wrote of each sentence."""
    return with_proposals(outputs["draft"], responses, _propose_forms)


def _propose_forms(row: StepRow, response: Response) -> StepRow:
    choice = response.answers["speaker"]
    if choice == "nothing":
        return {"choice": choice, "texts": dict.fromkeys(TARGETS, row["text"])}
    return {"choice": choice, "texts": _written_forms(response)}


def _written_forms(response: Response) -> StepRow:
    return {gender: one_line(response.answers[gender]) for gender in TARGETS}


def adjudicate_forms(outputs: StepOutputs, settings: GenformBuild) -> Study:
    """The sentences of which two people wrote different forms, with these forms."""
    shown = []
    for row in disagreements(outputs["forms"]):
        fields = select_fields(row, "english", "text")
        for name, texts in two_proposals(row, settings.seed).items():
            fields |= {f"{name}_{gender}": texts[gender] for gender in TARGETS}
        shown.append((row, fields))
    return study_of("settle_forms", settings.language, shown, 1)


def read_adjudicated_forms(
    outputs: StepOutputs, settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[StepRow]:
    """Each sentence with its final forms."""
    rows = adjudicated(outputs["forms"], responses, settings.seed, _written_forms)
    for row, texts, by in rows:
        yield {
            "id": row["id"],
            "language": settings.language,
            "rule": row["rule"],
            "english": row["english"],
            **{gender: texts[gender] for gender in TARGETS},
            "decided": by,
        }
