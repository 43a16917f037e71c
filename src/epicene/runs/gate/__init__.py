"""A release gate: is a new run no worse than a baseline, by every headline?"""
