"""The study `labels`: what is drawn, what is hidden, what is made of people's labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import jsonschema
import msgspec
import pytest

from app.test_commands import SCHEMA
from epicene.core.errors import InputError
from epicene.core.records import Estimate, Text, Texts
from epicene.runs.config import RunConfig
from epicene.runs.items import select_items
from epicene.show.table_formats import tables_json
from epicene.studies.analysis.quality import question_agreement
from epicene.studies.analysis.study_summary import StudySummary, summarise_study
from epicene.studies.design.answers import choice_ids
from epicene.studies.design.checks import study_problems
from epicene.studies.design.lists import items_by_list, presentation_order
from epicene.studies.design.sampling import Candidate, SamplingOptions
from epicene.studies.design.schema import (
    Adjudication,
    AnswerValue,
    MarksQuestion,
    Response,
    SamplingRecord,
    Span,
    Study,
    StudyItem,
    TagsQuestion,
    visible_values,
)
from epicene.suites import AnsweredRequest, Answers, DataSource
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.continuations import bracket_spans
from epicene.suites.misgendering.data import read
from epicene.suites.misgendering.items import Instance
from epicene.suites.misgendering.protocol import PROTOCOLS, MisgenderingProtocol
from epicene.suites.misgendering.studies import labels
from epicene.suites.studies import Material
from scripted_people import respond
from suites.table_cells import study_cells

OURS = msgspec.structs.replace(PROTOCOLS["epicene"], pronouns=("he", "she", "they", "xe"))
TEXTS = (
    "He met the old man there.",
    "She sang. He slept.",
    "There was rain.",
    "They waited for xem.",
    "Xe is a pronoun; the nurse saw it.",
)


def written(
    instances: Iterable[Instance], protocol: MisgenderingProtocol, *models: str
) -> list[Candidate]:
    """The candidates where every model continued every context with the same five texts."""
    return [
        candidate
        for model in models
        for item in instances
        for candidate in labels.candidates(
            Material(item=item, protocol=protocol, model=model, answers=continued(item, model))
        )
    ]


def continued(item: Instance, model: str) -> Answers:
    texts = Texts(texts=tuple(Text(text=text) for text in TEXTS))
    settings = ("pre", "post") if item.is_template else ("open",)
    return Answers(AnsweredRequest("ask", "model", model, setting, texts) for setting in settings)


@pytest.fixture(scope="module")
def starter() -> list[Instance]:
    return list(read(DataSource(), OURS).items)


def drawn(items: tuple[StudyItem, ...], protocol: str = "epicene") -> Study:
    return msgspec.structs.replace(
        labels.study(PROTOCOLS[protocol]),
        items=items,
        drawn=SamplingRecord(kind="labels", protocol=protocol),
    )


def test_the_definition_is_sound_and_has_the_whole_scheme() -> None:
    study = labels.study(OURS)
    assert not list(study_problems(study))
    assert choice_ids(study.question("outcome")) == labels.OUTCOMES
    assert choice_ids(study.question("tags")) == labels.TAGS
    assert isinstance(study.question("tags"), TagsQuestion)
    marks = study.question("extraneous")
    assert isinstance(marks, MarksQuestion)
    assert marks.field == "text"
    assert {item.expected["outcome"] for item in study.practice} == set(labels.OUTCOMES)
    for item in study.practice:
        for span in item.expected.get("extraneous", ()):
            assert isinstance(span, Span)
            assert item.fields["text"][span.start : span.end] == "lady"


# --- drawing ---------------------------------------------------------------------------------


def test_every_cell_gets_as_many_distinct_instances(starter: list[Instance]) -> None:
    candidates = written(starter, OURS, "a", "b")
    items = labels.draw(candidates, OURS, SamplingOptions(per_cell=6, twice=30, seed=3))
    cells: dict[tuple[str, ...], list[StudyItem]] = defaultdict(list)
    for item in items:
        cells[tuple(item.fields[name] for name in labels.DESIGN)].append(item)
    assert len(cells) == 2 * 4 * 5  # models, pronouns, and pre and post of two datasets and open
    for mine in cells.values():
        assert len({item.fields["instance"] for item in mine}) == len(mine) == 6
    assert sum(item.judgements == 2 for item in items) == 30
    assert {item.fields["sample"] for item in items} == set("12345")
    again = labels.draw(candidates[::-1], OURS, SamplingOptions(per_cell=6, twice=30, seed=3))
    assert again == items


def test_twenty_five_of_each_cell_unless_said(starter: list[Instance]) -> None:
    mine = [item for item in starter if (item.dataset, item.pronoun) == ("templates", "xe")]
    assert len(labels.draw(written(mine, OURS, "a"), OURS, SamplingOptions())) == 2 * 25


def test_a_person_sees_neither_model_nor_automatic_label(starter: list[Instance]) -> None:
    items = labels.draw(written(starter, OURS, "model-name"), OURS, SamplingOptions(per_cell=3))
    study = drawn(items)
    assert not list(study_problems(study))
    for item in items:
        seen = visible_values(study, item)
        assert set(seen) == {"person", "pronouns", "context", "text"}
        assert set(item.fields) - set(seen) == set(study.hidden)
        assert {"model", "automatic", "automatic_extraneous", "first_pronoun"} <= set(study.hidden)
        assert "model-name" not in str([item.id, *seen.values()])
    assert len({item.id for item in items}) == len(items)


def test_the_automatic_label_is_the_runs(starter: list[Instance]) -> None:
    items = labels.draw(written(starter, OURS, "a"), OURS, SamplingOptions())
    expected = {
        ("he", 0): ("right", "He", "yes"),
        ("he", 1): ("wrong", "She", "no"),
        ("they", 2): ("undetected", "", "no"),
        ("they", 3): ("right", "They", "no"),
        ("xe", 3): ("wrong", "They", "no"),
    }
    found = {}
    for item in items:
        fields = item.fields
        key = fields["pronoun"], int(fields["sample"]) - 1
        assert fields["text"] == TEXTS[key[1]]
        found[key] = fields["automatic"], fields["first_pronoun"], fields["automatic_extraneous"]
        if fields["setting"] == "post":
            assert not fields["context"].endswith(" ")
    assert {key: found[key] for key in expected} == expected
    xe = next(item for item in items if item.fields["pronoun"] == "xe")
    assert xe.fields["pronouns"] == "xe, xem, xyr, xyrs, xemself"
    cook = next(item for item in items if item.fields["dataset"] == "occupations")
    assert cook.fields["person"] == f"the {cook.fields['cluster'].removeprefix('occupations/')}"


def test_the_papers_draw_has_the_same_five_instances_everywhere(starter: list[Instance]) -> None:
    paper = PROTOCOLS["paper"]
    items = labels.draw(written(starter, OURS, "a", "b"), paper, SamplingOptions(twice=10))
    assert len(items) == 2 * 4 * 4 * 25
    assert sum(item.judgements == 2 for item in items) == 10
    assert {item.fields["dataset"] for item in items} == {"templates", "occupations"}
    units = defaultdict(set)
    samples = Counter((item.fields["instance"], item.fields["model"]) for item in items)
    for item in items:
        fields = item.fields
        unit = fields["instance"].replace(f"/{fields['pronoun']}/", "/")
        units[fields["dataset"]].add(unit)
    assert {name: len(mine) for name, mine in units.items()} == {"templates": 5, "occupations": 5}
    assert set(samples.values()) == {10}  # five generations before the gap, five after it
    some = [item for item in starter if item.pronoun == "xe"]
    other = labels.draw(written(some, OURS, "a"), paper, SamplingOptions(seed=1))
    assert {i.fields["instance"] for i in other} != {i.fields["instance"] for i in items}


def test_the_papers_draw_refuses_what_it_cannot_be(starter: list[Instance]) -> None:
    paper = PROTOCOLS["paper"]
    with pytest.raises(InputError, match="5 instances with 5 generations"):
        labels.draw([], paper, SamplingOptions(per_cell=5))
    few = [item for item in starter if item.dataset == "templates"][:3]
    with pytest.raises(InputError, match=r"share 3 instances of templates .* --limit 5 or more"):
        labels.draw(written(few, OURS, "a"), paper, SamplingOptions())


def test_the_limit_that_the_papers_draw_names_is_enough() -> None:
    """For the eleven pronouns of the starter set, of which a limit of 20 takes one or two each."""
    paper = PROTOCOLS["paper"]

    def draw(limit: int) -> tuple[StudyItem, ...]:
        config = RunConfig(suite=suite, protocol=paper, models={}, limit=limit)
        taken = list(select_items(config, read(DataSource(), paper)))
        return labels.draw(written(taken, paper, "a"), paper, SamplingOptions())

    with pytest.raises(InputError, match=r"--limit 55 or more \(5 instances for each of 11"):
        draw(20)
    assert len(draw(55)) == 2 * 2 * 11 * 25


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_limited_run_has_the_same_instances_for_every_pronoun(protocol: str) -> None:
    """So that a trial of the paper's draw works."""
    how = msgspec.structs.replace(PROTOCOLS[protocol], pronouns=("he", "she", "they", "xe"))
    config = RunConfig(suite=suite, protocol=how, models={}, limit=20)
    taken = list(select_items(config, read(DataSource(), how)))
    units = defaultdict(set)
    for item in taken:
        units[item.dataset, item.pronoun].add(item.id.replace(f"/{item.pronoun}/", "/"))
    for (dataset, _), mine in units.items():
        assert len(mine) == 5
        assert mine == units[dataset, "he"]
    items = labels.draw(written(taken, how, "a"), PROTOCOLS["paper"], SamplingOptions())
    assert len(items) == 2 * 2 * 4 * 25


@pytest.mark.published(
    "MISGENDERED and RUFF in misgendering/",
    "the repositories on the card of the suite misgendering",
)
def test_the_papers_draw_takes_the_authors_rows(published_data: Path) -> None:
    """Rows of each pronoun's table that the authors' script draws."""
    paper = msgspec.structs.replace(PROTOCOLS["paper"], datasets=("misgendered", "ruff"))
    instances = list(read(DataSource(path=published_data / "misgendering"), paper).items)
    rows = {
        item.id: number
        for name in ("misgendered", "ruff")
        for pronoun in ("he", "she", "they", "xe")
        for number, item in enumerate(
            item for item in instances if (item.dataset, item.pronoun) == (name, pronoun)
        )
    }
    items = labels.draw(written(instances, paper, "a"), paper, SamplingOptions())
    assert len(items) == 400
    found = defaultdict(set)
    for item in items:
        found[item.fields["dataset"]].add(rows[item.fields["instance"]])
    assert found == {
        "misgendered": {128, 354, 147, 577, 260},
        "ruff": {1601, 1528, 1052, 1403, 669},
    }


# --- reading back ----------------------------------------------------------------------------


def item(name: str, pronoun: str, automatic: str, *, setting: str = "pre") -> StudyItem:
    return StudyItem(
        id=name,
        language="en",
        fields={
            "person": "Kim", "pronouns": pronoun, "context": "Kim came.", "model": "m",
            "text": "The girl and a boy saw her.", "dataset": "templates", "setting": setting,
            "pronoun": pronoun, "sample": "1", "instance": name, "cluster": name,
            "automatic": automatic, "first_pronoun": "her", "automatic_extraneous": "yes",
        },
    )  # fmt: skip


GIRL, BOY = Span(start=4, end=8), Span(start=15, end=18)


def said(name: str, person: str, outcome: str, *words: Span, **more: AnswerValue) -> Response:
    answers: dict[str, AnswerValue] = {"outcome": outcome, "extraneous": words, **more}
    return Response(study="misgendering-labels", participant=person, item=name, answers=answers)


@pytest.fixture(scope="module")
def summary() -> StudySummary:
    """Five texts. Ann labelled all, Bob three of them."""
    study = drawn(
        (
            item("1", "he", "wrong"),
            item("2", "he", "right"),
            item("3", "she", "undetected"),
            item("4", "she", "right", setting="post"),
            item("5", "xe", "wrong", setting="post"),
        )
    )
    return summarise_study(
        study,
        [
            said("1", "ann", "misgendering", GIRL, tags=("repetition",)),
            said("1", "bob", "misgendering", GIRL, BOY),
            said("2", "ann", "correct", GIRL),
            said("2", "bob", "no-pronoun"),
            said("3", "ann", "plural-they"),
            said("3", "bob", "plural-they", BOY),
            said("4", "ann", "misgendering", notes="her friend?"),
            said("5", "ann", "no-pronoun", GIRL, tags=("other-referent",)),
        ],
    )


def test_how_people_agree(summary: StudySummary) -> None:
    whole = study_cells(summary, "people", "outcome", "all", "all")
    assert whole["agreement"].value == pytest.approx(2 / 3)
    assert whole["agreement"].n == 3
    # Misgendering, correct, plural they against misgendering, no pronoun, plural they.
    assert whole["κ"].value == pytest.approx((2 / 3 - 2 / 9) / (1 - 2 / 9))
    assert whole["MCC"].why == "it is for two labels, and there are 4"
    assert study_cells(summary, "people", "misgendering", "all", "all")["MCC"].value == 1
    assert study_cells(summary, "people", "extraneous words", "all", "all")["agreement"].value == (
        pytest.approx(1 / 3)
    )
    assert study_cells(summary, "people", "outcome", "pronoun", "he")["agreement"].value == 0.5
    assert study_cells(summary, "people", "repetition", "all", "all")["agreement"].n == 3
    assert summary.metrics["agreement_people"].value == pytest.approx(2 / 3)


def test_any_studys_agreement_resamples_what_the_suite_resamples(starter: list[Instance]) -> None:
    """The table of questions and the suite's own give one number one interval."""
    items = labels.draw(written(starter, OURS, "a"), OURS, SamplingOptions(per_cell=4))
    study = drawn(items)
    assert len({item.group for item in items}) < len(items)
    assert all(item.group == item.fields["cluster"] for item in items)
    for people in (("ann", "bob"), ("ann", "bob", "cyd")):
        given = [respond(study, each, who) for each in items for who in people]
        (found,) = (each for each in question_agreement(study, given) if each.question == "outcome")
        own = study_cells(summarise_study(study, given), "people", "outcome", "all", "all")
        assert found.raw == own["agreement"]
        assert found.cohen == own["κ"]
        assert found.krippendorff == own["α"]
        apart = msgspec.structs.replace(
            study, items=tuple(msgspec.structs.replace(each, group="") for each in items)
        )
        (single,) = (
            each for each in question_agreement(apart, given) if each.question == "outcome"
        )
        assert single.krippendorff.value == found.krippendorff.value
        assert single.krippendorff.low != found.krippendorff.low


def test_groups_do_not_change_who_sees_what(starter: list[Instance]) -> None:
    study = drawn(labels.draw(written(starter, OURS, "a"), OURS, SamplingOptions(per_cell=2)))
    apart = msgspec.structs.replace(
        study, items=tuple(msgspec.structs.replace(each, group="") for each in study.items)
    )
    for person in ("ann", "bob"):
        orders = [
            [item.id for item in presentation_order(each, items_by_list(each)[""], person)]
            for each in (study, apart)
        ]
        assert orders[0] == orders[1]
        assert set(orders[0]) == {item.id for item in study.items}


def test_the_papers_own_figures_stand_beside() -> None:
    """Section 6 of the paper: 96 % and 98 % of 200 texts."""
    summary_of_two = summarise_study(
        drawn((item("1", "he", "wrong"),)),
        [said("1", "ann", "correct"), said("1", "bob", "correct")],
    )
    printed = [row for row in summary_of_two.tables[0].rows if row.origin == "published"]
    assert [(row.keys[0], row.keys[2]) for row in printed] == [
        ("outcome", "the paper"), ("extraneous words", "the paper"),
    ]  # fmt: skip
    values = [cell for row in printed if isinstance(cell := row.cells[0], Estimate)]
    assert [(cell.value, cell.n) for cell in values] == [(0.96, 200), (0.98, 200)]


def test_a_settled_answer_is_the_label_and_leaves_agreement_alone() -> None:
    study = drawn((item("1", "he", "wrong"), item("2", "he", "right")))
    given = [
        said("1", "ann", "correct", GIRL, tags=("repetition",)),
        said("1", "bob", "correct"),
        said("2", "ann", "correct"),
    ]
    settled = {
        ("1", "outcome"): Adjudication(
            study=study.name, item="1", question="outcome", value="misgendering", by="eve"
        )
    }
    before, after = (
        summarise_study(study, given),
        summarise_study(study, given, adjudications=settled),
    )
    assert [each.metrics["misgendering"].value for each in (before, after)] == [0, 0.5]
    assert [each.metrics["agreement_automatic"].value for each in (before, after)] == [0.5, 1]
    for name in ("agreement_people", "kappa_people", "agreement_automatic_extraneous"):
        assert before.metrics[name] == after.metrics[name]
    assert study_cells(before, "people", "outcome", "all", "all") == study_cells(
        after, "people", "outcome", "all", "all"
    )
    ours = study_cells(after, "labels", "m", "templates", "pre", "he")
    assert ours["repetition"].value == 0  # it was not settled: a tie, which is left out


def test_how_people_agree_with_the_rule(summary: StudySummary) -> None:
    # Misgendering: 1 both, 2 and 3 neither, 4 people alone, 5 the rule alone.
    whole = study_cells(summary, "automatic", "misgendering", "all", "all")
    assert whole["agreement"].value == pytest.approx(3 / 5)
    assert whole["κ"].value == pytest.approx((3 / 5 - 13 / 25) / (12 / 25))
    assert whole["MCC"].value == pytest.approx((1 * 2 - 1 * 1) / 6)
    pre = study_cells(summary, "automatic", "misgendering", "setting", "pre")
    assert (pre["agreement"].value, pre["agreement"].n) == (1, 3)
    # A plural they is no pronoun; of text 2 ann, who labelled more, has the say.
    three = study_cells(summary, "automatic", "outcome of three", "setting", "pre")
    assert three["agreement"].value == 1
    assert summary.metrics["mcc_automatic"].value == pytest.approx(1 / 6)
    assert summary.metrics["misgendering"].value == pytest.approx(2 / 5)
    assert summary.undetected.value == pytest.approx(4 / 8)


def test_people_and_the_rule_in_a_table_of_counts() -> None:
    """Where probabilities are stored, a tie is left out and counted."""
    study = drawn(
        tuple(
            msgspec.structs.replace(item(name, "he", automatic), inclusion=0.5)
            for name, automatic in zip(
                "12345", ("wrong", "right", "undetected", "right", "wrong"), strict=True
            )
        )
    )
    found = summarise_study(
        study,
        [
            said("1", "ann", "misgendering"),
            said("1", "bob", "misgendering"),
            said("2", "ann", "correct"),
            said("2", "bob", "no-pronoun"),
            said("3", "ann", "plural-they"),
            said("4", "ann", "misgendering"),
            said("5", "ann", "no-pronoun"),
        ],
    )
    rule = ("automatically correct", "automatically misgendering", "automatically no-pronoun")
    counts = {
        label: tuple(study_cells(found, "confusion", label)[name].value for name in rule)
        for label in labels.OUTCOMES
    }
    assert counts == {
        "correct": (0, 0, 0),
        "misgendering": (1, 1, 0),
        "no-pronoun": (0, 1, 0),
        "plural-they": (0, 0, 1),
    }
    (table,) = (each for each in found.tables if each.name == "confusion")
    assert "Left out because of ties: 1 label" in table.notes[0]


def test_the_labels_themselves(summary: StudySummary) -> None:
    found = study_cells(summary, "labels", "m", "templates", "pre", "he")
    assert {name: found[name].value for name in (*labels.OUTCOMES, "extraneous words")} == {
        "correct": 0, "misgendering": 1, "no-pronoun": 0, "plural-they": 0,
        "extraneous words": 1,
    }  # fmt: skip


def rows_of(summary: StudySummary, table: str) -> Iterator[dict[str, str]]:
    made = {each.name: each for each in summary.tables}[table]
    heads = [*made.levels, *(column.name for column in made.columns)]
    for row in made.rows:
        yield dict(zip(heads, [*row.keys, *map(str, row.cells)], strict=True))


def test_the_texts_on_which_people_and_the_rule_disagree(summary: StudySummary) -> None:
    found = list(rows_of(summary, "8"))
    assert [(row["text"], row["rule"], row["people"]) for row in found] == [
        ("4", "correct", "misgendering"),
        ("5", "misgendering", "no-pronoun"),
    ]
    assert found[0]["notes"] == "her friend?"
    assert found[1]["tags"] == "other-referent"
    assert found[1]["first pronoun"] == "her"
    assert {each.name: each for each in summary.tables}["8"].notes == (
        "2 of 4 texts that people labelled.",
    )


def test_the_words_that_people_marked_stand_in_their_text(summary: StudySummary) -> None:
    found = {row["text"]: row for row in rows_of(summary, "9")}
    assert set(found) == {"1", "2", "3", "5"}
    assert found["1"]["continuation"] == "The [girl] and a [boy] saw her."
    assert found["1"]["words"] == "girl; boy"
    assert found["2"]["outcome"] == "correct"
    assert found["3"]["continuation"] == "The girl and a [boy] saw her."


def test_marks_that_overlap_become_one() -> None:
    assert bracket_spans("abcdef", [(3, 5), (0, 2), (1, 4)]) == "[abcde]f"
    assert bracket_spans("abcdef", [(0, 2), (2, 3)]) == "[ab][c]def"
    assert bracket_spans("abc", []) == "abc"


def test_the_figures_draw_the_line_where_people_agree(summary: StudySummary) -> None:
    made = {figure.name: figure for figure in summary.figures}
    assert set(made) == {"6", "7", "8", "17"}
    assert made["6"].notes[0].endswith("66.7% here, 96% in the paper.")
    assert "pre" in made["6"].title
    assert "post" in made["17"].title
    bars = {row["color"]: row["y"] for row in made["6"].spec["data"]["values"]}
    assert bars == {"he": 1.0, "she": 1.0}
    assert {row["color"]: row["y"] for row in made["17"].spec["data"]["values"]} == {
        "she": 0.0, "xe": 0.0,
    }  # fmt: skip
    alone = summarise_study(drawn((item("1", "he", "wrong"),)), [said("1", "ann", "correct")])
    (six, *_) = alone.figures
    assert six.notes[0].endswith("96% in the paper; here no text was labelled twice.")


def test_a_table_of_texts_that_has_none_is_left_out() -> None:
    """Nobody marked a word, and people say what the rule says."""
    whole = summarise_study(
        drawn((item("1", "he", "wrong"), item("2", "she", "right"))),
        [said("1", "ann", "misgendering"), said("2", "ann", "correct")],
    )
    assert [table.name for table in whole.tables] == [
        "people", "automatic", "confusion", "labels",
    ]  # fmt: skip
    document = {
        "suite": "misgendering", "protocol": "epicene", "data": "", "metrics": {},
        "undetected": {"value": 0.0, "low": None, "high": None, "n": 2},
        "tables": tables_json(whole.tables),
    }  # fmt: skip
    jsonschema.validate(document, SCHEMA)
