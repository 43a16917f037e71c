"""Which stages of a suite build on which: what each sees, and what is judged together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epicene.core.records import Generate
from epicene.suites import Protocol, Role, Stage, Suite, find_suite

PROTOCOL = Protocol(name="epicene", about="")


def stage(name: str, *needs: str, role: str = "model", wanted: bool = True) -> Stage[Any, Any]:
    return Stage(
        name=name,
        role=role,
        verbs=(Generate,),
        ask=lambda _item, _answers, _protocol: (),
        needs=needs,
        when=lambda _protocol: wanted,
    )


def of_stages(*stages: Stage[Any, Any]) -> Suite[Any, Any]:
    roles = (Role(name="model", about=""), Role(name="judges", about="", many=True))
    return replace(find_suite("misgendering"), roles=roles, stages=stages)


def test_a_stage_sees_what_it_needs_and_what_that_needs() -> None:
    suite = of_stages(stage("a"), stage("b"), stage("c", "a"), stage("d", "c"), stage("e"))
    assert {each.name: set(suite.dependencies_of(each)) for each in suite.stages} == {
        "a": set(),
        "b": set(),
        "c": {"a"},
        "d": {"a", "c"},
        "e": set(),
    }


@pytest.mark.parametrize(
    ("stages", "threads"),
    [
        ((stage("a"), stage("b"), stage("c")), ["a", "b", "c"]),
        ((stage("a"), stage("b"), stage("c", "a")), ["b", "ac"]),
        ((stage("a"), stage("b"), stage("c", "a", "b"), stage("d")), ["abc", "d"]),
        ((stage("a"), stage("b", "a"), stage("c", "a")), ["abc"]),
    ],
)
def test_stages_that_build_on_each_other_are_one_thread(
    stages: tuple[Stage[Any, Any], ...], threads: list[str]
) -> None:
    found = of_stages(*stages).stage_groups
    assert ["".join(each.name for each in thread) for thread in found] == threads


def test_a_stage_that_is_left_out_is_no_longer_needed() -> None:
    suite = of_stages(stage("a", wanted=False), stage("b", "a")).for_protocol(PROTOCOL)
    assert [(each.name, each.needs) for each in suite.stages] == [("b", ())]


def test_what_a_stage_that_is_left_out_needed_is_still_seen() -> None:
    """Of the chain a, b, c without b, c would lose a although it saw its answers with b."""
    chain = (stage("a"), stage("b", "a", wanted=False), stage("c", "b"), stage("d", "c", "a"))
    suite = of_stages(*chain).for_protocol(PROTOCOL)
    assert [(each.name, each.needs) for each in suite.stages] == [
        ("a", ()),
        ("c", ("a",)),
        ("d", ("c", "a")),
    ]
    assert suite.dependencies_of(suite.stages[1]) == {"a"}
    assert len(suite.stage_groups) == 1


def test_a_whole_chain_that_is_left_out_leaves_its_beginning() -> None:
    chain = (
        stage("a"),
        stage("b", "a", wanted=False),
        stage("c", "b", "a", wanted=False),
        stage("d", "c", "b"),
    )
    suite = of_stages(*chain).for_protocol(PROTOCOL)
    assert [(each.name, each.needs) for each in suite.stages] == [("a", ()), ("d", ("a",))]


@pytest.mark.parametrize("needs", ["b", "c", "nothing"])
def test_only_an_earlier_stage_can_be_needed(needs: str) -> None:
    with pytest.raises(ValueError, match=f"b needs {needs}"):
        of_stages(stage("a"), stage("b", needs), stage("c"))


def test_what_may_get_more_models_later_decides_nothing() -> None:
    of_stages(stage("a", role="judges"), stage("b"))
    with pytest.raises(ValueError, match="b needs a of many models"):
        of_stages(stage("a", role="judges"), stage("b", "a"))


def test_what_the_suites_need() -> None:
    """A stage that reads earlier answers and does not say so would see none."""
    needed = {
        (name, each.name): each.needs
        for name in ("alternations", "apgc", "genform", "gramvis", "misgendering")
        for each in find_suite(name).stages
        if each.needs
    }
    assert needed == {
        ("apgc", "post-editing"): ("translation",),
        ("gramvis", "look"): ("draw",),
        ("misgendering", "contractions"): ("ask",),
        ("misgendering", "convert"): ("ask", "contractions"),
    }
