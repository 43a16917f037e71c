"""Audit translated strings: whose gender they show, where forms do not go together."""
