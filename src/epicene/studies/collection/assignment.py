"""Which item a participant gets next. Every function works inside the caller's transaction.

Each item goes to as many people as are to judge it and to nobody twice; an item left unanswered for
too long is released. The work per call does not grow with the number of responses.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.studies.collection.database import hash_fraction
from epicene.studies.design.lists import filler_positions, items_by_list, presentation_order
from epicene.studies.design.schema import judgements_wanted

if TYPE_CHECKING:
    import sqlite3

    from epicene.studies.design.schema import Study

TaskPart: TypeAlias = Literal["practice", "item", "beside"]

# The first item of a list, in a range of places, that a person may have.
NEXT_FREE_ITEM = """
    SELECT item, place FROM places
    WHERE list = :list AND free = 1 AND place >= :least AND place < :below
    AND NOT EXISTS (
        SELECT 1 FROM assignments WHERE participant = :participant AND item = places.item)
    AND NOT EXISTS (
        SELECT 1 FROM responses WHERE participant = :participant AND item = places.item)
    ORDER BY place LIMIT 1
"""


class NextTask(NamedTuple):
    """What a person is to be given, and which part of the study it is of."""

    item: str
    part: TaskPart


class AssignmentRules:
    """The rules of one study."""

    def __init__(self, study: Study, db: sqlite3.Connection, lease: float) -> None:
        self._study = study
        self._db = db
        self._lease = lease
        self._lists = items_by_list(study)
        # How many people a list takes.
        self._wanted = {
            name: max((judgements_wanted(study, item) for item in items), default=0)
            for name, items in self._lists.items()
        }
        self._sequence = lru_cache(maxsize=2048)(self._walk_of)

    def wants_list(self, person: sqlite3.Row) -> bool:
        """Whether a person has no list yet, or saw nothing of one that others finished."""
        if person["list"] not in self._lists:  # none yet, or one that the study no longer has
            return True
        return person["items"] == 0 and not self._is_open(person["list"])

    def choose_list(self, now: float) -> str | None:
        """The list that lacks most people, then the one with most left; None if all is given out.

        Who left before the end, for longer than an item may stay out, no longer counts.
        """
        if self._study.lists == "none":
            return "" if self._is_open("") else None
        here: dict[str, int] = dict(
            self._db.execute(
                "SELECT list, count(*) FROM people WHERE list IS NOT NULL"
                " AND (finished IS NOT NULL OR seen > ?) GROUP BY list",
                (now - self._lease,),
            ).fetchall()
        )
        left: dict[str, int] = dict(
            self._db.execute(
                "SELECT list, sum(wanted - given - out) FROM places WHERE free = 1 GROUP BY list"
            ).fetchall()
        )
        if not left:
            return None
        return max(
            left, key=lambda name: (max(0, self._wanted[name] - here.get(name, 0)), left[name])
        )

    def most(self, name: str | None) -> int:
        """How much a person on a list sees at most, the practice left out."""
        items = 0 if name is None else len(self._lists.get(name, ()))
        if self._study.per_person is not None:
            items = min(items, self._study.per_person)
        return items + len(self._study.fillers) + len(self._study.checks)

    def _is_open(self, name: str) -> bool:
        found = self._db.execute(
            "SELECT 1 FROM places WHERE list = ? AND free = 1 LIMIT 1", (name,)
        )
        return found.fetchone() is not None

    def release_lapsed(self, now: float) -> None:
        """Let others have what was left unanswered for too long."""
        self._db.execute(
            "UPDATE assignments SET state = 'lapsed', lapses = NULL"
            " WHERE lapses IS NOT NULL AND lapses < ?",
            (now,),
        )

    def is_free(self, item: str) -> bool:
        """Whether an item lacks judgements that nobody is about to give."""
        found = self._db.execute("SELECT 1 FROM places WHERE item = ? AND free = 1", (item,))
        return found.fetchone() is not None

    def following(self, person: sqlite3.Row) -> NextTask | None:
        """What comes after all that the person was given; None where nothing is left for them."""
        for practice in self._study.practice[person["practised"] :]:
            self._count(person, "practised")
            if not self._was_given(person, practice.id):
                return NextTask(practice.id, "practice")
        if self._study.lists == "none":
            return self._of_all(person)
        return self._of_list(person)

    def _of_list(self, person: sqlite3.Row) -> NextTask | None:
        """The next of the person's own sequence that still lacks judgements."""
        more = self._may_have_more(person)
        items = {item.id for item in self._lists[person["list"]]}
        for name in self._sequence(person["participant"], person["list"])[person["walked"] :]:
            self._count(person, "walked")
            if self._was_given(person, name):
                continue
            if name not in items:
                return NextTask(name, "beside")
            if more and self.is_free(name):
                return NextTask(name, "item")
        return self._free(person, 0.0) if more else None

    def _walk_of(self, participant: str, name: str) -> tuple[str, ...]:
        return tuple(
            item.id for item in presentation_order(self._study, self._lists[name], participant)
        )

    def _of_all(self, person: sqlite3.Row) -> NextTask | None:
        """A filler or check that is due, or any item that lacks judgements.

        Who has had all the items there are for them gets what is left of fillers and checks.
        """
        found = self._free(person, self._start(person)) if self._may_have_more(person) else None
        over = found is None and person["items"] > 0
        hand = len(self._study.items)
        if self._study.per_person is not None:
            hand = min(hand, self._study.per_person)
        for share, beside in filler_positions(self._study, person["participant"])[
            person["walked"] :
        ]:
            if share * hand > person["items"] and not over:
                break
            self._count(person, "walked")
            if not self._was_given(person, beside.id):
                return NextTask(beside.id, "beside")
        return found

    def _start(self, person: sqlite3.Row) -> float:
        """Where to look first: anywhere, or after the person's last where the order is fixed."""
        if self._study.shuffle:
            return hash_fraction(self._study.name, person["participant"], person["numbers"])
        last = self._db.execute(
            "SELECT place FROM assignments JOIN places USING (item)"
            " WHERE participant = ? AND part = 'item' ORDER BY number DESC LIMIT 1",
            (person["participant"],),
        ).fetchone()
        return 0.0 if last is None else float(last["place"])

    def _free(self, person: sqlite3.Row, start: float) -> NextTask | None:
        """The first item from a place on, all the way round, that the person may have."""
        for least, below in ((start, 2.0), (0.0, start)):
            found = self._db.execute(
                NEXT_FREE_ITEM,
                {
                    "list": person["list"],
                    "participant": person["participant"],
                    "least": least,
                    "below": below,
                },
            ).fetchone()
            if found is not None:
                return NextTask(found["item"], "item")
        return None

    def _may_have_more(self, person: sqlite3.Row) -> bool:
        return self._study.per_person is None or person["items"] < self._study.per_person

    def _was_given(self, person: sqlite3.Row, item: str) -> bool:
        """Whether a person has had an item: here, or on a sheet that was imported."""
        both = (person["participant"], item)
        found = self._db.execute(
            "SELECT 1 FROM assignments WHERE participant = ? AND item = ?"
            " UNION ALL SELECT 1 FROM responses WHERE participant = ? AND item = ? LIMIT 1",
            (*both, *both),
        )
        return found.fetchone() is not None

    def _count(self, person: sqlite3.Row, column: Literal["practised", "walked"]) -> None:
        self._db.execute(
            f"UPDATE people SET {column} = {column} + 1 WHERE participant = ?",  # noqa: S608
            (person["participant"],),
        )
