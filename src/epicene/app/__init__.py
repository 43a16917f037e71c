"""One function per command: `epicene.run(…)` in Python, `epicene run` on the command line.

To add a command, write the function in a module of this package, with annotations that
`arguments.py` shares, and a docstring with a section `Args:`. Both `help(epicene.NAME)` and
`epicene NAME --help` show it. Then name the function in two places: `COMMANDS` in `commands.py`
(with the options for its output), and `epicene/__init__.pyi`, which says what `import epicene`
gives.

- Parameters before `*` are arguments and options, those after it only options. What Python alone
  can give is annotated with `Parameter(parse=False)`, as `Progress` is.
- A command returns an object. If it has a method `_print_(output)`, the command line calls it:
  it prints the object with what `output.py` provides, and returns the exit code if that is not 0.
  Frames, mappings, paths and texts are printed without one. Options about printing alone (`--json`,
  `--table`, …) belong to `output.py`, not to the function.
- Messages for people go to `note` or the progress display; errors are `EpiceneError`s, whose
  messages name options as on the command line (`--out`).
- A module imports at its top only what its signatures need (ruff allows it: they are read at run
  time); everything else is imported inside functions. Results are read through `runs`, and
  formatted by `report`.
"""
