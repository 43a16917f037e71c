"""Secrets come from the environment alone and are taken out of whatever is written."""

from __future__ import annotations

import os

import regex

_SECRET_NAME = regex.compile(r"(?i)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH)")
_SHORTEST = 6  # a shorter value would blot out ordinary words
_IN_ADDRESS = regex.compile(r"(?<=://)[^/\s@]+(?=@)")
_IN_QUERY = regex.compile(r"(?i)(?<=[?&](?:api[-_]?key|key|token|secret|password)=)[^&\s]+")
BLOT = "[secret]"


def redact(text: str) -> str:
    """The text without the value of any secret variable and without secrets inside addresses."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and _SECRET_NAME.search(name):
            text = text.replace(value, BLOT)
    return _IN_QUERY.sub(BLOT, _IN_ADDRESS.sub(BLOT, text))
