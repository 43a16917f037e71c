"""Headlines of runs corrected by the labels of studies, suite by suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

import epicene
from epicene.core.errors import InputError
from epicene.runs.stored_run import StoredRun, read_run
from epicene.stats.corrected import CheckedRate
from epicene.studies.analysis.corrections import (
    NOT_RIGHT,
    RIGHT,
    CorrectedHeadline,
    Corrections,
    LeftOut,
)
from epicene.studies.analysis.label_needs import allocate_labels, allocate_precision
from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
from epicene.studies.analysis.study_summary import AnsweredStudy, summarise_study
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import Adjudication, AnswerValue, Response, Study, StudyItem
from epicene.suites import DataSource, find_suite

Answering = Callable[[StudyItem], dict[str, AnswerValue]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        made = tmp_path_factory.mktemp("runs")
        patch.chdir(made)
        yield made


@pytest.fixture(scope="module")
def runs(folder: Path) -> list[StoredRun]:
    """Two models of known rates, on the same items."""
    for name, model in (("a", "planted?rate=0.8"), ("b", "planted:2?rate=0.6")):
        epicene.run("misgendering", model, out=folder / name, limit=12, progress=False)
    return [read_run(folder / name) for name in "ab"]


@pytest.fixture(scope="module")
def study(runs: list[StoredRun]) -> Study:
    return study_from_runs(runs, SamplingOptions(per_cell=4))


def answered(study: Study, answer: Answering, people: tuple[str, ...] = ("ann",)) -> AnsweredStudy:
    responses = [
        Response(study=study.name, participant=person, item=item.id, answers=answer(item))
        for item in study.items
        for person in people
    ]
    return AnsweredStudy(study, responses)


# --- a suite in one file ------------------------------------------------------------------------

ITEMS = 400
mine = epicene.suite(
    "checked_suite",
    items=[
        {"id": f"{n}", "before": f"Item {n}: ", "right": "a", "wrong": "b", "group": f"{n // 2}"}
        for n in range(ITEMS)
    ],
    languages=["en"],
)


@mine.ask
def ask(item: epicene.RowItem) -> epicene.Score:
    return epicene.choose(item.before, [item.right, item.wrong])


@mine.judge
def judge(item: epicene.RowItem, answer: epicene.Scores) -> bool:
    return answer.best == 0


@pytest.fixture(scope="module")
def own_runs(folder: Path) -> list[StoredRun]:
    """Two models that guess."""
    return [
        epicene.run(mine, f"random:{seed}", out=folder / f"mine-{seed}", progress=False).stored[0]
        for seed in (1, 2)
    ]


def verdicts(item: StudyItem) -> dict[str, AnswerValue]:
    """The judge of the second model is too lenient: of its right answers three of four are."""
    lenient = item.fields["model"] == "random:2" and "right" in item.fields["judgement"]
    return {"correct": "no" if lenient and int(item.fields["item"]) % 4 == 0 else "yes"}


def own_study(runs: list[StoredRun], per_cell: int) -> Study:
    return study_from_runs(runs, SamplingOptions(per_cell=per_cell), study="check")


def test_people_turn_what_they_reject(own_runs: list[StoredRun]) -> None:
    """With every answer of one prompt a group labelled, it is the share of their labels."""
    run = own_runs[0]
    made = own_study([run], per_cell=ITEMS)

    def verdict(item: StudyItem) -> dict[str, AnswerValue]:
        number = int(item.fields["item"])
        return {"correct": "unclear" if number == 7 else "no" if number % 5 == 0 else "yes"}

    found = only(answered(made, verdict), [run])
    judgements = epicene.load(run.folder, suite=mine).judgements()
    judged = {each.item: each.outcome == "right" for _, each in judgements}
    labelled = [int(item.fields["item"]) for item in made.items]
    truth = [judged[f"{n}"] != (n % 5 == 0) for n in labelled if n != 7]
    assert found.left_out.open == labelled.count(7)
    assert found.estimates.human.n == len(truth)
    assert found.estimates.human.value == pytest.approx(np.mean(truth), abs=0.03)
    assert found.estimates.automatic.value == pytest.approx(np.mean(list(judged.values())))


def test_a_judge_that_is_too_lenient_is_corrected(own_runs: list[StoredRun]) -> None:
    corrections = answered(own_study(own_runs, per_cell=60), verdicts).corrections(own_runs)
    first, second = corrections.headlines
    assert first.confusion[NOT_RIGHT, RIGHT] == 0
    assert second.confusion[NOT_RIGHT, RIGHT] > 5
    assert second.estimates.corrected.high is not None
    assert second.estimates.automatic.value is not None
    assert second.estimates.corrected.high < second.estimates.automatic.value
    tables = {table.name: table for table in corrections.tables}
    assert set(tables) == {"corrected", "corrected differences", "headline confusion"}
    (row,) = tables["corrected differences"].rows
    difference, _, automatic = row.cells
    assert isinstance(difference, epicene.Estimate)
    assert isinstance(automatic, epicene.Estimate)
    values = [each.estimates.corrected.value for each in (first, second)]
    assert values[0] is not None
    assert values[1] is not None
    assert difference.value == pytest.approx(values[1] - values[0])
    assert difference.high is not None
    assert automatic.value is not None
    assert difference.high < automatic.value


def test_a_precision_says_how_many(own_runs: list[StoredRun], folder: Path) -> None:
    folders = [run.folder for run in own_runs]

    def number(out: str, **options: float | str | bool | Path) -> int:
        made = epicene.annotate.sample(
            *(epicene.load(each, suite=mine) for each in folders),
            out=folder / out,
            study="check",
            twice=0,
            **options,  # type: ignore[arg-type]
        )
        return made.progress().items + made.shortfall

    worst, better = number("p1", precision=0.1), number("p2", precision=0.1, accuracy=0.95)
    assert better < worst / 2
    # The 400 answers themselves leave ± 4.9 points, and (0.1² − 0.049²) / 1.96² = 0.00198 is more
    # than 0.25 / n + 1 / (n + 1)² from 130 labels or so on; of each model.
    assert worst == pytest.approx(2 * 132, rel=0.03)
    with pytest.raises(InputError, match="No number of labels"):
        number("p3", precision=0.01)
    with pytest.raises(InputError, match="either"):
        number("p4", precision=0.1, n=10)
    with pytest.raises(InputError, match="between 0 and"):
        number("p4", precision=3)
    with pytest.raises(InputError, match="requires --precision"):
        number("p4", accuracy=0.9)
    with pytest.raises(InputError, match="cells"):
        number("p4", n=2, uncertain_first=True)
    assert number("p5", n=40, uncertain_first=True) == 40


def test_a_pilot_spreads_labels_by_what_they_correct(own_runs: list[StoredRun]) -> None:
    """Where the pilot finds errors, there are more items."""
    pilot = answered(own_study(own_runs, per_cell=40), verdicts)
    made = allocate_labels(own_runs, "check", SamplingOptions(total=200), pilot=pilot)
    lenient = made.allocation["random:2", "", "right"]
    assert lenient > 1.5 * made.allocation["random:2", "", "wrong"]
    assert sum(made.allocation.values()) == 200
    assert made.pilot == pilot.study.name
    assert pilot.study.drawn is not None
    drawn = msgspec.structs.replace(pilot.study.drawn, kind="choice")
    other = AnsweredStudy(msgspec.structs.replace(pilot.study, drawn=drawn), ())
    with pytest.raises(InputError, match="a different study"):
        allocate_labels(own_runs, "check", SamplingOptions(total=9), pilot=other)


def test_the_api_the_tables_and_the_report_have_them(
    own_runs: list[StoredRun], folder: Path
) -> None:
    loaded = [epicene.load(run.folder, suite=mine) for run in own_runs]
    made = epicene.annotate.sample(*loaded, out=folder / "study", study="check", per_cell=20)
    items = own_study(own_runs, per_cell=20).items
    rows = [f"ann,{item.id},{verdicts(item)['correct']}" for item in items]
    sheet = folder / "answers.csv"
    sheet.write_text("\n".join(["participant,item,correct", *rows]), encoding="utf-8")
    epicene.annotate.import_answers(made, sheet)
    corrected = made.corrected(loaded)
    table = corrected.table("corrected")
    names = corrected.metrics()["metric"].to_list()
    assert "random:1/accuracy (corrected)" in names
    alone = dict(
        epicene.tables(loaded[0], people=made).metrics().select("metric", "value").iter_rows()
    )
    assert alone["accuracy (corrected)"] == table["corrected"][0]
    assert alone["accuracy"] == alone["accuracy (automatic)"]
    assert epicene.tables(loaded, people=made).table("corrected").equals(table)
    assert made.answers().results(loaded).table("corrected").equals(table)
    page = epicene.report(loaded[0], out=folder / "report.html", people=made).read_text("utf-8")
    assert "Headlines corrected by people" in page
    other = epicene.run("alternations", "planted", out=folder / "pairs", limit=3, progress=False)
    with pytest.raises(InputError, match="cannot correct any of these runs"):
        epicene.report(other, out=folder / "other.html", people=made)


# --- continuations of people --------------------------------------------------------------------

LABELS = {"right": "correct", "wrong": "misgendering", "undetected": "no-pronoun"}


def as_judged(item: StudyItem) -> dict[str, AnswerValue]:
    return {"outcome": LABELS[item.fields["automatic"]]}


def only(found: AnsweredStudy, runs: list[StoredRun]) -> CorrectedHeadline:
    (headline,) = found.corrections(runs).headlines
    return headline


def test_labels_that_agree_leave_the_headline_as_it_is(runs: list[StoredRun], study: Study) -> None:
    found = only(answered(study, as_judged), runs[:1])
    estimates = found.estimates
    results = epicene.load(runs[0].folder).metrics()
    headline = dict(results.select("metric", "value").iter_rows())["accuracy_generation"]
    assert estimates.automatic.value == pytest.approx(headline)
    assert estimates.corrected.value == pytest.approx(headline, abs=0.03)
    assert estimates.human.n == sum(item.fields["model"] == found.model for item in study.items)
    assert set(found.confusion) == {(RIGHT, RIGHT), (NOT_RIGHT, NOT_RIGHT)}
    assert found.rogan_gladen.value == pytest.approx(headline, abs=1e-6)
    assert not found.left_out.sentence


def test_labels_count_for_their_cells(runs: list[StoredRun], study: Study) -> None:
    """By hand: the mean label of each cell, by the size of the cell."""
    found = only(answered(study, as_judged), runs[:1])
    assert study.drawn is not None
    cells: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for item in study.items:
        assert item.inclusion is not None
        right = float(item.fields["automatic"] == "right")
        cells.setdefault(item.cell, []).append((right, 1 / item.inclusion))
    above = below = 0.0
    for cell in study.drawn.cells:
        if cell.cell[0] == found.model:
            right, weights = np.array(cells[cell.cell]).T
            above += cell.size * np.average(right, weights=weights)
            below += cell.size
    assert found.estimates.human.value == pytest.approx(above / below)


def test_ties_are_left_out_and_counted_until_they_are_settled(
    runs: list[StoredRun], study: Study
) -> None:
    divided = {item.id for item in study.items if item.fields["model"] == "planted 0.8"}
    tied = sorted(divided)[:3]
    given = answered(study, as_judged, ("ann", "bob"))
    other = [
        msgspec.structs.replace(each, answers={"outcome": "plural-they"})
        if each.item in tied and each.participant == "bob"
        else each
        for each in given.responses
    ]
    found = only(given._replace(responses=other), runs[:1])
    assert found.left_out.ties == 3
    assert "3 labels that people disagree on" in found.left_out.sentence
    assert found.estimates.human.n == len(divided) - 3
    # The study's own tables leave them out too, and nobody draws lots.
    summary = summarise_study(study, other)
    # The outcome, and with it the outcome of three or the misgendering.
    assert "Left out because of ties: " in summary.results.ties_note
    again = summarise_study(study, list(reversed(other)))
    assert again.tables == summary.tables
    settled = {
        (item, "outcome"): Adjudication(
            study=study.name, item=item, question="outcome", value="correct", by="owner"
        )
        for item in tied
    }
    decided = given._replace(responses=other, adjudications=settled)
    assert only(decided, runs[:1]).left_out.ties == 0


def test_labels_of_other_texts_are_left_out(runs: list[StoredRun], study: Study) -> None:
    first = next(item for item in study.items if item.fields["model"] == "planted 0.8")
    changed = msgspec.structs.replace(first, fields={**first.fields, "text": "Something else."})
    items = tuple(changed if item is first else item for item in study.items)
    found = only(answered(msgspec.structs.replace(study, items=items), as_judged), runs[:1])
    assert found.left_out.changed == 1
    few = answered(msgspec.structs.replace(study, items=items), as_judged)
    without = [each for each in few.responses if each.item != first.id]
    assert only(few._replace(responses=without), runs[:1]).left_out.changed == 0
    assert found.estimates.human.n == sum(item.fields["model"] == found.model for item in items) - 1


def test_a_run_that_the_study_does_not_have_is_refused(
    runs: list[StoredRun], study: Study, folder: Path
) -> None:
    mine = tuple(item for item in study.items if item.fields["model"] == "planted 0.8")
    alone = answered(msgspec.structs.replace(study, items=mine), as_judged)
    with pytest.raises(InputError, match=r"about planted 0\.8, not about planted:2 0\.6"):
        alone.corrections(runs[1:])
    with pytest.raises(InputError, match="Nobody has answered"):
        AnsweredStudy(study, []).corrections(runs)


# --- the other suites ---------------------------------------------------------------------------


def test_rewritings_of_arabic_sentences(folder: Path) -> None:
    run = epicene.run("apgc", "planted?rate=0.5", out=folder / "ar", progress=False).stored[0]
    made = study_from_runs([run], SamplingOptions(per_cell=8))

    def kind_reader(item: StudyItem) -> dict[str, AnswerValue]:
        """Half of the rewritings that differ from the reference are right for people."""
        right = item.fields["automatic"] == "yes" or item.id[-1] in "01234567"
        return {
            "grammatical": "yes" if right else "no",
            "speaker": "yes",
            "listener": "yes",
            "meaning": "yes",
        }

    found = only(answered(made, kind_reader), [run])
    assert found.headline == "whole sentence rewritten right"
    assert found.estimates.corrected.low is not None
    assert found.estimates.automatic.value is not None
    assert found.estimates.corrected.low > found.estimates.automatic.value
    assert found.confusion[NOT_RIGHT, RIGHT] == 0


def test_rewritings_for_another_speaker(folder: Path) -> None:
    """The gender fits where people say so; a sentence that shows none any more does not."""
    run = epicene.run(
        "genform", "planted?rate=0.5", language="fr", limit=40, out=folder / "fr", progress=False
    ).stored[0]
    made = study_from_runs([run], SamplingOptions(per_cell=20), languages=("fr",))

    def reader(item: StudyItem) -> dict[str, AnswerValue]:
        label = item.fields["automatic speaker"]
        speaker = "none" if label == "no" and item.id[-1] in "01234567" else label
        return {"grammatical": "yes", "speaker": speaker, "meaning": "yes"}

    found = only(answered(made, reader), [run])
    assert found.headline == "gendered terms right (SGA)"
    assert found.left_out.open == 0
    assert found.confusion[RIGHT, NOT_RIGHT] == found.confusion[NOT_RIGHT, RIGHT] == 0
    assert found.confusion[NOT_RIGHT, NOT_RIGHT] > 0
    value = found.estimates.automatic.value
    assert found.estimates.corrected.value == pytest.approx(value, abs=0.02)


def test_a_study_in_one_language_says_nothing_of_the_others(folder: Path) -> None:
    run = epicene.run(
        "genform", "planted?rate=0.5", language=["fr", "hi"], limit=40, out=folder / "two",
        progress=False,
    ).stored[0]  # fmt: skip
    alone = epicene.run(
        "genform", "planted?rate=0.5", language="fr", limit=40, out=folder / "one", progress=False
    ).stored[0]

    def found(run: StoredRun, wanted: SamplingOptions) -> CorrectedHeadline:
        study = study_from_runs([run], wanted, study="rewritings", languages=("fr",))
        fits: dict[str, AnswerValue] = {"grammatical": "yes", "speaker": "yes", "meaning": "yes"}
        return only(answered(study, lambda _item: fits), [run])

    for wanted in (SamplingOptions(total=24), SamplingOptions(per_cell=8)):
        one, two = found(alone, wanted), found(run, wanted)
        assert two.estimates == one.estimates
        assert one.left_out.elsewhere == 0
        assert "in languages that the study does not cover" in two.left_out.sentence
    # Nor does it need labels of the others, or of sentences without a gendered term.
    for options in (SamplingOptions(precision=0.2), SamplingOptions(total=24)):
        made = allocate_labels([run], "rewritings", options, accuracy=0.9, languages=("fr",))
        assert {cell[1] for cell in made.allocation} == {"fr"}
        same = allocate_labels([alone], "rewritings", options, accuracy=0.9)
        assert made.allocation == same.allocation
        assert min(made.allocation.values()) > 0
        assert options.total in (None, sum(made.allocation.values()))


def test_metrics_name_the_model_where_one_of_several_runs_is_in_the_study(
    runs: list[StoredRun], study: Study
) -> None:
    mine = tuple(item for item in study.items if item.fields["model"] == "planted 0.8")
    alone = answered(msgspec.structs.replace(study, items=mine), as_judged)
    names = alone.corrections(runs).metrics
    assert all(name.startswith("planted 0.8/") for name in names)


def test_pairs_where_people_decide_what_is_acceptable(folder: Path) -> None:
    suite = find_suite("alternations")
    model = "planted?rate=0.9"
    run = epicene.run("alternations", model, out=folder / "hi", progress=False).stored[0]
    made = study_from_data(suite, DataSource(), SamplingOptions(), study="choice")

    def choose(item: StudyItem) -> dict[str, AnswerValue]:
        return {"better": item.fields["good"]}

    found = only(answered(made, choose), [run])
    assert found.estimates.human.value == pytest.approx(found.estimates.automatic.value)
    turned = only(
        answered(made, lambda item: {"better": {"a": "b", "b": "a"}[item.fields["good"]]}), [run]
    )
    assert found.estimates.human.value is not None
    assert turned.estimates.human.value == pytest.approx(1 - found.estimates.human.value, abs=1e-6)


def test_effects_of_grammar_by_the_genders_that_people_see(folder: Path) -> None:
    made = epicene.run(
        "gramvis",
        model={
            "drawer": "sketch?effect=0.4",
            "judges": ["sketch-judge:1", "sketch-judge:2", "sketch-judge:3"],
        },
        out=folder / "faces",
        language="fr",
        limit=6,
        settings={"shots": 1},
        progress=False,
    )
    run = made.stored[0]
    study = study_from_runs([run], SamplingOptions(per_cell=1000), study="image")
    # If people see men only, grammar has no effect, whatever the judges say.
    found = answered(study, lambda _item: {"shows": "male"}).corrections([run])
    assert found.headlines
    for each in found.headlines:
        assert each.headline.startswith("effect of grammar")
        assert each.signs == (1, -1)
        assert each.estimates.human.value == pytest.approx(0)
        assert "difference" in each.rogan_gladen.why


def test_each_headline_gets_enough_of_a_cell_that_it_shares() -> None:
    """Of 200 answers in the cell half are of this headline, so that it needs twice as many."""
    automatic = np.tile([0.0, 1.0], 50)
    rate = CheckedRate(
        automatic, np.full(100, np.nan), groups=range(100), strata=np.zeros(100, dtype=np.int64)
    )

    def number(size: int) -> int:
        headline = CorrectedHeadline("right", "a", (rate,), (1,), LeftOut(), (("a",),), (size,))
        return int(allocate_precision([headline], SamplingOptions(precision=0.2), None)[0])

    assert number(200) == 2 * number(100)


def test_answers_that_nobody_can_label_are_counted_under_the_table() -> None:
    """An empty answer stays wrong, and the reader is told of how many."""
    strata = np.repeat([0, -1], [40, 10])
    automatic = np.where(strata < 0, 0.0, 1.0)
    human = np.where(strata < 0, np.nan, 1.0)
    rate = CheckedRate(automatic, human, groups=range(50), strata=strata)
    headline = CorrectedHeadline("right", "a", (rate,), (1,), LeftOut(), (("a",),), (40,))
    assert headline.estimates.corrected.value == pytest.approx(0.8)
    told = "10 answers had nothing to label and kept the automatic value."
    (table, *_) = Corrections("study", (headline,), several=False).tables
    assert told in table.notes
