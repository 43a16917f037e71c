"""How much of Epicene a small run enters: functions and files, and modules imported.

python benchmarks/walk.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import epicene

if TYPE_CHECKING:
    from types import CodeType, FrameType

HERE = str(Path(epicene.__file__).parent)


def main() -> None:
    """Run nine items of a suite and count what is entered."""
    entered: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(HERE):
            entered.add(frame.f_code)

    with tempfile.TemporaryDirectory() as folder:
        sys.setprofile(note)
        epicene.run("misgendering", "random", limit=3, out=Path(folder) / "run", progress=False)
        sys.setprofile(None)
    functions = {code for code in entered if not is_body(code)}
    files = {code.co_filename for code in functions}
    modules = [name for name in sys.modules if name.partition(".")[0] == "epicene"]
    print(f"{len(functions)} functions in {len(files)} files; {len(modules)} modules imported")


def is_body(code: CodeType) -> bool:
    """Whether this is the body of a module or a class, which an import executes."""
    return code.co_name == "<module>" or not code.co_flags & 0x2  # CO_NEWLOCALS


if __name__ == "__main__":
    main()
