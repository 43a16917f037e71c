"""Errors name options as the caller writes them."""

from __future__ import annotations

import pytest

from epicene.api.wording import command_line_wording, keyword_errors, options_to_keywords
from epicene.core.errors import InputError, OptionError


@pytest.mark.parametrize(
    ("sentence", "in_python"),
    [
        ("Choose another --out, or leave --out away.", "Choose another out=, or leave out= away."),
        ("Give --max-cost.", "Give max_cost=."),
        ("Take --protocol epicene.", 'Take protocol="epicene".'),
        ("Use a smaller --dtype or model.", "Use a smaller dtype= or model."),
        ("Try --dtype float32.", 'Try dtype="float32".'),
        ("Give --set prompt=FILE.", 'Give settings={"prompt": "FILE"}.'),
        ("--set agree= takes more.", 'settings={"agree": "…"} takes more.'),
        ("Name it: --column id=NAME.", 'Name it: columns={"id": "NAME"}.'),
        ("Give --model a=SPEC,SPEC.", 'Give roles={"a": ["SPEC", "SPEC"]}.'),
        ("--replace takes the new answer.", "replace=True takes the new answer."),
        ("`--to hf` exports them.", '`to="hf"` exports them.'),
        ("Run `epicene score x --data FILE`.", "Run `epicene score x --data FILE`."),
        ("Nothing to see – or -5.", "Nothing to see – or -5."),
    ],
)
def test_options_become_keywords(sentence: str, in_python: str) -> None:
    assert options_to_keywords(sentence) == in_python
    assert options_to_keywords(in_python) == in_python


def test_only_calls_from_python_are_reworded() -> None:
    @keyword_errors
    def fail() -> None:
        raise OptionError("out", "Give --out.")

    with pytest.raises(OptionError, match=r"^Give out=\.$") as caught:
        fail()
    assert caught.value.option == "out"
    with pytest.raises(InputError, match=r"^Give --out\.$"), command_line_wording():
        fail()
    with pytest.raises(InputError, match=r"^Give out=\.$"):
        fail()
