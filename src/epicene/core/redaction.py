"""Remove secrets from text before it is written.

Secrets come from the environment alone: the values of secret variables, and keys inside URLs.
"""

from __future__ import annotations

import os
from typing import Any

import regex

_SECRET_NAME = regex.compile(
    r"(?i)(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:$|_)"
)
_MIN_LENGTH = 6  # a shorter value would blot out ordinary words
_IN_ADDRESS = regex.compile(r"(?<=://)[^/\s@\"']+(?=@)")
_IN_QUERY = regex.compile(r"(?i)(?<=[?&](?:api[-_]?key|key|token|secret|password)=)[^&\s\"']+")
PLACEHOLDER = "[secret]"


def redact(text: str) -> str:
    """The text without the value of any secret variable and without secrets inside addresses."""
    for name, value in os.environ.items():
        if len(value) >= _MIN_LENGTH and _SECRET_NAME.search(name):
            text = text.replace(value, PLACEHOLDER)
    return _IN_QUERY.sub(PLACEHOLDER, _IN_ADDRESS.sub(PLACEHOLDER, text))


def redact_all(value: Any) -> Any:
    """Redact every text inside lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: redact_all(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [redact_all(each) for each in value]
    return value
