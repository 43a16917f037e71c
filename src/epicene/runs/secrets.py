"""Secrets come from the environment alone and are taken out of whatever is written."""

from __future__ import annotations

import os
from typing import Any

import regex

_SECRET_NAME = regex.compile(
    r"(?i)(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:$|_)"
)
_SHORTEST = 6  # a shorter value would blot out ordinary words
_IN_ADDRESS = regex.compile(r"(?<=://)[^/\s@\"']+(?=@)")
_IN_QUERY = regex.compile(r"(?i)(?<=[?&](?:api[-_]?key|key|token|secret|password)=)[^&\s\"']+")
BLOT = "[secret]"


def redact(text: str) -> str:
    """The text without the value of any secret variable and without secrets inside addresses."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and _SECRET_NAME.search(name):
            text = text.replace(value, BLOT)
    return _IN_QUERY.sub(BLOT, _IN_ADDRESS.sub(BLOT, text))


def redact_all(value: Any) -> Any:
    """The same for every text inside lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: redact_all(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [redact_all(each) for each in value]
    return value
