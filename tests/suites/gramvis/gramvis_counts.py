"""Small counts and votes, written by hand, as results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from epicene.suites import Answers, Dataset, Results
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.external_answers import read_votes
from epicene.suites.gramvis.items import CONDITIONS, LabelCounts, word_group
from epicene.suites.gramvis.protocol import PROTOCOLS, GramvisProtocol
from runs.frames import results_of

# Of each condition (English, Chinese, gendered): male, female, neither.
Numbers = tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]


def counted(
    word: str,
    numbers: Numbers,
    *,
    language: str = "DE",
    drawer: str = "flux",
    grammar: str = "M",
    category: str = "occupation",
) -> list[LabelCounts]:
    return [
        LabelCounts(
            id="/".join((language, drawer, word, condition)),
            group=word_group(language, word),
            language=language.lower(),
            drawer=drawer,
            grammar=grammar,
            category=category,
            word=word,
            condition=condition,
            male=male,
            female=female,
            neither=neither,
        )
        for condition, (male, female, neither) in zip(CONDITIONS, numbers, strict=True)
    ]


def results(
    items: Iterable[LabelCounts], protocol: str | GramvisProtocol = "paper"
) -> Results[Any]:
    how = PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    return results_of((each for item in items for each in suite.judge(item, Answers(), how)), how)


def vote_line(**changed: object) -> dict[str, object]:
    line: dict[str, object] = {
        "language": "DE",
        "model": "flux",
        "grammar": "M",
        "category": "occupation",
        "word": "der_star",
        "condition": "gendered",
        "template": 1,
        "shot": 1,
        "judge": "a",
        "choice": "male",
    }
    return {**line, **changed}


def write_votes(path: Path, lines: Iterable[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def voted(path: Path, protocol: str = "paper") -> Results[Any]:
    how = PROTOCOLS[protocol]
    read = read_votes(path, Dataset("votes", (), ()), how)
    return results_of((j for item, answers in read for j in suite.judge(item, answers, how)), how)
