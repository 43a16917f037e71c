"""From rules to a set of pairs: templates, a writer, a translator, and people who correct."""

from __future__ import annotations

from epicene.records import Generate, Translate
from epicene.suites.construction import AskModels, AskPeople, Compute, Construction
from epicene.suites.genform.construction.both_forms import (
    draft,
    forms,
    read_forms,
    read_settled_forms,
    settle_forms,
)
from epicene.suites.genform.construction.export import checked, export
from epicene.suites.genform.construction.reviewing import (
    read_reviews,
    read_settled_reviews,
    review,
    settle_reviews,
)
from epicene.suites.genform.construction.writing import (
    GenformBuild,
    ask_to_translate,
    ask_to_write,
    plan,
    read_translated,
    read_written,
    sift,
)

construction = Construction(
    about="Pairs of a language, from templates by rule to forms that people agree on.",
    settings=GenformBuild,
    steps=(
        Compute(name="plan", about="a prompt for each template and context", make=plan),
        AskModels(
            name="write",
            about="English sentences",
            role="writer",
            verbs=(Generate,),
            ask=ask_to_write,
            read=read_written,
        ),
        Compute(name="sift", about="without what repeats", make=sift),
        AskModels(
            name="translate",
            about="into the language",
            role="translator",
            verbs=(Translate,),
            ask=ask_to_translate,
            read=read_translated,
        ),
        AskPeople(
            name="review", about="two people on each translation", study=review, read=read_reviews
        ),
        AskPeople(
            name="settle-review",
            about="a third where they disagree",
            study=settle_reviews,
            read=read_settled_reviews,
        ),
        Compute(name="draft", about="the rewriter's forms", make=draft),
        AskPeople(name="forms", about="two people write both forms", study=forms, read=read_forms),
        AskPeople(
            name="settle-forms",
            about="a third where they disagree",
            study=settle_forms,
            read=read_settled_forms,
        ),
        Compute(name="check", about="what is wrong with the pairs", make=checked),
    ),
    export=export,
)
