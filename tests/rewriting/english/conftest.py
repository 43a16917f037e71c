"""The two routes by which English is read."""

from __future__ import annotations

import os

import pytest

from epicene.rewriting.english import open_route, pipelines
from epicene.rewriting.english.routes import Route, RulesRoute


@pytest.fixture(scope="session")
def spacy_route() -> Route:
    """The route with a pipeline, loaded once."""
    if not pipelines.installed():
        reason = f"needs a spaCy pipeline; get it with `{pipelines.GET_ONE}`"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return open_route("spacy")


@pytest.fixture(scope="session", params=["rules", "spacy"])
def route(request: pytest.FixtureRequest) -> Route:
    """Each route in turn."""
    if request.param == "rules":
        return RulesRoute()
    found: Route = request.getfixturevalue("spacy_route")
    return found
