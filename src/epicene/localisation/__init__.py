"""Translated strings in files: read them, rewrite them, and leave every other byte as it is."""
