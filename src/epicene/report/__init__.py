"""Records to what people read: tables, figures and one self-contained page.

Pages, tables and figures know neither suites nor runs: they are given records and give text or
bytes. `runs.py`, with `profile`, `standing`, `inventory` and `how`, makes those records of runs.
"""
