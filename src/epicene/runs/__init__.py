"""Runs: one suite, one protocol, a model per role, in a folder that can always be resumed."""
