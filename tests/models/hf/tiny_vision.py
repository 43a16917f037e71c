"""Tiny BLIP-2, LLaVA and Qwen-VL models with random weights, as folders that `hf` opens.

Their weights are random but for what makes them say one of three words and then end: the words'
embeddings lie along an axis of their own, which the output reads as the end token.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("male", "female", "neither")
SIDE = 16  # pixels of what BLIP-2 and LLaVA see
QUERIES = 3  # tokens that a picture is to BLIP-2
_HIDDEN = 32
_END, _START = "</s>", "<s>"

# As LLaVA 1.5's: a plain chat.
LLAVA_CHAT = (
    "{% for message in messages %}{{ message['role'].upper() + ': ' }}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}{{ '<image>\n' }}"
    "{% else %}{{ part['text'] + ' ' }}{% endif %}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)
# As Qwen2-VL's: marks around the picture, and a new line before the answer.
QWEN_CHAT = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}"
    "{{ '<|vision_start|><|image_pad|><|vision_end|>' }}"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
_QWEN_MARKS = ("im_start", "vision_start", "vision_end", "image_pad", "video_pad")

_small = {"hidden_size": _HIDDEN, "intermediate_size": 48, "num_attention_heads": 4}
_eyes = {**_small, "image_size": SIDE, "patch_size": 8, "num_hidden_layers": 1}
_WIDE = 0.3  # of the weights: wide, so that what is seen and said before is felt


@cache
def _trained() -> str:
    """Pieces of bytes; the three words are one piece each, with and without a space."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    question = "Question: who is the person in this picture? Say one of these only. Answer:"
    tokenizer.train_from_iterator(
        [*WORDS, *(f"a {word}" for word in WORDS)] * 9 + [question] * 2,
        trainers.BpeTrainer(
            vocab_size=360,
            special_tokens=[_START, _END],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return str(tokenizer.to_str())


def tokenizer(*marks: str, **settings: Any) -> Any:
    """A tokenizer with further special tokens."""
    from transformers import PreTrainedTokenizerFast

    made = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(_trained()),
        bos_token=_START,
        eos_token=_END,
        pad_token=_END,
        **settings,
    )
    made.add_special_tokens({"additional_special_tokens": list(marks)})
    return made


def save_llava(folder: Path, *, seed: int = 0, chat: bool = True) -> Path:
    """A CLIP's eyes before a Llama's mouth."""
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    words = tokenizer("<image>")
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**{**_eyes, "num_hidden_layers": 2}, projection_dim=_HIDDEN),
        text_config=_llama(LlamaConfig, words),
        image_token_index=words.convert_tokens_to_ids("<image>"),
        image_seq_length=4,
    )
    torch.manual_seed(seed)
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
        ),
        tokenizer=words,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=LLAVA_CHAT if chat else None,
    )
    return _save(folder, LlavaForConditionalGeneration(config), words, processor)


def save_qwen(folder: Path, *, seed: int = 0, newer: bool = False) -> Path:
    """Qwen2-VL, or 2.5: pictures of any size, positions in three directions."""
    import transformers
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    words = tokenizer(*(f"<|{mark}|>" for mark in _QWEN_MARKS))
    ids = {name: words.convert_tokens_to_ids(mark) for name, mark in _QWEN_IDS.items()}
    common = {"depth": 1, "num_heads": 4, "patch_size": 14, "spatial_merge_size": 2}
    if newer:
        kind = "Qwen2_5_VL"
        eyes = {**common, "hidden_size": 32, "out_hidden_size": _HIDDEN, "intermediate_size": 48}
    else:
        kind = "Qwen2VL"
        eyes = {**common, "embed_dim": 32, "hidden_size": _HIDDEN, "mlp_ratio": 2}
    config = getattr(transformers, f"{kind}Config")(
        text_config={
            **_llama(dict, words),
            "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2]},
        },
        vision_config=eyes,
        **ids,
    )
    torch.manual_seed(seed)
    model = getattr(transformers, f"{kind}ForConditionalGeneration")(config)
    pictures = Qwen2VLImageProcessorPil(min_pixels=28 * 28, max_pixels=6 * 28 * 28)
    words.chat_template = QWEN_CHAT
    _save(folder, model, words, pictures)
    return folder


_QWEN_IDS = {
    "image_token_id": "<|image_pad|>",
    "video_token_id": "<|video_pad|>",
    "vision_start_token_id": "<|vision_start|>",
    "vision_end_token_id": "<|vision_end|>",
}


def save_blip2(folder: Path, *, seed: int = 0, encodes: bool = False) -> Path:
    """Queries between a ViT and an OPT, or with `encodes` a T5."""
    from transformers import (
        Blip2Config,
        Blip2ForConditionalGeneration,
        Blip2Processor,
        Blip2QFormerConfig,
        Blip2VisionConfig,
        OPTConfig,
        T5Config,
    )
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    words = tokenizer("<image>")
    mark = words.convert_tokens_to_ids("<image>")
    mouth: Any = (
        T5Config(
            **_ends(words),
            d_model=_HIDDEN,
            d_kv=8,
            d_ff=48,
            num_layers=1,
            num_heads=4,
            decoder_start_token_id=words.bos_token_id,
            initializer_factor=2.0,
        )
        if encodes
        else OPTConfig(
            **_ends(words),
            hidden_size=_HIDDEN,
            ffn_dim=48,
            word_embed_proj_dim=_HIDDEN,
            num_hidden_layers=1,
            num_attention_heads=4,
            max_position_embeddings=256,
            init_std=_WIDE,
        )
    )
    config = Blip2Config(
        vision_config=Blip2VisionConfig(**_eyes, initializer_range=_WIDE).to_dict(),
        qformer_config=Blip2QFormerConfig(
            **_small, num_hidden_layers=1, encoder_hidden_size=_HIDDEN, initializer_range=_WIDE
        ).to_dict(),
        text_config=mouth.to_dict(),
        num_query_tokens=QUERIES,
        image_token_index=mark,
    )
    torch.manual_seed(seed)
    model = Blip2ForConditionalGeneration(config)
    torch.nn.init.normal_(model.query_tokens)
    processor = Blip2Processor(
        image_processor=BlipImageProcessorPil(size={"height": SIDE, "width": SIDE}),
        tokenizer=words,
        num_query_tokens=QUERIES,
    )
    return _save(folder, model, words, processor)


def _ends(words: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(words),
        "bos_token_id": words.bos_token_id,
        "eos_token_id": words.eos_token_id,
        "pad_token_id": words.pad_token_id,
        "tie_word_embeddings": False,
    }


def _llama(kind: Any, words: Any) -> Any:
    return kind(
        **_ends(words),
        **_small,
        num_hidden_layers=2,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=_WIDE,
    )


def _save(folder: Path, model: Any, words: Any, processor: Any) -> Path:
    speak_plainly(model, words)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def speak_plainly(model: Any, words: Any) -> None:
    """Have the model say one of the words, and nothing after it."""
    spoken = [
        words(form, add_special_tokens=False)["input_ids"]
        for word in WORDS
        for form in (word, f" {word}")
    ]
    assert all(len(ids) == 1 for ids in spoken), spoken
    said = [ids[0] for ids in spoken]
    mouth = model.get_output_embeddings().weight.data
    ears = model.get_input_embeddings().weight.data
    if mouth is ears or mouth.data_ptr() == ears.data_ptr():
        return  # a T5 hears and speaks with one matrix
    drawn = torch.randn(len(said), _HIDDEN)
    ears *= 0.02  # what is seen decides, not what is asked
    mouth.zero_()
    mouth[said] = 3 * drawn
    mouth[said, 0] = 0
    ears[:, 0] = 0
    ears[said] = 0
    ears[said, 0] = 40.0
    mouth[words.eos_token_id, 0] = 12.0
    for name, part in model.named_modules():
        # Nothing else is written along that axis.
        if name.endswith(("o_proj", "out_proj", "down_proj", "fc2")):
            part.weight.data[0] = 0
