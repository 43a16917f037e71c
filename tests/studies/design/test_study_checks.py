"""What is wrong with a study is said in one sentence with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.design.checks import check_study, launch_problems, study_problems
from epicene.studies.design.schema import (
    ChoiceScreener,
    MarksQuestion,
    NumberScreener,
    Option,
    Study,
    StudyItem,
    TagsQuestion,
    TextQuestion,
)
from study_examples import completion, en, forced_choice, image, options


def replaced(whole: Study, **changes: Any) -> Study:
    return msgspec.structs.replace(whole, **changes)


def with_question(**changes: Any) -> Study:
    """The completion study with another last question."""
    whole = completion()
    last = msgspec.structs.replace(whole.questions[-1], **changes)
    return replaced(whole, questions=(*whole.questions[:-1], last))


ITEM = StudyItem(id="k2", language="hi", fields={"sentence": "राम"})


def with_item(**changes: Any) -> StudyItem:
    return msgspec.structs.replace(ITEM, **changes)


FAULTS: list[tuple[Study, str]] = [
    (
        replaced(image(), name="../up"),
        "the name '../up' must consist of lower-case letters, digits and hyphens",
    ),
    (replaced(image(), questions=()), "questions is empty"),
    (replaced(image(), show=()), "show is empty"),
    (replaced(image(), judgements=0), "judgements is 0, but must be at least 1"),
    (replaced(image(), per_person=0), "per_person is 0, but must be at least 1"),
    (with_question(id="error"), "questions has the id 'error' 2 times"),
    (with_question(id=""), "questions has an empty id"),
    (
        with_question(id="item"),
        "a question has the id 'item', the name of a column in every export",
    ),
    (
        with_question(options=(Option(id="a;b"), Option(id="c"))),
        "questions[2] (plausible) has the id 'a;b', which a list in a sheet would split",
    ),
    (
        with_question(options=(Option(id="a", key="mm"), Option(id="b"))),
        "questions[2] (plausible) has the key 'mm', but a key must be one letter, digit or sign",
    ),
    *(
        (
            with_question(options=(Option(id="a", key=key), Option(id="b"))),
            f"questions[2] (plausible) has the key {key.lower()!r}, which is reserved on the pages",
        )
        for key in ("u", "U", "?", " ")
    ),
    (
        with_question(options=(Option(id="a", key="n"), Option(id="b", key="N"))),
        "questions[2] (plausible) has the key 'n' 2 times",
    ),
    (
        replaced(
            completion(),
            questions=(
                MarksQuestion(id="m", ask=en("?"), field="sentence", labels=(Option(id="a:b"),)),
                *completion().questions,
            ),
        ),
        "questions[0] (m) has the id 'a:b', but sheets do not allow a colon in an id",
    ),
    (with_question(options=()), "questions[2] (plausible) has fewer than two choices"),
    (
        with_question(between=("sentence", "other")),
        "questions[2] (plausible) has both options and texts to choose between; keep one",
    ),
    (
        with_question(options=(Option(id="a"), Option(id="a"))),
        "questions[2] (plausible) has the id 'a' 2 times",
    ),
    (
        with_question(options=(Option(id="a", key="1"), Option(id="b", key="1"))),
        "questions[2] (plausible) has the key '1' 2 times",
    ),
    (
        with_question(options=(), between=("sentence", "other")),
        "questions[2] (plausible) offers 'other', which is not shown",
    ),
    (
        with_question(when={"plausible": ("yes",)}),
        "questions[2] (plausible) depends on 'plausible', which is not an earlier "
        "question with choices",
    ),
    (
        with_question(when={"grammatical": ("yess",)}),
        "questions[2] (plausible) depends on 'grammatical': there is no choice 'yess'; "
        "did you mean 'yes'?",
    ),
    (
        with_question(ask={"en": "Plausible?", "eng": "Plausible?"}),
        "questions[2].ask: there is no language 'eng'; did you mean 'en'?",
    ),
    (
        replaced(image(), questions=(TagsQuestion(id="t", ask=en("?"), options=()),)),
        "questions[0] (t) has no options",
    ),
    (
        replaced(image(), questions=(MarksQuestion(id="m", ask=en("?"), field="picture"),)),
        "questions[0] (m) marks words of 'picture', which is not shown as a text",
    ),
    (
        replaced(image(), questions=(TextQuestion(id="w", ask=en("?"), same_words=True),)),
        "questions[0] (w) sets same_words but has no source to compare with",
    ),
    (
        replaced(image(), questions=(TextQuestion(id="w", ask=en("?"), draft="votes"),)),
        "questions[0] (w) shows the field 'votes', which is hidden",
    ),
    (replaced(image(), hidden=("picture",)), "show[0] shows the field 'picture', which is hidden"),
    (
        replaced(forced_choice(), instructions={"hi": "चुनिए"}),
        "instructions has no text in 'en', a language of the title",
    ),
    (replaced(image(), title={}), "the title is empty; give it in every language of the pages"),
    (
        replaced(completion(), items=(ITEM, ITEM)),
        "the study has the id 'k2' 2 times",
    ),
    (
        replaced(completion(), items=(with_item(fields={}),)),
        "items 'k2' lacks the field 'sentence' that show[0] shows",
    ),
    (
        replaced(completion(), items=(with_item(language="hin"),)),
        "items[0].language: there is no language 'hin'; did you mean 'hi'?",
    ),
    (
        replaced(completion(), items=(with_item(judgements=-1),)),
        "items 'k2' asks for -1 judgements",
    ),
    (
        replaced(completion(), checks=(ITEM,)),
        "checks 'k2' is an attention check without an expected answer",
    ),
    (
        replaced(completion(), checks=(with_item(expected={"grammatical": "maybe"}),)),
        "checks 'k2': the expected answer to grammatical has no choice 'maybe'",
    ),
    (
        replaced(completion(), practice=(with_item(expected={"gramatical": "no"}),)),
        "practice 'k2': there is no question 'gramatical'; did you mean 'grammatical'?",
    ),
    (
        replaced(completion(), lists="given", items=(ITEM,)),
        "items 'k2' names no list, but lists is 'given'",
    ),
    (
        replaced(completion(), lists="rotated", items=(ITEM,)),
        "items 'k2' names no group, but lists is 'rotated'",
    ),
    (
        replaced(
            image(), screening=(NumberScreener(id="age", ask=en("?"), at_least=9, at_most=8),)
        ),
        "screening[0] (age) accepts no number, because 9 is more than 8",
    ),
    (
        replaced(
            image(),
            screening=(ChoiceScreener(id="l", ask=en("?"), options=options("hindi"), accept=()),),
        ),
        "screening[0] (l) accepts no answer",
    ),
    (
        replaced(
            image(),
            screening=(
                ChoiceScreener(id="l", ask=en("?"), options=options("hindi"), accept=("hind",)),
            ),
        ),
        "screening[0] (l) accepts 'hind': there is no option 'hind'; did you mean 'hindi'?",
    ),
]


def test_a_colon_is_refused_only_where_a_sheet_sets_one() -> None:
    study = with_question(options=(Option(id="a:b"), Option(id="c")))
    assert not [*study_problems(study), *launch_problems(study)]


@pytest.mark.parametrize(("broken", "fault"), FAULTS, ids=[fault for _, fault in FAULTS])
def test_a_fault_is_said_with_its_place(broken: Study, fault: str, tmp_path: Path) -> None:
    if fault in launch_problems(broken):
        check_study(broken, "study.toml")  # what people answered in spite of it is read
        with pytest.raises(InputError) as caught:
            create_study_folder(tmp_path / "new", broken)
        assert str(caught.value) == f"The study {broken.name}: {fault}."
        return
    assert fault in study_problems(broken)
    with pytest.raises(InputError) as caught:
        check_study(broken, "study.toml")
    end = "" if fault.endswith("?") else "."
    assert str(caught.value) == f"study.toml: {fault}{end}"
