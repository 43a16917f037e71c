"""The second step: each candidate once, with what dictionaries say of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from epicene.errors import RunError
from epicene.suites.construction import kept
from epicene.suites.gramvis.articles import definite
from epicene.suites.gramvis.construction.dictionaries import Entry, look_up
from epicene.suites.gramvis.names import GRAMMARS
from epicene.suites.gramvis.word_checks import check_words, counterpart
from epicene.suites.gramvis.words import Word, is_spelled, word_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.suites.construction import Made, Row
    from epicene.suites.gramvis.construction.dictionaries import Entries
    from epicene.suites.gramvis.construction.proposing import GramvisBuild

_GLOSSES = ("english", "chinese", "genitive", "accusative")


def looked_up(made: Made, settings: GramvisBuild) -> Iterator[Row]:
    """Each noun that was proposed, as a dictionary has it; those that will not do say why."""
    merged = list(_merged(kept(made["propose"])))
    wanted: dict[str, set[str]] = defaultdict(set)
    for row in merged:
        wanted[row["language"]] |= {row["word"], *_guessed_partners(row)}
    entries = look_up(wanted, settings.dictionaries)
    passed = 0
    for row in merged:
        entry = entries.get((row["language"], row["word"]), Entry())
        fault = _fault(row, entry, entries)
        if not fault:
            passed += 1
            (row["grammar"],) = entry.genders
            row["article"] = definite(row["language"], row["grammar"], row["word"])
            fault = _wrong_form(row)
        yield {**row, "dictionaries": sorted(entry.sources), "dropped": fault}
    if not passed:
        raise RunError(
            f"None of the {len(merged)} nouns that were proposed is in a dictionary with one "
            "gender and no partner; name more of them with --set dictionaries=FILE,FILE and build "
            "into another folder."
        )


def _merged(rows: Sequence[Row]) -> Iterator[Row]:
    """Each noun once: the commonest of its glosses and forms, and who proposed it."""
    together: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        together[row["language"], row["word"]].append(row)
    for (language, word), mine in together.items():
        yield {
            "id": f"{language}/{word}",
            "language": language,
            "word": word,
            **{name: _commonest(row[name] for row in mine) for name in _GLOSSES if name in mine[0]},
            "models": sorted({row["model"] for row in mine}),
        }


def _commonest(texts: Iterable[str]) -> str:
    """The text that most gave; of equally many the first."""
    return Counter(texts).most_common(1)[0][0]


def _guessed_partners(row: Row) -> set[str]:
    guesses = {counterpart(row["language"], grammar, row["word"]) for grammar in GRAMMARS}
    return guesses - {"", row["word"]}


def _fault(row: Row, entry: Entry, entries: Entries) -> str:
    """Why a noun will not do; empty if it will."""
    language, word = row["language"], row["word"]
    if not is_spelled(word):
        return "is not spelled as a word"
    if " " in word:
        return "is more than one word"
    if not entry.genders:
        return "is in no dictionary"
    if len(entry.genders) > 1:
        return f"has the genders {' and '.join(sorted(entry.genders))}"
    (grammar,) = entry.genders
    if grammar not in GRAMMARS:
        return "is neuter"
    guess = counterpart(language, grammar, word)
    if guess == word:
        return "is used in both genders"
    # A partner that endings suggest is one where a dictionary has it in the other gender.
    found = entries.get((language, guess), Entry()).genders - {grammar, "N"}
    partners = entry.partners - {word} | ({guess} if found else set())
    return f"has the partner {sorted(partners)[0]}" if partners else ""


def _wrong_form(row: Row) -> str:
    """What the suite's own check finds wrong with the noun's forms and glosses."""
    word = word_of(row, "male", "occupation")  # neither matters here
    errors = [found.message for found in check_words([word]) if found.severity == "error"]
    return errors[0].rstrip(".") if errors else ""


def word_of(row: Row, stereotype: str, category: str) -> Word:
    """The word that a row became."""
    return Word(
        id=word_id(row["language"], row["word"], row["grammar"]),
        stereotype=stereotype,  # type: ignore[arg-type]
        category=category,
        **{
            name: row.get(name, "")
            for name in ("language", "word", "article", "grammar", *_GLOSSES)
        },
    )
