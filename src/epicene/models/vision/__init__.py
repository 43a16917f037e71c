"""Models that see and speak: local image-text models of transformers, opened by the kind `hf`."""
