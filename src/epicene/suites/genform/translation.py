"""Which gender a translation gave the speaker, where the English said nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.assumed import assumed_gender
from epicene.records import Judgement
from epicene.suites.genform.ask import TRANSLATION

if TYPE_CHECKING:
    from epicene.suites.genform.pairs import Pair


def by_translation(pair: Pair, text: str, facets: dict[str, str]) -> Judgement:
    """Masculine, feminine, mixed or undetected; nothing here is right or wrong."""
    assumed = assumed_gender(text, pair.language)
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=TRANSLATION,
        label=assumed.gender,
        facets={**facets, "format": TRANSLATION},
        evidence={
            "English": pair.english,
            "answer": text,
            "words that agree with the speaker": ", ".join(assumed.words),
        },
    )
