"""The parts of benchmarks/scoring.py."""
