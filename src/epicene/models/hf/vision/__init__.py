"""Image-text models of transformers, opened by the kind `hf`."""
