"""Tiny causal models with random weights, and tokenizers trained here, so nothing is downloaded.

Weights are drawn wide: predictions are far from even, so a wrong position or mask shows.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from epicene.core.records import Answer, Identity, Request
from epicene.models import ModelOptions
from epicene.models.hf.causal import HfCausal
from epicene.models.hf.loading import LoadedModel
from models.model_answers import batch_answers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CORPUS = [
    "the nurse said that she was tired and the doctor said that he was late",
    "la maîtresse est arrivée, le maître est arrivé",
    "लड़की ने किताब पढ़ी और लड़का सोया",
    "كتبت الطالبة الدرس",
    "a b c a b she he they her him them",
]

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content']"
    " + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
# As SmolLM2's: a system prompt of its own where none is given.
OWN_SYSTEM = (
    "{% if messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are tiny.<|im_end|>\n' }}{% endif %}" + CHATML
)
# As Gemma 2's: a system turn is an error.
NO_SYSTEM = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{{ '[' + message['role'] + '] ' + message['content'] + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '[model] ' }}{% endif %}"
)

LONGEST = 64


@cache
def byte_level(
    *, bos: str | None, eos: str | None, adds: bool = False, trim: bool = True, template: str = ""
) -> Any:
    """As GPT-2's, Llama 3's, SmolLM2's: pieces of bytes, the space in front of the word."""
    special = list(dict.fromkeys(token for token in (bos, eos) if token))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=360,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    offsets = processors.ByteLevel(trim_offsets=trim)
    if adds and bos:
        opening = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, tokenizer.token_to_id(bos))]
        )
        tokenizer.post_processor = processors.Sequence([offsets, opening])
    else:
        tokenizer.post_processor = offsets
    return _wrapped(tokenizer, bos, eos, template)


@cache
def metaspace(*, bos: str = "<s>", eos: str = "</s>", adds: bool = True, template: str = "") -> Any:
    """As Llama 2's and Gemma's: "▁" for the space, bytes for letters it does not know."""
    trained = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    trained.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(content=" ", left=1, right=0),
        ]
    )
    trained.train_from_iterator(
        [line for line in CORPUS if line.isascii()],
        trainers.BpeTrainer(special_tokens=["<unk>", bos, eos], show_progress=False),
    )
    state = json.loads(trained.to_str())
    vocabulary = state["model"]["vocab"]
    vocabulary |= {f"<0x{byte:02X}>": len(vocabulary) + byte for byte in range(256)}
    tokenizer = Tokenizer.from_str(json.dumps(state))
    if adds:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, tokenizer.token_to_id(bos))]
        )
    return _wrapped(tokenizer, bos, eos, template)


def _wrapped(tokenizer: Tokenizer, bos: str | None, eos: str | None, template: str) -> Any:
    from transformers import PreTrainedTokenizerFast

    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, eos_token=eos)
    wrapped.chat_template = template or None
    return wrapped


def gpt2_like(**settings: Any) -> Any:
    """One special token for both ends, put nowhere by default."""
    return byte_level(bos="<|endoftext|>", eos="<|endoftext|>", **settings)


def smollm2_like(template: str = OWN_SYSTEM, **settings: Any) -> Any:
    """A beginning token that is not put there by default, and a chat template."""
    return byte_level(bos="<|im_start|>", eos="<|im_end|>", template=template, **settings)


@cache
def llama(vocabulary: int = 360, seed: int = 0) -> Any:
    """A Llama of two layers that groups its queries, as the large ones do."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=LONGEST,
        initializer_range=0.25,
        bos_token_id=None,
        eos_token_id=None,
    )
    return LlamaForCausalLM(config).eval()


@cache
def gpt2(vocabulary: int = 360, seed: int = 0) -> Any:
    """A GPT-2 of two layers: learnt positions, tied embeddings."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=vocabulary,
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=LONGEST,
        initializer_range=0.25,
        bos_token_id=None,
        eos_token_id=None,
    )
    return GPT2LMHeadModel(config).eval()


def causal(model: Any, tokenizer: Any, options: ModelOptions | None = None) -> HfCausal:
    """The model under test, without the files; a copy, since opening one changes its settings."""
    import torch

    identity = Identity(kind="hf", label="tiny", key={})
    return HfCausal(
        LoadedModel(
            deepcopy(model), tokenizer, torch.device("cpu"), identity, options or ModelOptions()
        )
    )


def save(folder: Path, model: Any, tokenizer: Any) -> Path:
    """A model folder as people have them."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def ask(model: HfCausal, requests: Sequence[Request]) -> list[Answer]:
    """The answers to one batch."""
    return batch_answers(model, *requests)
