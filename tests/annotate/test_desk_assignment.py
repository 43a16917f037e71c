"""Whatever people do in whatever order, each item gets its judgements and nobody any twice."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epicene.annotate.assignment import FREE
from epicene.annotate.desk import Desk, Feedback, Nothing, Task, Work
from epicene.annotate.folder import RESPONSES, StudyFolder, create_folder
from epicene.annotate.results import judgements_wanted
from epicene.studies import Choose, Study, StudyItem, TextPanel
from epicene.studies.lists import lists_of, sequence
from study_examples import en, options, study

LEASE = 100.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def item(name: str, **more: object) -> StudyItem:
    return msgspec.convert({"id": name, "fields": {"text": name}, **more}, StudyItem)


def small(count: int, **settings: object) -> Study:
    return study(
        (TextPanel(field="text"),),
        (Choose(id="label", ask=en("Which?"), options=options("a", "b")),),
        settings.pop("items", None) or tuple(item(f"i{number}") for number in range(count)),  # type: ignore[arg-type]
        **settings,
    )


def with_besides(count: int, **settings: object) -> Study:
    right = {"label": "a"}
    return small(
        count,
        practice=(item("x1", expected=right, feedback=en("a")), item("x2")),
        fillers=(item("f1"), item("f2")),
        checks=(item("c1", expected=right),),
        **settings,
    )


@contextmanager
def opened(study: Study, folder: Path, clock: Clock | None = None) -> Iterator[Desk]:
    desk = Desk(create_folder(folder, study), lease=LEASE, clock=clock or Clock())
    try:
        yield desk
    finally:
        desk.close()


def enter(desk: Desk, *people: str) -> None:
    for person in people:
        assert desk.reception.enter(person, "personal")
        desk.reception.begin(person)


def work_of(desk: Desk, person: str) -> Work:
    return desk.situation(person).work


def answer(desk: Desk, person: str, task: Task, choice: str = "a") -> str:
    return desk.answer(person, task.number, task.revision, {"label": choice})


def step(desk: Desk, person: str) -> bool:
    """One step of a person; whether there was anything to do."""
    work = work_of(desk, person)
    if isinstance(work, Task):
        assert answer(desk, person, work) == "saved"
    elif isinstance(work, Feedback):
        desk.go_on(person, work.number)
    return not isinstance(work, Nothing)


def counts(desk: Desk) -> Counter[str]:
    """How many responses an item has, told from the responses alone."""
    with sqlite3.connect(desk.path) as db:
        return Counter(name for (name,) in db.execute("SELECT item FROM responses"))


def judged(desk: Desk) -> list[int]:
    found = counts(desk)
    return [found[item.id] for item in desk.study.items]


def wanted(desk: Desk) -> list[int]:
    return [judgements_wanted(desk.study, item) for item in desk.study.items]


def state_of(desk: Desk, person: str, task: Task) -> str:
    with sqlite3.connect(desk.path) as db:
        query = "SELECT state FROM assignments WHERE participant = ? AND number = ?"
        (state,) = db.execute(query, (person, task.number)).fetchone()
    return str(state)


# --- any interleaving --------------------------------------------------------------------------

PEOPLE = ("ann", "bob", "cem", "dia", "eva", "fay")
NEWCOMERS = ("gus", "hal", "ian", "jan", "kai", "lea")


@st.composite
def studies(draw: st.DrawFn) -> Study:
    kind = draw(st.sampled_from(["none", "given", "rotated"]))
    count = draw(st.integers(1, 6))
    judgements = draw(st.integers(1, 2 if kind == "rotated" else 3))
    items = tuple(
        item(
            f"i{number}",
            list="AB"[number % 2],
            group=f"g{number // 2}",
            judgements=draw(st.sampled_from([None, None, 0, 1, 2])) if kind == "none" else None,
        )
        for number in range(count)
    )
    return with_besides(
        0,
        items=items,
        lists=kind,
        judgements=judgements,
        shuffle=draw(st.booleans()),
    )


class Crowd:
    """People who look, answer, go back and leave, as hypothesis has them."""

    def __init__(self, desk: Desk, clock: Clock, data: st.DataObject) -> None:
        self.desk, self.clock, self.data = desk, clock, data
        self.shown: dict[str, dict[int, Task]] = {person: {} for person in PEOPLE}
        self.late = Counter[str]()
        enter(desk, *PEOPLE)

    def act(self) -> None:
        acts = [self.look, self.answer_any, self.undo, self.wait]
        chosen = self.data.draw(st.sampled_from(acts), label="what")
        chosen(self.data.draw(st.sampled_from(PEOPLE), label="who"))
        _check_ledger(self.desk)

    def look(self, person: str) -> None:
        work = work_of(self.desk, person)
        if isinstance(work, Task):
            self.shown[person][work.number] = work
        elif isinstance(work, Feedback):
            self.desk.go_on(person, work.number)

    def answer_any(self, person: str) -> None:
        """Whatever page is open somewhere, however old, is sent, and perhaps twice."""
        if not self.shown[person]:
            return
        pages = list(self.shown[person].values())
        task = self.data.draw(st.sampled_from(pages), label="which")
        before = counts(self.desk)
        late = state_of(self.desk, person, task) in ("lapsed", "withdrawn")
        kept = answer(self.desk, person, task)
        more = counts(self.desk) - before
        assert more == ({task.item.id: 1} if kept == "saved" else {})
        if self.data.draw(st.booleans(), label="again"):
            again = answer(self.desk, person, task)
            assert again == ("conflict" if kept == "conflict" else "repeated")
        self.late[task.item.id] += late and kept == "saved"

    def undo(self, person: str) -> None:
        last = self.desk.situation(person).undo
        assert last is None or self.desk.undo(person, last)

    def wait(self, _person: str) -> None:
        self.clock.now += self.data.draw(st.sampled_from([1.0, 60.0, LEASE + 1]), label="seconds")


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(study=studies(), data=st.data())
def test_any_order_of_acts_gives_each_item_its_judgements(
    study: Study, data: st.DataObject
) -> None:
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, opened(study, Path(folder) / "s", clock) as desk:
        crowd = Crowd(desk, clock, data)
        for _ in range(data.draw(st.integers(0, 40), label="acts")):
            crowd.act()
        clock.now += LEASE + 1
        enter(desk, *NEWCOMERS)  # in place of who left a list half done
        for person in (*PEOPLE, *NEWCOMERS, *PEOPLE):
            while step(desk, person):
                pass
        for each in study.items:
            found, needed = counts(desk)[each.id], judgements_wanted(study, each)
            assert needed <= found <= needed + crowd.late[each.id]
        _check_ledger(desk)


def _check_ledger(desk: Desk) -> None:
    """The counts that the database keeps are those of its rows."""
    with sqlite3.connect(desk.path) as db:
        for name, given_, out in db.execute("SELECT item, given, out FROM places"):
            assert (given_,) == db.execute(
                "SELECT count(*) FROM responses WHERE item = ?", (name,)
            ).fetchone()
            assert (out,) == db.execute(
                "SELECT count(*) FROM assignments WHERE item = ? AND state = 'out'", (name,)
            ).fetchone()
        numbers = db.execute("SELECT participant, number FROM assignments").fetchall()
        assert len(set(numbers)) == len(numbers)


# --- single rules ------------------------------------------------------------------------------


@pytest.mark.parametrize("shuffle", [True, False])
def test_without_leaving_each_item_gets_exactly_its_number(tmp_path: Path, shuffle: bool) -> None:
    with opened(small(30, judgements=3, shuffle=shuffle), tmp_path / "s") as desk:
        people = [f"p{number}" for number in range(9)]
        enter(desk, *people)
        for person in cycle(people):
            if not step(desk, person) and not any(step(desk, other) for other in people):
                break
        assert judged(desk) == wanted(desk) == [3] * 30


def test_no_item_is_with_more_people_than_it_wants(tmp_path: Path) -> None:
    with opened(small(4, judgements=2), tmp_path / "s") as desk:
        people = [f"p{number}" for number in range(12)]
        enter(desk, *people)
        given_ = [work for person in people if isinstance(work := work_of(desk, person), Task)]
        assert Counter(task.item.id for task in given_) == {f"i{number}": 2 for number in range(4)}


def test_what_is_left_unanswered_goes_to_others_and_a_late_answer_counts_once(
    tmp_path: Path,
) -> None:
    clock = Clock()
    with opened(small(1), tmp_path / "s", clock) as desk:
        enter(desk, "ann", "bob")
        late = work_of(desk, "ann")
        assert isinstance(late, Task)
        assert isinstance(work_of(desk, "bob"), Nothing)
        clock.now += LEASE - 1
        assert work_of(desk, "ann") == late  # who looks at it keeps it
        clock.now += LEASE - 1
        assert isinstance(work_of(desk, "bob"), Nothing)
        clock.now += 2
        taken = work_of(desk, "bob")
        assert isinstance(taken, Task)
        assert taken.item.id == "i0"
        assert isinstance(work_of(desk, "ann"), Nothing)
        assert answer(desk, "bob", taken) == "saved"
        assert answer(desk, "ann", late) == "saved"
        assert answer(desk, "ann", late) == "repeated"
        assert judged(desk) == [2]


def test_who_comes_back_before_others_goes_on_where_they_were(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(1), tmp_path / "s", clock) as desk:
        enter(desk, "ann", "bob")
        first = work_of(desk, "ann")
        clock.now += LEASE * 3
        assert work_of(desk, "ann") == first
        assert isinstance(work_of(desk, "bob"), Nothing)


def test_a_person_gets_at_most_so_many_and_the_checks_among_them(tmp_path: Path) -> None:
    with opened(with_besides(20, per_person=4), tmp_path / "s") as desk:
        enter(desk, "ann")
        while step(desk, "ann"):
            pass
        found = counts(desk)
        assert sum(count for name, count in found.items() if name.startswith("i")) == 4
        assert {name for name in found if not name.startswith("i")} == {
            "x1",
            "x2",
            "f1",
            "f2",
            "c1",
        }


def test_a_list_is_seen_in_the_persons_own_sequence(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="AB"[number % 2]) for number in range(10))
    one = with_besides(0, items=items, lists="given")
    with opened(one, tmp_path / "s") as desk:
        seen: dict[str, list[str]] = {}
        for person in ("ann", "bob"):
            enter(desk, person)
            seen[person] = []
            while not isinstance(work := work_of(desk, person), Nothing):
                if isinstance(work, Task):
                    seen[person].append(work.item.id)
                step(desk, person)
        lists = [
            [[each.id for each in sequence(one, part, person)] for part in lists_of(one).values()]
            for person in seen
        ]
        assert all(order[:2] == ["x1", "x2"] for order in seen.values())
        assert seen["ann"][2:] in lists[0]
        assert seen["bob"][2:] in lists[1]
        assert set(seen["ann"]) & set(seen["bob"]) == {"x1", "x2", "f1", "f2", "c1"}
        assert judged(desk) == [1] * 10


def test_who_shares_a_list_gets_what_is_left_of_it(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="A") for number in range(6))
    with opened(with_besides(0, items=items, lists="given"), tmp_path / "s") as desk:
        enter(desk, "ann", "bob", "cem")
        for person in ("ann", "bob") * 9:
            step(desk, person)
        while step(desk, "ann") or step(desk, "bob"):
            pass
        assert judged(desk) == [1] * 6
        assert isinstance(work_of(desk, "cem"), Nothing)


def test_who_saw_nothing_of_a_list_that_others_finished_gets_another(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="AB"[number]) for number in range(2))
    clock = Clock()
    with opened(with_besides(0, items=items, lists="given"), tmp_path / "s", clock) as desk:
        enter(desk, "ann", "bob")
        assert isinstance(work_of(desk, "ann"), Task)  # practice, and a list
        clock.now += LEASE + 1
        for person in ("bob", "ann"):
            while step(desk, person):
                pass
        assert judged(desk) == [1, 1]


def test_lists_fill_evenly(tmp_path: Path) -> None:
    items = tuple(item(f"i{number}", list="ABC"[number % 3]) for number in range(6))
    with opened(small(0, items=items, lists="given", judgements=4), tmp_path / "s") as desk:
        people = [f"p{number}" for number in range(12)]
        enter(desk, *people)
        for person in people:
            work_of(desk, person)
        with sqlite3.connect(desk.path) as db:
            held = dict(db.execute("SELECT list, count(*) FROM people GROUP BY list"))
        assert held == {"A": 4, "B": 4, "C": 4}


def test_orders_differ_between_people_and_stay_one_persons(tmp_path: Path) -> None:
    with opened(small(40, judgements=3), tmp_path / "s") as desk:
        orders: dict[str, list[str]] = {}
        for person in ("ann", "bob", "cem"):
            enter(desk, person)
            orders[person] = []
            while isinstance(work := work_of(desk, person), Task):
                assert work_of(desk, person) == work  # a reload draws nothing new
                orders[person].append(work.item.id)
                answer(desk, person, work)
        assert all(len(set(order)) == 40 for order in orders.values())
        assert len({tuple(order) for order in orders.values()}) == 3
        neighbours = [set(pairwise(order)) for order in orders.values()]
        assert len(neighbours[0] & neighbours[1]) < 10


def test_fixed_order_is_that_of_the_file(tmp_path: Path) -> None:
    with opened(small(12, judgements=2, shuffle=False), tmp_path / "s") as desk:
        enter(desk, "ann")
        order = []
        while isinstance(work := work_of(desk, "ann"), Task):
            order.append(work.item.id)
            answer(desk, "ann", work)
        assert order == [f"i{number}" for number in range(12)]


def test_undo_takes_the_answer_back_and_offers_it_again(tmp_path: Path) -> None:
    with opened(small(3), tmp_path / "s") as desk:
        enter(desk, "ann")
        first = work_of(desk, "ann")
        assert isinstance(first, Task)
        answer(desk, "ann", first, "b")
        second = work_of(desk, "ann")
        assert desk.undo("ann", first.number)
        assert not desk.undo("ann", first.number)  # a second click
        assert judged(desk) == [0, 0, 0]
        again = work_of(desk, "ann")
        assert isinstance(again, Task)
        assert (again.number, again.item, again.answers) == (1, first.item, {"label": "b"})
        assert answer(desk, "ann", first, "b") == "conflict"  # a page from before
        assert answer(desk, "ann", again, "a") == "saved"
        assert work_of(desk, "ann") == second


def test_an_import_while_people_work_counts(tmp_path: Path) -> None:
    with opened(small(2), tmp_path / "s") as desk:
        enter(desk, "ann")
        task = work_of(desk, "ann")
        assert isinstance(task, Task)
        sheet = tmp_path / "sheet.csv"
        sheet.write_text(
            f"participant,item,label\nann,{task.item.id},b\nbob,i0,a\nbob,i1,a\n", "utf-8"
        )
        create_folder(tmp_path / "s", desk.study).take(sheet)
        assert isinstance(work_of(desk, "ann"), Nothing)
        assert answer(desk, "ann", task, "a") == "conflict"
        assert (desk.path.parent / RESPONSES).exists()
        _check_ledger(desk)


def test_many_at_once_through_several_processes_would_be_as_one(tmp_path: Path) -> None:
    one = small(40, judgements=5)
    folder = create_folder(tmp_path / "s", one)

    def work(number: int) -> None:
        desk = Desk(folder, lease=LEASE)
        people = [f"p{number}-{each}" for each in range(5)]
        enter(desk, *people)
        while any([step(desk, person) for person in people]):  # noqa: C419 (each of them)
            pass
        desk.close()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))
    with opened(one, tmp_path / "s") as desk:
        assert judged(desk) == [5] * 40


def test_the_choice_of_the_next_item_needs_no_scan(tmp_path: Path) -> None:
    with opened(small(5), tmp_path / "s") as desk, sqlite3.connect(desk.path) as db:
        values = {"list": "", "participant": "ann", "least": 0.0, "below": 2.0}
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {FREE}", values)]
        pending = db.execute(
            "EXPLAIN QUERY PLAN SELECT * FROM assignments WHERE participant = 'a'"
            " AND state <> 'answered' AND state <> 'withdrawn' ORDER BY number LIMIT 1"
        ).fetchone()[3]
    assert not any(step.startswith("SCAN") for step in plan)
    assert any("free_places" in step for step in plan)
    assert "assignments_pending" in pending


def test_a_desk_opened_again_goes_on(tmp_path: Path) -> None:
    clock = Clock()
    with opened(small(4), tmp_path / "s", clock) as desk:
        enter(desk, "ann")
        step(desk, "ann")
        before = work_of(desk, "ann")
    with opened(small(4), tmp_path / "s", clock) as desk:
        assert work_of(desk, "ann") == before
        _check_ledger(desk)
        while step(desk, "ann"):
            pass
        assert judged(desk) == [1] * 4


@pytest.mark.parametrize("lists", ["none", "given"])
def test_what_was_imported_is_not_asked_again(tmp_path: Path, lists: str) -> None:
    items = tuple(item(f"i{number}", list="A") for number in range(4))
    one = with_besides(0, items=items, lists=lists, judgements=2)
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("participant,item,label\nann,i1,b\nann,c1,b\nann,x2,b\n", "utf-8")
    create_folder(tmp_path / "s", one).take(sheet)
    with opened(one, tmp_path / "s") as desk:
        enter(desk, "ann")
        seen = []
        while not isinstance(work := work_of(desk, "ann"), Nothing):
            if isinstance(work, Task):
                seen.append(work.item.id)
            step(desk, "ann")
        assert sorted(seen) == ["f1", "f2", "i0", "i2", "i3", "x1"]
        _check_ledger(desk)


def test_who_shares_the_items_sees_all_checks_all_the_same(tmp_path: Path) -> None:
    with opened(with_besides(12), tmp_path / "s") as desk:
        people = ["ann", "bob", "cem", "dov"]
        enter(desk, *people)
        while any([step(desk, person) for person in people]):  # noqa: C419 (each of them)
            pass
        assert judged(desk) == [1] * 12
        found = counts(desk)
        assert [found[name] for name in ("f1", "f2", "c1")] == [4, 4, 4]


def test_who_was_on_a_list_that_is_gone_gets_another(tmp_path: Path) -> None:
    def of(names: str) -> Study:
        items = tuple(item(f"i{n}", list=names[n % 2]) for n in range(6))
        return small(0, items=items, lists="given")

    folder = create_folder(tmp_path / "s", of("AB"))
    desk = Desk(folder, lease=LEASE)
    enter(desk, "ann")
    step(desk, "ann")
    desk.close()
    desk = Desk(StudyFolder(folder.path, of("CD")), lease=LEASE)
    assert isinstance(work_of(desk, "ann"), Task)
    assert desk.situation("ann").most == 3
    desk.close()
