"""Clubs: groups of players with seasons of their own."""
