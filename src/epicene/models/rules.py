"""The model kind `rules`: the rule-based rewriter of a language, as a model.

It reads a request's source, language and target (speaker, listener, others: masculine, feminine or
neutral) and never the prompt.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.core.errors import InputError
from epicene.core.records import Generate, Identity, Text, Texts
from epicene.models import UnanswerableError, model_kind
from epicene.models.rates import refuse_name
from epicene.models.simple_model import SimpleModel
from epicene.rewriting import find_rewriter, rewritable_languages
from epicene.rewriting.persons import PERSONS, read_target_genders

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions
    from epicene.rewriting import Rewrite


@model_kind(
    about="the rewriters of all languages but English",
    options=("label",),
)
def open_rules(name: str, options: ModelOptions) -> Model:
    """Open the kind `rules`: every language that is rewritten by person."""
    refuse_name("rules", name)
    identity = Identity(kind="rules", label=options.label or "rules", key=_versions())
    return SimpleModel(identity, {"generate": _generate})


def _versions() -> dict[str, str]:
    """By language: the version of its rules, and the optional packages that they read."""
    key = {}
    for code in _languages():
        rewriter = find_rewriter(code)
        packages = [f"{name} {version}" for name, version in sorted(rewriter.packages().items())]
        key[code] = " + ".join([rewriter.version, *packages])
    return key


def _languages() -> list[str]:
    return [code for code in rewritable_languages() if {*PERSONS} <= {*find_rewriter(code).takes}]


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
            "the request does not name a person to rewrite for; rules can only rewrite, so "
            "choose a rewriting task (--task rewriting)"
        )
    try:
        read_target_genders(request.target)
        rewrite = _open_rewriter(request.language, tuple(request.target.items()))
    except InputError as error:
        raise UnanswerableError(str(error)) from error
    (rewriting,) = rewrite([request.source])
    return Texts(texts=(Text(text=rewriting.text),) * request.samples)


@cache
def _open_rewriter(language: str, wanted: tuple[tuple[str, str], ...]) -> Rewrite:
    return find_rewriter(language).open(dict(wanted))
