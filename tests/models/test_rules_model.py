"""The model `rules`: a language's own rewriter, asked through a request's source and target."""

from __future__ import annotations

import re

import pytest

from epicene.core.errors import InputError
from epicene.core.records import Answer, Failed, Generate, Texts
from epicene.models import Model, ModelOptions, open_model, parse_spec, rules
from epicene.models.rules import open_rules
from epicene.rewriting import Rewriter, find_rewriter
from models.model_answers import answers

OPTIONS = ModelOptions()


def ask(model: Model, request: Generate) -> Answer:
    return answers(model, request)[0]


def request(**changed: object) -> Generate:
    values: dict[str, object] = {
        "item": "i",
        "prompt": "a prompt that nobody reads",
        "language": "fr",
        "source": "Je suis fatigué, tu es content.",
        "target": {"speaker": "feminine"},
    }
    return Generate(**{**values, **changed})  # type: ignore[arg-type]


def test_it_rewrites_for_whom_the_target_names() -> None:
    model = open_rules("", OPTIONS)
    answer = ask(model, request(samples=2))
    assert isinstance(answer, Texts)
    assert [text.text for text in answer.texts] == ["Je suis fatiguée, tu es content."] * 2
    both = ask(model, request(target={"speaker": "f", "listener": "feminine"}))
    assert isinstance(both, Texts)
    assert both.only == "Je suis fatiguée, tu es contente."


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"source": ""}, "names no source text"),
        ({"language": "zh"}, "'zh' is not rewritten by person; known: .*fr"),
        ({"language": "en"}, "'en' is not rewritten by person"),
        ({"target": {}}, "does not name a person to rewrite"),
        ({"target": {"speaker": "neuter"}}, "--speaker must be m, f or n, not 'neuter'"),
    ],
)
def test_what_it_cannot_answer(changed: dict[str, object], says: str) -> None:
    answer = ask(open_rules("", OPTIONS), request(**changed))
    assert isinstance(answer, Failed)
    assert re.search(says, answer.reason)


def test_its_identity_has_each_languages_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other rules, or a dictionary that they read, make another model."""
    plain = open_rules("", OPTIONS).identity
    assert plain.key["fr"].startswith(find_rewriter("fr").version)
    assert "en" not in plain.key

    def other_rules(code: str) -> Rewriter:
        return find_rewriter(code)._replace(version="2", packages=lambda: {"dictionary": "9"})

    monkeypatch.setattr(rules, "find_rewriter", other_rules)
    changed = open_rules("", OPTIONS).identity
    assert changed.key["fr"] == "2 + dictionary 9"
    assert changed.digest != plain.digest


def test_it_is_a_kind_and_takes_no_name() -> None:
    model = open_model(parse_spec("rules?label=baseline"))
    assert (model.identity.label, model.verbs) == ("baseline", frozenset({"generate"}))
    with pytest.raises(InputError, match="write rules, not rules:fr"):
        open_rules("fr", OPTIONS)
