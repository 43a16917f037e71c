"""The settings of a protocol that depend on each other."""

from __future__ import annotations

import pytest

from epicene.core.errors import InputError
from epicene.suites import choose_protocol, find_suite
from epicene.suites.misgendering.protocol import MisgenderingProtocol


def test_the_order_of_formats_makes_no_other_run() -> None:
    suite = find_suite("misgendering")
    named = choose_protocol(suite, "epicene", {"formats": "generation,probability"}, None)
    assert named == suite.protocols["epicene"]
    twice = choose_protocol(suite, "epicene", {"formats": "generation,generation"}, None)
    assert isinstance(twice, MisgenderingProtocol)
    assert twice.formats == ("generation",)


def test_formats_cannot_be_empty() -> None:
    with pytest.raises(InputError, match="formats must be probability or generation, or both"):
        choose_protocol(find_suite("misgendering"), "epicene", {"formats": ""}, None)
