"""Studies as the suites draw them go through the pages and come back as tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.studies.analysis.study_builder import study_from_data
from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import ChoiceQuestion, ChoiceScreener, Study
from epicene.suites import DataSource, find_suite
from studies.web.page_visitors import Page, ServedStudy, Visitor, served

PEOPLE = ("ann", "bob", "cem")


def door(visitor: Visitor, study: Study, page: Page) -> Page:
    """Whatever comes before the first item, answered so that one may go on."""
    while page.stage not in ("item", "done"):
        if page.stage == "screening":
            given = {
                f"answer.{screen.id}": screen.accept[0]
                if isinstance(screen, ChoiceScreener)
                else "30"
                for screen in study.screening
            }
            page = visitor.post(page, "/screening", given)
        else:
            addresses = {"consent": "/consent", "instructions": "/begin", "feedback": "/go-on"}
            page = visitor.post(page, addresses[page.stage], {"agree": "yes"})
    return page


def work_through(site: ServedStudy, name: str, place: int) -> int:
    visitor = site.visitor()
    page = visitor.enter(User("person", name))
    answered = 0
    while (page := door(visitor, site.folder.study, page)).stage == "item":
        answers = {}
        for question in site.folder.study.questions:
            if isinstance(question, ChoiceQuestion):
                offered = page.fields[f"answer.{question.id}"]
                answers[question.id] = offered[(place + answered) % len(offered)]
        page = visitor.answer_all(page, answers)
        answered += 1
    return answered


@pytest.mark.parametrize(
    ("suite", "study"),
    [("gramvis", "stereotype"), ("gramvis", "category"), ("alternations", "choice")],
)
def test_a_drawn_study_is_judged_exported_and_tabulated(
    suite: str, study: str, tmp_path: Path
) -> None:
    drawn = study_from_data(find_suite(suite), DataSource(), SamplingOptions(total=6), study=study)
    with served(drawn, tmp_path / "study") as site:
        answered = [work_through(site, name, place) for place, name in enumerate(PEOPLE)]
        assert min(answered) >= 2
        owner, _ = site.owner()
        sheet = tmp_path / "answers.csv"
        sheet.write_bytes(owner.client.get("/owner/export.csv").content)
        kept = site.folder.responses()
    assert len(kept) == sum(answered)
    again = create_study_folder(tmp_path / "again", site.folder.study)
    again.import_file(sheet)
    there, here = (
        summarise_study(site.folder.study, each.responses()) for each in (site.folder, again)
    )
    assert there.tables == here.tables
    assert there.tables
    assert there.metrics == here.metrics
