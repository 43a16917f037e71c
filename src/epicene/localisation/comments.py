"""Comments in files: the lines above a position that start with a comment mark."""

from __future__ import annotations

_MAX_COMMENT = 5_000  # characters


def comment_above(text: str, at: int, mark: str = "#") -> str:
    """The comment on the lines directly above the line of a character, without its marks."""
    lines: list[str] = []
    top = max(at - _MAX_COMMENT, 0)
    end = text.rfind("\n", top, at)
    while end > 0:
        start = text.rfind("\n", top, end) + 1
        if start == 0 and top > 0:  # the line is longer than any comment
            break
        line = text[start:end].strip()
        if not line.startswith(mark):
            break
        lines.append(line.lstrip(mark).strip())
        end = start - 1
    return "\n".join(reversed(lines))
