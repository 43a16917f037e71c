"""Every suite's card keeps its word: what it names comes out, and not empty.

Each suite is run twice, by two `random` models in every role, on a part of its starter set; each
table and figure that its card names must come out as JSON, HTML and SVG. Each of its studies is
drawn from those runs or from its data, answered by three people who toss coins, and must give the
tables and figures that the card names for it. A new suite is walked without a change here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from rich.console import Console

from epicene.core import registry
from epicene.core.records import Estimate, Figure, Table
from epicene.languages import get
from epicene.models import parse_spec
from epicene.results.summary import Summary, summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, StoredRun, read_run
from epicene.show.figures import svg
from epicene.show.latex import tables_latex
from epicene.show.page import table_html
from epicene.show.table_formats import as_json, tables_csv, tables_markdown
from epicene.show.terminal import print_table
from epicene.studies.analysis.quality_tables import quality_tables
from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
from epicene.studies.analysis.study_summary import StudySummary, summarise_study
from epicene.studies.collection.folder import create_study_folder, open_study_folder
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import all_items, visible_values
from epicene.studies.exchange.response_files import responses_sheet
from epicene.suites import DataSource, choose_protocol, find_suite
from runs.conftest import Silent
from scripted_people import respond

SHIPPED = sorted(registry.names("suites"))
LIMIT = 110  # enough for an agreement of some pronouns to be defined
# What a suite measures beyond its default settings, so that every table on its card comes out.
SETTINGS = {
    "apgc": {"labels": "words,sentence"},
    "genform": {"targets": "masculine,feminine,neutral"},
}
# The language of studies that are in one language only.
STUDY_LANGUAGES = {"rewritings": "hi", "translations": "hi", "naturalness": "fr"}


@pytest.fixture(scope="module", params=SHIPPED)
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[StoredRun]:
    """A suite, run by two models."""
    suite = find_suite(request.param)
    under = tmp_path_factory.mktemp(suite.name)
    folders = []
    protocol = choose_protocol(suite, "epicene", SETTINGS.get(suite.name, {}), None)
    every = [role.name for role in suite.roles]
    roles = [role.name for role in suite.for_protocol(protocol, every).roles]
    for seed in (1, 2):
        order = RunConfig(
            suite=suite,
            protocol=protocol,
            models={role: [parse_spec(f"random:{seed}?label=model-{seed}")] for role in roles},
            limit=LIMIT,
            under=under,
        )
        folder, manifest = run(order, Silent())
        assert manifest.state == "complete"
        folders.append(folder)
    return [read_run(folder) for folder in folders]


@pytest.fixture(scope="module")
def walked(runs: list[StoredRun]) -> Summary:
    """What the runs gave."""
    return summarise(runs)


@pytest.fixture(scope="module")
def studied(
    runs: list[StoredRun], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, StudySummary]:
    """Every study of the suite, drawn small and answered."""
    return {
        name: answered(runs, name, tmp_path_factory.mktemp("study"))
        for name in runs[0].suite.studies
    }


def answered(runs: list[StoredRun], name: str, place: Path) -> StudySummary:
    """A study, its items dealt out to three people who all hand in a sheet."""
    suite = runs[0].suite
    wanted = SamplingOptions(per_cell=2)
    if suite.studies[name].from_runs:
        in_one = name in STUDY_LANGUAGES and suite.name in ("genform", "translation")
        languages = (STUDY_LANGUAGES[name],) if in_one else ()
        study = study_from_runs(runs, wanted, study=name, languages=languages)
    else:
        study = study_from_data(suite, DataSource(), wanted, study=name)
    folder = create_study_folder(place / "study", study)
    for person in ("ann", "bob", "cyd"):
        sheet = place / f"{person}.csv"
        given = [respond(study, item, person) for item in study.items]
        sheet.write_text(responses_sheet(study, given), "utf-8")
        assert folder.import_file(sheet).new == len(study.items)
    return summarise_study(open_study_folder(folder.path).study, folder.responses())


def numbers(branch: Any) -> list[Any]:
    """All values in a table's JSON."""
    if not isinstance(branch, dict):
        return []
    if "value" in branch:
        return [branch["value"]]
    return [value for each in branch.values() for value in numbers(each)]


def test_every_table_on_the_card_comes_out(walked: Summary) -> None:
    assert set(walked.suite.card.tables) == {table.name for table in walked.tables}
    check_tables(walked.tables)


def check_tables(tables: Iterable[Table]) -> None:
    """Each has something in it, and can be shown."""
    for table in tables:
        assert numbers(as_json(table)), table.name
        ours = [cell for row in table.rows if row.origin == "run" for cell in row.cells]
        assert any(isinstance(cell, str) or cell.value is not None for cell in ours), table.name
        html = table_html(table)
        print_table(Console(file=io.StringIO()), table)
        assert html.count("<tr") > len(table.rows)
        assert table.title in html.replace("&#39;", "'")


def test_the_tables_come_out_in_every_form(walked: Summary) -> None:
    for write in (tables_csv, tables_latex, tables_markdown):
        text = write(walked.tables)
        assert "model-1" in text
        assert "model-2" in text


def test_every_figure_on_the_card_comes_out(walked: Summary) -> None:
    figures = walked.figures
    assert set(walked.suite.card.figures) == {figure.name for figure in figures}
    check_figures(figures)


def check_figures(figures: Iterable[Figure]) -> None:
    """Each can be drawn, and something is drawn."""
    for figure in figures:
        drawn = svg(figure)
        assert drawn.startswith("<svg")
        assert drawn.count("<path") > 2, figure.name


def test_every_study_on_the_card_gives_what_it_names(
    runs: list[StoredRun], studied: dict[str, StudySummary]
) -> None:
    card = runs[0].suite.card
    assert set(card.studies) == set(studied)
    for name, summary in studied.items():
        figures = summary.figures
        assert set(card.studies[name].tables) == {table.name for table in summary.tables}
        assert set(card.studies[name].figures) == {figure.name for figure in figures}
        check_tables(summary.tables)
        check_figures(figures)
        check_metrics(summary.metrics)
        assert all(write(summary.tables) for write in (tables_csv, tables_latex, tables_markdown))


def test_no_study_shows_who_wrote_what(studied: dict[str, StudySummary]) -> None:
    for summary in studied.values():
        study = summary.results.study
        for item in study.items:
            if "model" in item.fields:
                assert "model" in study.hidden
                assert item.fields["model"] not in f"{item.id} {visible_values(study, item)}"


def test_no_id_says_what_an_item_is_or_looks_like_a_number(
    studied: dict[str, StudySummary],
) -> None:
    for summary in studied.values():
        ids = [item.id for item in all_items(summary.results.study)]
        assert [name for name in ids if not re.fullmatch("i[0-9a-f]{12}", name)] == []
        assert len(set(ids)) == len(ids)


def test_the_groups_that_any_study_resamples_are_the_suites_own(
    studied: dict[str, StudySummary],
) -> None:
    for name, summary in studied.items():
        study, frame = summary.results.study, summary.results.frame
        own = dict(frame.select(pl.col("item", "group").cast(pl.String)).iter_rows())
        pairs = {(own[item.id], item.cluster) for item in study.items}
        assert len(pairs) == len({mine for mine, _ in pairs}) == len({any_ for _, any_ in pairs})
        assert len(pairs) < len(study.items) or name in ("stereotype", "category")


def test_what_people_are_called_changes_no_figure(studied: dict[str, StudySummary]) -> None:
    names = {"ann": "zoe", "bob": "bob", "cyd": "abe"}
    for summary in studied.values():
        study, given = summary.results.study, summary.results.responses
        renamed = [
            msgspec.structs.replace(each, participant=names[each.participant]) for each in given
        ]
        again = summarise_study(study, renamed)
        assert again.metrics == summary.metrics
        for one, other in zip(again.tables, summary.tables, strict=True):
            if "person" not in one.levels:
                assert estimates(one) == estimates(other)
        (questions,), (as_before,) = quality_tables(study, renamed), quality_tables(study, given)
        assert estimates(questions) == estimates(as_before)


def estimates(table: Table) -> list[tuple[tuple[str, ...], list[Estimate]]]:
    """The numbers of a table by their keys."""
    return [
        (row.keys, [cell for cell in row.cells if isinstance(cell, Estimate)]) for row in table.rows
    ]


def test_evidence_with_a_reference_has_what_is_set_against_it(runs: list[StoredRun]) -> None:
    """The report colours the words in which two texts differ, which it knows by their names."""
    for judgement in RunJudgements(runs[0]):
        if "reference" in judgement.evidence:
            assert judgement.evidence.keys() & {"answer", "counterfactual"}, judgement.name


def test_metrics_have_intervals(walked: Summary) -> None:
    assert walked.metrics
    check_metrics(walked.metrics)
    assert any(estimate.low is not None for estimate in walked.metrics.values())


def check_metrics(metrics: Mapping[str, Estimate]) -> None:
    """Each has a value or a reason, and lies in its interval."""
    for name, estimate in metrics.items():
        assert estimate.value is not None or estimate.why, name
        if estimate.low is not None and estimate.value is not None:
            assert estimate.high is not None
            assert estimate.low <= estimate.value <= estimate.high, name


@pytest.mark.parametrize("name", SHIPPED)
def test_a_card_says_what_a_person_must_know(name: str) -> None:
    suite = find_suite(name)
    assert {"paper", "epicene"} <= set(suite.protocols)
    for protocol_name, protocol in suite.protocols.items():
        assert protocol.name == protocol_name
        assert protocol.about
    for code in suite.card.languages:
        assert get(code).code == code
    assert suite.card.chance
    assert suite.card.source
    assert all(suite.verbs_of(role.name) for role in suite.roles)
    folder = Path(__file__).parents[2] / "src" / "epicene" / "suites" / name
    for file in ("card.toml", "data.py", "ask.py", "judge.py", "tables.py", "starter"):
        assert (folder / file).exists(), file
