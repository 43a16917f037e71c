"""Many people at once, and a server that dies among them: the benchmark, in small."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import annotate_load
from annotators.audit import Audit, audit, study
from annotators.person import Notes
from epicene.studies.collection.folder import open_study_folder
from epicene.studies.design.schema import Response

NOTHING = Audit(lost=0, double=0, strange=0, over=0)


def test_nothing_is_lost_or_kept_twice_though_the_server_dies(tmp_path: Path) -> None:
    measured = annotate_load.measure(
        tmp_path / "study", people=20, seconds=8, kills=1, think=(0.1, 0.4)
    )
    assert measured.faults == []
    assert measured.audit == NOTHING
    assert len(measured.outages) == 1
    assert measured.judgements  # how many depends on the machine
    assert measured.is_sound


def test_items_get_their_judgements_and_no_more(tmp_path: Path) -> None:
    measured = annotate_load.measure(
        tmp_path / "study", people=6, seconds=300, think=(0.05, 0.2), items=8
    )
    assert measured.is_sound
    given = Counter(each.item for each in open_study_folder(tmp_path / "study").responses())
    assert given == dict.fromkeys((f"item-{n}" for n in range(1, 9)), annotate_load.JUDGEMENTS)


# --- the audit itself ------------------------------------------------------------------------


def response(person: str, item: int, note: str) -> Response:
    return Response(
        study="load",
        participant=person,
        item=f"item-{item}",
        answers={"label": "correct", "note": note},
    )


STORED = (response("ann", 1, "ann 1"), response("bob", 1, "bob 1"), response("ann", 2, "ann 2"))


def heard() -> dict[str, Notes]:
    return {"ann": Notes(kept={1: "ann 1", 2: "ann 2"}), "bob": Notes(kept={1: "bob 1"})}


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        (STORED, NOTHING),
        (STORED[:2], NOTHING._replace(lost=1)),
        ((*STORED[:2], response("ann", 2, "ann 3")), NOTHING._replace(lost=1)),
        ((*STORED, response("bob", 2, "bob 2")), NOTHING._replace(strange=1)),
        ((*STORED, response("ann", 3, "ann 2")), NOTHING._replace(double=1, strange=1)),
        ((*STORED, STORED[0]), NOTHING._replace(double=1, over=1)),
        ((*STORED, response("cem", 1, "cem 1")), NOTHING._replace(strange=1, over=1)),
    ],
)
def test_the_audit_finds_what_is_wrong(stored: tuple[Response, ...], found: Audit) -> None:
    assert audit(study(items=3, judgements=2), heard(), stored) == found


SOUND = annotate_load.Measured(
    milliseconds=[float(n) for n in range(1, 101)],
    left_out=0,
    unanswered=0,
    seconds=1.0,
    judgements=3,
    undone=0,
    outages=[],
    server_share=0.0,
    people_share=0.0,
    memory=0.0,
    load=0.0,
    audit=NOTHING,
    faults=[],
)


def test_times_are_those_within_which_a_share_was_answered() -> None:
    assert [SOUND.at(share) for share in (0.5, 0.99, 1.0)] == [50.0, 99.0, 100.0]
    assert ("99 % (ms)", "99") in annotate_load.rows(SOUND)


@pytest.mark.parametrize(
    "changed",
    [*({"audit": NOTHING._replace(**{name: 1})} for name in Audit._fields), {"faults": ["twice"]}],
)
def test_what_is_not_sound(changed: dict[str, Any]) -> None:
    assert SOUND.is_sound
    assert not replace(SOUND, **changed).is_sound
