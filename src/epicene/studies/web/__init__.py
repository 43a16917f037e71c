"""The web app where participants answer a study and its owner follows it."""
