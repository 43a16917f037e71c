"""Sources of instances: MISGENDERED, TANGO and RUFF, the starter set, a user's own templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.data_files import sha256_of
from epicene.core.errors import InputError
from epicene.languages.pronouns import CASES
from epicene.suites.misgendering.items import PUBLISHED_CASES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.languages.pronouns import Case

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

# The other published files: under `paper` they are not checked, but they tell whether a run is one
# on the published data.
OTHER_SHA256 = {
    "misgendered/templates/explicit_template_2.csv": (
        "69ee6ae0d559bed27c3b05542972a06d2b918c213f726491264e0a0360061e2f"
    ),
    "misgendered/templates/explicit_template_32.csv": (
        "0e3ff648939357238694a86408812a655188957dc0b3fcae912f02af8bd1ffbd"
    ),
    "misgendered/templates/explicit_template_41.csv": (
        "c95d658b65567227db1fce0f51577f7d3b33aed26ba04fec8167f73c2353ec20"
    ),
    "misgendered/templates/explicit_template_42.csv": (
        "a9fe019ab4d2a2f9523ddcf0b8dfcc6ebf370b7caacb541518649f5656250b6f"
    ),
    "misgendered/templates/explicit_template_5.csv": (
        "35601a2307d16b0d6f1a3683779c20ab0c6daf9ead181422b3c368b327cb60ec"
    ),
    "misgendered/templates/parenth_template_2.csv": (
        "9bbd8da7f35ba81665ea22a57cfbb9b42bc9da9c4d3105c703b40931c89b6316"
    ),
    "misgendered/templates/parenth_template_31.csv": (
        "9a26d0b863dc23a8fc36c5c053902c9e726143755a2dde38e3f3da3fd7aa71d5"
    ),
    "misgendered/templates/parenth_template_32.csv": (
        "a64572970c8fb67234044dd59a9471a8b872e5c96c417bb50ae613e952158e69"
    ),
    "misgendered/templates/parenth_template_41.csv": (
        "de1f478251b980b9070d1ad7e211d8487d55be42dc6ce25a561f54dc0790fcdd"
    ),
    "misgendered/templates/parenth_template_42.csv": (
        "10b7415f1b7e98fed0c8758b696a3989ac7d7de3616951bb9b2267b251ea9240"
    ),
    "misgendered/templates/parenth_template_5.csv": (
        "f296ad81550b488ca16cd889e87d6c87a2bcf6de385265adadcd0dfb616b84eb"
    ),
    "misgendered/templates/templates.csv": (
        "d841365259332438c3383426497e3ea822b226043f7c6772e8d3aab04b05d51a"
    ),
    "misgendered/pronouns_11.csv": (
        "b89b108e78d47dc0a05d8a983d07d8dafd30e4a8b7d30058335f0128d4242fa6"
    ),
}


def is_published_hash(sha256: str) -> bool:
    """Whether a file with that hash is one of the published ones."""
    return sha256 in OTHER_SHA256.values() or sha256 in SHA256.values()


def all_published(paths: Iterable[Path]) -> bool:
    """Whether all of these are published files, byte for byte."""
    return all(is_published_hash(sha256_of(path)) for path in paths)


def required_text(line: FileRow, column: str) -> str:
    """The text in a column of a row, which is required."""
    value = line.values.get(column)
    if not isinstance(value, str) or not value.strip():
        what = "no column" if column not in line.values else "nothing in the column"
        raise InputError(
            f"{line.location} has {what} {column!r}; its columns are "
            f"{', '.join(map(str, line.values))}."
        )
    return value


def case_of(line: FileRow, column: str, allowed: Iterable[str]) -> Case:
    """The grammatical case that a row names in a column, in one of the allowed words."""
    name = required_text(line, column).strip()
    if name not in allowed:
        raise InputError(
            f"{line.location} has the {column} {name!r}; it must be one of {', '.join(allowed)}."
        )
    return next((case for case in CASES if case == name), None) or PUBLISHED_CASES[name]


def check_one_gap(text: str, gap: str, location: str) -> None:
    """Raise unless the text has the gap, once."""
    if (found := text.count(gap)) != 1:
        how_many = "no gap" if not found else f"{found} gaps"
        raise InputError(
            f"{location} has {how_many}; write {gap} once, where the pronoun belongs: {text!r}."
        )


def published_file(folder: Path, name: str, *, exact: bool) -> Path:
    """A published file; with `exact`, only if it is exactly the one the authors used."""
    path = folder / name
    dataset = name.partition("/")[0]
    if not path.is_file():
        raise InputError(f"{path} does not exist; get {ORIGINS[dataset]}.")
    wanted = SHA256.get(name)
    if exact and wanted is not None and sha256_of(path) != wanted:
        raise InputError(
            f"{path} is not the published file (another sha256), so the protocol paper cannot "
            f"follow the authors; get {ORIGINS[dataset]}, or run the protocol epicene."
        )
    return path
