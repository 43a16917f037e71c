"""What every package builds on: records, errors, the registry, reading and writing files."""
