"""What a list of words consists of: the paper's Table 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Row, Table
from epicene.suites.gramvis.items import GRAMMARS, PromptItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.gramvis.items import LabelCounts, Word
    from epicene.suites.gramvis.protocol import GramvisProtocol


def statistics(
    items: Sequence[LabelCounts | PromptItem], _protocol: GramvisProtocol | None = None
) -> Iterator[Table]:
    """Every word with its English meaning, by language; control words in a column of their own."""
    words = [item.entry for item in items if isinstance(item, PromptItem) and item.template == 1]
    if not words:
        return
    columns = [(grammar, control) for control in (False, True) for grammar in reversed(GRAMMARS)]
    yield Table(
        name="10",
        title="Words with their English meanings",
        levels=("language",),
        columns=tuple(
            Column(name=f"{grammar}{' controls' * control}", unit="text")
            for grammar, control in columns
        ),
        rows=tuple(
            Row(
                keys=(language,),
                cells=tuple(_listed(words, language, *column) for column in columns),
            )
            for language in dict.fromkeys(word.language for word in words)
        ),
    )


def _listed(words: Sequence[Word], language: str, grammar: str, control: bool) -> str:
    return ", ".join(
        f"{word.word} ({word.english})"
        for word in words
        if (word.language, word.grammar, word.control) == (language, grammar, control)
    )
