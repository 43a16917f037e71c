"""The rewriting of the misgendering paper, including its bugs; only for the protocol `paper`.

It pluralises verbs by their ending (uses → us, dies → dy), leaves a "her" whose dependency it does
not know, and treats the token "binary" as a pronoun. This behaviour follows the authors' public
code; the pipeline's own tokens and parse decide, so the pipeline is part of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import regex

from epicene.core.errors import InputError
from epicene.languages.pronouns import CASES, Case, PronounSet
from epicene.rewriting.english.frames import match_case
from epicene.rewriting.english.line import read_line
from epicene.rewriting.english.number import means_has

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

if TYPE_CHECKING:
    # Of the texts with "they've" and with "they're", the better one.
    Choose = Callable[[str, str], str]

# --- the string rules -------------------------------------------------------------------------

_IRREGULAR = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "goes": "go",
    "quizzes": "quiz",
}
_IRREGULAR_BACK = {plural: singular for singular, plural in _IRREGULAR.items()}
_SIBILANTS = ("s", "z", "x", "ch", "sh")


def pluralize(verb: str) -> str:
    """The verb without its ending: tries → try, passes → pass, runs → run; uses → us, dies → dy."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(tuple(ending + "es" for ending in _SIBILANTS)):
        return verb[:-2]
    return verb.removesuffix("s")


def singularize(verb: str) -> str:
    """The verb with an ending: try → tries, pass → passes; play → plaies, running → runnings."""
    if verb in _IRREGULAR_BACK:
        return _IRREGULAR_BACK[verb]
    if verb.endswith("y"):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(_SIBILANTS) else "s")


# --- the choice between "is" and "has" ----------------------------------------------------------


def choose_by_rule(have: str, are: str) -> str:
    """Our own rule, in place of the GPT-2 perplexity that the paper's code uses."""
    line = read_line(have)
    first = next(at for at, (one, other) in enumerate(zip(have, are, strict=True)) if one != other)
    clitic = next(at for at, token in enumerate(line.tokens) if token.start <= first < token.end)
    has, _ = means_has(line, clitic)
    return have if has else are


# --- the rewriting ------------------------------------------------------------------------------

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"obj", "iobj", "pobj", "dobj", "dative"})
_TO_THEY = {
    "he": "they",
    "she": "they",
    "him": "them",
    "hers": "theirs",
    "himself": "themself",
    "herself": "themself",
}
# Subjects, whose verbs are inflected, and forms that stand for several cases.
_NEED_PARSE = frozenset({"he", "she", "her", "his"})
# The table of pronouns has a column with the type of each set, and it is searched too.
_TYPES = frozenset({"binary", "non-binary"})


class Template:
    """A text with one or more slots for a form, each given by its case and its capitals."""

    def __init__(self, parts: Sequence[str | tuple[Case, str]]) -> None:
        self.parts = tuple(parts)

    def fill(self, to: PronounSet) -> str:
        """The text with that set's forms."""
        return "".join(
            part if isinstance(part, str) else match_case(part[1], to.form(part[0]))
            for part in self.parts
        )


class PaperRules:
    """The published conversion of a continuation into one candidate per set.

    `sets` are he, she, they and xe in the forms of the dataset; `nlp` is a spaCy pipeline that tags
    and parses.
    """

    def __init__(
        self, nlp: Any, sets: Mapping[str, PronounSet], choose: Choose = choose_by_rule
    ) -> None:
        self.nlp = nlp
        self.sets = sets
        self.choose = choose
        self._forms = frozenset(form for each in sets.values() for form in each.forms)

    def candidates(self, continuation: str) -> dict[str, str] | None:
        """The continuation with each set, by name; None where it yields no template."""
        text = self.truncate(continuation)
        if not any(token.lower_ in self._forms for token in self.nlp.make_doc(text)):
            return None
        try:
            neutral = self.neutralise(self.without_xe(text))
        except InputError:
            return None
        template = self.template(neutral)
        if template is None:
            return None
        return {
            name: neutral if name == "they" else template.fill(each)
            for name, each in self.sets.items()
        }

    def truncate(self, text: str) -> str:
        """The text up to its second pronoun, where "binary" counts as one."""
        seen = 0
        for token in self.nlp.make_doc(text):
            seen += token.lower_ in self._forms or token.lower_ in _TYPES
            if seen == 2:
                return text[: token.idx]
        return text

    def without_xe(self, text: str) -> str:
        """The text with forms of xe replaced by those of she in the first case that they have."""
        xe, she = self.sets["xe"], self.sets["she"]
        return "".join(
            (match_case(token.text, she.form(cases[0])) if cases else token.text)
            + token.whitespace_
            for token in self.nlp.make_doc(text)
            for cases in [xe.cases(token.lower_)]
        )

    def neutralise(self, text: str) -> str:
        """The text with they for he and she; verbs inflected as far as parse and endings allow."""
        doc = self._read(self._without_contractions(text), _NEED_PARSE)
        verbs = dict(_governed(doc, {"he", "she"}, _pluralized))
        return "".join(
            (verbs.get(token.i) or _to_they(token) or token.text) + token.whitespace_
            for token in doc
        )

    def readings(self, continuation: str) -> tuple[str, str] | None:
        """The texts with they've and with they're between which a contraction makes it choose."""
        try:
            return _readings(self.without_xe(self.truncate(continuation)))
        except InputError:
            return None

    def _without_contractions(self, text: str) -> str:
        """The text with they've or they're for he's and she's, the same for all of one spelling."""
        while readings := _readings(text):
            text = self.choose(*readings)
        return text

    def template(self, text: str) -> Template | None:
        """The template of a neutral text, with a slot for each pronoun; None if it has none."""
        doc = self._read(text, {"they"})
        verbs = dict(_governed(doc, {"they"}, _singularized))
        parts: list[str | tuple[Case, str]] = []
        for token in doc:
            case = self._first_case(token.lower_)
            if case is not None:
                parts.append((case, token.text))
            elif token.text in {"'re", "'ve"}:
                parts.append("'s")
            else:
                parts.append(verbs.get(token.i, token.text))
            parts.append(token.whitespace_)
        return Template(parts) if any(isinstance(part, tuple) for part in parts) else None

    def _read(self, text: str, asking: Collection[str]) -> Any:
        """The text's tokens; parsed, which takes milliseconds, only if a word asks for it."""
        doc = self.nlp.make_doc(text)
        return self.nlp(doc) if any(token.lower_ in asking for token in doc) else doc

    def _first_case(self, form: str) -> Case | None:
        return next(
            (case for case in CASES for each in self.sets.values() if each.form(case) == form),
            None,
        )


_CONTRACTIONS = tuple(
    spelling
    for pronoun in ("he's", "she's")
    for spelling in (pronoun, pronoun.capitalize(), pronoun.upper())
)


def _readings(text: str) -> tuple[str, str] | None:
    """The text with they've and with they're for the first spelling of he's or she's in it."""
    for spelling in _CONTRACTIONS:
        found = regex.compile(rf"\b{spelling}\b")
        if not found.search(text):
            continue
        if text.strip() == spelling:
            raise InputError(f"The published rules cannot neutralise {text!r} alone.")
        have, are = (match_case(spelling, they) for they in ("they've", "they're"))
        return found.sub(have, text), found.sub(are, text)
    return None


def _to_they(token: Any) -> str:
    """The form of they for a form of he or she; "" for other words and for an unresolved "her"."""
    word = token.lower_
    if word == "her":
        solved = "their" if token.dep_ == "poss" else "them" if token.dep_ in _OBJECTS else ""
    elif word == "his":
        solved = "their" if token.head.pos_ == "NOUN" else "theirs"
    else:
        solved = _TO_THEY.get(word, "")
    return match_case(token.text, solved)


def _governed(
    doc: Any, subjects: set[str], inflect: Callable[[Any, bool], str]
) -> Iterator[tuple[int, str]]:
    """The tokens of the verbs of those subjects and their conjuncts, each inflected."""
    verbs = {
        token.head.i
        for token in doc
        if token.lower_ in subjects
        and token.dep_ in _SUBJECTS
        and token.head.pos_ in {"VERB", "AUX"}
    }
    for token in doc:
        if token.dep_ == "conj" and token.head.i in verbs:
            verbs.add(token.i)
    for index in verbs:
        # Any auxiliary below the verb, also one of a clause that is its object.
        auxiliaries = [token for token in doc if token.pos_ == "AUX" and token.head.i == index]
        for token in auxiliaries or [doc[index]]:
            yield token.i, match_case(token.text, inflect(token, bool(auxiliaries)))


def _pluralized(token: Any, auxiliary: bool) -> str:
    verb: str = token.lower_
    if auxiliary:
        return _IRREGULAR.get(verb, verb)
    if "Past" in token.morph.get("Tense"):
        return "were" if verb == "was" else verb
    present = "Pres" in token.morph.get("Tense") or verb.endswith("s")
    return pluralize(verb) if present else verb


def _singularized(token: Any, auxiliary: bool) -> str:
    verb: str = token.lower_
    if auxiliary:
        return _IRREGULAR_BACK.get(verb, verb)
    if "Past" in token.morph.get("Tense"):
        return "was" if verb == "were" else verb
    return singularize(verb) if "Pres" in token.morph.get("Tense") else verb
