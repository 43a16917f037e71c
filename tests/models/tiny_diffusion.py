"""A Stable Diffusion pipeline with a few thousand random weights, as a folder."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import torch

LONGEST = 24  # tokens of a prompt, its two marks included
_START, _END = "<|startoftext|>", "<|endoftext|>"


def save_pipeline(folder: Path, *, seed: int = 0, unsafe: bool | None = None) -> Path:
    """Save a pipeline without a safety checker, or with one that flags all (unsafe) or nothing."""
    from diffusers import StableDiffusionPipeline

    torch.manual_seed(seed)
    tokenizer = _tokenizer(folder / "spelling")
    checker, extractor = (None, None) if unsafe is None else _checker(unsafe)
    pipeline = StableDiffusionPipeline(
        vae=_autoencoder(),
        text_encoder=_text_encoder(len(tokenizer)),
        tokenizer=tokenizer,
        unet=_denoiser(),
        scheduler=_scheduler(),
        safety_checker=checker,
        feature_extractor=extractor,
        requires_safety_checker=checker is not None,
    )
    pipeline.save_pretrained(folder / "pipeline")
    return folder / "pipeline"


def _tokenizer(folder: Path) -> Any:
    """One token per letter."""
    from transformers import CLIPTokenizer

    letters = [*string.ascii_lowercase, *(f"{letter}</w>" for letter in string.ascii_lowercase)]
    folder.mkdir(parents=True)
    vocabulary = {token: place for place, token in enumerate([*letters, _START, _END])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return CLIPTokenizer.from_pretrained(str(folder), model_max_length=LONGEST)


def _text_encoder(vocabulary: int) -> Any:
    from transformers import CLIPTextConfig, CLIPTextModel

    return CLIPTextModel(
        CLIPTextConfig(
            vocab_size=vocabulary,
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=LONGEST,
            bos_token_id=vocabulary - 2,
            eos_token_id=vocabulary - 1,
            pad_token_id=vocabulary - 1,
        )
    )


def _denoiser() -> Any:
    from diffusers import UNet2DConditionModel

    return UNet2DConditionModel(
        block_out_channels=(8, 16),
        layers_per_block=1,
        sample_size=8,
        in_channels=4,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=4,
        norm_num_groups=4,
    )


def _autoencoder() -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=(8, 16),
        in_channels=3,
        out_channels=3,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
        norm_num_groups=4,
    )


def _scheduler() -> Any:
    from diffusers import DDIMScheduler

    return DDIMScheduler(
        beta_start=0.00085,
        beta_end=0.012,
        beta_schedule="scaled_linear",
        clip_sample=False,
        set_alpha_to_one=False,
        steps_offset=1,
    )


def _checker(unsafe: bool) -> tuple[Any, Any]:
    """A cosine is at least -1 and at most 1: a threshold below or above both decides all."""
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
    from transformers import CLIPConfig
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "projection_dim": 8}
    config = CLIPConfig(
        text_config={**small, **heads},
        vision_config={**small, **heads, "image_size": 16, "patch_size": 8},
        projection_dim=8,
    )
    checker = StableDiffusionSafetyChecker(config)
    threshold = -2.0 if unsafe else 2.0
    for thresholds in (checker.concept_embeds_weights, checker.special_care_embeds_weights):
        thresholds.data.fill_(threshold)
    processor = CLIPImageProcessorPil(size={"shortest_edge": 16}, crop_size=16)
    return checker, processor
