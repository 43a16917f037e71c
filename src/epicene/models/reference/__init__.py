"""Reference points that every table should have: `copy` and `random`."""
