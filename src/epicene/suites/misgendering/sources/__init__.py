"""Sources of instances: the published files of MISGENDERED, TANGO and RUFF, and the starter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.data_files import sha256_of
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

ORIGINS = {
    "misgendered": (
        "MISGENDERED (Hossain et al. 2023, CC BY 4.0): the folders templates/ and names/ and "
        "pronouns.csv of the repository tamannahossainkay/misgendered-backend"
    ),
    "tango": (
        "TANGO (Ovalle et al. 2023, CC BY-SA 4.0): misgendering_prompts.csv of the repository "
        "amazon-science/tango, and tango-pronouns.csv of the repository "
        "ArjunSubramonian/meta-eval-llm-misgendering"
    ),
    "ruff": (
        "RUFF (Gautam et al. 2024, AGPL-3.0): eo_task.tsv and pronouns.csv of the repository "
        "ArjunSubramonian/meta-eval-llm-misgendering"
    ),
}

# The files whose every byte decides what the authors' models saw.
SHA256 = {
    "ruff/eo_task.tsv": "d1ad8592a85d5bbe8e7d442c182edd9196f7d4a583a00dafce72fd688ee38917",
    "ruff/pronouns.csv": "ceff96561576ee59891014930fafa7a1684e75e973b98d95e0e9e3f4f06e2e9f",
    "misgendered/templates/explicit_template_31.csv": (
        "f75d48e8b2fc322be0303a2ec74333684202ad7c07a2f1d33b5583c38e665540"
    ),
    "misgendered/names/female.txt": (
        "1c46d09389ef13b84a1e49a1e9259102bdf1f37459bcf41fcd7f9123d2b1ab7a"
    ),
    "misgendered/names/male.txt": (
        "ffd4b58884f66855c5ded3abb946b8bb76a7199eff7597d434f174bd7ad2e95c"
    ),
    "misgendered/names/unisex.txt": (
        "4835c1dd17d92aa08dc52fb285db13ef13f674c07ed9b45ae2c8eb5ffe0bfc51"
    ),
    "misgendered/pronouns.csv": "c2136762df3cf6eac909519b8ca2d0894688bbed20a5e1b0864ea9ce22111900",
    "tango/tango-pronouns.csv": "f3aeaa1af859a6c2a1ba340ed2cb8b314fb9ccdcf4512e89e3d96a6e03e9b9b5",
    "tango/misgendering_prompts.csv": (
        "dfa0d72b927939e63885a0219d8b3de5af837a50a50b5161c24aef0cfeee6ed7"
    ),
}


def published_file(folder: Path, name: str, *, exact: bool) -> Path:
    """A published file; with `exact`, only if it is the very one the authors used."""
    path = folder / name
    dataset = name.partition("/")[0]
    if not path.is_file():
        raise InputError(f"There is no {path}; get {ORIGINS[dataset]}.")
    wanted = SHA256.get(name)
    if exact and wanted is not None and sha256_of(path) != wanted:
        raise InputError(
            f"{path} is not the published file (another sha256), so the protocol paper cannot "
            f"follow the authors; get {ORIGINS[dataset]}, or run the protocol epicene."
        )
    return path
