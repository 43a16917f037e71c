"""The parts of benchmarks/annotate_load.py."""
