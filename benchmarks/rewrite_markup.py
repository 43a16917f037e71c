"""How many sentences the rewriters get right, plain and with mark-up around the gendered words.

    python benchmarks/rewrite_markup.py

The sentences are those of GenForm's starter sets that show the speaker's gender, rewritten to both
genders; each word that differs between the two is wrapped.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from importlib.resources import files
from pathlib import Path

from epicene.languages import tokenisation
from epicene.rewriting import find_rewriter

LANGUAGES = ("fr", "ar", "hi", "de", "es", "it", "pt", "ru")
WRAPPERS = {
    "`<b>`": ("<b>", "</b>"),
    "`<a href>`": ('<a href="https://example.org/?a=1&amp;b=2">', "</a>"),
    "`**`": ("**", "**"),
    "`<g id>`": ('<g id="1">', "</g>"),
    "`&quot;`": ("&quot;", "&quot;"),
}


def wrapped_pair(
    source: str, target: str, language: str, marks: tuple[str, str]
) -> tuple[str, str]:
    """Both sentences, with the words that differ between them wrapped."""
    cut = {
        text: [text[span.start : span.end] for span in tokenisation.words(text, language)]
        for text in (source, target)
    }
    matcher = SequenceMatcher(None, cut[source], cut[target], autojunk=False)
    differing: dict[str, set[int]] = {source: set(), target: set()}
    for kind, a_start, a_end, b_start, b_end in matcher.get_opcodes():
        if kind == "replace" and a_end - a_start == b_end - b_start:
            differing[source].update(range(a_start, a_end))
            differing[target].update(range(b_start, b_end))
    return (
        _wrap(source, differing[source], language, marks),
        _wrap(target, differing[target], language, marks),
    )


def _wrap(text: str, which: set[int], language: str, marks: tuple[str, str]) -> str:
    pieces, reached = [], 0
    for at, span in enumerate(tokenisation.words(text, language)):
        if at in which:
            word = text[span.start : span.end]
            pieces += [text[reached : span.start], marks[0], word, marks[1]]
            reached = span.end
    return "".join([*pieces, text[reached:]])


def count_right(language: str) -> dict[str, int]:
    """By wrapper, "" for none: how many of the rewritings are exactly right."""
    path = Path(str(files("epicene.suites.genform"))) / "starter" / f"{language}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["masculine"] != row["feminine"]]
    right = {"sentences": 2 * len(rows), "plain": 0, **dict.fromkeys(WRAPPERS, 0)}
    for gender, source, target in (("f", "masculine", "feminine"), ("m", "feminine", "masculine")):
        rewrite = find_rewriter(language).open({"speaker": gender})
        for row in rows:
            pair = row[source], row[target]
            tried = {"plain": pair}
            for name, marks in WRAPPERS.items():
                tried[name] = wrapped_pair(*pair, language, marks)
            for name, (text, expected) in tried.items():
                right[name] += next(rewrite([text])).text == expected
    return right


def main() -> None:
    """Print the table of docs/guides/rewrite.md."""
    for number, language in enumerate(LANGUAGES):
        right = count_right(language)
        if not number:
            print("| | " + " | ".join(right) + " |")
            print("|---|" + "---|" * len(right))
        print(f"| {language} | " + " | ".join(map(str, right.values())) + " |", flush=True)


if __name__ == "__main__":
    main()
