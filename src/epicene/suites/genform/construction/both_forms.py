"""The second study: the sentence as a man and as a woman would say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting import find_rewriter, rewritable
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
from epicene.suites.genform.pairs import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.studies import Response, Study
    from epicene.suites.construction import Made, Row
    from epicene.suites.genform.construction.writing import GenformBuild
    from epicene.suites.genform.pairs import Gender


def draft(made: Made, settings: GenformBuild) -> Iterator[Row]:
    """What the language's rewriter would write for each gender; else the sentence itself."""
    rows = kept(made["settle-review"])
    texts = [row["text"] for row in rows]
    drafts = {gender: _rewritten(texts, settings.language, gender) for gender in TARGETS}
    for place, row in enumerate(rows):
        yield {
            **{name: row[name] for name in ("id", "rule", "english", "text")},
            **{f"draft_{gender}": drafts[gender][place] for gender in TARGETS},
        }


def _rewritten(texts: list[str], language: str, gender: Gender) -> list[str]:
    if language not in rewritable() or "speaker" not in find_rewriter(language).takes:
        return texts
    rewrite = find_rewriter(language).open({"speaker": gender})
    return [rewriting.text for rewriting in rewrite(texts)]


def forms(made: Made, settings: GenformBuild) -> Study:
    """Every sentence, with the drafts to start from."""
    shown = ("english", "text", *(f"draft_{gender}" for gender in TARGETS))
    items = (
        StudyItem(
            id=row["id"],
            language=settings.language,
            fields={name: row[name] for name in shown},
        )
        for row in made["draft"]
    )
    return study_of("forms", settings.language, items, JUDGEMENTS)


def read_forms(
    made: Made, _settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[Row]:
    """The two forms that two people wrote of each sentence."""
    return with_proposals(made["draft"], responses, _propose)


def _propose(row: Row, response: Response) -> Row:
    choice = response.answers["speaker"]
    if choice == "nothing":
        return {"choice": choice, "texts": dict.fromkeys(TARGETS, row["text"])}
    return {"choice": choice, "texts": _written(response)}


def _written(response: Response) -> Row:
    return {gender: one_line(response.answers[gender]) for gender in TARGETS}


def settle_forms(made: Made, settings: GenformBuild) -> Study:
    """The sentences whose forms two people wrote otherwise, with what they wrote."""
    items = []
    for row in open_questions(made["forms"]):
        fields = {"english": row["english"], "text": row["text"]}
        for name, texts in two_proposals(row, settings.seed).items():
            fields |= {f"{name}_{gender}": texts[gender] for gender in TARGETS}
        items.append(StudyItem(id=row["id"], language=settings.language, fields=fields))
    return study_of("settle_forms", settings.language, items, 1)


def read_settled_forms(
    made: Made, settings: GenformBuild, _study: Study, responses: Sequence[Response]
) -> Iterator[Row]:
    """Each sentence in the two forms that hold."""

    def decide(row: Row, response: Response) -> Row:
        choice = str(response.answers["choice"])
        if choice in (FIRST, SECOND):
            return two_proposals(row, settings.seed)[choice]
        return _written(response)

    for row, texts, by in settled(made["forms"], responses, decide):
        yield {
            "id": row["id"],
            "language": settings.language,
            "rule": row["rule"],
            "english": row["english"],
            **{gender: texts[gender] for gender in TARGETS},
            "decided": by,
        }
