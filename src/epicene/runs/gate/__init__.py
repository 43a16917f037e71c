"""A release gate: is a new run no worse than a baseline on every headline?"""
