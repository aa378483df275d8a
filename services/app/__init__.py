"""Puts the program together and runs it: wiring, environment, event loop."""
