"""Runs: one suite × one protocol × the model of each role, in one folder that survives anything."""
