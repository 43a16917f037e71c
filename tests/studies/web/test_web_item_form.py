"""Every kind of study can be shown and answered, and its answers read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from epicene.studies.collection.folder import open_study_folder
from epicene.studies.collection.links import User
from epicene.studies.design.lists import shuffled_choices
from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    NoteQuestion,
    Span,
    Study,
    StudyItem,
    TagsQuestion,
    TextQuestion,
    visible_values,
)
from epicene.studies.exchange.response_files import read_responses
from epicene.studies.web.markdown import render_markdown
from studies.web.page_visitors import Page, Visitor, served
from study_examples import (
    STUDIES,
    completion,
    forced_choice,
    image,
    label_and_rewrite,
    misgendering,
    three_way_choice,
    translation_review,
)


def fill_in(study: Study, page: Page) -> dict[str, str | list[str]]:
    """An answer to every question, made of what stands on the page."""
    answers: dict[str, str | list[str]] = {}
    for question in study.questions:
        offered = page.fields.get(f"answer.{question.id}", [])
        if isinstance(question, ChoiceQuestion):
            answers[question.id] = offered[-1]
        elif isinstance(question, TagsQuestion):
            answers[question.id] = offered[:1]
        elif isinstance(question, MarksQuestion):
            answers[question.id] = [value for value in offered if value][-1:]
        elif isinstance(question, TextQuestion):
            answers[question.id] = offered[0]
        elif isinstance(question, NoteQuestion):
            answers[question.id] = "seen"
    return answers


def pass_the_door(visitor: Visitor, study: Study, page: Page) -> Page:
    """Whatever comes before the first item."""
    while page.stage in ("consent", "screening", "instructions"):
        if page.stage == "consent":
            page = visitor.post(page, "/consent", {"agree": "yes"})
        elif page.stage == "screening":
            page = visitor.post(page, "/screening", {"answer.native": "hindi", "answer.age": "40"})
        else:
            page = visitor.post(page, "/begin")
    return page


@pytest.mark.parametrize("make", STUDIES)
def test_each_kind_is_answered_to_the_end(make: Callable[[], Study], tmp_path: Path) -> None:
    with served(make(), tmp_path / "study") as site:
        study = site.folder.study
        visitor = site.visitor()
        if study.access.entry == "open":
            page = visitor.enter(User("open"), "?PROLIFIC_PID=ann")
        else:
            page = visitor.enter(User("person", "ann"))
        page = pass_the_door(visitor, study, page)
        seen = 0
        while page.stage != "done":
            if page.stage == "feedback":
                page = visitor.post(page, "/go-on")
                continue
            assert page.stage == "item"
            page = visitor.answer_all(page, fill_in(study, page))
            seen += 1
        parts = (study.practice, study.checks, study.fillers)
        items = len(study.items) if study.lists != "rotated" else 1
        assert seen == items + sum(map(len, parts))
        owner, _ = site.owner()
        text = owner.client.get("/owner/export.csv").text
    sheet = tmp_path / "export.csv"
    sheet.write_text(text, "utf-8", newline="")
    read = [placed.response for placed in read_responses(sheet, study)]
    kept = open_study_folder(site.folder.path).responses()
    assert len(read) == seen
    assert {each.item: each.answers for each in read} == {each.item: each.answers for each in kept}


def unmistakable(study: Study) -> Study:
    """The study with ids and hidden fields that could not be on a page by chance."""

    def changed(item: StudyItem) -> StudyItem:
        fields = item.fields | {name: f"HIDDEN-{name}" for name in study.hidden}
        return msgspec.structs.replace(item, id=f"ITEM-{item.id}", fields=fields)

    parts = ("practice", "checks", "fillers", "items")
    return msgspec.structs.replace(
        study, **{part: tuple(map(changed, getattr(study, part))) for part in parts}
    )


@pytest.mark.parametrize("make", STUDIES)
def test_hidden_fields_and_item_ids_reach_nobody(make: Callable[[], Study], tmp_path: Path) -> None:
    with served(unmistakable(make()), tmp_path / "s") as site:
        study = site.folder.study
        visitor = site.visitor()
        open_ = study.access.entry == "open"
        page = visitor.enter(
            User("open") if open_ else User("person", "ann"), "?PROLIFIC_PID=ann" * open_
        )
        page = pass_the_door(visitor, study, page)
        told = page.text + visitor.client.get("/api/work").text
        assert page.stage == "item"
        assert "HIDDEN-" not in told
        assert "ITEM-" not in told
        owner, _ = site.owner()
        assert "ITEM-" in owner.client.get("/owner/items").text


def test_a_choice_between_texts_tells_nothing_but_their_place(tmp_path: Path) -> None:
    with served(three_way_choice(), tmp_path / "s") as site:
        visitor, page = site.person()
        assert page.fields["answer.best"] == ["1", "2", "3"]
        for name in ("gold", "first", "second"):
            assert name not in page.text
        shown = [text for text in ("क", "ख", "ग") if text in page.text]
        assert len(shown) == 3
        order = sorted(shown, key=page.text.index)
        visitor.answer(page, best="2")
        (response,) = site.folder.responses()
        fields = site.folder.study.items[0].fields
        assert fields[str(response.answers["best"])] == order[1]


def test_texts_to_choose_between_change_places_between_people(tmp_path: Path) -> None:
    study = three_way_choice()
    with served(study, tmp_path / "s") as site:
        orders = set()
        for name in ("ann", "bob", "cem", "dia", "eva", "fay", "gus", "hal"):
            question = study.questions[0]
            assert isinstance(question, ChoiceQuestion)
            orders.add(tuple(shuffled_choices(site.folder.study, question, study.items[0], name)))
        assert len(orders) > 2


def test_what_was_not_to_be_asked_is_left_out(tmp_path: Path) -> None:
    with served(label_and_rewrite(), tmp_path / "s") as site:
        visitor, page = site.person()
        assert page.chosen["answer.other"] == ["أنا متعبة"]  # the draft
        visitor.answer(page, label="BB")
        assert site.folder.responses()[0].answers == {"label": "BB", "flags": ()}


def test_a_rewriting_keeps_its_number_of_words(tmp_path: Path) -> None:
    with served(label_and_rewrite(), tmp_path / "s") as site:
        visitor, page = site.person()
        again = visitor.answer(page, status=422, label="MM", other="أنا متعبة جدا")
        assert "Keep the same number of words" in again.text
        assert again.values("class").count("error") == 1
        assert again.chosen["answer.other"] == ["أنا متعبة جدا"]  # to correct, not to write anew
        assert site.folder.responses() == []
        visitor.answer(again, label="MM", other="  أنا   متعبة ")
        assert site.folder.responses()[0].answers["other"] == "أنا   متعبة"


def test_marked_words_are_places_in_the_text(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        while "Kim" not in page.text:
            page = visitor.answer(page, label="correct")
        offered = [value for value in page.fields["answer.extraneous"] if value]
        assert "22-25:noun" in offered
        visitor.answer(page, label="correct", extraneous=["22-25:noun", "18-21:adjective"])
        found = {each.item: each.answers for each in site.folder.responses()}
        text = site.folder.study.items[0].fields["text"]
        marks = found["g1"]["extraneous"]
        assert {text[span.start : span.end] for span in marks if isinstance(span, Span)} == {
            "man",
            "old",
        }


def test_differing_words_are_marked_in_a_comparison(tmp_path: Path) -> None:
    with served(translation_review(), tmp_path / "s") as site:
        _, page = site.person()
        assert "Je suis <mark>prêt</mark>" in page.text
        assert "Je suis <mark>prête</mark>" in page.text


def test_right_to_left_texts_say_so(tmp_path: Path) -> None:
    with served(label_and_rewrite(), tmp_path / "s") as site:
        _, page = site.person()
        ways = [
            (given["lang"], given["dir"])
            for tag, given in page.attributes
            if tag == "p" and "lang" in given
        ]
        assert ("ar", "rtl") in ways
        assert ("en", "ltr") in ways


def test_a_picture_is_for_who_was_given_it(tmp_path: Path) -> None:
    with served(image(), tmp_path / "s") as site:
        visitor, page = site.person()
        (address,) = page.values("src")[-1:]
        reply = visitor.client.get(address)
        assert (reply.status_code, reply.headers["content-type"]) == (200, "image/png")
        other, page = site.person("bob")
        assert page.stage == "done"  # one judgement was wanted, and ann has it
        assert other.client.get(address).status_code == 404
        assert site.visitor().client.get(address).status_code == 404
        for trick in ("/image/../study.toml", "/image/..%2fstudy.toml", "/image/%2e%2e/study.toml"):
            assert visitor.client.get(trick).status_code == 404


def test_practice_tells_what_was_expected(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        study = site.folder.study
        visitor = site.visitor()
        page = visitor.enter(User("open"), "?PROLIFIC_PID=ann", **{"accept-language": "en"})
        page = pass_the_door(visitor, study, page)
        assert page.has_id("practice")
        good = "1" if page.text.index("मैं आया") < page.text.index("मैं आना") else "2"
        page = visitor.answer(page, better=good)
        assert page.stage == "feedback"
        assert page.values("data-right") == ["yes"]
        assert "Right" in page.text
        reloaded = visitor.get()
        assert reloaded.stage == "feedback"
        page = visitor.post(reloaded, "/go-on")
        assert page.stage == "item"
        assert not page.has_id("practice")


def test_items_fillers_and_checks_look_the_same(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        study = site.folder.study
        visitor = site.visitor()
        page = visitor.enter(User("open"), "?PROLIFIC_PID=ann")
        page = pass_the_door(visitor, study, page)
        page = visitor.post(visitor.answer(page, better="1"), "/go-on")
        shapes = set()
        while page.stage == "item":
            tags = [
                (tag, sorted(name for name in given if name != "value"))
                for tag, given in page.attributes
            ]
            ids = [given.get("id") for _, given in page.attributes]
            inside = tags[ids.index("item") : ids.index("next")]
            shapes.add(repr(inside))
            page = visitor.answer(page, better="1")
        assert len(shapes) == 1


def test_completion_depends_on_what_is_wrong(tmp_path: Path) -> None:
    with served(completion(), tmp_path / "s") as site:
        visitor, page = site.person()
        assert '{"grammatical":["no"]}' in page.values("data-when")
        page = visitor.answer(page, status=422, grammatical="no", plausible="yes")
        visitor.answer(page, grammatical="no", plausible="yes", error=["case", "meaning"])
        assert site.folder.responses()[0].answers["error"] == ("case", "meaning")


def test_a_correction_is_not_the_draft(tmp_path: Path) -> None:
    study = label_and_rewrite()
    questions = tuple(
        msgspec.structs.replace(each, changed=True) if isinstance(each, TextQuestion) else each
        for each in study.questions
    )
    with served(msgspec.structs.replace(study, questions=questions), tmp_path / "s") as site:
        visitor, page = site.person()
        again = visitor.answer(page, status=422, label="MM", other=" أنا  متعبة")
        assert "The text has not been changed" in again.text
        visitor.answer(again, label="MM", other="أنا متعب")
        assert len(site.folder.responses()) == 1


def test_practice_is_counted_and_its_feedback_shows_the_text(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor = site.visitor()
        page = visitor.enter(User("open"), "?PROLIFIC_PID=5f3a")
        page = visitor.post(page, "/consent", {"agree": "yes"})
        page = visitor.post(page, "/screening", {"answer.native": "hindi", "answer.age": "20"})
        page = visitor.post(page, "/begin")
        assert "अभ्यास 1 (कुल 1)" in page.text
        (practice, *_) = site.folder.study.practice
        page = visitor.answer(page, better="1")
        assert page.stage == "feedback"
        shown = visible_values(site.folder.study, practice)
        assert all(text in page.text for text in shown.values())


def test_neither_answer_to_the_consent_is_preselected(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        page = site.visitor().enter(User("open"), "?PROLIFIC_PID=5f3a")
        assert page.stage == "consent"
        assert all("autofocus" not in given for _, given in page.attributes)
        assert "primary" not in page.values("class")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("- one\n- *two*", "<li>one</li>\n<li><em>two</em></li>"),
        ("> An example", "<blockquote>\n<p>An example</p>"),
        ("[here](https://example.org)", '<a href="https://example.org" rel="noreferrer noopener"'),
        ("[no](javascript:alert(1))", "[no](javascript:alert(1))"),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("![x](https://example.org/x.png)", "!<a href="),
    ],
)
def test_instructions_are_a_safe_subset_of_markdown(written: str, shown: str) -> None:
    assert shown in render_markdown(written)


def test_feedback_mentions_a_word_that_should_not_be_marked(tmp_path: Path) -> None:
    study = misgendering()
    (first, second, *_) = study.items
    practice = (
        msgspec.structs.replace(first, id="p1", expected={"label": "correct"}),
        msgspec.structs.replace(second, id="p2", expected={"label": "correct", "extraneous": ()}),
    )
    with served(msgspec.structs.replace(study, practice=practice), tmp_path / "s") as site:
        visitor, page = site.person()
        page = visitor.post(page, "/begin")
        mark = next(value for value in page.fields["answer.extraneous"] if value)
        page = visitor.answer(page, label="correct", extraneous=[mark])
        assert page.stage == "feedback"
        assert page.values("data-right") == ["no"]
