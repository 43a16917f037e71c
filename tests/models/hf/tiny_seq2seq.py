"""Tiny sequence-to-sequence models with random weights, and their tokenizers, built by hand."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from epicene.core.records import Identity
from epicene.models import ModelOptions
from epicene.models.hf.loading import LoadedModel

if TYPE_CHECKING:
    from pathlib import Path

_LETTERS = "▁abcdefghijklmnopqrstuvwxyz.,:!?ABCDEFGHIJKLMNOPQRSTUVWXYZअआकखहैत"
_SIZES = {
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "max_position_embeddings": 48,
    "init_std": 0.7,
}


@cache
def t5() -> tuple[Any, Any]:
    """T5 with the two prefixes of its configuration: English into French and German."""
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    pieces = [(piece, 0.0) for piece in ("<pad>", "</s>", "<unk>")]
    pieces += [(letter, -4.0) for letter in _LETTERS]
    tokenizer = T5Tokenizer(vocab=pieces, extra_ids=0)
    prefixes = {
        f"translation_en_to_{code}": {"prefix": f"translate English to {name}: "}
        for code, name in (("fr", "French"), ("de", "German"))
    }
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=16,
        d_kv=8,
        d_ff=24,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        initializer_factor=1.5,
        task_specific_params=prefixes,
    )
    return _seeded(T5ForConditionalGeneration, config), tokenizer


@cache
def nllb() -> tuple[Any, Any]:
    """NLLB: the model is M2M100's, the tokenizer its own."""
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer

    pieces = ["<s>", "<pad>", "</s>", "<unk>", *_LETTERS]
    codes = ["eng_Latn", "fra_Latn", "hin_Deva", "arb_Arab", "zho_Hans", "zho_Hant"]
    tokenizer = NllbTokenizer(
        vocab={piece: number for number, piece in enumerate(pieces)},
        merges=[],
        extra_special_tokens=codes,
    )
    config = M2M100Config(
        vocab_size=len(tokenizer),
        decoder_start_token_id=2,
        pad_token_id=1,
        eos_token_id=2,
        **_SIZES,
    )
    return _seeded(M2M100ForConditionalGeneration, config), tokenizer


def marian(folder: Path, *, targets: tuple[str, ...] = ()) -> tuple[Any, Any]:
    """Marian, from English into German or into the targets it has tokens for."""
    import sentencepiece
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    trained = io.BytesIO()
    sentences = ["the teacher said that she is happy.", "he reads a book, and they write."] * 5
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=trained, vocab_size=30, minloglevel=3
    )
    spm = folder / "source.spm"
    spm.write_bytes(trained.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=trained.getvalue())
    pieces = ["</s>", "<unk>", *targets]
    pieces += [processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]
    pieces.append("<pad>")
    vocabulary = folder / "vocab.json"
    vocabulary.write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
    tokenizer = MarianTokenizer(
        str(spm),
        str(spm),
        str(vocabulary),
        source_lang="en",
        target_lang=None if targets else "de",
    )
    config = MarianConfig(
        vocab_size=len(pieces),
        decoder_vocab_size=len(pieces),
        pad_token_id=len(pieces) - 1,
        decoder_start_token_id=len(pieces) - 1,
        eos_token_id=0,
        **_SIZES,
    )
    model = _seeded(MarianMTModel, config)
    model.generation_config.bad_words_ids = [[len(pieces) - 1]]
    return model, tokenizer


def _seeded(kind: Any, config: Any) -> Any:
    import torch

    torch.manual_seed(7)
    return kind(config).eval()


def loaded(model: Any, tokenizer: Any, **options: Any) -> LoadedModel:
    """What loading would give. Settings and tokenizer, which keep state, are its own."""
    import copy

    import torch

    own = copy.copy(model)
    own.generation_config = copy.deepcopy(model.generation_config)
    identity = Identity(kind="hf", label="tiny", key={"weights": type(model).__name__})
    return LoadedModel(
        own, copy.deepcopy(tokenizer), torch.device("cpu"), identity, ModelOptions(**options)
    )
