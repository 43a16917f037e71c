"""What is wrong with a suite in one file is said in one sentence that names the item or the row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

import epicene
from epicene.results.summary import summarise
from epicene.runs.store import open_store
from epicene.runs.stored_run import read_run
from epicene.suites import Answers
from suites.test_suite_definition import (
    PAIRS,
    items_of,
    judged_by,
    judgements,
    pairs,
    run_suite,
    scores,
)


def right(_item: Any, _answer: Any) -> bool:
    return True


# --- items ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ([{"id": "a"}, {"id": ""}], "items, row 2, has no id; give every item an id"),
        ([{"id": "a"}, {"text": "x"}], "items, row 2, has no id"),
        ([{"id": None}], "items, row 1, has no id"),
        ([{"text": "x"}, {"id": "b"}], "items, row 2, has an id, but the first row has none"),
        ([{"id": "a"}, {"id": "b"}, {"id": "a"}], r"row 3, repeats the id 'a' \(items, row 1\)"),
        ([{"id": "a", "language": 3}], "items, row 1, is invalid: Expected `str`"),
        ([{"id": "a", "text": object()}], "row 1, has a value that cannot be stored: a object"),
        ([{"id": "a", "cluster": "x"}], "row 1, has a column 'cluster', a name that is reserved"),
        (["a", "b"], "items, row 1, is a str, not a row with named columns"),
        (7, "The items are a int; give a list of rows"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_named(items: Any, sentence: str) -> None:
    with pytest.raises(epicene.InputError, match=f"The suite own_pairs: .*{sentence}"):
        items_of(judged_by(right, items=items, facets=[]))


def test_a_wrong_row_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("id,text\na,x\n,y\n", "utf-8")
    suite = judged_by(right, items=tmp_path / "pairs.csv", facets=[])
    with pytest.raises(epicene.InputError, match=r"pairs\.csv, line 3, has no id"):
        items_of(suite)
    (tmp_path / "other.csv").write_text("id,text\na,x\nb,y\na,z\n", "utf-8")
    with pytest.raises(epicene.InputError, match=r"other\.csv, line 4, repeats the id 'a'"):
        items_of(suite, path=tmp_path / "other.csv")


def test_a_facet_that_is_no_column_is_named() -> None:
    with pytest.raises(
        epicene.InputError,
        match=r"items, row 1, has no facet: There is no column 'gendre'; did you mean 'gender'?",
    ):
        items_of(judged_by(right, facets=["gendre"]))
    with pytest.raises(epicene.InputError, match="cannot have a facet named 'outcome'"):
        judged_by(right, facets=["outcome"])


def test_a_function_for_items_that_fails_is_named() -> None:
    def rows() -> list[dict[str, str]]:
        raise OSError("no network")

    with pytest.raises(epicene.InputError, match=r"The function rows of .* failed \(line \d+, OSE"):
        items_of(judged_by(right, items=rows))


# --- ask -----------------------------------------------------------------------------------


def asked_by(ask: Callable[..., Any]) -> None:
    """Ask about the first item."""
    made = pairs()
    made.ask(ask)
    made.judge(right)
    suite = made.suite
    list(suite.stages[0].ask(items_of(suite)[0], Answers(), suite.protocols["epicene"]))


def test_an_ask_that_raises_is_named_with_item_and_line() -> None:
    def ask(item: Any) -> Any:
        return epicene.choose(item.befor, ["x"])

    line = ask.__code__.co_firstlineno + 1
    with pytest.raises(
        epicene.InputError,
        match=(
            r"The function ask of test_suite_definition\.py failed for the item '1' "
            rf"\(line {line}, "
            r"AttributeError: it has no column 'befor'; it has before, right, wrong, gender\)"
        ),
    ):
        asked_by(ask)


@pytest.mark.parametrize("returned", ["text", 3, None, ["x"], {"a": 1}])
def test_an_ask_that_returns_something_else_is_named(returned: Any) -> None:
    with pytest.raises(
        epicene.InputError,
        match=r"returned a .* for the item '1'; it must return one or more requests",
    ):
        asked_by(lambda _item: returned)


def test_two_requests_of_one_name_are_refused() -> None:
    request = epicene.Generate(prompt="x", name="said")
    with pytest.raises(
        epicene.InputError, match="gives two requests of the item '1' the same name 'said'"
    ):
        asked_by(lambda _item: [request, request])


# --- judge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("returned", [{1, 2}.__len__, object(), [object()], {"a": object()}, 1j])
def test_a_judge_that_returns_something_else_is_named(returned: Any) -> None:
    with pytest.raises(
        epicene.InputError, match=r"returned a .* for the item '1'; it must return tr"
    ):
        judgements(judged_by(lambda _item, _answer: returned), scores(-1, -2))


def test_a_judge_that_raises_loses_nothing(tmp_path: Path) -> None:
    """All is answered; with a judge that works, the same folder has tables."""
    made = pairs()

    @made.judge
    def judge(item: Any, answer: Any) -> bool:
        return bool(1 / (item.gender == "f"))

    line = judge.__code__.co_firstlineno + 2
    with pytest.raises(
        epicene.InputError,
        match=rf"The function judge of .* failed for the item '2' \(line {line}, "
        r"ZeroDivisionError: division by zero\); the answers so far are kept\.",
    ):
        run_suite(made.suite, tmp_path / "run")
    assert read_run(tmp_path / "run", made.suite).manifest.state == "complete"
    made.judge(right)
    again = run_suite(made.suite, tmp_path / "run")
    assert len(again.manifest.sessions) == 2
    assert summarise([again]).metrics["accuracy"].value == 1


def test_a_judge_that_is_no_function_is_named_too() -> None:
    with pytest.raises(epicene.InputError, match=r"The function function of .* \(TypeError: 'int'"):
        judgements(judged_by(partial(lambda number, _item, _answer: number(), 1)), scores(-1, -2))


def test_an_item_that_lacks_an_answer_is_named(tmp_path: Path) -> None:
    """Answers made elsewhere are those of the first stage."""
    made = pairs()
    made.stage("grade")(lambda item, _answer: epicene.Generate(prompt=item.right))
    made.judge(lambda _item, _answer, _grade: True)
    answers = [{"id": "1", "answer": msgspec.to_builtins(scores(-1, -2))}]
    with pytest.raises(epicene.InputError, match="The item '1' has no answer in the stage grade"):
        _ = epicene.score(made, answers).summary


def test_the_line_is_that_of_the_user_s_file() -> None:
    """The error happens in a library; the user's line that called it is the one to look at."""

    def judge(item: Any, answer: Any) -> int:
        import json

        return int(json.loads("{"))

    line = judge.__code__.co_firstlineno + 3
    with pytest.raises(epicene.InputError, match=rf"\(line {line}, JSONDecodeError: Expecting"):
        judgements(judged_by(judge), scores(-1, -2))


# --- metrics -------------------------------------------------------------------------------


def with_gap(gap: Callable[[Any], Any], out: Path) -> epicene.Estimate:
    """The metric `gap` of a run."""
    made = pairs()
    made.judge(right)
    gap.__name__ = "gap"
    made.metric(gap)
    return summarise([run_suite(made.suite, out)]).metrics["gap"]


def test_a_metric_that_raises_or_returns_something_else_is_named(tmp_path: Path) -> None:
    with pytest.raises(epicene.InputError, match=r"The function gap of .* failed \(line \d+, Colu"):
        with_gap(lambda frame: frame["no such column"], tmp_path / "run")
    with pytest.raises(epicene.InputError, match=r"The metric gap of .* returned a str; it must"):
        with_gap(lambda _frame: "much", tmp_path / "run")
    undefined = with_gap(lambda _frame: None, tmp_path / "run")
    assert (undefined.value, undefined.why) == (None, "it is undefined for these data")


def test_a_metric_undefined_without_a_group_is_a_number_without_an_interval(
    tmp_path: Path,
) -> None:
    def gap(frame: Any) -> float:
        by_gender = {key: len(part) for (key,), part in frame.group_by("gender")}
        return float(by_gender["f"] - by_gender["m"])

    found = with_gap(gap, tmp_path / "run")
    assert (found.value, found.low) == (0, None)
    assert found.why == "no interval: it is undefined without one of the groups"


def test_no_metric_is_called_undetected(tmp_path: Path) -> None:
    made = pairs()

    def undetected(_frame: Any) -> float:
        return 0.0

    with pytest.raises(
        epicene.InputError, match="Every suite already has a metric undetected; rename"
    ):
        made.metric(undetected)


# --- definitions ---------------------------------------------------------------------------


def test_a_suite_without_ask_or_judge_says_what_is_missing() -> None:
    made = epicene.suite("own_pairs", items=PAIRS)
    with pytest.raises(epicene.InputError, match=r"decorated with @own_pairs\.ask"):
        _ = made.suite
    with pytest.raises(epicene.InputError, match=r"decorated with @own_pairs\.judge"):
        _ = pairs().suite
    with pytest.raises(
        epicene.InputError, match=r"the stage grade must come after @own_pairs\.ask"
    ):
        made.stage("grade")(right)
    with pytest.raises(epicene.InputError, match=r"the stage ask must come after @own_pairs\.ask"):
        pairs().stage("ask")(right)


def test_functions_with_other_parameters_are_refused_before_anything_is_asked() -> None:
    made = pairs()
    made.judge(lambda _answer: True)
    with pytest.raises(
        epicene.InputError, match=r"must take item, answer, and may take settings .*too many"
    ):
        _ = made.suite


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"table": ()}, "There is no part of a suite 'table'; did you mean 'tables'?"),
        ({"settings": {"name": "x"}}, "cannot have a setting named 'name'"),
        ({"settings": {"when": None}}, "its default must be text, a number"),
        ({"settings": {"mixed": [1, "a"]}}, "its default must be text, a number"),
        ({"protocols": {"plain": {"n": 1}}}, "protocol plain of .*: .*unknown field `n`"),
        (
            {"settings": {"n": 1}, "protocols": {"plain": {"n": "x"}}},
            "is invalid: Expected `int`",
        ),
    ],
)  # fmt: skip
def test_a_wrong_definition_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(epicene.InputError, match=sentence):
        judged_by(right, **options)


@pytest.mark.parametrize("name", ["", "a:b", "a/b", " a"])
def test_a_suite_has_a_name_that_can_be_written(name: str) -> None:
    with pytest.raises(epicene.InputError, match="A suite cannot be named"):
        epicene.suite(name, items=PAIRS)


# --- what was stored before ----------------------------------------------------------------


def test_another_question_in_the_same_folder_is_asked_anew(tmp_path: Path) -> None:
    made = pairs()
    made.judge(right)
    run_suite(made.suite, tmp_path / "run")
    made.ask(lambda item: epicene.choose(item.before, [item.right, item.wrong], "!"))
    again = run_suite(made.suite, tmp_path / "run")
    assert [(each.total, each.answered) for each in again.manifest.counts] == [(2, 2)]
    with open_store(tmp_path / "run") as store:
        assert store.verify() == (2, 4)  # two items, and the answers to both questions
