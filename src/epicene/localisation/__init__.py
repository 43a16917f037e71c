"""Translated strings in files: read and rewrite them, and leave every other byte unchanged."""
