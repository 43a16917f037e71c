"""Studies and responses as files: TOML and JSON, sheets, PCIbex, Label Studio."""
