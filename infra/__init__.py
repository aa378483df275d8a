"""Adapters between the game and the world: how events are written down and read back."""
