"""The item, a sentence with a reflexive that agrees with its subject."""

from __future__ import annotations

from typing import Literal

from epicene.core.records import Item


class Sentence(Item, frozen=True, kw_only=True):
    """The text before the reflexive, the reflexive that agrees, and the text after it."""

    before: str
    reflexive: Literal["himself", "herself"]
    after: str
    gender: Literal["masculine", "feminine"]
    language: str = "en"

    @property
    def texts(self) -> tuple[str, str]:
        """The sentence as it should be, then with the other reflexive."""
        other = {"himself": "herself", "herself": "himself"}[self.reflexive]
        return (self.before + self.reflexive + self.after, self.before + other + self.after)
