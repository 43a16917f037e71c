"""The owner sees how far the study is, settles what people differ on, and takes the answers out."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from epicene.core.records import to_json
from epicene.studies.collection.folder import open_study_folder
from epicene.studies.design.schema import ChoiceQuestion, Study
from epicene.studies.exchange.response_files import responses_jsonl, responses_sheet
from studies.web.page_visitors import Page, ServedStudy, Visitor, served
from study_examples import forced_choice, label_and_rewrite, misgendering


def judge(site: ServedStudy, **labels: str) -> None:
    """Each person gives every item that they get one label."""
    for name, label in labels.items():
        visitor, page = site.person(name)
        while page.stage == "item":
            page = visitor.answer(page, label=label, tags=["repetition"] if name == "ann" else [])


def owner(site: ServedStudy, address: str) -> tuple[Visitor, Page]:
    visitor, _ = site.owner()
    return visitor, visitor.get(address)


def test_progress_by_item_list_and_person(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        judge(site, ann="correct")
        site.person("bob")
        visitor, page = owner(site, "/owner")
        assert page.values("data-given") == ["2"]
        assert page.values("data-wanted") == ["3"]
        assert page.values("data-participant") == ["ann", "bob"]
        numbers = visitor.client.get("/api/owner/progress").json()
        assert {name: numbers[name] for name in ("wanted", "given", "out", "people")} == {
            "wanted": 3,
            "given": 2,
            "out": 1,
            "people": 2,
        }
        items = visitor.get("/owner/items")
        assert items.values("data-item") == ["g1", "g2"]  # the one that lacks an answer first


def test_agreement(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        judge(site, ann="correct", bob="correct")
        _, page = owner(site, "/owner/agreement")
        rows = dict(zip(page.values("data-question"), page.text.split("<tr")[2:], strict=False))
        assert "100.0" in rows["label"]


def test_agreement_before_anybody_answered(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        for address in ("/owner", "/owner/agreement", "/owner/disagreements", "/owner/items"):
            assert owner(site, address)[1].stage.startswith("owner_")


def test_of_what_people_prefer_nothing_is_to_be_settled(tmp_path: Path) -> None:
    study = forced_choice()
    (better,) = (each for each in study.questions if isinstance(each, ChoiceQuestion))
    taste = msgspec.structs.replace(better, preference=True)
    study = msgspec.structs.replace(study, questions=(taste,))
    with served(study, tmp_path / "s") as site:
        _, page = owner(site, "/owner/disagreements")
        assert "there is no right answer" in page.text


def test_disagreements_are_settled_and_opened_again(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        judge(site, ann="correct", bob="misgendering")
        visitor, page = owner(site, "/owner/disagreements")
        assert page.values("data-left") == ["2"]
        assert page.values("data-disagreement") == ["label", "tags"]
        assert "ann" not in page.text  # who said what must not sway who decides
        assert page.values("data-people") == ["1", "1"] * 2
        csrf = page.chosen["csrf"][0]
        form = {"csrf": csrf, "item": "g1", "question": "label"}
        refused = visitor.client.post("/owner/adjudicate", data=form | {"answer.label": "nonsense"})
        assert refused.status_code == 422
        assert visitor.client.post("/owner/adjudicate", data=form).status_code == 422
        unknown = form | {"item": "zz", "answer.label": "correct"}
        assert visitor.client.post("/owner/adjudicate", data=unknown).status_code == 422
        unknown = form | {"question": "zz", "answer.label": "correct"}
        assert visitor.client.post("/owner/adjudicate", data=unknown).status_code == 422
        page = Page(
            visitor.client.post("/owner/adjudicate", data=form | {"answer.label": "correct"}).text
        )
        assert page.values("data-left") == ["1"]
        assert page.values("data-adjudicated") == ["label"]
        form["question"] = "tags"
        refused = visitor.client.post("/owner/adjudicate", data=form)  # untouched
        assert (refused.status_code, Page(refused.text).values("data-left")) == (422, ["1"])
        assert "You did not decide tags of g1" in refused.text
        marks = form | {"question": "extraneous"}
        assert visitor.client.post("/owner/adjudicate", data=marks).status_code == 422
        assert page.fields["none"] == ["yes"]  # where there are tags to be settled
        both = form | {"answer.tags": "repetition", "none": "yes"}
        assert visitor.client.post("/owner/adjudicate", data=both).status_code == 422
        page = Page(visitor.client.post("/owner/adjudicate", data=form | {"none": "yes"}).text)
        assert page.values("data-left") == ["0"]
        settled = open_study_folder(site.folder.path).adjudications().all()
        assert {name: each.value for name, each in settled.items()} == {
            ("g1", "label"): "correct",
            ("g1", "tags"): (),
        }
        page = Page(visitor.client.post("/owner/reopen", data=form).text)
        assert page.values("data-adjudicated") == ["label"]


def test_a_written_text_is_settled_by_writing(tmp_path: Path) -> None:
    with served(label_and_rewrite(), tmp_path / "s") as site:
        for name, text in {"ann": "أنا متعبة", "bob": "أنا تعبة"}.items():
            visitor, page = site.person(name)
            visitor.answer(page, label="FM", other=text)
        visitor, page = owner(site, "/owner/disagreements")
        assert page.values("data-disagreement") == ["other"]
        form = {"csrf": page.chosen["csrf"][0], "item": "s1", "question": "other"}
        visitor.client.post("/owner/adjudicate", data=form | {"answer.other": "أنا مرهقة"})
        settled = open_study_folder(site.folder.path).adjudications().all()
        assert settled["s1", "other"].value == "أنا مرهقة"


def test_exports_are_those_of_the_command(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        judge(site, ann="correct", bob="misgendering")
        visitor, _ = site.owner()
        study, responses = site.folder.study, site.folder.responses()
        exported = {
            form: visitor.client.get(f"/owner/export.{form}").content.decode()
            for form in ("csv", "tsv", "jsonl")
        }
        assert exported["csv"] == responses_sheet(study, responses)
        assert exported["tsv"] == responses_sheet(study, responses, delimiter="\t")
        assert exported["jsonl"] == responses_jsonl(study, responses)
        assert "hidden" not in exported["jsonl"]
        hidden = visitor.client.get("/owner/export.jsonl?hidden=true").text
        assert json.loads(hidden.splitlines()[0])["hidden: model"] == "m"
        assert visitor.client.get("/owner/export.xlsx").status_code == 422


def test_the_owners_words_run_their_own_way_whatever_the_study_speaks(tmp_path: Path) -> None:
    in_arabic = to_json(misgendering()).replace(b'"en":', b'"ar":')
    study = msgspec.structs.replace(
        msgspec.json.decode(in_arabic, type=Study), title={"ar": "دراسة"}
    )
    with served(study, tmp_path / "s") as site:
        _, page = owner(site, "/owner")
        assert page.attributes[0] == ("html", {"lang": "en", "dir": "ltr"})
        assert "دراسة" in page.text
        _, person = site.person()
        assert person.attributes[0] == ("html", {"lang": "ar", "dir": "rtl"})


def test_items_are_read_and_filtered(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        judge(site, ann="correct")
        first, second = site.folder.study.items
        visitor, page = owner(site, "/owner/items")
        assert first.fields["text"].split()[0] in page.text
        assert page.values("data-item") == ["g1", "g2"]
        assert visitor.get("/owner/items?state=done").values("data-item") == ["g2"]
        assert visitor.get("/owner/items?q=zzz").values("data-item") == []
        found = visitor.get(f"/owner/items?q={second.fields['text'][:12]}")
        assert "g2" in found.values("data-item")


def test_a_page_per_person_and_exclusion(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        judge(site, ann="correct", bob="misgendering")
        visitor, page = owner(site, "/owner/people/ann")
        assert page.values("data-kind").count("item") == 2
        assert "0 of 1 comparison<" in page.text
        form = {"csrf": page.chosen["csrf"][0], "person": "ann", "reason": "did not read"}
        page = Page(visitor.client.post("/owner/exclude", data=form).text)
        assert page.has_id("excluded")
        assert "did not read" in page.text
        assert site.folder.exclusions()["ann"].by == "owner"
        person, page = site.person("ann")
        assert page.stage == "excluded"
        page = Page(visitor.client.post("/owner/exclude", data=form | {"readmit": "yes"}).text)
        assert not page.has_id("excluded")
        assert person.get().stage == "done"
        assert visitor.client.get("/owner/people/nobody").status_code == 404


def test_a_study_is_paused_closed_and_opened_again(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        person, page = site.person("ann")
        visitor, overview = owner(site, "/owner")
        form = {"csrf": overview.chosen["csrf"][0]}
        for state, stage in (("paused", "paused"), ("closed", "closed"), ("open", "item")):
            reply = visitor.client.post("/owner/state", data=form | {"state": state})
            assert f"The study is {state}" in reply.text
            assert person.get().stage == stage
        assert visitor.client.post("/owner/state", data=form | {"state": "x"}).status_code == 422
        assert person.answer(page, label="correct").stage == "item"


def test_tables_for_analysis_are_downloaded(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        judge(site, ann="correct")
        visitor, page = owner(site, "/owner")
        for address in page.values("href"):
            if "/table/" in address:
                reply = visitor.client.get(address)
                assert reply.status_code == 200
                assert "attachment" in reply.headers["content-disposition"]
        sheet = visitor.client.get("/owner/table/judgement.csv").content
        assert sheet.startswith(b"\xef\xbb\xbfparticipant,item,kind")
        assert visitor.client.get("/owner/table/nonsense.csv").status_code in (404, 422)
