"""How many threads a model computes with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from epicene.models import open_model, parse_spec, threads
from epicene.models.threads import cpu_quota, set_torch_threads, usable_cpus
from models.hf.tiny_causal import gpt2_like, llama, save


@pytest.fixture(autouse=True)
def same_threads_afterwards() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def cgroup(root: Path, quotas: dict[str, str]) -> Path:
    """A process in the group /a/b, with quotas by group."""
    for group, quota in quotas.items():
        folder = root / group
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cpu.max").write_text(quota)
    own = root / "own"
    own.write_text("1:name=systemd:/a\n0::/a/b\n")
    return own


@pytest.mark.parametrize(
    ("quotas", "expected"),
    [
        ({}, None),
        ({"a/b": "max 100000"}, None),
        ({"a/b": "150000 100000"}, 1.5),
        ({"a": "50000 100000", "a/b": "400000 100000"}, 0.5),
        ({".": "200000 100000", "a/b": "max 100000"}, 2.0),
        ({"a/b": "nonsense"}, None),
    ],
)
def test_the_smallest_quota_counts(
    tmp_path: Path, quotas: dict[str, str], expected: float | None
) -> None:
    assert cpu_quota(cgroup(tmp_path, quotas), tmp_path) == expected
    assert cpu_quota(tmp_path / "none", tmp_path) is None


def test_the_cpus_of_this_process_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 3, 5})
    monkeypatch.setattr(threads, "cpu_quota", lambda *_: None)
    assert usable_cpus() == 3
    monkeypatch.setattr(threads, "cpu_quota", lambda *_: 1.2)
    assert usable_cpus() == 2
    monkeypatch.setattr(threads, "cpu_quota", lambda *_: 0.1)
    assert usable_cpus() == 1


def test_torch_has_as_many_threads_as_asked_or_as_it_may_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch.set_num_threads(4)
    monkeypatch.setattr(threads, "usable_cpus", lambda: 2)
    set_torch_threads(3)
    assert torch.get_num_threads() == 3
    set_torch_threads(None)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)
    set_torch_threads(None)
    assert torch.get_num_threads() == 1


def test_a_model_is_opened_with_the_threads_of_its_spec(tmp_path: Path) -> None:
    folder = save(tmp_path / "tiny", llama(), gpt2_like())
    torch.set_num_threads(1)
    open_model(parse_spec(f"hf:{folder}?threads=2")).close()
    assert torch.get_num_threads() == 2
