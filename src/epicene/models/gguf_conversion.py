"""Convert a GGUF file to a folder that transformers opens in a second.

Dequantising takes half a minute and more than a gigabyte of memory, once. It runs in a subprocess,
so that neither the memory nor the libraries' settings persist.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from epicene.core.errors import RunError
from epicene.models.downloads import last_error_line

# Raised when a conversion would give other weights or another tokenizer than before.
VERSION = "1"

LIBRARIES = ("gguf", "safetensors", "torch", "transformers")


def library_versions() -> dict[str, str]:
    """The versions of what takes part in a conversion."""
    return {name: version(name) for name in LIBRARIES}


def convert(gguf: Path, folder: Path) -> None:
    """Write weights (float32), configuration and tokenizer of a GGUF file into `folder`."""
    command = [sys.executable, "-m", __name__, str(gguf), str(folder)]
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, env={**os.environ, **offline}
    )
    if done.returncode:
        raise RunError(
            f"{gguf.name} could not be converted ({last_error_line(done.stderr)}); the conversion "
            "needs about 3 GB of memory and the packages of epicene[hf]."
        )


def adds_bos(gguf: Path) -> bool:
    """Whether the file says that texts start with the beginning-of-sequence token; transformers
    forgets this.
    """
    from gguf import GGUFReader

    field = GGUFReader(gguf).get_field("tokenizer.ggml.add_bos_token")
    return bool(field is not None and field.contents())


def _convert_in_process(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    if adds_bos(gguf):
        tokenizer.add_bos_token = True
    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32
    )
    # The weights are plain float32 now, and must not be saved as if they were quantised.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    # Weights are written for their owner alone; a cache may be shared.
    for weights in folder.glob("*.safetensors"):
        shutil.copymode(folder / "config.json", weights)


if __name__ == "__main__":
    _convert_in_process(Path(sys.argv[1]), Path(sys.argv[2]))
