"""Every operator of SyntaxGym's formulas, how they bind, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.suites.alternations.formulas import FormulaError, RegionReference, parse_formula

FOUND = {("a", 1): 1.0, ("a", 2): 2.0, ("b", 1): 3.0, ("b", 2): 4.0, ("c-d_1", 10): 5.0}


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("(1;%a%) < (1;%b%)", True),
        ("(1;%b%) < (1;%a%)", False),
        ("(1;%a%) < (1;%a%)", False),
        ("(1;%b%) > (1;%a%)", True),
        ("(1;%a%) > (1;%a%)", False),
        ("(1;%a%) = (1;%a%)", True),
        ("(1;%a%) = (2;%a%)", False),
        ("(1;%a%)+(2;%a%)=(1;%b%)", True),
        ("(2;%b%) - (1;%b%) = (1;%a%)", True),
        ("(1;%a%) < (2;%a%) & (1;%b%) < (2;%b%)", True),
        ("(1;%a%) < (2;%a%) & (1;%b%) > (2;%b%)", False),
        ("(1;%a%) > (2;%a%) | (1;%b%) < (2;%b%)", True),
        ("(1;%a%) > (2;%a%) | (1;%b%) > (2;%b%)", False),
        # A sentence as a whole, numbers, brackets of both kinds, blanks anywhere or nowhere.
        ("(*;%a%) = 3", True),
        ("(*;%b%) > (*;%a%)", True),
        ("(1;%a%)-(2;%a%) < -.5", True),
        ("(1;%a%) < 1.5e0", True),
        ("[(1;%a%)<(2;%a%)]&[(1;%b%)<(2;%b%)] ", True),
        ("[ ((2;%b%) - (1;%b%)) = ((2;%a%) - (1;%a%)) ]", True),
        ("(10;%c-d_1%) > ( 2 ; %b% )", True),
        # From left to right: (4 - 3) + 1 and not 4 - (3 + 1).
        ("(2;%b%) - (1;%b%) + (1;%a%) = 2", True),
        ("(2;%b%) - ((1;%b%) + (1;%a%)) = 0", True),
        # The same for & and |: (true | true) & false.
        ("1 < 2 | 1 < 2 & 2 < 1", False),
        ("1 < 2 | (1 < 2 & 2 < 1)", True),
    ],
)
def test_every_operator(formula: str, holds: bool) -> None:
    assert parse_formula(formula).holds(FOUND) is holds


@pytest.mark.parametrize(
    ("second", "holds"), [(1000.0, True), (1000.01, True), (1000.02, False), (999.98, False)]
)
def test_equal_is_what_is_close(second: float, holds: bool) -> None:
    formula = parse_formula("(1;%a%) = (1;%b%)")
    assert formula.holds({("a", 1): 1000.0, ("b", 1): second}) is holds


def test_the_regions_that_it_names() -> None:
    assert parse_formula("(1;%a%) + (*;%b%) > (2;%a%)").references == {
        RegionReference("a", 1),
        RegionReference("b", None),
        RegionReference("a", 2),
    }


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("", "something is missing at its end"),
        ("(1;%a%) <", "something is missing at its end"),
        ("(1;%a%)", "it has no comparison"),
        ("(1;%a%) + (2;%a%)", "it has no comparison"),
        ("(1;%a%) < (2;%a%) < (1;%b%)", "< is left over"),
        ("((1;%a%) < (2;%a%)", r"a \) is missing"),
        ("[(1;%a%) < (2;%a%))", r"a \] is missing"),
        ("< (1;%a%)", "< is found where a region or a number should"),
        ("(1;%a%) & (2;%a%)", "& must be between two comparisons"),
        ("((1;%a%) < (2;%a%)) + 1 > 0", r"\+ must be between two numbers"),
        ("((1;%a%) < (2;%a%)) > 0", "> must be between two numbers"),
        ("(1;%a%) * 2 > 0", r"'\* 2 > 0' is not part of a formula"),
        ("(1;a) < (2;a)", "is not part of a formula"),
        ("(" * 5000, "nested too deeply"),
    ],
)
def test_what_is_refused(formula: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        parse_formula(formula)


@given(st.text("(1;%a) <>=&|+-[]*.2", max_size=30))
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    try:
        formula = parse_formula(text)
    except FormulaError:
        return
    known = {(name, number): 1.0 for name, number in formula.references if number is not None}
    assert formula.holds(known) in (True, False)
