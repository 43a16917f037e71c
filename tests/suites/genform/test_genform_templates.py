"""Templates, what fills them, and what follows them."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.studies.design.checks import study_problems
from epicene.suites.genform.construction.annotation import study_of
from epicene.suites.genform.construction.generation import (
    Argument,
    FilledTemplate,
    GenformBuild,
    lines_of,
    plan,
    read_templates,
    slots,
)
from epicene.suites.genform.items import rules_of

OURS = read_templates("")
LANGUAGES = ("fr", "ar", "hi", "de", "ru", "es", "it", "pt")
STUDY_LANGUAGES = ("fr", "ar", "hi")


def filled(template: str, **words: str) -> FilledTemplate:
    named = {name.replace("_", "-"): text for name, text in words.items()}
    arguments = tuple(
        Argument(slot=slot, words=named[slot], kind="any") for slot in slots(template)
    )
    return FilledTemplate(template, arguments)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_templates_and_no_two_are_alike(language: str) -> None:
    mine = OURS.of(language)
    assert list(mine) == list(rules_of(language))
    for rule, templates in mine.items():
        assert len(set(templates)) == len(templates) >= 2, rule


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_is_followed_by_its_own_words_and_by_no_fewer(language: str) -> None:
    for template in (each for templates in OURS.of(language).values() for each in templates):
        drawn = {slot: OURS.draw_arguments(slot, "test") for slot in slots(template)}
        one = FilledTemplate(template, tuple(map(next, drawn.values())))
        sentence = template.replace("…", "something else").rstrip(' .!?"')
        for argument in one.arguments:
            sentence = sentence.replace(f"<{argument.slot}>", argument.words)
        end = '."' if '"' in template else "."
        assert one.is_followed_by(f"{sentence}{end}"), template
        assert one.is_followed_by(f"{sentence[0].upper()}{sentence[1:]}{end}")
        assert not one.is_followed_by(sentence)
        words = sentence.split()
        for place, word in enumerate(words):
            if word not in ("something", "else"):
                fewer = [*words[:place], *words[place + 1 :]]
                assert not one.is_followed_by(" ".join(fewer) + end), (template, word)


@pytest.mark.parametrize(
    ("template", "words", "sentence", "follows"),
    [
        ("I am a <job> …", {"job": "engineer"}, "I am an engineer in Lille.", True),
        ("I am a <job> …", {"job": "engineer"}, "I am a  engineer, and so is she!", True),
        ("I am a <job> …", {"job": "engineer"}, "I am the engineer here.", False),
        ("I am a <job> …", {"job": "engineer"}, "I am an engineer.", False),
        ("I am a <job> …", {"job": "engineer"}, "I am an engineering student.", False),
        ("I am a <job> …", {"job": "engineer"}, "I am an engineer in", False),
        ("…, I was <mood> …", {"mood": "sad"}, "Back home, I was sad for weeks.", True),
        ("…, I was <mood> …", {"mood": "sad"}, "I was sad for weeks.", False),
        ('<who> said, "I am <mood> …"', {"who": "my son", "mood": "sad"},
         "My son said, “I am sad now.”", True),
        ('<who> said, "I am <mood> …"', {"who": "my son", "mood": "sad"},
         'My son said, "I am sad now".', True),
        ("Could you … ?", {}, "Could you wait for me?", True),
    ],
)  # fmt: skip
def test_what_follows_a_template(
    template: str, words: dict[str, str], sentence: str, follows: bool
) -> None:
    assert filled(template, **words).is_followed_by(sentence) is follows


def test_an_answer_is_read_line_by_line() -> None:
    answer = '1. One  is here.\n\n- Two.\n"Three."\r\nHe said, "Four."\n12) Five.\n1.5 is six.\n'
    assert lines_of(answer) == [
        "One is here.",
        "Two.",
        "Three.",
        'He said, "Four."',
        "Five.",
        "1.5 is six.",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_occupations_lean_neither_way(language: str) -> None:
    """Within a rule each list is dealt from as often as the others, to within one."""
    balanced = {name for name, lists in OURS.arguments.items() if len(lists) > 1}
    by_rule: dict[tuple[str, str], Counter[str]] = {}
    for row in plan({}, GenformBuild(language=language, sentences=7)):
        for each in (argument for one in row["arguments"] for argument in one):
            if each["slot"] in balanced:
                by_rule.setdefault((row["rule"], each["slot"]), Counter())[each["kind"]] += 1
    assert by_rule
    for place, counts in by_rule.items():
        assert len(counts) == len(OURS.arguments[place[1]]), place
        assert max(counts.values()) - min(counts.values()) <= 1, place


def test_all_words_are_dealt_before_one_comes_again() -> None:
    words = OURS.arguments["feeling"]["any"]
    first = [each.words for each in islice(OURS.draw_arguments("feeling", "a"), len(words))]
    assert sorted(first) == sorted(words)
    assert first != [each.words for each in islice(OURS.draw_arguments("feeling", "b"), len(words))]


def test_the_prompt_says_all_that_is_wanted() -> None:
    settings = GenformBuild(language="fr", rules=("Multiple Entities",), sentences=3)
    row = next(plan({}, settings))
    said = row["user"].split("\n")
    assert "Write 3 English sentences" in said[0]
    assert row["template"] in said
    for number, one in enumerate(row["arguments"], start=1):
        feeling, person = (each["words"] for each in one)
        assert f"In sentence {number}, <feeling> is {feeling} and <person> is {person}." in said
    assert OURS.contexts["politics"] in row["user"]
    assert "[" not in row["user"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("I am <mood> …", "I am <moods> …"), "did you mean 'mood'"),
        (("I am <mood> …", "I am <mood> …, <mood>"), "has the slot <mood> 2 times"),
        (("I am <mood> …", "I am <mood>."), "has no …"),
        (('["sad"]', "[]"), "has a list without words"),
        (("[contexts]", "[context]"), "is invalid"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    text = """
        writer = { system = "", user = "", filling = "" }
        [contexts]
        home = "home"
        [arguments.mood]
        any = ["sad"]
        [templates.fr]
        Moods = ["I am <mood> …"]
    """
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    assert read_templates(str(path)).of("fr") == {"Moods": ("I am <mood> …",)}
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_templates(str(path))


@pytest.mark.parametrize("language", [*LANGUAGES, "pl"])
@pytest.mark.parametrize("name", ["review", "settle_review", "forms", "settle_forms"])
def test_the_studies_are_whole_in_each_language(name: str, language: str) -> None:
    study = study_of(name, language, (), 2)
    assert not list(study_problems(study))
    assert bool(study.practice) == (language != "pl")  # we have templates in all others
    for item in study.practice:
        assert set(item.feedback) == set(study.title)
    assert set(study.title) == {"en", *({language} & {*STUDY_LANGUAGES})}
