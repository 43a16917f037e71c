"""How well and how fast `epicene rewrite` turns the gender of a person.

    python benchmarks/rewrite_gender.py [--blind] [--wrong] [LANGUAGE …]      (default: all)

By the paper's metrics (`epicene.suites.genform`), words cut by our segmenter, in per cent: the
starter set, for the speaker; with `--blind` the set that the rules' writers never saw; and, where
EPICENE_PUBLISHED_DATA names a folder that has it, the development set of MT-GenEval, for others;
its errors were read while the rules were written.
Arabic also by M2 on the development split of the Arabic Parallel Gender Corpus, for the speaker.
`--wrong` prints what came out otherwise; never of what nobody has read.

EPICENE_MORPHOLOGY=none measures without the optional dictionaries.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.normalisers import normalise
from epicene.rewriting import find_rewriter, rewritable_languages
from epicene.rewriting.persons import GENDERS, PERSONS, Gender, Person, other_gender
from epicene.suites.apgc.data import read_folder
from epicene.suites.apgc.m2 import EditCounts, count_edits, gold_edits
from epicene.suites.apgc.protocol import FOLDED
from epicene.suites.genform.data import STARTER
from epicene.suites.genform.gendered_terms import diff_answer, reference_of
from epicene.suites.genform.words import tokenise
from rewriting_blind import Case, harms

if TYPE_CHECKING:
    from collections.abc import Iterator

Pairs = list[dict[Gender, str]]

BLIND = Path(__file__).with_name("genform_blind")
NEVER_SHOWN = frozenset({"blind"})
# Who shows gender in a sentence of the corpus, speaker before listener; B shows none.
FIRST_PERSON = {"the speaker alone": ("MB", "FB"), "both": ("MM", "MF", "FM", "FF")}
LETTERS: dict[Gender, str] = {"masculine": "M", "feminine": "F"}


class Found(NamedTuple):
    """One set in one direction: shares of 1; None where no sentence is neutral."""

    sga: float
    giou: float
    cga: float
    left_alone: float | None
    exact: float
    harmed: int  # texts in which a word changed that should stay
    wrong: list[tuple[str, str, str]]  # given, made of it, wanted


def measure(pairs: Pairs, language: str, person: Person, target: Gender) -> Found:
    """Rewrite every pair's other form, and compare with the one that is wanted."""
    rewrite = find_rewriter(language).open({person: target})
    answers = rewrite(pair[other_gender(target)] for pair in pairs)
    sga, giou, alone, exact = [], [], [], []
    right = terms = harmed = 0
    wrong = []
    for pair, answer in zip(pairs, answers, strict=True):
        given, wanted = pair[other_gender(target)], pair[target]
        exact.append(answer.text == wanted)
        harmed += harms(language, Case("", {}, given, (wanted,)), answer.changes)
        if not exact[-1]:
            wrong.append((given, answer.text, wanted))
        reference = reference_of(
            tokenise(wanted, language, "epicene"), tokenise(given, language, "epicene")
        )
        if not reference.terms:
            alone.append(answer.text == given)
            continue
        counted = diff_answer(reference, tokenise(answer.text, language, "epicene"))
        sga.append(counted.right / reference.terms)
        giou.append(counted.right / (reference.terms + counted.spurious))
        right, terms = right + counted.right, terms + reference.terms
    left_alone = sum(alone) / len(alone) if alone else None
    return Found(_mean(sga), _mean(giou), right / terms, left_alone, _mean(exact), harmed, wrong)


def _mean(values: list[float] | list[bool]) -> float:
    return sum(values) / len(values)


def starter(path: Path) -> Pairs:
    """The pairs of one of our files."""
    from epicene.core.data_files import read_rows

    return [{gender: line.values[gender] for gender in GENDERS} for line in read_rows(path)]


def published(language: str, side: str = "") -> Pairs:
    """The pairs of MT-GenEval, if there are any for the language; or its English `side`, "en"."""
    folder = os.environ.get("EPICENE_PUBLISHED_DATA")
    if folder is None:
        return []
    paths = {
        gender: Path(folder, "mt-geneval/dev")
        / f"geneval-sentences-{gender}-dev.en_{language}.{side or language}"
        for gender in GENDERS
    }
    if not all(path.is_file() for path in paths.values()):
        return []
    sides = {gender: path.read_text("utf-8").splitlines() for gender, path in paths.items()}
    rows = zip(sides["masculine"], sides["feminine"], strict=True)
    return [{"masculine": masculine, "feminine": feminine} for masculine, feminine in rows]


def sets(language: str, *, blind: bool) -> Iterator[tuple[str, Person, Pairs]]:
    """What is measured of a language."""
    own = STARTER / f"{language}.jsonl"
    if own.is_file():
        yield "starter", "speaker", starter(own)
    unseen = BLIND / f"{language}.jsonl"
    if blind and unseen.is_file():
        yield "blind", "speaker", starter(unseen)
    pairs = published(language)
    if pairs:
        yield "MT-GenEval dev", "others", pairs


def print_corpus() -> None:
    """Edits for the other gender of the speaker (M2), and sentences without anybody's gender.

    The corpus writes no nunation, so ours is dropped; as written, it counts as an error.
    """
    folder = os.environ.get("EPICENE_PUBLISHED_DATA")
    if folder is None or not (path := Path(folder, "apgc/v2.1")).is_dir():
        return
    sentences, _ = read_folder(path, "dev")
    opened = {gender: find_rewriter("ar").open({"speaker": gender}) for gender in GENDERS}
    for who, labels in FIRST_PERSON.items():
        asked = [each for each in sentences if each.label in labels]
        texts = [each.text for each in asked]
        answers = {gender: [one.text for one in opened[gender](texts)] for gender in GENDERS}
        for name, dropped in (("without nunation", "\u064b"), ("as written", "")):
            total = EditCounts(0, 0, 0)
            for gender in GENDERS:
                for sentence, answer in zip(asked, answers[gender], strict=True):
                    target = LETTERS[gender] + sentence.who.own_target[1]
                    source, made, wanted = (
                        normalise(text.replace(dropped, ""), FOLDED).split()
                        for text in (sentence.text, answer, sentence.targets[target])
                    )
                    total += count_edits(source, made, gold_edits(source, wanted))
            print(f"  APGC dev, {who}, {len(asked)} sentences, {name}: {_edits(total)}")
    neutral = [each.text for each in sentences if each.label == "BB"]
    for gender, rewrite in opened.items():
        alone = sum(not answer.changes for answer in rewrite(neutral))
        share = 100 * alone / len(neutral)
        print(f"  APGC dev, nobody's gender, {gender}: {share:.1f} of {len(neutral)} left alone")


def _edits(found: EditCounts) -> str:
    figures = {"P": found.precision, "R": found.recall, "F0.5": found.f_half}
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())


def main() -> None:
    """Print a line of figures for each set and direction."""
    flags = {argument for argument in sys.argv[1:] if argument.startswith("--")}
    named = [argument for argument in sys.argv[1:] if argument not in flags]
    for language in named or [
        each for each in rewritable_languages() if {*PERSONS} <= {*find_rewriter(each).takes}
    ]:
        packages = find_rewriter(language).packages()
        print(f"{language}, {', '.join(packages) or 'nothing but our own lists'}")
        for name, person, pairs in sets(language, blind="--blind" in flags):
            for target in GENDERS:
                started = time.perf_counter()
                found = measure(pairs, language, person, target)
                speed = len(pairs) / (time.perf_counter() - started)
                print(f"  {name}, {person} {target}: {_figures(found)}, {speed:,.0f} lines/s")
                if "--wrong" in flags and name not in NEVER_SHOWN:
                    for given, made, wanted in found.wrong:
                        print(f"    {given}\n      {made}\n      {wanted}")
        if language == "ar":
            print_corpus()


def _figures(found: Found) -> str:
    figures = {"SGA": found.sga, "GIoU": found.giou, "CGA": found.cga, "exact": found.exact}
    if found.left_alone is not None:
        figures["left alone"] = found.left_alone
    shares = ", ".join(f"{name} {100 * value:.1f}" for name, value in figures.items())
    return f"{shares}, harmed {found.harmed} texts"


if __name__ == "__main__":
    main()
