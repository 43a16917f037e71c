"""A network that OpenVINO runs on the CPU, alike on any number of cores."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import openvino

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class Network:
    """One input, one output, and one thread to each call, so that cores change no number."""

    def __init__(self, path: Path, rows: int | None = None) -> None:
        core = openvino.Core()
        model = core.read_model(path)
        if rows is not None:
            model.reshape([rows, *list(model.input().partial_shape)[1:]])
        cores = os.cpu_count() or 1
        settings = {
            "NUM_STREAMS": cores,
            "INFERENCE_NUM_THREADS": cores,
            "INFERENCE_PRECISION_HINT": "f32",
        }
        self._compiled = core.compile_model(model, "CPU", settings)
        self._own = threading.local()

    def __call__(self, values: Floats) -> Floats:
        """The output; threads may call at the same time."""
        request: Any = getattr(self._own, "request", None)
        if request is None:
            request = self._own.request = self._compiled.create_infer_request()
        request.infer([values])
        return np.array(request.get_output_tensor(0).data)
