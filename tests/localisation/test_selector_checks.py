"""Branches that do not agree are found, and those that do are left in peace."""

from __future__ import annotations

import pytest

from epicene.localisation.selector_checks import check_selectors
from epicene.localisation.selectors import make_selectors
from rewriting.person_cases import LANGUAGES, pairs


@pytest.mark.parametrize(
    ("text", "language", "kinds"),
    [
        ("{g, select, male {Tu es prêt} female {Tu es prête} other {Tu es prêt}}", "fr", []),
        ("Tu es {g, select, male {prêt} female {prêt} other {prêt}}", "fr", ["form"]),
        ("Tu es {g, select, male {prêt} female {contente} other {prêt}}", "fr", ["form"]),
        ("Tu es {g, select, female {prête} other {prêt}}", "fr", []),
        ("Tu es {g, select, male {prêt} female {prête}}", "fr", ["no other"]),
        ("{g, select, male {{a} b} female {b} other {b {a}}}", "", ["placeholders"]),
        ("{g, select, male {%1$s} female {%2$s} other {%1$s}}", "", ["placeholders"]),
        ("{g, select, male {<b>a</b>} female {<b>a} other {<b>a</b>}}", "", ["tags"]),
        ("{g, select, male {Tu es prêt} female {Tu es", "fr", ["broken"]),
        ("Tu es { $g ->\n [male] prêt\n *[female] prête\n}.", "fr", []),
        ("Tu es { $g ->\n [male] prêt\n [female] prête\n}.", "fr", ["no other"]),
        ("{g, select, male {zork} female {zorka} other {z}}", "fr", ["unsure"]),
        ("{g, select, male {He likes} female {She like} other {They like}} it", "en", ["form"]),
        ("{g, select, male {He likes} female {She likes} other {They like}} it", "en", []),
        ("{n, plural, one {Un ami} other {# amis}}", "fr", []),
        ("{n, plural, one {<b>Un ami</b> {a}} other {# amis}}", "fr", ["placeholders", "tags"]),
        (
            "{n, plural, one {Tu es {g, select, male {inscrit} female {inscrite} other {inscrit}}}"
            " other {Tu es {g, select, male {abonné} female {abonné} other {abonné}}}}",
            "fr",
            ["form"],
        ),
        ("Rien, {name}.", "fr", []),
        ("Tu es prêt}", "fr", ["broken"]),
        ("Tu es prêt '}' pour l'{name}, d'{name}", "fr", []),
        ("{g, select, male {prêt''} female {prête''} other {prêt''}}{'x'}'", "", ["broken"]),
        ("'{'{g, select, male {prêt''} female {prête''} other {prêt''}}}'", "", ["broken"]),
        ("{g, select, male {un''} female {une''} other {un''}} '{'", "", []),
    ],
)
def test_what_is_found(text: str, language: str, kinds: list[str]) -> None:
    found = check_selectors(text, language)
    assert sorted(each.kind for each in found) == kinds
    for problem in found:
        assert 0 <= problem.start < problem.end <= len(text)


_GLAD = "{g, select, male {content} female {contente} other {content}}"
_TYPE = "{type, select, a {%s} other {%s}}"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("{n, plural, =0 {Rien} one {Un ami de {name}} other {# amis de {name}}}", []),
        ("{ $n ->\n [one] Un ami\n *[other] Des amis de { $name }\n}", []),
        ("{n, plural, one {Un ami} few {# amis} other {# amis de {name}}}", ["placeholders"]),
        ("{n, plural, one {Rien} other {{name} a # " + _TYPE % ("a {x}", "b {x}") + "}}", []),
        ("{n, plural, few {Rien} other {# " + _TYPE % ("a", "b") + "}}", ["placeholders"]),
        ("{n, plural, few {Tu es " + _GLAD + "} other {# amis}}", []),
        ("{n, plural, one {Tu es " + _GLAD + "} other {Tu es content de # amis}}", []),
        ("{n, plural, one {Tu es " + _GLAD + "} other {# amis " + _GLAD + "}}", ["unsure"]),
        (
            "{n, plural, few {{g, select, female {{name} est contente} other {{name} est content}}}"
            " other {# amis de {name}}}",
            [],
        ),
    ],
)
def test_the_branches_of_plurals(text: str, kinds: list[str]) -> None:
    assert [each.kind for each in check_selectors(text, "fr")] == kinds


def test_a_nested_selector_is_named_by_its_argument() -> None:
    (found,) = check_selectors("{n, plural, few {Rien} other {# " + _TYPE % ("a", "b") + "}}")
    assert found.message == "the branch few has no {type}, unlike other"


def test_the_message_says_what_was_expected() -> None:
    (found,) = check_selectors("Tu es {g, select, female {prêt} other {prêt}}", "fr")
    assert (
        found.message
        == "g: the feminine branch is 'Tu es prêt', but the rewriter gives 'Tu es prête'"
    )
    (found,) = check_selectors("{g, select, female {a} other {a {x}}}")
    assert found.message == "the branch female has no {x}, unlike other"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("syntax", ["icu", "fluent"])
def test_selectors_that_were_made_agree(language: str, syntax: str) -> None:
    for case in pairs(language, "speaker")[::4]:
        text = make_selectors(case.masculine, language, {"speaker": "g"}, syntax=syntax)
        assert check_selectors(text, language, ["speaker"]) == []
