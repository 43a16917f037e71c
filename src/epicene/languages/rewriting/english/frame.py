"""A text with the places where a pronoun set shows: pronouns, and the verbs that agree with them.

A frame filled with any set is a minimal pair of the same frame filled with another. Filled with
the set it was read from it is the text itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.pronouns import Case
from epicene.languages.rewriting import Change, Rewriting, Sureness
from epicene.records import Record

if TYPE_CHECKING:
    from epicene.languages.pronouns import PronounSet


class Slot(Record, frozen=True, kw_only=True):
    """Characters [start, end) that depend on the set: a pronoun in some case, or a verb.

    A verb has a singular and a plural form; `case` is None there.
    """

    start: int
    end: int
    text: str
    sets: tuple[str, ...]  # whose form it is; two names for "he or she"
    rule: str
    sure: Sureness
    case: Case | None = None
    singular: str = ""
    plural: str = ""

    def fill(self, to: PronounSet) -> str:
        """What stands here for that set, in the case of letters that stood here before."""
        if self.sets == (to.name,):
            return self.text
        if self.case is not None:
            return like(self.text, to.form(self.case))
        form = self.plural if to.plural_verbs else self.singular
        return form.upper() if self.text.isupper() else like(self.text, form)


class Frame(Record, frozen=True, kw_only=True):
    """A text and its slots, in order."""

    text: str
    slots: tuple[Slot, ...]

    def fill(self, to: PronounSet) -> str:
        """The text as it reads with that set."""
        return self.rewriting(to).text

    def rewriting(self, to: PronounSet) -> Rewriting:
        """The same, with every change."""
        parts, changes, done = [], [], 0
        for slot in self.slots:
            after = slot.fill(to)
            parts += [self.text[done : slot.start], after]
            done = slot.end
            if after != slot.text:
                changes.append(
                    Change(
                        start=slot.start,
                        end=slot.end,
                        before=slot.text,
                        after=after,
                        rule=slot.rule,
                        sure=slot.sure,
                    )
                )
        return Rewriting(text="".join((*parts, self.text[done:])), changes=tuple(changes))


def like(pattern: str, form: str) -> str:
    """The form in capitals, with a capital, or as it is, like the pattern; ’ stays ’."""
    for apostrophe in "’ʼ":
        if apostrophe in pattern:
            form = form.replace("'", apostrophe)
    if pattern.isupper() and len(pattern) > 1:
        return form.upper()
    if pattern[:1].isupper():
        return form[:1].upper() + form[1:]
    return form
