"""The n-gram model: the smoothing itself, what is left out, and the three verbs."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.errors import InputError, RunError
from epicene.core.records import (
    Answer,
    Completions,
    Decoding,
    Failed,
    Fill,
    Generate,
    Message,
    Score,
    Scores,
    Texts,
)
from epicene.models import Learner, Model, ModelOptions, ngram
from epicene.models.ngram.kneser_ney import (
    END,
    FALLBACK,
    START,
    KneserNey,
    NgramCounts,
    estimate_discounts,
)
from epicene.models.ngram.language_model import Corpus, TrainingText, tokenise
from epicene.models.ngram.model import FOLDS, SuiteNgram, assign_folds
from models.model_answers import answers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from epicene.core.records import Request

OPTIONS = ModelOptions()
Sequences: TypeAlias = "Sequence[Sequence[str]]"

symbols = st.sampled_from("abcd")
sequences = st.lists(st.lists(symbols, max_size=8), min_size=1, max_size=12)
histories = st.lists(st.sampled_from("abcdz"), max_size=5)

TEXTS = {
    "doctor": ["The doctor said that she was tired.", "The doctor said that he was tired."],
    "nurse": ["The nurse said that she was late.", "The nurse said that they were late."],
    "pilot": ["The pilot thought that he was right.", "The pilots thought that they were right."],
    "judge": ["The judge, who was old, said that she was right.", "He said it: 'late'."],
}


def uniform(size: int) -> float:
    return -math.log(size)


def kneser_ney(texts: Sequences, order: int, size: int = 10) -> KneserNey:
    return KneserNey(NgramCounts(((None, text) for text in texts), order), lambda _: uniform(size))


# --- the smoothing -------------------------------------------------------------------------


def test_discounts_by_hand() -> None:
    # Y = 10 / (10 + 2·4) = 5/9
    found = estimate_discounts({1: 10, 2: 4, 3: 2, 4: 1})
    assert found == pytest.approx((5 / 9, 7 / 6, 17 / 9))


@pytest.mark.parametrize(
    "spectrum", [{}, {1: 3, 2: 2, 3: 1}, {1: 1, 2: 2, 3: 9, 4: 1}, {1: 9, 2: 1, 3: 1, 4: 9}]
)
def test_discounts_that_cannot_be_estimated_are_the_usual_ones(spectrum: dict[int, int]) -> None:
    assert estimate_discounts(spectrum) == FALLBACK


def test_a_bigram_model_by_hand() -> None:
    model = kneser_ney(["ab", "ab", "ac"], order=2)
    # Left company: a {start}, b {a}, c {a}, end {b, c}: five in all. The fallback discounts give
    # away (3·½ + 1)/5 = ½, of which each of ten symbols gets a tenth.
    low_b = (1 - 0.5) / 5 + 0.5 / 10
    # After a: b twice, c once; given away (1 + ½)/3.
    assert model.logprob("b", "a") == pytest.approx(math.log((2 - 1) / 3 + 0.5 * low_b))
    assert model.logprob("c", "a") == pytest.approx(math.log((1 - 0.5) / 3 + 0.5 * low_b))
    # After the start, where a stood three times: (3 - 1½)/3, and 1½/3 given away.
    low_a = low_b
    assert model.logprob("a", [START]) == pytest.approx(math.log(0.5 + 0.5 * low_a))
    # Never seen, after something never seen.
    assert model.logprob("x", "y") == pytest.approx(math.log(0.5 / 10))


class Slow:
    """The same model written straight from the definition, with nothing shared or remembered."""

    def __init__(self, texts: Sequences, order: int, size: int) -> None:
        self.order, self.base = order, 1 / size
        padded = [[START, *text, END] for text in texts]
        self.seen = [
            tuple(text[at : at + n])
            for n in range(1, order + 1)
            for text in padded
            for at in range(len(text) - n + 1)
            if n > 1 or at > 0
        ]
        self.counts = {n: self.level(n) for n in range(1, order + 1)}

    def level(self, n: int) -> dict[tuple[str, ...], int]:
        raw = Counter(gram for gram in self.seen if len(gram) == n)
        left = defaultdict(set)
        for gram in self.seen:
            if len(gram) == n + 1:
                left[gram[1:]].add(gram[0])
        whole = n == self.order
        return {g: raw[g] if whole or g[0] == START else len(left[g]) for g in raw}

    def discount(self, n: int, count: int) -> float:
        spectrum = Counter(self.counts[n].values())
        return estimate_discounts(spectrum)[min(count, 3) - 1]

    def probability(self, symbol: str, history: tuple[str, ...]) -> float:
        history = history[max(0, len(history) - self.order + 1) :]
        n = len(history) + 1
        following = {g: c for g, c in self.counts[n].items() if g[:-1] == history}
        lower = self.probability(symbol, history[1:]) if history else self.base
        if not following:
            return lower
        total = sum(following.values())
        own = following.get((*history, symbol), 0)
        left = sum(self.discount(n, c) for c in following.values()) / total
        return (own - self.discount(n, own) if own else 0) / total + left * lower


@settings(max_examples=60, deadline=None)
@given(sequences, st.integers(1, 5), symbols, histories, st.booleans())
def test_equals_the_definition(
    texts: Sequences, order: int, symbol: str, history: list[str], at_start: bool
) -> None:
    before = (START, *history) if at_start else tuple(history)
    fast = kneser_ney(texts, order).logprob(symbol, before)
    assert fast == pytest.approx(math.log(Slow(texts, order, 10).probability(symbol, before)))


def test_equals_the_definition_where_every_discount_is_estimated() -> None:
    draw = random.Random(1)
    forms = "abcdefghijkl"
    texts = [
        [forms[int(12 * draw.random() ** 3)] for _ in range(draw.randint(3, 12))]
        for _ in range(400)
    ]
    counts = NgramCounts(enumerate_folds(texts), 3)
    fast = KneserNey(counts, lambda _: uniform(20))
    for level in range(1, 3):
        assert estimate_discounts(counts.count_of_counts(level, None)) != FALLBACK
        assert estimate_discounts(counts.count_of_counts(level, 1)) != FALLBACK
    less = KneserNey(counts, lambda _: uniform(20), without=1)
    slow = Slow(texts, 3, 20)
    slow_less = Slow([text for number, text in enumerate(texts) if number % 4 != 1], 3, 20)
    for text in texts[:25]:
        before = (START, *text[:-1])
        for ours, theirs in ((fast, slow), (less, slow_less)):
            expected = math.log(theirs.probability(text[-1], before))
            assert ours.logprob(text[-1], before) == pytest.approx(expected)


def enumerate_folds(texts: Sequences) -> list[tuple[int | None, Sequence[str]]]:
    return [(number % 4, text) for number, text in enumerate(texts)]


@settings(deadline=None)
@given(sequences, st.integers(1, 5), histories, st.booleans())
def test_all_probabilities_together_are_one(
    texts: Sequences, order: int, history: list[str], at_start: bool
) -> None:
    alphabet = ["a", "b", "c", "d", "z", END]
    model = kneser_ney(texts, order, size=len(alphabet))
    before = (START, *history) if at_start else tuple(history)
    assert math.fsum(math.exp(model.logprob(s, before)) for s in alphabet) == pytest.approx(1)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2, None]), st.lists(symbols, max_size=8)), min_size=1
    ),
    st.integers(1, 5),
    symbols,
    histories,
)
def test_leaving_a_fold_out_equals_never_having_seen_it(
    texts: list[tuple[int | None, list[str]]], order: int, symbol: str, history: list[str]
) -> None:
    less = KneserNey(NgramCounts(texts, order), lambda _: uniform(10), without=1)
    never = kneser_ney([text for fold, text in texts if fold != 1], order)
    for before in (history, [START, *history]):
        assert less.logprob(symbol, before) == pytest.approx(never.logprob(symbol, before))
    assert less.vocabulary() == never.vocabulary()


# --- words and spelling --------------------------------------------------------------------


def language_model(lines: Sequence[str]) -> Corpus:
    return Corpus([TrainingText(None, tokenise(line)) for line in lines])


def test_vocabulary_and_unknown_words_share_one() -> None:
    model = language_model([line for lines in TEXTS.values() for line in lines]).without(None)
    unknown = 1 - math.fsum(
        math.exp(model.spelling_logprob(form)) for form in model.vocabulary if form != END
    )
    for history in ([], [START], [START, "The"], ["said", "that"], ["a", "zebra"]):
        known = math.fsum(math.exp(model.logprob(form, history)) for form in model.vocabulary)
        left = math.prod(seen.left for seen in model.words.seen(history))
        assert known + left * unknown == pytest.approx(1)
        following = model.following(history)
        assert following.forms == model.vocabulary
        for form, p in zip(*following, strict=True):
            assert p == pytest.approx(math.exp(model.logprob(form, history)))


def test_every_character_has_its_share() -> None:
    model = language_model(["la la lo"]).without(None)
    for history in ([START], [START, "l"], ["x"]):
        seen = ["l", "a", "o", END]
        known = math.fsum(math.exp(model.characters.logprob(c, history)) for c in seen)
        others = 0x110000 + 1 - len(seen)
        assert known + others * math.exp(model.characters.logprob("ж", history)) == pytest.approx(1)


def test_an_unknown_word_is_likelier_the_more_it_is_spelt_like_known_ones() -> None:
    model = language_model([line for lines in TEXTS.values() for line in lines]).without(None)
    like, unlike = (model.logprob(form, ["The"]) for form in ("doctors", "qzxkjwv"))
    assert like > unlike + 10


def test_a_very_long_unknown_word_has_a_finite_score() -> None:
    model = language_model(["a b c"]).without(None)
    assert -math.inf < model.logprob("字" * 5000, ["a"]) < -10_000


def test_words_are_joined_as_the_texts_that_count_were_written() -> None:
    spaced = [TrainingText(0, tokenise("wait … wait")), TrainingText(1, tokenise("a, b"))]
    close = [TrainingText(2, tokenise("wait… stop… go…"))]
    corpus = Corpus([*spaced, *close])
    forms = ["wait", "…", "wait"]
    assert corpus.without(None).spacing.join("", [], forms) == "wait… wait"
    assert corpus.without(2).spacing.join("", [], forms) == "wait … wait"
    assert corpus.without(2).spacing.join("a", ["a"], [",", "b"]) == ", b"
    assert corpus.without(2).spacing.join("a ", ["a"], ["b"]) == "b"


# --- the model -----------------------------------------------------------------------------


def ask(model: Model, request: Request) -> Answer:
    return answers(model, request)[0]


def scores(model: Model, request: Score) -> Scores:
    answer = ask(model, request)
    assert isinstance(answer, Scores), answer
    return answer


def learnt(texts: dict[str, list[str]]) -> SuiteNgram:
    model = SuiteNgram(OPTIONS)
    model.learn((group, text) for group, each in texts.items() for text in each)
    return model


@pytest.fixture
def model(tmp_path: Path) -> Model:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(line for lines in TEXTS.values() for line in lines), "utf-8")
    return ngram.open(str(path), OPTIONS)


def test_scores_words_and_marks_with_offsets(model: Model) -> None:
    text = "The nurse said it: late."
    (found,) = scores(model, Score(item="i", texts=(text,), language="en")).texts
    starts_ends = list(zip(found.starts, found.ends, strict=True))
    assert [text[a:b] for a, b in starts_ends] == [
        "The",
        " nurse",
        " said",
        " it",
        ":",
        " late",
        ".",
    ]
    assert found.words == 5
    assert found.characters == len(text)


def test_the_context_is_conditioned_on_and_not_counted(model: Model) -> None:
    whole = scores(model, Score(item="i", texts=("The nurse said that she was late.",))).texts[0]
    rest = scores(model, Score(item="i", context="The nurse said", texts=(" that she was late.",)))
    assert rest.texts[0].logprobs == whole.logprobs[3:]
    assert rest.texts[0].starts[0] == 0
    chat = (Message(role="user", content="The nurse said"),)
    spoken = scores(model, Score(item="i", context=chat, texts=("that she was late.",)))
    assert spoken.texts[0].logprobs == whole.logprobs[3:]


def test_a_word_astride_the_boundary_belongs_to_the_text(model: Model) -> None:
    whole = scores(model, Score(item="i", texts=("The nurse was",))).texts[0]
    split = scores(model, Score(item="i", context="The nur", texts=("se was",))).texts[0]
    assert split.logprobs == whole.logprobs[1:]
    assert split.starts == (0, 2)


def test_first_token_policies(model: Model) -> None:
    def asked(policy: str) -> Scores:
        return scores(
            model,
            Score(item="i", texts=("He said",), first_token=policy),  # type: ignore[arg-type]
        )

    assert asked("bos") == asked("tokenizer-default")
    assert asked("bos").conditioned_on == "start"
    assert asked("none").conditioned_on == ""
    assert asked("none").texts[0].logprobs[0] is None
    # "He said" stood at a start, and "said" after "He" only there.
    assert asked("none").texts[0].logprobs[1] is not None


def test_a_pair_that_differs_only_in_an_unscored_word_is_refused(model: Model) -> None:
    for texts in (("He was late", "She was late"), ("He", "was late")):
        answer = ask(model, Score(item="i", texts=texts, first_token="none"))
        assert isinstance(answer, Failed)
        assert "'none'" in answer.reason
    assert isinstance(
        ask(model, Score(item="i", texts=("He was late", "She was ill"), first_token="none")),
        Scores,
    )


def test_a_text_without_a_word_fails(model: Model) -> None:
    for text in ("", "  "):
        assert isinstance(ask(model, Score(item="i", texts=(text,))), Failed)


def test_a_gap_is_filled_from_the_choices_with_what_follows(model: Model) -> None:
    request = Fill(
        item="i", before="The doctor said that ", after=" was tired.", choices=("they", "she")
    )
    answer = ask(model, request)
    assert isinstance(answer, Completions)
    she, they = answer.completions
    assert she.text == "she"
    full = "The doctor said that she was tired."
    (whole,) = scores(model, Score(item="i", texts=(full,))).texts
    assert she.logprob == whole.logprobs[4]
    assert she.with_after == pytest.approx(sum(p for p in whole.logprobs[4:] if p), abs=1e-4)
    assert they.with_after is not None
    assert they.with_after < they.logprob


def test_an_empty_choice_is_certain_until_what_follows_is_counted(model: Model) -> None:
    request = Fill(item="i", before="The doctor", after=" said that", choices=(" said", ""))
    answer = ask(model, request)
    assert isinstance(answer, Completions)
    empty, _ = answer.completions
    assert (empty.text, empty.tokens, empty.logprob) == ("", 0, 0.0)
    (rest,) = scores(model, Score(item="i", context="The doctor", texts=(" said that",))).texts
    assert empty.with_after == pytest.approx(rest.sum, abs=1e-4)


def test_a_choice_that_melts_into_its_neighbour_takes_the_whole_word(model: Model) -> None:
    answer = ask(model, Fill(item="i", before="The do", after="or said", choices=("ct",)))
    assert isinstance(answer, Completions)
    (whole,) = scores(model, Score(item="i", texts=("The doctor",))).texts
    assert answer.completions[0].logprob == whole.logprobs[1]


def test_an_open_gap_gives_the_best_words_of_all(model: Model) -> None:
    answer = ask(model, Fill(item="i", before="The doctor said that", after=" was", top=5))
    assert isinstance(answer, Completions)
    found = [c.text for c in answer.completions]
    assert set(found[:2]) == {" she", " he"}
    assert len(found) == 5
    vocabulary = {t.form for lines in TEXTS.values() for line in lines for t in tokenise(line)}
    asked = Fill(
        item="i", before="The doctor said that ", after=" was", choices=tuple(sorted(vocabulary))
    )
    every = ask(model, asked)
    assert isinstance(every, Completions)
    best = [c.logprob for c in every.completions if c.tokens == 1][:5]
    assert [c.logprob for c in answer.completions] == best


def test_gaps_of_two_words_are_ranked_apart(model: Model) -> None:
    answer = ask(model, Fill(item="i", before="The doctor said that ", max_tokens=2, top=3))
    assert isinstance(answer, Completions)
    assert [c.tokens for c in answer.completions] == [1, 1, 1, 2, 2, 2]
    assert {"she was", "he was"} <= {c.text for c in answer.completions}
    for completion in answer.completions:
        (whole,) = scores(
            model, Score(item="i", texts=(completion.text,), context="The doctor said that ")
        ).texts
        assert completion.logprob == pytest.approx(whole.sum, abs=1e-4)


def generated(model: Model, prompt: str, samples: int = 1, **how: object) -> Texts:
    decoding = Decoding(**how)  # type: ignore[arg-type]
    answer = ask(model, Generate(item="i", prompt=prompt, samples=samples, decoding=decoding))
    assert isinstance(answer, Texts), answer
    return answer


def test_greedy_generation_takes_the_likeliest_word_and_writes_it_as_it_was_written(
    model: Model,
) -> None:
    (first, second) = generated(model, "The judge", samples=2).texts
    assert first == second
    assert first.text.startswith(", who was old, said that she was ")
    assert first.text.endswith(".")
    assert first.finish == "stop"


def test_generation_keeps_to_its_length(model: Model) -> None:
    (short,) = generated(model, "The judge", max_new_tokens=3).texts
    assert (short.text, short.finish, short.tokens) == (", who was", "length", 3)
    (exact,) = generated(model, "The judge", max_new_tokens=40, exact_length=True).texts
    assert (exact.tokens, exact.finish) == (40, "length")


def test_generation_stops_before_a_stop_string(model: Model) -> None:
    (text,) = generated(model, "The judge", stop=(" old",)).texts
    assert (text.text, text.finish) == (", who was", "stop")


def test_sampling_follows_the_probabilities(model: Model) -> None:
    drawn = generated(
        model, "The doctor said that", samples=2000, temperature=None, max_new_tokens=1
    )
    assert drawn.temperature == 1.0
    counts = Counter(text.text for text in drawn.texts)
    answer = ask(model, Fill(item="i", before="The doctor said that", top=3))
    assert isinstance(answer, Completions)
    known = 1 - counts[""] / 2000  # the end of the text is drawn too
    for completion in answer.completions:
        share = counts[completion.text] / 2000
        expected = math.exp(completion.logprob)
        # Words never seen are not drawn, so what is drawn is a little likelier.
        assert known > 0.9
        assert expected - 0.05 < share < expected / known + 0.05


def test_sampling_is_narrowed_by_top_k_and_top_p_and_cooled_by_temperature(model: Model) -> None:
    def kinds(**how: object) -> set[str]:
        drawn = generated(model, "The doctor said that", 300, max_new_tokens=1, **how)
        return {text.text for text in drawn.texts}

    assert kinds(temperature=1.0, top_k=2) == {" she", " he"}
    assert kinds(temperature=1.0, top_p=0.2) <= {" she", " he"}
    assert len(kinds(temperature=1.0)) > len(kinds(temperature=0.3))


def test_each_sample_has_its_own_noise_and_keeps_it(model: Model) -> None:
    three = generated(model, "The", samples=3, temperature=1.0).texts
    assert len(set(three)) > 1
    assert three == generated(model, "The", samples=3, temperature=1.0).texts


# --- learning from the suite's own text ----------------------------------------------------


def test_only_the_one_that_learns_is_a_learner(model: Model) -> None:
    assert isinstance(SuiteNgram(OPTIONS), Learner)
    assert not isinstance(model, Learner)


def requests(group: str) -> list[Request]:
    own = TEXTS[group]
    return [
        Score(item="x", group=group, texts=tuple(own)),
        Fill(item="x", group=group, before="The pilot said", top=6, max_tokens=2),
        Fill(item="x", group=group, before="The ", after=" said", choices=("nurse", "cook")),
        Generate(
            item="x", group=group, prompt="The", samples=4, decoding=Decoding(temperature=1.0)
        ),
    ]


@pytest.mark.parametrize("group", TEXTS)
def test_a_group_is_answered_as_if_its_text_had_never_been_seen(group: str) -> None:
    model = learnt(TEXTS)
    never = learnt({other: texts for other, texts in TEXTS.items() if other != group})
    for request in requests(group):
        assert ask(model, request) == ask(never, request)
    known = Score(item="x", group="someone else", texts=tuple(TEXTS[group]))
    own = Score(item="x", group=group, texts=tuple(TEXTS[group]))
    for with_itself, without in zip(
        scores(model, known).texts, scores(model, own).texts, strict=True
    ):
        assert without.sum < with_itself.sum


def test_many_groups_are_left_out_fold_by_fold() -> None:
    texts = {f"g{i}": [f"word{i} stands before word{i + 1} ."] for i in range(35)}
    model = learnt(texts)
    fold = assign_folds(texts)
    assert Counter(fold.values()) == {f: 4 if f < 5 else 3 for f in range(FOLDS)}
    never = learnt({group: each for group, each in texts.items() if fold[group] != fold["g7"]})
    request = Score(item="g7", texts=("word7 stands before word8 .",))
    assert scores(model, request) == scores(never, request)


def test_the_item_replaces_a_missing_group_and_unknown_groups_are_counted() -> None:
    model = learnt(TEXTS)
    by_group = Score(item="x", group="nurse", texts=("The nurse",))
    by_item = Score(item="nurse", texts=("The nurse",))
    assert scores(model, by_group) == scores(model, by_item)
    assert model.notes() == {"groups_without_text": 0}
    ask(model, Score(item="stranger", texts=("The nurse",)))
    assert model.notes() == {"groups_without_text": 1}


def test_with_a_single_group_nothing_is_known_but_all_is_finite() -> None:
    model = learnt({"one": ["The doctor left."]})
    (text,) = scores(model, Score(item="one", texts=("The doctor left.",))).texts
    assert all(p is not None and math.isfinite(p) for p in text.logprobs)
    assert isinstance(ask(model, Generate(item="one", prompt="The")), Failed)
    assert isinstance(ask(model, Fill(item="one", before="The")), Failed)


def test_the_identity_is_the_training_text() -> None:
    once, again = learnt(TEXTS), learnt(TEXTS)
    assert once.identity == again.identity
    assert once.identity.label == "ngram"
    other = learnt({**TEXTS, "doctor": ["Another text."]})
    regrouped = learnt({"all": [line for lines in TEXTS.values() for line in lines]})
    digests = {model.identity.digest for model in (once, other, regrouped)}
    assert len(digests) == 3
    with pytest.raises(RunError, match="ngram:FILE"):
        _ = SuiteNgram(OPTIONS).identity


def test_no_training_text_is_an_error() -> None:
    with pytest.raises(InputError, match="ngram:FILE"):
        SuiteNgram(OPTIONS).learn([("g", "  ")])


def test_bad_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.txt"):
        ngram.open(str(tmp_path / "missing.txt"), OPTIONS)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("prêt".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.txt, line 1, is not UTF-8 \(byte 3 of the line\)"):
        ngram.open(str(latin), OPTIONS)
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n")
    with pytest.raises(InputError, match=r"empty.txt is empty"):
        ngram.open(str(empty), OPTIONS)
    with pytest.raises(InputError, match=tmp_path.name):
        ngram.open(str(tmp_path), OPTIONS)


def test_a_file_is_known_by_its_text_and_not_by_its_name(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("Some text.\n", "utf-8")
    one, two = (ngram.open(str(tmp_path / name), OPTIONS).identity for name in ("a.txt", "b.txt"))
    assert one.digest == two.digest
    assert (one.label, two.label) == ("ngram:a.txt", "ngram:b.txt")
    (tmp_path / "b.txt").write_text("Some other text.\n", "utf-8")
    assert ngram.open(str(tmp_path / "b.txt"), OPTIONS).identity.digest != one.digest


def test_a_temperature_of_next_to_nothing_fails_its_request() -> None:
    """Divided by it, all log-probabilities are infinite."""
    model = SuiteNgram(ModelOptions())
    model.learn([("a", "she was late"), ("b", "he was tired")])
    decoding = Decoding(max_new_tokens=2, temperature=1e-320)
    (answer,) = answers(model, Generate(item="c", prompt="she", decoding=decoding))
    assert isinstance(answer, Failed)
    assert "no word can be sampled at a temperature" in answer.reason
