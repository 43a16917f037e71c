"""Which route is taken, and what a route needs."""

from __future__ import annotations

from itertools import cycle, islice
from types import SimpleNamespace

import pytest

from epicene.core.errors import InputError
from epicene.languages.pronouns import find_pronoun_set
from epicene.rewriting.english import neutralise, open_route, pipelines, rewritings
from epicene.rewriting.english.routes import Route, RulesRoute


@pytest.fixture
def no_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelines, "find_spec", lambda _: None)
    monkeypatch.setattr(pipelines, "load", pipelines.load.__wrapped__)


@pytest.mark.usefixtures("no_pipeline")
def test_without_a_pipeline() -> None:
    assert pipelines.installed() == []
    assert open_route().name == "rules"
    assert neutralise("She sings.").text == "They sing."
    with pytest.raises(InputError, match=r"pip install spacy .* route `rules`"):
        open_route("spacy")


def test_with_a_pipeline(spacy_route: Route) -> None:
    assert spacy_route.name == "spacy"
    assert open_route().name == "spacy"


def test_a_pipeline_that_does_not_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy = pytest.importorskip("spacy")
    monkeypatch.setattr(pipelines, "installed", lambda: ["en_half"])
    monkeypatch.setattr(spacy, "load", lambda *_, **__: SimpleNamespace(pipe_names=["tagger"]))
    with pytest.raises(InputError, match=r"tags and parses English .*en_half"):
        pipelines.load.__wrapped__()


def test_the_small_pipeline_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy = pytest.importorskip("spacy")
    names = ["fr_core_news_sm", "en_core_web_trf", "en_core_web_sm"]
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: names)
    assert pipelines.installed() == ["en_core_web_sm", "en_core_web_trf"]


def test_lines_stream(route: Route) -> None:
    """An endless text is read as it is written."""
    endless = cycle(["She sings.", "No one.", "It is his."])
    done = islice(rewritings(endless, find_pronoun_set("they"), route=route), 1000)
    assert [each.text for each in done][-1] == "They sing."


def test_a_very_long_line_goes_by_rules(spacy_route: Route) -> None:
    text = "She sings and dances, said I. " * 1000
    assert neutralise(text, route=spacy_route).text == "They sing and dance, said I. " * 1000


@pytest.mark.parametrize(
    "text",
    [
        "he who ",
        "he, ",
        'he "',
        "he (",
        "she sings and ",
        "he/she/",
        "she never ",
        "her… ",
        "her very ",
    ],
)
def test_time_grows_with_the_line_and_no_faster(text: str) -> None:
    """Tens of thousands of tokens with nothing to stop at; squared, they would take very long."""
    done = neutralise(text * 10_000, route=RulesRoute())
    assert len(done.changes) >= 10_000 or "/" in text
