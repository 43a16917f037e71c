"""Excluded people: by the rule in study.toml or by hand, with their items given to others."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.collection import exclusion
from epicene.studies.collection.folder import (
    RESPONSES_FILE,
    STUDY_FILE,
    StudyFolder,
    create_study_folder,
)
from epicene.studies.collection.progress import list_progress, participant_progress
from epicene.studies.collection.task_queue import NoTask, Task, TaskQueue
from epicene.studies.design.checks import study_problems
from epicene.studies.design.schema import ExclusionRule, Study, StudyItem
from epicene.studies.exchange.study_files import study_toml
from studies.annotate_command import command
from study_examples import misgendering

RIGHT, WRONG = {"label": "correct"}, {"label": "misgendering"}


def checked(rule: ExclusionRule | None, checks: int = 2) -> Study:
    """Two items that one person each is to judge, and attention checks."""
    study = misgendering()
    made = [
        msgspec.structs.replace(study.items[0], id=f"check{n}", expected=RIGHT)
        for n in range(checks)
    ]
    items = tuple(msgspec.structs.replace(item, judgements=1) for item in study.items)
    return msgspec.structs.replace(study, items=items, checks=tuple(made), exclude=rule)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class People:
    """People who work on a study, each as right and as fast as the test says."""

    def __init__(self, folder: StudyFolder) -> None:
        self.clock = Clock()
        self.queue = TaskQueue(folder, clock=self.clock)
        self.checks = {item.id for item in folder.study.checks}

    def enter(self, name: str) -> None:
        self.queue.participants.enter(name, "open", "en")
        self.queue.participants.consent(name)
        self.queue.participants.begin(name)

    def work(self, name: str, *, right: bool = True, seconds: float = 5, most: int = 99) -> object:
        """Answer until nothing is left, or so many tasks; what the person is shown then."""
        self.enter(name)
        for _ in range(most):
            work = self.queue.current_state(name).work
            if not isinstance(work, Task):
                return work
            self.clock.now += seconds
            fits = right or work.item.id not in self.checks
            self.queue.answer(name, work.number, work.revision, RIGHT if fits else WRONG)
        return self.queue.current_state(name).work


def given(folder: StudyFolder) -> tuple[int, int]:
    (all_items,) = list_progress(folder.path / RESPONSES_FILE)
    return all_items.given, all_items.wanted


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return create_study_folder(tmp_path / "s", checked(ExclusionRule(checks=0.75, seconds=2)))


def test_who_fails_the_checks_is_replaced(folder: StudyFolder) -> None:
    people = People(folder)
    assert people.work("cem", right=False) == NoTask(excluded=True)
    assert given(folder)[0] == 0
    assert people.queue.participants.get("cem").stage == "excluded"
    assert people.work("ann") == NoTask()
    assert given(folder) == (2, 2)
    assert {
        each.participant: each.state for each in participant_progress(folder.path / RESPONSES_FILE)
    } == {
        "ann": "finished",
        "cem": "excluded",
    }
    assert "failed attention checks" in folder.exclusions()["cem"].reason
    assert {each.participant for each in folder.responses()} == {"ann", "cem"}
    assert {each.participant for each in folder.valid_responses().responses} == {"ann"}


def test_the_first_wrong_check_ends_it_if_no_other_can_make_up_for_it(folder: StudyFolder) -> None:
    people = People(folder)
    people.work("cem", right=False)
    checks = [each for each in folder.responses() if each.item in people.checks]
    assert len(checks) == 1


def test_one_wrong_check_of_four_is_not_too_many(tmp_path: Path) -> None:
    made = create_study_folder(tmp_path / "s", checked(ExclusionRule(checks=0.75), 4))
    people = People(made)
    people.enter("ann")
    wrong = 0
    while isinstance(work := people.queue.current_state("ann").work, Task):
        slips = work.item.id in people.checks and not wrong
        wrong += slips
        people.queue.answer("ann", work.number, work.revision, WRONG if slips else RIGHT)
    assert work == NoTask()
    assert wrong == 1
    assert made.exclusions() == {}


def test_who_is_too_fast_is_excluded_at_the_end_alone(folder: StudyFolder) -> None:
    people = People(folder)
    assert isinstance(people.work("dee", seconds=0.4, most=2), Task)
    assert people.work("dee", seconds=0.4) == NoTask(excluded=True)
    assert folder.exclusions()["dee"].reason == "answered too fast (median 0.4 s per item)"


def test_by_hand_while_the_study_is_served(folder: StudyFolder) -> None:
    people = People(folder)
    people.work("ann")
    with pytest.raises(InputError, match="Give a reason"):
        exclusion.exclude_participant(folder, "ann", " ", "eve")
    with pytest.raises(InputError, match="bob"):
        exclusion.exclude_participant(folder, "bob", "withdrew", "eve")
    exclusion.exclude_participant(folder, "ann", "did not understand", "eve")
    assert given(folder)[0] == 0
    assert people.work("bob") == NoTask()
    exclusion.readmit_participant(folder, "ann")
    assert folder.exclusions() == {}
    assert {each.participant for each in folder.valid_responses().responses} == {"ann", "bob"}


def test_the_rule_spares_who_was_readmitted(folder: StudyFolder) -> None:
    people = People(folder)
    people.work("cem", right=False)
    exclusion.readmit_participant(folder, "cem")
    assert people.work("cem", right=False) == NoTask()
    assert exclusion.apply_rule(folder) == {}


def test_the_rule_for_people_who_left_early_and_for_imported_answers(
    folder: StudyFolder, tmp_path: Path
) -> None:
    sheet = tmp_path / "all.csv"
    sheet.write_text("participant,item,label\nfay,g1,correct\nfay,check0,no-pronoun\n", "utf-8")
    folder.import_file(sheet)
    assert exclusion.apply_rule(folder) == {"fay": "failed attention checks (0 of 1 right)"}
    assert folder.valid_responses().responses == []


def test_an_item_that_an_excluded_person_has_open_is_free_at_once(folder: StudyFolder) -> None:
    people = People(folder)
    people.work("ann", most=0)
    people.enter("bob")
    first = people.queue.current_state("ann").work
    assert isinstance(first, Task)
    exclusion.exclude_participant(folder, "ann", "left", "eve")
    seen = []
    while isinstance(work := people.queue.current_state("bob").work, Task):
        seen.append(work.item.id)
        people.queue.answer("bob", work.number, work.revision, RIGHT)
    assert first.item.id in seen


def test_the_command_and_the_tables_say_who_is_out(
    folder: StudyFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    people = People(folder)
    people.work("cem", right=False)
    people.work("ann")
    people.queue.close()
    assert command("tables", folder.path) == 0
    assert "cem (excluded: failed attention checks)" in capsys.readouterr().out
    assert command("exclude", folder.path, "ann", "--reason", "test") == 0
    assert command("exclude", folder.path, "ann", "--readmit") == 0
    assert command("exclude", folder.path, "cem", "--readmit") == 0
    assert command("exclude", folder.path, "cem", "--readmit") == 2
    assert "Nobody is excluded, so 'cem' cannot be readmitted." in capsys.readouterr().err
    assert command("exclude", folder.path) == 2
    assert "Name people, or use --rule" in capsys.readouterr().err


def test_an_export_says_whether_it_has_the_answers_of_who_is_out(
    folder: StudyFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = People(folder)
    people.work("cem", right=False)
    people.work("ann")
    people.queue.close()
    for per, said in (
        ("judgement", "Do not count these people (see the column `excluded`): cem (excluded: "),
        ("participant", "Do not count these people (see the column `excluded`): cem (excluded: "),
        ("item", "Left out: cem (excluded: failed"),
    ):
        out = tmp_path / f"{per}.csv"
        assert command("export", folder.path, "--per", per, "-o", out) == 0
        assert said in capsys.readouterr().err
        assert ("cem" in out.read_text("utf-8")) == (per != "item")


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (ExclusionRule(), "must set checks or seconds"),
        (ExclusionRule(checks=1.5), "must be more than 0 and at most 1"),
        (ExclusionRule(seconds=0), "must be more than 0"),
    ],
)
def test_a_rule_that_makes_no_sense(rule: ExclusionRule, problem: str) -> None:
    assert any(problem in each for each in study_problems(checked(rule)))


def test_checks_are_wanted_for_a_rule_about_them() -> None:
    study = msgspec.structs.replace(checked(ExclusionRule(checks=1)), checks=())
    assert any("the study has none" in each for each in study_problems(study))


def test_the_rule_is_kept_in_study_toml(folder: StudyFolder) -> None:
    assert "[exclude]" in (folder.path / STUDY_FILE).read_text("utf-8")
    assert "[exclude]" not in study_toml(checked(None))
    assert isinstance(folder.study.items[0], StudyItem)
