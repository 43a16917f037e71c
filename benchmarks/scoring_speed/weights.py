"""Models with random weights, saved so that every contender loads the same."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.records import digest
from epicene.models.hf.checkpoint import quiet_transformers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring_speed.texts import Kind

# No text holds it: minicons counts a context's tokens without the padding ones.
_PADDING = "<|endoftext|>"


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

    A causal model gets the tokenizer of that folder, a masked one a small tokenizer of its own,
    trained on the sentences: what costs is the model's vocabulary.
    """
    import torch

    transformers = quiet_transformers()
    if shape.kind == "causal":
        reader = transformers.AutoTokenizer.from_pretrained(tokenizer)
        reader.pad_token = _PADDING
        configuration, maker = transformers.LlamaConfig, transformers.AutoModelForCausalLM
    else:
        reader = _pieces(sentences)
        configuration, maker = transformers.XLMRobertaConfig, transformers.AutoModelForMaskedLM
    made_of = digest(shape, reader.backend_tokenizer.to_str(), transformers.__version__)
    folder = into / f"{shape.name}-{made_of.hex()[:8]}"
    if folder.exists():
        return folder
    special = {f"{name}_token_id": getattr(reader, f"{name}_token_id") for name in _NAMED}
    torch.manual_seed(0)
    with torch.device(device):
        config = configuration(**shape.settings, **special)
        model = maker.from_config(config, dtype=getattr(torch, shape.dtype))
    with TemporaryDirectory(dir=into) as scratch:
        making = Path(scratch) / folder.name
        model.save_pretrained(making)
        reader.save_pretrained(making)
        making.rename(folder)
    return folder


_NAMED = ("bos", "eos", "pad")


def _pieces(sentences: Iterable[str]) -> Any:
    """A tokenizer that treats a text as XLM-R's does, with 1.4 tokens to a Hindi word."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.BPE(unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.train_from_iterator(
        sentences,
        trainers.BpeTrainer(
            vocab_size=600,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
            show_progress=False,
        ),
    )
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
