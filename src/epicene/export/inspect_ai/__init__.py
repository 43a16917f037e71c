"""Tasks for Inspect: chats that the suite's own judge scores.

Inspect sends every prompt as a chat and does not give the log-likelihoods of given texts, so
requests for scores and texts to continue are left out and listed.
"""
