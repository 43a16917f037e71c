"""English: a text rewritten with other pronouns, its verbs agreeing.

`neutralise` and `rewrite` give the text and every change; `frame` gives the places themselves,
which any set can fill, so that candidates differ in nothing else.
"""

from __future__ import annotations

from epicene.languages.rewriting.english.reading import RulesRoute
from epicene.languages.pronouns import shipped
from epicene.languages.rewriting.english.mentions import forms_of
from epicene.languages.rewriting.english.framing import frames


def neutralise(text, route=RulesRoute()):
    s = shipped()
    src = [s["he"], s["she"], s["xe"]]
    return next(frames([text], forms_of(src), forms_of([*src, s["they"]]), route)).rewriting(s["they"])
