"""The Python API, which the command line is built on; `import epicene` gives all its names."""
