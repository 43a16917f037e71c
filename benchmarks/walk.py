"""How much of Epicene a small run enters: functions and files, and modules imported.

    python benchmarks/walk.py

Counted are the functions of Epicene that `epicene run` enters for nine items, in all threads;
bodies of modules and classes, which an import executes, are left out.
"""

from __future__ import annotations

import io
import sys
import tempfile
import threading
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import epicene
from epicene.app.commands import run_command

if TYPE_CHECKING:
    from types import CodeType, FrameType

HERE = str(Path(epicene.__file__).parent)
IS_FUNCTION = 0x1  # CO_OPTIMIZED, which the bodies of modules and classes are not


def main() -> None:
    """Run nine items of a suite and count what is entered."""
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & IS_FUNCTION and code.co_filename.startswith(HERE):
            entered.add(code)

    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        threading.setprofile(note)
        sys.setprofile(note)
        run_command(["run", "misgendering", "--model=random", "--limit=3", f"--out={folder}/run"])
        sys.setprofile(None)
    named = [code for code in entered if not code.co_name.startswith("<")]
    files = {code.co_filename for code in entered}
    modules = [name for name in sys.modules if name.partition(".")[0] == "epicene"]
    print(
        f"{len(entered)} functions ({len(named)} with a name) in {len(files)} files; "
        f"{len(modules)} modules imported"
    )


if __name__ == "__main__":
    main()
