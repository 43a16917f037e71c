"""Build a word list from seeds: chat models propose, dictionaries and people decide."""

from __future__ import annotations

from epicene.core.records import Generate
from epicene.suites.construction import AskModels, AskPeople, Compute, Construction
from epicene.suites.gramvis.construction.dictionaries import look_up_nouns
from epicene.suites.gramvis.construction.elicitation import (
    GramvisBuild,
    ask_for_categories,
    ask_for_words,
    mark_divergent,
    read_categories,
    read_stereotypes,
    read_words_proposed,
    seed_prompts,
    stereotype_study,
)
from epicene.suites.gramvis.construction.export import check_rows, export

construction = Construction(
    about="Words whose gender contradicts, or matches, the stereotype of their meaning.",
    settings=GramvisBuild,
    steps=(
        Compute(name="seeds", about="prompts by language and gender", make=seed_prompts),
        AskModels(
            name="propose",
            about="words from chat models",
            role="proposers",
            verbs=(Generate,),
            ask=ask_for_words,
            read=read_words_proposed,
            many=True,
        ),
        Compute(
            name="look-up", about="nouns with one gender and no counterpart", make=look_up_nouns
        ),
        AskPeople(
            name="suggest",
            about="five people judge each English meaning",
            study=stereotype_study,
            read=read_stereotypes,
        ),
        Compute(name="diverge", about="stereotype compared with grammar", make=mark_divergent),
        AskModels(
            name="sort",
            about="categories by three chat models",
            role="sorters",
            verbs=(Generate,),
            ask=ask_for_categories,
            read=read_categories,
            many=True,
            least=3,
        ),
        Compute(name="check", about="problems with the words", make=check_rows),
    ),
    export=export,
)
