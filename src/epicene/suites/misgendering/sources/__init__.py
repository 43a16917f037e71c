"""Where misgendering instances come from: MISGENDERED, TANGO, RUFF, and the starter set."""
