"""Clubs: players who found and join them, and the seasons that they play."""
