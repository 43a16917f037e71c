"""Audit translated strings: whose gender they show, and where forms are inconsistent."""
