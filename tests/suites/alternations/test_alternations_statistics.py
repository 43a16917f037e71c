"""Tables of the data: Table 1, the verbs by valency beside the paper's, lengths."""

from __future__ import annotations

from epicene.core.records import Estimate
from epicene.suites.alternations.construction import build_pairs
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.statistics import statistics


def test_tables_of_the_hindi_frames() -> None:
    found = {table.name: table for table in statistics(list(build_pairs(0)))}
    assert set(found) == {"1", "verbs", "lengths"}
    rows = {row.keys[:2]: row for row in found["1"].rows}
    assert set(rows) == {
        *(("acceptability", name) for name in ("DV", "SV", "No Case(E)", "No Case(I)")),
        *(("cloze", name) for name in ("SV", "No Case(E)", "No Case(I)")),
    }
    same = rows["acceptability", "SV"]
    assert same.cells == ("नचवाया था", "नाचा था")
    assert rows["acceptability", "DV"].cells == ("नचवाया था", "पिया था")
    assert same.keys[2] == rows["acceptability", "DV"].keys[2]
    counts = {row.keys[0]: row.cells[:2] for row in found["verbs"].rows}
    for number, valency in ((28, "intransitive"), (23, "transitive"), (5, "ditransitive")):
        assert counts[valency] == (Estimate(value=number), Estimate(value=number))


def test_other_pairs_have_their_lengths_alone() -> None:
    (table,) = statistics([Pair(id="1", good="a b c", bad="a b", phenomenon="p")])
    assert [cell.value for cell in table.rows[0].cells if isinstance(cell, Estimate)] == [1, 3, 3]
