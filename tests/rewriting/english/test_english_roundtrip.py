"""There and back: he → they → he is the identity, and both ways are what the grammar says."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epicene.languages.pronouns import CASES, PronounSet, find_pronoun_set, shipped_pronoun_sets
from epicene.rewriting.english import neutralise, read_frame, rewrite
from epicene.rewriting.english.routes import Route, RulesRoute
from rewriting.english.sentence_grammar import texts

THEY = find_pronoun_set("they")
SINGULAR = [each for each in shipped_pronoun_sets().values() if not each.plural_verbs]
# Their cases cannot be told apart in every sentence of the grammar.
CLEAR = [each for each in SINGULAR if each.name not in {"thon", "ve"}]
RULES = RulesRoute()

# The route is the same for every example.
quick = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
few = settings(quick, max_examples=60)


def filled(text: str, to: PronounSet) -> str:
    """A sentence of the grammar with the forms of a set."""
    forms = {case: to.form(case) for case in CASES}
    return text.format(
        **forms, **{case.capitalize(): form.capitalize() for case, form in forms.items()}
    )


def check(twin: tuple[str, str], to: PronounSet, route: Route) -> None:
    one, other = filled(twin[0], to), filled(twin[1], THEY)
    there = neutralise(one, sources=[to], route=route)
    assert there.text == other
    # Named, since "my friends … them" may be several people.
    assert rewrite(there.text, to, sources=[THEY], route=route).text == one


@quick
@given(texts(), st.sampled_from(CLEAR))
def test_by_rules(twin: tuple[str, str], to: PronounSet) -> None:
    check(twin, to, RULES)


@few
@given(
    texts(),
    st.sampled_from([find_pronoun_set("he"), find_pronoun_set("she"), find_pronoun_set("xe")]),
)
def test_with_a_pipeline(spacy_route: Route, twin: tuple[str, str], to: PronounSet) -> None:
    check(twin, to, spacy_route)


WILD = st.lists(
    st.one_of(
        st.sampled_from(
            [form for each in shipped_pronoun_sets().values() for form in sorted(each.forms)]
            + ["'s", "’re", "n't", "is", "are", "HAS", "Does", "and", ",", '"', "/", "or", "who"]
            + ["sings", "sing", "the", "put", "She's", "theyre", "(", ")", "—", "..."]
        ),
        st.text(max_size=4),
    ),
    max_size=25,
).flatmap(lambda words: st.sampled_from([" ".join(words), "".join(words), "\n".join(words)]))


@quick
@given(WILD, st.sampled_from(sorted(shipped_pronoun_sets().values(), key=lambda each: each.name)))
def test_a_frame_filled_with_its_own_set_is_the_text(text: str, own: PronounSet) -> None:
    slots = read_frame(text, [own], route=RULES)
    single = [slot for slot in slots.slots if slot.sets == (own.name,)]
    if len(single) == len(slots.slots):  # "he/she" has no one set to go back to
        assert slots.fill(own) == text
    assert all(text[slot.start : slot.end] == slot.text for slot in slots.slots)
    # What is between the slots is in every filling.
    for to in SINGULAR[:3]:
        rest = slots.fill(to)
        at = 0
        for slot in slots.slots:
            between = text[at : slot.start]
            assert rest.startswith(between)
            rest = rest[len(between) + len(slot.fill(to)) :]
            at = slot.end
        assert rest == text[at:]


HANDWRITTEN = [
    "He told them he's tired of their jokes and goes home.",
    "If he were here, he'd put it down; he puts it there every day.",
    "HE SAYS HE'S IN, isn't he?",
    "What's he want? Hes gone, I think he's been gone for his own good.",
    "He who laughs last laughs best, he himself says.",
    "“He’s his mother’s son,” says he.",
]


@pytest.mark.parametrize("text", HANDWRITTEN)
def test_through_a_frame_even_what_the_neutral_text_forgets(text: str, route: Route) -> None:
    """ "They told them" has lost who is who; its frame has not."""
    he, she = find_pronoun_set("he"), find_pronoun_set("she")
    slots = read_frame(text, [he], route=route)
    assert slots.fill(THEY) != text
    assert slots.fill(he) == text
    assert read_frame(slots.fill(she), [she], route=route).fill(he) == text


@given(st.text())
def test_text_without_the_forms_is_the_same_text(text: str) -> None:
    if not any(
        form in text.lower() for each in shipped_pronoun_sets().values() for form in each.forms
    ):
        for to in shipped_pronoun_sets().values():
            assert rewrite(text, to, route=RULES).text == text


@given(st.text(alphabet=st.characters(blacklist_categories=["L"]), max_size=200))
def test_text_without_letters_is_the_same_text(text: str) -> None:
    done = neutralise(text, route=RULES)
    assert done.text == text
    assert not done.changes
