"""The card of a list of words: what is in it, who proposed and sorted, and how people agreed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from epicene.stats.raters import fleiss, krippendorff
from epicene.suites.construction import kept
from epicene.suites.data_cards import left_out, shown, table
from epicene.suites.gramvis.names import CATEGORIES, GRAMMARS, LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites.construction import Made
    from epicene.suites.gramvis.construction.proposing import GramvisBuild


def card(made: Made, settings: GramvisBuild) -> str:
    """The whole card, in Markdown."""
    parts = (
        _title(made),
        _words(made),
        _making(made, settings),
        _models(made),
        _people(made, settings),
        _warnings(made),
    )
    return "\n".join(line for part in parts for line in (*part, ""))


def _title(made: Made) -> Iterator[str]:
    rows = kept(made["check"])
    diverging = sum(row["diverges"] for row in rows)
    yield "# Nouns whose grammatical gender contradicts, or equals, the stereotype"
    yield ""
    yield f"- Words: {len(rows)}"
    yield f"- Divergent: {diverging}"
    yield f"- Controls, whose stereotype equals their grammar: {len(rows) - diverging}"


def _words(made: Made) -> Iterator[str]:
    yield "## Words"
    yield ""
    rows = kept(made["check"])
    numbers = Counter((row["language"], row["grammar"], row["diverges"]) for row in rows)
    yield from table(
        ("language", "gender", "divergent", "controls"),
        (
            (name.capitalize(), grammar, *(numbers[code, grammar, kind] for kind in (True, False)))
            for code, name in LANGUAGES.items()
            for grammar in GRAMMARS
            if any(row["language"] == code for row in rows)
        ),
    )
    yield ""
    by_category = Counter(row["category"] for row in rows)
    yield from table(("category", "words"), ((name, by_category[name]) for name in CATEGORIES))


def _making(made: Made, settings: GramvisBuild) -> Iterator[str]:
    yield "## How it was made"
    yield ""
    yield (
        f"{len(made['seeds'])} prompts, {settings.number} words asked for in each (seed "
        f"{settings.seed}, temperature {settings.temperature})."
    )
    yield ""
    steps = (
        ("words proposed", made["propose"]),
        ("different nouns, looked up", made["look-up"]),
        ("with what people say of their meaning", made["diverge"]),
        ("with a category, checked", made["check"]),
    )
    yield from table(
        ("words", "number", "of these left out"),
        ((what, len(rows), left_out(rows)) for what, rows in steps),
    )
    sources = sorted({name for row in made["look-up"] for name in row["dictionaries"]})
    yield ""
    yield f"Dictionaries: {', '.join(sources)}."


def _models(made: Made) -> Iterator[str]:
    yield "## Models"
    yield ""
    proposed = dict.fromkeys(row["model"] for row in made["propose"])
    sorting = dict.fromkeys(model for row in made["sort"] for model in row["said"])
    yield f"- Words were proposed by {'; '.join(proposed)}."
    yield f"- Categories are what more than half of these say: {'; '.join(sorting)}."
    yield f"- Categories: α {shown(krippendorff(_sorted(made)))}."


def _sorted(made: Made) -> list[list[str | None]]:
    return [[name or None for name in row["said"].values()] for row in made["sort"]]


def _people(made: Made, settings: GramvisBuild) -> Iterator[str]:
    yield "## People"
    yield ""
    rows = made["suggest"]
    people = {each["person"] for row in rows for each in row["given"]}
    labels = [[each["said"] for each in row["given"]] for row in rows]
    yield (
        f"{len(people)} people were asked whom each of {len(rows)} English meanings suggests, "
        f"{settings.people} each, without the words or their grammar; {settings.agree} had to "
        "agree."
    )
    yield ""
    yield f"- Meanings on which enough agreed: {sum(bool(row['suggests']) for row in rows)}."
    yield f"- Fleiss' κ {shown(fleiss(labels))}; Krippendorff's α {shown(krippendorff(labels))}."


def _warnings(made: Made) -> Iterator[str]:
    rows = [
        (row["id"], " ".join(row["warnings"])) for row in kept(made["check"]) if row["warnings"]
    ]
    yield "## What the check would have a person read"
    yield ""
    yield from table(("word", "warning"), rows) if rows else ("Nothing.",)
