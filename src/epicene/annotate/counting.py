"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """So many of what `what` names one of: 1 answer, 2 answers."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
