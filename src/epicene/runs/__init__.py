"""Runs: one suite, one protocol and one model per role, in a folder that can always be resumed."""
