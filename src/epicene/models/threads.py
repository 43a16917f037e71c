"""How many threads a model on this machine computes with."""

from __future__ import annotations

import math
import os
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")


def usable_cpus() -> int:
    """How many CPUs this process may use: those it is pinned to, within its container's quota."""
    if hasattr(os, "sched_getaffinity"):
        pinned = len(os.sched_getaffinity(0))
    else:
        pinned = os.cpu_count() or 1
    quota = cpu_quota(_OWN_CGROUP, _CGROUPS)
    return pinned if quota is None else max(1, min(pinned, math.ceil(quota)))


def cpu_quota(own: Path, root: Path) -> float | None:
    """The smallest quota of the process's cgroups (version 2), in CPUs; None if there is none."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return None
    folders = [root / line.removeprefix("0::/") for line in lines if line.startswith("0::/")]
    quotas = [
        quota
        for folder in folders
        for each in (folder, *folder.parents)
        if each.is_relative_to(root) and (quota := _quota(each / "cpu.max"))
    ]
    return min(quotas, default=None)


def _quota(file: Path) -> float | None:
    try:
        quota, period = file.read_text().split()
        return float(quota) / float(period)
    except (OSError, ValueError, ZeroDivisionError):  # `max` is no number: there is no quota
        return None


def set_torch_threads(asked: int | None) -> None:
    """Let torch use this many threads (default: its own number, within the usable CPUs)."""
    import torch

    wanted = asked or min(torch.get_num_threads(), usable_cpus())
    if wanted != torch.get_num_threads():
        torch.set_num_threads(wanted)
