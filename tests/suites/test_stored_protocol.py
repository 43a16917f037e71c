"""Settings that were added later are stored only where they are not the default."""

from __future__ import annotations

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.suites import choose_protocol, find_suite

SUITES = ("alternations", "apgc", "genform", "gramvis", "misgendering")


def test_a_default_is_left_out_and_read_back() -> None:
    suite = find_suite("misgendering")
    for settings, stored in (({}, None), ({"formats": "generation"}, ["generation"])):
        protocol = choose_protocol(suite, "epicene", settings, None)
        kept = protocol.stored()
        assert kept.get("formats") == stored
        assert kept["samples"] == 5, "what 0.1.0 had is stored, default or not"
        assert msgspec.convert(kept, type(protocol)) == protocol


def test_the_order_of_formats_makes_no_other_run() -> None:
    suite = find_suite("misgendering")
    named = choose_protocol(suite, "epicene", {"formats": "generation,probability"}, None)
    assert named == suite.protocols["epicene"]
    assert "formats" not in named.stored()
    twice = choose_protocol(suite, "epicene", {"formats": "generation,generation"}, None)
    assert twice.stored()["formats"] == ["generation"]


def test_formats_cannot_be_empty() -> None:
    with pytest.raises(InputError, match="formats must be probability or generation, or both"):
        choose_protocol(find_suite("misgendering"), "epicene", {"formats": ""}, None)


@pytest.mark.parametrize("name", SUITES)
def test_what_was_added_has_a_default(name: str) -> None:
    """Manifests of earlier versions lack it."""
    for protocol in find_suite(name).protocols.values():
        defaults = protocol.before_added()
        for added in protocol.added:
            assert defaults[added] is not msgspec.NODEFAULT
