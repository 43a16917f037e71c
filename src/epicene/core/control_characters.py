"""Make control characters visible that would act on a terminal or a page instead of being shown.

Text from servers, models and data files is printed and included in reports. An escape sequence in
it could move the cursor or change a window's title, and a direction override could make a text read
as another. Joiners and direction marks are kept: Arabic and Hindi are spelt with them.
"""

from __future__ import annotations

import re

# Controls but tab and newline; line and paragraph separators; embeddings, overrides and isolates of
# direction; halves of characters; what Unicode says is no character.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def escape_controls(text: str) -> str:
    r"""The text with each such character as `\u001b`, which JSON reads as the character again."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
