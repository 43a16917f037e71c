"""Forms of Russian words out of context: nouns, adjectives, past tenses and short adjectives."""

from __future__ import annotations

import pytest

from epicene.rewriting.persons import Gender
from epicene.rewriting.russian.conjugation import past_form, short_form
from epicene.rewriting.russian.declension import (
    CASES,
    adjective_readings,
    noun_forms,
    noun_readings,
)
from epicene.rewriting.russian.line import read_line
from epicene.rewriting.russian.sites import writes_dots


@pytest.mark.parametrize(
    ("noun", "singular", "plural"),
    [
        ("отец", "отец отца отцу отца отцом отце", "отцы отцов отцам отцов отцами отцах"),
        ("учитель", "учитель учителя учителю учителя учителем учителе",
         "учителя учителей учителям учителей учителями учителях"),
        ("гражданин", "гражданин гражданина гражданину гражданина гражданином гражданине",
         "граждане граждан гражданам граждан гражданами гражданах"),
        ("кореец", "кореец корейца корейцу корейца корейцем корейце",
         "корейцы корейцев корейцам корейцев корейцами корейцах"),
        ("студентка", "студентка студентки студентке студентку студенткой студентке",
         "студентки студенток студенткам студенток студентками студентках"),
        ("девочка", "девочка девочки девочке девочку девочкой девочке",
         "девочки девочек девочкам девочек девочками девочках"),
        ("мать", "мать матери матери мать матерью матери",
         "матери матерей матерям матерей матерями матерях"),
        ("леди", "леди леди леди леди леди леди", "леди леди леди леди леди леди"),
    ],
)  # fmt: skip
def test_the_cases_of_a_noun(noun: str, singular: str, plural: str) -> None:
    assert noun_forms(noun) == (singular.split(), plural.split())


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("новый нового новому нового новым новом", "новая новой новой новую новой новой"),
        ("молодой молодого молодому молодого молодым молодом",
         "молодая молодой молодой молодую молодой молодой"),
        ("последний последнего последнему последнего последним последнем",
         "последняя последней последней последнюю последней последней"),
        ("уставший уставшего уставшему уставшего уставшим уставшем",
         "уставшая уставшей уставшей уставшую уставшей уставшей"),
        ("родившийся родившегося родившемуся родившегося родившимся родившемся",
         "родившаяся родившейся родившейся родившуюся родившейся родившейся"),
        ("сам самого самому самого самим самом", "сама самой самой саму самой самой"),
    ],
)  # fmt: skip
def test_the_cases_of_an_adjective_in_both_genders(masculine: str, feminine: str) -> None:
    tables: dict[Gender, list[str]] = {
        "masculine": masculine.split(),
        "feminine": feminine.split(),
    }
    for gender, forms in tables.items():
        for case, form in zip(CASES, forms, strict=True):
            reading = next(
                each
                for each in adjective_readings(form)
                if each.gender == gender and case in each.cases
            )
            for other, wanted in tables.items():
                assert reading.form(other, case) == wanted[CASES.index(case)]


@pytest.mark.parametrize("word", "тишиной столом читая объяснений войной рабочий вечером".split())
def test_nouns_and_gerunds_are_no_adjectives(word: str) -> None:
    assert not adjective_readings(word)


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("шёл", "шла"), ("пришёл", "пришла"), ("мог", "могла"), ("нёс", "несла"),
        ("умер", "умерла"),
        ("обжёгся", "обожглась"), ("сжёг", "сожгла"), ("прочёл", "прочла"), ("стёр", "стёрла"),
        ("вырос", "выросла"), ("привык", "привыкла"), ("сделал", "сделала"), ("умел", "умела"),
        ("боялся", "боялась"),
    ],
)  # fmt: skip
def test_past_tenses(masculine: str, feminine: str) -> None:
    for word, gender in ((masculine, "masculine"), (feminine, "feminine")):
        form = past_form(word.replace("ё", "е"))
        assert form is not None
        assert form == (gender, masculine, feminine, form.listed)


@pytest.mark.parametrize("word", "стол школа футбол сначала запах урок срок смысл гол".split())
def test_words_that_only_look_like_a_past_tense(word: str) -> None:
    assert past_form(word) is None


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("рад", "рада"), ("болен", "больна"), ("должен", "должна"), ("спокоен", "спокойна"),
        ("удивлён", "удивлена"), ("зол", "зла"), ("внимателен", "внимательна"),
        ("зарегистрирован", "зарегистрирована"), ("уволен", "уволена"), ("логичен", "логична"),
    ],
)  # fmt: skip
def test_short_forms(masculine: str, feminine: str) -> None:
    for word in (masculine, feminine):
        form = short_form(word.replace("ё", "е"))
        assert form is not None
        assert (form.masculine, form.feminine) == (masculine, feminine)


def test_a_role_that_stays_comes_back_from_its_feminine() -> None:
    (kept,) = noun_readings("директором")
    (feminine,) = noun_readings("директрисой")
    assert (kept.kind, feminine.kind) == ("epicene", "roles")


@pytest.mark.parametrize(
    ("text", "dots"), [("Всё хорошо.", True), ("Еще рано.", False), ("Она ушла.", None)]
)
def test_whether_a_text_writes_dots(text: str, dots: bool | None) -> None:
    assert writes_dots(read_line(text)) is dots
