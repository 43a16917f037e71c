"""The longer texts of a study, instructions and consent, as what they are made of."""

from __future__ import annotations


def prose(text: str) -> list[tuple[str, list[str]]]:
    """Paragraphs and lists of a text: blank lines between them, a hyphen before a point."""
    blocks: list[tuple[str, list[str]]] = []
    for paragraph in text.strip().split("\n\n"):
        lines = [line.strip() for line in paragraph.strip().split("\n") if line.strip()]
        for line in lines:
            kind = "li" if line.startswith("- ") else "p"
            if kind == "li":
                if blocks and blocks[-1][0] == "li":
                    blocks[-1][1].append(line[2:])
                else:
                    blocks.append(("li", [line[2:]]))
            elif line is lines[0] or not blocks:
                blocks.append(("p", [line]))
            else:  # a line that goes on
                blocks[-1][1][-1] += f" {line}"
    return blocks
