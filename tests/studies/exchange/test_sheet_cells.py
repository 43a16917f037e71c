"""An answer as one cell of a sheet, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.data_files import escape_formula, unescape_formula
from epicene.studies.design.schema import (
    AnswerValue,
    ChoiceQuestion,
    MarksQuestion,
    NoteQuestion,
    Question,
    Span,
    StudyItem,
    TagsQuestion,
    TextQuestion,
)
from epicene.studies.exchange.sheet_cells import CellError, answer_from_cell, answer_to_cell
from study_examples import en, options

TEXT = "The girl's brother, a Girl-guide; girlhood. लड़की गई"
ITEM = StudyItem(id="i", language="en", fields={"text": TEXT})
CHOICE = ChoiceQuestion(id="c", ask=en("?"), options=options("yes", "no"))
TAGS = TagsQuestion(id="t", ask=en("?"), options=options("one", "two", "three"))
NEEDED = TagsQuestion(id="n", ask=en("?"), options=options("one", "two"), required=True)
MARKS = MarksQuestion(id="m", ask=en("?"), field="text")
LABELLED = MarksQuestion(id="l", ask=en("?"), field="text", labels=options("noun", "adjective"))
WRITING = TextQuestion(id="w", ask=en("?"))
REMARK = NoteQuestion(id="r", ask=en("?"))


@pytest.mark.parametrize(
    ("question", "cell", "answer"),
    [
        (CHOICE, " yes ", "yes"),
        (CHOICE, "", None),
        (TAGS, "one; three;", ("one", "three")),
        (TAGS, "", ()),
        (NEEDED, "  ", None),
        (MARKS, "", ()),
        (MARKS, "4-8; 10-12", (Span(start=4, end=8), Span(start=10, end=12))),
        # In every place, in capitals or not, beside an apostrophe or a hyphen; not in girlhood.
        (MARKS, "girl", (Span(start=4, end=8), Span(start=22, end=26))),
        (MARKS, "girl; Girl", (Span(start=4, end=8), Span(start=22, end=26))),
        (MARKS, "लड़की", (Span(start=44, end=49),)),
        (LABELLED, "brother:noun", (Span(start=11, end=18, label="noun"),)),
        (LABELLED, "4-8 : adjective", (Span(start=4, end=8, label="adjective"),)),
        (WRITING, " as it stands ", " as it stands "),
        (WRITING, "  ", None),
        (REMARK, "", None),
    ],
)
def test_a_cell_is_read(question: Question, cell: str, answer: AnswerValue | None) -> None:
    assert answer_from_cell(question, ITEM, cell) == answer


@pytest.mark.parametrize(
    ("question", "cell", "fault"),
    [
        (MARKS, "boy", "marks 'boy', which text does not contain"),
        (MARKS, "लड़", "marks 'लड़', which text does not contain"),  # a letter without its sign
        (LABELLED, "brother", "has no label for 'brother'; write WORD:LABEL"),
    ],
)
def test_what_cannot_be_read_is_said(question: Question, cell: str, fault: str) -> None:
    with pytest.raises(CellError) as caught:
        answer_from_cell(question, ITEM, cell)
    assert str(caught.value) == fault


places = st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda p: (p[0], p[0] + p[1]))


@given(
    st.one_of(
        st.tuples(st.just(TAGS), st.sets(st.sampled_from(["one", "two", "three"])).map(tuple)),
        st.tuples(
            st.just(MARKS),
            st.sets(places).map(lambda all_: tuple(Span(start=a, end=b) for a, b in all_)),
        ),
        st.tuples(
            st.just(LABELLED),
            st.sets(places).map(
                lambda all_: tuple(Span(start=a, end=b, label="noun") for a, b in all_)
            ),
        ),
        st.tuples(st.just(WRITING), st.text(min_size=1).filter(str.strip)),
    )
)
def test_any_answer_comes_back(pair: tuple[Question, AnswerValue]) -> None:
    question, answer = pair
    assert answer_from_cell(question, ITEM, answer_to_cell(answer)) == answer


@given(st.text(st.sampled_from("'=+-@\ta"), max_size=5))
def test_no_cell_is_a_formula_and_all_come_back(text: str) -> None:
    assert not escape_formula(text).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unescape_formula(escape_formula(text)) == text


def test_an_apostrophe_before_a_word_stays() -> None:
    assert escape_formula("'tis") == unescape_formula("'tis") == "'tis"
