"""The rule types of each language, as the paper's Tables 2 to 7 list them, with examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import languages
from epicene.core.records import Column, Estimate, Row, Table
from epicene.suites.genform.items import all_rules, family_of, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.genform.items import Pair

# The paper's tables of rules, by language.
TABLE_NUMBERS = {"fr": "3–4", "ar": "5", "hi": "6–7"}

_OURS = (
    "The paper names the rules of French, Arabic and Hindi; their cells, families and "
    "descriptions, and all rules of other languages, are Epicene's."
)


def rule_tables(pairs: Sequence[Pair]) -> Iterator[Table]:
    """Table 2 and Tables 3–7, or their like, for the languages of the pairs."""
    here = sorted({pair.language for pair in pairs if rules_of(pair.language)})
    if here:
        yield _cell_table(here)
    for language in sorted(here, key=lambda code: (TABLE_NUMBERS.get(code, "rules"), code)):
        yield _language_table(language, [pair for pair in pairs if pair.language == language])


def _cell_table(codes: Sequence[str]) -> Table:
    cells: dict[str, dict[str, list[str]]] = {}
    for code in codes:
        for name, rule in rules_of(code).items():
            cells.setdefault(rule.cell, {}).setdefault(code, []).append(name)
    return Table(
        name="2",
        title="Rules by cell of the paper's Table 2",
        levels=("cell",),
        columns=tuple(Column(name=languages.get(code).name, unit="text") for code in codes),
        rows=tuple(
            Row(
                keys=(cell,),
                cells=tuple("; ".join(by_language.get(code, ())) or "–" for code in codes),
            )
            for cell, by_language in sorted(cells.items())
        ),
        notes=(_OURS,),
    )


def _language_table(language: str, pairs: Sequence[Pair]) -> Table:
    rows = []
    for name, rule in rules_of(language).items():
        mine = [pair for pair in pairs if pair.rule == name]
        example = (mine[0].masculine, mine[0].feminine) if mine else ("–", "–")
        texts = (family_of(language, name), rule.cell, rule.marks, rule.about, *example)
        rows.append(Row(keys=(name,), cells=(Estimate(value=float(len(mine))), *texts)))
    heads = ("family", "cell", "marks gender", "about", "masculine", "feminine")
    families = {rule.family for rule in rules_of(language).values()}
    return Table(
        name=TABLE_NUMBERS.get(language, f"rules ({language})"),
        title=f"{len(rows)} rules of {languages.get(language).name}, "
        f"in {len(families)} of {len(all_rules().families)} families",
        levels=("rule",),
        columns=(
            Column(name="sentences", unit="count"),
            *(Column(name=head, unit="text") for head in heads),
        ),
        rows=tuple(rows),
        notes=("The examples are the first of each rule in this data.", _OURS),
    )
