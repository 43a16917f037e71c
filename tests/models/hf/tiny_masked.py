"""Tiny masked models with random weights, and tokenizers of the three kinds, all built by hand.

The vocabularies cut Hindi and Arabic words into several tokens, some of them between a letter
and its marks, and the byte-level one inside letters.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tokenizers import pre_tokenizers

from epicene.core.records import Identity
from epicene.models import ModelOptions
from epicene.models.hf.loading import LoadedModel

HINDI = "लड़की ने किताबें पढ़ीं।"
HINDI_WORDS = ("लड़की", "ने", "किताबें", "पढ़ीं")
ARABIC = "كَتَبَتِ الطَّالِبَةُ الدَّرْسَ."
ARABIC_WORDS = ("كَتَبَتِ", "الطَّالِبَةُ", "الدَّرْسَ")
ENGLISH = "the teacher said she is happy."

_LETTERS = sorted({*HINDI, *ARABIC, *"abcdefghijklmnopqrstuvwxyzé'.,!?()-काहैतऔर"} - {" "})
_STARTS = ("लड", "ने", "किता", "पढ", "है", "का", "كَت", "ال", "the", "teach", "she", "he", "is")
_REST = ("़की", "बें", "ीं", "ता", "َبَ", "تِ", "ط", "er", "she", "py", "ap")


@cache
def wordpiece() -> Any:
    """As BERT's."""
    from transformers import BertTokenizer

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *_LETTERS]
    pieces += [f"##{letter}" for letter in _LETTERS]
    pieces += [
        piece for piece in (*_STARTS, *(f"##{rest}" for rest in _REST)) if piece not in pieces
    ]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return BertTokenizer(vocab=vocabulary, do_lower_case=False, strip_accents=False)


@cache
def metaspace() -> Any:
    """As XLM-R's: unigram pieces, a space is "▁" before the word."""
    from transformers import XLMRobertaTokenizer

    scores = dict.fromkeys(("<s>", "<pad>", "</s>", "<unk>"), 0.0)
    scores |= dict.fromkeys((*_LETTERS, "▁"), -6.0)
    scores |= dict.fromkeys(_REST, -5.0)
    scores |= {f"▁{start}": -4.0 - len(start) / 10 for start in _STARTS}
    scores["<mask>"] = 0.0
    return XLMRobertaTokenizer(vocab=list(scores.items()))


@cache
def byte_level() -> Any:
    """As RoBERTa's: pieces of bytes, "Ġ" is the space."""
    from transformers import RobertaTokenizer

    merges = [("à", "¤"), ("à", "¥"), ("à¤", "¹"), ("Ġ", "à¤"), ("h", "e"), ("Ġ", "t")]
    merges += [("Ġt", "he"), ("i", "s"), ("Ġ", "is"), ("Ġ", "Ø"), ("e", "r"), ("Ù", "İ")]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *alphabet, *(a + b for a, b in merges), "<mask>"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return RobertaTokenizer(vocab=vocabulary, merges=merges)


TOKENIZERS = {"wordpiece": wordpiece, "metaspace": metaspace, "byte_level": byte_level}

# Which tokenizer each family comes with, and what its configuration needs beyond the ordinary.
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("wordpiece", {}),
    "xlm-roberta": ("metaspace", {}),
    "roberta": ("byte_level", {}),
    "electra": ("wordpiece", {"embedding_size": 8}),
    "distilbert": ("wordpiece", {"dim": 16, "hidden_dim": 24, "n_heads": 2, "n_layers": 2}),
    "deberta": ("byte_level", {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}),
    "deberta-v2": ("metaspace", {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}),
    "modernbert": ("byte_level", {"local_attention": 8}),
    "albert": ("metaspace", {"embedding_size": 8}),
    "fnet": ("metaspace", {}),  # has no attention, so it sees padding
}


@cache
def model_and_tokenizer(family: str) -> tuple[Any, Any]:
    """A tiny model of a family, the same weights each time."""
    import torch
    from transformers import AutoConfig, AutoModelForMaskedLM

    kind, extra = FAMILIES[family]
    tokenizer = TOKENIZERS[kind]()
    special = {
        f"{name}_token_id": getattr(tokenizer, f"{name}_token_id")
        for name in ("pad", "bos", "eos", "cls", "sep")
    }
    settings = {
        "vocab_size": len(tokenizer),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 24,
        "max_position_embeddings": 80,
        "initializer_range": 0.5,  # far from uniform predictions
        **special,
        **extra,
    }
    torch.manual_seed(sum(map(ord, family)))
    config = AutoConfig.for_model(family, **settings)
    return AutoModelForMaskedLM.from_config(config).eval(), tokenizer


def loaded(family: str, model: Any = None, **options: Any) -> LoadedModel:
    """What loading would give for a tiny model."""
    import torch

    own, tokenizer = model_and_tokenizer(family)
    identity = Identity(kind="hf", label=family, key={"weights": family})
    chosen = own if model is None else model
    return LoadedModel(chosen, tokenizer, torch.device("cpu"), identity, ModelOptions(**options))
