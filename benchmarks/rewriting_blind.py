"""How often `epicene rewrite` is right on sentences that the rules' writers never saw.

    python benchmarks/rewriting_blind.py [SET …]      (default: all)

A set is a language (`fr`), or texts by other authors in it (`fr-authors`). The first hold daily
life, mails, chats, strings of apps and mark-up, the others also news, letters, speeches and help
pages. Each text is rewritten to either gender from both of its forms (English: to the pronoun set
that its record names), and counts as exact if it is the wanted text to the letter. Harmed is a text
in which a word changed that is the same in the source and in the wanted text.

Only figures are printed.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.tokenisation import Span, tokens
from epicene.rewriting import Change, find_rewriter
from epicene.rewriting.persons import GENDERS, other_gender

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).with_name("rewriting_blind")


class Case(NamedTuple):
    """A text to rewrite, with what options, and the texts that are right."""

    group: str
    options: dict[str, str]
    source: str
    wanted: tuple[str, ...]


def cases(name: str) -> Iterator[Case]:
    """Both directions of each record of a set; English has one."""
    for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if name == "en":
            wanted = (record["target"], *record.get("accept", ()))
            yield Case(f"to {record['to']}", {"pronouns": record["to"]}, record["source"], wanted)
            continue
        person = record["person"]
        for gender in GENDERS:
            source, wanted = record[other_gender(gender)], (record[gender],)
            yield Case(f"{person} {gender}", {person: gender}, source, wanted)


def harms(language: str, case: Case, changes: tuple[Change, ...]) -> bool:
    """Whether a word was changed that should have stayed, whichever of the right texts is meant."""
    return bool(changes) and all(
        any(
            change.start < word.end and word.start < change.end
            for word in _kept_words(language, case.source, right)
            for change in changes
        )
        for right in case.wanted
    )


def _kept_words(language: str, source: str, right: str) -> list[Span]:
    """The words of the source that the right text has in the same place."""
    spans, others = (list(tokens(text, language)) for text in (source, right))
    matcher = SequenceMatcher(
        None,
        [source[each.start : each.end] for each in spans],
        [right[each.start : each.end] for each in others],
        autojunk=False,
    )
    return [
        each
        for block in matcher.get_matching_blocks()
        for each in spans[block.a : block.a + block.size]
    ]


def main() -> None:
    """Print a line of counts for each set and group."""
    for name in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.jsonl")):
        tallies: dict[str, Counter[str]] = {}
        language = name.partition("-")[0]
        rewriter = find_rewriter(language)
        for case in cases(name):
            (made,) = rewriter.open(case.options)([case.source])
            trap = case.source in case.wanted
            exact = made.text in case.wanted
            harmed = not exact and harms(language, case, made.changes)
            for group in (case.group, "all"):
                tallies.setdefault(group, Counter()).update(
                    all=1, exact=exact, harmed=harmed, traps=trap, left_alone=trap and exact
                )
        for group, found in tallies.items():
            print(
                f"{name}, {group}: exact {found['exact']} of {found['all']} "
                f"({100 * found['exact'] / found['all']:.1f} %), harmed {found['harmed']}, "
                f"left alone {found['left_alone']} of {found['traps']}"
            )


if __name__ == "__main__":
    main()
