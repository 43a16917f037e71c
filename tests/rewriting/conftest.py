"""Languages are read with our own lists alone, unless a test asks for a dictionary."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from epicene.rewriting.arabic import analysis
from epicene.rewriting.arabic import dictionary as arabic_dictionary
from epicene.rewriting.french import dictionary, inflection, line


@pytest.fixture(autouse=True, scope="module")
def _own_lists_alone() -> Iterator[None]:
    """What is tested does not depend on what happens to be installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPICENE_MORPHOLOGY", "none")
        _forget()
        yield
    _forget()


def _forget() -> None:
    dictionary.dictionary.cache_clear()
    inflection.inflect.cache_clear()
    line.is_adjective.cache_clear()
    line.is_person.cache_clear()
    arabic_dictionary.dictionary.cache_clear()
    analysis.analyse_noun.cache_clear()
