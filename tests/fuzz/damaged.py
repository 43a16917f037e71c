"""Strategies for files that are nearly right: some bytes changed, values of other types."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["", "0", "-1", "1e999", "\x00", "\u2028", "=1+1", "../x", 2**63, -(2**70)]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)

_TOML_LITERALS = [
    *('""', "0", "-1", "1.5", "nan", "inf", "true", "[]", "[[]]", "{}", '"\\u0000"', "1979-05-27"),
    *('["a", 1]', "99999999999999999999", '{a = {b = "c"}}', "'''\nx'''", '"\\u2028"', "00:00:00"),
]


@st.composite
def damaged_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with a few pieces taken out, put in or replaced."""
    found = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(0, len(found) - 1)))
        end = min(len(found), start + draw(st.integers(0, 12)))
        found[start:end] = draw(st.binary(max_size=12))
    return bytes(found)


@st.composite
def damaged_json(draw: st.DrawFn, value: Any) -> Any:
    """The value with one of its parts replaced, taken out, or repeated under another name."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        name = draw(st.sampled_from(sorted(value)))
        changed = dict(value)
        what = draw(st.integers(0, 9))
        if what == 0:
            del changed[name]
        elif what == 1:
            changed[draw(st.text(max_size=8))] = changed[name]
        else:
            changed[name] = draw(damaged_json(changed[name]))
        return changed
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        place = draw(st.integers(0, len(value) - 1))
        return [
            *value[:place],
            *([] if draw(st.integers(0, 9)) == 0 else [draw(damaged_json(value[place]))]),
            *value[place + 1 :],
        ]
    return draw(JSON_VALUES)


@st.composite
def damaged_toml(draw: st.DrawFn, text: str) -> bytes:
    """The text with a few values replaced, or with bytes changed."""
    if draw(st.booleans()):
        return draw(damaged_bytes(text.encode()))
    values = list(re.finditer(r"(?<== )[^\n]+", text))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from(values))
        text = text.replace(at[0], draw(st.sampled_from(_TOML_LITERALS)), 1)
    return text.encode()
