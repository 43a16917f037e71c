"""Models with random weights, saved so that every contender loads the same."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models.hf.sources import quiet_transformers

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from contest.texts import Kind

# No text holds it: minicons counts a context's tokens without the padding ones.
_PADDING = "<|endoftext|>"
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_PIECES = 4000


class Shape(NamedTuple):
    """A model's configuration, and the number format its weights are kept in."""

    name: str
    kind: Kind
    dtype: str
    settings: dict[str, Any]


def llama(name: str, dtype: str, vocabulary: int, **settings: Any) -> Shape:
    """A Llama with tied embeddings."""
    settings |= {"vocab_size": vocabulary, "max_position_embeddings": 8192}
    return Shape(name, "causal", dtype, {**settings, "tie_word_embeddings": True})


def xlmr(name: str, dtype: str, **settings: Any) -> Shape:
    """An XLM-R with its vocabulary of 250,002 words."""
    settings |= {"vocab_size": 250_002, "max_position_embeddings": 514, "type_vocab_size": 1}
    return Shape(name, "masked", dtype, settings)


LLAMA_TINY = llama(
    "llama-tiny", "float32", 49_152, hidden_size=32, intermediate_size=64,
    num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
)  # fmt: skip
LLAMA_135M = llama(
    "llama-135m", "float32", 49_152, hidden_size=576, intermediate_size=1536,
    num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
)  # fmt: skip
LLAMA_1B = llama(
    "llama-1.2b", "bfloat16", 128_256, hidden_size=2048, intermediate_size=8192,
    num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8,
)  # fmt: skip
XLMR_TINY = xlmr(
    "xlmr-tiny", "float32", hidden_size=16, intermediate_size=32,
    num_hidden_layers=2, num_attention_heads=2,
)  # fmt: skip
XLMR_BASE = xlmr("xlmr-base", "float32")


def make(shape: Shape, tokenizer: Path, sentences: Iterable[str], device: str, into: Path) -> Path:
    """The folder of the saved model; one that is there already is taken as it is.

    A causal model gets the tokenizer of that folder, a masked one a tokenizer trained on the
    sentences: its vocabulary is small, but its tokens are as long as XLM-R's, and the model's own
    vocabulary is what counts.
    """
    import torch

    transformers = quiet_transformers()
    folder = into / f"{shape.name}-{shape.dtype}-{transformers.__version__}"
    if (folder / "config.json").exists():
        return folder
    making = into / f"{folder.name}.making"
    shutil.rmtree(making, ignore_errors=True)
    torch.manual_seed(0)
    if shape.kind == "causal":
        read = transformers.AutoTokenizer.from_pretrained(tokenizer)
        read.pad_token = _PADDING
        config = transformers.LlamaConfig(**shape.settings, **_special_ids(read))
        maker = transformers.AutoModelForCausalLM
    else:
        read = _unigrams(sentences)
        config = transformers.XLMRobertaConfig(**shape.settings, **_special_ids(read))
        maker = transformers.AutoModelForMaskedLM
    with torch.device(device):
        model = maker.from_config(config, dtype=getattr(torch, shape.dtype))
    model.save_pretrained(making)
    read.save_pretrained(making)
    making.rename(folder)
    return folder


def _special_ids(tokenizer: Any) -> dict[str, Any]:
    return {f"{name}_token_id": getattr(tokenizer, f"{name}_token_id") for name in _NAMED}


_NAMED = ("bos", "eos", "pad")


def _unigrams(sentences: Iterable[str]) -> Any:
    """A tokenizer as XLM-R's, with fewer pieces."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=_PIECES,
        special_tokens=[*_SPECIAL, "<mask>"],
        unk_token="<unk>",
        show_progress=False,
    )
    backend.train_from_iterator(sentences, trainer)
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=512,
    )
