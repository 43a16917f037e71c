"""Without a script, a form that cannot be kept comes back as it was, with what is wrong."""

from __future__ import annotations

from pathlib import Path

from epicene.studies.collection.links import User
from studies.web.page_visitors import Fields, served
from study_examples import forced_choice, label_and_rewrite, misgendering, three_way_choice


def test_what_was_given_stands_in_the_form_again(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        number = page.values("data-number")
        refused = visitor.answer(
            page,
            422,
            extraneous=["18-21:adjective", "22-25:noun"],
            tags=["wrong-case"],
            note="one line\r\nand <another>",
        )
        assert refused.values("class").count("error") == 1
        assert "question active invalid" in refused.values("class")
        assert refused.values("data-number") == number
        assert "answer.label" not in refused.chosen
        assert refused.chosen["answer.tags"] == ["wrong-case"]
        marks = [value for value in refused.chosen["answer.extraneous"] if value]
        assert marks == ["18-21:adjective", "22-25:noun"]
        assert "one line\nand &lt;another&gt;</textarea>" in refused.text
        assert site.folder.responses() == []
        sent: Fields = {"label": "correct", "extraneous": marks, "tags": "wrong-case"}
        assert visitor.answer_all(refused, sent).stage == "item"
        (kept,) = site.folder.responses()
        assert len(kept.answers["extraneous"]) == 2


def test_a_text_that_was_changed_or_emptied_is_not_the_draft_again(tmp_path: Path) -> None:
    with served(label_and_rewrite(), tmp_path / "s") as site:
        visitor, page = site.person()
        assert page.chosen["answer.other"] == ["أنا متعبة"]
        for text in ("أنا متعبة جدا", ""):
            refused = visitor.answer(page, 422, label="FM", other=text)
            assert refused.chosen["answer.other"] == [text]
            assert refused.chosen["answer.label"] == ["FM"]
            assert "The same for the other gender" in refused.text
        later = visitor.get()  # nothing of it was kept
        assert later.chosen["answer.other"] == ["أنا متعبة"]
        assert "answer.label" not in later.chosen


def test_what_cannot_stand_in_the_form_is_left_out_of_it(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        wrong: Fields = {
            "label": ["correct", "misgendering"],
            "extraneous": ["x", "0-3:noun"],
            "tags": ["repetition", "nonsense"],
            "note": "kept",
        }
        refused = visitor.answer_all(page, wrong, 422)
        assert "answer.label" not in refused.chosen
        assert "answer.extraneous" not in refused.chosen
        assert refused.chosen["answer.tags"] == ["repetition"]
        assert refused.chosen["answer.note"] == ["kept"]


def test_a_text_chosen_is_found_at_its_place(tmp_path: Path) -> None:
    with served(three_way_choice(), tmp_path / "s") as site:
        visitor, page = site.person()
        refused = visitor.answer_all(page, {"best": "2", "unknown": "1"}, 422)
        assert refused.chosen["answer.best"] == ["2"]


def test_an_answer_to_an_earlier_page_does_not_fill_in_the_present_one(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        visitor.answer(page, label="correct")
        refused = visitor.answer(page, 422, label="nonsense", note="of the first")
        assert refused.values("data-number")[-1] == "2"
        assert refused.chosen["answer.note"] == [""]


def test_screening_keeps_what_was_given(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor = site.visitor()
        page = visitor.enter(User("open"), "?PROLIFIC_PID=5f3a")
        page = visitor.post(page, "/consent", {"agree": "yes"})
        for given, stands, wrong in (
            ({"answer.native": "hindi"}, {"answer.native": ["hindi"], "answer.age": [""]}, ["age"]),
            ({"answer.age": "forty"}, {"answer.age": ["forty"]}, ["native", "age"]),
        ):
            refused = visitor.post(page, "/screening", given, 422)
            assert wrong == [
                attributes["data-question"]
                for _, attributes in refused.attributes
                if "invalid" in attributes.get("class", "")
            ]
            found = {name: value for name, value in refused.chosen.items() if "answer" in name}
            assert found == stands
