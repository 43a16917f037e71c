"""The study `image`: people say who is in a picture, to see whether the judges were right."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.records import Judgement
from epicene.studies import StudyItem
from epicene.studies.drawing import Candidate, stratified
from epicene.studies.identifiers import item_id, read_definition
from epicene.suites.gramvis.judge import MAJORITY, VOTE, judge, outcome_of
from epicene.suites.gramvis.people.image_tables import GENDER, metrics, tables
from epicene.suites.gramvis.shots import shots_of
from epicene.suites.studies import StudyKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.studies import Response, Study
    from epicene.studies.drawing import Cell, Wanted
    from epicene.suites.gramvis.prompted import Prompted
    from epicene.suites.gramvis.protocol import GramvisProtocol
    from epicene.suites.gramvis.shots import Shot
    from epicene.suites.studies import Material

# As many as the paper's validation had.
TOTAL = 500

_FACETS = ("language", "condition", "agreement")


def study(_protocol: GramvisProtocol) -> Study:
    """What is shown and asked."""
    return read_definition(Path(__file__).with_suffix(".toml"))


# --- drawing ---------------------------------------------------------------------------------


def candidates(material: Material[Prompted, GramvisProtocol]) -> Iterator[Candidate]:
    """Every image that came, in cells of model, language, condition and the judges' agreement.

    Of one prompt at most one image is drawn into a cell, so that the words are many.
    """
    item, protocol = material.item, material.protocol
    judged: dict[str, list[Judgement]] = {}
    for judgement in judge(item, material.answers, protocol):
        judged.setdefault(judgement.item, []).append(judgement)
    for shot in shots_of(item, material.answers, protocol):
        if not shot.missing:
            picture = shot.picture
            *votes, majority = judged[picture.id]
            agreement = majority.facets["agreement"]
            yield Candidate(
                cell=(material.model, picture.language, picture.condition, agreement),
                unit=item.id,
                name=f"{material.model}/{picture.id}",
                make=partial(_item, material.model, shot, votes, majority),
            )


def _item(model: str, shot: Shot, votes: Sequence[Judgement], majority: Judgement) -> StudyItem:
    assert majority.name == MAJORITY
    picture = shot.picture
    said = {vote.name.removeprefix(VOTE): vote.label for vote in votes}
    return StudyItem(
        id=item_id(model, picture.id, shot.image.sha256),
        group=picture.cluster,
        fields={
            "image": shot.image.sha256,
            "model": model,
            "picture": picture.id,
            "word": picture.word,
            "language": picture.language,
            "grammar": picture.grammar,
            "condition": picture.condition,
            "template": picture.template,
            "shot": picture.shot,
            "label": majority.label or "",
            "agreement": majority.facets["agreement"],
            "votes": json.dumps(said, ensure_ascii=False),
            "cluster": picture.cluster,
        },
    )


def draw(
    drawn_from: Iterable[Candidate], _protocol: GramvisProtocol, wanted: Wanted
) -> tuple[StudyItem, ...]:
    """So many of every cell, each with how many images of its cell it stands for."""
    if wanted.total is None and wanted.per_cell is None:
        wanted = msgspec.structs.replace(wanted, total=TOTAL)
    there = Counter(candidate.cell for candidate in drawn_from)
    items = stratified(drawn_from, wanted)
    taken = Counter(_cell(item.fields) for item in items)
    return tuple(
        msgspec.structs.replace(
            item,
            fields=item.fields | {"weight": repr(there[cell] / taken[cell])},
        )
        for item in items
        for cell in (_cell(item.fields),)
    )


def _cell(fields: Mapping[str, str]) -> Cell:
    return tuple(fields[name] for name in ("model", *_FACETS))


# --- judging ---------------------------------------------------------------------------------


def person(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """Whom a person sees."""
    yield _judged(item, GENDER, str(response.answers["shows"]))


def automatic(item: StudyItem) -> Iterator[Judgement]:
    """Whom the judges saw, together and each of them; what could not be read is no label."""
    yield _judged(item, GENDER, item.fields["label"] or None)
    for name, label in json.loads(item.fields["votes"]).items():
        yield _judged(item, f"{VOTE}{name}", label)


def _judged(item: StudyItem, name: str, label: str | None) -> Judgement:
    fields = item.fields
    return Judgement(
        item=item.id,
        group=fields["cluster"],
        language=fields["language"],
        name=name,
        label=label,
        outcome=outcome_of(label, fields["grammar"]),
        counts={"weight": float(fields["weight"])},
        facets={name: fields[name] for name in ("condition", "agreement")},
    )


kind: StudyKind[Prompted, GramvisProtocol] = StudyKind(
    study=study,
    candidates=candidates,
    draw=draw,
    judge=person,
    automatic=automatic,
    metrics=metrics,
    tables=tables,
)
