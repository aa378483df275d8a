"""What a game says about its players, as numbers that add up over many games."""
