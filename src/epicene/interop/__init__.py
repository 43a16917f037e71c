"""Other evaluation tools: tasks for lm-evaluation-harness and Inspect, their logs, and results for
Every Eval Ever.

What a tool cannot ask as Epicene does is left out and listed.
"""
