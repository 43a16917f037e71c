"""Votes made elsewhere: labels, counts and agreement, and files that are wrong."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

import epicene
from epicene.core.errors import InputError
from epicene.show.figures import svg
from epicene.show.latex import tables_latex
from epicene.show.page import table_html
from epicene.show.table_formats import as_json, tables_csv, tables_markdown
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.counts import count_array
from epicene.suites.gramvis.figures import figures
from epicene.suites.gramvis.items import CATEGORIES, CONDITIONS, GRAMMARS, LANGUAGES
from epicene.suites.gramvis.tables import tables
from suites.gramvis.gramvis_counts import vote_line, voted, write_votes


def three(
    choices: tuple[str | None, str | None, str | None], **image: object
) -> list[dict[str, object]]:
    return [
        vote_line(judge=judge, choice=choice, **image)
        for judge, choice in zip("abc", choices, strict=True)
    ]


def test_votes_become_counts_and_none_is_lost(tmp_path: Path) -> None:
    lines = [
        *three(("male", "male", "female"), shot=1),
        *three(("Male.", "female", "neither"), shot=2),
        *three((None, "mumble", ""), shot=3),
        *three(("female", "female", "female"), shot=1, template=2, condition="native"),
        *three(("male", "male", "male"), condition="english"),
    ]
    outcome = voted(write_votes(tmp_path / "votes.jsonl", lines))
    counts = count_array(outcome.frame)
    assert [word.word for word in counts.words] == ["der_star"]
    by_condition = dict(zip(CONDITIONS, counts.values[0, 0].tolist(), strict=True))
    assert by_condition == {"english": [1, 0, 0], "chinese": [0, 0, 0], "gendered": [1, 1, 1]}
    assert outcome.frame["error"].sum() == 1
    outcomes = outcome.frame.filter(pl.col("name").cast(pl.String) == "majority")["outcome"]
    wanted = ["right", "undetected", "undetected", "wrong", "right"]
    assert outcomes.cast(pl.String).to_list() == wanted
    votes = outcome.frame.filter(pl.col("name").cast(pl.String).str.starts_with("vote of "))
    assert len(votes) == len(lines)


@pytest.mark.parametrize("protocol", ["paper", "epicene"])
def test_a_judge_without_a_line_did_not_vote(tmp_path: Path, protocol: str) -> None:
    """A vote alone is not unanimous, and does not decide; nor does the absent one count as one."""
    lines = [
        *three(("male", "male", "male"), shot=1),
        *three(("male", "male", "male"), shot=2)[:1],
        *three(("female", "female", "female"), shot=3)[1:],
        vote_line(model="other", judge="z", choice="male"),  # the only judge of that model
    ]
    outcome = voted(write_votes(tmp_path / "votes.jsonl", lines), protocol)
    images = outcome.frame.filter(pl.col("name").cast(pl.String) == "majority")
    assert images["agreement"].cast(pl.String).to_list() == [
        *("unanimous", "none", "two of three", "unanimous")
    ]
    assert images["label"].cast(pl.String).to_list() == ["male", "neither", "female", "male"]
    votes = outcome.frame.filter(pl.col("name").cast(pl.String).str.starts_with("vote of "))
    assert len(votes) == len(lines)


def test_missing_votes_are_told(tmp_path: Path) -> None:
    lines = [*three(("male", "male", "male"), shot=1), *three(("male",) * 3, shot=2)[:2]]
    scored = epicene.score("gramvis", write_votes(tmp_path / "votes.jsonl", lines))
    assert any("have no answer for 'vote of c'" in note for note in scored.notes)


def test_agreement_of_judges(tmp_path: Path) -> None:
    """Two images alike, one split: κ by hand from 9 votes, 5 male and 4 female."""
    lines = [
        *three(("male", "male", "male"), word="a"),
        *three(("female", "female", "female"), word="b"),
        *three(("male", "male", "female"), word="c"),
    ]
    outcome = voted(write_votes(tmp_path / "votes.jsonl", lines))
    (table,) = [as_json(table) for table in tables(outcome) if table.name == "judges"]
    row = table["all"]
    assert row["unanimous"]["value"] == pytest.approx(2 / 3)
    assert row["two of three"]["value"] == pytest.approx(1 / 3)
    assert row["none"]["value"] == row["unreadable"]["value"] == 0
    observed, chance = (1 + 1 + 1 / 3) / 3, (25 + 16) / 81
    assert row["Fleiss' κ"]["value"] == pytest.approx((observed - chance) / (1 - chance))
    # α: the same with pairs drawn without replacement.
    expected = 2 * 5 * 4 / (9 * 8)
    assert row["Krippendorff's α"]["value"] == pytest.approx(1 - (1 - observed) / expected)


def test_effects_by_template_and_by_shot(tmp_path: Path) -> None:
    lines = [
        line
        for template in (1, 2)
        for shot in (1, 2)
        for condition in CONDITIONS
        for line in three(
            ("male",) * 3 if condition == "gendered" and template == 1 else ("female",) * 3,
            template=template,
            shot=shot,
            condition=condition,
        )
    ]
    outcome = voted(write_votes(tmp_path / "votes.jsonl", lines))
    made = {table.name: as_json(table) for table in tables(outcome)}
    effect = "english_effect"
    assert [made["templates"][name]["M"][effect]["value"] for name in "12"] == [1, 0]
    assert [made["shots"][name]["M"][effect]["value"] for name in "12"] == [0.5, 0.5]


def test_protocols_read_judges_differently(tmp_path: Path) -> None:
    lines = three(("neither male nor female",) * 3)
    path = write_votes(tmp_path / "votes.jsonl", lines)
    labels = {
        name: count_array(voted(path, name).frame).values[0, 0, 2].tolist()
        for name in ("paper", "epicene")
    }
    assert labels == {"paper": [0, 1, 0], "epicene": [0, 0, 1]}


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({"language": "klingon"}, ["line 1,", "no language 'klingon'"]),
        ({"grammar": "neuter"}, ["line 1,", "no grammatical gender"]),
        ({"condition": "latin"}, ["no condition"]),
        ({"category": "sport"}, ["no category"]),
        ({"judge": ""}, ["line 1,", "`$.judge`"]),
        ({"choice": 3}, ["`$.choice`"]),
    ],
)
def test_wrong_votes_are_refused(
    tmp_path: Path, changed: dict[str, object], parts: list[str]
) -> None:
    path = write_votes(tmp_path / "votes.jsonl", [vote_line(**changed)])
    with pytest.raises(InputError) as caught:
        voted(path)
    assert all(part in str(caught.value) for part in parts)


def test_a_judge_votes_once(tmp_path: Path) -> None:
    path = write_votes(tmp_path / "votes.jsonl", [vote_line(), vote_line()])
    with pytest.raises(InputError, match=r"line 2, has a second vote of 'a'"):
        voted(path)


def test_a_vote_without_a_field_is_refused(tmp_path: Path) -> None:
    line = vote_line()
    del line["shot"]
    with pytest.raises(InputError, match=r"line 1, is not a vote: .*`shot`"):
        voted(write_votes(tmp_path / "votes.jsonl", [line]))


@pytest.mark.parametrize("protocol", ["paper", "epicene"])
def test_everything_on_the_card_comes_out_and_can_be_shown(
    tmp_path: Path, protocol: Literal["paper", "epicene"]
) -> None:
    draw = random.Random(3)
    lines = [
        vote_line(
            language=language,
            grammar=grammar,
            word=f"{grammar}{number}",
            category=CATEGORIES[number],
            condition=condition,
            shot=shot,
            judge=judge,
            choice=draw.choice(["male", "a woman", "female", "neither"]),
        )
        for language in LANGUAGES
        for grammar in GRAMMARS
        for number in range(len(CATEGORIES))
        for condition in CONDITIONS
        for shot in (1, 2)
        for judge in "abc"
    ]
    outcome = voted(write_votes(tmp_path / "votes.jsonl", lines), protocol)
    made = list(tables(outcome))
    # Nobody says the stereotype of a word that was voted on elsewhere.
    expected = set(suite.card.tables) - {"stereotype"}
    expected -= set() if protocol == "epicene" else {"mixed"}
    assert {table.name for table in made} == expected
    for write in (tables_csv, tables_latex, tables_markdown):
        assert "flux" in write(made)
    assert all(table.title in table_html(table).replace("&#39;", "'") for table in made)
    drawn = list(figures(outcome))
    assert {figure.name for figure in drawn} == set(suite.card.figures)
    assert all(svg(figure).count("<path") > 2 for figure in drawn)
