"""Sentences made by a small grammar, each with its twin in the other number of verbs."""

from __future__ import annotations

from hypothesis import strategies as st

from epicene.rewriting.english import conjugation
from epicene.rewriting.english.lexicon import lexicon

# A sentence for a singular set and the same for they, with the cases as placeholders.
Twin = tuple[str, str]

WORDS = lexicon()
# "They put" and "they found" may be past; be, have and do have their own rules below.
VERBS = sorted(
    WORDS.verbs - WORDS.unchanging - WORDS.irregular - {"be", "have", "do", "like", "better"}
)
SURE = sorted({conjugation.plural_verb(word) for word in WORDS.surely_verbs} & set(VERBS))
ADVERBS = ["", "often ", "never ", "really ", "quietly ", "still "]
OBJECTS = ["the box", "a letter", "{dependent} old car", "it", "{reflexive}", "my friends"]
PLACES = ["", " at night", " in {dependent} room", " with me", " because it is late"]
PEOPLE = ["{accusative}", "{dependent} sister", "a friend of {independent}"]


def _both(text: str) -> Twin:
    return text, text


@st.composite
def present(draw: st.DrawFn) -> Twin:
    """often opens the box"""
    verb = draw(st.sampled_from(VERBS))
    adverb, thing = draw(st.sampled_from(ADVERBS)), draw(st.sampled_from(OBJECTS))
    return f"{adverb}{conjugation.singular_verb(verb)} {thing}", f"{adverb}{verb} {thing}"


@st.composite
def joined(draw: st.DrawFn) -> Twin:
    """opens the box, and never keeps it"""
    one, other = draw(present())
    between = draw(st.sampled_from([" and ", " but ", ", and ", ", then ", " or "]))
    adverb, verb = draw(st.sampled_from(ADVERBS)), draw(st.sampled_from(SURE))
    thing = draw(st.sampled_from(OBJECTS))
    return (
        f"{one}{between}{adverb}{conjugation.singular_verb(verb)} {thing}",
        f"{other}{between}{adverb}{verb} {thing}",
    )


@st.composite
def auxiliary(draw: st.DrawFn) -> Twin:
    """is not afraid of her sister"""
    one, other = draw(st.sampled_from([("is", "are"), ("was", "were")]))
    no = draw(st.sampled_from(["", " not", "n't", " really"]))
    rest = draw(st.sampled_from(["tired", "waiting for {who}", "afraid of {who}", "the best"]))
    rest = rest.format(who=draw(st.sampled_from(PEOPLE)))
    return f"{one}{no} {rest}", f"{other}{no} {rest}"


@st.composite
def perfect(draw: st.DrawFn) -> Twin:
    """hasn't seen it"""
    no = draw(st.sampled_from(["", "n't", " never", " already"]))
    thing = draw(st.sampled_from(OBJECTS))
    return f"has{no} seen {thing}", f"have{no} seen {thing}"


def _unmarked() -> st.SearchStrategy[Twin]:
    finite = ["will see", "could lose", "found", "wanted", "had seen", "'ll take", "'d lost"]
    return st.tuples(st.sampled_from(finite), st.sampled_from(OBJECTS)).map(
        lambda parts: _both(f"{parts[0]} {parts[1]}")
    )


def predicates() -> st.SearchStrategy[Twin]:
    """Whatever may follow the subject."""
    return st.one_of(present(), joined(), auxiliary(), perfect(), _unmarked())


@st.composite
def statements(draw: st.DrawFn) -> Twin:
    """I know that she often opens the box at night."""
    lead = draw(st.sampled_from(["", "I know that ", "Yesterday ", "If ", "Then ", "“No!” Still "]))
    one, other = draw(predicates())
    place = draw(st.sampled_from(PLACES))
    subject = "{nominative}" if lead else "{Nominative}"
    join = "" if one.startswith("'") else " "
    return (f"{lead}{subject}{join}{one}{place}.", f"{lead}{subject}{join}{other}{place}.")


@st.composite
def questions(draw: st.DrawFn) -> Twin:
    """Why doesn't she open the box?"""
    lead = draw(st.sampled_from(["", "Why ", "When ", "And where ", "Nor "]))
    one, other = draw(
        st.sampled_from([("does", "do"), ("doesn't", "don't"), ("is", "are"), ("has", "have")])
    )
    rest = {"is": "waiting for", "has": "seen"}.get(one, draw(st.sampled_from(SURE)))
    thing = draw(st.sampled_from(OBJECTS))
    if not lead:
        one, other = one.capitalize(), other.capitalize()
    return (
        f"{lead}{one} {{nominative}} {rest} {thing}?",
        f"{lead}{other} {{nominative}} {rest} {thing}?",
    )


def phrases() -> st.SearchStrategy[Twin]:
    """Sentences where the person is no subject."""
    return st.sampled_from(
        [
            "I saw {accusative}.",
            "Give {accusative} the key.",
            "Let {accusative} go.",
            "{Dependent} dog barks.",
            "The book is {independent}.",
            "{Independent} was red, and {independent} is here.",
            "We waited for {accusative} with {dependent} mother.",
            "Nobody but {accusative} knows.",
            "It is {independent}, not mine.",
        ]
    ).map(_both)


@st.composite
def texts(draw: st.DrawFn) -> Twin:
    """One to three sentences."""
    parts = draw(st.lists(st.one_of(statements(), questions(), phrases()), min_size=1, max_size=3))
    return " ".join(one for one, _ in parts), " ".join(other for _, other in parts)
