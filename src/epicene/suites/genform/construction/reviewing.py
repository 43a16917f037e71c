"""The first study: is the translation right? Two people each, and a third where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.studies import StudyItem
from epicene.suites.construction import kept
from epicene.suites.genform.construction.settling import (
    FIRST,
    JUDGEMENTS,
    SECOND,
    one_line,
    open_questions,
    settled,
    study_of,
    two_proposals,
    with_proposals,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.studies import Response, Study
    from epicene.suites.construction import Made, Row
    from epicene.suites.genform.construction.writing import GenformBuild

# What a third person reads where one of the two would leave the sentence out.
_LEFT_OUT = {"en": "leave it out", "fr": "l'écarter", "ar": "استبعاد الجملة", "hi": "इसे हटा दें"}


def review(made: Made, settings: GenformBuild) -> Study:
    """Every translation, beside its English."""
    items = (
        StudyItem(
            id=row["id"],
            language=settings.language,
            fields={"english": row["english"], "translation": row["translation"]},
        )
        for row in kept(made["translate"])
    )
    return study_of("review", settings.language, items, JUDGEMENTS)


def read_reviews(
    made: Made, _settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[Row]:
    """What two people made of each translation."""
    return with_proposals(kept(made["translate"]), responses, _propose)


def _propose(row: Row, response: Response) -> Row:
    """The text that holds for this person; none where the sentence is left out."""
    choice = response.answers["verdict"]
    if choice == "drop":
        return {"choice": choice, "texts": {}}
    text = row["translation"] if choice == "good" else one_line(response.answers["text"])
    return {"choice": choice, "texts": {"text": text}}


def settle_reviews(made: Made, settings: GenformBuild) -> Study:
    """The translations on which two people disagree, with what they said."""
    items = []
    for row in open_questions(made["review"]):
        said = {
            name: texts.get("text", f"({_LEFT_OUT.get(settings.language, _LEFT_OUT['en'])})")
            for name, texts in two_proposals(row, settings.seed).items()
        }
        fields = {"english": row["english"], "translation": row["translation"], **said}
        items.append(StudyItem(id=row["id"], language=settings.language, fields=fields))
    return study_of("settle_review", settings.language, items, 1)


def read_settled_reviews(
    made: Made, settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[Row]:
    """Each sentence with the translation that holds."""

    def decide(row: Row, response: Response) -> Row:
        choice = str(response.answers["choice"])
        if choice in (FIRST, SECOND):
            return two_proposals(row, settings.seed)[choice]
        return {} if choice == "drop" else {"text": one_line(response.answers["text"])}

    for row, texts, by in settled(made["review"], responses, decide):
        yield {
            "id": row["id"],
            "rule": row["rule"],
            "english": row["english"],
            "text": texts.get("text", ""),
            "decided": by,
            "dropped": "" if texts else "left out by people",
        }
