"""From seeds to a list of words: chat models propose, dictionaries and people decide."""

from __future__ import annotations

from epicene.records import Generate
from epicene.suites.construction import AskModels, AskPeople, Compute, Construction
from epicene.suites.gramvis.construction.export import checked, export
from epicene.suites.gramvis.construction.looking_up import looked_up
from epicene.suites.gramvis.construction.proposing import (
    GramvisBuild,
    ask_to_propose,
    read_proposed,
    seeds,
)
from epicene.suites.gramvis.construction.sorting import ask_to_sort, read_sorted
from epicene.suites.gramvis.construction.suggesting import diverge, read_suggested, suggest

construction = Construction(
    about="Words whose gender contradicts, or equals, the stereotype of their meaning.",
    settings=GramvisBuild,
    steps=(
        Compute(name="seeds", about="prompts by language and gender", make=seeds),
        AskModels(
            name="propose",
            about="words from chat models",
            role="proposers",
            verbs=(Generate,),
            ask=ask_to_propose,
            read=read_proposed,
            many=True,
        ),
        Compute(name="look-up", about="one gender and no partner", make=looked_up),
        AskPeople(
            name="suggest",
            about="five people on each English meaning",
            study=suggest,
            read=read_suggested,
        ),
        Compute(name="diverge", about="stereotype against grammar", make=diverge),
        AskModels(
            name="sort",
            about="categories by three chat models",
            role="sorters",
            verbs=(Generate,),
            ask=ask_to_sort,
            read=read_sorted,
            many=True,
            least=3,
        ),
        Compute(name="check", about="what is wrong with the words", make=checked),
    ),
    export=export,
)
