"""Selectors made from one string: whole words, whole tags, in ICU and Fluent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast

import epicene
from epicene.core.errors import InputError
from epicene.localisation.selectors import make_selectors, selector_changes
from epicene.rewriting.persons import Person
from epicene.rewriting.protected.messages import find_choice, read_braces
from rewriting.person_cases import LANGUAGES, pairs, turned


@pytest.mark.parametrize(
    ("text", "language", "arguments", "made"),
    [
        (
            "Bonjour {name}, tu es <b>le premier inscrit</b>.",
            "fr",
            {"listener": "g"},
            "Bonjour {name}, tu es <b>{g, select, male {le premier inscrit} "
            "female {la première inscrite} other {le premier inscrit}}</b>.",
        ),
        (
            "Je suis content que tu sois prêt.",
            "fr",
            {"speaker": "me", "listener": "you"},
            "Je suis {me, select, male {content} female {contente} other {content}} que tu sois "
            "{you, select, male {prêt} female {prête} other {prêt}}.",
        ),
        (
            "{n, plural, one {Tu es inscrit à # cours} other {# cours}}",
            "fr",
            {"listener": "g"},
            "{n, plural, one {Tu es {g, select, male {inscrit} female {inscrite} other {inscrit}} "
            "à # cours} other {# cours}}",
        ),
        (
            "Tu es p<b>rêt</b> !",
            "fr",
            {"listener": "g"},
            "{g, select, male {Tu es p<b>rêt</b> !} female {Tu es p<b>rête</b> !} "
            "other {Tu es p<b>rêt</b> !}}",
        ),
        (
            "She's here, {x}.",
            "en",
            {"others": "g"},
            "{g, select, male {He's} female {She's} other {They're}} here, {x}.",
        ),
        ("Rien ne change.", "fr", {"listener": "g"}, "Rien ne change."),
    ],
)
def test_a_selector_has_the_words_that_change(
    text: str, language: str, arguments: Mapping[Person, str], made: str
) -> None:
    assert make_selectors(text, language, arguments) == made


def test_an_apostrophe_before_a_brace_is_doubled() -> None:
    made = make_selectors("Tu es prêt.", "fr", {"listener": "g"}, other="C'est l'")
    assert made.endswith("other {C'est l''}}")
    choice = find_choice(made, 0, read_braces(made))
    assert choice is not None
    assert choice.end == len(made)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Tu es prêt'{'x'}'", "Tu es PRET'{'x'}'"),
        ("'{'Tu es prêt'}'", "'{'Tu es PRET'}'"),
        ("Tu es prêt'", "Tu es PRET'"),
        ("Tu es prêt''", "Tu es PRET''"),
    ],
)
def test_an_apostrophe_after_a_word_is_not_part_of_it(text: str, made: str) -> None:
    selector = "{g, select, male {prêt} female {prête} other {prêt}}"
    assert make_selectors(text, "fr", {"listener": "g"}) == made.replace("PRET", selector)


def test_an_apostrophe_never_quotes_the_brace_of_a_selector() -> None:
    assert make_selectors("'She left'", "en", {"others": "g"}) == (
        "{g, select, male {'He} female {'She} other {'They}} left'"
    )
    assert make_selectors("'{'She left'}'", "en", {"others": "g"}) == (
        "'{'{g, select, male {He} female {She} other {They}} left'}'"
    )


def test_a_quotation_at_the_end_of_a_branch_stays_as_it_is() -> None:
    text = "Tu es p<b>rêt</b>'{'x'}'"
    made = make_selectors(text, "fr", {"listener": "g"})
    assert made.startswith(f"{{g, select, male {{{text}}} female")
    assert make_selectors("Tu es p<b>rêt</b>'", "fr", {"listener": "g"}).endswith("</b>''}}")


def test_a_word_that_is_quoted_takes_its_quotation_along() -> None:
    assert make_selectors("And '{x} she left' now", "en", {"others": "g"}) == (
        "And {g, select, male {'{x} he left'} female {'{x} she left'} other {'{x} they left'}} now"
    )


def test_another_wording_makes_one_selector() -> None:
    assert make_selectors("Tu es prêt.", "fr", {"listener": "g"}, other="C'est prêt.") == (
        "{g, select, male {Tu es prêt.} female {Tu es prête.} other {C'est prêt.}}"
    )
    with pytest.raises(InputError, match="only one"):
        make_selectors("Tu es.", "fr", {"listener": "g", "speaker": "h"}, other="x")


@pytest.mark.parametrize(
    ("arguments", "syntax", "message"),
    [
        ({}, "icu", "Name a person"),
        ({"listener": "a b"}, "icu", "not a valid argument name"),
        ({"listener": "g"}, "po", "selector syntax 'po'"),
    ],
)
def test_wrong_options_are_refused(
    arguments: Mapping[Person, str], syntax: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make_selectors("Tu es prêt.", "fr", arguments, syntax=syntax)


def test_english_has_no_gender_of_the_listener() -> None:
    with pytest.raises(InputError, match="does not show the gender of the listener"):
        make_selectors("You left.", "en", {"listener": "g"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_branches_are_the_forms_of_the_text(language: str) -> None:
    """With one branch of each selector taken, the text is what the rewriter makes of it."""
    for case in pairs(language, "speaker")[::3]:
        changes = selector_changes(case.masculine, language, {"speaker": "g"})
        for gender, key in (("feminine", "female"), ("masculine", "male"), ("", "other")):
            text, shift = case.masculine, 0
            for change in changes:
                choice = find_choice(change.after, 0, read_braces(change.after))
                assert choice is not None
                (branch,) = [each for each in choice.branches if each.key == key]
                new = change.after[branch.start : branch.end]
                new = new[:-1] if new.endswith("''") else new
                text = text[: change.start + shift] + new + text[change.end + shift :]
                shift += len(new) - len(change.before)
            if gender == "feminine":
                assert text == turned(language, case.masculine, "speaker", "feminine")
            elif gender == "masculine":
                assert text == turned(language, case.masculine, "speaker", "masculine")
            else:
                assert text == case.masculine


def test_a_fluent_parser_reads_the_selectors() -> None:
    made = make_selectors("Tu es prêt, { $name }.", "fr", {"listener": "g"}, syntax="fluent")
    assert made == (
        "Tu es { $g ->\n    [male] prêt\n    [female] prête\n   *[other] prêt\n}, { $name }."
    )
    message = FluentParser().parse_entry(f"ready = {made}\n")
    assert isinstance(message, ast.Message)


def test_files_get_selectors(tmp_path: Path) -> None:
    source = tmp_path / "app_fr.arb"
    source.write_text('{"@@locale": "fr",\n "a": "Tu es \\"prêt\\"", "b": "Rien"}', "utf-8")
    out = tmp_path / "new.arb"
    (done,) = epicene.select(source, listener="g", out=out)
    assert (done.out, done.strings) == (str(out), 1)
    text = out.read_text("utf-8")
    assert text.startswith('{"@@locale": "fr",\n "a": "Tu es')
    assert json.loads(text)["b"] == "Rien"
    assert "female {prête}" in json.loads(text)["a"]
    assert epicene.check_selectors(out) == []


def test_fluent_files_get_fluent_selectors(tmp_path: Path) -> None:
    source = tmp_path / "fr.ftl"
    source.write_text("ready = Tu es prêt, { $name }.\nnone = Rien\n", "utf-8")
    out = tmp_path / "new.ftl"
    epicene.select(source, "fr", listener="g", out=out)
    text = out.read_text("utf-8")
    assert not [each for each in FluentParser().parse(text).body if isinstance(each, ast.Junk)]
    assert "[female] prête" in text
    assert text.endswith("\nnone = Rien\n")
    assert epicene.check_selectors(out, "fr") == []
