"""Epicene measures what generative models do with grammatical gender and agreement."""

__version__ = "0.1.0"
