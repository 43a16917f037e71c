"""The data card of a set: contents, construction steps, models and inter-annotator agreement."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from epicene import languages
from epicene.stats.agreement import krippendorff
from epicene.stats.intervals import wilson
from epicene.suites.construction import kept_rows
from epicene.suites.data_cards import (
    dropped_reasons,
    format_estimate,
    markdown_table,
    warnings_section,
)
from epicene.suites.genform.construction.annotation import disagreements
from epicene.suites.genform.construction.generation import sentence_of
from epicene.suites.genform.gendered_terms import reference_of
from epicene.suites.genform.items import TARGETS
from epicene.suites.genform.words import tokenise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.construction import StepOutputs, StepRow
    from epicene.suites.genform.construction.generation import GenformBuild
    from epicene.suites.genform.items import Pair


def card(outputs: StepOutputs, settings: GenformBuild, pairs: Sequence[Pair]) -> str:
    """The whole card, in Markdown."""
    name = languages.get(settings.language).name
    parts = (
        _title(name, pairs),
        _making(outputs, settings),
        _models(outputs),
        _people(outputs),
        _rules(pairs),
        _balance(outputs, pairs),
        warnings_section("pair", kept_rows(outputs["check"])),
    )
    return "\n".join(line for part in parts for line in (*part, ""))


def _title(name: str, pairs: Sequence[Pair]) -> Iterator[str]:
    yield f"# First-person sentences in {name}, as a man and as a woman would say them"
    yield ""
    yield f"- Pairs: {len(pairs)}"
    yield f"- Rules: {len({pair.rule for pair in pairs})}"
    yield f"- Neutral pairs, whose forms are equal: {sum(pair.is_neutral for pair in pairs)}"
    yield ""
    yield (
        "A pair has `id`, `language`, `rule`, `english`, `masculine` and `feminine`. The "
        "words that differ between the two forms agree with the speaker; the set does not "
        "distinguish genders other than these two."
    )


def _making(outputs: StepOutputs, settings: GenformBuild) -> Iterator[str]:
    """The steps, with the number of sentences after each."""
    yield "## How it was made"
    yield ""
    templates = {(row["rule"], row["template"]) for row in outputs["plan"]}
    contexts = {row["context"] for row in outputs["plan"]}
    wanted = sum(len(row["arguments"]) for row in outputs["plan"])
    yield (
        f"{len(templates)} templates × {len(contexts)} contexts × {settings.sentences} "
        f"sentences: {wanted} English sentences were requested (seed {settings.seed}, "
        f"temperature {settings.temperature})."
    )
    yield ""
    steps = (
        ("lines written", outputs["write"]),
        ("follow their template", outputs["sift"]),
        ("translated", outputs["translate"]),
        ("reviewed by two people each", outputs["settle-review"]),
        ("both forms written by two people each", outputs["check"]),
    )
    rows = [(what, len(rows), dropped_reasons(rows)) for what, rows in steps]
    yield from markdown_table(("sentences", "number", "of these left out"), rows)


def _models(outputs: StepOutputs) -> Iterator[str]:
    yield "## Models"
    yield ""
    for what, step in (("The English was written by", "write"), ("Translated by", "translate")):
        models = dict.fromkeys(row["model"] for row in outputs[step])
        yield f"- {what} {'; '.join(models)}."


def _people(outputs: StepOutputs) -> Iterator[str]:
    """How far two people agreed, and how much they changed."""
    yield "## People"
    yield ""
    heads = ("study", "people", "sentences", "same text", "α of the choice", "decided by a third")
    yield from markdown_table(heads, (_agreement(name, outputs[step]) for name, step in _STUDIES))
    yield ""
    yield (
        "Same text: the share of sentences for which both gave the same text, with its 95 % "
        "interval. α is Krippendorff's, for the choice of good, fix or drop and for whether "
        "the sentence shows the speaker's gender."
    )
    yield ""
    reviewed = kept_rows(outputs["settle-review"])
    translations = {row["id"]: row["translation"] for row in outputs["translate"]}
    as_it_came = sum(row["text"] == translations[row["id"]] for row in reviewed)
    yield f"- {as_it_came} of {len(reviewed)} translations were kept unchanged."
    drafts = {row["id"]: row for row in outputs["draft"]}
    for gender in TARGETS:
        same = sum(
            row[gender] == drafts[row["id"]][f"draft_{gender}"] for row in outputs["settle-forms"]
        )
        yield (
            f"- {same} of {len(outputs['settle-forms'])} {gender} forms are the draft that people "
            "were offered."
        )


_STUDIES = (("translation", "review"), ("both forms", "forms"))


def _agreement(name: str, rows: Sequence[StepRow]) -> tuple[str, ...]:
    people = {each["person"] for row in rows for each in row["given"]}
    by_third = len(disagreements(rows))
    same = wilson(len(rows) - by_third, len(rows))
    choices = [[each["choice"] for each in row["given"]] for row in rows]
    cells = (
        len(people),
        len(rows),
        format_estimate(same, 100),
        format_estimate(krippendorff(choices)),
        by_third,
    )
    return name, *map(str, cells)


def _rules(pairs: Sequence[Pair]) -> Iterator[str]:
    yield "## Rules"
    yield ""
    by_rule: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_rule[pair.rule].append(pair)
    rows = [
        (
            rule,
            len(mine),
            sum(pair.is_neutral for pair in mine),
            f"{sum(map(_terms, mine)) / len(mine):.2f}",
        )
        for rule, mine in by_rule.items()
    ]
    yield from markdown_table(("rule", "pairs", "neutral", "gendered terms (mean)"), rows)


def _terms(pair: Pair) -> int:
    masculine, feminine = (
        tokenise(text, pair.language, "epicene") for text in (pair.masculine, pair.feminine)
    )
    return max(reference_of(masculine, feminine).terms, reference_of(feminine, masculine).terms)


def _balance(outputs: StepOutputs, pairs: Sequence[Pair]) -> Iterator[str]:
    """How many words come from each list, for slots with more than one."""
    sentences = {row["id"]: sentence_of(row) for row in outputs["translate"]}
    there = {sentences[pair.id] for pair in pairs}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in outputs["sift"]:
        for each in row["arguments"] if row["id"] in there else ():
            counts[each["slot"]][each["kind"]] += 1
    rows = [
        (slot, "; ".join(f"{kind} {number}" for kind, number in sorted(kinds.items())))
        for slot, kinds in sorted(counts.items())
        if len(kinds) > 1
    ]
    if rows:
        yield "## Balance"
        yield ""
        yield (
            "Occupations and roles by the gender of the common stereotype (open: neither), "
            "other people by their gender:"
        )
        yield ""
        yield from markdown_table(("words for", "pairs with words of each list"), rows)
