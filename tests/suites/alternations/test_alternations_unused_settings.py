"""Settings that changed nothing are not said: a causal model has no masks."""

from __future__ import annotations

import polars as pl
import pytest

from epicene.show.provenance import protocol_line
from epicene.suites import Results, find_suite
from epicene.suites.alternations.metrics import unused_settings
from epicene.suites.alternations.protocol import PROTOCOLS


@pytest.mark.parametrize(
    ("methods", "hidden"),
    [
        (["causal", "causal (echo)"], True),
        (["causal", "within-word (epicene words)"], False),
        (["whole-word (tokenizer words)"], False),
    ],
)
def test_masking_is_said_of_masked_models_only(methods: list[str], hidden: bool) -> None:
    """Version 520b741 said `maskings: within-word` of GPT-2."""
    frame = pl.DataFrame({"format": ["acceptability"] * len(methods), "method": methods})
    unused = unused_settings(Results(frame, PROTOCOLS["epicene"], ()))
    line = protocol_line({"m": PROTOCOLS["epicene"]}, unused)
    assert ("within-word" not in line) is hidden
    assert "first token: bos" in line
    assert find_suite("alternations").unused_settings is unused_settings
