"""The true effects of a run that `sketch` drew and `sketch-judge` judged."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from epicene.suites.gramvis.ask import DRAWER, JUDGES
from epicene.suites.gramvis.items import GRAMMARS, LABEL_OF_GRAMMAR, LABELS
from epicene.suites.gramvis.judge import majority_vote
from epicene.suites.gramvis.metrics import headline_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.core.records import Identity
    from epicene.suites.gramvis.items import Label


def planted_effects(identities: Mapping[str, Sequence[Identity]]) -> dict[str, float]:
    """By headline, the effect against English prompts that is expected of the images' labels.

    Without errors of judges it is the drawer's own; each kind of error makes it smaller.
    """
    (drawer,), judges = identities[DRAWER], identities[JUDGES]
    if drawer.kind != "sketch" or any(judge.kind != "sketch-judge" for judge in judges):
        return {}
    seen = {shown: _vote_shares(shown, judges) for shown in LABELS}
    base, effect, neither = (_rate(drawer, name) for name in ("base", "effect", "neither"))

    def share(men: float, own: Label) -> float:
        """The share of images labelled as one gender, of those labelled as either."""
        rates: dict[Label, float] = {
            "male": men * (1 - neither),
            "female": (1 - men) * (1 - neither),
            "neither": neither,
        }
        male, female = (
            sum(rate * seen[shown][label] for shown, rate in rates.items())
            for label in LABEL_OF_GRAMMAR.values()
        )
        return (male if own == "male" else female) / (male + female)

    found = {}
    for grammar, direction in zip(GRAMMARS, (1, -1), strict=True):
        own = LABEL_OF_GRAMMAR[grammar]
        if neither < 1:
            found[headline_name(grammar)] = share(base + direction * effect, own) - share(base, own)
    return found


def _vote_shares(shown: Label, judges: Sequence[Identity]) -> dict[Label, float]:
    """How often the judges together give each label to an image that shows this."""
    shares = dict.fromkeys(LABELS, 0.0)
    for votes in product(LABELS, repeat=len(judges)):
        label = majority_vote(votes).label
        assert label is not None, "every judge votes"
        shares[label] += math.prod(
            _answer_rate(judge, shown, vote) for judge, vote in zip(judges, votes, strict=True)
        )
    return shares


def _answer_rate(judge: Identity, shown: str, said: str) -> float:
    """How often one judge says this of an image that shows that: see docs/suites/gramvis.md."""
    error, undecided = _rate(judge, "error"), _rate(judge, "undecided")
    if shown == said:
        decided = 1 - error
    elif "neither" not in (shown, said):
        decided = error
    else:
        decided = error / 2 if shown == "neither" else 0.0
    return (1 - undecided) * decided + (undecided if said == "neither" else 0.0)


def _rate(identity: Identity, name: str) -> float:
    return float(identity.key[name])
