"""Which item a participant gets next. Every method works inside the caller's transaction.

Each item goes to as many participants as are to judge it, and to nobody twice; an item left
unanswered for too long is released. The cost per call does not grow with the number of responses.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.studies.collection.database import exists
from epicene.studies.design.lists import (
    filler_positions,
    hash_fraction,
    items_by_list,
    presentation_order,
)
from epicene.studies.design.schema import judgements_wanted

if TYPE_CHECKING:
    import sqlite3

    from epicene.studies.design.schema import Study

TaskPart: TypeAlias = Literal["practice", "item", "beside"]

# The first free item of a list, in a range of positions, that a participant has not had
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
    """The item to assign next, and the part of the study it belongs to."""

    item: str
    part: TaskPart


class AssignmentRules:
    """Decides what each participant of a study gets next."""

    def __init__(self, study: Study, db: sqlite3.Connection, lease: float) -> None:
        self._study = study
        self._db = db
        self._lease = lease
        self._lists = items_by_list(study)
        # How many participants each list needs
        self._wanted = {
            name: max((judgements_wanted(study, item) for item in items), default=0)
            for name, items in self._lists.items()
        }
        self._list_order = lru_cache(maxsize=2048)(self._presentation_ids)

    def wants_list(self, participant: sqlite3.Row) -> bool:
        """Whether a participant has no list, or has seen nothing of one that others finished."""
        if participant["list"] not in self._lists:  # none yet, or one removed from the study
            return True
        return participant["items"] == 0 and not self._is_open(participant["list"])

    def choose_list(self, now: float) -> str | None:
        """The list that lacks most participants, then most judgements; None if none is open.

        Participants who were idle for longer than the lease no longer count.
        """
        if self._study.lists == "none":
            return "" if self._is_open("") else None
        active: dict[str, int] = dict(
            self._db.execute(
                "SELECT list, count(*) FROM people WHERE list IS NOT NULL"
                " AND (finished IS NOT NULL OR seen > ?) AND participant NOT IN"
                " (SELECT participant FROM exclusions WHERE lifted IS NULL) GROUP BY list",
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
            left, key=lambda name: (max(0, self._wanted[name] - active.get(name, 0)), left[name])
        )

    def max_tasks(self, name: str | None) -> int:
        """How many tasks a participant on a list gets at most, without practice."""
        items = self._max_items(0 if name is None else len(self._lists.get(name, ())))
        return items + len(self._study.fillers) + len(self._study.checks)

    def _max_items(self, available: int) -> int:
        limit = self._study.per_person
        return available if limit is None else min(available, limit)

    def _is_open(self, name: str) -> bool:
        return exists(self._db, "SELECT 1 FROM places WHERE list = ? AND free = 1 LIMIT 1", name)

    def release_lapsed(self, now: float) -> None:
        """Release the items whose lease has expired."""
        self._db.execute(
            "UPDATE assignments SET state = 'lapsed', lapses = NULL"
            " WHERE lapses IS NOT NULL AND lapses < ?",
            (now,),
        )

    def is_free(self, item: str) -> bool:
        """Whether an item needs more judgements than are given or under way."""
        return exists(self._db, "SELECT 1 FROM places WHERE item = ? AND free = 1", item)

    def next_task(self, participant: sqlite3.Row) -> NextTask | None:
        """What a participant gets next; None if nothing is left for them."""
        for practice in self._study.practice[participant["practised"] :]:
            self._count(participant, "practised")
            if not self._was_given(participant, practice.id):
                return NextTask(practice.id, "practice")
        if self._study.lists == "none":
            return self._next_of_all(participant)
        return self._next_of_list(participant)

    def _next_of_list(self, participant: sqlite3.Row) -> NextTask | None:
        """The next in the participant's own order that still needs judgements."""
        more = self._may_have_more(participant)
        items = {item.id for item in self._lists[participant["list"]]}
        for name in self._list_order(participant["participant"], participant["list"])[
            participant["walked"] :
        ]:
            self._count(participant, "walked")
            if self._was_given(participant, name):
                continue
            if name not in items:
                return NextTask(name, "beside")
            if more and self.is_free(name):
                return NextTask(name, "item")
        return self._next_free(participant, 0.0) if more else None

    def _presentation_ids(self, participant: str, name: str) -> tuple[str, ...]:
        return tuple(
            item.id for item in presentation_order(self._study, self._lists[name], participant)
        )

    def _next_of_all(self, participant: sqlite3.Row) -> NextTask | None:
        """A filler or check that is due, or any item that needs judgements.

        After the last item come the remaining fillers and checks.
        """
        more = self._may_have_more(participant)
        task = self._next_free(participant, self._start(participant)) if more else None
        no_more_items = task is None and participant["items"] > 0
        count = self._max_items(len(self._study.items))
        fillers = filler_positions(self._study, participant["participant"])
        for share, filler in fillers[participant["walked"] :]:
            if share * count > participant["items"] and not no_more_items:
                break
            self._count(participant, "walked")
            if not self._was_given(participant, filler.id):
                return NextTask(filler.id, "beside")
        return task

    def _start(self, participant: sqlite3.Row) -> float:
        """Where to look first: anywhere, or after the last item if the order is fixed."""
        if self._study.shuffle:
            return hash_fraction(
                self._study.name, participant["participant"], participant["numbers"]
            )
        last = self._db.execute(
            "SELECT place FROM assignments JOIN places USING (item)"
            " WHERE participant = ? AND part = 'item' ORDER BY number DESC LIMIT 1",
            (participant["participant"],),
        ).fetchone()
        return 0.0 if last is None else float(last["place"])

    def _next_free(self, participant: sqlite3.Row, start: float) -> NextTask | None:
        """The first item from `start` on, wrapping around, that the participant may have."""
        for least, below in ((start, 2.0), (0.0, start)):
            found = self._db.execute(
                NEXT_FREE_ITEM,
                {
                    "list": participant["list"],
                    "participant": participant["participant"],
                    "least": least,
                    "below": below,
                },
            ).fetchone()
            if found is not None:
                return NextTask(found["item"], "item")
        return None

    def _may_have_more(self, participant: sqlite3.Row) -> bool:
        return self._study.per_person is None or participant["items"] < self._study.per_person

    def _was_given(self, participant: sqlite3.Row, item: str) -> bool:
        """Whether a participant has had an item, here or on an imported sheet."""
        return exists(
            self._db,
            "SELECT 1 FROM assignments WHERE participant = ?1 AND item = ?2"
            " UNION ALL SELECT 1 FROM responses WHERE participant = ?1 AND item = ?2 LIMIT 1",
            *(participant["participant"], item),
        )

    def _count(self, participant: sqlite3.Row, column: Literal["practised", "walked"]) -> None:
        self._db.execute(
            f"UPDATE people SET {column} = {column} + 1 WHERE participant = ?",  # noqa: S608
            (participant["participant"],),
        )
