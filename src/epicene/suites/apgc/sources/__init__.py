"""The layouts that such corpora come in: read, and written back."""
