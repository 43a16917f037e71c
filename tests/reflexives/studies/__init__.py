"""The human study of reflexives."""
