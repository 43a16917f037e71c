"""Tokens laid along a text, however a server spells them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import ByteLevelBPETokenizer

from epicene.models.openai.token_alignment import align_tokens

Spell: TypeAlias = Callable[[bytes], str]

TEXTS = [
    "The teacher said she was tired.",
    "La maîtresse était fatiguée, n’est-ce pas ?",
    "المعلمة متعبة جدا وهي في البيت",
    "مُعَلِّمَةٌ",
    "वह थकी हुई है और घर जा रही है।",
    "Учительница устала",
    "老师累了。",
    "A 👩‍🏫 sings 🎶, naïve café",
    "  two  spaces\n\nand lines\t",
    "a replacement � in the text",
]


def by_replacement(data: bytes) -> str:
    return data.decode(errors="replace")


def by_leaving_out(data: bytes) -> str:
    return data.decode(errors="ignore")


def by_bytes(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{byte:02x}" for byte in data)


def spans(text: str, tokens: list[str]) -> list[tuple[int, int]]:
    found = align_tokens(text, tokens)
    assert found is not None, tokens
    return [(start, end) for start, end, _ in found]


def near(found: list[tuple[int, int]], expected: list[tuple[int, int]]) -> bool:
    """Whether no edge is off by more than one character."""
    pairs = zip(found, expected, strict=True)
    return all(abs(s - t) <= 1 and abs(e - u) <= 1 for (s, e), (t, u) in pairs)


def pieces(text: str, cuts: list[int]) -> tuple[list[bytes], list[tuple[int, int]]]:
    """The text's bytes cut at these places, and by counting the characters each piece touches."""
    data = text.encode()
    edges = sorted({0, len(data), *(cut % len(data) for cut in cuts)})
    owner = [i for i, character in enumerate(text) for _ in character.encode()]
    found = [(start, end) for start, end in itertools.pairwise(edges)]
    return [data[s:e] for s, e in found], [(owner[s], owner[e - 1] + 1) for s, e in found]


@given(text=st.text(min_size=1, max_size=30), cuts=st.lists(st.integers(0, 200), max_size=20))
def test_exact_bytes_give_exact_spans(text: str, cuts: list[int]) -> None:
    if "bytes:" in text:
        return
    parts, expected = pieces(text, cuts)
    assert spans(text, [by_bytes(part) for part in parts]) == expected


@given(text=st.text(min_size=1, max_size=30), cuts=st.lists(st.integers(0, 200), max_size=20))
def test_any_text_cut_between_characters(text: str, cuts: list[int]) -> None:
    edges = sorted({0, len(text), *(cut % len(text) for cut in cuts)})
    expected = list(itertools.pairwise(edges))
    assert spans(text, [text[s:e] for s, e in expected]) == expected


@settings(deadline=None)
@given(text=st.sampled_from(TEXTS[:-1]), cuts=st.lists(st.integers(0, 200), max_size=30))
@pytest.mark.parametrize("spell", [by_replacement, by_leaving_out])
def test_lost_bytes_leave_no_character_out(spell: Spell, text: str, cuts: list[int]) -> None:
    """Where bytes are lost, so is the place of a cut among them, but by no more than that."""
    parts, expected = pieces(text, cuts)
    found = spans(text, [spell(part) for part in parts])
    assert {i for span in found for i in range(*span)} == set(range(len(text)))
    if spell is by_replacement:
        assert near(found, expected)


@pytest.fixture(scope="module")
def tokenizer() -> ByteLevelBPETokenizer:
    """A byte-level tokenizer of the usual make, which cuts inside characters of other scripts."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(TEXTS * 3, vocab_size=330, show_progress=False)
    return trained


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("spell", [by_replacement, by_leaving_out, by_bytes])
@pytest.mark.parametrize("bos", ["", "<|begin_of_text|>", "<s>"])
def test_a_real_tokenizers_tokens_have_its_own_offsets(
    tokenizer: ByteLevelBPETokenizer, text: str, spell: Spell, bos: str
) -> None:
    """The tokenizer's offsets are the independent truth."""
    encoding = tokenizer.encode(text)
    data, tokens, at = text.encode(), [], 0
    for piece in encoding.tokens:  # one sign for each byte
        tokens.append(spell(data[at : at + len(piece)]))
        at += len(piece)
    found = align_tokens(text, [bos, *tokens] if bos else tokens)
    assert found is not None
    if bos:
        assert found[0] == (0, 0, True)
    own = [(span.start, span.end) for span in found[bool(bos) :]]
    # Where nothing tells how many bytes were lost, a cut may fall a character off.
    unsure = spell is by_leaving_out or (
        spell is by_replacement and "\N{ZERO WIDTH JOINER}" in text
    )
    assert near(own, encoding.offsets) if unsure else own == encoding.offsets


@pytest.mark.parametrize("text", [text for text in TEXTS if "\N{ZERO WIDTH JOINER}" not in text])
def test_single_decoding_of_tokens_as_servers_do_it(
    tokenizer: ByteLevelBPETokenizer, text: str
) -> None:
    encoding = tokenizer.encode(text)
    assert spans(text, [tokenizer.decode([token]) for token in encoding.ids]) == encoding.offsets


def test_the_whole_character_may_come_with_its_last_token() -> None:
    assert spans("aक b", ["a", "", "", "क", " b"]) == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 4)]


def test_spaces_a_server_hides_or_adds() -> None:
    assert spans("He is", ["He", "is"]) == [(0, 2), (2, 5)]
    assert spans("He is", [" He", " is"]) == [(0, 2), (2, 5)]
    assert spans("He is", ["▁He", "▁is"]) == [(0, 2), (2, 5)]
    assert spans("a ▁ b", ["a", " ▁", " b"]) == [(0, 1), (1, 3), (3, 5)]


def test_a_beginning_token_that_is_part_of_the_text_is_not_silent() -> None:
    found = align_tokens("<s> said", ["<s>", " said"])
    assert found == [(0, 3, False), (3, 8, False)]


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        ["He", " was"],
        ["He", " is", " tired"],
        ["He"],
        ["is"],
        ["<s>", "<s>", "He", " is"],
        ["h", "e", " is"],
    ],
)
def test_tokens_that_do_not_spell_the_text(tokens: list[str]) -> None:
    assert align_tokens("He is", tokens) is None
