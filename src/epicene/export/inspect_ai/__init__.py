"""Tasks for Inspect: chats that the suite's own judge scores.

Inspect sends every prompt as a chat and has no log-likelihoods of given texts, so what is scored,
and texts to be continued, are left out and named.
"""
