"""The model kind `rules`: a language's own rewriter, asked as a model.

It reads a request's source, language and target (speaker, listener, others: masculine or
feminine) and never the prompt.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.languages.rewriting import find_rewriter, rewritable
from epicene.languages.rewriting.people import PEOPLE, read_wanted
from epicene.models import takes
from epicene.models.one_by_one import OneByOne, UnanswerableError
from epicene.records import Generate, Identity, Text, Texts

if TYPE_CHECKING:
    from epicene.languages.rewriting import Rewrite
    from epicene.models import Model, ModelOptions


@takes("label")
def open_rules(name: str, options: ModelOptions) -> Model:
    """Open the kind `rules`: every language that is rewritten by person."""
    if name:
        raise InputError(f"The model rules takes no name: write rules, not rules:{name}.")
    identity = Identity(kind="rules", label=options.label or "rules", key=_versions())
    return OneByOne(identity, {"generate": _generate})


def _versions() -> dict[str, str]:
    """By language: the version of its rules, and the optional packages that they read."""
    key = {}
    for code in _languages():
        rewriter = find_rewriter(code)
        aids = [f"{name} {version}" for name, version in sorted(rewriter.aids().items())]
        key[code] = " + ".join([rewriter.version, *aids])
    return key


def _languages() -> list[str]:
    return [code for code in rewritable() if find_rewriter(code).takes == PEOPLE]


def _generate(request: Generate) -> Texts:
    if not request.source:
        raise UnanswerableError("the request names no source text, so there is nothing to rewrite")
    if request.language not in (known := _languages()):
        raise UnanswerableError(
            f"the language {request.language!r} is not rewritten by person; known: "
            + ", ".join(known)
        )
    if not request.target:
        raise UnanswerableError(
            "the request names nobody to rewrite for; rules only rewrite, so choose a task that "
            "asks for it (--task rewriting)"
        )
    try:
        wanted = read_wanted(request.target)
    except InputError as error:
        raise UnanswerableError(str(error)) from error
    (rewriting,) = _opened(request.language, tuple(wanted.items()))([request.source])
    return Texts(texts=(Text(text=rewriting.text),) * request.samples)


@cache
def _opened(language: str, wanted: tuple[tuple[str, str], ...]) -> Rewrite:
    return find_rewriter(language).open(dict(wanted))
