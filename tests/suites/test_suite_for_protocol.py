"""A suite under a protocol: stages not wanted go, and with them roles that nobody needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.core.records import Generate, Translate
from epicene.suites import Protocol, Role, Stage, Suite, find_suite

PROTOCOL = Protocol(name="epicene", about="")


def nothing(*_: object) -> tuple[()]:
    return ()


@pytest.fixture
def suite() -> Suite[Any, Any]:
    return replace(
        find_suite("misgendering"),
        roles=(
            Role(name="model", about=""),
            Role(name="translator", about="", optional=True),
        ),
        stages=(
            Stage(name="write", role="model", verbs=(Generate,), ask=nothing),
            Stage(name="translate", role="translator", verbs=(Translate,), ask=nothing),
        ),
    )


def test_an_optional_role_without_a_model_goes_with_its_stages(suite: Suite[Any, Any]) -> None:
    small = suite.for_protocol(PROTOCOL, ["model"])
    assert [stage.name for stage in small.stages] == ["write"]
    assert [role.name for role in small.roles] == ["model"]


def test_an_optional_role_with_a_model_stays(suite: Suite[Any, Any]) -> None:
    assert suite.for_protocol(PROTOCOL, ["model", "translator"]).roles == suite.roles


def test_a_role_that_only_an_unwanted_stage_needs_goes(suite: Suite[Any, Any]) -> None:
    unwanted = replace(suite.stages[0], when=lambda _protocol: False)
    small = replace(suite, stages=(unwanted, suite.stages[1])).for_protocol(
        PROTOCOL, ["translator"]
    )
    assert [role.name for role in small.roles] == ["translator"]


def test_a_suite_that_would_ask_nothing_is_refused(suite: Suite[Any, Any]) -> None:
    unwanted = replace(suite.stages[0], when=lambda _protocol: False)
    with pytest.raises(InputError, match="sends no requests; add ") as caught:
        replace(suite, stages=(unwanted, suite.stages[1])).for_protocol(PROTOCOL, ["model"])
    assert str(caught.value).endswith("--model translator=SPEC.")
