"""Callers: who they are, what they may see, and when."""
