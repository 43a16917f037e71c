"""The old name of `export.lm_eval`, which tasks exported by Epicene 0.1 import."""
